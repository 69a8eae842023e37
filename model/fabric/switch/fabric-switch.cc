/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-switch.h"

#include "../../base/enum-value.h"
#include "dynamic-threshold-buffer.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");

namespace
{

/// A switch that is built, by the sum of its port rates.
struct PublishedBuffer
{
    uint64_t rateBps{0}; ///< of all ports, one direction [bit/s]
    uint64_t bytes{0};   ///< shared packet memory [byte]
};

constexpr uint64_t GIGABIT = 1'000'000'000;

/**
 * Shared packet memories as published by vendors, in data sheets of switches with these chips:
 * Broadcom Tomahawk 16 MB (3.2 Tb/s), Tomahawk 2 42 MB (6.4), Trident 3 32 MB (3.2), Tomahawk 3 64
 * MB (12.8), Tomahawk 4 113.66 MB (25.6), Tomahawk 5 165.2 MB (51.2); NVIDIA Spectrum 16 MB (3.2),
 * Spectrum-2 42 MB (6.4), Spectrum-3 64 MB (12.8), Spectrum-4 160 MB (51.2). That is 3 to 10 MB a
 * Tb/s, less the faster the switch. Up to 6.4 Tb/s it is the 32 MB of Trident 3, which are also
 * those of the evaluation of HPCC (Li et al., SIGCOMM 2019, section 5.1).
 */
constexpr PublishedBuffer PUBLISHED_BUFFERS[] = {{6'400 * GIGABIT, 32'000'000},
                                                 {12'800 * GIGABIT, 64'000'000},
                                                 {25'600 * GIGABIT, 113'660'000},
                                                 {51'200 * GIGABIT, 165'200'000}};

/// Trident 3: 32 MB for its 128 ports of 25 Gb/s. A simulated switch may have more slow ports than
/// any that is built, and headroom and frames in flight grow with them.
constexpr uint64_t BUFFER_BYTES_PER_PORT = 250'000;

} // namespace

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
                          "Packet memory shared by all ports. 0: automatic, by the sum of the "
                          "ports' rates as switches are built: 32 MB up to 6.4 Tb/s, 64 MB up to "
                          "12.8, 113.66 MB up to 25.6, 165.2 MB up to 51.2, above in proportion; "
                          "at least 250 kB a port.",
                          ByteSizeValue(0),
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
    m_marker->SetProfile(m_profile);
    m_selector = ObjectFactory(m_selectorType.GetName()).Create<PathSelector>();
}

uint64_t
FabricSwitch::GetBufferSize(uint64_t rateBps, uint32_t ports) const
{
    if (m_bufferSize != 0)
    {
        return m_bufferSize;
    }
    uint64_t bytes = 0;
    for (const PublishedBuffer& published : PUBLISHED_BUFFERS)
    {
        bytes = published.bytes;
        if (rateBps <= published.rateBps)
        {
            break;
        }
    }
    const PublishedBuffer& largest = PUBLISHED_BUFFERS[std::size(PUBLISHED_BUFFERS) - 1];
    if (rateBps > largest.rateBps)
    {
        // Wider than 64 bits: rates of terabits times bytes overflow.
        const auto product = static_cast<unsigned __int128>(largest.bytes) * rateBps;
        bytes = static_cast<uint64_t>(product / largest.rateBps);
    }
    return std::max(bytes, ports * BUFFER_BYTES_PER_PORT);
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
