/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/text-value.h"
#include "../base/ties.h"
#include "../base/unit-parser.h"
#include "decision-json.h"
#include "ordered-scheduler.h"

#include "ns3/log.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Las2DScheduler");

namespace
{

/// The thresholds in the authors' simulator of Tiresias: queues up to 3250 and 7200 GPU s, and a
/// last one.
const char* const AUTHORS_THRESHOLDS = "3250s, 7200s";

/// Reads "3250s, 7200s"; empty text means one queue. \param fault receives a sentence if the text
/// is invalid
std::vector<int64_t>
ReadThresholds(const std::string& text, std::string& fault)
{
    std::vector<int64_t> thresholds;
    std::istringstream list(text);
    for (std::string word; fault.empty() && std::getline(list, word, ',');)
    {
        const size_t begin = word.find_first_not_of(' ');
        word = begin == std::string::npos
                   ? ""
                   : word.substr(begin, word.find_last_not_of(' ') + 1 - begin);
        const auto time = UnitParser::ParseTime(word, fault);
        if (time && (*time <= 0 || (!thresholds.empty() && *time <= thresholds.back())))
        {
            fault = "thresholds are positive and ascend";
        }
        thresholds.push_back(time.value_or(0));
    }
    if (fault.empty() && !text.empty() && text.back() == ',')
    {
        fault = "the list ends with a comma";
    }
    return thresholds;
}

std::string
FindThresholdFault(const std::string& text)
{
    std::string fault;
    ReadThresholds(text, fault);
    return fault.empty() ? "" : fault + "; wants GPU times like \"" + AUTHORS_THRESHOLDS + "\"";
}

/// The attributes that the order and its scheduler share.
template <class Owner>
TypeId
AddQueues(TypeId tid, std::string Owner::*thresholds, Time Owner::*period)
{
    return tid
        .AddAttribute("Thresholds",
                      "GPU times (GPUs times executed time) at which a job is demoted to the next "
                      "queue, ascending; their number plus one is K, the number of queues. The "
                      "default is that of the authors' simulator for K = 3.",
                      TextValue(AUTHORS_THRESHOLDS),
                      MakeTextAccessor(thresholds),
                      MakeTextChecker(&FindThresholdFault))
        .AddAttribute("Period",
                      "Time between two decisions while no job comes or goes, at which jobs are "
                      "demoted; 0: none (our choice; Tiresias acts at once).",
                      TimeValue(MilliSeconds(100)),
                      MakeTimeAccessor(period),
                      MakeTimeChecker(Seconds(0)));
}

} // namespace

/**
 * Two-dimensional least attained service in discretized queues (Gu et al., "Tiresias: A GPU Cluster
 * Manager for Distributed Deep Learning", NSDI 2019, sections 3.2.2 and 3.2.3): the attained
 * service of a job is its GPUs times the time it has run. Queue i holds the jobs from threshold i -
 * 1 (inclusive) to threshold i (exclusive), so that a job enters the first queue and is demoted as
 * it is served; a better queue goes first, and within a queue the job that started first. The paper
 * allocates GPUs in that order; here it is the order of the network among jobs that have their
 * GPUs. Therefore a job is never stopped, and the promotion of starving jobs (PROMOTEKNOB) has no
 * effect.
 *
 * A job that is about to start counts as started now. Ties are broken by arrival, then by job.
 */
class Las2DOrder : public JobOrder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AddQueues(TypeId("ns3::Las2DOrder")
                                          .SetParent<JobOrder>()
                                          .SetGroupName("GpuFabric")
                                          .AddConstructor<Las2DOrder>(),
                                      &Las2DOrder::m_thresholds,
                                      &Las2DOrder::m_period);
        return tid;
    }

    void Rank(const ClusterView& view,
              CandidatePaths& /* paths */,
              JobRanking& ranking) const override
    {
        NS_LOG_FUNCTION(this << ranking.jobs.size());
        ranking.by = "attained service";
        std::string fault;
        const std::vector<int64_t> thresholds = ReadThresholds(m_thresholds, fault);
        std::vector<std::pair<Key, RankedJob*>> order;
        for (RankedJob& ranked : ranking.jobs)
        {
            const JobView& job = *ranked.job;
            const double attained = job.GetAttainedService();
            const auto queue = static_cast<uint32_t>(
                std::upper_bound(thresholds.begin(),
                                 thresholds.end(),
                                 attained,
                                 [](double service, int64_t threshold) {
                                     return IsAbove(static_cast<double>(threshold), service);
                                 }) -
                thresholds.begin());
            const int64_t startPs = job.service.startPs < 0 ? view.nowPs : job.service.startPs;
            order.emplace_back(Key{queue, startPs, job.arrivalPs, job.job}, &ranked);
            NS_LOG_LOGIC("job " << job.job << " is in queue " << queue);
            ranked.inputs = DecisionJson()
                                .Add("gpus", job.gpus)
                                .Add("attained_gpu_s", attained / 1e12)
                                .Add("queue", queue)
                                .Add("start_s", static_cast<double>(startPs) / 1e12)
                                .Get();
        }
        std::sort(order.begin(), order.end());
        for (size_t position = 0; position < order.size(); position++)
        {
            order[position].second->priority = static_cast<double>(order.size() - position);
        }
        ranking.Sort();
    }

    int64_t GetPeriodPs() const override
    {
        return m_period.GetPicoSeconds();
    }

  private:
    /// (queue, start [ps], arrival [ps], job).
    using Key = std::tuple<uint32_t, int64_t, int64_t, uint32_t>;

    std::string m_thresholds;
    Time m_period;
};

NS_OBJECT_ENSURE_REGISTERED(Las2DOrder);

/// Strict priority by attained service (Las2DOrder); ECMP, and levels as TopCompression gives them.
class Las2DScheduler : public OrderedScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AddQueues(TypeId("ns3::Las2DScheduler")
                                          .SetParent<OrderedScheduler>()
                                          .SetGroupName("GpuFabric")
                                          .AddConstructor<Las2DScheduler>(),
                                      &Las2DScheduler::m_thresholds,
                                      &Las2DScheduler::m_period);
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {MakePart<JobOrder>("ns3::Las2DOrder",
                                   "Thresholds",
                                   TextValue(m_thresholds),
                                   "Period",
                                   TimeValue(m_period)),
                MakePart<PathChoice>("ns3::EcmpPaths"),
                MakePart<LevelCompression>("ns3::TopCompression")};
    }

  private:
    std::string m_thresholds;
    Time m_period;
};

NS_OBJECT_ENSURE_REGISTERED(Las2DScheduler);

} // namespace ns3
