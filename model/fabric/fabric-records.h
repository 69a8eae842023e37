/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_RECORDS_H
#define GPU_FABRIC_FABRIC_RECORDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// "No such id" in records.
constexpr uint32_t NO_ID = UINT32_MAX;

/// One pause of one priority of a directed link, emitted when it ends.
struct PauseRecord
{
    uint32_t link{0}; ///< the directed link that was paused
    uint8_t priority{0};
    int64_t startPs{0};           ///< the pause frame arrived
    int64_t endPs{0};             ///< resumed, or expired
    uint32_t causedByLink{NO_ID}; ///< directed link by which the frame was to leave that made the
                                  ///< peer pause us; if the pause frame covers several priorities,
                                  ///< that of the highest; NO_ID: a slow NIC
};

/// A pause of one priority of a directed link begins or ends.
struct PauseChangeRecord
{
    uint32_t link{0}; ///< the directed link that is paused
    uint8_t priority{0};
    bool paused{false}; ///< from timePs on
    /// When: now, except for the end of a pause that expires while nothing waits for it, which is
    /// noticed later [ps].
    int64_t timePs{0};
    uint32_t causedByLink{NO_ID}; ///< as in PauseRecord
};

/// An event in the life of one frame at a port, without its bytes.
struct FabricFrameRecord
{
    int64_t timePs{0};
    uint32_t link{0}; ///< the directed link whose queue it was in, or on which it was
    uint8_t priority{0};
    uint32_t queuePair{NO_ID};
    uint32_t psn{0};   ///< 24 bits
    uint32_t bytes{0}; ///< on the wire, preamble and gap included [byte]
};

/// A rare event: "drop", "timeout", "nak", "failed", ...
struct FabricEventRecord
{
    int64_t timePs{0};
    std::string kind;
    uint32_t node{NO_ID};
    uint32_t link{NO_ID}; ///< directed link (egress port)
    uint32_t queuePair{NO_ID};
    uint8_t priority{0};
    std::string detail; ///< reason, e.g. "shared buffer full"
    /// A lost frame of a kind of which only the first of a link and queue pair is an event.
    bool oncePerQueuePair{false};
};

/// Counters of one directed link and priority since the start; frames count when their
/// transmission starts.
struct LinkCounters
{
    uint64_t frames{0};
    uint64_t bytes{0}; ///< on the wire, preamble and gap included [byte]
    uint64_t markedFrames{0};
    uint64_t droppedFrames{0}; ///< dropped before this egress queue
    int64_t busyPs{0};         ///< time of transmission [ps]
    int64_t pausedPs{0};       ///< time paused by PFC [ps]
    uint64_t queueBytes{0};    ///< waiting now [byte]

    LinkCounters& operator+=(const LinkCounters& other);

    /// Whether all counts are zero and nothing waits.
    bool IsZero() const
    {
        return frames == 0 && bytes == 0 && markedFrames == 0 && droppedFrames == 0 &&
               busyPs == 0 && pausedPs == 0 && queueBytes == 0;
    }
};

/// Counters of one job on one directed link and priority.
struct JobLinkCounters
{
    uint32_t job{0};
    uint32_t link{0};
    uint8_t priority{0};
    uint64_t bytes{0}; ///< on the wire [byte]
    uint64_t frames{0};
    uint64_t markedFrames{0};
    int64_t busyPs{0};   ///< time its frames were being transmitted [ps]
    int64_t queuePs{0};  ///< sum over its frames of the waiting time in the egress queue [ps]
    int64_t pausedPs{0}; ///< time the link's priority was paused while the job had sent on it
};

/// Frames and pauses counted by the fabric, for conservation checks and speed figures.
struct FabricTotals
{
    uint64_t sent{0};      ///< frames that hosts handed to their ports
    uint64_t delivered{0}; ///< frames that arrived at hosts
    uint64_t dropped{0};
    uint64_t hops{0};          ///< arrivals of data and control frames at the end of a wire
    uint64_t pfcFrames{0};     ///< arrivals of PFC frames
    uint64_t losslessDrops{0}; ///< of a lossless priority, by a buffer not guaranteed lossless
    uint64_t xoff{0};          ///< transitions to paused, refreshes not counted
    uint64_t xon{0};           ///< transitions back
    uint64_t refreshes{0};     ///< pause frames that only prolong a pause
    uint64_t markedFrames{0};
    uint64_t faultDrops{0}; ///< of `dropped`: by faults, no route and the PFC watchdog
    uint64_t cutFrames{0};  ///< of these: on a wire that went down

    FabricTotals& operator+=(const FabricTotals& other);
};

/// The result of auditing a fabric, or the sum over some of its logical processes.
struct FabricAudit
{
    uint64_t framesInUse{0};          ///< allocated from the pools and not yet freed
    uint64_t frames{0};               ///< in queues and on wires, except PFC frames
    uint64_t pfcFrames{0};            ///< on wires
    uint64_t paused{0};               ///< priorities that ports have paused and not resumed
    std::vector<uint64_t> bufferUsed; ///< bytes counted by the shared buffer, by switch [byte]
    std::vector<uint64_t> bufferHeld; ///< bytes held by queues and transmissions, by switch [byte]

    FabricAudit& operator+=(const FabricAudit& other);
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_RECORDS_H
