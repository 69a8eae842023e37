/* SPDX-License-Identifier: GPL-2.0-only */
#include "network-reader.h"

#include "ns3/abort.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

NetworkReader::NetworkReader(NetworkState& net,
                             const NetworkFaults& faults,
                             const JobLinkAccounts& accounts)
    : m_net(net),
      m_faults(faults),
      m_accounts(accounts)
{
}

LinkCounters
NetworkReader::ReadLink(uint32_t link, uint32_t priority) const
{
    const EgressQueue& queue = m_net.ports[link].queues[priority];
    LinkCounters counters;
    counters.frames = queue.sentFrames;
    counters.bytes = queue.sentBytes;
    counters.markedFrames = queue.markedFrames;
    counters.droppedFrames = priority == 0 ? m_net.dropped[link] : 0;
    counters.busyPs = m_net.GetWireTime(link, queue.sentBytes);
    if (auto changed = m_net.rateChanges.find(link); changed != m_net.rateChanges.end())
    {
        counters.busyPs =
            changed->second.busyPs[priority] +
            m_net.GetWireTime(link, queue.sentBytes - changed->second.bytes[priority]);
    }
    counters.pausedPs = m_net.pauses.GetTotal(link, priority);
    counters.queueBytes = queue.bytes;
    return counters;
}

void
NetworkReader::Read(FabricReadings& sum) const
{
    FabricReadings own;
    own.totals = m_net.totals;
    own.links.reserve(m_net.ports.size() * m_net.queues);
    for (uint32_t link = 0; link < m_net.ports.size(); ++link)
    {
        for (uint32_t priority = 0; priority < m_net.queues; ++priority)
        {
            own.links.push_back(ReadLink(link, priority));
        }
        own.sentPauses.push_back(m_net.ports[link].sentPauses);
        own.sentPfcFrames.push_back(m_net.ports[link].sentPfcFrames);
    }
    for (const SwitchState& state : m_net.switches)
    {
        own.bufferPeaks.push_back(state.isHere ? state.buffer->GetPeakBytes() : 0);
    }
    own.jobs = m_accounts.Get(m_net.ports);
    sum += own;
}

void
NetworkReader::CountFrames(FabricAudit& sum) const
{
    const auto count = [&](uint32_t head) {
        for (uint32_t index = head; index != NO_FRAME; index = m_net.frames[index].next)
        {
            const bool isPfc = m_net.frames[index].kind == FrameKind::PFC;
            sum.pfcFrames += isPfc;
            sum.frames += !isPfc;
        }
    };
    for (const FabricPort& port : m_net.ports)
    {
        count(port.wireHead);
        for (const EgressQueue& queue : port.queues)
        {
            count(queue.head);
        }
        sum.paused += static_cast<uint64_t>(__builtin_popcount(port.xoff));
    }
    for (const uint32_t head : m_faults.GetReceiveQueueHeads())
    {
        count(head);
    }
    for (const auto& switched : m_net.switched)
    {
        sum.frames += switched.size();
    }
    sum.framesInUse += m_net.frames.GetInUse();
}

uint64_t
NetworkReader::CountBufferedBytes(int64_t now, const std::vector<uint32_t>& ports) const
{
    uint64_t bytes = 0;
    for (uint32_t id : ports)
    {
        const FabricPort& port = m_net.ports[id];
        if (!m_net.switched.empty())
        {
            for (const SwitchedFrame& switched : m_net.switched[id])
            {
                bytes += m_net.frames[switched.frame].wireBytes - m_net.gapBytes;
            }
        }
        if (port.unreleased && (port.busyUntil > now || port.wakeArmed))
        {
            bytes += port.releaseBytes;
        }
        for (const EgressQueue& queue : port.queues)
        {
            for (uint32_t index = queue.head; index != NO_FRAME; index = m_net.frames[index].next)
            {
                bytes += m_net.frames[index].wireBytes - m_net.gapBytes;
            }
        }
    }
    return bytes;
}

FabricTotals
NetworkReader::GetTotals() const
{
    FabricTotals totals = m_net.totals;
    if (m_net.others)
    {
        totals += m_net.others->GetReadings().totals;
    }
    return totals;
}

LinkCounters
NetworkReader::GetLinkCounters(uint32_t link, uint32_t priority) const
{
    LinkCounters counters = ReadLink(link, priority);
    if (m_net.others)
    {
        // Frames can be lost at either end of a wire.
        counters += m_net.others->GetReadings().links[link * m_net.queues + priority];
    }
    return counters;
}

uint64_t
NetworkReader::GetQueueBytes(uint32_t portId, uint32_t priority) const
{
    NS_ABORT_MSG_IF(!m_net.IsHere(portId),
                    "the queues of a split fabric's switches cannot be read");
    return portId < m_net.ports.size() ? m_net.ports[portId].queues[priority].bytes : 0;
}

uint64_t
NetworkReader::GetSentPauses(uint32_t link) const
{
    return m_net.IsHere(link) ? m_net.ports[link].sentPauses
                              : m_net.others->GetReadings().sentPauses[link];
}

uint64_t
NetworkReader::GetSentPfcFrames(uint32_t link) const
{
    return m_net.IsHere(link) ? m_net.ports[link].sentPfcFrames
                              : m_net.others->GetReadings().sentPfcFrames[link];
}

std::vector<JobLinkCounters>
NetworkReader::GetJobLinkCounters() const
{
    std::vector<JobLinkCounters> result = m_accounts.Get(m_net.ports);
    if (m_net.others)
    {
        const std::vector<JobLinkCounters>& others = m_net.others->GetReadings().jobs;
        result.insert(result.end(), others.begin(), others.end());
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::tie(a.job, a.link, a.priority) < std::tie(b.job, b.link, b.priority);
    });
    return result;
}

uint64_t
NetworkReader::GetBufferPeak(uint32_t switchIndex) const
{
    return m_net.switches[switchIndex].isHere
               ? m_net.switches[switchIndex].buffer->GetPeakBytes()
               : m_net.others->GetReadings().bufferPeaks[switchIndex];
}

void
NetworkReader::Audit(int64_t now, FabricAudit& sum)
{
    FabricAudit own;
    CountFrames(own);
    for (SwitchState& node : m_net.switches)
    {
        if (node.isHere)
        {
            m_net.ReleaseEnded(now, node);
        }
        own.bufferUsed.push_back(node.isHere ? node.buffer->GetUsedBytes() : 0);
        own.bufferHeld.push_back(node.isHere ? CountBufferedBytes(now, node.ports) : 0);
    }
    sum += own;
}

FabricAudit
NetworkReader::GetAudit(int64_t now)
{
    if (m_net.others)
    {
        return m_net.others->GetAudit(now);
    }
    FabricAudit audit;
    Audit(now, audit);
    return audit;
}

} // namespace ns3
