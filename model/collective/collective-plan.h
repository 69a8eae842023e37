/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_PLAN_H
#define GPU_FABRIC_COLLECTIVE_PLAN_H

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/// A range of a flat array: entries begin to end-1.
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

/// What the execution of a transfer needs, in half a cache line: a large collective has a million.
struct PlannedTransfer
{
    uint32_t source{0};             ///< rank
    uint32_t destination{0};        ///< rank
    uint32_t firstChunk{0};         ///< in the sender's buffer
    uint32_t chunkCount{0};         ///< at least 1
    uint32_t stream{UINT32_MAX};    ///< index into CollectivePlan::GetStreams(); none within a rank
    uint32_t successor{UINT32_MAX}; ///< the next one of the stream, or none
    /// Number of transfers that are posted only after this one is taken.
    uint32_t dependentCount{0};
    uint32_t dependents{0}; ///< the only one; if there are several, where they start
};

/// Transfers of one (source, destination, channel), which are messages of one queue pair or NVLink.
struct ChunkStream
{
    uint32_t source{0};      ///< rank
    uint32_t destination{0}; ///< rank
    uint32_t channel{0};
};

/**
 * A schedule with the lookup tables that its execution needs, in flat arrays; built once, then
 * shared by all collectives of the same communicator and operation, whatever their size.
 */
class CollectivePlan
{
  public:
    /// "No transfer".
    static constexpr uint32_t NONE = CollectiveSchedule::NONE;

    explicit CollectivePlan(CollectiveSchedule schedule);

    const CollectiveSchedule& GetSchedule() const
    {
        return m_schedule;
    }

    /// The transfers of the schedule, by index.
    const std::vector<PlannedTransfer>& GetTransfers() const
    {
        return m_transfers;
    }

    /// In the order of their first transfers.
    const std::vector<ChunkStream>& GetStreams() const
    {
        return m_streams;
    }

    /// No transfer reads a chunk with this number or a higher one.
    uint32_t GetChunkEnd() const
    {
        return m_chunkEnd;
    }

    /// Whether transfers wait to be taken, or wait for others to be posted.
    bool IsStaged() const
    {
        return m_staged;
    }

    /// By transfer: the number of waits before it is posted: its dependencies and its predecessor
    /// on the same (source, destination, channel).
    const std::vector<uint16_t>& GetInitialWaits() const
    {
        return m_initialWaits;
    }

    /// By transfer, if the plan IsStaged(): the number of waits before it is taken: its arrival,
    /// its gates and its predecessor on the same (source, destination, channel).
    const std::vector<uint16_t>& GetInitialGates() const
    {
        return m_initialGates;
    }

    /// By rank: number of transfers that arrive there.
    const std::vector<uint32_t>& GetReceptions() const
    {
        return m_receptions;
    }

    /// By rank: number of transfers that leave from there.
    const std::vector<uint32_t>& GetSendCounts() const
    {
        return m_sendCounts;
    }

    /// Transfers that leave from a rank, by index.
    IndexRange GetSends(uint32_t rank) const
    {
        return {m_sends.data() + m_sendBegin[rank], m_sends.data() + m_sendBegin[rank + 1]};
    }

    /// Transfers that are posted only after this one is taken; all leave from its destination.
    IndexRange GetDependents(uint32_t transfer) const
    {
        const PlannedTransfer& planned = m_transfers[transfer];
        const uint32_t* first = planned.dependentCount == 1
                                    ? &planned.dependents
                                    : m_dependents.data() + planned.dependents;
        return {first, first + planned.dependentCount};
    }

    /// Transfers that are taken only after this one is taken; all arrive at its destination.
    IndexRange GetGated(uint32_t transfer) const
    {
        return m_gatedByTaken.Get(transfer);
    }

    /// Transfers that are posted only after this one is posted; all leave from its source.
    IndexRange GetPostDependents(uint32_t transfer) const
    {
        return m_afterPosted.Get(transfer);
    }

    /// Transfers that are taken only after this one is posted; all arrive at its source.
    IndexRange GetPostGated(uint32_t transfer) const
    {
        return m_gatedByPosted.Get(transfer);
    }

    /// The next transfer of the same (source, destination, channel), or NONE.
    uint32_t GetSuccessor(uint32_t transfer) const
    {
        return m_transfers[transfer].successor;
    }

  private:
    /// A list of transfers for each transfer.
    class Lists
    {
      public:
        /// \param pairs (transfer, entry); entries of a transfer keep their order
        void Fill(uint32_t transfers, const std::vector<std::pair<uint32_t, uint32_t>>& pairs);

        IndexRange Get(uint32_t transfer) const
        {
            return m_begin.empty() ? IndexRange()
                                   : IndexRange{m_entries.data() + m_begin[transfer],
                                                m_entries.data() + m_begin[transfer + 1]};
        }

      private:
        std::vector<uint32_t> m_begin; ///< empty: all lists are empty
        std::vector<uint32_t> m_entries;
    };

    void CollectWaits();
    void CollectStreams();

    CollectiveSchedule m_schedule;
    bool m_staged;
    std::vector<uint16_t> m_initialWaits;
    std::vector<uint16_t> m_initialGates;
    std::vector<uint32_t> m_receptions;
    std::vector<uint32_t> m_sendCounts;
    std::vector<uint32_t> m_sendBegin;
    std::vector<uint32_t> m_sends;
    std::vector<PlannedTransfer> m_transfers;
    std::vector<ChunkStream> m_streams;
    std::vector<uint32_t> m_dependents; ///< of transfers that have several
    uint32_t m_chunkEnd{0};
    Lists m_gatedByTaken;
    Lists m_afterPosted;
    Lists m_gatedByPosted;
};

/// The plans of a communicator: those valid for any size, and those built for one size.
class CollectivePlans
{
  public:
    /// Adds or replaces a plan. \param anySize it is valid for any number of bytes
    void Add(const CollectiveCall& call, bool anySize, std::shared_ptr<const CollectivePlan> plan);
    /// The plan of a collective, or null.
    std::shared_ptr<const CollectivePlan> Find(const CollectiveCall& call) const;

    /// All plans; the key of one valid for any size has 0 bytes.
    const std::map<CollectiveCall, std::shared_ptr<const CollectivePlan>>& GetAll() const
    {
        return m_plans;
    }

  private:
    std::map<CollectiveCall, std::shared_ptr<const CollectivePlan>> m_plans;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_PLAN_H
