/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/roce-nic.h"

#include "../base/enum-value.h"
#include "../base/quantity-value.h"
#include "congestion/dcqcn.h"
#include "nic-trace-accessor.h"
#include "wire/roce-framing.h"

#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/roce-transport.h"
#include "ns3/uinteger.h"

#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceNic");

NS_OBJECT_ENSURE_REGISTERED(RoceNic);

template <>
struct EnumNames<LossRecovery>
{
    static constexpr EnumName<LossRecovery> TABLE[] = {{LossRecovery::GO_BACK_N, "go-back-n"},
                                                       {LossRecovery::IRN, "irn"}};
};

namespace
{

template <class Record>
Ptr<const TraceSourceAccessor>
MakeNicTraceAccessor(TracedCallback<const Record&> NicTraces::*source,
                     NicTraces& (RoceNic::*traces)(),
                     void (RoceNic::*follow)())
{
    return Ptr<const TraceSourceAccessor>(new NicTraceAccessor<Record>(source, traces, follow),
                                          false);
}

/// The NIC that a record of the transport belongs to.
uint32_t
GetNic(const char* source, const MessageRecord& record)
{
    return source == std::string("Delivered") ? record.destinationNic : record.sourceNic;
}

uint32_t
GetNic(const char* /* source */, const TransferRecord& record)
{
    return record.sourceNic;
}

uint32_t
GetNic(const char* /* source */, const CongestionRecord& record)
{
    return record.nic;
}

/// Forwards the records of a trace source of the transport that belong to a NIC.
template <class Record>
void
Forward(RoceTransport& transport,
        const char* source,
        uint32_t nic,
        TracedCallback<const Record&>& listeners)
{
    transport.TraceConnectWithoutContext(
        source,
        Callback<void, const Record&>([source, nic, &listeners](const Record& record) {
            if (GetNic(source, record) == nic)
            {
                listeners(record);
            }
        }));
}

} // namespace

