/* SPDX-License-Identifier: GPL-2.0-only */
#include "ordered-scheduler.h"

#include "decision-json.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OrderedScheduler");

NS_OBJECT_ENSURE_REGISTERED(OrderedScheduler);

namespace
{

/// Directed links that a job uses: inside hosts; in the network on the decided paths, otherwise on
/// the current paths of its flows; if neither is known, on any candidate.
std::vector<uint32_t>
GetUsedLinks(const JobView& job, const JobDecision& decision, CandidatePaths& paths)
{
    std::vector<uint32_t> links;
    const auto add = [&links](const LinkPath& path) {
        links.insert(links.end(), path.begin(), path.end());
    };
    for (const FlowView& flow : job.flows)
    {
        const std::vector<LinkPath>& candidates = paths.Get(flow.sourceNic, flow.destinationNic);
        if (flow.flow < decision.paths.size() && !decision.paths[flow.flow].empty())
        {
            add(decision.paths[flow.flow]);
        }
        else if (!flow.path.empty())
        {
            add(flow.path);
        }
        else
        {
            std::for_each(candidates.begin(), candidates.end(), add);
        }
    }
    for (const auto& [link, bytes] : job.insideLoads)
    {
        links.push_back(link);
    }
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    return links;
}

/// Decides about a job that has not been measured yet.
void
DescribeUnknown(const JobView& job, uint32_t levels, JobDecision& entry)
{
    const bool running = job.profileState == ProfileState::RUNNING;
    entry.level = running ? 0 : levels - 1;
    entry.reason = running ? "is measured: the top level, alone"
                           : "waits for its turn to be measured: the lowest level";
    entry.inputs = DecisionJson().Add("W", job.flop).Add("levels", levels).Get();
}

} // namespace

TypeId
OrderedScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OrderedScheduler")
                            .SetParent<CommunicationScheduler>()
                            .SetGroupName("GpuFabric")
                            .AddAttribute("Levels",
                                          "Priority levels used, 0 for all that the fabric has.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&OrderedScheduler::m_levels),
                                          MakeUintegerChecker<uint32_t>(0, 64));
    return tid;
}

int64_t
OrderedScheduler::GetPeriodPs() const
{
    return GetParts().order->GetPeriodPs();
}

ScheduleDecision
OrderedScheduler::Decide(const ClusterView& view) const
{
    NS_ABORT_MSG_IF(!view.topology || !view.paths, "the view has no topology or no paths");
    NS_ABORT_MSG_IF(view.priorityLevels == 0, "the fabric has no priority level");
    ScheduleDecision decision;
    if (view.jobs.empty())
    {
        return decision;
    }
    decision.jobs.resize(view.jobs.size());
    for (size_t i = 0; i < view.jobs.size(); i++)
    {
        decision.jobs[i].job = view.jobs[i].job;
    }
    std::vector<std::string>& fallbacks = decision.jobs[0].fallbacks;
    if (m_levels > view.priorityLevels)
    {
        fallbacks.push_back("Levels is " + std::to_string(m_levels) + ", but the fabric has " +
                            std::to_string(view.priorityLevels) +
                            " data priorities: these are used");
    }
    const uint32_t levels =
        m_levels == 0 ? view.priorityLevels : std::min(m_levels, view.priorityLevels);

    const Parts parts = GetParts();
    NS_LOG_INFO(view.trigger << " at " << view.nowPs << " ps: " << view.jobs.size() << " jobs, "
                             << parts.order->GetInstanceTypeId().GetName());
    CandidatePaths paths(*view.paths);
    JobRanking ranking = JobRanking::Make(view, paths);
    parts.order->Rank(view, paths, ranking);
    fallbacks.insert(fallbacks.end(), ranking.fallbacks.begin(), ranking.fallbacks.end());
    parts.paths->Choose(view, ranking, paths, decision);
    if (!ranking.ordered)
    {
        for (const RankedJob& ranked : ranking.jobs)
        {
            decision.jobs[ranked.index].inputs = ranked.inputs;
            decision.jobs[ranked.index].reason = "all jobs share one level";
        }
        return decision;
    }

    const bool profiling = std::any_of(view.jobs.begin(), view.jobs.end(), [](const JobView& job) {
        return job.profileState == ProfileState::RUNNING;
    });
    if (profiling && levels == 1)
    {
        fallbacks.emplace_back("there is one level only: the job that is measured shares it");
    }
    // The top level belongs to the job that is being measured.
    const uint32_t above = profiling && levels > 1 ? 1 : 0;
    std::vector<CompressibleJob> loud;
    for (uint32_t rank = 0; rank < ranking.GetLoudCount(); rank++)
    {
        const RankedJob& ranked = ranking.jobs[rank];
        loud.push_back({ranked.job->job,
                        ranked.priority,
                        ranked.intensity.GetIntensity(),
                        GetUsedLinks(*ranked.job, decision.jobs[ranked.index], paths)});
    }
    const CompressedLevels compressed =
        parts.compression->Compress(loud, levels - above, view.seed);
    fallbacks.insert(fallbacks.end(), compressed.fallbacks.begin(), compressed.fallbacks.end());
    for (uint32_t rank = 0; rank < ranking.jobs.size(); rank++)
    {
        const RankedJob& ranked = ranking.jobs[rank];
        JobDecision& entry = decision.jobs[ranked.index];
        if (ranked.IsUnknown())
        {
            DescribeUnknown(*ranked.job, levels, entry);
            continue;
        }
        DecisionJson inputs;
        inputs.AddMembers(ranked.inputs)
            .Add("rank", rank)
            .Add("levels", levels)
            .AddMembers(ranked.details);
        if (rank < loud.size())
        {
            const CompressedJob& job = compressed.jobs[rank];
            entry.level = job.level + above;
            entry.reason = "rank " + std::to_string(rank + 1) + " of " +
                           std::to_string(ranking.jobs.size()) + " by " + ranking.by + ": " +
                           job.reason;
            inputs.AddMembers(job.inputs);
        }
        else
        {
            entry.level = levels - 1;
            entry.reason =
                ranked.job->insideLoads.empty()
                    ? "without network traffic a job needs no priority: the lowest level"
                    : "without traffic that others can meet a job needs no priority: the lowest "
                      "level";
        }
        entry.inputs = inputs.Get();
        NS_LOG_LOGIC("job " << entry.job << " gets level " << entry.level << ": " << entry.reason);
    }
    return decision;
}

} // namespace ns3
