/* SPDX-License-Identifier: GPL-2.0-only */
#include "hop-pipeline.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HopPipeline");

namespace
{
/// With fewer ports, everything they touch stays in the cache (448 B each, and frames).
constexpr uint32_t PREFETCHED_PORTS = 512;

/// Endpoint of the ports of a logical process without hosts.
class NoEndpoint : public FabricEndpoint
{
  public:
    void ReceiveFrame(int64_t, uint32_t port, uint32_t) override
    {
        NS_ABORT_MSG("a logical process without hosts has received a frame at port " << port);
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

/// Buffers that are too small. Switches of a tier usually are alike, so that one sentence with
/// their number serves all of them.
class BufferFaults
{
  public:
    /// \param error may name ports of the switch, as "NAME.port3"
    void Add(const std::string& name, const std::string& error, bool automatic)
    {
        std::string alike = error; // without the switch's name
        const std::string prefix = name + ".";
        for (auto at = alike.find(prefix); at != std::string::npos; at = alike.find(prefix, at))
        {
            alike.erase(at, prefix.size());
        }
        const auto same = std::find_if(m_faults.begin(), m_faults.end(), [&](const Fault& fault) {
            return fault.alike == alike && fault.automatic == automatic;
        });
        if (same != m_faults.end())
        {
            ++same->count;
            return;
        }
        m_faults.push_back({name, error, alike, automatic, 1});
    }

    void AppendTo(std::vector<FabricFault>& faults) const
    {
        for (const Fault& fault : m_faults)
        {
            faults.push_back(FabricFault::OfSwitch(
                fault.name,
                fault.error + ". Ways out: " +
                    (fault.automatic
                         ? "a larger ns3::FabricSwitch::BufferSize than the automatic one"
                         : "ns3::FabricSwitch::BufferSize of 0B, which is automatic, or "
                           "larger") +
                    "; HeadroomPool of the buffer manager, one pool for all ports; fewer "
                    "priorities in "
                    "ns3::FabricSwitch::LosslessMask"));
            faults.back().place.alike = fault.count;
        }
    }

  private:
    /// A fault of some switches.
    struct Fault
    {
        std::string name; ///< of the first
        std::string error;
        std::string alike;
        bool automatic{false};
        uint32_t count{0};
    };

    std::vector<Fault> m_faults;
};

/// Some of the next events: ids of ports or queue pairs.
struct Chosen
{
    std::array<uint32_t, LaneHandler::MAX_PREFETCHED> ids;
    std::size_t count{0};

    /// Branch-free, as a branch would be mispredicted every second time.
    void Add(uint32_t id, bool wanted)
    {
        ids[count] = id;
        count += wanted;
    }

    const uint32_t* begin() const
    {
        return ids.data();
    }

    const uint32_t* end() const
    {
        return ids.data() + count;
    }
};
} // namespace

HopPipeline::HopPipeline(const FabricTraces& traces)
    : m_defaultSelector(CreateObject<EcmpPathSelector>()),
      m_pfc(m_net, m_accounts, m_settings),
      m_faults(m_net, m_pfc, m_accounts, m_settings),
      m_guard(m_net, m_pfc, m_faults, m_settings),
      m_reader(m_net, m_faults, m_accounts)
{
    m_net.traces = traces;
    m_pfc.SetListener(&m_guard);
}

// --- the journey of a frame ---

void
HopPipeline::HandleLaneEvent(int64_t now, uint32_t entity, uint32_t kind)
{
    if (kind == NetworkState::ARRIVAL)
    {
        Arrive(now, entity);
    }
    else if (kind == NetworkState::WAKE)
    {
        Wake(now, entity);
    }
    else if (kind == NetworkState::REFRESH)
    {
        m_pfc.Refresh(now, entity);
    }
    else
    {
        EndSwitchDelay(now, entity);
    }
}

namespace
{
/// The equal-cost next hops of a frame, for a selector that examines them.
class FrameCandidates final : public PathCandidates
{
  public:
    FrameCandidates(const NetworkState& net, const RoutingTable::NextHops& hops, uint8_t priority)
        : PathCandidates(hops.group, hops.seed, hops.count),
          m_net(net),
          m_ports(hops.ports),
          m_priority(priority)
    {
    }

    PortSample GetPort(uint32_t index) const override
    {
        const FabricPort& port = m_net.ports[m_ports[index]];
        PortSample sample;
        for (uint32_t priority = 0; priority < m_net.queues; ++priority)
        {
            sample.queueBytes += port.queues[priority].bytes;
        }
        sample.paused = port.paused >> m_priority & 1;
        sample.up = !(port.impaired & PORT_DOWN);
        return sample;
    }

