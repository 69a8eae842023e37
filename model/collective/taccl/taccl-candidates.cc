/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-candidates.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <set>

namespace ns3
{

namespace
{

constexpr int64_t FAR = std::numeric_limits<int64_t>::max();

} // namespace

TacclCandidates::TacclCandidates(const TacclNetwork& theNetwork,
                                 const TacclSketch& theSketch,
                                 const std::vector<TacclChunk>& theChunks,
                                 Ways ways)
    : network(theNetwork),
      sketch(theSketch),
      chunks(theChunks),
      m_ways(ways),
      m_slack(ways == Ways::SHORTEST  ? 0
              : ways == Ways::DETOURS ? FindDiameter()
                                      : FAR),
      m_links(chunks.size()),
      m_distances(chunks.size())
{
    for (uint32_t c = 0; c < chunks.size() && m_fault.empty(); c++)
    {
        const auto [first, isNew] =
            m_first.emplace(ChunkKey(chunks[c].source, chunks[c].destinations), c);
        if (isNew)
        {
            Admit(c);
        }
        else
        {
            m_links[c] = m_links[first->second];
            m_distances[c] = m_distances[first->second];
        }
    }
    if (m_fault.empty())
    {
        CheckSymmetries();
    }
}

std::vector<uint32_t>
TacclCandidates::GetPermitted(const TacclChunk& chunk) const
{
    const uint32_t own = network.GetNode(chunk.source);
    std::set<uint32_t> nodes{own};
    for (uint32_t rank : chunk.destinations)
    {
        nodes.insert(network.GetNode(rank));
    }
    std::vector<uint32_t> permitted;
    for (uint32_t l = 0; l < network.links.size(); l++)
    {
        const TacclNetwork::Link& link = network.links[l];
        bool good = nodes.count(network.GetNode(link.source)) > 0 &&
                    nodes.count(network.GetNode(link.destination)) > 0 &&
                    link.destination != chunk.source;
        if (link.remote)
        {
            good = good && network.GetNode(link.source) == own;
            if (good && !sketch.senders.empty())
            {
                const auto found = sketch.senders.find(link.source % network.ranksOfNode);
                good = found != sketch.senders.end() &&
                       std::find(found->second.begin(),
                                 found->second.end(),
                                 chunk.source % network.ranksOfNode) != found->second.end();
            }
        }
        if (good)
        {
            permitted.push_back(l);
        }
    }
    return permitted;
}

std::vector<int64_t>
TacclCandidates::FindDistances(uint32_t source,
                               const std::vector<uint32_t>& links,
                               bool backward) const
{
    std::vector<int64_t> distance(network.ranks, FAR);
    std::vector<std::vector<uint32_t>> leaving(network.ranks);
    for (uint32_t link : links)
    {
        leaving[backward ? network.links[link].destination : network.links[link].source].push_back(
            link);
    }
    using Place = std::pair<int64_t, uint32_t>;
    std::priority_queue<Place, std::vector<Place>, std::greater<>> next;
    distance[source] = 0;
    next.emplace(0, source);
    while (!next.empty())
    {
        const auto [time, rank] = next.top();
        next.pop();
        for (uint32_t l : leaving[rank])
        {
            const TacclNetwork::Link& link = network.links[l];
            const uint32_t end = backward ? link.source : link.destination;
            if (time + link.GetCost() < distance[end])
            {
                distance[end] = time + link.GetCost();
                next.emplace(distance[end], end);
            }
        }
    }
    return distance;
}

int64_t
TacclCandidates::FindDiameter() const
{
    std::vector<uint32_t> inside;
    for (uint32_t l = 0; l < network.links.size(); l++)
    {
        if (!network.links[l].remote && network.links[l].source < network.ranksOfNode)
        {
            inside.push_back(l);
        }
    }
    int64_t longest = 0;
    for (uint32_t rank = 0; rank < network.ranksOfNode; rank++)
    {
        for (int64_t distance : FindDistances(rank, inside))
        {
            longest = distance == FAR ? longest : std::max(longest, distance);
        }
    }
    return longest;
}

std::vector<uint32_t>
TacclCandidates::FindDetours(uint32_t c, const std::vector<uint32_t>& links) const
{
    std::vector<uint32_t> detours;
    const std::vector<int64_t>& distance = m_distances[c];
    const std::vector<uint32_t>& wanted = chunks[c].destinations;
    // With a single destination, the chunk must also not be later there.
    const std::vector<int64_t> toGo =
        wanted.size() == 1 ? FindDistances(wanted[0], links, true) : std::vector<int64_t>();
    for (uint32_t l : links)
    {
        const TacclNetwork::Link& link = network.links[l];
        const uint32_t end = link.destination;
        if (distance[link.source] == FAR || (!toGo.empty() && toGo[end] == FAR))
        {
            continue;
        }
        const int64_t there = distance[link.source] + link.GetCost();
        if (there <= distance[end] + m_slack &&
            (toGo.empty() || there + toGo[end] <= distance[wanted[0]] + m_slack))
        {
            detours.push_back(l);
        }
    }
    return detours;
}

std::vector<int64_t>
TacclCandidates::CountHops(uint32_t source, const std::vector<uint32_t>& links) const
{
    std::vector<int64_t> hops(network.ranks, FAR);
    hops[source] = 0;
    for (bool changes = true; changes;)
    {
        changes = false;
        for (uint32_t l : links)
        {
            const TacclNetwork::Link& link = network.links[l];
            if (hops[link.source] != FAR && hops[link.source] + 1 < hops[link.destination])
            {
                hops[link.destination] = hops[link.source] + 1;
                changes = true;
            }
        }
    }
    return hops;
}

bool
TacclCandidates::IsShortest(uint32_t chunk, uint32_t link) const
{
    const TacclNetwork::Link& way = network.links[link];
    const std::vector<int64_t>& distance = m_distances[chunk];
    return distance[way.source] != FAR &&
           distance[way.source] + way.GetCost() == distance[way.destination];
}

void
TacclCandidates::Admit(uint32_t c)
{
    const TacclChunk& chunk = chunks[c];
    const std::vector<uint32_t> permitted = GetPermitted(chunk);
    m_distances[c] = FindDistances(chunk.source, permitted);
    for (uint32_t rank : chunk.destinations)
    {
        if (m_distances[c][rank] == FAR)
        {
            m_fault = "the sketch leaves no path from rank " + std::to_string(chunk.source) +
                      " to rank " + std::to_string(rank);
            return;
        }
    }
    // From the destinations back along the paths that are shortest by a measure.
    std::set<uint32_t> links;
    const auto trace = [&](const std::function<bool(uint32_t)>& isOnWay) {
        std::set<uint32_t> ranks(chunk.destinations.begin(), chunk.destinations.end());
        std::vector<uint32_t> open(ranks.begin(), ranks.end());
        while (!open.empty())
        {
            const uint32_t rank = open.back();
            open.pop_back();
            for (uint32_t l : permitted)
            {
                if (network.links[l].destination == rank && isOnWay(l))
                {
                    links.insert(l);
                    if (ranks.insert(network.links[l].source).second)
                    {
                        open.push_back(network.links[l].source);
                    }
                }
            }
        }
        return ranks;
    };
    if (m_ways == Ways::SETS)
    {
        const std::vector<int64_t> hops = CountHops(chunk.source, permitted);
        std::set<uint32_t> ranks = trace([&](uint32_t l) {
            const TacclNetwork::Link& link = network.links[l];
            return hops[link.source] != FAR && hops[link.source] + 1 == hops[link.destination];
        });
        ranks.insert(chunk.source);
        for (uint32_t l : permitted)
        {
            if (ranks.count(network.links[l].source) > 0 &&
                ranks.count(network.links[l].destination) > 0)
            {
                links.insert(l);
            }
        }
    }
    if (m_ways == Ways::DETOURS)
    {
        const std::vector<uint32_t> detours = FindDetours(c, permitted);
        links.insert(detours.begin(), detours.end());
    }
    // The paths of least time are always included, so that there is an initial solution.
    trace([this, c](uint32_t l) { return IsShortest(c, l); });
    m_links[c].assign(links.begin(), links.end());
}

void
TacclCandidates::CheckSymmetries()
{
    for (const auto& symmetry : sketch.symmetries)
    {
        for (const TacclNetwork::Link& link : network.links)
        {
            if (link.source / symmetry.second != link.destination / symmetry.second)
            {
                continue;
            }
            const uint32_t source = TacclNetwork::Move(link.source, symmetry);
            const uint32_t destination = TacclNetwork::Move(link.destination, symmetry);
            const uint32_t other = network.Find(source, destination);
            if (other == TacclNetwork::NONE || network.links[other].GetCost() != link.GetCost())
            {
                m_fault = "symmetry_offsets [" + std::to_string(symmetry.first) + ", " +
                          std::to_string(symmetry.second) + "] makes the link from rank " +
                          std::to_string(link.source) + " to " + std::to_string(link.destination) +
                          " one from " + std::to_string(source) + " to " +
                          std::to_string(destination) + ", which is " +
                          (other == TacclNetwork::NONE ? "none" : "not like it");
                return;
            }
        }
    }
}

int64_t
TacclCandidates::GetBound() const
{
    int64_t most = 0;
    for (uint32_t c = 0; c < chunks.size(); c++)
    {
        for (uint32_t rank : chunks[c].destinations)
        {
            most = std::max(most, m_distances[c][rank]);
        }
    }
    return most;
}

std::vector<TacclCandidates::Candidate>
TacclCandidates::Move(const Candidate& candidate,
                      const std::pair<uint32_t, uint32_t>& symmetry) const
{
    const TacclNetwork::Link& link = network.links[candidate.link];
    const TacclChunk& chunk = chunks[candidate.chunk];
    ChunkKey key(TacclNetwork::Move(chunk.source, symmetry), {});
    for (uint32_t destination : chunk.destinations)
    {
        key.second.push_back(TacclNetwork::Move(destination, symmetry));
    }
    std::sort(key.second.begin(), key.second.end());
    const auto there = m_first.find(key);
    if (link.source / symmetry.second != link.destination / symmetry.second ||
        there == m_first.end())
    {
        return {};
    }
    const uint32_t part =
        candidate.chunk - m_first.find({chunk.source, chunk.destinations})->second;
    const Candidate moved{there->second + part,
                          network.Find(TacclNetwork::Move(link.source, symmetry),
                                       TacclNetwork::Move(link.destination, symmetry))};
    const std::vector<uint32_t>& links = m_links[moved.chunk];
    return std::binary_search(links.begin(), links.end(), moved.link)
               ? std::vector<Candidate>{moved}
               : std::vector<Candidate>();
}

} // namespace ns3
