/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_READ_STATE_H
#define GPU_FABRIC_READ_STATE_H

#include <cstdint>
#include <deque>

namespace ns3
{

/// What a queue pair of READs keeps beside the fields that it shares with WRITE and SEND.
struct ReadState
{
    /// Responses that the responder has been asked for and has not sent.
    struct Responses
    {
        uint64_t first;       ///< frame
        uint64_t end;         ///< one past the last
        uint32_t lastPayload; ///< of the last [byte]
    };

    // --- requester, at the destination NIC ---
    uint64_t end{0};               ///< one past the last response of all READs posted
    uint64_t started{0};           ///< READs that may be asked for (RoceNic::PostDelay)
    uint64_t nextRequest{0};       ///< number of the next READ to ask for
    uint64_t requested{0};         ///< one past the last response asked for
    int64_t askedAgain{INT64_MIN}; ///< when responses were last asked for again [ps]
    bool gapSeen{false};           ///< and they were asked for again
    bool reordering{false};        ///< responses have overtaken each other

    // --- responder, at the source NIC ---
    std::deque<Responses> responses; ///< without holes
    bool nakSent{false};             ///< for the request that is missing
};

} // namespace ns3

#endif // GPU_FABRIC_READ_STATE_H