  private:
    const NetworkState& m_net;
    const uint32_t* m_ports;
    uint8_t m_priority;
};
} // namespace

uint32_t
HopPipeline::RouteFrame(int64_t now,
                        uint32_t switchIndex,
                        const Frame& frame,
                        PathSelector& selector)
{
    const RoutingTable::NextHops hops = m_net.routing.GetNextHops(switchIndex, frame.destination);
    if (hops.count < 2)
    {
        return hops.count == 0 ? frame.destination ^ 1 : hops.ports[0];
    }
    const FrameCandidates candidates(m_net, hops, frame.priority);
    return hops
        .ports[selector.Select(candidates, {frame.source, frame.destination, frame.flowHash}, now)];
}

template <bool PLAIN>
[[gnu::always_inline]] inline void
HopPipeline::ForwardBy(int64_t now, uint32_t inId, uint32_t index)
{
    Frame& frame = m_net.frames[index];
    FabricPort& in = m_net.ports[inId];
    SwitchState& node = m_net.switches[in.switchIndex];
    uint32_t outId =
        PLAIN || !node.perFrame
            ? m_net.routing.Route(in.switchIndex, frame.destination, frame.flowHash, *node.selector)
            : RouteFrame(now, in.switchIndex, frame, *node.selector);
    if (__builtin_expect(outId == RoutingTable::NO_PORT, 0))
    {
        m_faults.DropUnrouted(now, inId, index);
        return;
    }
    FabricPort& out = m_net.ports[outId];
    uint32_t bytes = frame.wireBytes - m_net.gapBytes;
    BufferVerdict verdict =
        node.buffer->Admit(in.localIndex, out.localIndex, frame.priority, bytes, node.lazy == 0);
    if (verdict != BufferVerdict::ADMIT)
    {
        if (verdict == BufferVerdict::UNCERTAIN)
        {
            m_net.ReleaseEnded(now, node);
            verdict =
                node.buffer->Admit(in.localIndex, out.localIndex, frame.priority, bytes, true);
        }
        if (verdict == BufferVerdict::DROP)
        {
            Drop(now, inId, outId, index);
            return;
        }
        if (verdict == BufferVerdict::PAUSE)
        {
            m_pfc.Pause(now, node, inId, frame.priority, outId);
        }
    }
    frame.ingress = in.localIndex;
    if (!PLAIN && node.delay != 0)
    {
        if (m_net.switched[inId].empty())
        {
            m_net.lane->Schedule(now + node.delay, m_net.KeyOf(inId, NetworkState::SWITCHED));
        }
        m_net.switched[inId].push_back({index, outId, now + node.delay});
        m_net.ObserveLevels(outId, out);
        return;
    }
    EnterQueue(now, node, inId, outId, index);
}

[[gnu::always_inline]] inline void
HopPipeline::Forward(int64_t now, uint32_t inId, uint32_t index)
{
    if (__builtin_expect(m_net.switches[m_net.ports[inId].switchIndex].plain, 1))
    {
        ForwardBy<true>(now, inId, index);
    }
    else
    {
        ForwardUnusually(now, inId, index);
    }
}

void
HopPipeline::ForwardUnusually(int64_t now, uint32_t inId, uint32_t index)
{
    ForwardBy<false>(now, inId, index);
}

void
HopPipeline::Arrive(int64_t now, uint32_t portId)
{
    FabricPort& out = m_net.ports[portId];
    uint32_t index = out.wireHead;
    Frame& frame = m_net.frames[index];
    out.wireHead = frame.next;
    if (out.wireHead != NO_FRAME)
    {
        // The successor's time is in this frame, which is already cached.
        m_net.lane->Schedule(frame.time, m_net.KeyOf(portId, NetworkState::ARRIVAL));
    }
    const Frame* arrived = &frame;
    if (__builtin_expect(out.impaired, 0))
    {
        if (m_faults.ArriveImpaired(now, portId, out, index))
        {
            return;
        }
        // An observer may have run user code.
        arrived = &m_net.frames[index];
    }
    uint32_t inId = portId ^ 1;
    if (arrived->kind == FrameKind::PFC)
    {
        ++m_net.totals.pfcFrames;
        m_pfc.Receive(now, inId, index);
        return;
    }
    ++m_net.totals.hops;
    if (m_net.ports[inId].switchIndex != UINT32_MAX)
    {
        Forward(now, inId, index);
    }
    else
    {
        ++m_net.totals.delivered;
        m_net.endpoint->ReceiveFrame(now, inId, index);
    }
}

void
HopPipeline::EndSwitchDelay(int64_t now, uint32_t inId)
{
    std::deque<SwitchedFrame>& frames = m_net.switched[inId];
    SwitchedFrame first = frames.front();
    frames.pop_front();
    if (!frames.empty())
    {
        m_net.lane->Schedule(frames.front().due, m_net.KeyOf(inId, NetworkState::SWITCHED));
    }
    EnterQueue(now, m_net.switches[m_net.ports[inId].switchIndex], inId, first.egress, first.frame);
}

[[gnu::always_inline]] inline void
HopPipeline::EnterQueue(int64_t now,
                        SwitchState& node,
                        uint32_t inId,
                        uint32_t outId,
                        uint32_t index)
{
    Frame& frame = m_net.frames[index];
    FabricPort& out = m_net.ports[outId];
    frame.time = now;
    EgressQueue& queue = out.queues[frame.priority];
    if (queue.bytes > out.ecnMin && !node.markAtDequeue)
    {
        Mark(node, outId, queue, frame, MixBits(static_cast<uint64_t>(now)) ^ inId);
    }
    if (__builtin_expect(out.impaired & PORT_OBSERVED, 0))
    {
        EnterObservedQueue(now, outId, index);
        return;
    }
    SendOrEnqueue(now, outId, out, index);
}

void
HopPipeline::EnterObservedQueue(int64_t now, uint32_t outId, uint32_t index)
{
    FabricPort& out = m_net.ports[outId];
    if (m_net.frames[index].markedHere)
    {
        m_net.Observe(FrameEvent::MARKED, outId, out, index);
    }
    m_net.Observe(FrameEvent::QUEUED, outId, out, index);
    SendOrEnqueue(now, outId, out, index);
    m_net.ObserveLevels(outId, out);
}

[[gnu::always_inline]] inline void
HopPipeline::SendOrEnqueue(int64_t now, uint32_t outId, FabricPort& out, uint32_t index)
{
    if (out.busyUntil <= now && !out.wakeArmed && out.nonEmpty == 0)
    {
        if (out.paused == 0)
        {
            ReleaseLazy(now, out);
            Transmit(now, outId, out, index);
            AfterTransmit(outId, out);
        }
        else
        {
            m_net.Enqueue(out, index);
            SendNext(now, outId, out);
        }
        return;
    }
    m_net.Enqueue(out, index);
    if (out.busyUntil > now)
    {
        if (!out.wakeArmed)
        {
            m_net.ArmWake(out.busyUntil, outId, out);
        }
    }
    else if (!out.wakeArmed || out.wakeAt > now)
    {
        // Idle although something waits: the waiting frames are paused, and this one may not be.
        SendNext(now, outId, out);
    }
}

void
HopPipeline::Drop(int64_t now, uint32_t inId, uint32_t outId, uint32_t index)
{
    Frame& frame = m_net.frames[index];
    ++m_net.totals.dropped;
    m_net.CountDrop(outId, frame.priority);
    const SwitchState& node = m_net.switches[m_net.ports[inId].switchIndex];
    // If the cable had a fault, the peer may not have been paused in time.
    m_net.totals.losslessDrops += (m_net.losslessMask >> frame.priority & 1) &&
                                  node.buffer->IsLossless() && !m_net.ports[inId].faulted;
    if (!m_net.traces.event->IsEmpty())
    {
        FabricEventRecord record;
        record.timePs = now;
        record.kind = "drop";
        record.node = m_net.ports[inId].node;
        record.link = outId;
        record.queuePair = frame.queuePair;
        record.priority = frame.priority;
        record.detail = "no room in the shared buffer";
        m_net.NotifyEvent(record);
    }
    m_net.endpoint->FrameDropped(now, index);
    m_net.Observe(FrameEvent::DROPPED, outId, m_net.ports[outId], index);
    m_net.frames.Free(index);
}

void
HopPipeline::Mark(const SwitchState& node,
                  uint32_t portId,
                  EgressQueue& queue,
                  Frame& frame,
                  uint64_t count)
{
    if (!(frame.flags & FRAME_ECT))
    {
        return;
    }
    uint64_t probability =
        node.marker->GetMarkProbability(queue.bytes, m_net.ports[portId].rateBps);
    uint64_t stream = static_cast<uint64_t>(portId) << 4 | frame.priority;
    if ((CounterRandom(m_net.seed, stream, count) >> 32) < probability)
    {
        frame.flags |= FRAME_CE;
        frame.markedHere = 1;
        ++queue.markedFrames;
        ++m_net.totals.markedFrames;
    }
}

void
HopPipeline::Transmit(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_net.frames[index];
    if (port.switchIndex != UINT32_MAX)
    {
        port.unreleased = 1;
        port.releaseIngress = frame.ingress;
        port.releaseBytes = frame.wireBytes - m_net.gapBytes;
        port.releasePriority = frame.priority;
    }
    // One branch for both a port with an impairment and a frame that has a side.
    if (__builtin_expect(port.impaired | frame.side, 0))
    {
        if (port.impaired == 0 || !m_faults.TransmitImpaired(now, portId, port, index))
        {
            AppendIntRecord(now, port, index);
            const EgressQueue& queue = port.queues[frame.priority];
            const uint32_t marked = queue.markedFrames;
            PutOnWire(now, portId, port, index);
            if (queue.markedFrames != marked)
            {
                m_net.Observe(FrameEvent::MARKED, portId, port, index);
            }
            m_net.Observe(FrameEvent::SENT, portId, port, index);
        }
        return;
    }
    PutOnWire(now, portId, port, index);
}

void
HopPipeline::AppendIntRecord(int64_t now, const FabricPort& port, uint32_t index)
{
    FrameSide* side = m_net.frames.FindSide(index);
    if (side == nullptr || !(side->flags & FRAME_SIDE_INT) || port.switchIndex == UINT32_MAX)
    {
        return;
    }
    IntRecord record;
    for (uint32_t priority = 0; priority < m_net.queues; ++priority)
    {
        record.txBytes += port.queues[priority].sentBytes;
        record.queueBytes += port.queues[priority].bytes;
    }
    record.timePs = now;
    record.rateBps = port.psPerByte == NetworkState::GetPsPerByte(port.rateBps)
                         ? port.rateBps
                         : (8'000'000'000'000ull << 20) / port.psPerByte; // a degraded link
    side->Append(record);
}

[[gnu::always_inline]] inline void
HopPipeline::PutOnWire(int64_t now, uint32_t portId, FabricPort& port, uint32_t index)
{
    Frame& frame = m_net.frames[index];
    EgressQueue& queue = port.queues[frame.priority];
    ++queue.sentFrames;
    queue.sentBytes += frame.wireBytes;
    if (queue.bytes > port.ecnMin)
    {
        const SwitchState& node = m_net.switches[port.switchIndex];
        if (node.markAtDequeue)
        {
            Mark(node, portId, queue, frame, queue.sentFrames);
        }
    }
    if (m_accounts.IsEnabled())
    {
        m_accounts.Count(portId, port, frame, now - frame.time);
    }
    frame.markedHere = 0;
    m_net.StartTransmission(now, portId, port, index);
}

void
HopPipeline::ReleaseLazy(int64_t now, FabricPort& port)
{
    if (port.unreleased)
    {
        if (!port.wakeArmed)
        {
            --m_net.switches[port.switchIndex].lazy;
        }
        ReleaseSent(now, port);
    }
}

void
HopPipeline::ReleaseSent(int64_t now, FabricPort& port)
{
    port.unreleased = 0;
    SwitchState& node = m_net.switches[port.switchIndex];
    node.buffer->Release(port.releaseIngress, port.releasePriority, port.releaseBytes);
    if (node.pausing != 0 && m_net.IsPausing(node, port))
    {
        m_pfc.TryResume(now, node, node.ports[port.releaseIngress], port.releasePriority);
    }
}

void
HopPipeline::AfterTransmit(uint32_t portId, FabricPort& port)
{
    if (port.nonEmpty || port.pfcPending || port.hostWork ||
        (port.unreleased && m_net.switches[port.switchIndex].pausing != 0 &&
         m_net.IsPausing(m_net.switches[port.switchIndex], port)))
    {
        if (!port.wakeArmed)
        {
            m_net.lane->Schedule(port.busyUntil, m_net.KeyOf(portId, NetworkState::WAKE));
        }
        else if (port.wakeAt != port.busyUntil)
        {
            m_net.lane->Reschedule(port.busyUntil, m_net.KeyOf(portId, NetworkState::WAKE));
        }
        port.wakeArmed = 1;
        port.wakeAt = port.busyUntil;
        return;
    }
    if (port.wakeArmed)
    {
        m_net.lane->Cancel(m_net.KeyOf(portId, NetworkState::WAKE));
        port.wakeArmed = 0;
    }
    if (port.unreleased)
    {
        ++m_net.switches[port.switchIndex].lazy;
    }
}

void
HopPipeline::Wake(int64_t now, uint32_t portId)
{
    FabricPort& port = m_net.ports[portId];
    NS_ASSERT(port.busyUntil <= now);
    if (port.unreleased)
    {
        ReleaseSent(now, port);
    }
    port.wakeArmed = 0;
    SendNext(now, portId, port);
}

void
HopPipeline::SendNext(int64_t now, uint32_t portId, FabricPort& port)
{
    ReleaseLazy(now, port);
    if (port.pfcPending)
    {
        if (!(port.impaired & PORT_DOWN))
        {
            m_pfc.Send(now, portId, port);
            AfterTransmit(portId, port);
            return;
        }
        // Sent again when the cable is up again.
        port.pfcPending = 0;
    }
    if (port.paused)
    {
        m_pfc.ExpirePauses(now, portId, port);
    }
    uint32_t ready = port.nonEmpty & ~port.paused;
    uint32_t index = NO_FRAME;
    int64_t retryAt = std::numeric_limits<int64_t>::max();
    if (port.egress)
    {
        index = TakeScheduled(now, portId, port, retryAt);
        ready = 0;
    }
    else if (port.hostWork)
    {
        uint32_t above = ready ? ~0u << (HighestBit(ready) + 1) : ~0u;
        uint32_t allowed = ~port.paused & above & ((1u << m_net.queues) - 1);
        index = m_net.endpoint->NextFrame(now, portId, allowed, retryAt);
        if (index != NO_FRAME)
        {
            ++m_net.totals.sent;
            m_net.Observe(FrameEvent::QUEUED, portId, port, index);
        }
        else if (!ready && !port.paused && retryAt == INT64_MAX)
        {
            port.hostWork = 0;
        }
    }
    if (index == NO_FRAME && ready)
    {
        index = m_net.Dequeue(port, HighestBit(ready));
    }
    if (index != NO_FRAME)
    {
        Transmit(now, portId, port, index);
        AfterTransmit(portId, port);
        return;
    }
    // Nothing may be sent now: wait for pacing or for a pause to expire; a resume triggers by
    // itself.
    if (port.paused && (port.nonEmpty || port.hostWork))
    {
        for (uint32_t mask = port.paused; mask != 0; mask &= mask - 1)
        {
            retryAt = std::min(retryAt, m_net.pauses.Get(portId, __builtin_ctz(mask)).until);
        }
    }
    if (retryAt != INT64_MAX)
    {
        m_net.ArmWake(retryAt, portId, port);
    }
}

uint32_t
HopPipeline::TakeScheduled(int64_t now, uint32_t portId, FabricPort& port, int64_t& retryAt)
{
    uint32_t open = ~port.paused & ((1u << m_net.queues) - 1);
    uint32_t queued = port.nonEmpty & open;
    uint32_t host = port.hostWork ? m_net.endpoint->GetReadyPriorities(now, portId) & open : 0;
    uint32_t index = NO_FRAME;
    while (queued | host)
    {
        uint32_t priority = port.egress->Select(queued | host);
        if (queued >> priority & 1)
        {
            index = m_net.Dequeue(port, priority);
        }
        else
        {
            index = m_net.endpoint->NextFrame(now, portId, 1u << priority, retryAt);
            if (index != NO_FRAME)
            {
                ++m_net.totals.sent;
                m_net.Observe(FrameEvent::QUEUED, portId, port, index);
            }
        }
        if (index != NO_FRAME)
        {
            port.egress->Charge(priority, m_net.frames[index].wireBytes);
            return index;
        }
        // The endpoint's frames there have been acknowledged in the meantime.
        host &= ~(1u << priority);
    }
    if (port.hostWork)
    {
        // Nothing may be sent: this call only determines when.
        m_net.endpoint->NextFrame(now, portId, open, retryAt);
        port.hostWork = port.paused != 0 || retryAt != INT64_MAX;
    }
    return NO_FRAME;
}

void
HopPipeline::Kick(int64_t now, uint32_t portId)
{
    FabricPort& port = m_net.ports[portId];
    port.hostWork = 1;
    // By an event even if the port is idle: frames posted in the same instant compete by priority,
    // not by order of posting.
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
}

void
HopPipeline::Queue(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_net.ports[portId];
    m_net.frames[index].time = now;
    m_net.frames[index].markedHere = 0;
    ++m_net.totals.sent;
    m_net.Enqueue(port, index);
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    m_net.ObserveLevels(portId, port);
}

void
HopPipeline::SendControl(int64_t now, uint32_t portId, uint32_t index)
{
    FabricPort& port = m_net.ports[portId];
    m_net.frames[index].time = now;
    m_net.frames[index].markedHere = 0;
    ++m_net.totals.sent;
    m_net.Observe(FrameEvent::QUEUED, portId, port, index);
    if (port.busyUntil <= now && port.nonEmpty == 0 && port.pfcPending == 0 && port.paused == 0)
    {
        Transmit(now, portId, port, index);
        AfterTransmit(portId, port);
        return;
    }
    m_net.Enqueue(port, index);
    m_net.ArmWake(std::max(now, port.busyUntil), portId, port);
    m_net.ObserveLevels(portId, port);
}

// --- prefetching of the next events ---

// In passes, each of which reads what the previous one has fetched, so that the misses of all
// events overlap. Measured on a busy machine with 8 million packet-hops of each, CPU time of the
// whole run before and after: 1,024 hosts, permutation 2.9 s and 1.8 to 1.9 s, each to 32 others
// 4.5 s and 2.6 to 3.2 s; 4,096 hosts 4.9 s and 3.3 to 4.2 s. With few ports everything is cached;
// prefetching gains nothing and is off.
void
HopPipeline::PrefetchLaneEvents(const SlottedWheel::Entry* events, std::size_t count) const
{
    const int64_t now = events[0].time; // approximately
    Chosen arrivals;                    // by the port that sent them
    Chosen wakes;
    for (std::size_t i = 0; i < count; ++i)
    {
        const uint32_t portId = EventLane::GetEntity(events[i].key);
        const bool arrives = (events[i].key & 3) == NetworkState::ARRIVAL;
        __builtin_prefetch(&m_net.ports[portId], 1);
        __builtin_prefetch(arrives ? &m_net.ports[portId ^ 1].busyUntil
                                   : &m_net.ports[portId].wakeAt,
                           1);
        arrivals.Add(portId, arrives);
        wakes.Add(portId, !arrives);
    }

    // A wake-up sends the frame at the head of its highest queue, or a frame of the NIC, behind
    // those on the wire.
    Chosen kicked;
    for (uint32_t portId : wakes)
    {
        const FabricPort& port = m_net.ports[portId];
        m_net.frames.Prefetch(port.wireTail);
        __builtin_prefetch(port.nonEmpty ? &port.queues[HighestBit(port.nonEmpty)].head
                                         : &port.wireTail,
                           1);
        kicked.Add(portId, port.hostWork != 0);
    }
    for (uint32_t portId : kicked)
    {
        m_net.endpoint->PrefetchPort(portId, 0);
    }
    Chosen received; // at hosts
    Chosen forwarded;
    for (uint32_t portId : arrivals)
    {
        const FabricPort& port = m_net.ports[portId];
        const bool host = m_net.ports[portId ^ 1].switchIndex == UINT32_MAX;
        m_net.frames.Prefetch(port.wireHead);
        received.Add(portId, host && port.wireHead != NO_FRAME);
        forwarded.Add(portId, !host && port.wireHead != NO_FRAME);
    }
    for (uint32_t portId : kicked)
    {
        m_net.endpoint->PrefetchPort(portId, 1);
    }

    Chosen egress; // id << 4 | priority
    for (uint32_t portId : forwarded)
    {
        const Frame& frame = m_net.frames[m_net.ports[portId].wireHead];
        const FabricPort& in = m_net.ports[portId ^ 1];
        const SwitchState& node = m_net.switches[in.switchIndex];
        if (!node.plain || frame.kind == FrameKind::PFC)
        {
            continue;
        }
        node.buffer->Prefetch(in.localIndex, frame.priority);
        const uint32_t outId =
            m_net.routing.Route(in.switchIndex, frame.destination, frame.flowHash, *node.selector);
        if (outId != RoutingTable::NO_PORT)
        {
            const FabricPort& out = m_net.ports[outId];
            __builtin_prefetch(&out, 1);
            __builtin_prefetch(&out.releaseIngress, 1);
            __builtin_prefetch(&out.queues[frame.priority], 1);
            m_net.lane->Prefetch(m_net.KeyOf(outId, NetworkState::ARRIVAL));
            egress.Add(outId << 4 | frame.priority, true);
        }
    }
    Chosen queuePairs; // id << 2 | QueuePairUse; there are fewer than 2^27
    const auto add = [&queuePairs](uint32_t id, QueuePairUse use, bool wanted) {
        queuePairs.Add(id << 2 | static_cast<uint32_t>(use), wanted);
    };
    for (uint32_t portId : received)
    {
        const Frame& frame = m_net.frames[m_net.ports[portId].wireHead];
        const bool data = frame.kind == FrameKind::DATA;
        add(frame.queuePair,
            !data                      ? QueuePairUse::CONTROL
            : frame.flags & FRAME_LAST ? QueuePairUse::FINISH
                                       : QueuePairUse::RECEIVE,
            frame.kind != FrameKind::PFC);
        if (data)
        {
            // The frame will be answered.
            const FabricPort& port = m_net.ports[portId ^ 1];
            __builtin_prefetch(&port.wakeAt, 1);
            __builtin_prefetch(&port.queues[m_net.controlPriority], 1);
            m_net.frames.Prefetch(port.busyUntil > now ? NO_FRAME : port.wireTail);
            m_net.lane->Prefetch(m_net.KeyOf(portId ^ 1, NetworkState::ARRIVAL));
        }
    }
    for (uint32_t portId : wakes)
    {
        const FabricPort& port = m_net.ports[portId];
        m_net.frames.Prefetch(port.queues[HighestBit(port.nonEmpty | 1u)].head);
    }
    for (uint32_t portId : kicked)
    {
        uint32_t priority = 0;
        const uint32_t next = m_net.endpoint->GetNextQueuePair(portId, priority);
        add(next, QueuePairUse::SEND, next != UINT32_MAX);
        __builtin_prefetch(&m_net.ports[portId].queues[priority], 1);
    }
    for (uint32_t queuePair : queuePairs)
    {
        m_net.endpoint->PrefetchQueuePair(queuePair >> 2,
                                          static_cast<QueuePairUse>(queuePair & 3),
                                          0);
    }

    for (uint32_t chosen : egress)
    {
        const FabricPort& out = m_net.ports[chosen >> 4];
        // At a busy port it waits behind others.
        m_net.frames.Prefetch(out.busyUntil > now ? out.queues[chosen & 15].tail : out.wireTail);
        if (out.unreleased)
        {
            m_net.switches[out.switchIndex].buffer->Prefetch(out.releaseIngress,
                                                             out.releasePriority);
        }
    }
    for (uint32_t queuePair : queuePairs)
    {
        m_net.endpoint->PrefetchQueuePair(queuePair >> 2,
                                          static_cast<QueuePairUse>(queuePair & 3),
                                          1);
    }
}

// --- construction and readings ---

std::vector<FabricFault>
HopPipeline::Build(const FabricSettings& settings,
                   const ClusterTopology& topology,
                   uint64_t seed,
                   const std::vector<Ptr<FabricSwitch>>& switches,
                   FabricEndpoint* endpoint,
                   uint32_t maxFrameBytes,
                   uint32_t gapBytes)
{
    NS_LOG_FUNCTION(this << seed << switches.size() << maxFrameBytes << gapBytes);
    m_settings = settings;
    m_net.queues = m_settings.queues;
    m_net.controlPriority = m_settings.controlPriority;
    m_net.topology = &topology;
    m_net.endpoint = endpoint;
    m_net.seed = seed;
    m_net.gapBytes = gapBytes;
    m_net.maxFrameBytes = maxFrameBytes;
    GetLaneClass();
    m_net.routing.Build(topology, seed);
    NS_ABORT_MSG_IF(switches.size() != m_net.routing.GetSwitchCount(),
                    "one configuration for each switch is needed");

    uint32_t ports = topology.GetPortCount();
    m_net.ports.assign(ports, FabricPort());
    m_net.dropped.clear();
    m_net.pauses.Resize(ports);
    m_accounts.Resize(ports);
    m_net.switches.assign(switches.size(), SwitchState());
    const auto& nodes = topology.GetNodes();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        for (uint32_t k = 0; k < nodes[node].ports.size(); ++k)
        {
            uint32_t id = nodes[node].ports[k];
            FabricPort& port = m_net.ports[id];
            port.node = node;
            port.localIndex = static_cast<uint16_t>(k);
            port.switchIndex = m_net.routing.GetSwitchIndex(node);
            port.delay = topology.GetPortDelay(id);
            port.rateBps = topology.GetPortRate(id);
            port.psPerByte = NetworkState::GetPsPerByte(port.rateBps);
            m_net.MarkObserved(id);
        }
    }

