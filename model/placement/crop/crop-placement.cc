/* SPDX-License-Identifier: GPL-2.0-only */
#include "crop-placement.h"

#include "../../base/enum-value.h"
#include "../../base/ties.h"
#include "../../scheduler/cassini/cassini-plan.h"
#include "../../scheduler/decision-json.h"
#include "../placement-candidates.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CropPlacement");

NS_OBJECT_ENSURE_REGISTERED(CropPlacement);

namespace
{

/// Minimum share of a link's rate that a job gets.
constexpr double LEAST_SHARE = 0.05;

/// Maximum number of candidates for which each pair is tried.
constexpr size_t PAIRS_UP_TO = 64;

/// The placements that provide candidates.
const char* const SOURCES[] = {"Consolidate", "Spread", "BestFit", "FirstFit"};

} // namespace

TypeId
CropPlacement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CropPlacement")
            .SetParent<PlacementPolicy>()
            .SetGroupName("GpuFabric")
            .AddConstructor<CropPlacement>()
            .AddAttribute(
                "Algorithm",
                "How placements of all waiting jobs are chosen; a reconstruction, as only the "
                "abstract of CROP (IWQoS 2025) was at hand. While jobs do not compete for GPUs, "
                "both greedy ways reach 1/2 of the best and continuous-greedy 1 - 1/e, the paper's "
                "factor; where they do, neither bound is proven.",
                NameValue<CropAlgorithm>(CropAlgorithm::ENUMERATED_GREEDY),
                MakeNameAccessor<CropAlgorithm>(&CropPlacement::m_algorithm),
                MakeNameChecker<CropAlgorithm>())
            .AddAttribute("Candidates",
                          "Candidate placements of a job.",
                          UintegerValue(12),
                          MakeUintegerAccessor(&CropPlacement::m_candidates),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("Steps",
                          "Steps of the continuous greedy algorithm.",
                          UintegerValue(20),
                          MakeUintegerAccessor(&CropPlacement::m_steps),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("Robustness",
                          "Weight of robustness against throughput (a choice of this module).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&CropPlacement::m_robustness),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("HostFailure",
                          "Probability that a host fails while a job runs (a choice of this "
                          "module).",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&CropPlacement::m_hostFailure),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LeafFailure",
                          "Probability that a leaf switch fails while a job runs (a choice of this "
                          "module).",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&CropPlacement::m_leafFailure),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("SpreadWeight",
                          "Worth, in GPUs, of jobs that touch different hosts and leaves: for each "
                          "of these 1 - 2^-n of it, n jobs touching it (a choice of this module).",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&CropPlacement::m_spread),
                          MakeDoubleChecker<double>(0));
    return tid;
}

void
CropPlacement::AddLoad(const ClusterTopology& topology,
                       const JobView& job,
                       std::vector<double>& loads)
{
    const CassiniPlan::Profile profile = CassiniPlan::GetProfile(topology, job);
    for (const FlowView& flow : job.flows)
    {
        for (const uint32_t link : flow.path)
        {
            loads[link] += 8e12 * static_cast<double>(flow.wireBytes) /
                           static_cast<double>(profile.iterationPs);
        }
    }
}

std::vector<double>
CropPlacement::GetLoads(const PlacementView& view)
{
    std::vector<double> loads(view.topology->GetPortCount(), 0);
    for (const JobView& job :
         view.jobs != nullptr ? view.jobs->GetPlacedJobs() : std::vector<JobView>())
    {
        AddLoad(*view.topology, job, loads);
    }
    return loads;
}

