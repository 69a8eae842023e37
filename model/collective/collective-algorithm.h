/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_ALGORITHM_H
#define GPU_FABRIC_COLLECTIVE_ALGORITHM_H

#include "ns3/collective-schedule.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * Makes schedules of collectives. A subclass is one self-registered file; a program names it
 * by its TypeId without "ns3::" and "Collective" ("Ring" is ns3::RingCollective).
 */
class CollectiveAlgorithm : public Object
{
  public:
    static TypeId GetTypeId();

    /// Whether the algorithm can do an operation with this number of ranks.
    virtual bool Supports(CollectiveOperation operation, uint32_t ranks) const = 0;
    /**
     * Makes the schedule, the same for every buffer size. Aborts where Supports() is false.
     * \param operation what is to be achieved
     * \param layout where the ranks sit
     * \param channels number of channels, at least 1
     */
    virtual CollectiveSchedule Build(CollectiveOperation operation,
                                     const CollectiveLayout& layout,
                                     uint32_t channels) const = 0;

    /// The algorithm a program names, e.g. "Ring"; null where no such TypeId is registered.
    static Ptr<CollectiveAlgorithm> Create(const std::string& name);
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_ALGORITHM_H
