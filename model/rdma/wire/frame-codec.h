/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FRAME_CODEC_H
#define GPU_FABRIC_FRAME_CODEC_H

#include "../../fabric/dscp-map.h"
#include "../../fabric/frame-encoder.h"

#include <cstdint>
#include <string>

namespace ns3
{

class BthHeader;
class EthernetHeader;

/// The memory of a WRITE or READ, for its RETH.
struct RdmaMemory
{
    uint64_t address{0};
    uint32_t length{0}; ///< of the message [byte]; 0: no longer known
};

/// What the bytes of a frame need that the frame itself does not hold.
class FrameContext : public SimpleRefCount<FrameContext>
{
  public:
    virtual ~FrameContext() = default;

    /// The memory of the message that starts with a first frame of a WRITE, or of a READ request.
    virtual RdmaMemory GetMemory(const Frame& frame) const = 0;
    /// Number of messages of the queue pair that were complete when an ACK, NAK or response was
    /// sent.
    virtual uint32_t GetMessageSequenceNumber(const Frame& frame) const = 0;
    /// Whether the queue pair recovers losses by selective repeat.
    virtual bool IsSelective(const Frame& frame) const = 0;
    /// Duration of a pause [512 bit times].
    virtual uint16_t GetPauseQuanta() const = 0;
    /// Preamble and inter-frame gap, which are counted in Frame::wireBytes but absent from packets
    /// [byte].
    virtual uint32_t GetGapBytes() const = 0;
    virtual const DscpMap& GetDscpMap() const = 0;
};

/**
 * Converts frames to bytes and back: RoCEv2 (Ethernet, IPv4, UDP 4791, BTH, RETH or AETH, payload,
 * pad, ICRC) and 802.1Qbb, with or without the FCS.
 *
 * Every switch is a router, as in the RoCEv2 networks of GPU clusters: the MAC addresses are those
 * of the two ports of a link, and the TTL is 64 minus the number of links crossed before. Fields
 * that a frame does not hold are filled in as follows: the IP identification is the lower part of
 * the PSN; queue pair q has the number 256 + q at either end (modulo 2^24 - 256); the key of a
 * WRITE or READ is its queue pair; the payload is zeros; the last frame of a WRITE or SEND requests
 * an acknowledgement.
 *
 * Sizes are those of the standards, regardless of RoceNic's HeaderBytes and AckBytes; time stamps
 * and telemetry for congestion control are not in the packets. An acknowledgement that echoes a CE
 * mark has BECN set. 802.1Qbb has eight classes: a pause of priority 8 or 9 is omitted.
 */
class FrameCodec : public FrameEncoder
{
  public:
    static constexpr uint8_t INITIAL_TTL = 64;
    static constexpr uint32_t FIRST_QUEUE_PAIR = 256;
    /// Largest payload of a data frame that keeps the IP packet within 65,535 bytes [byte].
    static constexpr uint32_t MAX_PAYLOAD = 65'472;

    explicit FrameCodec(Ptr<const FrameContext> context);

    /// The packet of a frame; aborts if the payload is larger than MAX_PAYLOAD.
    Ptr<Packet> ToPacket(const Frame& frame, uint32_t port, uint32_t hops, bool fcs) const override;

    /**
     * The frame of a packet.
     * \param frame gets kind, psn, payload, wireBytes, source, destination, queuePair,
     * udpSourcePort, flowHash, priority and flags (FRAME_LAST without FRAME_ACK_REQUEST, which it
     * implies). For PFC: kind, psn, payload, wireBytes, source and destination, the ports of the
     * link
     * \returns an empty string, or why the packet is not a frame; the frame must then not be used
     */
    std::string FromPacket(Ptr<const Packet> packet, Frame& frame) const;

  private:
    Ptr<Packet> MakePfc(const Frame& frame) const;
    Ptr<Packet> MakeRoce(const Frame& frame, uint32_t hops) const;
    std::string ReadPfc(Ptr<Packet> packet, const EthernetHeader& ethernet, Frame& frame) const;
    std::string ReadRoce(Ptr<Packet> packet, Frame& frame) const;
    std::string ReadTransport(Ptr<Packet> packet, const BthHeader& bth, Frame& frame) const;

    Ptr<const FrameContext> m_context;
};

} // namespace ns3

#endif // GPU_FABRIC_FRAME_CODEC_H
