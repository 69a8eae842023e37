/* SPDX-License-Identifier: GPL-2.0-only */
#include "peer-exchange.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PeerExchange");

PeerExchange::PeerExchange(const std::string& algorithm,
                           const CollectiveCall& call,
                           const CollectiveLayout& layout,
                           uint32_t channels,
                           bool relays)
    : m_layout(layout),
      m_ranks(static_cast<uint32_t>(layout.ranks.size())),
      m_channels(channels)
{
    uint32_t hostSize = 0;
    for (uint32_t rank = 0; rank < m_ranks; rank++)
    {
        const bool isFirst = rank == 0 || layout.ranks[rank].host != layout.ranks[rank - 1].host;
        m_place.push_back(isFirst ? 0 : m_place.back() + 1);
        hostSize = std::max(hostSize, m_place.back() + 1);
    }
    for (uint32_t source = 0; source < m_ranks && relays && !m_relays; source++)
    {
        for (uint32_t destination = 0; destination < m_ranks && !m_relays; destination++)
        {
            m_relays = layout.GetRelay(source, destination) != source;
        }
    }
    m_builder.emplace(algorithm, call, m_ranks, channels * (m_relays ? 1 + hostSize : 1));
    m_builder->SetChunks(m_ranks * channels, false, m_relays ? hostSize * m_ranks * channels : 0);
}

uint32_t
PeerExchange::AddMessage(uint32_t source,
                         uint32_t destination,
                         uint32_t channel,
                         const std::vector<uint32_t>& after)
{
    const ChunkPlace input{source, ChunkBuffer::INPUT, destination * m_channels + channel};
    const ChunkPlace output{destination, ChunkBuffer::OUTPUT, source * m_channels + channel};
    const uint32_t relay = m_relays ? m_layout.GetRelay(source, destination) : source;
    if (relay == source)
    {
        return m_builder->Move(input, output, 1, channel, ChunkAction::COPY, after);
    }
    NS_LOG_LOGIC("rank " << source << " reaches rank " << destination << " by rank " << relay);
    const ChunkPlace held{relay,
                          ChunkBuffer::SCRATCH,
                          (m_place[source] * m_ranks + destination) * m_channels + channel};
    m_builder->Move(input, held, 1, channel, ChunkAction::COPY, after);
    return m_builder->Move(held,
                           output,
                           1,
                           m_channels * (1 + m_place[source]) + channel,
                           ChunkAction::COPY);
}

CollectiveSchedule
PeerExchange::Finish()
{
    CollectiveSchedule schedule = m_builder->Finish();
    schedule.execution.nics = CollectiveNics::OWN;
    return schedule;
}

} // namespace ns3
