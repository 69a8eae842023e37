/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SELECTIVE_REPEAT_H
#define GPU_FABRIC_SELECTIVE_REPEAT_H

#include "frame-bitmap.h"

#include <cstdint>

namespace ns3
{

/**
 * What the requester knows of frames that arrived out of order, and which it sends again: selective
 * repeat of IRN (Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018, section 3.1).
 *
 * A frame is lost if one at least `lossDistance` numbers later has arrived; each is sent again once
 * until the next timeout. After a timeout the oldest frame is sent again, and then, as in a slow
 * start, one more frame for each acknowledgement: IRN leaves open how it recovers from the loss of
 * a tail of frames, for which no later one arrives.
 */
class SelectiveRepeat
{
  public:
    /// \param lossDistance [frames], at least 1; 1 is IRN
    explicit SelectiveRepeat(uint64_t lossDistance);

    /**
     * A NAK says that a frame has arrived although the oldest one has not.
     * \param unacked oldest frame not acknowledged
     * \param sent one past the highest frame sent
     * \param arrived that frame
     * \returns whether this begins a recovery
     */
    bool OnNak(uint64_t unacked, uint64_t sent, uint64_t arrived);
    /// The oldest frame not acknowledged is a later one now.
    void OnProgress(uint64_t unacked);
    /// The oldest frame has not been acknowledged for the RTO.
    void OnTimeout(uint64_t unacked, uint64_t sent);
    /// A frame is sent again.
    void OnResend(uint64_t frame);
    /// The frame to send next: a lost one, else the first that has not been sent.
    uint64_t GetNext(uint64_t unacked, uint64_t sent) const;

  private:
    uint64_t m_lossDistance;
    FrameBitmap m_arrived;
    uint64_t m_lostBelow{0};   ///< frames below are lost unless they have arrived
    uint64_t m_resent{0};      ///< frames below have been sent again, where they were lost
    uint64_t m_recoveryEnd{0}; ///< "recovery sequence" plus 1: its acknowledgement ends a recovery
    uint64_t m_probeEnd{0};    ///< one past the highest frame sent before the last timeout
    uint64_t m_probe{0};       ///< frames that may be taken for lost since that
};

} // namespace ns3

#endif // GPU_FABRIC_SELECTIVE_REPEAT_H
