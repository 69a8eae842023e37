/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEST_FRAME_BYTES_H
#define GPU_FABRIC_TEST_FRAME_BYTES_H

#include "ns3/packet.h"

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

using Bytes = std::vector<uint8_t>;

inline Bytes
FromHex(const std::string& hex)
{
    Bytes bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

inline std::string
ToHex(const Bytes& bytes)
{
    std::ostringstream hex;
    for (const uint8_t byte : bytes)
    {
        hex << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
    }
    return hex.str();
}

inline Bytes
GetBytes(const Packet& packet)
{
    Bytes bytes(packet.GetSize());
    packet.CopyData(bytes.data(), packet.GetSize());
    return bytes;
}

inline Ptr<Packet>
MakePacket(const Bytes& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

/// CRC-32 (IEEE 802.3), bit by bit: shares nothing with the table of ns-3.
inline uint32_t
Crc32(const Bytes& bytes)
{
    uint32_t crc = 0xffffffff;
    for (const uint8_t byte : bytes)
    {
        for (int bit = 0; bit < 8; ++bit)
        {
            const bool one = (crc ^ byte >> bit) & 1;
            crc = crc >> 1 ^ (one ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/// The CNP that a ConnectX-4 Lx sent, from its IP header on, and the ICRC that it had.
constexpr const char* CAPTURED_CNP = "45c2003c718c4000401191610a0011010a001201000012b700280000"
                                     "8100ffff4000011800000000"
                                     "00000000000000000000000000000000";
constexpr const char* CAPTURED_ICRC = "82fd002a";

} // namespace ns3

#endif // GPU_FABRIC_TEST_FRAME_BYTES_H
