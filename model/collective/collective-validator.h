/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_VALIDATOR_H
#define GPU_FABRIC_COLLECTIVE_VALIDATOR_H

#include "algorithms/collective-order.h"

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Proves a CollectiveSchedule or reports what is wrong with it: the implementation of
 * CollectiveSchedule::Validate().
 *
 * 1. Every index is in range; every dependency happens at the sender, every gate at the receiver.
 * 2. The transfers can be ordered (no cycle). 3. Two transfers that touch the same chunk of a rank,
 * at least one of them writing, are ordered by dependencies alone or, failing that, by these and
 * the order of messages of a channel; only two reductions into one chunk may come in any order. The
 * result is therefore that of one order, whatever the network does. 4. That order is executed on
 * sets of contributors, including local operations and scratch buffers.
 */
class CollectiveValidator
{
  public:
    explicit CollectiveValidator(const CollectiveSchedule& schedule);

    /// One sentence per fault, at most about twenty; empty if proved.
    std::vector<std::string> Run();

  private:
    /// The contents of a message between being posted and taken.
    struct Payload
    {
        std::vector<uint64_t> sets;
        std::vector<uint32_t> origins;
    };

    bool CheckShape();
    bool CheckIndices();
    void CheckChunks(uint32_t transfer);
    void CheckWaits(uint32_t transfer, bool gates);
    /// Steps 2 to 4; \returns whether there are no races
    bool CheckOrder(bool staged);
    void FillInputs();
    void RunOnContributors(const CollectiveOrder& order);
    void Post(uint32_t transfer, Payload& payload);
    bool Take(uint32_t transfer, const Payload& payload);
    void CheckPostCondition();
    bool HasResult(uint32_t rank, uint32_t chunk);

    /// The places of one chunk are adjacent, since chains of transfers move one chunk.
    uint64_t GetPlace(uint32_t rank, ChunkBuffer buffer, uint32_t chunk) const
    {
        return m_schedule.GetPlace(rank, buffer, chunk) * m_schedule.ranks + rank;
    }

    uint64_t* GetSet(uint64_t place)
    {
        return m_sets.data() + place * m_words;
    }

    /// Whether a place holds a chunk with the contributions of all ranks, or of one.
    bool HoldsAll(uint64_t place, uint32_t origin) const;
    bool HoldsOne(uint64_t place, uint32_t origin, uint32_t rank) const;
    /// "transfer 7 (rank 1 to rank 2)".
    std::string Describe(uint32_t transfer) const;
    /// "chunk 3", "scratch chunk 3".
    std::string DescribePlace(uint32_t rank, uint64_t place) const;
    /// \returns false once there are too many faults to continue
    bool Fault(const std::string& what);

    const CollectiveSchedule& m_schedule;
    std::vector<std::string> m_faults;
    bool m_staged{false};             ///< whether the staged order is checked
    uint64_t m_places{0};             ///< of a rank
    size_t m_words;                   ///< words of a set of contributors
    std::vector<uint64_t> m_allRanks; ///< the set of all ranks
    std::vector<uint64_t> m_sets;     ///< by place: contributors; empty: undefined
    std::vector<uint32_t> m_origins;  ///< by place: which chunk's data it holds
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_VALIDATOR_H
