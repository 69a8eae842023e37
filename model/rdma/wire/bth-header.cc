/* SPDX-License-Identifier: GPL-2.0-only */
#include "bth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BthHeader);

namespace
{

const char*
GetName(uint8_t opcode)
{
    switch (static_cast<BthOpcode>(opcode))
    {
    case BthOpcode::SEND_FIRST:
        return "SEND first";
    case BthOpcode::SEND_MIDDLE:
        return "SEND middle";
    case BthOpcode::SEND_LAST:
        return "SEND last";
    case BthOpcode::SEND_ONLY:
        return "SEND only";
    case BthOpcode::READ_REQUEST:
        return "READ request";
    case BthOpcode::RESPONSE_FIRST:
        return "READ response first";
    case BthOpcode::RESPONSE_MIDDLE:
        return "READ response middle";
    case BthOpcode::RESPONSE_LAST:
        return "READ response last";
    case BthOpcode::RESPONSE_ONLY:
        return "READ response only";
    case BthOpcode::WRITE_FIRST:
        return "WRITE first";
    case BthOpcode::WRITE_MIDDLE:
        return "WRITE middle";
    case BthOpcode::WRITE_LAST:
        return "WRITE last";
    case BthOpcode::WRITE_ONLY:
        return "WRITE only";
    case BthOpcode::ACKNOWLEDGE:
        return "acknowledge";
    case BthOpcode::CNP:
        return "CNP";
    }
    return "other";
}

} // namespace

TypeId
BthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BthHeader")
                            .SetParent<Header>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<BthHeader>();
    return tid;
}

TypeId
BthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
BthHeader::Print(std::ostream& os) const
{
    os << GetName(m_opcode) << " qp=" << m_queuePair << " psn=" << m_psn
       << (m_ackRequest ? " ack-request" : "") << (m_becn ? " becn" : "");
}

uint32_t
BthHeader::GetSerializedSize() const
{
    return SIZE;
}

void
BthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(m_opcode);
    start.WriteU8(
        static_cast<uint8_t>(m_solicited << 7 | m_migrated << 6 | m_padCount << 4 | m_version));
    start.WriteHtonU16(m_partition);
    start.WriteHtonU32(static_cast<uint32_t>(m_fecn) << 31 | static_cast<uint32_t>(m_becn) << 30 |
                       m_queuePair);
    start.WriteHtonU32(static_cast<uint32_t>(m_ackRequest) << 31 | m_psn);
}

uint32_t
BthHeader::Deserialize(Buffer::Iterator start)
{
    m_opcode = start.ReadU8();
    const uint8_t bits = start.ReadU8();
    m_solicited = bits & 0x80;
    m_migrated = bits & 0x40;
    m_padCount = bits >> 4 & 3;
    m_version = bits & 0xf;
    m_partition = start.ReadNtohU16();
    const uint32_t second = start.ReadNtohU32();
    m_fecn = second >> 31;
    m_becn = second >> 30 & 1;
    m_queuePair = second & 0xffffff;
    const uint32_t third = start.ReadNtohU32();
    m_ackRequest = third >> 31;
    m_psn = third & 0xffffff;
    return SIZE;
}

} // namespace ns3
