/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PORT_H
#define GPU_FABRIC_FABRIC_PORT_H

#include "fabric-frame.h"

#include <cstdint>

namespace ns3
{

class EgressScheduler;

/// Maximum number of egress queues (priorities) of a port.
constexpr uint32_t MAX_QUEUES = 10;

/// One egress queue of a port with its counters: half a cache line.
struct EgressQueue
{
    uint32_t head{NO_FRAME};
    uint32_t tail{NO_FRAME};
    uint32_t bytes{0};        ///< waiting, without the frame in transmission [byte]
    uint32_t markedFrames{0}; ///< marked CE here
    uint64_t sentFrames{0};   ///< transmissions started
    uint64_t sentBytes{0};    ///< of these, on the wire [byte]
};

/// Bits of FabricPort::impaired; 0 for a port with no fault, watchdog action or observer.
enum PortImpairment : uint8_t
{
    PORT_DOWN = 1,     ///< its cable is dead: frames it sends are lost
    PORT_LOSSY = 2,    ///< frames may be lost at the end of its wire
    PORT_SLOW = 4,     ///< the NIC at the end of its wire takes frames more slowly than they arrive
    PORT_WATCHDOG = 8, ///< some of its priorities ignore pauses because of the PFC watchdog
    PORT_OBSERVED = 16 ///< it has an observer, or the other end of its cable has one
};

/**
 * A port: the egress side of a node towards one cable, and the wire that leaves it. Plain state in
 * an array of the fabric; the ns-3 device is a facade over it.
 */
struct alignas(64) FabricPort
{
    int64_t busyUntil{0};        ///< end of the transmission in progress or of the last one [ps]
    uint64_t psPerByte{0};       ///< serialisation time of a byte [2^-20 ps]
    int64_t delay{0};            ///< propagation [ps]
    uint32_t fraction{0};        ///< [2^-20 ps] carried over between back-to-back frames
    uint32_t wireHead{NO_FRAME}; ///< frames on the wire, oldest first
    uint32_t wireTail{NO_FRAME};
    uint32_t switchIndex{UINT32_MAX}; ///< index of the owning switch; UINT32_MAX: a host's NIC
    uint16_t nonEmpty{0};             ///< bit p: queue p holds a frame
    uint16_t paused{0};               ///< bit p: the peer paused priority p (may have expired)
    uint16_t pfcPending{0}; ///< bit p: the peer is yet to be notified of the pause state of p
    uint16_t localIndex{0}; ///< k-th port of its node
    uint8_t wakeArmed{0};   ///< a wake-up is pending
    uint8_t hostWork{0};    ///< the NIC's endpoint has (or may have) frames to send
    uint8_t unreleased{0};  ///< the frame below is still counted in the shared buffer
    uint8_t releasePriority{0};
    uint8_t impaired{0}; ///< PortImpairment bits
    uint8_t faulted{0};  ///< its cable had a fault: PFC may have failed to hold back frames
    uint8_t crossing{0}; ///< 1 + the logical process that its wire leads to; 0: this one

    // Second line: the frame that is released from the shared buffer when the transmission ends.
    uint32_t releaseIngress{0}; ///< local index of the ingress port
    uint32_t releaseBytes{0};
    uint32_t ecnMin{UINT32_MAX};       ///< no marking below this many waiting bytes [byte]
    uint32_t accountCache{UINT32_MAX}; ///< last (job, priority) account used here
    uint32_t node{0};                  ///< topology node
    uint32_t xoff{0};                  ///< bit p: we have paused the peer's priority p
    int64_t wakeAt{0};                 ///< time of the pending wake-up [ps]
    uint64_t sentPauses{0};            ///< pause frames with at least one XOFF (refreshes included)
    uint64_t sentPfcFrames{0};         ///< all PFC frames
    uint64_t rateBps{0};               ///< [bit/s]
    EgressScheduler* egress{nullptr};  ///< null: strict priority

    EgressQueue queues[MAX_QUEUES];
};

static_assert(sizeof(FabricPort) == 128 + 32 * MAX_QUEUES, "two lines and the queues");

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PORT_H
