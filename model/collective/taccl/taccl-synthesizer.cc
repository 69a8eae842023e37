/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-synthesizer.h"

#include "taccl-ordering.h"
#include "taccl-schedule-writer.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TacclSynthesizer");

namespace
{

/// A schedule within this factor of the bound is good enough.
constexpr double NEAR = 1.05;

/// The chunks are those of an all-gather, or of an all-to-all for an all-to-all.
CollectiveOperation
GetForward(CollectiveOperation operation)
{
    return operation == CollectiveOperation::ALL_TO_ALL ? operation
                                                        : CollectiveOperation::ALL_GATHER;
}

/// The same with time and links reversed.
void
Reverse(TacclTiming& timing)
{
    for (TacclMessage& message : timing.messages)
    {
        std::swap(message.source, message.destination);
        const int64_t start = timing.makespanPs - message.endPs;
        message.endPs = timing.makespanPs - message.startPs;
        message.startPs = start;
    }
    std::stable_sort(
        timing.messages.begin(),
        timing.messages.end(),
        [](const TacclMessage& a, const TacclMessage& b) { return a.startPs < b.startPs; });
}

} // namespace

void
TacclSynthesizer::Options::SetPaths(TacclPaths paths)
{
    tryDetours = paths == TacclPaths::AUTO;
    routing.ways = paths == TacclPaths::SETS      ? TacclCandidates::Ways::SETS
                   : paths == TacclPaths::DETOURS ? TacclCandidates::Ways::DETOURS
                                                  : TacclCandidates::Ways::SHORTEST;
}

TacclSynthesizer::TacclSynthesizer(const TacclNetwork& network,
                                   const TacclSketch& sketch,
                                   const MilpSolver& solver,
                                   const Options& options)
    : m_network(network),
      m_sketch(sketch),
      m_solver(solver),
      m_options(options)
{
}

bool
TacclSynthesizer::CanDo(CollectiveOperation operation)
{
    return operation == CollectiveOperation::ALL_GATHER ||
           operation == CollectiveOperation::REDUCE_SCATTER ||
           operation == CollectiveOperation::ALL_REDUCE ||
           operation == CollectiveOperation::ALL_TO_ALL;
}

std::string
TacclSynthesizer::GetFault(CollectiveOperation operation) const
{
    if (!CanDo(operation))
    {
        return std::string("Taccl cannot do ") + GetCollectiveOperationName(operation);
    }
    if (m_network.ranks < 2)
    {
        return "a sketch of one GPU leaves nothing to synthesize";
    }
    // All chunks of a rank are alike, so one suffices.
    const std::vector<TacclChunk> chunks = m_network.MakeChunks(GetForward(operation), 1);
    return TacclCandidates(m_network, m_sketch, chunks, TacclCandidates::Ways::SHORTEST).GetFault();
}

TacclTiming
TacclSynthesizer::MakePhase(const std::vector<TacclChunk>& chunks,
                            const TacclRoutes& routes,
                            bool reverse) const
{
    const auto order = [&](uint32_t heuristic) {
        TacclOrdering ordering(m_network, m_sketch, chunks, routes.links);
        return TacclScheduling(m_network, ordering.Order(heuristic), m_options.maxTogether)
            .Solve(m_solver);
    };
    const uint32_t heuristic = m_options.heuristic;
    TacclTiming timing =
        order(heuristic > 0 ? heuristic : TacclOrdering::Choose(m_sketch, reverse));
    if (reverse && heuristic == 0)
    {
        TacclTiming mirrored = order(TacclOrdering::Choose(m_sketch, false));
        if (mirrored.makespanPs < timing.makespanPs)
        {
            timing = std::move(mirrored);
        }
    }
    if (reverse)
    {
        Reverse(timing);
    }
    return timing;
}

TacclSynthesis
TacclSynthesizer::TryWays(CollectiveOperation operation,
                          const std::vector<TacclChunk>& chunks,
                          TacclCandidates::Ways ways) const
{
    TacclSynthesis synthesis;
    TacclRouting::Options options = m_options.routing;
    options.ways = ways;
    synthesis.routes = TacclRouting(m_network, m_sketch, chunks, options).Solve(m_solver);
    synthesis.fallback = synthesis.routes.fallback;
    for (const bool reverse : {true, false})
    {
        const bool wanted = reverse ? operation == CollectiveOperation::REDUCE_SCATTER ||
                                          operation == CollectiveOperation::ALL_REDUCE
                                    : operation != CollectiveOperation::REDUCE_SCATTER;
        if (wanted)
        {
            synthesis.phases.push_back(MakePhase(chunks, synthesis.routes, reverse));
            synthesis.makespanPs += synthesis.phases.back().makespanPs;
            synthesis.fallback =
                synthesis.fallback.empty() ? synthesis.phases.back().fallback : synthesis.fallback;
        }
    }
    return synthesis;
}