    std::vector<FabricFault> faults;
    const std::string fault = m_dscpMap.Parse(m_settings.dscps, m_net.queues);
    if (!fault.empty())
    {
        faults.push_back(FabricFault::OfAttribute("DscpMap", fault));
    }
    if (m_net.controlPriority >= m_net.queues)
    {
        faults.push_back(FabricFault::OfAttribute("ControlPriority",
                                                  std::to_string(m_net.controlPriority) +
                                                      " is not one of the " +
                                                      std::to_string(m_net.queues) + " queues"));
        return faults;
    }
    if (m_settings.cnpPriority >= m_net.queues)
    {
        faults.push_back(FabricFault::OfAttribute("CnpPriority",
                                                  std::to_string(m_settings.cnpPriority) +
                                                      " is not one of the " +
                                                      std::to_string(m_net.queues) + " queues"));
        return faults;
    }
    MakeEgressSchedulers(faults);
    if (!faults.empty())
    {
        return faults;
    }
    NS_LOG_LOGIC(m_settings.egressType.GetName() << " at " << ports << " ports");
    const uint32_t dataMask = ((1u << m_net.queues) - 1) & ~(1u << m_net.controlPriority) &
                              ~(1u << m_settings.cnpPriority);
    m_net.losslessMask = 0;
    for (const Ptr<FabricSwitch>& configuration : switches)
    {
        m_net.losslessMask |= configuration->GetLosslessMask() & dataMask;
    }
    const uint32_t used = m_settings.usedPriorities |
                          (m_net.losslessMask != 0 ? 1u << HighestBit(m_net.losslessMask) : 0);
    BufferFaults bufferFaults;
    m_net.switched.clear();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        uint32_t index = m_net.routing.GetSwitchIndex(node);
        if (index == UINT32_MAX)
        {
            continue;
        }
        SwitchState& state = m_net.switches[index];
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
            m_net.switched.resize(ports);
        }
        state.ports = nodes[node].ports;
        uint32_t lossless = state.configuration->GetLosslessMask() & dataMask;
        uint64_t rateSum = 0;
        std::vector<BufferPort> bufferPorts;
        for (uint32_t id : state.ports)
        {
            m_net.ports[id].ecnMin = state.marker->GetUnmarkedBytes(m_net.ports[id].rateBps);
            rateSum += std::min(m_net.ports[id].rateBps, UINT64_MAX - rateSum);
            bufferPorts.push_back({topology.GetPortName(id),
                                   m_net.ports[id].rateBps,
                                   m_net.ports[id].delay,
                                   maxFrameBytes});
        }
        const uint64_t bufferBytes =
            state.configuration->GetBufferSize(rateSum, static_cast<uint32_t>(state.ports.size()));
        std::string error =
            state.buffer->Configure(bufferBytes, bufferPorts, m_net.queues, lossless);
        if (!error.empty() && (lossless & ~used) != 0)
        {
            NS_LOG_INFO(nodes[node].name << ": headroom for priorities " << (lossless & used)
                                         << " only (mask)");
            error =
                state.buffer->Configure(bufferBytes, bufferPorts, m_net.queues, lossless & used);
        }
        if (!error.empty())
        {
            bufferFaults.Add(nodes[node].name, error, state.configuration->IsBufferAutomatic());
        }
        state.configuration->SetBufferTracing(
            [this, index](bool traced) { m_net.SetBufferTraced(index, traced); });
    }
    bufferFaults.AppendTo(faults);
    uint64_t leastBytes = uint64_t{maxFrameBytes} + NetworkState::PFC_FRAME_BYTES + gapBytes;
    if (m_net.losslessMask != 0 && uint64_t{m_settings.pauseQuanta} * 64 <= leastBytes)
    {
        faults.push_back(FabricFault::OfAttribute(
            "PauseQuanta",
            std::to_string(m_settings.pauseQuanta) +
                ": a pause would be over before it can be sent again behind a frame of " +
                std::to_string(maxFrameBytes) + " B; at least " +
                std::to_string(leastBytes / 64 + 1) + " are needed"));
    }
    for (const FabricFault& found : faults)
    {
        NS_LOG_WARN(found.ToSentence());
    }
    m_net.lane->SetHandler(m_laneClass, this, ports);
    if (ports >= PREFETCHED_PORTS)
    {
        NS_LOG_LOGIC(ports << " ports: the next events are prefetched");
        m_net.lane->EnablePrefetching(true);
    }
    return faults;
}

