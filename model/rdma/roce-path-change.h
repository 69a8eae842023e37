/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_PATH_CHANGE_H
#define GPU_FABRIC_ROCE_PATH_CHANGE_H

#include "transport-context.h"

#include "ns3/roce-transport.h"

namespace ns3
{

/// Gives live queue pairs another path (by their UDP source port) and priority.
class RocePathChange
{
  public:
    explicit RocePathChange(TransportContext& context);

    void SetTiming(ApplyTiming timing);

    /// Requests a change. \returns whether it must take effect now, by TakeEffect()
    bool Ask(QueuePair& queuePair, uint16_t udpSourcePort, uint8_t priority, uint32_t decision);

    /// Whether a pending change takes effect once the last frame before it is sent.
    bool IsDueWhenSent(const QueuePair& queuePair) const
    {
        return queuePair.changePending && queuePair.next >= queuePair.limit &&
               m_timing == ApplyTiming::NEXT_MESSAGE;
    }

    /// Applies the change. The caller must resume the frames or READ requests that it held back.
    void TakeEffect(int64_t now, uint32_t id, QueuePair& queuePair);

  private:
    TransportContext& m_context;
    ApplyTiming m_timing{ApplyTiming::DRAIN};
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_PATH_CHANGE_H
