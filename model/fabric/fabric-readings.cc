/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-readings.h"

#include "fabric-state.h"

#include "ns3/abort.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

LinkCounters&
operator+=(LinkCounters& sum, const LinkCounters& other)
{
    sum.frames += other.frames;
    sum.bytes += other.bytes;
    sum.markedFrames += other.markedFrames;
    sum.droppedFrames += other.droppedFrames;
    sum.busyPs += other.busyPs;
    sum.pausedPs += other.pausedPs;
    sum.queueBytes += other.queueBytes;
    return sum;
}

template <typename T>
void
Add(std::vector<T>& sum, const std::vector<T>& other)
{
    sum.resize(std::max(sum.size(), other.size()));
    for (std::size_t i = 0; i < other.size(); ++i)
    {
        sum[i] += other[i];
    }
}

} // namespace

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

FabricReadings&
FabricReadings::operator+=(const FabricReadings& other)
{
    totals += other.totals;
    Add(links, other.links);
    Add(sentPauses, other.sentPauses);
    Add(sentPfcFrames, other.sentPfcFrames);
    Add(bufferPeaks, other.bufferPeaks);
    jobs.insert(jobs.end(), other.jobs.begin(), other.jobs.end());
    return *this;
}

FabricAudit&
FabricAudit::operator+=(const FabricAudit& other)
{
    framesInUse += other.framesInUse;
    frames += other.frames;
    pfcFrames += other.pfcFrames;
    paused += other.paused;
    Add(bufferUsed, other.bufferUsed);
    Add(bufferHeld, other.bufferHeld);
    return *this;
}

// --- of one part ---

LinkCounters
FabricState::ReadLink(uint32_t link, uint32_t priority) const
{
    const EgressQueue& queue = m_ports[link].queues[priority];
    LinkCounters counters;
    counters.frames = queue.sentFrames;
    counters.bytes = queue.sentBytes;
    counters.markedFrames = queue.markedFrames;
    counters.droppedFrames = priority == 0 ? m_dropped[link] : 0;
    counters.busyPs = GetWireTime(link, queue.sentBytes);
    if (auto changed = m_rateChanges.find(link); changed != m_rateChanges.end())
    {
        counters.busyPs = changed->second.busyPs[priority] +
                          GetWireTime(link, queue.sentBytes - changed->second.bytes[priority]);
    }
    counters.pausedPs = m_pauses.GetTotal(link, priority);
    counters.queueBytes = queue.bytes;
    return counters;
}

void
FabricState::Read(FabricReadings& sum) const
{
    FabricReadings own;
    own.totals = m_totals;
    own.links.reserve(m_ports.size() * m_queues);
    for (uint32_t link = 0; link < m_ports.size(); ++link)
    {
        for (uint32_t priority = 0; priority < m_queues; ++priority)
        {
            own.links.push_back(ReadLink(link, priority));
        }
        own.sentPauses.push_back(m_ports[link].sentPauses);
        own.sentPfcFrames.push_back(m_ports[link].sentPfcFrames);
    }
    for (const SwitchState& state : m_switches)
    {
        own.bufferPeaks.push_back(state.isHere ? state.buffer->GetPeakBytes() : 0);
    }
    own.jobs = m_accounts.Get(m_ports);
    sum += own;
}

void
FabricState::CountFrames(FabricAudit& sum) const
{
    const auto count = [&](uint32_t head) {
        for (uint32_t index = head; index != NO_FRAME; index = m_frames[index].next)
        {
            const bool isPfc = m_frames[index].kind == FrameKind::PFC;
            sum.pfcFrames += isPfc;
            sum.frames += !isPfc;
        }
    };
    for (const FabricPort& port : m_ports)
    {
        count(port.wireHead);
        for (const EgressQueue& queue : port.queues)
        {
            count(queue.head);
        }
        sum.paused += static_cast<uint64_t>(__builtin_popcount(port.xoff));
    }
    for (const ReceiveQueue& queue : m_receiveQueues)
    {
        count(queue.head);
    }
    for (const auto& switched : m_switched)
    {
        sum.frames += switched.size();
    }
    sum.framesInUse += m_frames.GetInUse();
}

