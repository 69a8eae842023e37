/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_FIGURES_H
#define GPU_FABRIC_COLLECTIVE_FIGURES_H

#include "ns3/collective-schedule.h"

#include <cstdint>

namespace ns3
{

/**
 * What a schedule sends, in chunks, and how long it takes if each ordered pair of ranks has its own
 * link that carries one chunk per unit of time without latency (the alpha-beta model with alpha 0);
 * a plain value.
 */
struct CollectiveFigures
{
    uint64_t messages{0};
    uint64_t leastEgress{0}; ///< of the rank that sends the least [chunk]
    uint64_t mostEgress{0};  ///< of the rank that sends the most [chunk]
    uint64_t mostOnLink{0};  ///< on the busiest ordered pair [chunk]
    uint64_t makespan{0};    ///< [chunk times]; messages of a pair are serialised

    /// \param schedule a schedule without faults
    static CollectiveFigures Make(const CollectiveSchedule& schedule);
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_FIGURES_H
