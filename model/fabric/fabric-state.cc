/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-state.h"

#include "ns3/abort.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{
/// With fewer ports all that they touch stays in the cache (448 B each, and frames).
constexpr uint32_t PREPARED_PORTS = 512;

/// Behind the ports of a part without hosts.
class NoEndpoint : public FabricEndpoint
{
  public:
    void ReceiveFrame(int64_t, uint32_t port, uint32_t) override
    {
        NS_ABORT_MSG("a part without hosts has received a frame at port " << port);
    }

    uint32_t NextFrame(int64_t, uint32_t, uint32_t, int64_t&) override
    {
        return NO_FRAME;
    }

    uint32_t GetReadyPriorities(int64_t, uint32_t) override
    {
        return 0;
    }

    void PauseChanged(int64_t, uint32_t, uint32_t) override
    {
    }

    void FrameDropped(int64_t, uint32_t) override
    {
    }
};

NoEndpoint g_noEndpoint;
} // namespace

NS_OBJECT_ENSURE_REGISTERED(FabricState);

TypeId
FabricState::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricState").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

FabricState::FabricState()
    : m_defaultSelector(CreateObject<EcmpPathSelector>())
{
}

void
FabricState::DoDispose()
{
    m_switches.clear();
    m_encoder = nullptr;
    m_observers.clear();
    m_egress.clear();
    m_laneHolder = nullptr;
    m_lane = nullptr;
    Object::DoDispose();
}

std::vector<std::string>
FabricState::Build(const ClusterTopology& topology,
                   uint64_t seed,
                   const std::vector<Ptr<FabricSwitch>>& switches,
                   FabricEndpoint* endpoint,
                   uint32_t maxFrameBytes,
                   uint32_t gapBytes)
{
    m_topology = &topology;
    m_endpoint = endpoint;
    m_seed = seed;
    m_gapBytes = gapBytes;
    m_maxFrameBytes = maxFrameBytes;
    m_laneHolder = EventLane::Get();
    m_lane = PeekPointer(m_laneHolder);
    m_routing.Build(topology, seed);
    NS_ABORT_MSG_IF(switches.size() != m_routing.GetSwitchCount(),
                    "one configuration for each switch is needed");

    uint32_t ports = topology.GetPortCount();
    m_ports.assign(ports, FabricPort());
    m_dropped.assign(ports, 0);
    m_pauses.Resize(ports);
    m_accounts.Resize(ports);
    m_switches.assign(switches.size(), SwitchState());
    const auto& nodes = topology.GetNodes();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        for (uint32_t k = 0; k < nodes[node].ports.size(); ++k)
        {
            uint32_t id = nodes[node].ports[k];
            FabricPort& port = m_ports[id];
            port.node = node;
            port.localIndex = static_cast<uint16_t>(k);
            port.switchIndex = m_routing.GetSwitchIndex(node);
            port.delay = topology.GetPortDelay(id);
            port.rateBps = topology.GetPortRate(id);
            port.psPerByte = GetPsPerByte(port.rateBps);
            MarkObserved(id);
        }
    }

    std::vector<std::string> errors;
    const std::string fault = m_dscpMap.Parse(m_dscps, m_queues);
    if (!fault.empty())
    {
        errors.push_back("DscpMap: " + fault);
    }
    if (m_controlPriority >= m_queues)
    {
        errors.push_back("ControlPriority " + std::to_string(m_controlPriority) +
                         " is not one of the " + std::to_string(m_queues) + " queues");
        return errors;
    }
    std::string egressError = MakeEgressSchedulers();
    if (!egressError.empty())
    {
        errors.push_back(egressError);
        return errors;
    }
    m_losslessMask = 0;
    m_switched.clear();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        uint32_t index = m_routing.GetSwitchIndex(node);
        if (index == UINT32_MAX)
        {
            continue;
        }
        SwitchState& state = m_switches[index];
        state.configuration = switches[index];
        state.configuration->MakePolicies();
        state.buffer = PeekPointer(state.configuration->GetBufferManager());
        state.selector = PeekPointer(state.configuration->GetPathSelector());
        state.marker = PeekPointer(state.configuration->GetEcnMarker());
        state.markAtDequeue = state.configuration->IsMarkingAtDequeue();
        state.perFrame = state.selector->IsPerFrame();
        state.delay = state.configuration->GetSwitchDelay();
        state.plain = !state.perFrame && state.delay == 0;
        if (state.delay != 0)
        {
            m_switched.resize(ports);
        }
        state.ports = nodes[node].ports;
        uint32_t lossless = state.configuration->GetLosslessMask() & ((1u << m_queues) - 1) &
                            ~(1u << m_controlPriority);
        m_losslessMask |= lossless;
        uint64_t rateSum = 0;
        std::vector<BufferPort> bufferPorts;
        for (uint32_t id : state.ports)
        {
            m_ports[id].ecnMin = state.marker->GetUnmarkedBytes(m_ports[id].rateBps);
            rateSum += m_ports[id].rateBps;
            bufferPorts.push_back(
                {topology.GetPortName(id), m_ports[id].rateBps, m_ports[id].delay, maxFrameBytes});
        }
        std::string error = state.buffer->Configure(state.configuration->GetBufferSize(rateSum),
                                                    bufferPorts,
                                                    m_queues,
                                                    lossless);
        if (!error.empty())
        {
            errors.push_back(nodes[node].name + ": " + error);
        }
    }
    uint64_t leastBytes = uint64_t{maxFrameBytes} + PFC_FRAME_BYTES + gapBytes;
    if (m_losslessMask != 0 && uint64_t{m_pauseQuanta} * 64 <= leastBytes)
    {
        errors.push_back("PauseQuanta " + std::to_string(m_pauseQuanta) +
                         ": a pause would be over before it can be sent again behind a frame of " +
                         std::to_string(maxFrameBytes) + " B; at least " +
                         std::to_string(leastBytes / 64 + 1) + " are needed");
    }
    m_lane->SetHandler(LANE_CLASS, this, ports);
    m_lane->EnablePreparation(ports >= PREPARED_PORTS);
    return errors;
}

