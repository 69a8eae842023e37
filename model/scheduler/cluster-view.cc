/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/cluster-view.h"

#include <algorithm>

namespace ns3
{

std::string
ScheduleDecision::Validate(const ClusterView& view) const
{
    auto job = view.jobs.begin();
    for (const JobDecision& entry : jobs)
    {
        job = std::find_if(job, view.jobs.end(), [&entry](const JobView& candidate) {
            return candidate.job == entry.job;
        });
        const std::string name = "job " + std::to_string(entry.job);
        if (job == view.jobs.end())
        {
            return name + " is out of order or does not run";
        }
        if (entry.level >= view.priorityLevels)
        {
            return name + " has level " + std::to_string(entry.level) + ", but there are " +
                   std::to_string(view.priorityLevels);
        }
        if (entry.paths.size() > job->flows.size())
        {
            return name + " has paths for more flows than it has";
        }
        ++job;
    }
    return "";
}

} // namespace ns3
