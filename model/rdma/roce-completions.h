/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_COMPLETIONS_H
#define GPU_FABRIC_ROCE_COMPLETIONS_H

#include "queue-pair.h"

namespace ns3
{

class RoceTransport;

/// The requester's client learns of the end of a message, and a message starts, at once or after
/// the time that the NIC takes (RoceNic::CompletionDelay, RoceNic::PostDelay).
class RoceCompletions
{
  public:
    explicit RoceCompletions(RoceTransport& transport);

    /// A message has ended. \returns false if the client has destroyed the queue pair
    bool Complete(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message);
    /// Arms the event of RoceTransport::DelayKey() for what is due first.
    void ScheduleDelays(uint32_t id, QueuePair& queuePair);
    /// That event.
    void HandleDelays(int64_t now, uint32_t id, QueuePair& queuePair);

  private:
    bool TellCompleted(int64_t now, uint32_t id, QueuePair& queuePair, const MessageTag& tag);
    /// The NIC that posts.
    static uint32_t GetRequesterNic(const QueuePair& queuePair);

    RoceTransport& m_transport;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_COMPLETIONS_H