uint64_t
FabricState::CountBufferedBytes(int64_t now, const std::vector<uint32_t>& ports) const
{
    uint64_t bytes = 0;
    for (uint32_t id : ports)
    {
        const FabricPort& port = m_ports[id];
        if (!m_switched.empty())
        {
            for (const SwitchedFrame& switched : m_switched[id])
            {
                bytes += m_frames[switched.frame].wireBytes - m_gapBytes;
            }
        }
        if (port.unreleased && (port.busyUntil > now || port.wakeArmed))
        {
            bytes += port.releaseBytes;
        }
        for (const EgressQueue& queue : port.queues)
        {
            for (uint32_t index = queue.head; index != NO_FRAME; index = m_frames[index].next)
            {
                bytes += m_frames[index].wireBytes - m_gapBytes;
            }
        }
    }
    return bytes;
}

// --- of all ---

FabricTotals
FabricState::GetTotals() const
{
    FabricTotals totals = m_totals;
    if (m_parts)
    {
        totals += m_parts->GetReadings().totals;
    }
    return totals;
}

LinkCounters
FabricState::GetLinkCounters(uint32_t link, uint32_t priority) const
{
    LinkCounters counters = ReadLink(link, priority);
    if (m_parts)
    {
        // Frames are lost at either end of a wire.
        counters += m_parts->GetReadings().links[link * m_queues + priority];
    }
    return counters;
}

uint64_t
FabricState::GetQueueBytes(uint32_t portId, uint32_t priority) const
{
    NS_ABORT_MSG_IF(!IsHere(portId), "of the queues of a split fabric's switches nothing is told");
    return m_ports[portId].queues[priority].bytes;
}

void
FabricState::TellEvent(const FabricEventRecord& record,
                       const TracedCallback<const FabricEventRecord&>& trace) const
{
    if (m_parts)
    {
        m_parts->TellInOrder(record, trace);
        return;
    }
    trace(record);
}

uint64_t
FabricState::GetSentPauses(uint32_t link) const
{
    return IsHere(link) ? m_ports[link].sentPauses : m_parts->GetReadings().sentPauses[link];
}

uint64_t
FabricState::GetSentPfcFrames(uint32_t link) const
{
    return IsHere(link) ? m_ports[link].sentPfcFrames : m_parts->GetReadings().sentPfcFrames[link];
}

std::vector<JobLinkCounters>
FabricState::GetJobLinkCounters() const
{
    std::vector<JobLinkCounters> result = m_accounts.Get(m_ports);
    if (m_parts)
    {
        const std::vector<JobLinkCounters>& others = m_parts->GetReadings().jobs;
        result.insert(result.end(), others.begin(), others.end());
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::tie(a.job, a.link, a.priority) < std::tie(b.job, b.link, b.priority);
    });
    return result;
}

uint64_t
FabricState::GetBufferPeak(uint32_t switchIndex) const
{
    return m_switches[switchIndex].isHere ? m_switches[switchIndex].buffer->GetPeakBytes()
                                          : m_parts->GetReadings().bufferPeaks[switchIndex];
}

void
FabricState::EnableAccounting(bool enable)
{
    m_accounting = enable;
    if (m_parts)
    {
        m_parts->EnableAccounting(enable);
    }
}

// --- parts ---

void
FabricState::SetCrossings(const std::vector<uint8_t>& crossings, std::size_t count)
{
    for (uint32_t id = 0; id < m_ports.size(); ++id)
    {
        m_ports[id].crossing = crossings[id];
    }
    m_sent.assign(count, FrameBatch());
}

void
FabricState::SetNodes(const std::vector<bool>& here)
{
    for (SwitchState& state : m_switches)
    {
        state.isHere = state.ports.empty() || here[m_ports[state.ports[0]].node];
    }
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
    FrameBatch& sent = m_sent[port.crossing - 1];
    sent.frames.push_back(frame);
    if (frame.side != NO_SIDE)
    {
        sent.sides.push_back(m_frames.Side(index));
    }
    m_frames.Free(index);
    if (m_parts)
    {
        m_parts->FrameSent();
    }
}

void
FabricState::Accept(const FrameBatch& sent)
{
    auto side = sent.sides.begin();
    for (const Frame& frame : sent.frames)
    {
        const uint32_t portId = frame.next;
        const uint32_t index = m_frames.Allocate();
        m_frames[index] = frame;
        if (frame.side != NO_SIDE)
        {
            m_frames[index].side = NO_SIDE;
            m_frames.AttachSide(index) = *side++;
        }
        PutBehind(portId, m_ports[portId], index);
    }
}

} // namespace ns3
