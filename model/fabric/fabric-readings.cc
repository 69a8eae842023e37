/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-state.h"

#include <algorithm>
#include <tuple>

// What is read of a fabric, of one that is split as well.

namespace ns3
{

FabricTotals&
FabricTotals::operator+=(const FabricTotals& other)
{
    sent += other.sent;
    delivered += other.delivered;
    dropped += other.dropped;
    hops += other.hops;
    pfcFrames += other.pfcFrames;
    losslessDrops += other.losslessDrops;
    xoff += other.xoff;
    xon += other.xon;
    refreshes += other.refreshes;
    markedFrames += other.markedFrames;
    faultDrops += other.faultDrops;
    cutFrames += other.cutFrames;
    return *this;
}

FabricTotals
FabricState::GetTotals() const
{
    FabricTotals totals;
    ForEachPart([&totals](const FabricState& part) { totals += part.m_totals; });
    return totals;
}

LinkCounters
FabricState::GetLinkCounters(uint32_t link, uint32_t priority) const
{
    LinkCounters counters;
    if (priority == 0)
    {
        // Frames are dropped at both ends of a wire.
        ForEachPart(
            [&](const FabricState& part) { counters.droppedFrames += part.m_dropped[link]; });
    }
    const FabricState& owner = GetOwner(link);
    const EgressQueue& queue = owner.m_ports[link].queues[priority];
    counters.frames = queue.sentFrames;
    counters.bytes = queue.sentBytes;
    counters.markedFrames = queue.markedFrames;
    counters.busyPs = GetWireTime(link, queue.sentBytes);
    if (auto changed = owner.m_rateChanges.find(link); changed != owner.m_rateChanges.end())
    {
        counters.busyPs = changed->second.busyPs[priority] +
                          GetWireTime(link, queue.sentBytes - changed->second.bytes[priority]);
    }
    counters.pausedPs = owner.m_pauses.GetTotal(link, priority);
    counters.queueBytes = queue.bytes;
    return counters;
}

uint64_t
FabricState::GetSentPauses(uint32_t link) const
{
    return GetOwner(link).m_ports[link].sentPauses;
}

uint64_t
FabricState::GetSentPfcFrames(uint32_t link) const
{
    return GetOwner(link).m_ports[link].sentPfcFrames;
}

std::vector<JobLinkCounters>
FabricState::GetJobLinkCounters() const
{
    std::vector<JobLinkCounters> result;
    ForEachPart([&result](const FabricState& part) {
        const std::vector<JobLinkCounters> some = part.m_accounts.Get(part.m_ports);
        result.insert(result.end(), some.begin(), some.end());
    });
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::tie(a.job, a.link, a.priority) < std::tie(b.job, b.link, b.priority);
    });
    return result;
}

uint64_t
FabricState::GetFramesInUse() const
{
    uint64_t frames = 0;
    ForEachPart([&frames](const FabricState& part) { frames += part.m_frames.GetInUse(); });
    return frames;
}

uint64_t
FabricState::GetBufferPeak(uint32_t switchIndex) const
{
    if (m_parts)
    {
        m_parts->CatchUp();
    }
    // A buffer belongs to its switch, whatever part that is in.
    return m_switches[switchIndex].buffer->GetPeakBytes();
}

uint64_t
FabricState::CountFrames(uint64_t& pfc) const
{
    uint64_t frames = 0;
    pfc = 0;
    ForEachPart([&](const FabricState& part) {
        const auto count = [&](uint32_t head) {
            for (uint32_t index = head; index != NO_FRAME; index = part.m_frames[index].next)
            {
                const bool isPfc = part.m_frames[index].kind == FrameKind::PFC;
                pfc += isPfc;
                frames += !isPfc;
            }
        };
        for (const FabricPort& port : part.m_ports)
        {
            count(port.wireHead);
            for (const EgressQueue& queue : port.queues)
            {
                count(queue.head);
            }
        }
        for (const ReceiveQueue& queue : part.m_receiveQueues)
        {
            count(queue.head);
        }
        for (const auto& switched : part.m_switched)
        {
            frames += switched.size();
        }
    });
    return frames;
}

uint64_t
FabricState::CountBufferedBytes(int64_t now, uint32_t switchIndex) const
{
    uint64_t bytes = 0;
    for (uint32_t id : m_switches[switchIndex].ports)
    {
        const FabricState& owner = GetOwner(id);
        const FabricPort& port = owner.m_ports[id];
        if (!owner.m_switched.empty())
        {
            for (const SwitchedFrame& switched : owner.m_switched[id])
            {
                bytes += owner.m_frames[switched.frame].wireBytes - m_gapBytes;
            }
        }
        if (port.unreleased && (port.busyUntil > now || port.wakeArmed))
        {
            bytes += port.releaseBytes;
        }
        for (const EgressQueue& queue : port.queues)
        {
            for (uint32_t index = queue.head; index != NO_FRAME; index = owner.m_frames[index].next)
            {
                bytes += owner.m_frames[index].wireBytes - m_gapBytes;
            }
        }
    }
    return bytes;
}

uint64_t
FabricState::CountPaused() const
{
    uint64_t paused = 0;
    ForEachPart([&paused](const FabricState& part) {
        for (const FabricPort& port : part.m_ports)
        {
            paused += static_cast<uint64_t>(__builtin_popcount(port.xoff));
        }
    });
    return paused;
}

void
FabricState::EnableAccounting(bool enable)
{
    ForEachPart([enable](FabricState& part) { part.m_accounting = enable; });
}

FabricState&
FabricState::GetOwner(uint32_t portId)
{
    if (!m_parts)
    {
        return *this;
    }
    FabricState& owner = m_parts->GetOwner(portId);
    if (&owner != this)
    {
        m_parts->CatchUp();
    }
    return owner;
}

const FabricState&
FabricState::GetOwner(uint32_t portId) const
{
    return const_cast<FabricState*>(this)->GetOwner(portId);
}

// --- parts ---

void
FabricState::SetCrossings(const std::vector<uint8_t>& crossings, std::size_t count)
{
    for (uint32_t id = 0; id < m_ports.size(); ++id)
    {
        m_ports[id].crossing = crossings[id];
    }
    m_sent.assign(count, {});
}

void
FabricState::SetParts(FabricParts* parts)
{
    m_parts = parts;
}

void
FabricState::SendAway(uint32_t portId, const FabricPort& port, uint32_t index)
{
    Frame& frame = m_frames[index];
    frame.next = portId;
    m_sent[port.crossing - 1].push_back(frame);
    m_frames.Free(index);
}

void
FabricState::Accept(const Frame& sent)
{
    const uint32_t portId = sent.next;
    const uint32_t index = m_frames.Allocate();
    m_frames[index] = sent;
    PutBehind(portId, m_ports[portId], index);
}

} // namespace ns3
