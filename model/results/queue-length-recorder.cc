/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/recorder.h"
#include "ns3/simulator.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QueueLengthRecorder");

namespace
{

/// A row of `queue_sample`.
struct QueueSample
{
    int64_t timePs{0};
    uint32_t link{0};
    uint8_t priority{0};
    uint64_t bytes{0};
};

const ResultTable<QueueSample>&
GetQueueSamples()
{
    static const ResultTable<QueueSample> table(
        "queue_sample",
        "lengths of egress queues at regular instants, each until the next row of the queue; a "
        "queue is empty before its first row",
        {"link", "priority", "time_ps"},
        SameKey::REFUSE,
        Column<&QueueSample::timePs>(""),
        Column<&QueueSample::link>("the one that the queue's frames leave by"),
        Column<&QueueSample::priority>(""),
        Column<&QueueSample::bytes>("waiting, the frame on the wire not counted"));
    return table;
}

} // namespace

/**
 * Writes the lengths of all egress queues at regular intervals, where they have changed: `record:
 * [{type: QueueLength, Interval: 10us}]`.
 *
 * It samples instead of tracing each change, as another thread or rank may simulate a switch, and
 * its queues are known only at the instants at which all are synchronised.
 */
class QueueLengthRecorder : public Recorder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::QueueLengthRecorder")
                                .SetParent<Recorder>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<QueueLengthRecorder>()
                                .AddAttribute("Interval",
                                              "Time between two samples of all queues.",
                                              TimeValue(MicroSeconds(10)),
                                              MakeTimeAccessor(&QueueLengthRecorder::m_interval),
                                              MakeTimeChecker(NanoSeconds(1)));
        return tid;
    }

    std::vector<const TableSpec*> Tables() const override
    {
        return {&GetQueueSamples().GetSpec()};
    }

    void Connect(const RunContext& context) override
    {
        NS_LOG_FUNCTION(this << context.run << m_interval);
        m_context = context;
        m_bytes.resize(context.topology->GetPortCount() * context.fabric->GetQueueCount());
    }

    void Start() override
    {
        Simulator::Schedule(m_interval, &QueueLengthRecorder::Sample, this);
    }

  private:
    void Sample()
    {
        QueueSample sample;
        sample.timePs = Simulator::Now().GetTimeStep();
        auto before = m_bytes.begin();
        for (sample.link = 0; sample.link < m_context.topology->GetPortCount(); ++sample.link)
        {
            for (sample.priority = 0; sample.priority < m_context.fabric->GetQueueCount();
                 ++sample.priority, ++before)
            {
                sample.bytes =
                    m_context.fabric->GetLinkCounters(sample.link, sample.priority).queueBytes;
                if (sample.bytes != *before)
                {
                    *before = sample.bytes;
                    m_context.results->Insert(GetQueueSamples(), m_context.run, sample);
                }
            }
        }
        if (!Simulator::IsFinished())
        {
            Simulator::Schedule(m_interval, &QueueLengthRecorder::Sample, this);
        }
    }

    Time m_interval;
    RunContext m_context;
    std::vector<uint64_t> m_bytes; ///< of the latest rows, by link and priority
};

NS_OBJECT_ENSURE_REGISTERED(QueueLengthRecorder);

} // namespace ns3
