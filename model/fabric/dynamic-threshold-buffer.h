/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DYNAMIC_THRESHOLD_BUFFER_H
#define GPU_FABRIC_DYNAMIC_THRESHOLD_BUFFER_H

#include "buffer-manager.h"

namespace ns3
{

/**
 * Shared buffer with a dynamic ingress threshold and static headroom.
 *
 * The pool is the buffer less the headroom of every (port, lossless priority). A lossless ingress
 * account may hold Alpha times the free pool; the frame that passes this goes to the account's
 * headroom and pauses the peer. It resumes once its headroom is empty and it holds less than the
 * threshold by ResumeOffset. A lossy frame is dropped when its account would pass LossyAlpha times
 * the free pool.
 *
 * Headroom [byte] of a port and priority (IEEE 802.1Qbb Annex O in the small):
 * 2 x rate x propagation / 8 + largest frame of the peer + own largest frame + 84 (the pause frame)
 * + ResponseBytes. Set aside is at least this with a third frame in place of ResponseBytes, since
 * the frame that pauses is in the headroom, too.
 * Threshold: Choudhury and Hahne, "Dynamic queue length thresholds", IEEE/ACM ToN 1998.
 */
class DynamicThresholdBuffer : public BufferManager
{
  public:
    static TypeId GetTypeId();

    std::string Configure(uint64_t size,
                          const std::vector<BufferPort>& ports,
                          uint32_t priorities,
                          uint32_t losslessMask) override;
    BufferVerdict Admit(uint32_t ingress,
                        uint32_t egress,
                        uint32_t priority,
                        uint32_t bytes,
                        bool certain) override;
    void Release(uint32_t ingress, uint32_t priority, uint32_t bytes) override;
    bool Resume(uint32_t ingress, uint32_t priority) override;

    bool IsLossless() const override
    {
        return m_useHeadroom;
    }

    uint64_t GetUsedBytes() const override
    {
        return m_sharedUsed + m_headroomUsed;
    }

    uint64_t GetPeakBytes() const override
    {
        return m_peak;
    }

    /// Headroom [byte] of one priority of a port by the standard's formula.
    uint64_t GetHeadroom(const BufferPort& port) const
    {
        return GetHeadroom(port, m_responseBytes);
    }

    /// What is set aside for one lossless priority of a port [byte].
    uint64_t GetReserve(const BufferPort& port) const;

    /// The pool that all accounts share [byte].
    uint64_t GetSharedSize() const
    {
        return m_sharedSize;
    }

  private:
    struct Account
    {
        uint64_t shared{0};
        uint64_t headroom{0};
        uint64_t headroomLimit{0};
        bool paused{false};
    };

    static uint64_t GetHeadroom(const BufferPort& port, uint64_t responseBytes);
    uint64_t GetThreshold(double alpha) const;

    double m_alpha;
    double m_lossyAlpha;
    uint64_t m_resumeOffset;
    uint64_t m_responseBytes;
    bool m_useHeadroom;

    uint32_t m_priorities{0};
    uint32_t m_losslessMask{0};
    std::vector<Account> m_accounts;
    uint64_t m_sharedSize{0};
    uint64_t m_sharedUsed{0};
    uint64_t m_headroomUsed{0};
    uint64_t m_peak{0};
};

} // namespace ns3

#endif // GPU_FABRIC_DYNAMIC_THRESHOLD_BUFFER_H
