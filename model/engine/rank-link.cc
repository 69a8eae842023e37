/* SPDX-License-Identifier: GPL-2.0-only */
#include "rank-link.h"

#include <algorithm>

namespace ns3
{

int64_t
RankLink::Exchange(int64_t earliest, std::vector<RankBuffer>& out, std::vector<RankBuffer>& in)
{
    const uint32_t count = GetRankCount();
    const uint32_t self = GetRank();
    NS_ABORT_MSG_IF(out.size() != count || in.size() != count,
                    "buffers for " << out.size() << " and from " << in.size() << " ranks of "
                                   << count);
    NS_ABORT_MSG_IF(out[self].GetSize() != 0, "rank " << self << " sends to itself");
    for (RankBuffer& buffer : out)
    {
        const RankBuffer::Header header{earliest, buffer.GetByteCount()};
        std::memcpy(buffer.GetBytes(), &header, sizeof(header));
    }
    Swap(out, in);
    int64_t least = earliest;
    for (uint32_t rank = 0; rank < count; ++rank)
    {
        out[rank].Clear();
        if (rank == self)
        {
            in[rank].Clear();
            continue;
        }
        RankBuffer::Header header;
        std::memcpy(&header, in[rank].GetBytes(), sizeof(header));
        NS_ABORT_MSG_IF(header.size != in[rank].GetByteCount(),
                        "rank " << rank << " has sent " << header.size << " bytes, "
                                << in[rank].GetByteCount() << " arrived");
        least = std::min(least, header.earliest);
    }
    return least;
}

int64_t
RankLink::GetMinimum(int64_t value)
{
    m_noneOut.resize(GetRankCount());
    m_noneIn.resize(GetRankCount());
    return Exchange(value, m_noneOut, m_noneIn);
}

} // namespace ns3
