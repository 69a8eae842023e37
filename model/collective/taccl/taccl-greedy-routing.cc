/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-greedy-routing.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/// Smaller gains do not count as an improvement [us^2].
constexpr double EPSILON = 1e-6;

/// Maximum number of passes over all choices if the loads do not settle earlier.
constexpr int MAX_PASSES = 50;

} // namespace

TacclGreedyRouting::TacclGreedyRouting(const TacclCandidates& candidates)
    : m_candidates(candidates),
      m_loads(candidates.network.links.size() + candidates.network.ports.size()),
      m_entry(candidates.chunks.size(),
              std::vector<uint32_t>(candidates.network.ranks, TacclNetwork::NONE)),
      m_entries(m_entry.size())
{
    for (uint32_t c = 0; c < m_entry.size(); c++)
    {
        for (uint32_t link : candidates.GetLinks(c))
        {
            m_entries[c][candidates.network.links[link].destination].push_back(link);
        }
    }
    for (uint32_t c = 0; c < m_entry.size(); c++)
    {
        Grow(c);
    }
    for (int pass = 0; pass < MAX_PASSES && Level(); pass++)
    {
    }
}

std::vector<std::vector<uint32_t>>
TacclGreedyRouting::GetLinks() const
{
    std::vector<std::vector<uint32_t>> links;
    for (const std::vector<uint32_t>& entry : m_entry)
    {
        links.emplace_back();
        std::copy_if(entry.begin(),
                     entry.end(),
                     std::back_inserter(links.back()),
                     [](uint32_t link) { return link != TacclNetwork::NONE; });
    }
    return links;
}

template <class Function>
void
TacclGreedyRouting::ForLoads(uint32_t link, Function function)
{
    function(m_loads[link]);
    for (uint32_t port : m_candidates.network.links[link].ports)
    {
        function(m_loads[m_candidates.network.links.size() + port]);
    }
}

void
TacclGreedyRouting::Load(uint32_t link, double sign)
{
    const double cost =
        sign * static_cast<double>(m_candidates.network.links[link].GetCost()) / 1e6;
    ForLoads(link, [cost](double& load) { load += cost; });
}

double
TacclGreedyRouting::GetGrowth(uint32_t link)
{
    const double cost = static_cast<double>(m_candidates.network.links[link].GetCost()) / 1e6;
    double growth = 0;
    ForLoads(link, [&growth, cost](double& load) { growth += cost * (2 * load + cost); });
    return growth;
}

uint32_t
TacclGreedyRouting::GetBest(const std::vector<uint32_t>& links)
{
    uint32_t best = links.front();
    for (uint32_t link : links)
    {
        if (GetGrowth(link) < GetGrowth(best) - EPSILON)
        {
            best = link;
        }
    }
    return best;
}

void
TacclGreedyRouting::Grow(uint32_t c)
{
    std::vector<uint32_t> wanted = m_candidates.chunks[c].destinations;
    const std::vector<int64_t>& distance = m_candidates.GetDistances(c);
    std::stable_sort(wanted.begin(), wanted.end(), [&distance](uint32_t a, uint32_t b) {
        return distance[a] < distance[b];
    });
    for (uint32_t rank : wanted)
    {
        uint32_t at = rank;
        while (at != m_candidates.chunks[c].source && m_entry[c][at] == TacclNetwork::NONE)
        {
            std::vector<uint32_t> shortest = m_entries[c].at(at);
            shortest.erase(std::remove_if(shortest.begin(),
                                          shortest.end(),
                                          [this, c](uint32_t link) {
                                              return !m_candidates.IsShortest(c, link);
                                          }),
                           shortest.end());
            m_entry[c][at] = GetBest(shortest);
            Load(m_entry[c][at], 1);
            at = m_candidates.network.links[m_entry[c][at]].source;
        }
    }
}

int64_t
TacclGreedyRouting::GetStart(uint32_t c, uint32_t rank) const
{
    int64_t start = 0;
    for (uint32_t at = rank; at != m_candidates.chunks[c].source;)
    {
        const TacclNetwork::Link& link = m_candidates.network.links[m_entry[c][at]];
        start += link.GetCost();
        at = link.source;
    }
    return start;
}

bool
TacclGreedyRouting::MayEnter(uint32_t c, uint32_t rank, uint32_t l) const
{
    const TacclNetwork::Link& link = m_candidates.network.links[l];
    const uint32_t origin = m_candidates.chunks[c].source;
    const auto isBehind = [&](uint32_t at) {
        while (at != origin && at != rank)
        {
            at = m_candidates.network.links[m_entry[c][at]].source;
        }
        return at == rank;
    };
    if (link.source != origin &&
        (m_entry[c][link.source] == TacclNetwork::NONE || isBehind(link.source)))
    {
        return false;
    }
    if (m_candidates.GetSlack() == 0 || m_candidates.GetSlack() == INT64_MAX)
    {
        return true; // all are shortest paths, or any path is allowed
    }
    const int64_t later = GetStart(c, link.source) + link.GetCost() - GetStart(c, rank);
    const std::vector<int64_t>& distance = m_candidates.GetDistances(c);
    for (uint32_t other = 0; later > 0 && other < m_candidates.network.ranks; other++)
    {
        if (other != origin && m_entry[c][other] != TacclNetwork::NONE && isBehind(other) &&
            GetStart(c, other) + later > distance[other] + m_candidates.GetSlack())
        {
            return false;
        }
    }
    return true;
}

bool
TacclGreedyRouting::LevelRank(uint32_t c, uint32_t rank)
{
    const auto links = m_entries[c].find(rank);
    const uint32_t entry = m_entry[c][rank];
    if (links == m_entries[c].end() || entry == TacclNetwork::NONE)
    {
        return false;
    }
    Load(entry, -1);
    uint32_t best = entry;
    for (uint32_t link : links->second)
    {
        if (GetGrowth(link) < GetGrowth(best) - EPSILON && MayEnter(c, rank, link))
        {
            best = link;
        }
    }
    m_entry[c][rank] = best;
    Load(best, 1);
    return best != entry;
}

bool
TacclGreedyRouting::Level()
{
    bool changed = false;
    const TacclNetwork& network = m_candidates.network;
    for (uint32_t c = 0; c < m_entry.size(); c++)
    {
        // In each host, starts after the GPU with the source's number, so that chunks of different
        // ranks do not all have to enter it the same way.
        for (uint32_t i = 1; i <= network.ranksOfNode; i++)
        {
            const uint32_t local = (m_candidates.chunks[c].source + i) % network.ranksOfNode;
            for (uint32_t rank = local; rank < network.ranks; rank += network.ranksOfNode)
            {
                changed = LevelRank(c, rank) || changed;
            }
        }
    }
    return changed;
}

} // namespace ns3
