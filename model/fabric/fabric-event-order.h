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
 * Brings the events of the parts of a split fabric, which run at different times, into the order in
 * which a whole one has them: a node may have events in several parts, such as the loss of a frame
 * at the far end of its wire.
 *
 * At one time the lane runs the smallest key first, so that the events of the parts merge by their
 * keys; of one part, none comes before an event that has preceded it there.
 */
class FabricEventOrder
{
  public:
    using Trace = TracedCallback<const FabricEventRecord&>;

    /**
     * Keeps an event until it is told. Those of a part come in their order.
     * \param key of the lane event in which it happened; 0: in an ordinary one
     * \param trace tells of it; outlives it here
     */
    void Add(std::size_t part, uint32_t key, const FabricEventRecord& record, const Trace& trace);
    /// Tells what has happened before a time [ps]. Of lost frames that are events once a queue
    /// pair, the first of all parts.
    void Tell(int64_t before);
    /// Such frames are events anew on a link.
    void Forget(uint32_t link);

  private:
    struct Event
    {
        FabricEventRecord record;
        const Trace* trace;
    };

    using Place = std::pair<int64_t, uint32_t>; ///< time [ps] and largest key so far

    std::multimap<Place, Event> m_events;             ///< of one place, as they came
    std::vector<Place> m_last;                        ///< by part
    std::set<std::pair<uint32_t, uint32_t>> m_losers; ///< (port, queue pair)
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_EVENT_ORDER_H
