/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-net-device.h"

#include "../fabric-observer.h"

#include "ns3/boolean.h"
#include "ns3/fabric.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/object-vector.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);
NS_OBJECT_ENSURE_REGISTERED(FabricQueue);
NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricChannel")
                            .SetParent<Channel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<FabricChannel>()
                            .AddAttribute("Delay",
                                          "Propagation delay; that of the topology's link.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&FabricChannel::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
FabricChannel::Attach(Ptr<FabricNetDevice> device)
{
    m_devices.push_back(device);
    device->SetChannel(this);
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

TypeId
FabricQueue::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricQueue")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddTraceSource("Bytes",
                            "Bytes that wait, preamble and gap not included, before and after a "
                            "change; a frame in transmission does not wait.",
                            MakeTraceSourceAccessor(&FabricQueue::m_bytesTrace),
                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

FabricQueue::FabricQueue(FabricTraceOwner& device)
    : m_device(&device)
{
}

void
FabricQueue::SetBytes(uint32_t bytes, bool notify)
{
    const uint32_t before = std::exchange(m_bytes, bytes);
    if (notify && before != bytes)
    {
        m_bytesTrace(before, bytes);
    }
}

void
FabricQueue::TracesChanged()
{
    if (m_device)
    {
        m_device->TracesChanged();
    }
}

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("GpuFabric")
            .AddConstructor<FabricNetDevice>()
            .AddAttribute("SentBytes",
                          "Bytes sent on the wire, preamble and gap included.",
                          TypeId::ATTR_GET,
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricNetDevice::GetSentBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("QueueList",
                          "The egress queues of the port, by priority.",
                          TypeId::ATTR_GET,
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&FabricNetDevice::GetQueue,
                                                   &FabricNetDevice::GetQueueCount),
                          MakeObjectVectorChecker<FabricQueue>())
            .AddAttribute("TraceFcs",
                          "Whether the packets of the trace sources, and so of "
                          "pcap files, end with the frame check sequence.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricNetDevice::m_traceFcs),
                          MakeBooleanChecker())
            .AddTraceSource("MacTx",
                            "A frame was accepted for transmission.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A frame was refused before the egress queues or lost in them, or a "
                            "packet was handed to Send(), which carries none.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A frame has arrived; PFC frames end below.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The transmission of a frame begins.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "The last bit of a frame has arrived.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame was lost on the cable, or refused where it arrived: a NIC's "
                            "receive buffer is full, a switch knows no route.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "What a sniffer on the port sees: frames whose "
                            "transmission begins and frames that have arrived, PFC "
                            "included.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "The same: nothing arrives that is for others.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("EcnMark",
                            "A frame was marked CE at the egress queue.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_ecnMarkTrace),
                            "ns3::FabricNetDevice::FrameCallback")
            .AddTraceSource("Drop",
                            "A frame was dropped, as by MacTxDrop and PhyRxDrop, but no PFC "
                            "frame; no packet is built.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_dropTrace),
                            "ns3::FabricNetDevice::FrameCallback")
            .AddTraceSource("Pause",
                            "The peer's pause of a priority (PFC) has begun or ended.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_pauseTrace),
                            "ns3::FabricNetDevice::PauseCallback");
    return tid;
}

class FabricNetDevice::Observer : public FabricObserver
{
  public:
    explicit Observer(FabricNetDevice& device)
        : m_device(device)
    {
    }

    void ObserveFrame(FrameEvent event, const Frame& frame) override;
    void ObserveQueues() override;
    void ObservePause(const PauseChangeRecord& record) override;

  private:
    FabricFrameRecord Describe(FrameEvent event, const Frame& frame) const;

    FabricNetDevice& m_device;
};

FabricNetDevice::FabricNetDevice() = default;

FabricNetDevice::~FabricNetDevice() = default;

void
FabricNetDevice::DoDispose()
{
    if (m_fabric)
    {
        m_fabric->SetObserver(m_port, nullptr);
    }
    if (m_fabric && !m_linkChange.IsEmpty())
    {
        m_fabric->TraceDisconnectWithoutContext("LinkState",
                                                MakeCallback(&FabricNetDevice::OnLinkState, this));
    }
    for (const Ptr<FabricQueue>& queue : m_queues)
    {
        queue->Detach();
    }
    m_queues.clear();
    m_fabric = nullptr;
    m_node = nullptr;
    m_channel = nullptr;
    NetDevice::DoDispose();
}

void
FabricNetDevice::SetPort(Ptr<Fabric> fabric, uint32_t port)
{
    m_fabric = fabric;
    m_port = port;
    TracesChanged();
}

void
FabricNetDevice::TracesChanged()
{
    bool observed = !m_ecnMarkTrace.IsEmpty() || !m_dropTrace.IsEmpty() || !m_pauseTrace.IsEmpty();
    for (const PacketTrace* trace : {&m_macTxTrace,
                                     &m_macTxDropTrace,
                                     &m_macRxTrace,
                                     &m_phyTxBeginTrace,
                                     &m_phyRxEndTrace,
                                     &m_phyRxDropTrace,
                                     &m_snifferTrace,
                                     &m_promiscSnifferTrace})
    {
        observed = observed || !trace->IsEmpty();
    }
    for (const Ptr<FabricQueue>& queue : m_queues)
    {
        observed = observed || queue->IsTraced();
    }
    NS_LOG_LOGIC("port " << m_port << (observed ? " is traced" : " is not traced"));
    if (m_fabric)
    {
        if (observed && !m_observer)
        {
            m_observer = std::make_unique<Observer>(*this);
        }
        // It outlives the last sink, which may disconnect while it is notified.
        m_fabric->SetObserver(m_port, observed ? m_observer.get() : nullptr);
        if (observed)
        {
            ReadQueues(false);
        }
    }
}

std::size_t
FabricNetDevice::GetQueueCount() const
{
    return m_fabric ? m_fabric->GetQueueCount() : 0;
}

Ptr<FabricQueue>
FabricNetDevice::GetQueue(std::size_t priority) const
{
    // The device is only const to ns-3's accessors, through which its sinks connect.
    FabricTraceOwner& owner = *const_cast<FabricNetDevice*>(this);
    while (m_queues.size() < GetQueueCount())
    {
        m_queues.push_back(CreateObject<FabricQueue>(owner));
    }
    return m_queues.at(priority);
}

void
FabricNetDevice::ReadQueues(bool notify)
{
    // By index: a sink may ask for the list.
    for (std::size_t priority = 0; priority < m_queues.size(); ++priority)
    {
        const uint64_t bytes = m_fabric->GetQueueBytes(m_port, static_cast<uint32_t>(priority));
        m_queues[priority]->SetBytes(static_cast<uint32_t>(bytes), notify);
    }
}

void
FabricNetDevice::Observer::ObserveQueues()
{
    m_device.ReadQueues(true);
}

void
FabricNetDevice::Observer::ObservePause(const PauseChangeRecord& record)
{
    m_device.m_pauseTrace(record);
}

FabricFrameRecord
FabricNetDevice::Observer::Describe(FrameEvent event, const Frame& frame) const
{
    FabricFrameRecord record;
    record.timePs = Simulator::Now().GetTimeStep();
    record.link = event == FrameEvent::LOST ? m_device.m_port ^ 1 : m_device.m_port;
    record.priority = frame.priority;
    record.queuePair = frame.queuePair;
    record.psn = frame.psn;
    record.bytes = frame.wireBytes;
    return record;
}

void
FabricNetDevice::Observer::ObserveFrame(FrameEvent event, const Frame& frame)
{
    Ptr<const Packet> packet;
    const auto emit = [&](const PacketTrace& trace) {
        if (!trace.IsEmpty())
        {
            if (!packet)
            {
                const bool arriving = event == FrameEvent::RECEIVED || event == FrameEvent::LOST;
                const uint32_t sender = arriving ? m_device.m_port ^ 1 : m_device.m_port;
                packet = m_device.m_fabric->MakePacket(frame, sender, m_device.m_traceFcs);
            }
            trace(packet);
        }
    };
    // In the same order as PointToPointNetDevice.
    switch (event)
    {
    case FrameEvent::QUEUED:
        emit(m_device.m_macTxTrace);
        break;
    case FrameEvent::MARKED:
        m_device.m_ecnMarkTrace(Describe(event, frame));
        break;
    case FrameEvent::SENT:
        emit(m_device.m_snifferTrace);
        emit(m_device.m_promiscSnifferTrace);
        emit(m_device.m_phyTxBeginTrace);
        break;
    case FrameEvent::RECEIVED:
        emit(m_device.m_snifferTrace);
        emit(m_device.m_promiscSnifferTrace);
        emit(m_device.m_phyRxEndTrace);
        if (frame.kind != FrameKind::PFC)
        {
            emit(m_device.m_macRxTrace);
        }
        break;
    case FrameEvent::DROPPED:
    case FrameEvent::LOST:
        emit(event == FrameEvent::LOST ? m_device.m_phyRxDropTrace : m_device.m_macTxDropTrace);
        if (frame.kind != FrameKind::PFC)
        {
            m_device.m_dropTrace(Describe(event, frame));
        }
        break;
    }
}

uint64_t
FabricNetDevice::GetSentBytes() const
{
    uint64_t bytes = 0;
    for (uint32_t priority = 0; m_fabric && priority < m_fabric->GetQueueCount(); ++priority)
    {
        bytes += m_fabric->GetLinkCounters(m_port, priority).bytes;
    }
    return bytes;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_deviceMtu = mtu;
    return true;
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    // The fabric only notifies devices that have a callback.
    if (m_fabric && m_linkChange.IsEmpty())
    {
        m_fabric->TraceConnectWithoutContext("LinkState",
                                             MakeCallback(&FabricNetDevice::OnLinkState, this));
    }
    m_linkChange.ConnectWithoutContext(callback);
}

void
FabricNetDevice::OnLinkState(uint32_t link, bool /* up */)
{
    if (link == m_port / 2)
    {
        m_linkChange();
    }
}

Address
FabricNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& /* destination */, uint16_t /* protocol */)
{
    m_macTxDropTrace(packet);
    return false;
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& /* source */,
                          const Address& destination,
                          uint16_t protocol)
{
    return Send(packet, destination, protocol);
}

} // namespace ns3
