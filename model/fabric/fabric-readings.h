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

/// Frames and pauses counted by the fabric, for conservation checks and figures of speed.
struct FabricTotals
{
    uint64_t sent{0};      ///< frames that hosts handed to their ports
    uint64_t delivered{0}; ///< frames that arrived at hosts
    uint64_t dropped{0};
    uint64_t hops{0};          ///< arrivals of data and control frames at the end of a wire
    uint64_t pfcFrames{0};     ///< arrivals of PFC frames
    uint64_t losslessDrops{0}; ///< of a lossless priority, by a buffer that promises none
    uint64_t xoff{0};          ///< transitions to paused, refreshes not counted
    uint64_t xon{0};           ///< transitions back
    uint64_t refreshes{0};     ///< pause frames that only prolong
    uint64_t markedFrames{0};
    uint64_t faultDrops{0}; ///< of `dropped`: by faults, no route and the PFC watchdog
    uint64_t cutFrames{0};  ///< of these: on a wire that went down

    FabricTotals& operator+=(const FabricTotals& other);
};

/// The counters of a fabric, or the sum over some of its parts. What a part does not have is 0
/// there, or absent.
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

/// What walking through a fabric finds, or the sum over some of its parts.
struct FabricAudit
{
    uint64_t framesInUse{0};          ///< taken from the pools and not given back
    uint64_t frames{0};               ///< in queues and on wires, but for PFC
    uint64_t pfcFrames{0};            ///< on wires
    uint64_t paused{0};               ///< priorities that ports have paused and not resumed
    std::vector<uint64_t> bufferUsed; ///< what the shared buffer counts, by switch [byte]
    std::vector<uint64_t> bufferHeld; ///< what queues and transmissions hold, by switch [byte]

    FabricAudit& operator+=(const FabricAudit& other);
};

/// What a look at the paused queues of switches finds (FabricGuard).
struct FabricLook
{
    using Queue = DeadlockDetector::Queue;

    /// When to look next [ps]; the largest number: not.
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
