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
/// does not own is 0 or absent in its readings.
struct FabricReadings
{
    FabricTotals totals;
    std::vector<LinkCounters> links;     ///< by link x queues + priority
    std::vector<uint64_t> sentPauses;    ///< pause frames with at least one XOFF, by link
    std::vector<uint64_t> sentPfcFrames; ///< by link
    std::vector<uint64_t> bufferPeaks;   ///< most bytes in the shared buffer, by switch [byte]
    std::vector<JobLinkCounters> jobs;   ///< unordered

    FabricReadings& operator+=(const FabricReadings& other);
};

/// The state of the paused queues of switches (PfcGuard).
struct PauseSnapshot
{
    using Queue = DeadlockDetector::Queue;

    /// When to check next [ps]; the maximum: never.
    int64_t next{std::numeric_limits<int64_t>::max()};
    bool old{false};                  ///< a queue has been paused long enough for a deadlock
    std::vector<uint32_t> forwarding; ///< ports that send from now on although paused
    /// On request: queues paused long enough, and for each paused queue those of its peer that hold
    /// the frames it waits for.
    std::vector<Queue> stuck;
    std::map<Queue, std::vector<Queue>> waits;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_READINGS_H
