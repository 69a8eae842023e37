/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-routing.h"

#include "taccl-greedy-routing.h"
#include "taccl-routing-model.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

TacclRouting::TacclRouting(const TacclNetwork& network,
                           const TacclSketch& sketch,
                           const std::vector<TacclChunk>& chunks,
                           const Options& options)
    : m_network(network),
      m_chunks(chunks),
      m_options(options),
      m_candidates(network, sketch, chunks, options.ways)
{
}

std::vector<uint32_t>
TacclRouting::Sort(uint32_t c, const std::vector<uint32_t>& links) const
{
    std::vector<uint32_t> sorted;
    std::vector<uint32_t> entry(m_network.ranks, TacclNetwork::NONE);
    for (uint32_t link : links)
    {
        if (entry[m_network.links[link].destination] != TacclNetwork::NONE)
        {
            return {};
        }
        entry[m_network.links[link].destination] = link;
    }
    std::vector<uint8_t> done(m_network.ranks);
    done[m_chunks[c].source] = 1;
    for (uint32_t rank : m_chunks[c].destinations)
    {
        std::vector<uint32_t> way;
        uint32_t at = rank;
        while (!done[at])
        {
            if (entry[at] == TacclNetwork::NONE || way.size() >= m_network.ranks)
            {
                return {};
            }
            way.push_back(entry[at]);
            at = m_network.links[entry[at]].source;
        }
        for (auto link = way.rbegin(); link != way.rend(); ++link)
        {
            done[m_network.links[*link].destination] = 1;
            sorted.push_back(*link);
        }
    }
    return sorted;
}

std::optional<int64_t>
TacclRouting::GetTime(const std::vector<std::vector<uint32_t>>& links) const
{
    int64_t time = 0;
    std::vector<int64_t> loads(m_network.links.size());
    for (uint32_t c = 0; c < m_chunks.size(); c++)
    {
        const std::vector<uint32_t> sorted = Sort(c, links[c]);
        if (sorted.empty() && !m_chunks[c].destinations.empty())
        {
            return std::nullopt;
        }
        std::vector<int64_t> start(m_network.ranks);
        for (uint32_t l : sorted)
        {
            const TacclNetwork::Link& link = m_network.links[l];
            loads[l] += link.GetCost();
            start[link.destination] = start[link.source] + link.GetCost();
            time = std::max(time, start[link.destination]);
        }
    }
    for (const TacclNetwork::Port& port : m_network.ports)
    {
        int64_t load = 0;
        for (uint32_t link : port.links)
        {
            load += loads[link];
        }
        time = std::max(time, load);
    }
    return std::max(time, loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end()));
}

TacclRoutes
TacclRouting::SolveGreedily() const
{
    NS_ABORT_MSG_IF(!m_candidates.GetFault().empty(), m_candidates.GetFault());
    TacclRoutes routes;
    routes.links = TacclGreedyRouting(m_candidates).GetLinks();
    const auto time = GetTime(routes.links);
    NS_ABORT_MSG_IF(!time, "a greedy routing that does not reach all");
    for (uint32_t c = 0; c < m_chunks.size(); c++)
    {
        routes.links[c] = Sort(c, routes.links[c]);
    }
    routes.timePs = *time;
    routes.solver = "greedy";
    return routes;
}

TacclRoutes
TacclRouting::Solve(const MilpSolver& solver) const
{
    TacclRoutes greedy = SolveGreedily();
    greedy.fallback = solver.GetMissing();
    if (solver.GetName().empty())
    {
        return greedy;
    }
    // With symmetries, the minimal time may be longer than without.
    const TacclRoutingModel model(m_candidates, m_options.loadWeight, 2 * greedy.timePs);
    const MilpSolution solution = solver.Solve(model.GetProblem());
    greedy.fallback = "routing: " + solution.message;
    if (!solution.HasValues())
    {
        return greedy;
    }
    TacclRoutes routes;
    routes.links = model.GetLinks(solution.values);
    const auto time = GetTime(routes.links);
    if (!time)
    {
        greedy.fallback = "routing: what " + solver.GetName() + " found does not reach all ranks";
        return greedy;
    }
    for (uint32_t c = 0; c < m_chunks.size(); c++)
    {
        routes.links[c] = Sort(c, routes.links[c]);
    }
    routes.timePs = *time;
    routes.solver = solver.GetName();
    routes.gap = solution.gap;
    return routes;
}

} // namespace ns3
