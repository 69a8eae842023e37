/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/recorder.h"
#include "ns3/simulator.h"

#include <map>
#include <optional>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QueuePairRecorder");

namespace
{

/// A row of `queue_pair_sample`.
struct QueuePairSample
{
    int64_t timePs{0};
    uint32_t queuePair{0};
    std::optional<double> rateBps;
    uint64_t windowBytes{UINT64_MAX};
    uint64_t deliveredBytes{0};
    uint64_t pendingBytes{0};
    int64_t rttPs{-1};

    /// Whether it says something else than an earlier sample.
    bool IsNews(const QueuePairSample& before) const
    {
        return rttPs != -1 || rateBps != before.rateBps || windowBytes != before.windowBytes ||
               deliveredBytes != before.deliveredBytes || pendingBytes != before.pendingBytes;
    }
};

const ResultTable<QueuePairSample>&
GetQueuePairSamples()
{
    static const ResultTable<QueuePairSample> table(
        "queue_pair_sample",
        "queue pairs at regular instants, each until the next row of the queue pair",
        {"queue_pair", "time_ps"},
        SameKey::REFUSE,
        Column<&QueuePairSample::timePs>(""),
        Column<&QueuePairSample::queuePair>(""),
        Column<&QueuePairSample::rateBps>(
            "pacing rate of its congestion control, bit/s; NULL: it no longer exists"),
        Column<&QueuePairSample::windowBytes, UINT64_MAX>(
            "payload that may be in flight; NULL: not limited"),
        Column<&QueuePairSample::deliveredBytes>(
            "payload arrived in order since its start, each byte once"),
        Column<&QueuePairSample::pendingBytes>("payload posted and not delivered"),
        Column<&QueuePairSample::rttPs, -1>(
            "the last round-trip time measured since the sample before; NULL: none, or the "
            "congestion control needs none"));
    return table;
}

} // namespace

/**
 * Writes rate, window, payload and round-trip time of all queue pairs at regular intervals, and at
 * the end of the run, where they have changed: `record: [{queue-pairs: {interval: 10us}}]`.
 */
class QueuePairRecorder : public Recorder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::QueuePairRecorder")
                                .SetParent<Recorder>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<QueuePairRecorder>()
                                .AddAttribute("Interval",
                                              "Time between two samples of all queue pairs.",
                                              TimeValue(MicroSeconds(10)),
                                              MakeTimeAccessor(&QueuePairRecorder::m_interval),
                                              MakeTimeChecker(NanoSeconds(1)));
        return tid;
    }

    std::vector<const TableSpec*> Tables() const override
    {
        return {&GetQueuePairSamples().GetSpec()};
    }

    void Connect(const RunContext& context) override
    {
        NS_LOG_FUNCTION(this << context.run << m_interval);
        m_context = context;
        if (!context.transport)
        {
            return;
        }
        const auto connect = [&context](const char* source, const CallbackBase& callback) {
            context.transport->TraceConnectWithoutContext(source, callback);
        };
        connect("QueuePair", MakeCallback(&QueuePairRecorder::OnQueuePair, this));
        connect("Posted", MakeCallback(&QueuePairRecorder::OnPosted, this));
        connect("Delivered", MakeCallback(&QueuePairRecorder::OnDelivered, this));
        connect("Rtt", MakeCallback(&QueuePairRecorder::OnRtt, this));
    }

    void Start() override
    {
        Simulator::Schedule(m_interval, &QueuePairRecorder::Repeat, this);
    }

    void Finish(int64_t endPs) override
    {
        if (m_lastPs < endPs)
        {
            Sample(endPs);
        }
    }

  private:
    /// A queue pair that was alive at the last sample.
    struct Live
    {
        uint64_t postedBytes{0};    ///< payload of all messages [byte]
        uint64_t deliveredBytes{0}; ///< payload of the messages delivered whole [byte]
        int64_t rttPs{-1};          ///< the last since the last sample [ps]; -1: none
        bool written{false};        ///< there is a row
        QueuePairSample last;       ///< the latest row
    };

    void OnQueuePair(const QueuePairRecord& record)
    {
        m_live[record.queuePair];
    }

    void OnPosted(const MessageRecord& record)
    {
        m_live[record.queuePair].postedBytes += record.bytes;
    }

    void OnDelivered(const MessageRecord& record)
    {
        m_live[record.queuePair].deliveredBytes += record.bytes;
    }

    void OnRtt(const CongestionRecord& record)
    {
        m_live[record.queuePair].rttPs = record.rttPs;
    }

    void Repeat()
    {
        Sample(Simulator::Now().GetTimeStep());
        if (!Simulator::IsFinished())
        {
            Simulator::Schedule(m_interval, &QueuePairRecorder::Repeat, this);
        }
    }

    void Sample(int64_t now)
    {
        m_lastPs = now;
        for (auto entry = m_live.begin(); entry != m_live.end();)
        {
            Live& live = entry->second;
            const std::optional<QueuePairReading> reading =
                m_context.transport->ReadQueuePair(now, entry->first);
            QueuePairSample sample;
            sample.timePs = now;
            sample.queuePair = entry->first;
            sample.rttPs = live.rttPs;
            if (reading)
            {
                sample.rateBps = reading->rateBps;
                sample.windowBytes = reading->windowBytes;
                sample.pendingBytes = reading->pendingBytes;
                sample.deliveredBytes = live.postedBytes - reading->pendingBytes;
            }
            else
            {
                sample.deliveredBytes = live.deliveredBytes;
            }
            if (!live.written || sample.IsNews(live.last))
            {
                m_context.results->Insert(GetQueuePairSamples(), m_context.run, sample);
                live.last = sample;
                live.written = true;
            }
            live.rttPs = -1;
            entry = reading ? std::next(entry) : m_live.erase(entry);
        }
    }

    Time m_interval;
    RunContext m_context;
    int64_t m_lastPs{-1};            ///< time of the last sample [ps]
    std::map<uint32_t, Live> m_live; ///< by queue pair
};

NS_OBJECT_ENSURE_REGISTERED(QueuePairRecorder);

} // namespace ns3
