/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_COMPLETIONS_H
#define GPU_FABRIC_ROCE_COMPLETIONS_H

#include "transport-context.h"

namespace ns3
{

/// The requester's client is notified of the end of a message, and a message starts, at once or
/// after the time that the NIC takes (RoceNic::CompletionDelay, RoceNic::PostDelay).
class RoceCompletions
{
  public:
    explicit RoceCompletions(TransportContext& context);

    /// A message has ended. \returns false if the client has destroyed the queue pair
    bool Complete(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message);
    /// Arms the event of TransportContext::DelayKey() for what is due first.
    void ScheduleDelays(uint32_t id, QueuePair& queuePair);
    /// Notifies the client of the ends that are due. \returns false if it has destroyed the queue
    /// pair
    bool NotifyDue(int64_t now, uint32_t id, QueuePair& queuePair);
    /// The next message whose start is due, or null.
    const RdmaMessage* TakeDueStart(int64_t now, QueuePair& queuePair) const;

  private:
    bool NotifyCompleted(int64_t now, uint32_t id, QueuePair& queuePair, const MessageTag& tag);
    /// The NIC that posts.
    static uint32_t GetRequesterNic(const QueuePair& queuePair);

    TransportContext& m_context;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_COMPLETIONS_H
