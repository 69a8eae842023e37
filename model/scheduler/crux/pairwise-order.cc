/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../base/ties.h"
#include "../decision-json.h"
#include "intensity-order.h"
#include "priority-pair.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PairwiseOrder");

/**
 * Priorities of Crux (SIGCOMM 2024, section 4.2): P_j = k_j I_j, where k_j compares the gains of
 * the job and of a reference job from going first on a shared link (PriorityPair). The reference
 * job (k = 1, also for jobs that are like it) is the one with the most network traffic or, if no
 * job has any, the most traffic inside hosts. Jobs are compared by compute time, t_j of
 * GpuIntensity, and the fraction of the compute after which they may communicate.
 */
class PairwiseOrder : public JobOrder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::PairwiseOrder")
                .SetParent<JobOrder>()
                .SetGroupName("GpuFabric")
                .AddConstructor<PairwiseOrder>()
                .AddAttribute("KMax",
                              "Correction factors are kept in [1 / KMax, KMax]; KMax is that of a "
                              "job that costs the reference job nothing (our choice).",
                              DoubleValue(10),
                              MakeDoubleAccessor(&PairwiseOrder::m_kMax),
                              MakeDoubleChecker<double>(1, 1e6))
                .AddAttribute("Phases",
                              "Starts of a job against the reference job over which a factor is "
                              "averaged (our choice).",
                              UintegerValue(64),
                              MakeUintegerAccessor(&PairwiseOrder::m_phases),
                              MakeUintegerChecker<uint32_t>(1, 4096))
                .AddAttribute("Horizon",
                              "Time for which each start is followed, in periods of the longer of "
                              "the two jobs (the paper leaves it open; our choice).",
                              UintegerValue(40),
                              MakeUintegerAccessor(&PairwiseOrder::m_periods),
                              MakeUintegerChecker<uint32_t>(1, 100000));
        return tid;
    }

    void Rank(const ClusterView& view,
              CandidatePaths& /* paths */,
              JobRanking& ranking) const override
    {
        NS_LOG_FUNCTION(this << ranking.jobs.size());
        ranking.by = "P = k I";
        const RankedJob* reference = nullptr;
        for (RankedJob& job : ranking.jobs)
        {
            IntensityOrder::Describe(*view.topology, job);
            const bool more =
                !reference || job.intensity.GetTraffic() > reference->intensity.GetTraffic();
            reference = job.IsRanked() && more ? &job : reference;
        }
        // Equal jobs are compared only once.
        std::map<std::tuple<int64_t, int64_t, double>, PriorityPair::Gain> gains;
        bool shortened = false;
        for (RankedJob& job : ranking.jobs)
        {
            if (!job.IsRanked())
            {
                continue;
            }
            const PeriodicJob profile = GetProfile(job);
            DecisionJson inputs;
            inputs.AddMembers(job.inputs)
                .Add("compute_s", 1e-12 * static_cast<double>(profile.computePs))
                .Add("start_fraction", profile.startFraction)
                .Add("reference", reference->job->job);
            double factor = 1;
            // A job like the reference gains as much as it; measured over a horizon, which cuts
            // iterations, the two gains would differ a little.
            if (&job != reference && !IsAlike(profile, GetProfile(*reference)))
            {
                const auto [entry, isNew] =
                    gains.try_emplace({profile.computePs, profile.linkPs, profile.startFraction});
                if (isNew)
                {
                    entry->second =
                        PriorityPair(GetProfile(*reference), profile).Measure(m_phases, m_periods);
                }
                const PriorityPair::Gain& gain = entry->second;
                shortened = shortened || gain.shortened;
                factor = gain.GetFactor(m_kMax);
                inputs.Add("gain_s", gain.secondSeconds)
                    .Add("gain_of_reference_s", gain.firstSeconds)
                    .Add("horizon_s", gain.horizonSeconds);
            }
            job.priority = factor * job.intensity.GetIntensity();
            job.inputs = inputs.Add("k", factor).Add("P", job.priority).Get();
        }
        if (shortened)
        {
            ranking.fallbacks.push_back(
                "jobs were compared over " + std::to_string(PriorityPair::MAX_ITERATIONS) +
                " iterations of the one with the shorter period, fewer than Horizon asks for");
        }
        ranking.Sort();
    }

  private:
    static bool IsAlike(const PeriodicJob& a, const PeriodicJob& b)
    {
        // Link times are rounded to picoseconds.
        return a.computePs == b.computePs && std::abs(a.linkPs - b.linkPs) <= 1 &&
               !IsAbove(a.startFraction, b.startFraction) &&
               !IsAbove(b.startFraction, a.startFraction);
    }

    /// The parameters by which a job that uses the network is compared.
    static PeriodicJob GetProfile(const RankedJob& ranked)
    {
        PeriodicJob job;
        job.computePs = ranked.job->computePs;
        job.linkPs = std::max<int64_t>(1, std::llround(1e12 * ranked.intensity.GetLinkSeconds()));
        job.startFraction = ranked.job->communicationStart;
        return job;
    }

    double m_kMax{10};
    uint32_t m_phases{64};
    uint32_t m_periods{40};
};

NS_OBJECT_ENSURE_REGISTERED(PairwiseOrder);

} // namespace ns3