TacclSynthesis
TacclSynthesizer::Run(CollectiveOperation operation, const std::vector<uint32_t>& nicOfRank) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(operation));
    const std::string fault = GetFault(operation);
    NS_ABORT_MSG_IF(!fault.empty(), fault);
    NS_ABORT_MSG_IF(nicOfRank.size() != m_network.ranks, "a NIC for each rank is needed");
    const std::vector<TacclChunk> chunks =
        m_network.MakeChunks(GetForward(operation), m_sketch.chunksOfRank);
    const int64_t bound = GetBound(operation);
    TacclSynthesis best = TryWays(operation, chunks, m_options.routing.ways);
    if (m_options.tryDetours &&
        static_cast<double>(best.makespanPs) >
            NEAR * static_cast<double>(bound) * static_cast<double>(best.phases.size()))
    {
        TacclSynthesis other = TryWays(operation, chunks, TacclCandidates::Ways::DETOURS);
        if (other.makespanPs < best.makespanPs)
        {
            best = std::move(other);
        }
    }
    const auto phaseCount = static_cast<int64_t>(best.phases.size());
    best.boundPs = bound * phaseCount;
    static const std::vector<TacclMessage> none;
    const bool reduces = operation == CollectiveOperation::REDUCE_SCATTER || phaseCount > 1;
    const bool copies = operation != CollectiveOperation::REDUCE_SCATTER;
    best.schedule =
        TacclScheduleWriter(operation, m_network.ranks, chunks, m_sketch.chunksOfRank, nicOfRank)
            .Write(best.fallback.empty() ? "Taccl" : "TacclGreedy",
                   reduces ? best.phases.front().messages : none,
                   copies ? best.phases.back().messages : none);
    return best;
}

int64_t
TacclSynthesizer::GetCutBound(const std::vector<TacclChunk>& chunks,
                              uint32_t firstRank,
                              uint32_t rankCount) const
{
    const auto isInside = [&](uint32_t rank) {
        return rank >= firstRank && rank < firstRank + rankCount;
    };
    uint64_t count = 0;
    bool toAll = true; // whether each of them goes to all ranks of the range
    for (const TacclChunk& chunk : chunks)
    {
        const auto wanted = static_cast<uint32_t>(
            std::count_if(chunk.destinations.begin(), chunk.destinations.end(), isInside));
        if (!isInside(chunk.source) && wanted > 0)
        {
            count++;
            toAll = toAll && wanted == rankCount;
        }
    }
    std::vector<const TacclNetwork::Link*> entering;
    bool oneEntry = true;
    for (const TacclNetwork::Link& link : m_network.links)
    {
        if (!isInside(link.source) && isInside(link.destination))
        {
            entering.push_back(&link);
            oneEntry = oneEntry && link.destination == entering.front()->destination;
        }
    }
    if (count == 0 || entering.empty())
    {
        return 0;
    }
    int64_t tail = 0;
    if (oneEntry && toAll && rankCount > 1)
    {
        // The shortest paths within the host, as for a chunk at the entry.
        const std::vector<TacclChunk> all =
            m_network.MakeChunks(CollectiveOperation::ALL_GATHER, 1);
        const uint32_t entry = entering.front()->destination;
        const TacclCandidates candidates(m_network, m_sketch, all, TacclCandidates::Ways::SHORTEST);
        for (uint32_t rank = firstRank; rank < firstRank + rankCount; rank++)
        {
            tail = std::max(tail, candidates.GetDistances(entry)[rank]);
        }
    }
    // How many can have arrived by a given time: a port with several links counts as the fastest of
    // them.
    const auto getCapacity = [&](int64_t time) {
        uint64_t capacity = 0;
        std::vector<uint64_t> ofPort(m_network.ports.size());
        for (const TacclNetwork::Link* link : entering)
        {
            const uint64_t chunksOfLink =
                time > link->alphaPs ? static_cast<uint64_t>((time - link->alphaPs) / link->betaPs)
                                     : 0;
            uint32_t shared = TacclNetwork::NONE;
            for (uint32_t port : link->ports)
            {
                shared = m_network.ports[port].egress ? shared : port;
            }
            if (shared == TacclNetwork::NONE)
            {
                capacity += chunksOfLink;
            }
            else
            {
                ofPort[shared] = std::max(ofPort[shared], chunksOfLink);
            }
        }
        for (uint64_t ofOne : ofPort)
        {
            capacity += ofOne;
        }
        return capacity;
    };
    int64_t low = 0;
    int64_t high = 1;
    while (getCapacity(high) < count)
    {
        low = high;
        high *= 2;
    }
    while (high - low > 1)
    {
        const int64_t middle = low + (high - low) / 2;
        (getCapacity(middle) >= count ? high : low) = middle;
    }
    return high + tail;
}

int64_t
TacclSynthesizer::GetBound(CollectiveOperation operation) const
{
    const std::vector<TacclChunk> chunks =
        m_network.MakeChunks(GetForward(operation), m_sketch.chunksOfRank);
    int64_t bound =
        TacclCandidates(m_network, m_sketch, chunks, TacclCandidates::Ways::SHORTEST).GetBound();
    for (uint32_t rank = 0; rank < m_network.ranks; rank++)
    {
        bound = std::max(bound, GetCutBound(chunks, rank, 1));
    }
    for (uint32_t rank = 0; rank < m_network.ranks; rank += m_network.ranksOfNode)
    {
        bound = std::max(bound, GetCutBound(chunks, rank, m_network.ranksOfNode));
    }
    return bound;
}

} // namespace ns3
