/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/job-order.h"

#include <algorithm>

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
    return ranking;
}

void
JobRanking::Sort()
{
    std::stable_sort(jobs.begin(), jobs.end(), [](const RankedJob& a, const RankedJob& b) {
        const auto getGroup = [](const RankedJob& job) {
            return job.IsUnknown() ? 1 : job.IsQuiet() ? 2 : 0;
        };
        if (getGroup(a) != getGroup(b))
        {
            return getGroup(a) < getGroup(b);
        }
        if (a.IsUnknown())
        {
            return a.job->job < b.job->job;
        }
        if (!a.IsQuiet() && a.priority != b.priority)
        {
            return a.priority > b.priority;
        }
        const auto trafficA = a.intensity.GetTraffic();
        const auto trafficB = b.intensity.GetTraffic();
        return trafficA != trafficB ? trafficA > trafficB : a.job->job < b.job->job;
    });
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
