/* SPDX-License-Identifier: GPL-2.0-only */
#include "logical-process-codec.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The scalars of a report, without its lists.
struct ReportHead
{
    int64_t firstTime;
    int64_t lastTime;
    int64_t check;
    uint64_t events;
    EventLane::KindCounts counts;
};

/// An event without its texts.
struct EventHead
{
    int64_t timePs;
    uint32_t node;
    uint32_t link;
    uint32_t queuePair;
    uint32_t key;
    uint8_t priority;
    bool oncePerQueuePair;
};

/// The counters of one link and priority; most are all 0 and are not sent.
struct NumberedCounters
{
    uint64_t number;
    LinkCounters counters;
};

/// Needed because std::pair is not trivially copyable.
struct PlainQueue
{
    uint32_t link;
    uint32_t priority;
};

void
PutQueues(RankBuffer& buffer, const std::vector<PauseSnapshot::Queue>& queues)
{
    std::vector<PlainQueue> plain;
    for (const auto& [link, priority] : queues)
    {
        plain.push_back({link, priority});
    }
    buffer.PutAll(plain);
}

void
TakeQueues(RankBuffer& buffer, std::vector<PauseSnapshot::Queue>& queues)
{
    std::vector<PlainQueue> plain;
    buffer.TakeAll(plain);
    for (const PlainQueue& queue : plain)
    {
        queues.emplace_back(queue.link, queue.priority);
    }
}

} // namespace

void
LogicalProcessCodec::Put(RankBuffer& buffer, const FrameBatch& batch)
{
    buffer.PutAll(batch.frames);
    buffer.PutAll(batch.sides);
}

void
LogicalProcessCodec::Take(RankBuffer& buffer, FrameBatch& batch)
{
    buffer.TakeAll(batch.frames);
    buffer.TakeAll(batch.sides);
}

void
LogicalProcessCodec::Put(RankBuffer& buffer, LogicalProcessReport& report)
{
    buffer.Put(
        ReportHead{report.firstTime, report.lastTime, report.check, report.events, report.counts});
    report.check = SlottedWheel::NEVER;
    buffer.Put(uint64_t{report.sent.size()});
    for (FrameBatch& sent : report.sent)
    {
        Put(buffer, sent);
        sent.Clear();
    }
    buffer.PutAll(report.pauses);
    report.pauses.clear();
    buffer.Put(uint64_t{report.records.size()});
    for (const auto& [record, key] : report.records)
    {
        buffer.Put(EventHead{record.timePs,
                             record.node,
                             record.link,
                             record.queuePair,
                             key,
                             record.priority,
                             record.oncePerQueuePair});
        buffer.PutText(record.kind);
        buffer.PutText(record.detail);
    }
    report.records.clear();
}

void
LogicalProcessCodec::Take(RankBuffer& buffer, LogicalProcessReport& report)
{
    const auto head = buffer.Take<ReportHead>();
    report.firstTime = head.firstTime;
    report.lastTime = head.lastTime;
    report.check = std::min(report.check, head.check);
    report.events = head.events;
    report.counts = head.counts;
    report.sent.resize(buffer.Take<uint64_t>());
    for (FrameBatch& sent : report.sent)
    {
        Take(buffer, sent);
    }
    buffer.TakeAll(report.pauses);
    for (auto events = buffer.Take<uint64_t>(); events > 0; --events)
    {
        const auto event = buffer.Take<EventHead>();
        FabricEventRecord record;
        record.timePs = event.timePs;
        record.node = event.node;
        record.link = event.link;
        record.queuePair = event.queuePair;
        record.priority = event.priority;
        record.oncePerQueuePair = event.oncePerQueuePair;
        record.kind = buffer.TakeText();
        record.detail = buffer.TakeText();
        report.records.push_back({record, event.key});
    }
}

void
LogicalProcessCodec::Put(RankBuffer& buffer, const FabricReadings& readings)
{
    buffer.Put(readings.totals);
    std::vector<NumberedCounters> links;
    for (std::size_t i = 0; i < readings.links.size(); ++i)
    {
        if (!readings.links[i].IsZero())
        {
            links.push_back({i, readings.links[i]});
        }
    }
    buffer.Put(uint64_t{readings.links.size()});
    buffer.PutAll(links);
    buffer.PutAll(readings.sentPauses);
    buffer.PutAll(readings.sentPfcFrames);
    buffer.PutAll(readings.bufferPeaks);
    buffer.PutAll(readings.jobs);
}

FabricReadings
LogicalProcessCodec::TakeReadings(RankBuffer& buffer)
{
    FabricReadings readings;
    readings.totals = buffer.Take<FabricTotals>();
    readings.links.resize(buffer.Take<uint64_t>());
    std::vector<NumberedCounters> links;
    buffer.TakeAll(links);
    for (const NumberedCounters& link : links)
    {
        readings.links[link.number] = link.counters;
    }
    buffer.TakeAll(readings.sentPauses);
    buffer.TakeAll(readings.sentPfcFrames);
    buffer.TakeAll(readings.bufferPeaks);
    buffer.TakeAll(readings.jobs);
    return readings;
}

void
LogicalProcessCodec::Put(RankBuffer& buffer, const FabricAudit& audit)
{
    buffer.Put(audit.framesInUse);
    buffer.Put(audit.frames);
    buffer.Put(audit.pfcFrames);
    buffer.Put(audit.paused);
    buffer.PutAll(audit.bufferUsed);
    buffer.PutAll(audit.bufferHeld);
}

FabricAudit
LogicalProcessCodec::TakeAudit(RankBuffer& buffer)
{
    FabricAudit audit;
    audit.framesInUse = buffer.Take<uint64_t>();
    audit.frames = buffer.Take<uint64_t>();
    audit.pfcFrames = buffer.Take<uint64_t>();
    audit.paused = buffer.Take<uint64_t>();
    buffer.TakeAll(audit.bufferUsed);
    buffer.TakeAll(audit.bufferHeld);
    return audit;
}

void
LogicalProcessCodec::Put(RankBuffer& buffer, const PauseSnapshot& snapshot)
{
    buffer.Put(snapshot.next);
    buffer.Put(uint8_t{snapshot.old});
    buffer.PutAll(snapshot.forwarding);
    PutQueues(buffer, snapshot.stuck);
    buffer.Put(uint64_t{snapshot.waits.size()});
    for (const auto& [queue, waits] : snapshot.waits)
    {
        buffer.Put(PlainQueue{queue.first, queue.second});
        PutQueues(buffer, waits);
    }
}

void
LogicalProcessCodec::Take(RankBuffer& buffer, PauseSnapshot& snapshot)
{
    snapshot.next = std::min(snapshot.next, buffer.Take<int64_t>());
    snapshot.old = (buffer.Take<uint8_t>() != 0) || snapshot.old;
    buffer.TakeAll(snapshot.forwarding);
    TakeQueues(buffer, snapshot.stuck);
    for (auto count = buffer.Take<uint64_t>(); count > 0; --count)
    {
        const auto queue = buffer.Take<PlainQueue>();
        TakeQueues(buffer, snapshot.waits[{queue.link, queue.priority}]);
    }
}

} // namespace ns3
