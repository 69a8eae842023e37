/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-icrc.h"

#include "ns3/abort.h"
#include "ns3/crc32.h"

#include <algorithm>
#include <ios>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceIcrc);

namespace
{

/// What takes the place of InfiniBand's Local Route Header.
constexpr uint32_t PREFIX = 8;

} // namespace

TypeId
RoceIcrc::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceIcrc")
                            .SetParent<Trailer>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<RoceIcrc>();
    return tid;
}

TypeId
RoceIcrc::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
RoceIcrc::Compute(const uint8_t* packet, uint32_t size)
{
    NS_ABORT_MSG_IF(size < 40, "an ICRC covers the headers of IP, UDP and BTH, 40 bytes");
    std::vector<uint8_t> bytes(PREFIX + size, 0xff);
    std::copy(packet, packet + size, bytes.begin() + PREFIX);
    // Type of service, TTL and checksum of IP; checksum of UDP; FECN, BECN and reserved of BTH.
    for (const uint32_t masked : {1, 8, 10, 11, 26, 27, 32})
    {
        bytes[PREFIX + masked] = 0xff;
    }
    return CRC32Calculate(bytes.data(), static_cast<int>(bytes.size()));
}

void
RoceIcrc::Print(std::ostream& os) const
{
    const std::ios_base::fmtflags flags = os.flags();
    os << "icrc=0x" << std::hex << m_value;
    os.flags(flags);
}

uint32_t
RoceIcrc::GetSerializedSize() const
{
    return SIZE;
}

void
RoceIcrc::Serialize(Buffer::Iterator end) const
{
    end.Prev(SIZE);
    end.WriteHtolsbU32(m_value);
}

uint32_t
RoceIcrc::Deserialize(Buffer::Iterator end)
{
    end.Prev(SIZE);
    m_value = end.ReadLsbtohU32();
    return SIZE;
}

} // namespace ns3