CropPlacement::Candidates
CropPlacement::GetCandidates(const PlacementView& view,
                             const PlacementRequest& request,
                             const std::vector<double>& loads) const
{
    const ClusterTopology& topology = *view.topology;
    Candidates result;
    std::set<std::vector<uint32_t>> known;
    uint32_t sources = 0;
    for (const char* source : SOURCES)
    {
        // Each remaining source contributes an equal part of the remaining candidates.
        const auto left = static_cast<uint32_t>(m_candidates - result.placements.size());
        const uint32_t part = (left + 3 - sources) / (4 - sources);
        sources++;
        if (part == 0)
        {
            continue;
        }
        for (Placement& placement :
             PlacementCandidates::Get(*PlacementCandidates::Make(source), view, request, part))
        {
            if (known.insert(placement.gpus).second)
            {
                result.placements.push_back(std::move(placement));
            }
        }
    }
    for (Placement& placement : result.placements)
    {
        CropProblem::Candidate& candidate = result.values.emplace_back();
        candidate.gpus = placement.gpus;
        std::set<uint32_t> hosts;
        std::set<uint32_t> leaves;
        for (const uint32_t gpu : placement.gpus)
        {
            const uint32_t host = topology.GetGpuHost(gpu);
            hosts.insert(host);
            if (!topology.GetNodes()[host].ports.empty())
            {
                leaves.insert(topology.GetLeaf(host));
            }
        }
        candidate.domains.assign(hosts.begin(), hosts.end());
        candidate.domains.insert(candidate.domains.end(), leaves.begin(), leaves.end());

        // If nothing is known about the job, fewer hosts are better.
        double compute = 1 / static_cast<double>(hosts.size());
        double seconds = 0;
        if (view.jobs != nullptr)
        {
            const JobView job = view.jobs->GetJobOn(request.job, placement.gpus);
            std::vector<double> bytes(topology.GetPortCount(), 0);
            for (const FlowView& flow : job.flows)
            {
                for (const uint32_t link : flow.path)
                {
                    bytes[link] += static_cast<double>(flow.wireBytes);
                }
            }
            for (uint32_t link = 0; link < bytes.size(); link++)
            {
                const auto rate = static_cast<double>(topology.GetPortRate(link));
                seconds =
                    std::max(seconds,
                             8 * bytes[link] / std::max(rate - loads[link], LEAST_SHARE * rate));
            }
            const double own = static_cast<double>(job.computePs) * 1e-12;
            const double iteration = std::max(own, job.communicationStart * own + seconds);
            compute = iteration > 0 ? own / iteration : 1;
        }
        const auto gpus = static_cast<double>(placement.gpus.size());
        const double survival = std::max(0.0,
                                         1 - m_hostFailure * static_cast<double>(hosts.size()) -
                                             m_leafFailure * static_cast<double>(leaves.size()));
        candidate.value = gpus * (compute + m_robustness * survival);
        placement.inputs = DecisionJson()
                               .Add("candidates", static_cast<uint64_t>(result.placements.size()))
                               .Add("throughput", gpus * compute)
                               .Add("communication_s", seconds)
                               .Add("robustness", gpus * survival)
                               .Add("value", candidate.value)
                               .Get();
        placement.reason = "CROP (a reconstruction): " + placement.reason;
    }
    return result;
}

std::vector<Placement>
CropPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    Candidates candidates = GetCandidates(view, request, GetLoads(view));
    std::vector<size_t> order(candidates.placements.size());
    std::iota(order.begin(), order.end(), 0);
    SortWithTies(
        order,
        [&candidates](size_t index) { return candidates.values[index].value; },
        [](size_t a, size_t b) { return a < b; });
    std::vector<Placement> ranked;
    for (const size_t index : order)
    {
        ranked.push_back(std::move(candidates.placements[index]));
    }
    return ranked;
}

std::vector<Placement>
CropPlacement::PlaceTogether(const PlacementView& view,
                             const std::vector<PlacementRequest>& requests) const
{
    NS_LOG_FUNCTION(this << requests.size());
    std::vector<Placement> result(requests.size());
    PlacementView left = view;
    std::vector<double> loads = GetLoads(view);
    std::vector<uint32_t> open(requests.size());
    std::iota(open.begin(), open.end(), 0);
    while (!open.empty())
    {
        std::vector<CropProblem::Candidate> all;
        std::vector<Placement> placements;
        for (uint32_t i = 0; i < open.size(); i++)
        {
            Candidates candidates = GetCandidates(left, requests[open[i]], loads);
            for (size_t k = 0; k < candidates.values.size(); k++)
            {
                candidates.values[k].job = i;
                all.push_back(std::move(candidates.values[k]));
                placements.push_back(std::move(candidates.placements[k]));
            }
        }
        const CropProblem problem(all, m_spread);
        const std::vector<uint32_t> chosen =
            m_algorithm == CropAlgorithm::CONTINUOUS_GREEDY ? problem.GetContinuousGreedy(m_steps)
            : m_algorithm == CropAlgorithm::LAZY_GREEDY     ? problem.GetLazyGreedy()
                                                        : problem.GetEnumeratedGreedy(PAIRS_UP_TO);
        if (chosen.empty())
        {
            break;
        }
        std::vector<uint8_t> placed(open.size(), 0);
        for (const uint32_t index : chosen)
        {
            const uint32_t request = open[all[index].job];
            placed[all[index].job] = 1;
            for (const uint32_t gpu : placements[index].gpus)
            {
                left.gpuFree[gpu] = 0;
            }
            if (view.jobs != nullptr)
            {
                AddLoad(*view.topology,
                        view.jobs->GetJobOn(requests[request].job, placements[index].gpus),
                        loads);
            }
            result[request] = std::move(placements[index]);
        }
        std::vector<uint32_t> more;
        for (uint32_t i = 0; i < open.size(); i++)
        {
            if (placed[i] == 0)
            {
                more.push_back(open[i]);
            }
        }
        open = std::move(more);
    }
    return result;
}

} // namespace ns3
