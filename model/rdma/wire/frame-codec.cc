/* SPDX-License-Identifier: GPL-2.0-only */
#include "frame-codec.h"

#include "../../fabric/device/fabric-address.h"
#include "../../fabric/device/pfc-header.h"
#include "aeth-header.h"
#include "bth-header.h"
#include "reth-header.h"
#include "roce-framing.h"
#include "roce-icrc.h"
#include "roce-ip-header.h"

#include "ns3/abort.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/path-selector.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t ETHERNET_SIZE = 14;
constexpr uint32_t FCS_SIZE = 4;
/// An Ethernet frame is at least this long, without FCS.
constexpr uint32_t SMALLEST_SIZE = 60;
/// Queue pair numbers 0 to 255 are not used: the first two are management queue pairs.
constexpr uint32_t QUEUE_PAIRS = (1 << 24) - FrameCodec::FIRST_QUEUE_PAIR;

/// IP ECN field (RFC 3168).
constexpr uint8_t ECN_ECT = 2;
constexpr uint8_t ECN_CE = 3;

std::vector<uint8_t>
GetBytes(const Packet& packet)
{
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

/// Opcodes of an operation: middle, first, last and only, as selected by FRAME_FIRST and
/// FRAME_LAST.
struct Opcodes
{
    uint8_t operation; ///< FRAME_SEND, FRAME_READ or 0
    BthOpcode opcodes[4];
};

constexpr Opcodes OPCODES[] = {
    {0,
     {BthOpcode::WRITE_MIDDLE,
      BthOpcode::WRITE_FIRST,
      BthOpcode::WRITE_LAST,
      BthOpcode::WRITE_ONLY}},
    {FRAME_SEND,
     {BthOpcode::SEND_MIDDLE, BthOpcode::SEND_FIRST, BthOpcode::SEND_LAST, BthOpcode::SEND_ONLY}},
    {FRAME_READ,
     {BthOpcode::RESPONSE_MIDDLE,
      BthOpcode::RESPONSE_FIRST,
      BthOpcode::RESPONSE_LAST,
      BthOpcode::RESPONSE_ONLY}}};

static_assert(FRAME_FIRST == 4 && FRAME_LAST == 8, "two bits that number the opcodes");

/// The flags of a data frame with an opcode; -1: not a data frame.
int32_t
FindFlags(uint8_t opcode)
{
    for (const Opcodes& row : OPCODES)
    {
        for (uint8_t place = 0; place < 4; ++place)
        {
            if (static_cast<uint8_t>(row.opcodes[place]) == opcode)
            {
                return row.operation | place << 2;
            }
        }
    }
    return -1;
}

BthOpcode
GetOpcode(const Frame& frame)
{
    switch (frame.kind)
    {
    case FrameKind::ACK:
    case FrameKind::NAK:
        return BthOpcode::ACKNOWLEDGE;
    case FrameKind::CNP:
        return BthOpcode::CNP;
    case FrameKind::READ_REQUEST:
        return BthOpcode::READ_REQUEST;
    default:
        break;
    }
    const uint8_t operation = frame.flags & (FRAME_SEND | FRAME_READ);
    const auto* row = std::find_if(std::begin(OPCODES), std::end(OPCODES), [=](const auto& any) {
        return any.operation == operation;
    });
    NS_ASSERT(row != std::end(OPCODES));
    return row->opcodes[frame.flags >> 2 & 3];
}

/// Whether a frame has a RETH: the first frame of a WRITE, and a READ request.
bool
HasReth(FrameKind kind, uint8_t flags)
{
    return kind == FrameKind::READ_REQUEST || (kind == FrameKind::DATA && (flags & FRAME_FIRST) &&
                                               !(flags & (FRAME_SEND | FRAME_READ)));
}

/// Whether a frame has an AETH: an acknowledgement, and every response to a READ except a middle
/// one.
bool
HasAeth(FrameKind kind, uint8_t flags)
{
    return kind == FrameKind::ACK || kind == FrameKind::NAK ||
           (kind == FrameKind::DATA && (flags & FRAME_READ) &&
            (flags & (FRAME_FIRST | FRAME_LAST)));
}

/// Removes a header of fixed size from a packet if it is long enough.
template <class T>
bool
Take(Packet& packet, T& header)
{
    if (packet.GetSize() < header.GetSerializedSize())
    {
        return false;
    }
    packet.RemoveHeader(header);
    return true;
}

} // namespace

