/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-ordering.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{

uint32_t
TacclOrdering::Choose(const TacclSketch& sketch, bool reverse)
{
    return reverse ? 12 : !sketch.switches.empty() ? 10 : sketch.nodes > 1 ? 14 : 5;
}

TacclOrdering::TacclOrdering(const TacclNetwork& network,
                             const TacclSketch& sketch,
                             const std::vector<TacclChunk>& chunks,
                             const std::vector<std::vector<uint32_t>>& routes)
    : m_network(network),
      m_sketch(sketch),
      m_chunks(chunks)
{
    for (uint32_t c = 0; c < routes.size(); c++)
    {
        std::map<uint32_t, uint32_t> bringing; // by rank
        for (uint32_t link : routes[c])
        {
            const auto found = bringing.find(network.links[link].source);
            const uint32_t after = found == bringing.end() ? TacclSend::FIRST : found->second;
            bringing[network.links[link].destination] = static_cast<uint32_t>(m_sends.size());
            m_sends.push_back({c, link, after, 0});
        }
    }
    m_facts.resize(m_sends.size());
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        const uint32_t after = m_sends[s].after;
        m_facts[s].gone =
            after == TacclSend::FIRST ? 0 : m_facts[after].gone + GetLink(after).GetCost();
    }
    for (uint32_t s = static_cast<uint32_t>(m_sends.size()); s-- > 0;)
    {
        Facts& facts = m_facts[s];
        const int64_t cost = GetLink(s).GetCost();
        facts.ends = std::max(facts.ends, 1U); // the rank itself, if nothing follows
        facts.toGo += cost;
        facts.toGoSum += facts.ends * cost;
        if (m_sends[s].after != TacclSend::FIRST)
        {
            Facts& before = m_facts[m_sends[s].after];
            before.toGo = std::max(before.toGo, facts.toGo);
            before.toGoSum += facts.toGoSum;
            before.height = std::max(before.height, facts.height + 1);
            before.ends += facts.ends;
        }
    }
}

std::vector<int64_t>
TacclOrdering::MakeKey(uint32_t heuristic, uint32_t s, int64_t earliest) const
{
    const TacclNetwork::Link& link = GetLink(s);
    const uint32_t local = m_network.ranksOfNode;
    std::vector<int64_t> key;
    if (heuristic == 14)
    {
        const uint32_t own = m_network.GetNode(m_chunks[m_sends[s].chunk].source);
        const bool isOwn = !link.remote && m_network.GetNode(link.source) == own;
        key = {earliest, isOwn ? 0 : 1, -m_facts[s].toGo};
    }
    else
    {
        key = {heuristic == 12 ? -m_facts[s].toGoSum : -m_facts[s].toGo, earliest, 0};
    }
    key.insert(key.end(),
               {(link.source + m_network.ranks - link.destination) % m_network.ranks,
                link.destination % local,
                link.source % local,
                link.destination / local,
                s});
    return key;
}

bool
TacclOrdering::IsOwn(uint32_t s) const
{
    const TacclNetwork::Link& link = GetLink(s);
    return link.remote && m_chunks[m_sends[s].chunk].source == link.source;
}

