/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/roce-nic.h"

#include "ns3/dcqcn.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceNic);

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
                          MakeTypeIdAccessor(&RoceNic::m_congestionControlType),
                          MakeTypeIdChecker())
            .AddAttribute("PathMtu",
                          "Largest payload of a frame [byte].",
                          UintegerValue(4'096),
                          MakeUintegerAccessor(&RoceNic::m_mtu),
                          MakeUintegerChecker<uint32_t>(64, 65'536))
            .AddAttribute("AckInterval",
                          "The receiver acknowledges every so many frames, and the end of a "
                          "message.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RoceNic::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 65'536))
            .AddAttribute("HeaderBytes",
                          "Forces the headers of every data frame, FCS included, for comparison "
                          "with other models [byte]. 0B: true RoCEv2.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNic::m_headerBytes),
                          MakeUintegerChecker<uint32_t>(0, 1'024))
            .AddAttribute("AckBytes",
                          "Forces the size of an acknowledgement, FCS included [byte]. 0B: true "
                          "RoCEv2 (66).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNic::m_ackBytes),
                          MakeUintegerChecker<uint32_t>(0, 1'024))
            .AddAttribute("GapBytes",
                          "Preamble, start delimiter and inter-frame gap [byte]. All NICs of a "
                          "run must agree.",
                          UintegerValue(20),
                          MakeUintegerAccessor(&RoceNic::m_gapBytes),
                          MakeUintegerChecker<uint32_t>(0, 1'024))
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
                          "A queue pair fails after so long without progress.",
                          TimeValue(Seconds(30)),
                          MakeTimeAccessor(&RoceNic::m_retryTimeout),
                          MakeTimeChecker(MicroSeconds(1)));
    return tid;
}

RoceNic::RoceNic() = default;

void
RoceNic::MakeCongestionControl()
{
    m_congestionControl =
        ObjectFactory(m_congestionControlType.GetName()).Create<RdmaCongestionControl>();
}

RoceFraming
RoceNic::GetFraming() const
{
    return {m_mtu, m_headerBytes, m_ackBytes, m_gapBytes};
}

void
RoceNic::DoDispose()
{
    m_congestionControl = nullptr;
    FabricNetDevice::DoDispose();
}

} // namespace ns3