static_assert(FrameCodec::MAX_PAYLOAD + RoceIpHeader::SIZE + BthHeader::SIZE + RethHeader::SIZE +
                      RoceIcrc::SIZE <=
                  RoceIpHeader::MAX_LENGTH,
              "the largest data frame is an IP packet");

FrameCodec::FrameCodec(Ptr<const FrameContext> context)
    : m_context(context)
{
}

Ptr<Packet>
FrameCodec::ToPacket(const Frame& frame, uint32_t port, uint32_t hops, bool fcs) const
{
    const bool pfc = frame.kind == FrameKind::PFC;
    Ptr<Packet> packet = pfc ? MakePfc(frame) : MakeRoce(frame, hops);
    EthernetHeader ethernet;
    ethernet.SetSource(FabricAddress::GetMac(port));
    ethernet.SetDestination(pfc ? PfcHeader::GetDestination() : FabricAddress::GetMac(port ^ 1));
    ethernet.SetLengthType(pfc ? PfcHeader::ETHER_TYPE : RoceIpHeader::ETHER_TYPE);
    packet->AddHeader(ethernet);
    if (fcs)
    {
        EthernetTrailer trailer;
        trailer.EnableFcs(true);
        trailer.CalcFcs(packet);
        packet->AddTrailer(trailer);
    }
    return packet;
}

Ptr<Packet>
FrameCodec::MakePfc(const Frame& frame) const
{
    PfcHeader header;
    for (uint32_t priority = 0; priority < PfcHeader::CLASSES; ++priority)
    {
        if (frame.psn >> priority & 1)
        {
            const bool pause = frame.payload >> priority & 1;
            header.SetTime(priority, pause ? m_context->GetPauseQuanta() : 0);
        }
    }
    Ptr<Packet> packet = Create<Packet>(PfcHeader::PAD);
    packet->AddHeader(header);
    return packet;
}

Ptr<Packet>
FrameCodec::MakeRoce(const Frame& frame, uint32_t hops) const
{
    const bool cnp = frame.kind == FrameKind::CNP;
    const bool data = frame.kind == FrameKind::DATA;
    const uint32_t size = cnp ? RoceFraming::CNP_PAYLOAD : data ? frame.payload : 0;
    NS_ABORT_MSG_IF(size > MAX_PAYLOAD,
                    "a frame with " << size << " bytes of payload is no IP packet: the largest "
                                    << "PathMtu with packets is " << MAX_PAYLOAD);
    const uint32_t pad = (4 - size % 4) % 4;
    Ptr<Packet> packet = Create<Packet>(size + pad);
    if (HasReth(frame.kind, frame.flags))
    {
        const RdmaMemory memory = m_context->GetMemory(frame);
        RethHeader reth;
        reth.SetVirtualAddress(memory.address);
        reth.SetRemoteKey(frame.queuePair);
        reth.SetDmaLength(data ? memory.length : frame.payload);
        packet->AddHeader(reth);
    }
    else if (HasAeth(frame.kind, frame.flags))
    {
        const bool nak = frame.kind == FrameKind::NAK;
        const bool selective = nak && m_context->IsSelective(frame);
        AethHeader aeth;
        aeth.SetSyndrome(selective ? AethHeader::NAK_SELECTIVE
                         : nak     ? AethHeader::NAK_SEQUENCE_ERROR
                                   : AethHeader::ACK);
        aeth.SetMessageSequenceNumber(selective ? frame.payload
                                                : m_context->GetMessageSequenceNumber(frame));
        packet->AddHeader(aeth);
    }
    BthHeader bth;
    bth.SetOpcode(GetOpcode(frame));
    bth.SetMigrated(!cnp);
    const bool ack = frame.kind == FrameKind::ACK || frame.kind == FrameKind::NAK;
    bth.SetBecn(cnp || (ack && (frame.flags & FRAME_ECN_ECHO)));
    bth.SetPadCount(static_cast<uint8_t>(pad));
    bth.SetDestinationQueuePair(FIRST_QUEUE_PAIR + frame.queuePair % QUEUE_PAIRS);
    bth.SetAckRequest(data && (frame.flags & (FRAME_ACK_REQUEST | FRAME_LAST)) &&
                      !(frame.flags & FRAME_READ));
    bth.SetPsn(frame.psn);
    packet->AddHeader(bth);

    RoceIpHeader ip;
    ip.SetAddresses(FabricAddress::GetIpv4(frame.source),
                    FabricAddress::GetIpv4(frame.destination));
    const uint8_t ecn = frame.flags & FRAME_CE ? ECN_CE : frame.flags & FRAME_ECT ? ECN_ECT : 0;
    ip.SetTrafficClass(m_context->GetDscpMap().GetDscp(frame.priority), ecn);
    ip.SetIdentification(static_cast<uint16_t>(frame.psn));
    ip.SetTtl(static_cast<uint8_t>(INITIAL_TTL - std::min<uint32_t>(hops, INITIAL_TTL)));
    ip.SetUdpSourcePort(frame.udpSourcePort);
    ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize() + RoceIcrc::SIZE));
    packet->AddHeader(ip);

    RoceIcrc icrc;
    const std::vector<uint8_t> bytes = GetBytes(*packet);
    icrc.Set(RoceIcrc::Compute(bytes.data(), static_cast<uint32_t>(bytes.size())));
    packet->AddTrailer(icrc);
    return packet;
}

