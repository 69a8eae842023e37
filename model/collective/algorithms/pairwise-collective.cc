/* SPDX-License-Identifier: GPL-2.0-only */
#include "pairwise-collective.h"

#include "../collective-builder.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PairwiseCollective");

NS_OBJECT_ENSURE_REGISTERED(PairwiseCollective);

TypeId
PairwiseCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PairwiseCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<PairwiseCollective>();
    return tid;
}

std::string
PairwiseCollective::DoGetUnsupportedReason(const CollectiveCall& call,
                                           const CollectiveLayout&) const
{
    return call.operation == CollectiveOperation::ALL_TO_ALL ? "" : CannotDo(call.operation);
}

CollectiveSchedule
PairwiseCollective::DoBuild(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    const auto n = static_cast<uint32_t>(layout.ranks.size());
    CollectiveBuilder builder("Pairwise", call, n, channels);
    builder.SetChunks(n * channels, false);
    std::vector<std::vector<uint32_t>> received(n);
    for (uint32_t step = 0; step < n; step++)
    {
        std::vector<std::vector<uint32_t>> arriving(n);
        for (uint32_t rank = 0; rank < n; rank++)
        {
            const uint32_t peer = (rank + step) % n;
            for (uint32_t channel = 0; channel < channels; channel++)
            {
                const uint32_t move =
                    builder.Move({rank, ChunkBuffer::INPUT, peer * channels + channel},
                                 {peer, ChunkBuffer::OUTPUT, rank * channels + channel},
                                 1,
                                 channel,
                                 ChunkAction::COPY,
                                 received[rank]);
                if (step > 0)
                {
                    arriving[peer].push_back(move);
                }
            }
        }
        received = std::move(arriving);
    }
    return builder.Finish();
}

} // namespace ns3
