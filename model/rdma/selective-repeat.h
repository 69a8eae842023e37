/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SELECTIVE_REPEAT_H
#define GPU_FABRIC_SELECTIVE_REPEAT_H

#include "frame-bitmap.h"

#include <cstdint>

namespace ns3
{

/**
 * The requester's record of frames that arrived out of order, which determines what it retransmits:
 * selective repeat of IRN (Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018,
 * section 3.1).
 *
 * A frame is lost if one at least `lossDistance` numbers later has arrived; each is retransmitted
 * once until the next timeout. After a timeout the oldest frame is retransmitted and then, as in
 * slow start, one more frame per acknowledgement: IRN leaves open how to recover from the loss of a
 * tail of frames, after which no later one arrives.
 */
class SelectiveRepeat
{
  public:
    /// \param lossDistance [frames], at least 1; IRN uses 1
    explicit SelectiveRepeat(uint64_t lossDistance);

    /**
     * A NAK reports that a frame has arrived although the oldest one has not.
     * \param unacked oldest frame not acknowledged
     * \param sent one past the highest frame sent
     * \param arrived the frame that has arrived
     * \returns whether this begins a recovery
     */
    bool OnNak(uint64_t unacked, uint64_t sent, uint64_t arrived);
    /// The oldest frame not acknowledged has advanced.
    void OnProgress(uint64_t unacked);
    /// The RTO of the oldest frame has expired.
    void OnTimeout(uint64_t unacked, uint64_t sent);
    /// A frame is retransmitted.
    void OnResend(uint64_t frame);
    /// The frame to send next: a lost one if any, else the first not yet sent.
    uint64_t GetNext(uint64_t unacked, uint64_t sent) const;

  private:
    uint64_t m_lossDistance;
    FrameBitmap m_arrived;
    uint64_t m_lostBelow{0};   ///< frames below are lost unless they have arrived
    uint64_t m_resent{0};      ///< lost frames below have been retransmitted
    uint64_t m_recoveryEnd{0}; ///< "recovery sequence" plus 1: its acknowledgement ends a recovery
    uint64_t m_probeEnd{0};    ///< one past the highest frame sent before the last timeout
    uint64_t m_probe{0};       ///< frames that may be assumed lost since then
};

} // namespace ns3

#endif // GPU_FABRIC_SELECTIVE_REPEAT_H
