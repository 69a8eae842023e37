/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_RECORDS_H
#define GPU_FABRIC_FABRIC_RECORDS_H

#include <cstdint>
#include <string>

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
    uint32_t causedByLink{NO_ID}; ///< directed link that the frame was to leave by which made
                                  ///< the peer pause us; where its pause frame tells of several
                                  ///< priorities, of the highest; NO_ID: a slow NIC
};

/// Something that seldom happens: "drop", "timeout", "nak", "failed", ...
struct FabricEventRecord
{
    int64_t timePs{0};
    std::string kind;
    uint32_t node{NO_ID};
    uint32_t link{NO_ID}; ///< directed link (egress port)
    uint32_t queuePair{NO_ID};
    uint8_t priority{0};
    std::string detail; ///< reason, e.g. "shared buffer full"
    /// A lost frame of those of which only the first of a link and queue pair is an event.
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

    /// Whether nothing has been counted and nothing waits.
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
    int64_t queuePs{0};  ///< sum over its frames of the time waited in the egress queue [ps]
    int64_t pausedPs{0}; ///< time the link's priority was paused while the job had sent on it
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_RECORDS_H