std::string
FabricState::MakeEgressSchedulers()
{
    m_egress.clear();
    ObjectFactory factory(m_egressType.GetName());
    Ptr<EgressScheduler> first = factory.Create<EgressScheduler>();
    std::string error = first->Configure(m_queues);
    if (!error.empty() || first->IsStrictPriority())
    {
        return error;
    }
    for (FabricPort& port : m_ports)
    {
        m_egress.push_back(factory.Create<EgressScheduler>());
        m_egress.back()->Configure(m_queues);
        port.egress = PeekPointer(m_egress.back());
    }
    return "";
}

void
FabricState::BuildPart(const FabricState& whole, Ptr<EventLane> lane)
{
    m_topology = whole.m_topology;
    m_endpoint = &g_noEndpoint; // has no state
    m_otherPart = true;
    m_seed = whole.m_seed;
    m_gapBytes = whole.m_gapBytes;
    m_maxFrameBytes = whole.m_maxFrameBytes;
    m_laneHolder = lane;
    m_lane = PeekPointer(lane);
    m_routing = whole.m_routing;
    m_ports = whole.m_ports;
    m_dropped = whole.m_dropped;
    m_pauses = whole.m_pauses;
    m_accounts = whole.m_accounts;
    m_switches = whole.m_switches;
    m_losslessMask = whole.m_losslessMask;
    m_accounting = whole.m_accounting;
    m_dscpMap = whole.m_dscpMap;
    m_switched.resize(whole.m_switched.size());
    const auto ports = static_cast<uint32_t>(m_ports.size());
    m_lane->SetHandler(LANE_CLASS, this, ports);
    m_lane->EnablePreparation(ports >= PREPARED_PORTS);
}

