/* SPDX-License-Identifier: GPL-2.0-only */
#include "tree-collective.h"

#include "../collective-builder.h"
#include "ring-collective.h"

#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TreeCollective");

NS_OBJECT_ENSURE_REGISTERED(TreeCollective);

namespace
{

constexpr uint32_t NOBODY = CollectiveCall::NOBODY;
constexpr uint32_t TREES = 2;

/// The parent in the binary tree in which odd nodes are leaves; the root is node 0.
uint32_t
GetBinaryParent(uint32_t nodes, uint32_t node)
{
    if (node == 0)
    {
        return NOBODY;
    }
    const uint32_t bit = node & (~node + 1);
    const uint32_t up = (node ^ bit) | (bit << 1);
    return up < nodes ? up : node ^ bit;
}

/// Ranks and their parents.
class RankTree
{
  public:
    RankTree(const CollectiveCall& call,
             const CollectiveLayout& layout,
             uint32_t channel,
             uint32_t tree)
        : m_parent(layout.ranks.size(), NOBODY),
          m_depth(layout.ranks.size()),
          m_height(layout.ranks.size())
    {
        const bool rooted = call.operation != CollectiveOperation::ALL_REDUCE;
        const uint32_t hosts = layout.GetHostCount();
        std::vector<std::vector<uint32_t>> chains(hosts);
        for (uint32_t rank : RingCollective::GetRing(layout, channel))
        {
            chains[layout.ranks[rank].host].push_back(rank);
        }
        const uint32_t rootHost = layout.ranks[rooted ? call.root : 0].host;
        if (rooted)
        {
            std::vector<uint32_t>& chain = chains[rootHost];
            std::rotate(chain.begin(),
                        std::find(chain.begin(), chain.end(), call.root),
                        chain.end());
        }
        for (uint32_t host = 0; host < hosts; host++)
        {
            for (size_t i = 1; i < chains[host].size(); i++)
            {
                m_parent[chains[host][i]] = chains[host][i - 1];
            }
            uint32_t parent = NOBODY;
            if (!rooted)
            {
                parent = TreeCollective::GetParent(hosts, host, tree);
            }
            else if (host != rootHost)
            {
                // The trees connect the other hosts, starting with the next one.
                const uint32_t node = (host + hosts - rootHost - 1) % hosts;
                const uint32_t up = TreeCollective::GetParent(hosts - 1, node, tree);
                parent = up == NOBODY ? rootHost : (up + rootHost + 1) % hosts;
            }
            if (parent != NOBODY)
            {
                m_parent[chains[host][0]] = chains[parent][0];
            }
        }
        for (uint32_t rank = 0; rank < m_parent.size(); rank++)
        {
            uint32_t distance = 0;
            for (uint32_t up = m_parent[rank]; up != NOBODY; up = m_parent[up])
            {
                distance++;
                m_height[up] = std::max(m_height[up], distance);
            }
            m_depth[rank] = distance;
            m_total = std::max(m_total, distance);
        }
    }

    uint32_t GetParent(uint32_t rank) const
    {
        return m_parent[rank];
    }

    uint32_t GetDepth(uint32_t rank) const
    {
        return m_depth[rank];
    }

    /// Hops down to the farthest leaf.
    uint32_t GetHeight(uint32_t rank) const
    {
        return m_height[rank];
    }

    /// Hops from the root to the farthest leaf.
    uint32_t GetTotal() const
    {
        return m_total;
    }

  private:
    std::vector<uint32_t> m_parent;
    std::vector<uint32_t> m_depth;
    std::vector<uint32_t> m_height;
    uint32_t m_total{0};
};

} // namespace

TypeId
TreeCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TreeCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TreeCollective>()
            .AddAttribute("PieceBytes",
                          "Piece of the data that moves along a tree; default: a slot of "
                          "NCCL's buffer, NCCL_BUFFSIZE / NCCL_STEPS.",
                          ByteSizeValue(524'288),
                          MakeByteSizeAccessor(&TreeCollective::m_pieceBytes),
                          MakeByteSizeChecker(1))
            .AddAttribute("MaxPieces",
                          "Pieces of a tree's share at most, larger if need be.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&TreeCollective::m_maxPieces),
                          MakeUintegerChecker<uint32_t>(1, 4096));
    return tid;
}

