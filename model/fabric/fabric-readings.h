/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_READINGS_H
#define GPU_FABRIC_FABRIC_READINGS_H

#include "deadlock-detector.h"

#include "ns3/fabric-records.h"

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace ns3
{

/// The counters of a fabric, or the sum over some of its logical processes. What a logical process
/// does not have is 0 there, or absent.
struct FabricReadings
{
    FabricTotals totals;
    std::vector<LinkCounters> links;     ///< by link x queues + priority
    std::vector<uint64_t> sentPauses;    ///< pause frames with at least one XOFF, by link
    std::vector<uint64_t> sentPfcFrames; ///< by link
    std::vector<uint64_t> bufferPeaks;   ///< most bytes in the shared buffer, by switch [byte]
    std::vector<JobLinkCounters> jobs;   ///< in no order

    FabricReadings& operator+=(const FabricReadings& other);
};

/// What is found in the paused queues of switches (PfcGuard).
struct PauseSnapshot
{
    using Queue = DeadlockDetector::Queue;

    /// When to check next [ps]; the largest number: not.
    int64_t next{std::numeric_limits<int64_t>::max()};
    bool old{false};                  ///< a queue has been paused long enough for a deadlock
    std::vector<uint32_t> forwarding; ///< ports that send although paused, from now on
    /// Where that is asked for: queues paused so long, and by paused queue those of its peer that
    /// hold what it waits for.
    std::vector<Queue> stuck;
    std::map<Queue, std::vector<Queue>> waits;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_READINGS_H
