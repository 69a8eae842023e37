/* SPDX-License-Identifier: GPL-2.0-only */
#include "halving-doubling-collective.h"

#include "../collective-builder.h"

#include "ns3/log.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HalvingDoublingCollective");

NS_OBJECT_ENSURE_REGISTERED(HalvingDoublingCollective);

namespace
{

/// Portions begin to end-1 of the buffer.
struct Range
{
    uint32_t begin{0};
    uint32_t end{0};
};

/// The ranks that take part in the exchange, and the moves between them.
class Exchange
{
  public:
    Exchange(const CollectiveCall& call, uint32_t ranks, uint32_t channels)
        : m_channels(channels),
          m_buffer(call.operation == CollectiveOperation::REDUCE_SCATTER ? ChunkBuffer::INPUT
                                                                         : ChunkBuffer::OUTPUT),
          m_builder("HalvingDoubling", call, ranks, channels)
    {
        while (m_size * 2 <= ranks)
        {
            m_size *= 2;
        }
        m_extra = ranks - m_size;
        m_portions = call.operation == CollectiveOperation::ALL_REDUCE ? m_size : ranks;
        m_builder.SetChunks(m_portions * channels, true);
    }

    /// Number of exchanging ranks, a power of two.
    uint32_t GetSize() const
    {
        return m_size;
    }

    /// Number of ranks that delegate the exchange to the next rank: 0, 2, ... 2 (extra - 1).
    uint32_t GetExtra() const
    {
        return m_extra;
    }

    Range GetAll() const
    {
        return {0, m_portions};
    }

    /// The rank at a place in the exchange.
    uint32_t GetRank(uint32_t place) const
    {
        return place < m_extra ? 2 * place + 1 : place + m_extra;
    }

    /// The portions of the ranks represented by the places begin to end-1.
    Range GetPortions(uint32_t begin, uint32_t end) const
    {
        const auto first = [this](uint32_t place) {
            return place < m_extra ? 2 * place : place + m_extra;
        };
        return {first(begin), first(end)};
    }

    void Move(uint32_t from, uint32_t to, const Range& range, ChunkAction action)
    {
        const uint32_t size = range.end - range.begin;
        for (uint32_t channel = 0; channel < m_channels && size > 0; channel++)
        {
            const uint32_t chunk = range.begin * m_channels + channel * size;
            m_builder.Move({from, m_buffer, chunk}, {to, m_buffer, chunk}, size, channel, action);
        }
    }

    CollectiveSchedule Finish()
    {
        return m_builder.Finish();
    }

  private:
    uint32_t m_channels;
    uint32_t m_size{1};
    uint32_t m_extra;
    uint32_t m_portions;
    ChunkBuffer m_buffer;
    CollectiveBuilder m_builder;
};

/// Halves with the nearest first, then the same in reverse.
void
AllReduce(Exchange& exchange)
{
    const uint32_t size = exchange.GetSize();
    std::vector<Range> ranges(size, exchange.GetAll());
    std::vector<std::vector<Range>> history;
    for (uint32_t mask = 1; mask < size; mask *= 2)
    {
        history.push_back(ranges);
        for (uint32_t place = 0; place < size; place++)
        {
            const Range whole = ranges[place];
            const uint32_t middle = (whole.begin + whole.end) / 2;
            const Range lower{whole.begin, middle};
            const Range upper{middle, whole.end};
            const bool keepsUpper = (place & mask) != 0;
            exchange.Move(exchange.GetRank(place),
                          exchange.GetRank(place ^ mask),
                          keepsUpper ? lower : upper,
                          ChunkAction::REDUCE);
            ranges[place] = keepsUpper ? upper : lower;
        }
    }
    for (uint32_t mask = size / 2; mask > 0; mask /= 2)
    {
        for (uint32_t place = 0; place < size; place++)
        {
            exchange.Move(exchange.GetRank(place),
                          exchange.GetRank(place ^ mask),
                          ranges[place],
                          ChunkAction::COPY);
        }
        ranges = history.back();
        history.pop_back();
    }
}

void
ReduceScatter(Exchange& exchange)
{
    for (uint32_t mask = exchange.GetSize() / 2; mask > 0; mask /= 2)
    {
        for (uint32_t place = 0; place < exchange.GetSize(); place++)
        {
            const uint32_t partner = place ^ mask;
            const uint32_t begin = partner & ~(mask - 1);
            exchange.Move(exchange.GetRank(place),
                          exchange.GetRank(partner),
                          exchange.GetPortions(begin, begin + mask),
                          ChunkAction::REDUCE);
        }
    }
}

void
AllGather(Exchange& exchange)
{
    for (uint32_t mask = 1; mask < exchange.GetSize(); mask *= 2)
    {
        for (uint32_t place = 0; place < exchange.GetSize(); place++)
        {
            const uint32_t begin = place & ~(mask - 1);
            exchange.Move(exchange.GetRank(place),
                          exchange.GetRank(place ^ mask),
                          exchange.GetPortions(begin, begin + mask),
                          ChunkAction::COPY);
        }
    }
}

} // namespace

