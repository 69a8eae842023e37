/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_COMPLETIONS_H
#define GPU_FABRIC_ROCE_COMPLETIONS_H

#include "transport-context.h"

namespace ns3
{

/// Completes and starts messages, at once or after the delays of the NIC (RoceNic::CompletionDelay,
/// RoceNic::PostDelay), and notifies the requester's client of completions.
class RoceCompletions
{
  public:
    explicit RoceCompletions(TransportContext& context);

    /// A message is complete. \returns false if the client has destroyed the queue pair
    bool Complete(int64_t now, uint32_t id, QueuePair& queuePair, const RdmaMessage& message);
    /// Arms the event of TransportContext::DelayKey() for the earliest time due.
    void ScheduleDelays(uint32_t id, QueuePair& queuePair);
    /// Notifies the client of the completions that are due. \returns false if it has destroyed the
    /// queue pair
    bool NotifyDue(int64_t now, uint32_t id, QueuePair& queuePair);
    /// The next message whose start is due, or null.
    const RdmaMessage* TakeDueStart(int64_t now, QueuePair& queuePair) const;

  private:
    bool NotifyCompleted(int64_t now, uint32_t id, QueuePair& queuePair, const MessageTag& tag);
    /// The NIC at which messages are posted.
    static uint32_t GetRequesterNic(const QueuePair& queuePair);

    TransportContext& m_context;
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_COMPLETIONS_H
