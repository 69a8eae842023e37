/* SPDX-License-Identifier: GPL-2.0-only */
#include "aeth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AethHeader);

TypeId
AethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AethHeader")
                            .SetParent<Header>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<AethHeader>();
    return tid;
}

TypeId
AethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
AethHeader::Print(std::ostream& os) const
{
    os << (m_syndrome >> 5 == 0 ? "ACK" : "NAK") << " syndrome=" << +m_syndrome
       << " msn=" << m_number;
}

uint32_t
AethHeader::GetSerializedSize() const
{
    return SIZE;
}

void
AethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(static_cast<uint32_t>(m_syndrome) << 24 | m_number);
}

uint32_t
AethHeader::Deserialize(Buffer::Iterator start)
{
    const uint32_t word = start.ReadNtohU32();
    m_syndrome = static_cast<uint8_t>(word >> 24);
    m_number = word & 0xffffff;
    return SIZE;
}

} // namespace ns3
