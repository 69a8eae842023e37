/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-network.h"

#include "ns3/abort.h"

#include <cmath>

namespace ns3
{

TacclNetwork::TacclNetwork(const TacclMachine& machine,
                           const TacclSketch& sketch,
                           int64_t unitPs,
                           double sizeScale)
    : ranks(machine.gpus * sketch.nodes),
      ranksOfNode(machine.gpus)
{
    m_find.assign(static_cast<size_t>(ranks) * ranks, NONE);
    const auto toPs = [unitPs](double time) {
        return static_cast<int64_t>(std::llround(time * static_cast<double>(unitPs)));
    };
    // TACCL uses the sum given in the file; for other chunk sizes it must be computed.
    const auto getCost = [&](uint32_t source, uint32_t destination) {
        return sizeScale == 1 ? machine.costs[source][destination]
                              : machine.alpha + machine.betas[source][destination] * sizeScale;
    };
    for (uint32_t node = 0; node < sketch.nodes; node++)
    {
        const uint32_t first = node * ranksOfNode;
        for (uint32_t source = 0; source < ranksOfNode; source++)
        {
            for (uint32_t destination = 0; destination < ranksOfNode; destination++)
            {
                if (machine.costs[source][destination] > 0)
                {
                    AddLink(first + source,
                            first + destination,
                            false,
                            0,
                            toPs(getCost(source, destination)));
                }
            }
        }
    }
    // The NICs of a host are divided among the links that leave it (cli/common.py).
    size_t outgoing = 0;
    for (const auto& [sender, receivers] : sketch.connections)
    {
        outgoing += receivers.size();
    }
    const double share = static_cast<double>(outgoing) / machine.nics * sizeScale;
    for (uint32_t node = 0; node < sketch.nodes; node++)
    {
        for (uint32_t other = 0; other < sketch.nodes; other++)
        {
            for (const auto& [sender, receivers] : sketch.connections)
            {
                for (uint32_t receiver : receivers)
                {
                    if (node != other)
                    {
                        AddLink(node * ranksOfNode + sender,
                                other * ranksOfNode + receiver,
                                true,
                                toPs(machine.remoteAlpha),
                                toPs(machine.remoteBeta * share));
                    }
                }
            }
        }
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        const uint32_t first = GetNode(rank) * ranksOfNode;
        for (const std::vector<uint32_t>& members : sketch.switches)
        {
            std::vector<uint32_t> others;
            bool isMember = false;
            for (uint32_t member : members)
            {
                isMember = isMember || first + member == rank;
                others.push_back(first + member);
            }
            if (isMember)
            {
                AddPorts(rank, others);
            }
        }
        // With more than two hosts, a GPU serves them one after the other (topologies/topology.py).
        std::vector<uint32_t> others;
        for (uint32_t other = 0; other < ranks && sketch.nodes > 2; other++)
        {
            if (GetNode(other) != GetNode(rank))
            {
                others.push_back(other);
            }
        }
        AddPorts(rank, others);
    }
}

void
TacclNetwork::AddLink(uint32_t source,
                      uint32_t destination,
                      bool remote,
                      int64_t alpha,
                      int64_t beta)
{
    uint32_t& index = m_find[source * ranks + destination];
    NS_ABORT_MSG_IF(index != NONE || alpha + beta <= 0, "a link twice, or without cost");
    index = static_cast<uint32_t>(links.size());
    links.push_back({source, destination, remote, alpha, beta, {}});
}

void
TacclNetwork::AddPorts(uint32_t rank, const std::vector<uint32_t>& others)
{
    for (const bool egress : {true, false})
    {
        Port port;
        port.egress = egress;
        port.rank = rank;
        for (uint32_t other : others)
        {
            const uint32_t link = egress ? Find(rank, other) : Find(other, rank);
            if (link != NONE)
            {
                port.links.push_back(link);
            }
        }
        // A single link carries one message at a time anyway.
        if (port.links.size() > 1)
        {
            for (uint32_t link : port.links)
            {
                links[link].ports.push_back(static_cast<uint32_t>(ports.size()));
            }
            ports.push_back(std::move(port));
        }
    }
}

std::vector<TacclChunk>
TacclNetwork::MakeChunks(CollectiveOperation operation, uint32_t chunksOfRank) const
{
    std::vector<TacclChunk> chunks;
    const bool exchanges = operation == CollectiveOperation::ALL_TO_ALL;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        for (uint32_t part = 0; part < (exchanges ? ranks : 1); part++)
        {
            TacclChunk chunk;
            chunk.source = rank;
            for (uint32_t other = 0; other < ranks; other++)
            {
                if (other != rank && (!exchanges || other == part))
                {
                    chunk.destinations.push_back(other);
                }
            }
            chunks.insert(chunks.end(), chunksOfRank, chunk);
        }
    }
    return chunks;
}

} // namespace ns3
