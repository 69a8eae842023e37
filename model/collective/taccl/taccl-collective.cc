/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-collective.h"

#include "../../base/enum-value.h"
#include "../../base/file-name-value.h"
#include "../../base/text-value.h"
#include "taccl-reader.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TacclCollective");

NS_OBJECT_ENSURE_REGISTERED(TacclCollective);

TypeId
TacclCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TacclCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TacclCollective>()
            .AddAttribute("Topology",
                          "TACCL topology, JSON.",
                          FileNameValue(""),
                          MakeFileNameAccessor(&TacclCollective::m_topology),
                          MakeFileNameChecker())
            .AddAttribute("Sketch",
                          "TACCL sketch, JSON.",
                          FileNameValue(""),
                          MakeFileNameAccessor(&TacclCollective::m_sketch),
                          MakeFileNameChecker())
            .AddAttribute("Fallback",
                          "Algorithm for what the sketch is not for: another operation or other "
                          "GPUs. Empty: that is an error.",
                          TextValue(""),
                          MakeTextAccessor(&TacclCollective::m_fallback),
                          MakeTextChecker(&CollectiveAlgorithm::FindFallbackFault))
            .AddAttribute("Solver",
                          "Program that solves the mixed integer linear programs, the first of the "
                          "list that is installed, or a greedy method instead of it.",
                          NameValue<TacclSolver>(TacclSolver::AUTO),
                          MakeNameAccessor<TacclSolver>(&TacclCollective::m_solver),
                          MakeNameChecker<TacclSolver>())
            .AddAttribute("TimeLimit",
                          "Time after which the solver gives the best it has; what that is "
                          "depends on the machine. TACCL: 1800 s (routing.py).",
                          TimeValue(Seconds(60)),
                          MakeTimeAccessor(&TacclCollective::m_timeLimit),
                          MakeTimeChecker(Seconds(1)))
            .AddAttribute("NodeLimit",
                          "The same after so many nodes of the search tree, which does not depend "
                          "on the machine; cbc and highs only. 0: no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&TacclCollective::m_nodeLimit),
                          MakeUintegerChecker<uint64_t>(0, 1'000'000'000))
            .AddAttribute("Gap",
                          "Relative gap to the best possible objective at which the solver ends; "
                          "a reconstruction (TACCL: 1e-9 in routing).",
                          DoubleValue(1e-4),
                          MakeDoubleAccessor(&TacclCollective::m_gap),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute(
                "Paths",
                "Links that a chunk may take: those of its shortest ways, or ways longer by the "
                "longest inside a host, or all between the ranks of its ways of fewest links "
                "(TACCL, shortest_path_sets.py; slow). auto: the shortest, and detours too where "
                "these take 1.05 times the bound, whichever is faster (a reconstruction).",
                NameValue<TacclPaths>(TacclPaths::AUTO),
                MakeNameAccessor<TacclPaths>(&TacclCollective::m_paths),
                MakeNameChecker<TacclPaths>())
            .AddAttribute("LoadWeight",
                          "Weight of the most loaded link inside hosts in the objective of "
                          "routing, which chooses among routings of the same time; a "
                          "reconstruction.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&TacclCollective::m_loadWeight),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxTogether",
                          "Chunks that go between hosts as one message, at most (TACCL, "
                          "scheduler.py: 6).",
                          UintegerValue(6),
                          MakeUintegerAccessor(&TacclCollective::m_maxTogether),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("Ordering",
                          "Heuristic of the order on links, by TACCL's number "
                          "(heuristic_ordering.py). auto: as TACCL chooses; of a reduce-scatter "
                          "also that of an all-gather, whichever is faster.",
                          NameValue<TacclHeuristic>(TacclHeuristic::AUTO),
                          MakeNameAccessor<TacclHeuristic>(&TacclCollective::m_ordering),
                          MakeNameChecker<TacclHeuristic>())
            .AddAttribute("TimeUnit",
                          "Unit of the topology's times: 1us; 10ns in TACCL's files for 1KB, and "
                          "100ns in those for 32KB, whose numbers are scaled.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&TacclCollective::m_timeUnit),
                          MakeTimeChecker(NanoSeconds(1), Seconds(1)));
    return tid;
}

double
TacclCollective::EstimateMessages(const CollectiveCall& call,
                                  const CollectiveLayout& layout,
                                  uint32_t channels) const
{
    const Ptr<CollectiveAlgorithm> fallback = m_fallback.empty() ? nullptr : Create(m_fallback);
    return fallback ? fallback->EstimateMessages(call, layout, channels) : 0;
}

bool
TacclCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return !m_fallback.empty() && operation != CollectiveOperation::SEND_RECEIVE; // it may
}

bool
TacclCollective::IsCostly() const
{
    return true;
}

const TacclCollective::Contents&
TacclCollective::Load() const
{
    std::ostringstream settings;
    settings << m_topology << "\n"
             << m_sketch << "\n"
             << ToName(m_solver) << " " << ToName(m_paths) << " " << ToName(m_ordering) << " "
             << m_timeUnit << " " << m_timeLimit << " " << m_nodeLimit << " " << m_gap << " "
             << m_loadWeight << " " << m_maxTogether;
    if (m_contents && m_contents->settings == settings.str())
    {
        return *m_contents;
    }
    auto contents = std::make_shared<Contents>();
    contents->settings = settings.str();
    std::vector<std::string> errors;
    TacclReader reader(errors);
    const auto machine = reader.ReadMachine(m_topology);
    if (machine)
    {
        contents->sketch = reader.ReadSketch(m_sketch, *machine);
    }
    if (contents->sketch)
    {
        contents->network.emplace(*machine, *contents->sketch, m_timeUnit.GetPicoSeconds());
    }
    contents->fault = errors.empty() ? "" : errors.front();
    m_made.clear();
    m_contents = contents;
    return *m_contents;
}

MilpSolver
TacclCollective::MakeSolver() const
{
    MilpSolver::Limits limits;
    limits.seconds = m_timeLimit.GetSeconds();
    limits.nodes = m_nodeLimit;
    limits.gap = m_gap;
    return MilpSolver(ToName(m_solver), limits);
}

TacclSynthesizer::Options
TacclCollective::MakeOptions() const
{
    TacclSynthesizer::Options options;
    options.SetPaths(m_paths);
    options.routing.loadWeight = m_loadWeight;
    options.maxTogether = m_maxTogether;
    options.heuristic = static_cast<uint32_t>(m_ordering);
    return options;
}

std::string
TacclCollective::GetMismatch(const CollectiveCall& call, const CollectiveLayout& layout) const
{
    const TacclNetwork& network = *Load().network;
    const auto ranks = static_cast<uint32_t>(layout.ranks.size());
    bool fits = ranks == network.ranks;
    for (uint32_t rank = 0; fits && rank < ranks; rank++)
    {
        fits = layout.ranks[rank].host == network.GetNode(rank);
    }
    if (!fits)
    {
        return m_sketch + " is for " + std::to_string(network.ranks / network.ranksOfNode) +
               " hosts of " + std::to_string(network.ranksOfNode) + " GPUs, not " +
               std::to_string(ranks) + " ranks on " + std::to_string(layout.GetHostCount());
    }
    const MilpSolver solver("none", {});
    return TacclSynthesizer(network, *Load().sketch, solver, MakeOptions())
        .GetFault(call.operation);
}

std::string
TacclCollective::DoGetUnsupportedReason(const CollectiveCall& call,
                                        const CollectiveLayout& layout) const
{
    if (m_topology.empty() || m_sketch.empty())
    {
        return "Taccl needs a Topology and a Sketch";
    }
    if (!Load().fault.empty())
    {
        return Load().fault;
    }
    return GetReasonWithFallback(GetMismatch(call, layout), m_fallback, call, layout);
}

const TacclSynthesis&
TacclCollective::Synthesize(CollectiveOperation operation, const CollectiveLayout& layout) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(operation));
    std::vector<uint32_t> nics;
    for (uint32_t rank = 0; rank < layout.ranks.size(); rank++)
    {
        nics.push_back(layout.GetRail(rank));
    }
    const Contents& contents = Load(); // discards results made with other settings
    const auto key = std::make_pair(operation, nics);
    const auto found = m_made.find(key);
    if (found != m_made.end())
    {
        return found->second;
    }
    const MilpSolver solver = MakeSolver();
    const TacclSynthesizer synthesizer(*contents.network, *contents.sketch, solver, MakeOptions());
    return m_made.emplace(key, synthesizer.Run(operation, nics)).first->second;
}

std::string
TacclCollective::GetFallback(const CollectiveCall& call, const CollectiveLayout& layout) const
{
    const std::string mismatch = GetMismatch(call, layout);
    if (!mismatch.empty())
    {
        return m_fallback + " instead of Taccl: " + mismatch;
    }
    const std::string why = Synthesize(call.operation, layout).fallback;
    return why.empty() ? ""
                       : "a greedy " + std::string(GetCollectiveOperationName(call.operation)) +
                             " of Taccl: " + why;
}

CollectiveSchedule
TacclCollective::DoBuild(const CollectiveCall& call,
                         const CollectiveLayout& layout,
                         uint32_t channels) const
{
    if (!GetMismatch(call, layout).empty())
    {
        return Create(m_fallback)->Build(call, layout, channels);
    }
    return Synthesize(call.operation, layout).schedule;
}

} // namespace ns3
