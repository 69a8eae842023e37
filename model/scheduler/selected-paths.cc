/* SPDX-License-Identifier: GPL-2.0-only */
#include "selected-paths.h"

#include "../base/enum-value.h"
#include "../base/ties.h"
#include "decision-json.h"

#include "ns3/log.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SelectedPaths");

NS_OBJECT_ENSURE_REGISTERED(SelectedPaths);

namespace
{

/// (largest utilisation with the flow, sum of utilisations without it), in 10^-12.
using PathCost = std::pair<uint64_t, uint64_t>;

/// Costs that differ by less are equal, in 10^-12: loads are sums of figures that were rounded to
/// bit/s each.
constexpr uint64_t TIE_COST = 1000;

/// Whether a cost is greater than another by more than rounding explains.
bool
IsCostlier(uint64_t a, uint64_t b)
{
    return a > b + TIE_COST && IsAbove(static_cast<double>(a), static_cast<double>(b));
}

/// The first of the paths with the least cost, except one. \param except a path, or none
size_t
FindCheapest(const std::vector<PathCost>& costs, size_t except = SIZE_MAX)
{
    PathCost least{UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < costs.size(); i++)
    {
        least.first = i == except ? least.first : std::min(least.first, costs[i].first);
    }
    const auto isOpen = [&](size_t i) {
        return i != except && !IsCostlier(costs[i].first, least.first);
    };
    for (size_t i = 0; i < costs.size(); i++)
    {
        least.second = isOpen(i) ? std::min(least.second, costs[i].second) : least.second;
    }
    size_t i = 0;
    while (!isOpen(i) || IsCostlier(costs[i].second, least.second))
    {
        i++;
    }
    return i;
}

/// Load divided by rate in units of 10^-12, an integer so that sums do not depend on their order.
/// For volumes in bits, it is in picoseconds.
uint64_t
GetUtilization(uint64_t load, uint64_t rateBps)
{
    return static_cast<uint64_t>(
        std::llround(static_cast<double>(load) / static_cast<double>(rateBps) * 1e12));
}

/// Cost of a path for a flow with the load `added`, given the loads of the links.
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

/// The figures that explain why a path was taken.
std::string
GetPathInputs(const ClusterTopology& topology,
              const FlowView& flow,
              const std::vector<LinkPath>& candidates,
              size_t chosen,
              const std::vector<PathCost>& costs,
              const std::vector<uint64_t>& loads,
              uint64_t added)
{
    const size_t next = FindCheapest(costs, chosen);
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
SelectedPaths::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SelectedPaths")
            .SetParent<PathChoice>()
            .SetGroupName("GpuFabric")
            .AddConstructor<SelectedPaths>()
            .AddAttribute("Load",
                          "What a flow adds to the load of a link (Crux, SIGCOMM 2024, section "
                          "4.1, leaves it open): its wire bytes of an iteration over the job's own "
                          "period (the measured one of a job with a profile), over the shortest "
                          "period that it could have (max of compute and link time), its wire "
                          "bytes, or its rate times the job's share of the greatest GPU intensity.",
                          NameValue<PathLoad>(PathLoad::RATE),
                          MakeNameAccessor<PathLoad>(&SelectedPaths::m_load),
                          MakeNameChecker<PathLoad>())
            .AddAttribute("JobOrder",
                          "Which jobs choose first: the more intense ones (Crux, section 4.1), or "
                          "those first in the order of the scheduler.",
                          NameValue<PathJobOrder>(PathJobOrder::INTENSITY),
                          MakeNameAccessor<PathJobOrder>(&SelectedPaths::m_order),
                          MakeNameChecker<PathJobOrder>());
    return tid;
}

void
SelectedPaths::Choose(const ClusterView& view,
                      const JobRanking& ranking,
                      CandidatePaths& paths,
                      ScheduleDecision& decision) const
{
    NS_LOG_FUNCTION(this << ranking.jobs.size());
    std::vector<const RankedJob*> jobs;
    double greatest = 0;
    for (const RankedJob& job : ranking.jobs)
    {
        if (!job.IsQuiet())
        {
            jobs.push_back(&job);
            const double intensity = job.intensity.GetIntensity();
            greatest = job.IsUnknown() ? greatest : std::max(greatest, intensity);
        }
    }
    if (m_order == PathJobOrder::INTENSITY)
    {
        SortWithTies(
            jobs,
            [](const RankedJob* job) {
                // Jobs that have not been measured have no intensity yet, and choose last.
                return job->IsUnknown() ? -1 : job->intensity.GetIntensity();
            },
            [](const RankedJob* a, const RankedJob* b) {
                const uint64_t bytesA = a->intensity.GetWireBytes();
                const uint64_t bytesB = b->intensity.GetWireBytes();
                return bytesA != bytesB ? bytesA > bytesB
                                        : std::tie(a->job->arrivalPs, a->job->job) <
                                              std::tie(b->job->arrivalPs, b->job->job);
            });
    }
    std::vector<uint64_t> loads(view.topology->GetPortCount(), 0);
    for (const RankedJob* job : jobs)
    {
        ChooseOfJob(*view.topology,
                    *job,
                    GetLoadFactor(*job, greatest),
                    paths,
                    loads,
                    decision.jobs[job->index]);
    }
}

double
SelectedPaths::GetLoadFactor(const RankedJob& ranked, double greatestIntensity) const
{
    if (m_load == PathLoad::VOLUME)
    {
        return 1;
    }
    const double compute = static_cast<double>(ranked.job->computePs) * 1e-12;
    const double link = ranked.intensity.GetLinkSeconds();
    if (m_load == PathLoad::PEAK_RATE)
    {
        return 1 / std::max(compute, link);
    }
    const int64_t periodPs = ranked.job->profile.periodPs;
    const double rate =
        1 / (periodPs > 0 ? static_cast<double>(periodPs) * 1e-12
                          : std::max(compute, ranked.job->communicationStart * compute + link));
    const bool weighted = m_load == PathLoad::INTENSITY && greatestIntensity > 0;
    return weighted ? rate * ranked.intensity.GetIntensity() / greatestIntensity : rate;
}

void
SelectedPaths::ChooseOfJob(const ClusterTopology& topology,
                           const RankedJob& ranked,
                           double loadFactor,
                           CandidatePaths& paths,
                           std::vector<uint64_t>& loads,
                           JobDecision& entry)
{
    std::vector<const FlowView*> flows;
    for (const FlowView& flow : ranked.job->flows)
    {
        flows.push_back(&flow);
    }
    std::sort(flows.begin(), flows.end(), [](const FlowView* a, const FlowView* b) {
        return a->wireBytes != b->wireBytes ? a->wireBytes > b->wireBytes : a->flow < b->flow;
    });

    entry.pathReason = "least congested of the equal-cost paths";
    bool choice = false;
    for (const FlowView* flow : flows)
    {
        const std::vector<LinkPath>& candidates = paths.Get(flow->sourceNic, flow->destinationNic);
        const double bits = 8.0 * static_cast<double>(flow->wireBytes);
        const auto added = static_cast<uint64_t>(std::llround(bits * loadFactor));
        size_t chosen = 0;
        if (candidates.size() > 1)
        {
            choice = true;
            std::vector<PathCost> costs;
            costs.reserve(candidates.size());
            for (const LinkPath& path : candidates)
            {
                costs.push_back(GetCost(topology, path, loads, added));
            }
            chosen = FindCheapest(costs);
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
    if (!choice)
    {
        entry.fallbacks.emplace_back("no flow of the job has more than one path: none is selected");
    }
}

} // namespace ns3
