/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-intensity-scheduler.h"

#include "decision-json.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuIntensityScheduler);

namespace
{

/// Links that the inputs of a priority list.
constexpr uint32_t LISTED_LINKS = 8;

/// (largest utilisation with the flow, sum of utilisations without it), in 10^-12.
using PathCost = std::pair<uint64_t, uint64_t>;

/// Load over rate in units of 10^-12, an integer so that sums do not depend on their order. For
/// volumes in bits it is picoseconds.
uint64_t
GetUtilization(uint64_t load, uint64_t rateBps)
{
    return static_cast<uint64_t>(
        std::llround(static_cast<double>(load) / static_cast<double>(rateBps) * 1e12));
}

/// Cost of a path for a flow of load `added`, given the loads of the links.
PathCost
GetCost(const ClusterTopology& topology,
        const LinkPath& path,
        const std::vector<uint64_t>& loads,
        uint64_t added)
{
    PathCost cost{0, 0};
    for (const uint32_t link : path)
    {
        const uint64_t rate = topology.GetPortRate(link);
        cost.first = std::max(cost.first, GetUtilization(loads[link] + added, rate));
        cost.second += GetUtilization(loads[link], rate);
    }
    return cost;
}

/// What a query needs to see why a path was taken.
std::string
GetPathInputs(const ClusterTopology& topology,
              const FlowView& flow,
              const std::vector<LinkPath>& candidates,
              size_t chosen,
              const std::vector<PathCost>& costs,
              const std::vector<uint64_t>& loads,
              uint64_t added)
{
    size_t next = chosen == 0 ? 1 : 0;
    for (size_t i = 0; i < costs.size(); i++)
    {
        next = i != chosen && costs[i] < costs[next] ? i : next;
    }
    DecisionJson links;
    for (const uint32_t link : candidates[chosen])
    {
        links.Add(topology.GetDirectedLinkName(link), loads[link]);
    }
    return DecisionJson()
        .Add("bytes", flow.wireBytes)
        .Add("load", added)
        .Add("paths", static_cast<uint64_t>(candidates.size()))
        .Add("index", static_cast<uint64_t>(chosen))
        .Add("max", static_cast<double>(costs[chosen].first) / 1e12)
        .Add("sum", static_cast<double>(costs[chosen].second) / 1e12)
        .Add("next_index", static_cast<uint64_t>(next))
        .Add("next_max", static_cast<double>(costs[next].first) / 1e12)
        .Add("next_sum", static_cast<double>(costs[next].second) / 1e12)
        .AddObject("load_before", links)
        .Get();
}

} // namespace

TypeId
GpuIntensityScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GpuIntensityScheduler")
            .SetParent<CommunicationScheduler>()
            .SetGroupName("GpuFabric")
            .AddConstructor<GpuIntensityScheduler>()
            .AddAttribute("Levels",
                          "Priority levels used, 0 for all that the fabric has. Jobs are ordered "
                          "by GPU intensity, W / t (Crux, SIGCOMM 2024, section 3): the heart of "
                          "Crux, not Crux, which corrects (section 4.2) and compresses (4.3).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&GpuIntensityScheduler::m_levels),
                          MakeUintegerChecker<uint32_t>(0, 64))
            .AddAttribute("SelectPaths",
                          "Whether flows take the least congested of their equal-cost paths, jobs "
                          "in the order of GPU intensity (Crux, section 4.1), instead of ECMP's.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GpuIntensityScheduler::m_selectPaths),
                          MakeBooleanChecker())
            .AddAttribute("LoadByVolume",
                          "Whether the load of a flow in path selection is its wire bytes of an "
                          "iteration instead of its mean rate (the paper leaves it open).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GpuIntensityScheduler::m_loadByVolume),
                          MakeBooleanChecker());
    return tid;
}

