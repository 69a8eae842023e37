/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-part-codec.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// What a report has beside its lists.
struct ReportHead
{
    int64_t firstTime;
    int64_t lastTime;
    int64_t look;
    uint64_t events;
    EventLane::EventCounts counts;
};

/// An event but for its texts.
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

/// The counters of one of many links and priorities, most of which are all 0.
struct NumberedCounters
{
    uint64_t number;
    LinkCounters counters;
};

/// As std::pair is not trivially copyable.
struct PlainQueue
{
    uint32_t link;
    uint32_t priority;
};

void
PutQueues(RankBuffer& buffer, const std::vector<FabricLook::Queue>& queues)
{
    std::vector<PlainQueue> plain;
    for (const auto& [link, priority] : queues)
    {
        plain.push_back({link, priority});
    }
    buffer.PutAll(plain);
}

void
TakeQueues(RankBuffer& buffer, std::vector<FabricLook::Queue>& queues)
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
FabricPartCodec::Put(RankBuffer& buffer, const FrameBatch& batch)
{
    buffer.PutAll(batch.frames);
    buffer.PutAll(batch.sides);
}

void
FabricPartCodec::Take(RankBuffer& buffer, FrameBatch& batch)
{
    buffer.TakeAll(batch.frames);
    buffer.TakeAll(batch.sides);
}

void
FabricPartCodec::Put(RankBuffer& buffer, FabricPartReport& report)
{
    buffer.Put(
        ReportHead{report.firstTime, report.lastTime, report.look, report.events, report.counts});
    report.look = SlottedWheel::NEVER;
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
FabricPartCodec::Take(RankBuffer& buffer, FabricPartReport& report)
{
    const auto head = buffer.Take<ReportHead>();
    report.firstTime = head.firstTime;
    report.lastTime = head.lastTime;
    report.look = std::min(report.look, head.look);
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
FabricPartCodec::Put(RankBuffer& buffer, const FabricReadings& readings)
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
FabricPartCodec::TakeReadings(RankBuffer& buffer)
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
FabricPartCodec::Put(RankBuffer& buffer, const FabricAudit& audit)
{
    buffer.Put(audit.framesInUse);
    buffer.Put(audit.frames);
    buffer.Put(audit.pfcFrames);
    buffer.Put(audit.paused);
    buffer.PutAll(audit.bufferUsed);
    buffer.PutAll(audit.bufferHeld);
}

FabricAudit
FabricPartCodec::TakeAudit(RankBuffer& buffer)
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
FabricPartCodec::Put(RankBuffer& buffer, const FabricLook& look)
{
    buffer.Put(look.next);
    buffer.Put(uint8_t{look.old});
    buffer.PutAll(look.forwarding);
    PutQueues(buffer, look.stuck);
    buffer.Put(uint64_t{look.waits.size()});
    for (const auto& [queue, waits] : look.waits)
    {
        buffer.Put(PlainQueue{queue.first, queue.second});
        PutQueues(buffer, waits);
    }
}

void
FabricPartCodec::Take(RankBuffer& buffer, FabricLook& look)
{
    look.next = std::min(look.next, buffer.Take<int64_t>());
    look.old = (buffer.Take<uint8_t>() != 0) || look.old;
    buffer.TakeAll(look.forwarding);
    TakeQueues(buffer, look.stuck);
    for (auto count = buffer.Take<uint64_t>(); count > 0; --count)
    {
        const auto queue = buffer.Take<PlainQueue>();
        TakeQueues(buffer, look.waits[{queue.link, queue.priority}]);
    }
}

} // namespace ns3
