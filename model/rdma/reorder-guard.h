/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_REORDER_GUARD_H
#define GPU_FABRIC_REORDER_GUARD_H

#include <cstdint>

namespace ns3
{

/**
 * Bounds what go-back-N retransmits when frames are reordered.
 *
 * The requester goes back at most once per round trip. A NAK that arrives sooner cannot have been
 * caused by frames sent since then: the missing frame has arrived, later than its successor. From
 * then on the queue pair is limited to a window of frames, halved whenever it goes back and
 * increased by one for each window acknowledged, so that few frames are discarded per frame
 * delivered.
 */
class ReorderGuard
{
  public:
    /// \param roundTripPs least time from a frame's start to its acknowledgement [ps]
    explicit ReorderGuard(int64_t roundTripPs);

    /**
     * A NAK requests going back to a frame.
     * \param outstanding frames sent since that one
     * \returns whether to go back now; if not, GetDeferredTime() is when to check again
     */
    bool OnNak(int64_t now, uint64_t frame, uint64_t outstanding);
    /// Frames have been acknowledged.
    void OnProgress(uint64_t frames);
    /// Whether a deferred NAK calls for going back now. \param unacked oldest frame not
    /// acknowledged
    bool TakeDeferred(int64_t now, uint64_t unacked);
    /// When a deferred NAK is due [ps]; INT64_MAX: there is none.
    int64_t GetDeferredTime() const;

    /// Whether frames have been reordered.
    bool IsReordering() const
    {
        return m_reordering;
    }

    /// Maximum frames in flight.
    uint64_t GetWindow() const
    {
        return m_window;
    }

  private:
    void GoBack(int64_t now);

    int64_t m_roundTrip;
    int64_t m_until{INT64_MIN}; ///< end of the round trip after the last time it went back [ps]
    uint64_t m_deferred{UINT64_MAX}; ///< frame of a deferred NAK
    uint64_t m_window{UINT64_MAX};
    uint64_t m_credit{0}; ///< frames acknowledged since the window grew
    bool m_reordering{false};
};

} // namespace ns3

#endif // GPU_FABRIC_REORDER_GUARD_H
