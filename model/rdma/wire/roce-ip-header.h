/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_IP_HEADER_H
#define GPU_FABRIC_ROCE_IP_HEADER_H

#include "ns3/header.h"
#include "ns3/ipv4-address.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * The IPv4 and UDP headers of RoCEv2, 28 bytes in all (RFC 791, RFC 768; InfiniBand Architecture
 * Specification, Annex A17): no options, don't fragment, destination port 4791, UDP checksum 0.
 * ns-3's own headers belong to its internet module, on which this module does not depend.
 */
class RoceIpHeader : public Header
{
  public:
    static constexpr uint32_t IP_SIZE = 20;            ///< [byte]
    static constexpr uint32_t UDP_SIZE = 8;            ///< [byte]
    static constexpr uint32_t SIZE = 20 + 8;           ///< [byte]
    static constexpr uint16_t ETHER_TYPE = 0x0800;     ///< IPv4
    static constexpr uint16_t UDP_PORT = 4791;         ///< IANA: RoCEv2
    static constexpr uint32_t MAX_LENGTH = UINT16_MAX; ///< of the IP packet [byte]

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    void SetAddresses(Ipv4Address source, Ipv4Address destination)
    {
        m_source = source;
        m_destination = destination;
    }

    Ipv4Address GetSource() const
    {
        return m_source;
    }

    Ipv4Address GetDestination() const
    {
        return m_destination;
    }

    /// \param dscp 6 bits (RFC 2474) \param ecn 2 bits (RFC 3168)
    void SetTrafficClass(uint8_t dscp, uint8_t ecn)
    {
        m_trafficClass = static_cast<uint8_t>(dscp << 2 | (ecn & 3));
    }

    uint8_t GetDscp() const
    {
        return m_trafficClass >> 2;
    }

    uint8_t GetEcn() const
    {
        return m_trafficClass & 3;
    }

    void SetIdentification(uint16_t identification)
    {
        m_identification = identification;
    }

    uint16_t GetIdentification() const
    {
        return m_identification;
    }

    void SetTtl(uint8_t ttl)
    {
        m_ttl = ttl;
    }

    uint8_t GetTtl() const
    {
        return m_ttl;
    }

    void SetUdpSourcePort(uint16_t port)
    {
        m_udpSourcePort = port;
    }

    uint16_t GetUdpSourcePort() const
    {
        return m_udpSourcePort;
    }

    /// \param size of what follows the UDP header, ICRC included [byte]
    void SetPayloadSize(uint16_t size)
    {
        m_totalLength = static_cast<uint16_t>(size + SIZE);
        m_udpLength = static_cast<uint16_t>(size + UDP_SIZE);
    }

    /// The length of the IP packet according to its header [byte].
    uint16_t GetTotalLength() const
    {
        return m_totalLength;
    }

    /// What is wrong with a received header; empty if it is a valid RoCEv2 header.
    std::string FindFault() const;

    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint8_t m_versionAndLength{0x45};
    uint8_t m_trafficClass{0};
    uint16_t m_totalLength{SIZE};
    uint16_t m_identification{0};
    uint16_t m_fragment{0x4000};
    uint8_t m_ttl{64};
    uint8_t m_protocol{17};
    Ipv4Address m_source;
    Ipv4Address m_destination;
    uint16_t m_udpSourcePort{0};
    uint16_t m_udpDestinationPort{UDP_PORT};
    uint16_t m_udpLength{UDP_SIZE};
    bool m_checksumIsRight{true};
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_IP_HEADER_H