bool
FabricState::IsSpraying() const
{
    return std::any_of(m_switches.begin(), m_switches.end(), [](const SwitchState& state) {
        return state.perFrame;
    });
}

const PathSelector&
FabricState::GetPathSelector() const
{
    return m_switches.empty() ? *m_defaultSelector : *m_switches[0].selector;
}

int64_t
FabricState::GetWireTime(uint32_t portId, uint64_t bytes) const
{
    __extension__ using Wide = unsigned __int128;
    return static_cast<int64_t>(static_cast<Wide>(bytes) * m_ports[portId].psPerByte >> 20);
}

void
FabricState::ArmWake(int64_t at, uint32_t portId, FabricPort& port)
{
    if (!port.wakeArmed)
    {
        if (port.unreleased)
        {
            --m_switches[port.switchIndex].lazy;
        }
        m_lane->Schedule(at, KeyOf(portId, WAKE));
    }
    else if (at < port.wakeAt)
    {
        m_lane->Reschedule(at, KeyOf(portId, WAKE));
    }
    else
    {
        return;
    }
    port.wakeArmed = 1;
    port.wakeAt = at;
}

uint32_t
FabricState::GetLaneContext(uint32_t entity, uint32_t kind) const
{
    // An arrival happens at the far end of the wire.
    uint32_t node = m_ports[kind == ARRIVAL ? entity ^ 1 : entity].node;
    return node < m_nodeContext.size() ? m_nodeContext[node] : node;
}

void
FabricState::SetObserver(uint32_t portId, FabricObserver* observer)
{
    NS_ABORT_MSG_IF(observer && m_parts, "frames are shown in one thread only: do not split");
    if (portId >= m_observers.size())
    {
        if (observer == nullptr)
        {
            return;
        }
        m_observers.resize(portId + 1, nullptr);
    }
    m_observers[portId] = observer;
    MarkObserved(portId);
    MarkObserved(portId ^ 1);
}

void
FabricState::MarkObserved(uint32_t portId)
{
    const auto hasObserver = [this](uint32_t id) {
        return id < m_observers.size() && m_observers[id] != nullptr;
    };
    if (portId < m_ports.size())
    {
        FabricPort& port = m_ports[portId];
        port.impaired &= ~PORT_OBSERVED;
        port.impaired |= hasObserver(portId) || hasObserver(portId ^ 1) ? PORT_OBSERVED : 0;
    }
}

void
FabricState::TellObserver(FrameEvent event, uint32_t portId, uint32_t index)
{
    if (portId < m_observers.size() && m_observers[portId] != nullptr)
    {
        const Frame copy = m_frames[index];
        m_observers[portId]->ObserveFrame(event, copy);
    }
}

Ptr<Packet>
FabricState::MakePacket(const Frame& frame, uint32_t portId, bool fcs) const
{
    NS_ABORT_MSG_IF(!m_encoder, "packets of frames need a FrameEncoder");
    uint32_t hops = 0;
    const auto find = [&](const std::vector<uint32_t>& path) {
        const auto place = std::find(path.begin(), path.end(), portId);
        hops = place == path.end() ? 0 : static_cast<uint32_t>(place - path.begin());
        return place != path.end();
    };
    if (frame.kind != FrameKind::PFC &&
        !find(
            m_routing.GetPath(frame.source, frame.destination, frame.flowHash, GetPathSelector())))
    {
        // Sprayed, or on its way since before the routes changed: another of the shortest paths.
        for (const RoutingTable* routing : {&m_routing, &GetRouting()})
        {
            for (const auto& path : routing->GetPaths(frame.source, frame.destination))
            {
                if (find(path))
                {
                    return m_encoder->ToPacket(frame, portId, hops, fcs);
                }
            }
        }
    }
    return m_encoder->ToPacket(frame, portId, hops, fcs);
}

} // namespace ns3
