/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_ORDER_H
#define GPU_FABRIC_COLLECTIVE_ORDER_H

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Which events of a schedule must precede which, whatever the network does; part of
 * CollectiveValidator.
 *
 * The plain order has one event per transfer and uses only dependencies: a transfer reads until it
 * is delivered. The staged order has two events, posted (reads) and taken (writes), and also uses
 * gates and the order of messages of one (source, destination, channel).
 */
class CollectiveOrder
{
  public:
    /// A memory location touched by two unordered events, at least one of which writes.
    struct Race
    {
        uint32_t before{0}; ///< transfer
        uint32_t after{0};  ///< transfer
        uint64_t place{0};  ///< CollectiveSchedule::GetPlace() * ranks + rank
    };

    /**
     * \param schedule with indices in range; must outlive this object
     * \param staged see above; must be true for a schedule that IsStaged()
     */
    CollectiveOrder(const CollectiveSchedule& schedule, bool staged);

    /// Sorts the events. \returns a transfer that waits for itself, or -1
    int64_t Sort();
    /// Pairs of unordered events that touch the same chunk, at most `limit` of them.
    std::vector<Race> FindRaces(size_t limit) const;

    /// The events in an order that respects all waits, one component after the other.
    const std::vector<uint32_t>& GetEvents() const
    {
        return m_order;
    }

    /// By event, after Sort(): number of events on the longest chain of waits before it.
    std::vector<uint32_t> GetLevels() const;

    /// The event in which a transfer is posted.
    uint32_t GetPosted(uint32_t transfer) const
    {
        return m_staged ? 2 * transfer : transfer;
    }

    uint32_t GetTransfer(uint32_t event) const
    {
        return m_staged ? event / 2 : event;
    }

    /// Whether the event reads: a transfer is posted.
    bool Posts(uint32_t event) const
    {
        return !m_staged || event % 2 == 0;
    }

    /// Whether the event writes: a transfer is taken.
    bool Takes(uint32_t event) const
    {
        // A local transfer reads and writes at once.
        return !m_staged || (event % 2 == 1) != m_schedule.transfers[event / 2].IsLocal();
    }

  private:
    /// One access to a place by an event.
    struct Access
    {
        uint32_t position{0}; ///< of the event in m_order
        uint8_t kind{0};      ///< READ, REDUCE_INTO, OVERWRITE
    };

    /// Two positions, of which the first must precede the second.
    struct Pair
    {
        uint32_t before{0};
        uint32_t after{0};
        uint64_t place{0};
    };

    static constexpr uint8_t READ = 0;
    static constexpr uint8_t REDUCE_INTO = 1;
    static constexpr uint8_t OVERWRITE = 2;

    uint32_t GetTaken(uint32_t transfer) const
    {
        return m_staged && !m_schedule.transfers[transfer].IsLocal() ? 2 * transfer + 1
                                                                     : GetPosted(transfer);
    }

    /// The event in which a transfer happens at a rank.
    uint32_t GetEvent(uint32_t transfer, uint32_t rank) const
    {
        return m_schedule.transfers[transfer].destination == rank ? GetTaken(transfer)
                                                                  : GetPosted(transfer);
    }

    void CollectParents();
    /// Calls visit(place, Access) for each access, in order of positions.
    template <typename Visitor>
    void VisitAccesses(const Visitor& visit) const;
    std::vector<Pair> CollectConflicts() const;
    bool IsParent(uint32_t before, uint32_t after) const;
    /// \param open pairs sorted by `before`
    void CheckOpen(const std::vector<Pair>& open, size_t limit, std::vector<Race>& races) const;

    Race MakeRace(const Pair& pair) const
    {
        return {GetTransfer(m_order[pair.before]), GetTransfer(m_order[pair.after]), pair.place};
    }

    const CollectiveSchedule& m_schedule;
    bool m_staged;
    uint32_t m_events;
    std::vector<uint32_t> m_parentBegin; ///< by event
    std::vector<uint32_t> m_parents;
    std::vector<uint32_t> m_order;          ///< event by position
    std::vector<uint32_t> m_position;       ///< position by event
    std::vector<uint32_t> m_componentBegin; ///< by position: start of its component
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_ORDER_H
