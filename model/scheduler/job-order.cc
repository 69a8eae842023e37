/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/job-order.h"

#include "../base/ties.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(JobOrder);

JobRanking
JobRanking::Make(const ClusterView& view, CandidatePaths& paths)
{
    JobRanking ranking;
    ranking.jobs.reserve(view.jobs.size());
    for (size_t i = 0; i < view.jobs.size(); i++)
    {
        const JobView& job = view.jobs[i];
        ranking.jobs.push_back({&job, i, GpuIntensity(*view.topology, job, paths), 0, "", ""});
    }
    // Orders that take the first of equal jobs take the one that arrived first.
    std::sort(ranking.jobs.begin(), ranking.jobs.end(), [](const RankedJob& a, const RankedJob& b) {
        return std::tie(a.job->arrivalPs, a.job->job) < std::tie(b.job->arrivalPs, b.job->job);
    });
    return ranking;
}

void
JobRanking::Sort()
{
    std::vector<RankedJob> ranked;
    std::vector<RankedJob> others;
    for (RankedJob& job : jobs)
    {
        (job.IsRanked() ? ranked : others).push_back(std::move(job));
    }
    SortWithTies(
        ranked,
        [](const RankedJob& job) { return job.priority; },
        [](const RankedJob& a, const RankedJob& b) {
            const auto trafficA = a.intensity.GetTraffic();
            const auto trafficB = b.intensity.GetTraffic();
            return trafficA != trafficB ? trafficA > trafficB
                                        : std::tie(a.job->arrivalPs, a.job->job) <
                                              std::tie(b.job->arrivalPs, b.job->job);
        });
    std::stable_sort(others.begin(), others.end(), [](const RankedJob& a, const RankedJob& b) {
        if (a.IsUnknown() != b.IsUnknown())
        {
            return a.IsUnknown();
        }
        const auto trafficA = a.intensity.GetTraffic();
        const auto trafficB = b.intensity.GetTraffic();
        return !a.IsUnknown() && trafficA != trafficB ? trafficA > trafficB
                                                      : std::tie(a.job->arrivalPs, a.job->job) <
                                                            std::tie(b.job->arrivalPs, b.job->job);
    });
    jobs = std::move(ranked);
    std::move(others.begin(), others.end(), std::back_inserter(jobs));
}

uint32_t
JobRanking::GetLoudCount() const
{
    return static_cast<uint32_t>(std::count_if(jobs.begin(), jobs.end(), [](const RankedJob& job) {
        return job.IsRanked();
    }));
}

TypeId
JobOrder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::JobOrder").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

} // namespace ns3