bool
TreeCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return operation != CollectiveOperation::SEND_RECEIVE;
}

uint32_t
TreeCollective::GetParent(uint32_t nodes, uint32_t node, uint32_t tree)
{
    if (tree == 0)
    {
        return GetBinaryParent(nodes, node);
    }
    if (nodes % 2 == 0)
    {
        const uint32_t parent = GetBinaryParent(nodes, nodes - 1 - node);
        return parent == NOBODY ? NOBODY : nodes - 1 - parent;
    }
    const uint32_t parent = GetBinaryParent(nodes, (node + nodes - 1) % nodes);
    return parent == NOBODY ? NOBODY : (parent + 1) % nodes;
}

double
TreeCollective::EstimateMessages(const CollectiveCall& call,
                                 const CollectiveLayout& layout,
                                 uint32_t channels) const
{
    // Two trees up and down, in pieces.
    const uint32_t pieces = CountPieces(call.bytes / channels / TREES, m_pieceBytes, m_maxPieces);
    return 2.0 * TREES * static_cast<double>(layout.ranks.size()) * channels * pieces;
}

std::string
TreeCollective::DoGetUnsupportedReason(const CollectiveCall& call, const CollectiveLayout&) const
{
    const CollectiveOperation operation = call.operation;
    const bool can = operation == CollectiveOperation::ALL_REDUCE ||
                     operation == CollectiveOperation::BROADCAST ||
                     operation == CollectiveOperation::REDUCE;
    return can ? "" : CannotDo(operation);
}

CollectiveSchedule
TreeCollective::DoBuild(const CollectiveCall& call,
                        const CollectiveLayout& layout,
                        uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);

    struct Hop
    {
        uint32_t time;
        uint32_t channel;
        uint32_t chunk;
        uint32_t from;
        uint32_t to;
        ChunkAction action;
    };

    const auto n = static_cast<uint32_t>(layout.ranks.size());
    const uint32_t pieces = CountPieces(call.bytes / channels / TREES, m_pieceBytes, m_maxPieces);
    const bool reduces = call.operation != CollectiveOperation::BROADCAST;
    const bool spreads = call.operation != CollectiveOperation::REDUCE;
    std::vector<Hop> hops;
    for (uint32_t channel = 0; channel < channels; channel++)
    {
        for (uint32_t tree = 0; tree < TREES; tree++)
        {
            const RankTree ranks(call, layout, channel, tree);
            const uint32_t turn = reduces ? ranks.GetTotal() : 0;
            for (uint32_t rank = 0; rank < n; rank++)
            {
                const uint32_t parent = ranks.GetParent(rank);
                for (uint32_t piece = 0; piece < pieces && parent != NOBODY; piece++)
                {
                    const uint32_t chunk = (channel * TREES + tree) * pieces + piece;
                    if (reduces)
                    {
                        const uint32_t time = piece + ranks.GetHeight(rank);
                        hops.push_back({time, channel, chunk, rank, parent, ChunkAction::REDUCE});
                    }
                    if (spreads)
                    {
                        const uint32_t time = piece + turn + ranks.GetDepth(parent);
                        hops.push_back({time, channel, chunk, parent, rank, ChunkAction::COPY});
                    }
                }
            }
        }
    }
    // In order of time, so that on an edge used by both trees neither waits for the other.
    std::sort(hops.begin(), hops.end(), [](const Hop& a, const Hop& b) {
        return std::tie(a.time, a.channel, a.chunk, a.from, a.to) <
               std::tie(b.time, b.channel, b.chunk, b.from, b.to);
    });
    CollectiveBuilder builder("Tree", call, n, channels);
    builder.SetChunks(channels * TREES * pieces, true);
    for (const Hop& hop : hops)
    {
        builder.Move({hop.from, ChunkBuffer::OUTPUT, hop.chunk},
                     {hop.to, ChunkBuffer::OUTPUT, hop.chunk},
                     1,
                     hop.channel,
                     hop.action);
    }
    return builder.Finish();
}

} // namespace ns3
