/* SPDX-License-Identifier: GPL-2.0-only */
#include "nvls-collective.h"

#include "../collective-builder.h"
#include "tree-collective.h"

#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvlsCollective");

NS_OBJECT_ENSURE_REGISTERED(NvlsCollective);

TypeId
NvlsCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NvlsCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<NvlsCollective>()
                            .AddAttribute("PieceBytes",
                                          "Piece of a GPU's part that moves through the steps; "
                                          "default: NCCL's chunk of NVLS (NCCL_NVLS_CHUNKSIZE).",
                                          ByteSizeValue(131'072),
                                          MakeByteSizeAccessor(&NvlsCollective::m_pieceBytes),
                                          MakeByteSizeChecker(1))
                            .AddAttribute("MaxPieces",
                                          "Pieces of a part on a channel at most, larger if need "
                                          "be.",
                                          UintegerValue(32),
                                          MakeUintegerAccessor(&NvlsCollective::m_maxPieces),
                                          MakeUintegerChecker<uint32_t>(1, 4096));
    return tid;
}

bool
NvlsCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return operation == CollectiveOperation::ALL_REDUCE;
}

double
NvlsCollective::EstimateMessages(const CollectiveCall& call,
                                 const CollectiveLayout& layout,
                                 uint32_t channels) const
{
    const auto ranks = static_cast<double>(layout.ranks.size());
    const double size = ranks / std::max(layout.GetHostCount(), 1U);
    const uint32_t pieces = CountPieces(call.bytes / channels, m_pieceBytes, m_maxPieces);
    return 4 * ranks * size * channels * pieces;
}

std::string
NvlsCollective::DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const
{
    if (call.operation != CollectiveOperation::ALL_REDUCE)
    {
        return CannotDo(call.operation);
    }
    std::vector<uint32_t> sizes(layout.GetHostCount());
    for (const CollectiveLayout::Rank& rank : layout.ranks)
    {
        sizes[rank.host]++;
    }
    for (const uint32_t size : sizes)
    {
        if (size != sizes[0] || size < 2)
        {
            return "Nvls needs the same number of GPUs, at least 2, on every host";
        }
    }
    return "";
}

CollectiveSchedule
NvlsCollective::DoBuild(const CollectiveCall& call,
                        const CollectiveLayout& layout,
                        uint32_t channels) const
{
    NS_LOG_FUNCTION(this << call.bytes << channels);
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    const uint32_t hosts = layout.GetHostCount();
    const uint32_t size = n / hosts; // ranks are host-major
    constexpr uint32_t TREES = 2;
    const uint32_t trees = hosts > 1 ? TREES : 1;
    const uint32_t pieces = CountPieces(call.bytes / size / channels, m_pieceBytes, m_maxPieces);
    const uint32_t perOwner = channels * pieces * trees;
    CollectiveBuilder builder(hosts > 1 ? "NvlsTree" : "Nvls", call, n, channels);
    builder.SetChunks(size * perOwner, true);
    constexpr ChunkBuffer OUT = ChunkBuffer::OUTPUT;
    // By tree: its hosts, parents before their children.
    std::vector<std::vector<uint32_t>> orders(trees);
    for (uint32_t tree = 0; tree < trees; tree++)
    {
        std::vector<uint32_t>& order = orders[tree];
        uint32_t parent = CollectiveCall::NOBODY;
        for (uint32_t next = 0; order.size() < hosts; parent = order[next++])
        {
            for (uint32_t host = 0; host < hosts; host++)
            {
                if (TreeCollective::GetParent(hosts, host, tree) == parent)
                {
                    order.push_back(host);
                }
            }
        }
    }
    for (uint32_t piece = 0; piece < pieces; piece++)
    {
        for (uint32_t channel = 0; channel < channels; channel++)
        {
            for (uint32_t tree = 0; tree < trees; tree++)
            {
                for (uint32_t owner = 0; owner < size; owner++)
                {
                    const uint32_t chunk =
                        owner * perOwner + (channel * pieces + piece) * trees + tree;
                    const auto move = [&](uint32_t from, uint32_t to, ChunkAction action) {
                        builder.Move({from, OUT, chunk}, {to, OUT, chunk}, 1, channel, action);
                    };
                    for (uint32_t host = 0; host < hosts; host++)
                    {
                        const uint32_t to = host * size + owner;
                        for (uint32_t step = 1; step < size; step++)
                        {
                            move(host * size + (owner + step) % size, to, ChunkAction::REDUCE);
                        }
                    }
                    const std::vector<uint32_t>& order = orders[tree];
                    for (uint32_t i = hosts; i-- > 1;)
                    {
                        const uint32_t up = TreeCollective::GetParent(hosts, order[i], tree);
                        move(order[i] * size + owner, up * size + owner, ChunkAction::REDUCE);
                    }
                    for (uint32_t i = 1; i < hosts; i++)
                    {
                        const uint32_t up = TreeCollective::GetParent(hosts, order[i], tree);
                        move(up * size + owner, order[i] * size + owner, ChunkAction::COPY);
                    }
                    for (uint32_t host = 0; host < hosts; host++)
                    {
                        const uint32_t from = host * size + owner;
                        for (uint32_t step = 1; step < size; step++)
                        {
                            move(from, host * size + (owner + step) % size, ChunkAction::COPY);
                        }
                    }
                }
            }
        }
    }
    CollectiveSchedule schedule = builder.Finish();
    schedule.execution.nics = CollectiveNics::OWN;
    schedule.execution.localNumerator = size;
    schedule.execution.localDenominator = 2 * (size - 1);
    return schedule;
}

} // namespace ns3