void
HopPipeline::MakeEgressSchedulers(std::vector<FabricFault>& faults)
{
    m_net.egress.clear();
    ObjectFactory factory(m_settings.egressType.GetName());
    Ptr<EgressScheduler> first = factory.Create<EgressScheduler>();
    std::string error = first->Configure(m_net.queues);
    if (!error.empty())
    {
        faults.push_back(FabricFault::OfEgress(error));
        return;
    }
    if (first->IsStrictPriority())
    {
        return;
    }
    for (FabricPort& port : m_net.ports)
    {
        m_net.egress.push_back(factory.Create<EgressScheduler>());
        m_net.egress.back()->Configure(m_net.queues);
        port.egress = PeekPointer(m_net.egress.back());
    }
}

HopPipeline::HopPipeline(const HopPipeline& whole, Ptr<EventLane> lane, const FabricTraces& traces)
    : HopPipeline(traces)
{
    m_settings = whole.m_settings;
    const NetworkState& from = whole.m_net;
    m_laneHolder = lane;
    m_laneClass = whole.m_laneClass;
    m_net.lane = PeekPointer(lane);
    m_net.keyBase = from.keyBase;
    m_net.endpoint = &g_noEndpoint; // has no state
    m_net.isOther = true;
    m_net.topology = from.topology;
    m_net.seed = from.seed;
    m_net.gapBytes = from.gapBytes;
    m_net.queues = from.queues;
    m_net.controlPriority = from.controlPriority;
    m_net.maxFrameBytes = from.maxFrameBytes;
    m_net.losslessMask = from.losslessMask;
    m_net.routing = from.routing;
    m_net.ports = from.ports;
    m_net.dropped = from.dropped;
    m_net.pauses = from.pauses;
    m_net.switches = from.switches;
    m_net.switched.resize(from.switched.size());
    m_accounts = whole.m_accounts;
    m_dscpMap = whole.m_dscpMap;
    const auto ports = static_cast<uint32_t>(m_net.ports.size());
    lane->SetHandler(m_laneClass, this, ports);
    lane->EnablePrefetching(ports >= PREFETCHED_PORTS);
}

