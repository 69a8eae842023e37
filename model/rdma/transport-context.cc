/* SPDX-License-Identifier: GPL-2.0-only */
#include "transport-context.h"

#include "../fabric/switch/routing-table.h"

#include "ns3/log.h"

#include <algorithm>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceTransport");

TransportContext::TransportContext(const RdmaTraces& traces)
    : traces(traces)
{
}

void
TransportContext::Activate(int64_t now, uint32_t id, QueuePair& queuePair)
{
    if (queuePair.place != ArbiterPlace::IDLE || !queuePair.HasFrames())
    {
        return;
    }
    std::unique_ptr<NicArbiter>& arbiter = arbiters[queuePair.sourceNic];
    if (!arbiter)
    {
        arbiter = std::make_unique<NicArbiter>();
    }
    arbiter->Add(now, id, queuePairs);
    fabric->Kick(now, queuePair.sourceNic);
}

void
TransportContext::Fail(int64_t now, uint32_t id, QueuePair& queuePair)
{
    queuePair.failed = true;
    queuePair.life = QueuePairLife::FAILED;
    ++totals.failures;
    EmitEvent(now, "failed", id, queuePair);
    if (queuePair.client)
    {
        queuePair.client->QueuePairFailed(now, id);
    }
}

RateController&
TransportContext::MakeRate(QueuePair& queuePair) const
{
    const uint32_t nic = queuePair.sourceNic;
    FlowContext flow;
    flow.lineRateBps = fabric->GetTopology().GetPortRate(nic);
    flow.mtu = queuePair.framing->mtu;
    flow.baseRttPs =
        GetRoundTrip(queuePair, queuePair.framing->GetDataWireBytes(queuePair.framing->mtu, false));
    flow.hops = static_cast<uint32_t>(
        fabric->GetRouting()
            .GetPath(nic, queuePair.destinationNic, queuePair.flowHash, fabric->GetPathSelector())
            .size());
    queuePair.rate = nics[nic]->GetCongestionControl()->CreateController(flow);
    NS_LOG_LOGIC("rate controller on " << fabric->GetTopology().GetPortName(nic) << ", base RTT "
                                       << flow.baseRttPs << " ps");
    return *queuePair.rate;
}

void
TransportContext::UpdateWindow(int64_t now, QueuePair& queuePair) const
{
    uint64_t window = QueuePair::MAX_OUTSTANDING;
    const uint32_t mtu = queuePair.framing->mtu;
    if (queuePair.reorderGuard && queuePair.reorderGuard->IsReordering())
    {
        window = std::min(window, queuePair.reorderGuard->GetWindow());
    }
    if (queuePair.selective)
    {
        if (const uint64_t bytes = nics[queuePair.sourceNic]->GetIrnWindow(); bytes > 0)
        {
            window = std::min(window, std::max<uint64_t>(bytes / mtu, 1));
        }
    }
    if (queuePair.feedback != 0)
    {
        // A frame may start while less than the window is in flight.
        const uint64_t bytes = queuePair.rate->GetLimits(now).windowBytes;
        window = std::min(window, std::max<uint64_t>(bytes / mtu + (bytes % mtu != 0), 1));
    }
    queuePair.window = window;
}

void
TransportContext::NotifyAck(int64_t now,
                            uint32_t id,
                            QueuePair& queuePair,
                            uint64_t acked,
                            const Frame& frame,
                            const FrameSide* side) const
{
    const uint32_t mtu = queuePair.framing->mtu;
    AckSample sample;
    sample.now = now;
    sample.frames = static_cast<uint32_t>(acked);
    sample.payloadBytes = acked * mtu;
    sample.inFlightBytes = (queuePair.next - queuePair.unacked) * mtu;
    sample.ecnEchoed = frame.flags & FRAME_ECN_ECHO;
    if (side)
    {
        sample.rttPs = now - side->sentPs;
        sample.records = side->record.data();
        sample.recordCount = side->hops;
        if (!traces.rtt.IsEmpty())
        {
            CongestionRecord record;
            record.queuePair = id;
            record.nic = queuePair.sourceNic;
            record.timePs = now;
            record.rttPs = sample.rttPs;
            traces.rtt(record);
        }
    }
    queuePair.rate->OnAck(sample);
    if (queuePair.tracksSends)
    {
        UpdateWindow(now, queuePair);
    }
    if (!traces.rate.IsEmpty())
    {
        EmitCongestion(now, id, queuePair, traces.rate);
    }
}

void
TransportContext::NotifyLoss(int64_t now, uint32_t id, QueuePair& queuePair) const
{
    if (!queuePair.rate)
    {
        return;
    }
    queuePair.rate->OnLoss(now);
    if (queuePair.tracksSends)
    {
        UpdateWindow(now, queuePair);
    }
    if (!traces.rate.IsEmpty())
    {
        EmitCongestion(now, id, queuePair, traces.rate);
    }
}

void
TransportContext::AddFeedback(int64_t now, const QueuePair& queuePair, uint32_t frame) const
{
    if (queuePair.feedback & (FEEDBACK_TIMESTAMP | FEEDBACK_INT))
    {
        FrameSide& side = frames->AttachSide(frame);
        side.sentPs = now;
        side.flags = queuePair.feedback & FEEDBACK_INT ? FRAME_SIDE_INT : 0;
    }
}

int64_t
TransportContext::GetRoundTrip(const QueuePair& queuePair, uint32_t wireBytes) const
{
    const uint32_t ackBytes = queuePair.framing->GetAckWireBytes();
    int64_t time = 0;
    for (uint32_t port : fabric->GetRouting().GetPath(queuePair.sourceNic,
                                                      queuePair.destinationNic,
                                                      queuePair.flowHash,
                                                      fabric->GetPathSelector()))
    {
        // The return path is assumed to be equally long.
        time += 2 * fabric->GetTopology().GetPortDelay(port) +
                fabric->GetWireTime(port, wireBytes) + fabric->GetWireTime(port, ackBytes);
    }
    return time;
}

void
TransportContext::EmitEvent(int64_t now,
                            const char* kind,
                            uint32_t id,
                            const QueuePair& queuePair,
                            const char* detail) const
{
    NS_LOG_INFO(now << " ps: queue pair " << id << ' ' << kind);
    if (traces.event.IsEmpty())
    {
        return;
    }
    FabricEventRecord record;
    record.timePs = now;
    record.kind = kind;
    record.node = fabric->GetTopology().GetPortNode(queuePair.sourceNic);
    record.link = queuePair.sourceNic;
    record.queuePair = id;
    record.priority = queuePair.priority;
    uint64_t oldest = queuePair.read ? queuePair.expected : queuePair.unacked;
    record.detail = detail ? detail : "oldest frame " + std::to_string(oldest);
    fabric->NotifyEvent(record, traces.event);
}

void
TransportContext::ReportReordering(int64_t now, uint32_t id, const QueuePair& queuePair)
{
    ++totals.reorderings;
    EmitEvent(now,
              "reordering",
              id,
              queuePair,
              "frames overtake each other, which go-back-n takes for loss: fewer are in flight");
}

void
TransportContext::EmitCongestion(int64_t now,
                                 uint32_t id,
                                 const QueuePair& queuePair,
                                 const TracedCallback<const CongestionRecord&>& trace) const
{
    CongestionRecord record;
    record.queuePair = id;
    record.nic = queuePair.sourceNic;
    record.timePs = now;
    const SendLimits limits = queuePair.rate->GetLimits(now);
    record.rateBps = limits.rateBps;
    record.windowBytes = limits.windowBytes;
    trace(record);
}

} // namespace ns3
