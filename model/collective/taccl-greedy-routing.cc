/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/taccl-greedy-routing.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/// Less is no improvement [us^2].
constexpr double EPSILON = 1e-6;

/// Passes over all choices, should the loads not come to rest before.
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
            if (candidates.IsShortest(c, link))
            {
                m_entries[c][candidates.network.links[link].destination].push_back(link);
            }
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
            m_entry[c][at] = GetBest(m_entries[c].at(at));
            Load(m_entry[c][at], 1);
            at = m_candidates.network.links[m_entry[c][at]].source;
        }
    }
}

bool
TacclGreedyRouting::Level()
{
    bool changed = false;
    for (uint32_t c = 0; c < m_entry.size(); c++)
    {
        const uint32_t origin = m_candidates.chunks[c].source;
        for (const auto& [rank, links] : m_entries[c])
        {
            uint32_t& entry = m_entry[c][rank];
            if (entry == TacclNetwork::NONE)
            {
                continue;
            }
            Load(entry, -1);
            std::vector<uint32_t> choices{entry};
            for (uint32_t link : links)
            {
                const uint32_t source = m_candidates.network.links[link].source;
                if (source == origin || m_entry[c][source] != TacclNetwork::NONE)
                {
                    choices.push_back(link);
                }
            }
            const uint32_t best = GetBest(choices);
            changed = changed || best != entry;
            entry = best;
            Load(entry, 1);
        }
    }
    return changed;
}

} // namespace ns3
