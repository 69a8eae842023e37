/* SPDX-License-Identifier: GPL-2.0-only */
#include "pairwise-collective.h"

#include "peer-exchange.h"

#include "ns3/boolean.h"
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
                            .AddConstructor<PairwiseCollective>()
                            .AddAttribute("Pxn",
                                          "Whether messages to a NIC at another switch are "
                                          "relayed by the GPU of the sender's host whose NIC is "
                                          "there (NCCL's PXN).",
                                          BooleanValue(true),
                                          MakeBooleanAccessor(&PairwiseCollective::m_pxn),
                                          MakeBooleanChecker());
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
    PeerExchange exchange("Pairwise", call, layout, channels, m_pxn);
    std::vector<std::vector<uint32_t>> received(n);
    for (uint32_t step = 0; step < n; step++)
    {
        std::vector<std::vector<uint32_t>> arriving(n);
        for (uint32_t rank = 0; rank < n; rank++)
        {
            const uint32_t peer = (rank + step) % n;
            for (uint32_t channel = 0; channel < channels; channel++)
            {
                const uint32_t move = exchange.AddMessage(rank, peer, channel, received[rank]);
                if (step > 0)
                {
                    arriving[peer].push_back(move);
                }
            }
        }
        received = std::move(arriving);
    }
    return exchange.Finish();
}

} // namespace ns3
