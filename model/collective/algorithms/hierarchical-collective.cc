/* SPDX-License-Identifier: GPL-2.0-only */
#include "hierarchical-collective.h"

#include "../collective-builder.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HierarchicalCollective");

NS_OBJECT_ENSURE_REGISTERED(HierarchicalCollective);

namespace
{

/// Ranks host by host, and rings over them.
class TwoLevels
{
  public:
    TwoLevels(const CollectiveCall& call, const CollectiveLayout& layout, uint32_t channels)
        : m_hosts(layout.GetHostCount()),
          m_gpus(static_cast<uint32_t>(layout.ranks.size()) / m_hosts),
          m_reduceAll(call.operation == CollectiveOperation::ALL_REDUCE),
          m_buffer(call.operation == CollectiveOperation::REDUCE_SCATTER ? ChunkBuffer::INPUT
                                                                         : ChunkBuffer::OUTPUT),
          m_builder("Hierarchical",
                    call,
                    m_hosts * m_gpus,
                    std::max(channels, layout.GetDefaultChannels()))
    {
        for (uint32_t rank = 0; rank < layout.ranks.size(); rank++)
        {
            m_rails.push_back(layout.GetRail(rank));
        }
        m_builder.SetChunks(m_hosts * m_gpus, true);
    }

    /// Rings inside the hosts: GPU l ends with, or starts with, the chunks of the GPUs l of all
    /// hosts.
    void RunInside(ChunkAction action)
    {
        for (uint32_t step = 0; step + 1 < m_gpus; step++)
        {
            for (uint32_t rank = 0; rank < m_hosts * m_gpus; rank++)
            {
                const uint32_t gpu = rank % m_gpus;
                const uint32_t next = rank - gpu + (gpu + 1) % m_gpus;
                const uint32_t owner = GetPortion(gpu, step, m_gpus, action);
                if (m_reduceAll)
                {
                    Move(rank, next, owner * m_hosts, m_hosts, action);
                    continue;
                }
                for (uint32_t host = 0; host < m_hosts; host++)
                {
                    Move(rank, next, host * m_gpus + owner, 1, action);
                }
            }
        }
    }

    /// A ring over the hosts for each GPU l, over the chunks of the GPUs l of all hosts.
    void RunBetween(ChunkAction action)
    {
        for (uint32_t step = 0; step + 1 < m_hosts; step++)
        {
            for (uint32_t rank = 0; rank < m_hosts * m_gpus; rank++)
            {
                const uint32_t gpu = rank % m_gpus;
                const uint32_t host = rank / m_gpus;
                const uint32_t owner = GetPortion(host, step, m_hosts, action);
                const uint32_t chunk = m_reduceAll ? gpu * m_hosts + owner : owner * m_gpus + gpu;
                Move(rank, (host + 1) % m_hosts * m_gpus + gpu, chunk, 1, action);
            }
        }
    }

    CollectiveSchedule Finish()
    {
        return m_builder.Finish();
    }

  private:
    /// The owner of the portion that a place of a ring of n forwards in a step.
    static uint32_t GetPortion(uint32_t place, uint32_t step, uint32_t n, ChunkAction action)
    {
        return (place + n - step - (action == ChunkAction::REDUCE ? 1 : 0)) % n;
    }

    void Move(uint32_t from, uint32_t to, uint32_t chunk, uint32_t count, ChunkAction action)
    {
        m_builder.Move({from, m_buffer, chunk},
                       {to, m_buffer, chunk},
                       count,
                       m_rails[from],
                       action);
    }

    uint32_t m_hosts;
    uint32_t m_gpus;
    bool m_reduceAll; ///< chunks by GPU, then host, so that the data of a GPU form one message
    ChunkBuffer m_buffer;
    std::vector<uint32_t> m_rails; ///< by rank: its channel
    CollectiveBuilder m_builder;
};

} // namespace

TypeId
HierarchicalCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HierarchicalCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<HierarchicalCollective>();
    return tid;
}

double
HierarchicalCollective::EstimateMessages(const CollectiveCall&,
                                         const CollectiveLayout& layout,
                                         uint32_t channels) const
{
    const auto ranks = static_cast<double>(layout.ranks.size());
    const double hosts = layout.GetHostCount();
    return 2 * ranks * (ranks / std::max(hosts, 1.0) + hosts) * channels;
}

std::string
HierarchicalCollective::DoGetUnsupportedReason(const CollectiveCall& call,
                                               const CollectiveLayout& layout) const
{
    const CollectiveOperation operation = call.operation;
    if (operation != CollectiveOperation::ALL_REDUCE &&
        operation != CollectiveOperation::ALL_GATHER &&
        operation != CollectiveOperation::REDUCE_SCATTER)
    {
        return CannotDo(operation);
    }
    std::vector<uint32_t> gpus(layout.GetHostCount());
    for (const CollectiveLayout::Rank& rank : layout.ranks)
    {
        gpus[rank.host]++;
    }
    for (uint32_t host = 1; host < gpus.size(); host++)
    {
        if (gpus[host] != gpus[0])
        {
            return "Hierarchical needs as many GPUs on every host, not " + std::to_string(gpus[0]) +
                   " on the first and " + std::to_string(gpus[host]) + " on host " +
                   std::to_string(host + 1) + " of " + std::to_string(gpus.size());
        }
    }
    return "";
}

CollectiveSchedule
HierarchicalCollective::DoBuild(const CollectiveCall& call,
                                const CollectiveLayout& layout,
                                uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    TwoLevels levels(call, layout, channels);
    if (call.operation != CollectiveOperation::ALL_GATHER)
    {
        levels.RunInside(ChunkAction::REDUCE);
        levels.RunBetween(ChunkAction::REDUCE);
    }
    if (call.operation != CollectiveOperation::REDUCE_SCATTER)
    {
        levels.RunBetween(ChunkAction::COPY);
        levels.RunInside(ChunkAction::COPY);
    }
    return levels.Finish();
}

} // namespace ns3
