/* SPDX-License-Identifier: GPL-2.0-only */
#include "byte-scheduler-scheduler.h"

#include "../../base/enum-value.h"
#include "../../base/ties.h"
#include "../decision-json.h"

#include "ns3/boolean.h"
#include "ns3/counter-random.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ByteSchedulerScheduler");

NS_OBJECT_ENSURE_REGISTERED(ByteSchedulerScheduler);

namespace
{

constexpr double MILLION = 1e6; ///< parameters

/// Sizes in ByteScheduler's code, in parameters.
struct Sizes
{
    double partition;
    double credit;
    double leastCredit; ///< of the search
    double mostCredit;
};

/// Range of partition sizes that is searched, in parameters.
constexpr double LEAST_PARTITION = 2 * MILLION;
constexpr double MOST_PARTITION = 32 * MILLION;

Sizes
GetSizes(const TensorView& tensors)
{
    return tensors.servers ? Sizes{1 * MILLION, 4 * MILLION, 1 * MILLION, 16 * MILLION}
                           : Sizes{8 * MILLION, 16 * MILLION, 4 * MILLION, 64 * MILLION};
}

uint64_t
GetBytes(double parameters, const TensorView& tensors)
{
    return static_cast<uint64_t>(std::llround(parameters)) * tensors.bytesPerParameter;
}

/// Iterations per second of the completed samples.
std::vector<double>
GetSpeeds(const TensorView& tensors, uint64_t iterations)
{
    std::vector<double> speeds;
    for (const TensorSample& sample : tensors.samples)
    {
        if (sample.iterations >= iterations && sample.elapsedPs > 0)
        {
            speeds.push_back(1e12 * static_cast<double>(sample.iterations) /
                             static_cast<double>(sample.elapsedPs));
        }
    }
    return speeds;
}

} // namespace

TypeId
ByteSchedulerScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ByteSchedulerScheduler")
            .SetParent<CommunicationScheduler>()
            .SetGroupName("GpuFabric")
            .AddConstructor<ByteSchedulerScheduler>()
            .AddAttribute("PartitionSize",
                          "Size above which a tensor is cut into pieces of it, before the "
                          "job's scale; larger than all tensors: none is. 0: as ByteScheduler's "
                          "code, 1 million parameters with parameter servers, 8 million with "
                          "all-reduces.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&ByteSchedulerScheduler::m_partitionBytes),
                          MakeByteSizeChecker())
            .AddAttribute("CreditSize",
                          "A piece is posted while less than this is, before the job's "
                          "scale. 0: as ByteScheduler's code, 4 million parameters with parameter "
                          "servers, 16 million with all-reduces.",
                          ByteSizeValue(0),
                          MakeByteSizeAccessor(&ByteSchedulerScheduler::m_creditBytes),
                          MakeByteSizeChecker())
            .AddAttribute("Priority",
                          "Whether the tensor nearest the input goes first; else in the order of "
                          "the backward pass.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ByteSchedulerScheduler::m_priority),
                          MakeBooleanChecker())
            .AddAttribute("Streams",
                          "All-reduces of pieces that a rank runs at a time, as the credit allows. "
                          "1: as NCCL in a stream; with more the latency of the steps of one is "
                          "hidden by another.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&ByteSchedulerScheduler::m_streams),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute(
                "ServerPlacement",
                "With parameter servers: a share of each tensor on every server, or tensors go "
                "round, each whole on one, so that servers carry unequal loads (a reconstruction "
                "of the baseline).",
                NameValue<ServerPlacement>(ServerPlacement::SPREAD),
                MakeNameAccessor<ServerPlacement>(&ByteSchedulerScheduler::m_serverPlacement),
                MakeNameChecker<ServerPlacement>())
            .AddAttribute("ControlLatency",
                          "Time that a message between the schedulers of two ranks takes: of a "
                          "gradient that is ready, of a piece to post, to pull (a reconstruction; "
                          "as ns3::ClusterManager::ControlLatency).",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&ByteSchedulerScheduler::m_controlLatency),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("Tune",
                          "Search for the sizes of the partition and the credit while jobs run, "
                          "instead of the two above: 2 to 32 million parameters, and 1 to 16 "
                          "million with parameter servers, 4 to 64 million with all-reduces.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ByteSchedulerScheduler::m_tune),
                          MakeBooleanChecker())
            .AddAttribute("SamplingIterations",
                          "Iterations of a sample of the search, the first of which does not "
                          "count; ByteScheduler's code takes 100.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&ByteSchedulerScheduler::m_samplingIterations),
                          MakeUintegerChecker<uint32_t>(2))
            .AddAttribute("RandomSamples",
                          "Samples of the search at random sizes, before the others.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&ByteSchedulerScheduler::m_randomSamples),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("SearchSteps",
                          "Samples of the search where a Gaussian process expects the largest "
                          "improvement.",
                          UintegerValue(15),
                          MakeUintegerAccessor(&ByteSchedulerScheduler::m_searchSteps),
                          MakeUintegerChecker<uint32_t>(0, 200))
            .AddAttribute("Exploration",
                          "xi of the expected improvement, in standard deviations of the speeds "
                          "(that unit is a reconstruction).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&ByteSchedulerScheduler::m_exploration),
                          MakeDoubleChecker<double>(0, 10))
            .AddAttribute("Period",
                          "Time between two checks of the samples of a search.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&ByteSchedulerScheduler::m_period),
                          MakeTimeChecker(MicroSeconds(1)));
    return tid;
}