TypeId
HalvingDoublingCollective::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HalvingDoublingCollective")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<HalvingDoublingCollective>();
    return tid;
}

double
HalvingDoublingCollective::EstimateMessages(const CollectiveCall& call,
                                            const CollectiveLayout& layout,
                                            uint32_t channels) const
{
    const auto ranks = static_cast<double>(layout.ranks.size());
    return call.operation == CollectiveOperation::SEND_RECEIVE
               ? ranks * channels
               : 2 * ranks * (std::log2(std::max(ranks, 1.0)) + 1) * channels;
}

std::string
HalvingDoublingCollective::DoGetUnsupportedReason(const CollectiveCall& call,
                                                  const CollectiveLayout&) const
{
    const CollectiveOperation operation = call.operation;
    const bool can = operation == CollectiveOperation::ALL_REDUCE ||
                     operation == CollectiveOperation::ALL_GATHER ||
                     operation == CollectiveOperation::REDUCE_SCATTER;
    return can ? "" : CannotDo(operation);
}

CollectiveSchedule
HalvingDoublingCollective::DoBuild(const CollectiveCall& call,
                                   const CollectiveLayout& layout,
                                   uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    Exchange exchange(call, static_cast<uint32_t>(layout.ranks.size()), channels);
    const Range all = exchange.GetAll();
    const bool gathers = call.operation == CollectiveOperation::ALL_GATHER;
    for (uint32_t i = 0; i < exchange.GetExtra(); i++)
    {
        exchange.Move(2 * i,
                      2 * i + 1,
                      gathers ? Range{2 * i, 2 * i + 1} : all,
                      gathers ? ChunkAction::COPY : ChunkAction::REDUCE);
    }
    if (call.operation == CollectiveOperation::ALL_REDUCE)
    {
        AllReduce(exchange);
    }
    else if (gathers)
    {
        AllGather(exchange);
    }
    else
    {
        ReduceScatter(exchange);
    }
    for (uint32_t i = 0; i < exchange.GetExtra(); i++)
    {
        if (call.operation == CollectiveOperation::ALL_REDUCE)
        {
            exchange.Move(2 * i + 1, 2 * i, all, ChunkAction::COPY);
        }
        else if (gathers)
        {
            // Everything except what came from there.
            exchange.Move(2 * i + 1, 2 * i, {0, 2 * i}, ChunkAction::COPY);
            exchange.Move(2 * i + 1, 2 * i, {2 * i + 1, all.end}, ChunkAction::COPY);
        }
        else
        {
            exchange.Move(2 * i + 1, 2 * i, {2 * i, 2 * i + 1}, ChunkAction::COPY);
        }
    }
    return exchange.Finish();
}

} // namespace ns3
