/* SPDX-License-Identifier: GPL-2.0-only */
#include "roce-frame-context.h"

#include "../../fabric/dscp-map.h"
#include "../psn.h"
#include "../queue-pair.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The frame number for a PSN: the one nearest to the requester's position.
uint64_t
GetNumber(const Frame& frame, const QueuePair& queuePair)
{
    return ExpandPsn(frame.psn, queuePair.read ? queuePair.expected : queuePair.unacked);
}

} // namespace

RoceFrameContext::RoceFrameContext(const Fabric& fabric, const RoceTransport& transport)
    : m_fabric(fabric),
      m_transport(transport)
{
}

RdmaMemory
RoceFrameContext::GetMemory(const Frame& frame) const
{
    RdmaMemory memory;
    const QueuePair* queuePair = m_transport.GetQueuePair(frame.queuePair);
    if (queuePair != nullptr)
    {
        const uint64_t number = GetNumber(frame, *queuePair);
        memory.address = number * queuePair->framing->mtu;
        queuePair->messages.ForEach([&](const RdmaMessage& message) {
            if (message.firstFrame == number)
            {
                memory.length =
                    static_cast<uint32_t>(std::min<uint64_t>(message.bytes, UINT32_MAX));
            }
        });
    }
    return memory;
}

uint32_t
RoceFrameContext::GetMessageSequenceNumber(const Frame& frame) const
{
    const QueuePair* queuePair = m_transport.GetQueuePair(frame.queuePair);
    if (queuePair == nullptr)
    {
        return 0;
    }
    // An ACK names the last frame received in order, a NAK the one after it; a response to a READ
    // completes its message if it is the last.
    const bool done = frame.kind == FrameKind::ACK ||
                      (frame.kind == FrameKind::DATA && (frame.flags & FRAME_LAST));
    const uint64_t received = GetNumber(frame, *queuePair) + (done ? 1 : 0);
    uint64_t waiting = 0;
    queuePair->messages.ForEach(
        [&](const RdmaMessage& message) { waiting += message.endFrame > received; });
    return static_cast<uint32_t>(queuePair->posted - waiting);
}

bool
RoceFrameContext::IsSelective(const Frame& frame) const
{
    const QueuePair* queuePair = m_transport.GetQueuePair(frame.queuePair);
    return queuePair != nullptr && queuePair->selective;
}

uint16_t
RoceFrameContext::GetPauseQuanta() const
{
    return static_cast<uint16_t>(m_fabric.GetPauseQuanta());
}

uint32_t
RoceFrameContext::GetGapBytes() const
{
    return m_fabric.GetGapBytes();
}

const DscpMap&
RoceFrameContext::GetDscpMap() const
{
    return m_fabric.GetDscpMap();
}

} // namespace ns3
