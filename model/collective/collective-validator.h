/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_VALIDATOR_H
#define GPU_FABRIC_COLLECTIVE_VALIDATOR_H

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Proves a CollectiveSchedule, or says what is wrong with it: CollectiveSchedule::Validate().
 *
 * 1. Every index is in range and every dependency is a delivery to the sender.
 * 2. The transfers have an order (no cycle).
 * 3. Two transfers that touch one chunk of one rank, at least one of them writing, are ordered by
 *    dependencies alone; only two reductions into one chunk may come in any order. So whatever
 *    the network does, the result is that of one order.
 * 4. That order is run on sets of contributors.
 */
class CollectiveValidator
{
  public:
    explicit CollectiveValidator(const CollectiveSchedule& schedule);

    /// One sentence for each fault, at most some twenty; empty: proved.
    std::vector<std::string> Run();

  private:
    /// One touch of a chunk of a rank by a transfer.
    struct Access
    {
        uint64_t place{0};    ///< rank * chunks + chunk
        uint32_t position{0}; ///< of the transfer in m_order
        uint8_t kind{0};      ///< READ, REDUCE_INTO, OVERWRITE
    };

    /// Two places in m_order of which the first must come before the second.
    struct Pair
    {
        uint32_t before{0};
        uint32_t after{0};
        uint64_t place{0};
    };

    static constexpr uint8_t READ = 0;
    static constexpr uint8_t REDUCE_INTO = 1;
    static constexpr uint8_t OVERWRITE = 2;

    bool CheckIndices();
    /// Sorts the transfers topologically into m_order, components one after the other.
    bool SortTransfers();
    std::vector<Pair> CollectConflicts() const;
    void CheckOrdered(std::vector<Pair> pairs);
    void RunOnContributors();
    void CheckPostCondition();

    uint64_t GetPlace(uint32_t rank, uint32_t chunk) const
    {
        return static_cast<uint64_t>(rank) * m_schedule.chunks + chunk;
    }

    uint64_t* GetSet(uint64_t place)
    {
        return m_sets.data() + place * m_words;
    }

    bool IsFull(uint64_t place) const;
    /// "transfer 7 (rank 1 to rank 2)".
    std::string Describe(uint32_t transfer) const;
    /// \returns false once there are too many faults to go on
    bool Fault(const std::string& what);

    const CollectiveSchedule& m_schedule;
    std::vector<std::string> m_faults;
    std::vector<uint32_t> m_order;          ///< transfer by position
    std::vector<uint32_t> m_position;       ///< position by transfer
    std::vector<uint32_t> m_componentBegin; ///< by position: where its component begins
    size_t m_words;                         ///< of a set of contributors
    std::vector<uint64_t> m_sets;           ///< by place: contributors; empty: undefined
    std::vector<uint32_t> m_origins;        ///< by place: which chunk's data it holds
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_VALIDATOR_H