ScheduleDecision
GpuIntensityScheduler::Decide(const ClusterView& view) const
{
    NS_ABORT_MSG_IF(!view.topology || !view.paths, "the view has no topology or no paths");
    NS_ABORT_MSG_IF(view.priorityLevels == 0, "the fabric has no priority level");
    const ClusterTopology& topology = *view.topology;
    CandidatePaths paths(*view.paths);

    ScheduleDecision decision;
    decision.jobs.resize(view.jobs.size());
    std::vector<RankedJob> ranking;
    for (size_t i = 0; i < view.jobs.size(); i++)
    {
        decision.jobs[i].job = view.jobs[i].job;
        ranking.push_back(
            {&view.jobs[i], GpuIntensity(topology, view.jobs[i], paths), &decision.jobs[i]});
    }
    if (m_levels > view.priorityLevels && !decision.jobs.empty())
    {
        decision.jobs[0].fallbacks.push_back(
            "Levels is " + std::to_string(m_levels) + ", but the fabric has " +
            std::to_string(view.priorityLevels) + " data priorities: these are used");
    }
    const uint32_t levels =
        m_levels == 0 ? view.priorityLevels : std::min(m_levels, view.priorityLevels);

    // Jobs without traffic come last: their intensity is infinite, but nothing waits for it.
    std::stable_sort(ranking.begin(), ranking.end(), [](const RankedJob& a, const RankedJob& b) {
        const auto key = [](const RankedJob& ranked) {
            const bool quiet = ranked.intensity.GetBottleneck() == NO_ID;
            return std::make_tuple(quiet,
                                   quiet ? 0 : -ranked.intensity.GetIntensity(),
                                   -static_cast<double>(ranked.intensity.GetWireBytes()),
                                   ranked.job->job);
        };
        return key(a) < key(b);
    });

    std::vector<uint64_t> loads(topology.GetPortCount(), 0);
    for (uint32_t rank = 0; rank < ranking.size(); rank++)
    {
        const RankedJob& ranked = ranking[rank];
        const GpuIntensity& intensity = ranked.intensity;
        JobDecision& entry = *ranked.decision;
        const bool quiet = intensity.GetBottleneck() == NO_ID;
        entry.level = quiet ? levels - 1 : std::min(rank, levels - 1);

        DecisionJson links;
        for (const auto& [link, bytes] : intensity.GetHeaviestLinks(LISTED_LINKS))
        {
            links.AddObject(
                topology.GetDirectedLinkName(link),
                DecisionJson().Add("bytes", bytes).Add("bps", topology.GetPortRate(link)));
        }
        entry.inputs = DecisionJson()
                           .Add("W", ranked.job->flop)
                           .Add("t_s", intensity.GetLinkSeconds())
                           .Add("I", intensity.GetIntensity())
                           .Add("bytes", intensity.GetWireBytes())
                           .Add("rank", rank)
                           .Add("levels", levels)
                           .Add("links", intensity.GetLinkCount())
                           .AddObject("heaviest_links", links)
                           .Get();
        const std::string place = "rank " + std::to_string(rank + 1) + " of " +
                                  std::to_string(ranking.size()) + " by GPU intensity: ";
        if (quiet)
        {
            entry.reason = "without network traffic a job needs no priority: the lowest level";
        }
        else if (rank + 1 < levels)
        {
            entry.reason = place + "a level of its own";
        }
        else
        {
            entry.reason = place + "the lowest level";
        }
        if (m_selectPaths && !quiet)
        {
            ChoosePaths(topology, ranked, paths, loads);
        }
    }
    return decision;
}

void
GpuIntensityScheduler::ChoosePaths(const ClusterTopology& topology,
                                   const RankedJob& ranked,
                                   CandidatePaths& paths,
                                   std::vector<uint64_t>& loads) const
{
    const double periodSeconds = std::max(static_cast<double>(ranked.job->computePs) * 1e-12,
                                          ranked.intensity.GetLinkSeconds());
    std::vector<const FlowView*> flows;
    for (const FlowView& flow : ranked.job->flows)
    {
        flows.push_back(&flow);
    }
    std::sort(flows.begin(), flows.end(), [](const FlowView* a, const FlowView* b) {
        return a->wireBytes != b->wireBytes ? a->wireBytes > b->wireBytes : a->flow < b->flow;
    });

    JobDecision& entry = *ranked.decision;
    entry.pathReason = "least congested of the equal-cost paths";
    for (const FlowView* flow : flows)
    {
        const std::vector<LinkPath>& candidates = paths.Get(flow->sourceNic, flow->destinationNic);
        const double bits = 8.0 * static_cast<double>(flow->wireBytes);
        const auto added =
            static_cast<uint64_t>(std::llround(m_loadByVolume ? bits : bits / periodSeconds));
        size_t chosen = 0;
        if (candidates.size() > 1)
        {
            std::vector<PathCost> costs;
            costs.reserve(candidates.size());
            for (const LinkPath& path : candidates)
            {
                costs.push_back(GetCost(topology, path, loads, added));
            }
            chosen = std::min_element(costs.begin(), costs.end()) - costs.begin();
            if (flow->flow >= entry.paths.size())
            {
                entry.paths.resize(flow->flow + 1);
                entry.pathInputs.resize(flow->flow + 1);
            }
            entry.paths[flow->flow] = candidates[chosen];
            entry.pathInputs[flow->flow] =
                GetPathInputs(topology, *flow, candidates, chosen, costs, loads, added);
        }
        for (const uint32_t link : candidates[chosen])
        {
            loads[link] += added;
        }
    }
}

} // namespace ns3