void
TacclOrdering::OrderForward(uint32_t heuristic)
{
    std::vector<int64_t> linkFree(m_network.links.size());
    std::vector<int64_t> portFree(m_network.ports.size());
    std::vector<int64_t> ready(m_sends.size()); // when the chunk has reached the link's source
    std::vector<std::vector<uint32_t>> following(m_sends.size());
    std::vector<uint32_t> ownLeft(m_network.links.size()); // own chunks, which must leave first
    std::set<uint32_t> open;
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        ownLeft[m_sends[s].link] += m_sketch.ownFirst && IsOwn(s) ? 1 : 0;
        if (m_sends[s].after == TacclSend::FIRST)
        {
            open.insert(s);
        }
        else
        {
            following[m_sends[s].after].push_back(s);
        }
    }
    while (!open.empty())
    {
        uint32_t best = TacclSend::FIRST;
        std::vector<int64_t> bestKey;
        int64_t start = 0;
        for (uint32_t s : open)
        {
            if (ownLeft[m_sends[s].link] > 0 && !IsOwn(s))
            {
                continue;
            }
            int64_t earliest = std::max(ready[s], linkFree[m_sends[s].link]);
            for (uint32_t port : GetLink(s).ports)
            {
                earliest = std::max(earliest, portFree[port]);
            }
            std::vector<int64_t> key = MakeKey(heuristic, s, earliest);
            if (best == TacclSend::FIRST || key < bestKey)
            {
                best = s;
                bestKey = std::move(key);
                start = earliest;
            }
        }
        NS_ABORT_MSG_IF(best == TacclSend::FIRST, "sends that wait for each other");
        const int64_t end = start + GetLink(best).GetCost();
        m_sends[best].startPs = start;
        ownLeft[m_sends[best].link] -= m_sketch.ownFirst && IsOwn(best) ? 1 : 0;
        linkFree[m_sends[best].link] = end;
        for (uint32_t port : GetLink(best).ports)
        {
            portFree[port] = end;
        }
        open.erase(best);
        for (uint32_t next : following[best])
        {
            ready[next] = end;
            open.insert(next);
        }
        for (uint32_t s : open)
        {
            // In reverse, the source must reduce what arrives over the other links one after the
            // other.
            if (heuristic == 12 && m_sends[s].chunk == m_sends[best].chunk &&
                GetLink(s).source == GetLink(best).source)
            {
                ready[s] = std::max(ready[s], end);
            }
        }
    }
}

void
TacclOrdering::OrderBackward()
{
    // Times count down from 0, the start of the last sends.
    std::vector<int64_t> earliest(m_network.links.size(), INT64_MAX);
    std::vector<int64_t> next(m_sends.size(), INT64_MAX); // start of what follows
    uint32_t levels = 0;
    for (const Facts& facts : m_facts)
    {
        levels = std::max(levels, facts.height + 1);
    }
    for (uint32_t level = 0; level < levels; level++)
    {
        std::vector<uint32_t> sends;
        for (uint32_t s = 0; s < m_sends.size(); s++)
        {
            if (m_facts[s].height == level)
            {
                sends.push_back(s);
            }
        }
        const auto key = [&](uint32_t s) {
            const TacclNetwork::Link& link = GetLink(s);
            const uint32_t local = m_network.ranksOfNode;
            return std::vector<int64_t>{m_facts[s].toGo,
                                        -m_facts[s].gone,
                                        next[s] == INT64_MAX ? 0 : -next[s],
                                        (link.source % local + local - link.destination % local) %
                                            local,
                                        link.destination,
                                        s};
        };
        std::sort(sends.begin(), sends.end(), [&key](uint32_t a, uint32_t b) {
            return key(a) < key(b);
        });
        for (uint32_t s : sends)
        {
            const int64_t cost = GetLink(s).GetCost();
            int64_t& before = earliest[m_sends[s].link];
            int64_t start = 0;
            start = before == INT64_MAX ? start : std::min(start, before - cost);
            start = next[s] == INT64_MAX ? start : std::min(start, next[s] - cost);
            m_sends[s].startPs = before = start;
            if (m_sends[s].after != TacclSend::FIRST)
            {
                int64_t& following = next[m_sends[s].after];
                following = std::min(following, start);
            }
        }
    }
}

std::vector<TacclSend>
TacclOrdering::Order(uint32_t heuristic)
{
    NS_ABORT_MSG_IF(heuristic != 5 && heuristic != 10 && heuristic != 12 && heuristic != 14,
                    "no heuristic " << heuristic);
    if (heuristic == 5)
    {
        OrderBackward();
    }
    else
    {
        OrderForward(heuristic);
    }
    std::vector<uint32_t> order(m_sends.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        return m_sends[a].startPs < m_sends[b].startPs;
    });
    std::vector<uint32_t> place(m_sends.size());
    for (uint32_t i = 0; i < order.size(); i++)
    {
        place[order[i]] = i;
    }
    std::vector<TacclSend> sorted;
    const int64_t first = order.empty() ? 0 : m_sends[order[0]].startPs;
    for (uint32_t s : order)
    {
        sorted.push_back(m_sends[s]);
        sorted.back().startPs -= first;
        if (sorted.back().after != TacclSend::FIRST)
        {
            sorted.back().after = place[sorted.back().after];
        }
    }
    return sorted;
}

} // namespace ns3