TypeId
RoceNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceNic")
            .SetParent<FabricNetDevice>()
            .SetGroupName("GpuFabric")
            .AddConstructor<RoceNic>()
            .AddAttribute("CongestionControl",
                          "Type of the congestion control of this NIC's queue pairs, a child of "
                          "ns3::RdmaCongestionControl.",
                          TypeIdValue(Dcqcn::GetTypeId()),
                          MakeTypeIdAccessor(&RoceNic::SetCongestionControlType,
                                             &RoceNic::GetCongestionControlType),
                          MakeTypeIdChecker())
            .AddAttribute("PathMtu",
                          "Largest payload of a frame.",
                          ByteSizeValue(4'096),
                          MakeByteSizeAccessor(&RoceNic::m_mtu),
                          MakeByteSizeChecker(64, 65'536))
            .AddAttribute("AckInterval",
                          "The receiver acknowledges every so many frames, and the end of a "
                          "message.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RoceNic::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 65'536))
            .AddAttribute("HeaderBytes",
                          "Forces the headers of every data frame, FCS included, for comparison "
                          "with other models. 0B: true RoCEv2.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&RoceNic::m_headerBytes),
                          MakeByteSizeChecker(0, 1'024))
            .AddAttribute("AckBytes",
                          "Forces the size of an acknowledgement, FCS included. 0B: true "
                          "RoCEv2 (66).",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&RoceNic::m_ackBytes),
                          MakeByteSizeChecker(0, 1'024))
            .AddAttribute("GapBytes",
                          "Preamble, start delimiter and inter-frame gap. All NICs of a "
                          "run must agree.",
                          ByteSizeValue(20),
                          MakeByteSizeAccessor(&RoceNic::m_gapBytes),
                          MakeByteSizeChecker(0, 1'024))
            .AddAttribute("RetransmissionTimeout",
                          "RTO: time without progress after which the oldest frame is sent again "
                          "(4.096 us x 2^14); doubles up to MaxRetransmissionTimeout.",
                          TimeValue(PicoSeconds(67'108'864'000)),
                          MakeTimeAccessor(&RoceNic::m_timeout),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("MaxRetransmissionTimeout",
                          "Largest RTO.",
                          TimeValue(Seconds(4)),
                          MakeTimeAccessor(&RoceNic::m_maxTimeout),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("RetryTimeout",
                          "A queue pair fails after so long without progress. Time for which the "
                          "RTO is held (the oldest frame is still in the NIC, or its priority is "
                          "paused there) does not count.",
                          TimeValue(Seconds(30)),
                          MakeTimeAccessor(&RoceNic::m_retryTimeout),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("LossRecovery",
                          "How lost frames of WRITE and SEND are recovered; that of the sending "
                          "NIC holds for both ends. READ responses are asked for again from the "
                          "first that is missing.",
                          NameValue<LossRecovery>(LossRecovery::GO_BACK_N),
                          MakeNameAccessor<LossRecovery>(&RoceNic::m_lossRecovery),
                          MakeNameChecker<LossRecovery>())
            .AddAttribute("IrnTimeoutLow",
                          "RTO_low of IRN: in place of RetransmissionTimeout while few frames are "
                          "in flight (Mittal et al., SIGCOMM 2018, section 4.1).",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RoceNic::m_irnTimeoutLow),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("IrnTimeoutHigh",
                          "RTO_high of IRN: the RTO otherwise. At least IrnTimeoutLow.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RoceNic::m_irnTimeoutHigh),
                          MakeTimeChecker(MicroSeconds(1)))
            .AddAttribute("IrnFewFrames",
                          "N of IRN: so many frames in flight are few [frames].",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RoceNic::m_irnFewFrames),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("IrnWindow",
                          "BDP-FC of IRN: most payload in flight of a queue pair, at least a "
                          "frame; the paper takes the bandwidth-delay product of the longest "
                          "path. 0B: no limit.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&RoceNic::m_irnWindow),
                          MakeByteSizeChecker())
            .AddAttribute("IrnLossDistance",
                          "A frame counts as lost when one so many numbers later has arrived "
                          "[frames]. 1 is IRN; more tolerates packets that overtake each other.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RoceNic::m_irnLossDistance),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReadDepth",
                          "READs of a queue pair that are asked for and not answered "
                          "(max_rd_atomic of the verbs).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RoceNic::m_readDepth),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("PostDelay",
                          "Time from posting a message until its first frame may be sent.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RoceNic::m_postDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "CompletionDelay",
                "Time from the arrival of a message's last frame until the receiver is "
                "notified, and from that of its acknowledgement (of a READ's last response) "
                "until the requester is notified; part of the times of `transfer`.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RoceNic::m_completionDelay),
                MakeTimeChecker(Time(0)))
            .AddTraceSource("Posted",
                            "A message whose data this NIC sends is posted.",
                            MakeNicTraceAccessor(&NicTraces::posted,
                                                 &RoceNic::GetTraces,
                                                 &RoceNic::FollowTransport),
                            "ns3::RoceTransport::MessageCallback")
            .AddTraceSource("Delivered",
                            "The last frame of a message has arrived at this NIC.",
                            MakeNicTraceAccessor(&NicTraces::delivered,
                                                 &RoceNic::GetTraces,
                                                 &RoceNic::FollowTransport),
                            "ns3::RoceTransport::MessageCallback")
            .AddTraceSource("Transfer",
                            "A message that this NIC has sent is acknowledged.",
                            MakeNicTraceAccessor(&NicTraces::transfer,
                                                 &RoceNic::GetTraces,
                                                 &RoceNic::FollowTransport),
                            "ns3::RoceTransport::TransferCallback")
            .AddTraceSource("Cnp",
                            "A congestion notification packet has arrived.",
                            MakeNicTraceAccessor(&NicTraces::cnp,
                                                 &RoceNic::GetTraces,
                                                 &RoceNic::FollowTransport),
                            "ns3::RoceTransport::CongestionCallback")
            .AddTraceSource("Rate",
                            "Rate and window of a queue pair (RoceTransport).",
                            MakeNicTraceAccessor(&NicTraces::rate,
                                                 &RoceNic::GetTraces,
                                                 &RoceNic::FollowTransport),
                            "ns3::RoceTransport::CongestionCallback")
            .AddTraceSource("Rtt",
                            "A round-trip time was measured (RoceTransport).",
                            MakeNicTraceAccessor(&NicTraces::rtt,
                                                 &RoceNic::GetTraces,
                                                 &RoceNic::FollowTransport),
                            "ns3::RoceTransport::CongestionCallback");
    return tid;
}

RoceNic::RoceNic() = default;

RoceNic::~RoceNic() = default;

NicTraces&
RoceNic::GetTraces()
{
    if (!m_traces)
    {
        m_traces = std::make_unique<NicTraces>();
    }
    return *m_traces;
}

void
RoceNic::SetTransport(RoceTransport* transport)
{
    m_transport = transport;
    if (m_traces)
    {
        m_traces->followed = 0;
        FollowTransport();
    }
}

void
RoceNic::FollowTransport()
{
    NicTraces& traces = GetTraces();
    uint32_t bit = 1;
    const auto follow = [&](const char* source, auto& listeners) {
        if (m_transport != nullptr && !(traces.followed & bit) && !listeners.IsEmpty())
        {
            traces.followed |= bit;
            Forward(*m_transport, source, GetPort(), listeners);
        }
        bit <<= 1;
    };
    follow("Posted", traces.posted);
    follow("Delivered", traces.delivered);
    follow("Transfer", traces.transfer);
    follow("Cnp", traces.cnp);
    follow("Rate", traces.rate);
    follow("Rtt", traces.rtt);
}

void
RoceNic::SetCongestionControlType(TypeId type)
{
    m_congestionControlType = type;
    m_congestionControl = nullptr;
}

TypeId
RoceNic::GetCongestionControlType() const
{
    return m_congestionControlType;
}

Ptr<RdmaCongestionControl>
RoceNic::GetCongestionControl() const
{
    if (!m_congestionControl)
    {
        NS_LOG_LOGIC("congestion control " << m_congestionControlType.GetName());
        m_congestionControl =
            ObjectFactory(m_congestionControlType.GetName()).Create<RdmaCongestionControl>();
    }
    return m_congestionControl;
}

RoceFraming
RoceNic::GetFraming() const
{
    return {m_mtu,
            m_headerBytes,
            m_ackBytes,
            m_gapBytes,
            GetCongestionControl()->GetFeedback().headerBytes};
}

void
RoceNic::DoDispose()
{
    m_congestionControl = nullptr;
    FabricNetDevice::DoDispose();
}

} // namespace ns3
