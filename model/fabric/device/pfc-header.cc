/* SPDX-License-Identifier: GPL-2.0-only */
#include "pfc-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

Mac48Address
PfcHeader::GetDestination()
{
    return Mac48Address("01:80:c2:00:00:01");
}

void
PfcHeader::SetTime(uint32_t priority, uint16_t quanta)
{
    m_times.at(priority) = quanta;
    m_enabled |= 1u << priority;
}

void
PfcHeader::Print(std::ostream& os) const
{
    const char* separator = "";
    for (uint32_t priority = 0; priority < CLASSES; ++priority)
    {
        if (m_enabled >> priority & 1)
        {
            os << separator << "class " << priority << "=" << m_times[priority];
            separator = " ";
        }
    }
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return SIZE;
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_opcode);
    start.WriteHtonU16(m_enabled);
    for (const uint16_t time : m_times)
    {
        start.WriteHtonU16(time);
    }
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = start.ReadNtohU16();
    m_enabled = start.ReadNtohU16();
    for (uint16_t& time : m_times)
    {
        time = start.ReadNtohU16();
    }
    return SIZE;
}

} // namespace ns3