std::optional<TensorProgramOptions>
ByteSchedulerScheduler::GetTensorOptions() const
{
    return TensorProgramOptions{m_serverPlacement == ServerPlacement::SPREAD};
}

int64_t
ByteSchedulerScheduler::GetPeriodPs() const
{
    return m_tune ? m_period.GetPicoSeconds() : 0;
}

ByteSchedulerScheduler::Choice
ByteSchedulerScheduler::ChooseFixed(const JobView& job) const
{
    const Sizes sizes = GetSizes(job.tensors);
    Choice choice;
    choice.partitionBytes =
        m_partitionBytes > 0 ? m_partitionBytes : GetBytes(sizes.partition, job.tensors);
    choice.creditBytes = m_creditBytes > 0 ? m_creditBytes : GetBytes(sizes.credit, job.tensors);
    choice.reason =
        std::string(m_priority ? "tensors nearest the input go first"
                               : "tensors go as the backward pass makes them") +
        (m_partitionBytes > 0 && m_creditBytes > 0 ? "" : ", with sizes of ByteScheduler's code");
    return choice;
}

ByteSchedulerScheduler::Choice
ByteSchedulerScheduler::ChooseTuned(const ClusterView& view, const JobView& job) const
{
    BayesianSearch::Options options;
    options.randomPoints = m_randomSamples;
    options.steps = m_searchSteps;
    options.exploration = m_exploration;
    options.seed = view.seed;
    options.stream = HashName("byte-scheduler|" + job.name);
    const BayesianSearch search(options);
    std::vector<double> speeds = GetSpeeds(job.tensors, m_samplingIterations - 1);
    speeds.resize(std::min<size_t>(speeds.size(), search.GetPointCount()));
    const std::vector<BayesianSearch::Point> points = search.GetPoints(speeds);
    const bool ended = speeds.size() == search.GetPointCount();
    const size_t best = speeds.empty() ? 0 : FindGreatest(speeds);
    const BayesianSearch::Point point = ended ? points[best] : points.back();
    const Sizes sizes = GetSizes(job.tensors);
    Choice choice;
    choice.partitionBytes =
        GetBytes(LEAST_PARTITION + point.x * (MOST_PARTITION - LEAST_PARTITION), job.tensors);
    choice.creditBytes =
        GetBytes(sizes.leastCredit + point.y * (sizes.mostCredit - sizes.leastCredit), job.tensors);
    DecisionJson inputs;
    inputs.Add("samples", static_cast<uint64_t>(speeds.size())).Add("of", search.GetPointCount());
    if (!speeds.empty())
    {
        inputs.Add("last_speed", speeds.back()).Add("best_speed", speeds[best]);
    }
    choice.inputs = inputs.Get();
    choice.reason = ended ? "the sizes of the fastest sample"
                    : speeds.size() < m_randomSamples
                        ? "a sample of the search at random sizes"
                        : "a sample of the search where it expects the largest improvement";
    // Until a sample is complete, and after the last one, a job keeps its sizes.
    choice.isNew =
        job.tensors.samples.size() <= speeds.size() && !(ended && best + 1 == speeds.size());
    return choice;
}

ScheduleDecision
ByteSchedulerScheduler::Decide(const ClusterView& view) const
{
    NS_LOG_FUNCTION(this << view.trigger << view.jobs.size());
    ScheduleDecision decision;
    for (const JobView& job : view.jobs)
    {
        JobDecision entry;
        entry.job = job.job;
        const bool first = view.trigger != "period";
        if (!job.tensors.unsupported.empty())
        {
            entry.inputs = "{}";
            entry.reason = "runs as without a scheduler";
            entry.warnings.push_back("ByteScheduler does not schedule its gradients: " +
                                     job.tensors.unsupported);
            if (first)
            {
                decision.jobs.push_back(std::move(entry));
            }
            continue;
        }
        const Choice choice = m_tune ? ChooseTuned(view, job) : ChooseFixed(job);
        if (!first && !choice.isNew)
        {
            continue;
        }
        TensorSchedule schedule;
        schedule.partitionBytes = choice.partitionBytes;
        schedule.creditBytes = choice.creditBytes;
        schedule.priority = m_priority;
        schedule.streams = m_streams;
        schedule.latencyPs = m_controlLatency.GetPicoSeconds();
        entry.tensors = schedule;
        entry.inputs = DecisionJson()
                           .Add("mode", job.tensors.servers ? "parameter-servers" : "all-reduce")
                           .Add("bytes_per_parameter", job.tensors.bytesPerParameter)
                           .Add("partition_bytes", schedule.partitionBytes)
                           .Add("credit_bytes", schedule.creditBytes)
                           .AddMembers(choice.inputs)
                           .Get();
        entry.reason = choice.reason;
        decision.jobs.push_back(std::move(entry));
    }
    return decision;
}

} // namespace ns3
