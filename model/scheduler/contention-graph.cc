/* SPDX-License-Identifier: GPL-2.0-only */
#include "contention-graph.h"

#include "../base/ties.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

ContentionGraph::ContentionGraph(uint32_t nodes)
    : m_successors(nodes)
{
}

void
ContentionGraph::AddEdge(uint32_t from, uint32_t to, double weight)
{
    NS_ABORT_MSG_IF(from == to || to >= m_successors.size() || !(weight >= 0),
                    "no edge from " << from << " to " << to << " of weight " << weight);
    m_successors.at(from).emplace_back(to, weight);
}

double
ContentionGraph::GetWeight() const
{
    double sum = 0;
    for (const auto& successors : m_successors)
    {
        for (const auto& [to, weight] : successors)
        {
            sum += weight;
        }
    }
    return sum;
}

bool
ContentionGraph::IsValid(const std::vector<uint32_t>& levels) const
{
    for (uint32_t from = 0; from < m_successors.size(); from++)
    {
        for (const auto& [to, weight] : m_successors[from])
        {
            if (levels[from] > levels[to])
            {
                return false;
            }
        }
    }
    return true;
}

double
ContentionGraph::GetCut(const std::vector<uint32_t>& levels) const
{
    double sum = 0;
    for (uint32_t from = 0; from < m_successors.size(); from++)
    {
        for (const auto& [to, weight] : m_successors[from])
        {
            sum += levels[from] != levels[to] ? weight : 0;
        }
    }
    return sum;
}

std::vector<uint32_t>
ContentionGraph::GetTopologicalOrder(const std::function<uint32_t(uint32_t)>& choose) const
{
    std::vector<uint32_t> predecessors(m_successors.size(), 0);
    for (const auto& successors : m_successors)
    {
        for (const auto& [to, weight] : successors)
        {
            predecessors[to]++;
        }
    }
    std::vector<uint32_t> free;
    for (uint32_t node = 0; node < m_successors.size(); node++)
    {
        if (predecessors[node] == 0)
        {
            free.push_back(node);
        }
    }
    std::vector<uint32_t> order;
    while (!free.empty())
    {
        const auto chosen = free.begin() + choose(static_cast<uint32_t>(free.size()));
        order.push_back(*chosen);
        free.erase(chosen);
        for (const auto& [to, weight] : m_successors[order.back()])
        {
            if (--predecessors[to] == 0)
            {
                free.push_back(to);
            }
        }
    }
    NS_ABORT_MSG_IF(order.size() < m_successors.size(), "the contention graph has a cycle");
    return order;
}

std::pair<std::vector<uint32_t>, double>
ContentionGraph::CutOrder(const std::vector<uint32_t>& order, uint32_t levels) const
{
    NS_ABORT_MSG_IF(levels == 0, "there are no levels");
    const auto n = static_cast<uint32_t>(order.size());
    std::vector<uint32_t> place(n);
    for (uint32_t i = 0; i < n; i++)
    {
        place[order[i]] = i;
    }
    // sums[x][y]: weight of the edges from the first x nodes of the order to the first y.
    std::vector<std::vector<double>> sums(n + 1, std::vector<double>(n + 1, 0));
    for (uint32_t x = 0; x < n; x++)
    {
        for (const auto& [to, weight] : m_successors[order[x]])
        {
            sums[x + 1][place[to] + 1] += weight;
        }
    }
    for (uint32_t x = 1; x <= n; x++)
    {
        for (uint32_t y = 1; y <= n; y++)
        {
            sums[x][y] += sums[x - 1][y] + sums[x][y - 1] - sums[x - 1][y - 1];
        }
    }
    // best[k][i]: greatest cut of the first i nodes into k runs; the last run begins at from[k][i].
    const uint32_t runs = std::max(1U, std::min(levels, n));
    std::vector<std::vector<double>> best(runs + 1, std::vector<double>(n + 1, 0));
    std::vector<std::vector<uint32_t>> from(runs + 1, std::vector<uint32_t>(n + 1, 0));
    for (uint32_t k = 2; k <= runs; k++)
    {
        for (uint32_t i = 0; i <= n; i++)
        {
            best[k][i] = -1;
            for (uint32_t j = 0; j <= i; j++)
            {
                const double cut = best[k - 1][j] + sums[j][i] - sums[j][j];
                if (j == 0 || IsAbove(cut, best[k][i]))
                {
                    best[k][i] = cut;
                    from[k][i] = j;
                }
            }
        }
    }
    std::vector<uint32_t> run(n, 0);
    uint32_t end = n;
    for (uint32_t k = runs; k > 0; k--)
    {
        const uint32_t start = k == 1 ? 0 : from[k][end];
        for (uint32_t i = start; i < end; i++)
        {
            run[order[i]] = k - 1;
        }
        end = start;
    }
    // Give every node the best level that the cut edges allow. No node gets worse than its run, so
    // the cut can only grow, and the order of unconnected nodes no longer matters.
    std::vector<uint32_t> result(n, 0);
    for (const uint32_t node : order)
    {
        for (const auto& [to, weight] : m_successors[node])
        {
            result[to] = std::max(result[to], result[node] + (run[node] != run[to] ? 1 : 0));
        }
    }
    return {result, GetCut(result)};
}

std::pair<std::vector<uint32_t>, double>
ContentionGraph::Compress(uint32_t levels,
                          uint32_t orders,
                          const std::function<uint64_t(uint64_t)>& random) const
{
    NS_ABORT_MSG_IF(orders == 0, "no topological order is tried");
    std::pair<std::vector<uint32_t>, double> best{{}, -1};
    uint64_t count = 0;
    for (uint32_t i = 0; i < orders; i++)
    {
        auto cut = CutOrder(GetTopologicalOrder([&](uint32_t n) {
                                return static_cast<uint32_t>(random(count++) % n);
                            }),
                            levels);
        if (i == 0 || IsAbove(cut.second, best.second))
        {
            best = std::move(cut);
        }
    }
    return best;
}

} // namespace ns3
