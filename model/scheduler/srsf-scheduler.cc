/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/ties.h"
#include "decision-json.h"
#include "profiling-scheduler.h"

#include "ns3/log.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SrsfScheduler");

/**
 * Shortest remaining service first: the job with the least remaining GPU time goes first, that is
 * its GPUs times its remaining iterations times the length of an iteration (SRSF, with which
 * Tiresias, NSDI 2019, section 2.2 and Figure 4, is compared; Optimus, EuroSys 2018, estimates the
 * same remaining time from the training speed so far). The papers allocate GPUs in that order; here
 * it is the order of the network among jobs that have their GPUs.
 *
 * The length of an iteration is the mean so far, or an estimate before there is one
 * (JobView::EstimateIterationPs). Ties are broken by arrival, then by job. Jobs with an unknown end
 * (`until`) come last, in that order.
 */
class SrsfOrder : public JobOrder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::SrsfOrder")
                .SetParent<JobOrder>()
                .SetGroupName("GpuFabric")
                .AddConstructor<SrsfOrder>()
                .AddAttribute("Period",
                              "Time between two decisions while no job comes or goes; 0: none.",
                              TimeValue(Seconds(0)),
                              MakeTimeAccessor(&SrsfOrder::m_period),
                              MakeTimeChecker(Seconds(0)));
        return tid;
    }

    void Rank(const ClusterView& view,
              CandidatePaths& /* paths */,
              JobRanking& ranking) const override
    {
        NS_LOG_FUNCTION(this << ranking.jobs.size());
        ranking.by = "remaining service";
        std::vector<std::pair<Key, RankedJob*>> order;
        uint32_t unknown = 0;
        for (RankedJob& ranked : ranking.jobs)
        {
            const JobView& job = *ranked.job;
            const std::optional<double> remaining = job.GetRemainingService(*view.topology);
            unknown += remaining ? 0 : 1;
            order.emplace_back(Key{!remaining, remaining.value_or(0), job.arrivalPs, job.job},
                               &ranked);
            DecisionJson inputs;
            inputs.Add("gpus", job.gpus);
            if (job.service.remainingIterations)
            {
                inputs.Add("remaining_iterations", *job.service.remainingIterations)
                    .Add("iteration_s",
                         static_cast<double>(job.EstimateIterationPs(*view.topology)) / 1e12);
            }
            else if (job.service.remainingPs)
            {
                inputs.Add("remaining_s", static_cast<double>(*job.service.remainingPs) / 1e12);
            }
            if (remaining)
            {
                inputs.Add("remaining_gpu_s", *remaining / 1e12);
            }
            ranked.inputs = inputs.Get();
        }
        using Ordered = std::pair<Key, RankedJob*>;
        SortWithTies(
            order,
            [](const Ordered& item) {
                return std::get<0>(item.first) ? std::numeric_limits<double>::lowest()
                                               : -std::get<1>(item.first);
            },
            [](const Ordered& a, const Ordered& b) {
                return std::make_pair(std::get<2>(a.first), std::get<3>(a.first)) <
                       std::make_pair(std::get<2>(b.first), std::get<3>(b.first));
            });
        for (size_t position = 0; position < order.size(); position++)
        {
            order[position].second->priority = static_cast<double>(order.size() - position);
        }
        if (unknown > 0)
        {
            ranking.fallbacks.push_back("the remaining service of " + std::to_string(unknown) +
                                        " jobs is not known: they go last, by arrival");
        }
        ranking.Sort();
    }

    int64_t GetPeriodPs() const override
    {
        return m_period.GetPicoSeconds();
    }

  private:
    /// (unknown, remaining service [GPU ps], arrival [ps], job).
    using Key = std::tuple<bool, double, int64_t, uint32_t>;

    Time m_period;
};

NS_OBJECT_ENSURE_REGISTERED(SrsfOrder);

/// Strict priority by remaining service (SrsfOrder); ECMP, and levels as TopCompression gives them.
class SrsfScheduler : public ProfilingScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::SrsfScheduler")
                .SetParent<ProfilingScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<SrsfScheduler>()
                .AddAttribute("Period",
                              "Time between two decisions while no job comes or goes; 0: none "
                              "(SrsfOrder::Period).",
                              TimeValue(Seconds(0)),
                              MakeTimeAccessor(&SrsfScheduler::m_period),
                              MakeTimeChecker(Seconds(0)));
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {MakePart<JobOrder>("ns3::SrsfOrder", "Period", TimeValue(m_period)),
                MakePart<PathChoice>("ns3::EcmpPaths"),
                MakePart<LevelCompression>("ns3::TopCompression")};
    }

  private:
    Time m_period;
};

NS_OBJECT_ENSURE_REGISTERED(SrsfScheduler);

} // namespace ns3