uint32_t
HopPipeline::GetLaneClass()
{
    if (!m_laneHolder)
    {
        m_laneHolder = EventLane::Get();
        m_net.lane = PeekPointer(m_laneHolder);
        m_laneClass = m_laneHolder->AllocateClass(this);
        m_net.keyBase = EventLane::Key(m_laneClass, 0, 0);
    }
    return m_laneClass;
}

void
HopPipeline::Dispose()
{
    m_net.bufferTraces.Clear();
    for (const SwitchState& state : m_net.switches)
    {
        // Other logical processes share it; a build that failed has none.
        if (state.configuration && !m_net.isOther)
        {
            state.configuration->SetBufferTracing(nullptr);
        }
    }
    m_net.switches.clear();
    m_encoder = nullptr;
    m_net.observers.clear();
    m_net.egress.clear();
    m_laneHolder = nullptr;
    m_net.lane = nullptr;
}

bool
HopPipeline::IsSpraying() const
{
    return std::any_of(m_net.switches.begin(), m_net.switches.end(), [](const SwitchState& state) {
        return state.perFrame;
    });
}

const PathSelector&
HopPipeline::GetPathSelector() const
{
    return m_net.switches.empty() ? *m_defaultSelector : *m_net.switches[0].selector;
}

uint32_t
HopPipeline::GetLaneContext(uint32_t entity, uint32_t kind) const
{
    // An arrival happens at the far end of the wire.
    uint32_t node = m_net.ports[kind == NetworkState::ARRIVAL ? entity ^ 1 : entity].node;
    return node < m_nodeContext.size() ? m_nodeContext[node] : node;
}