std::string
FrameCodec::FromPacket(Ptr<const Packet> packet, Frame& frame) const
{
    frame = Frame();
    frame.next = NO_FRAME;
    Ptr<Packet> rest = packet->Copy();
    EthernetHeader ethernet;
    if (rest->GetSize() < SMALLEST_SIZE)
    {
        return "shorter than an Ethernet frame";
    }
    rest->RemoveHeader(ethernet);
    uint32_t size = PfcHeader::SIZE + PfcHeader::PAD;
    const bool pfc = ethernet.GetLengthType() == PfcHeader::ETHER_TYPE;
    if (!pfc)
    {
        RoceIpHeader ip;
        rest->PeekHeader(ip);
        if (ethernet.GetLengthType() != RoceIpHeader::ETHER_TYPE)
        {
            return "neither IPv4 nor MAC control";
        }
        if (std::string fault = ip.FindFault(); !fault.empty())
        {
            return fault;
        }
        size = ip.GetTotalLength();
        if (size < RoceIpHeader::SIZE + BthHeader::SIZE + RoceIcrc::SIZE)
        {
            return "too short for a BTH and an ICRC";
        }
    }
    if (rest->GetSize() == size + FCS_SIZE)
    {
        EthernetTrailer trailer;
        trailer.EnableFcs(true);
        rest->RemoveTrailer(trailer);
        if (!trailer.CheckFcs(packet->CreateFragment(0, ETHERNET_SIZE + size)))
        {
            return "wrong FCS";
        }
    }
    else if (rest->GetSize() != size)
    {
        return "the packet has " + std::to_string(rest->GetSize()) + " bytes, not " +
               std::to_string(size);
    }
    frame.wireBytes = ETHERNET_SIZE + size + FCS_SIZE + m_context->GetGapBytes();
    return pfc ? ReadPfc(rest, ethernet, frame) : ReadRoce(rest, frame);
}

std::string
FrameCodec::ReadPfc(Ptr<Packet> packet, const EthernetHeader& ethernet, Frame& frame) const
{
    PfcHeader header;
    packet->RemoveHeader(header);
    const int64_t port = FabricAddress::FindPort(ethernet.GetSource());
    if (header.GetOpcode() != PfcHeader::OPCODE || header.GetClassEnableVector() > 0xff)
    {
        return "MAC control, but not priority-based flow control";
    }
    if (port < 0 || ethernet.GetDestination() != PfcHeader::GetDestination())
    {
        return "PFC between addresses of no port";
    }
    frame.kind = FrameKind::PFC;
    frame.source = static_cast<uint32_t>(port);
    frame.destination = frame.source ^ 1;
    frame.psn = header.GetClassEnableVector();
    for (uint32_t priority = 0; priority < PfcHeader::CLASSES; ++priority)
    {
        if (frame.psn >> priority & 1 && header.GetTime(priority) != 0)
        {
            frame.payload |= 1u << priority;
        }
    }
    return "";
}

