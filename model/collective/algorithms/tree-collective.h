/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TREE_COLLECTIVE_H
#define GPU_FABRIC_TREE_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <vector>

namespace ns3
{

/**
 * All-reduce, broadcast and reduce over double binary trees, in pieces, on k channels.
 *
 * The hosts form two complementary binary trees, each of which carries half of a channel's share:
 * an inner node of one is a leaf of the other if the number of hosts allows it. The GPUs of a host
 * form a chain that begins at the NIC of the channel. NCCL builds its trees in this way
 * (src/graph/trees.cc: ncclGetBtree and ncclGetDtree), after Sanders, Speck and Traeff, "Two-tree
 * algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 2009. In a
 * broadcast or reduce the root feeds both trees, which join the other hosts, as in that paper.
 *
 * All ranks together send 2 (n-1) S bytes in an all-reduce of S bytes over n ranks, (n-1) S in a
 * broadcast or reduce.
 */
class TreeCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;

    /**
     * The parent of a node of one of the two trees.
     * \param nodes number of nodes
     * \param node 0 to nodes-1
     * \param tree 0 or 1
     * \returns the parent, or CollectiveCall::NOBODY for the root
     */
    static uint32_t GetParent(uint32_t nodes, uint32_t node, uint32_t tree);

    double EstimateMessages(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const override;

  private:
    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;

    uint64_t m_pieceBytes{524'288};
    uint32_t m_maxPieces{64};
};

} // namespace ns3

#endif // GPU_FABRIC_TREE_COLLECTIVE_H
