/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-switch.h"

#include "../../base/enum-value.h"
#include "../../base/quantity-value.h"
#include "dynamic-threshold-buffer.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");

NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSwitch")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<FabricSwitch>()
            .AddAttribute("BufferSize",
                          "Packet memory shared by all ports. 0: 32 MB up to 12.8 Tb/s in "
                          "all (32 ports of 400 Gb/s), 64 MB up to 25.6 Tb/s, 128 MB above.",
                          ByteSizeValue(32'000'000),
                          MakeByteSizeAccessor(&FabricSwitch::m_bufferSize),
                          MakeByteSizeChecker())
            .AddAttribute("BufferManager",
                          "Type of the admission and PFC policy.",
                          TypeIdValue(DynamicThresholdBuffer::GetTypeId()),
                          MakeTypeIdAccessor(&FabricSwitch::m_bufferType),
                          MakeTypeIdChecker())
            .AddAttribute("EcnMarker",
                          "Type of the ECN marking policy.",
                          TypeIdValue(RedEcnMarker::GetTypeId()),
                          MakeTypeIdAccessor(&FabricSwitch::m_markerType),
                          MakeTypeIdChecker())
            .AddAttribute("PathSelector",
                          "Type of the choice among equal-cost next hops.",
                          TypeIdValue(EcmpPathSelector::GetTypeId()),
                          MakeTypeIdAccessor(&FabricSwitch::m_selectorType),
                          MakeTypeIdChecker())
            .AddAttribute("Pfc",
                          "Whether priority flow control (IEEE 802.1Qbb) is on.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_pfc),
                          MakeBooleanChecker())
            .AddAttribute("LosslessMask",
                          "Bit p: priority p is lossless and gets headroom. Default: 1 to 6.",
                          UintegerValue(0x7e),
                          MakeUintegerAccessor(&FabricSwitch::m_losslessMask),
                          MakeUintegerChecker<uint32_t>(0, 0x3ff))
            .AddAttribute("MarkAtDequeue",
                          "Judge ECN by the bytes left behind when a frame leaves its queue; "
                          "otherwise by those it meets on arrival. Either way neither the frame "
                          "itself counts nor one in transmission. The DCQCN paper (Zhu et al., "
                          "SIGCOMM 2015, section 3.1) marks an arriving packet; switches with a "
                          "shared buffer mark a departing one.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_markAtDequeue),
                          MakeBooleanChecker())
            .AddAttribute("WatchdogDetection",
                          "PFC watchdog: how long an egress queue that holds frames is paused "
                          "without a break until it acts (SONiC: 200 ms). 0, the default: no "
                          "watchdog, for a low priority may starve as long without any storm.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&FabricSwitch::m_watchdogDetection),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("WatchdogRestoration",
                          "PFC watchdog: how long the queue is not paused until it lets it go "
                          "(SONiC: 200 ms).",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&FabricSwitch::m_watchdogRestoration),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("WatchdogAction",
                          "PFC watchdog: what becomes of the queue's frames meanwhile; forward "
                          "sends them in spite of the pause.",
                          NameValue<WatchdogAction>(WatchdogAction::DROP),
                          MakeNameAccessor<WatchdogAction>(&FabricSwitch::m_watchdogAction),
                          MakeNameChecker<WatchdogAction>())
            .AddAttribute("SwitchDelay",
                          "Time from the arrival of a frame's last bit until it is in its egress "
                          "queue. It is counted in the buffer from its arrival.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricSwitch::m_switchDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("BufferBytes",
                            "Bytes in the packet memory, before and after a change: from the "
                            "arrival of a frame's last bit until its transmission ends. Not for "
                            "a network in several threads.",
                            MakeTraceSourceAccessor(&FabricSwitch::m_bufferBytesTrace),
                            "ns3::TracedValueCallback::Uint64");
    return tid;
}

FabricSwitch::FabricSwitch() = default;

void
FabricSwitch::MakePolicies()
{
    NS_LOG_LOGIC(m_bufferType.GetName()
                 << ", " << m_markerType.GetName() << ", " << m_selectorType.GetName());
    m_buffer = ObjectFactory(m_bufferType.GetName()).Create<BufferManager>();
    m_marker = ObjectFactory(m_markerType.GetName()).Create<EcnMarker>();
    m_selector = ObjectFactory(m_selectorType.GetName()).Create<PathSelector>();
}

uint64_t
FabricSwitch::GetBufferSize(uint64_t rateBps) const
{
    if (m_bufferSize != 0)
    {
        return m_bufferSize;
    }
    constexpr uint64_t TERABIT = 1'000'000'000'000;
    return rateBps <= 12.8 * TERABIT   ? 32'000'000
           : rateBps <= 25.6 * TERABIT ? 64'000'000
                                       : 128'000'000;
}

void
FabricSwitch::SetBufferTracing(std::function<void(bool)> tracing)
{
    m_tracing = std::move(tracing);
    if (!m_bufferBytesTrace.IsEmpty())
    {
        TracesChanged();
    }
}

void
FabricSwitch::TracesChanged()
{
    if (m_tracing)
    {
        NS_LOG_LOGIC("its buffer is " << (m_bufferBytesTrace.IsEmpty() ? "no longer " : "")
                                      << "traced");
        m_tracing(!m_bufferBytesTrace.IsEmpty());
    }
}

void
FabricSwitch::DoDispose()
{
    m_tracing = nullptr;
    m_buffer = nullptr;
    m_marker = nullptr;
    m_selector = nullptr;
    Object::DoDispose();
}

} // namespace ns3
