/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_PLAN_H
#define GPU_FABRIC_COLLECTIVE_PLAN_H

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A stretch of a flat array: entries begin to end-1.
struct IndexRange
{
    const uint32_t* first{nullptr};
    const uint32_t* last{nullptr};

    const uint32_t* begin() const
    {
        return first;
    }

    const uint32_t* end() const
    {
        return last;
    }
};

/**
 * A schedule with what its execution looks up, in flat arrays; made once, then shared by all
 * collectives of the same communicator and operation, whatever their size.
 */
class CollectivePlan
{
  public:
    /// "No transfer".
    static constexpr uint32_t NONE = UINT32_MAX;

    explicit CollectivePlan(CollectiveSchedule schedule);

    const CollectiveSchedule& GetSchedule() const
    {
        return m_schedule;
    }

    /// By transfer: what it waits for, its dependencies and its predecessor on the same
    /// (source, destination, channel).
    const std::vector<uint16_t>& GetInitialWaits() const
    {
        return m_initialWaits;
    }

    /// By rank: transfers that arrive there.
    const std::vector<uint32_t>& GetReceptions() const
    {
        return m_receptions;
    }

    /// By rank: transfers that leave from there.
    const std::vector<uint32_t>& GetSendCounts() const
    {
        return m_sendCounts;
    }

    /// Transfers that leave a rank, by index.
    IndexRange GetSends(uint32_t rank) const
    {
        return {m_sends.data() + m_sendBegin[rank], m_sends.data() + m_sendBegin[rank + 1]};
    }

    /// Transfers that wait for the delivery of this one; all leave from its destination.
    IndexRange GetDependents(uint32_t transfer) const
    {
        return {m_dependents.data() + m_dependentBegin[transfer],
                m_dependents.data() + m_dependentBegin[transfer + 1]};
    }

    /// The next transfer of the same (source, destination, channel), or NONE.
    uint32_t GetSuccessor(uint32_t transfer) const
    {
        return m_successor[transfer];
    }

  private:
    CollectiveSchedule m_schedule;
    std::vector<uint16_t> m_initialWaits;
    std::vector<uint32_t> m_receptions;
    std::vector<uint32_t> m_sendCounts;
    std::vector<uint32_t> m_sendBegin;
    std::vector<uint32_t> m_sends;
    std::vector<uint32_t> m_dependentBegin;
    std::vector<uint32_t> m_dependents;
    std::vector<uint32_t> m_successor;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_PLAN_H
