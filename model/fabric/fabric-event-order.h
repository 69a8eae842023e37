/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_EVENT_ORDER_H
#define GPU_FABRIC_FABRIC_EVENT_ORDER_H

#include "ns3/fabric-records.h"
#include "ns3/traced-callback.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Merges the events of the logical processes of a split fabric, which run at different times, into
 * the order in which an unsplit fabric has them. A node may have events in several logical
 * processes, such as the loss of a frame at the far end of its wire.
 *
 * At equal times the lane runs the smallest key first, so the events are merged by their keys; the
 * events of one logical process keep their order.
 */
class FabricEventOrder
{
  public:
    using Trace = TracedCallback<const FabricEventRecord&>;

    /**
     * Keeps an event until it is notified. Events of one logical process are added in order.
     * \param key of the lane event in which it happened; 0: in an ordinary one
     * \param trace trace source that notifies of it; must outlive it
     */
    void Add(std::size_t process,
             uint32_t key,
             const FabricEventRecord& record,
             const Trace& trace);
    /// Notifies of the events before a time [ps]. Of lost frames that are events only once per
    /// queue pair, notifies of the first one across all logical processes.
    void NotifyBefore(int64_t before);
    /// Such frames on a link become events again.
    void Forget(uint32_t link);

  private:
    struct Event
    {
        FabricEventRecord record;
        const Trace* trace;
    };

    using Place = std::pair<int64_t, uint32_t>; ///< time [ps] and largest key so far

    std::multimap<Place, Event> m_events; ///< those with equal places in order of addition
    std::vector<Place> m_last;            ///< by logical process
    std::set<std::pair<uint32_t, uint32_t>> m_losers; ///< (port, queue pair)
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_EVENT_ORDER_H