std::string
FrameCodec::ReadRoce(Ptr<Packet> packet, Frame& frame) const
{
    const std::vector<uint8_t> bytes = GetBytes(*packet);
    RoceIpHeader ip;
    BthHeader bth;
    RoceIcrc icrc;
    // An Ethernet frame is long enough for these.
    packet->RemoveHeader(ip);
    packet->RemoveHeader(bth);
    packet->RemoveTrailer(icrc);
    if (icrc.Get() !=
        RoceIcrc::Compute(bytes.data(), static_cast<uint32_t>(bytes.size()) - RoceIcrc::SIZE))
    {
        return "wrong ICRC";
    }
    if (std::string fault = ReadTransport(packet, bth, frame); !fault.empty())
    {
        return fault;
    }
    const int64_t source = FabricAddress::FindPort(ip.GetSource());
    const int64_t destination = FabricAddress::FindPort(ip.GetDestination());
    const int32_t priority = m_context->GetDscpMap().FindPriority(ip.GetDscp());
    if (source < 0 || destination < 0 || priority < 0 ||
        bth.GetDestinationQueuePair() < FIRST_QUEUE_PAIR)
    {
        return "an address, DSCP or queue pair of nobody";
    }
    frame.psn = bth.GetPsn();
    frame.source = static_cast<uint32_t>(source);
    frame.destination = static_cast<uint32_t>(destination);
    frame.queuePair = bth.GetDestinationQueuePair() - FIRST_QUEUE_PAIR;
    frame.udpSourcePort = ip.GetUdpSourcePort();
    frame.flowHash = HashFiveTuple(frame.source, frame.destination, frame.udpSourcePort);
    frame.priority = static_cast<uint8_t>(priority);
    frame.flags |= ip.GetEcn() == ECN_CE ? FRAME_ECT | FRAME_CE : ip.GetEcn() != 0 ? FRAME_ECT : 0;
    return "";
}

std::string
FrameCodec::ReadTransport(Ptr<Packet> packet, const BthHeader& bth, Frame& frame) const
{
    const std::string opcode = "opcode " + std::to_string(bth.GetOpcode());
    const int32_t flags = FindFlags(bth.GetOpcode());
    switch (static_cast<BthOpcode>(bth.GetOpcode()))
    {
    case BthOpcode::ACKNOWLEDGE:
        frame.kind = FrameKind::ACK;
        frame.flags = bth.IsBecn() ? FRAME_ECN_ECHO : 0;
        break;
    case BthOpcode::CNP:
        frame.kind = FrameKind::CNP;
        break;
    case BthOpcode::READ_REQUEST:
        frame.kind = FrameKind::READ_REQUEST;
        break;
    default:
        if (flags < 0)
        {
            return opcode;
        }
        frame.kind = FrameKind::DATA;
        frame.flags = static_cast<uint8_t>(flags);
    }
    RethHeader reth;
    AethHeader aeth;
    const bool hasReth = HasReth(frame.kind, frame.flags);
    const bool hasAeth = HasAeth(frame.kind, frame.flags);
    if ((hasReth && !Take(*packet, reth)) || (hasAeth && !Take(*packet, aeth)))
    {
        return "too short for " + opcode;
    }
    const bool data = frame.kind == FrameKind::DATA;
    const uint32_t rest = frame.kind == FrameKind::CNP ? RoceFraming::CNP_PAYLOAD : 0;
    if (data ? packet->GetSize() <= bth.GetPadCount() : packet->GetSize() != rest)
    {
        return "wrong length for " + opcode;
    }
    if (data)
    {
        frame.payload = packet->GetSize() - bth.GetPadCount();
        const bool asks = bth.IsAckRequest() && !(frame.flags & FRAME_LAST);
        frame.flags |= asks ? FRAME_ACK_REQUEST : 0;
    }
    else if (hasReth)
    {
        frame.payload = reth.GetDmaLength();
    }
    if (hasAeth && aeth.GetSyndrome() >> 5 != 0)
    {
        const bool selective = aeth.GetSyndrome() == AethHeader::NAK_SELECTIVE;
        if (data || (!selective && aeth.GetSyndrome() != AethHeader::NAK_SEQUENCE_ERROR))
        {
            return "syndrome " + std::to_string(aeth.GetSyndrome());
        }
        frame.kind = FrameKind::NAK;
        frame.payload = selective ? aeth.GetMessageSequenceNumber() : 0;
    }
    return "";
}

} // namespace ns3