Ptr<Packet>
HopPipeline::MakePacket(const Frame& frame, uint32_t portId, bool fcs) const
{
    NS_ABORT_MSG_IF(!m_encoder, "packets of frames need a FrameEncoder");
    uint32_t hops = 0;
    const auto find = [&](const std::vector<uint32_t>& path) {
        const auto place = std::find(path.begin(), path.end(), portId);
        hops = place == path.end() ? 0 : static_cast<uint32_t>(place - path.begin());
        return place != path.end();
    };
    if (frame.kind != FrameKind::PFC && !find(m_net.routing.GetPath(frame.source,
                                                                    frame.destination,
                                                                    frame.flowHash,
                                                                    GetPathSelector())))
    {
        // Sprayed, or in transit since before the routes changed: another of the shortest paths.
        for (const RoutingTable* routing : {&m_net.routing, &GetRouting()})
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

void
HopPipeline::EnableAccounting(bool enable)
{
    m_accounts.Enable(enable);
    if (m_net.others)
    {
        m_net.others->EnableAccounting(enable);
    }
}

void
HopPipeline::SetCrossings(const std::vector<uint8_t>& crossings, std::size_t count)
{
    for (uint32_t id = 0; id < m_net.ports.size(); ++id)
    {
        m_net.ports[id].crossing = crossings[id];
    }
    m_net.sent.assign(count, FrameBatch());
}

void
HopPipeline::SetNodes(const std::vector<bool>& here)
{
    for (SwitchState& state : m_net.switches)
    {
        state.isHere = state.ports.empty() || here[m_net.ports[state.ports[0]].node];
    }
}

void
HopPipeline::Accept(const FrameBatch& sent)
{
    auto side = sent.sides.begin();
    for (const Frame& frame : sent.frames)
    {
        const uint32_t portId = frame.next;
        const uint32_t index = m_net.frames.Allocate();
        m_net.frames[index] = frame;
        if (frame.side != NO_SIDE)
        {
            m_net.frames[index].side = NO_SIDE;
            m_net.frames.AttachSide(index) = *side++;
        }
        m_net.PutBehind(portId, m_net.ports[portId], index);
    }
}

} // namespace ns3
