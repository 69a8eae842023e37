/* SPDX-License-Identifier: GPL-2.0-only */
#include "reth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RethHeader);

TypeId
RethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RethHeader")
                            .SetParent<Header>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<RethHeader>();
    return tid;
}

TypeId
RethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
RethHeader::Print(std::ostream& os) const
{
    os << "address=" << m_address << " key=" << m_key << " length=" << m_length;
}

uint32_t
RethHeader::GetSerializedSize() const
{
    return SIZE;
}

void
RethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_address);
    start.WriteHtonU32(m_key);
    start.WriteHtonU32(m_length);
}

uint32_t
RethHeader::Deserialize(Buffer::Iterator start)
{
    m_address = start.ReadNtohU64();
    m_key = start.ReadNtohU32();
    m_length = start.ReadNtohU32();
    return SIZE;
}

} // namespace ns3
