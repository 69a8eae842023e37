/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-ip-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceIpHeader);

namespace
{

/// The one's complement sum of the words of an IP header (RFC 1071).
uint16_t
Add(Buffer::Iterator header)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < RoceIpHeader::IP_SIZE / 2; ++i)
    {
        sum += header.ReadNtohU16();
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(sum + (sum >> 16));
}

} // namespace

TypeId
RoceIpHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoceIpHeader")
                            .SetParent<Header>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<RoceIpHeader>();
    return tid;
}

TypeId
RoceIpHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

std::string
RoceIpHeader::FindFault() const
{
    if (m_versionAndLength != 0x45)
    {
        return "not IPv4 without options";
    }
    if (!m_checksumIsRight)
    {
        return "wrong IP header checksum";
    }
    if (m_protocol != 17 || (m_fragment & 0x3fff) != 0)
    {
        return "not UDP, or a fragment";
    }
    if (m_udpDestinationPort != UDP_PORT)
    {
        return "UDP destination port " + std::to_string(m_udpDestinationPort) + ", not 4791";
    }
    if (m_totalLength < SIZE || m_udpLength != m_totalLength - IP_SIZE)
    {
        return "lengths of IP and UDP disagree";
    }
    return "";
}

void
RoceIpHeader::Print(std::ostream& os) const
{
    os << m_source << ":" << m_udpSourcePort << " > " << m_destination << ":"
       << m_udpDestinationPort << " dscp=" << +GetDscp() << " ecn=" << +GetEcn()
       << " ttl=" << +m_ttl << " id=" << m_identification << " length=" << m_totalLength;
}

uint32_t
RoceIpHeader::GetSerializedSize() const
{
    return SIZE;
}

void
RoceIpHeader::Serialize(Buffer::Iterator start) const
{
    Buffer::Iterator i = start;
    i.WriteU8(m_versionAndLength);
    i.WriteU8(m_trafficClass);
    i.WriteHtonU16(m_totalLength);
    i.WriteHtonU16(m_identification);
    i.WriteHtonU16(m_fragment);
    i.WriteU8(m_ttl);
    i.WriteU8(m_protocol);
    Buffer::Iterator checksum = i;
    i.WriteHtonU16(0);
    i.WriteHtonU32(m_source.Get());
    i.WriteHtonU32(m_destination.Get());
    checksum.WriteHtonU16(static_cast<uint16_t>(~Add(start)));
    i.WriteHtonU16(m_udpSourcePort);
    i.WriteHtonU16(m_udpDestinationPort);
    i.WriteHtonU16(m_udpLength);
    i.WriteHtonU16(0);
}

uint32_t
RoceIpHeader::Deserialize(Buffer::Iterator start)
{
    m_checksumIsRight = Add(start) == 0xffff;
    m_versionAndLength = start.ReadU8();
    m_trafficClass = start.ReadU8();
    m_totalLength = start.ReadNtohU16();
    m_identification = start.ReadNtohU16();
    m_fragment = start.ReadNtohU16();
    m_ttl = start.ReadU8();
    m_protocol = start.ReadU8();
    start.Next(2);
    m_source.Set(start.ReadNtohU32());
    m_destination.Set(start.ReadNtohU32());
    m_udpSourcePort = start.ReadNtohU16();
    m_udpDestinationPort = start.ReadNtohU16();
    m_udpLength = start.ReadNtohU16();
    start.Next(2);
    return SIZE;
}

} // namespace ns3
