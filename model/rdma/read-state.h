/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_READ_STATE_H
#define GPU_FABRIC_READ_STATE_H

#include <cstdint>
#include <deque>

namespace ns3
{

/// State of a queue pair of READs beyond the fields shared with WRITE and SEND.
struct ReadState
{
    /// Responses that have been requested from the responder but not sent.
    struct Responses
    {
        uint64_t first;       ///< frame
        uint64_t end;         ///< one past the last
        uint32_t lastPayload; ///< of the last [byte]
    };

    // --- requester, at the destination NIC ---
    uint64_t end{0};               ///< one past the last response of all READs posted
    uint64_t started{0};           ///< READs that may be requested (RoceNic::PostDelay)
    uint64_t nextRequest{0};       ///< number of the next READ to request
    uint64_t requested{0};         ///< one past the last response requested
    int64_t askedAgain{INT64_MIN}; ///< when responses were last requested again [ps]
    bool gapSeen{false};           ///< a gap was seen and its responses were requested again
    bool reordering{false};        ///< responses have been reordered

    // --- responder, at the source NIC ---
    std::deque<Responses> responses; ///< without holes
    bool nakSent{false};             ///< a NAK for the missing request has been sent
};

} // namespace ns3

#endif // GPU_FABRIC_READ_STATE_H
