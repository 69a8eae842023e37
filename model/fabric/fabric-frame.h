/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_FRAME_H
#define GPU_FABRIC_FABRIC_FRAME_H

#include <cstdint>

namespace ns3
{

/// Stands for "no frame" in a queue or on a wire.
constexpr uint32_t NO_FRAME = UINT32_MAX;

/// Frame::side of a frame that has none.
constexpr uint16_t NO_SIDE = 0;

/// The kind of a frame, for the fabric and the RDMA layer.
enum class FrameKind : uint8_t
{
    DATA,        ///< payload: of a WRITE, or of what FrameFlag says
    ACK,         ///< acknowledgement, cumulative
    NAK,         ///< PSN sequence error
    CNP,         ///< congestion notification packet
    PFC,         ///< 802.1Qbb pause; never queued, never forwarded
    READ_REQUEST ///< RDMA READ request: `payload` is the requested length, from `psn` on
};

/// Bits of Frame::flags.
enum FrameFlag : uint8_t
{
    FRAME_ECT = 1,         ///< IP ECN field 10
    FRAME_CE = 2,          ///< IP ECN field 11
    FRAME_FIRST = 4,       ///< first frame of a message
    FRAME_LAST = 8,        ///< last frame of a message
    FRAME_SEND = 16,       ///< of a SEND
    FRAME_READ = 32,       ///< a response to a READ
    FRAME_ECN_ECHO = 4,    ///< for an acknowledgement: a data frame has arrived with CE
    FRAME_ACK_REQUEST = 64 ///< to be acknowledged at once (BTH, AckReq)
};

/// A frame in flight: one cache line of typed fields, owned by one place at a time (a queue, a
/// wire, a handler) and linked into it by `next`. Its bytes are only built for observers.
struct alignas(64) Frame
{
    int64_t arrival;      ///< when its last bit reaches the end of the wire it is on [ps]
    int64_t time;         ///< in a queue: when it was queued; on a wire: arrival of `next` [ps]
    uint64_t flowHash;    ///< hash of the five-tuple, which ECMP mixes with a switch's seed
    uint32_t next;        ///< next frame of the queue or wire
    uint32_t source;      ///< port id of the NIC that sent it
    uint32_t destination; ///< port id of the NIC it goes to
    uint32_t queuePair;   ///< PFC: directed link that caused it
    uint32_t psn;         ///< 24 bits; PFC: class-enable vector
    uint32_t wireBytes;   ///< with preamble, FCS and gap [byte]
    uint32_t payload; ///< [byte]; PFC: priorities paused (others in the vector are resumed); NAK
                      ///< under selective repeat: the PSN received
    uint16_t ingress; ///< local index of the port through which it entered the switch
    uint16_t side;    ///< kept by FramePool: NO_SIDE, or where its FrameSide is
    uint16_t job;     ///< job + 1, 0: none; for accounting
    uint16_t udpSourcePort;
    FrameKind kind;
    uint8_t priority; ///< egress queue, DSCP 8 x priority
    uint8_t flags;
    uint8_t markedHere; ///< 1: received its CE mark in the current switch
};

static_assert(sizeof(Frame) == 64, "a frame is one cache line");

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_FRAME_H
