/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-schedule.h"

#include "ns3/abort.h"
#include "ns3/collective-validator.h"

#include <algorithm>

namespace ns3
{

const char*
GetCollectiveOperationName(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return "all-reduce";
    case CollectiveOperation::ALL_GATHER:
        return "all-gather";
    case CollectiveOperation::REDUCE_SCATTER:
        return "reduce-scatter";
    }
    return "unknown";
}

std::vector<uint32_t>
CollectiveLayout::GetNics(uint32_t host) const
{
    std::vector<uint32_t> nics;
    for (const Rank& rank : ranks)
    {
        if (rank.host == host)
        {
            nics.push_back(rank.nic);
        }
    }
    std::sort(nics.begin(), nics.end());
    nics.erase(std::unique(nics.begin(), nics.end()), nics.end());
    return nics;
}

uint32_t
CollectiveLayout::GetChannelNic(uint32_t host, uint32_t channel) const
{
    const std::vector<uint32_t> nics = GetNics(host);
    NS_ABORT_MSG_IF(nics.empty(), "host " << host << " has no rank of the communicator");
    return nics[channel % nics.size()];
}

uint32_t
CollectiveLayout::GetDefaultChannels() const
{
    uint32_t channels = UINT32_MAX;
    for (uint32_t host = 0; host < GetHostCount(); host++)
    {
        channels = std::min(channels, static_cast<uint32_t>(GetNics(host).size()));
    }
    return channels == UINT32_MAX ? 1 : std::max(channels, 1U);
}

uint32_t
CollectiveLayout::GetHostCount() const
{
    uint32_t count = 0;
    for (const Rank& rank : ranks)
    {
        count = std::max(count, rank.host + 1);
    }
    return count;
}

uint64_t
CollectiveSchedule::GetChunkOffset(uint32_t chunk, uint64_t bytes) const
{
    __extension__ using Product = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Product>(bytes) * chunk / chunks);
}

uint64_t
CollectiveSchedule::GetTransferBytes(const ChunkTransfer& transfer, uint64_t bytes) const
{
    // The sender's chunks: where their place differs at the receiver, their size may by a byte.
    return GetChunkOffset(transfer.sourceChunk + transfer.chunkCount, bytes) -
           GetChunkOffset(transfer.sourceChunk, bytes);
}

std::vector<std::string>
CollectiveSchedule::Validate() const
{
    return CollectiveValidator(*this).Run();
}

} // namespace ns3
