/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CONTENTION_GRAPH_H
#define GPU_FABRIC_CONTENTION_GRAPH_H

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Which jobs share a link, and which of them goes first: the contention DAG of Crux (SIGCOMM 2024,
 * section 4.3). An edge a -> b means that a goes before b; its weight is what is lost if both get
 * the same level. A mapping of nodes to levels is valid if no edge leads from a lower level (with a
 * greater number) to a higher one; its cut is the weight of the edges between different levels.
 */
class ContentionGraph
{
  public:
    explicit ContentionGraph(uint32_t nodes);
    /// Adds an edge. The graph must stay free of cycles. \param weight not negative
    void AddEdge(uint32_t from, uint32_t to, double weight);

    uint32_t GetNodeCount() const
    {
        return static_cast<uint32_t>(m_successors.size());
    }

    /// (successor, weight) of a node.
    const std::vector<std::pair<uint32_t, double>>& GetSuccessors(uint32_t node) const
    {
        return m_successors[node];
    }

    /// Weight of all edges.
    double GetWeight() const;
    /// Whether no edge leads to a better level. \param levels by node, 0 best
    bool IsValid(const std::vector<uint32_t>& levels) const;
    /// Weight of the edges between different levels.
    double GetCut(const std::vector<uint32_t>& levels) const;

    /**
     * A topological order; `choose(n)` returns an index below n, which selects one of the n nodes
     * that may come next, in the order in which they became available.
     */
    std::vector<uint32_t> GetTopologicalOrder(
        const std::function<uint32_t(uint32_t)>& choose) const;
    /**
     * The levels with the greatest cut among those that split an order into at most `levels` runs,
     * by dynamic programming in O(n^2 levels) (section 4.3, Algorithm 1). Any such split of a
     * topological order is valid (Appendix B, Theorem 2). Nodes are then moved to better levels as
     * long as every cut edge stays cut (our addition: it keeps levels stable and their number
     * small).
     * \param order topological
     * \param levels at least 1
     * \returns levels by node and their cut
     */
    std::pair<std::vector<uint32_t>, double> CutOrder(const std::vector<uint32_t>& order,
                                                      uint32_t levels) const;
    /**
     * The best of CutOrder over random topological orders.
     * \param orders how many, at least 1
     * \param random returns 64 random bits for a count from 0
     */
    std::pair<std::vector<uint32_t>, double> Compress(
        uint32_t levels,
        uint32_t orders,
        const std::function<uint64_t(uint64_t)>& random) const;

  private:
    std::vector<std::vector<std::pair<uint32_t, double>>> m_successors;
};

} // namespace ns3

#endif // GPU_FABRIC_CONTENTION_GRAPH_H
