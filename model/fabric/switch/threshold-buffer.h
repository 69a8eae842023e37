/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_THRESHOLD_BUFFER_H
#define GPU_FABRIC_THRESHOLD_BUFFER_H

#include "ns3/buffer-manager.h"

#include <algorithm>

namespace ns3
{

/**
 * A buffer whose ingress accounts (port, priority) may each hold bytes up to a threshold. This
 * class does the accounting; subclasses set the threshold.
 *
 * The bytes of an account are in three places, filled in this order and emptied in reverse:
 * reserved for it alone, shared with all accounts, and its headroom. The shared pool is the buffer
 * minus reserves and headroom. A lossless frame that would exceed the threshold, or does not fit in
 * the pool, goes to the headroom and pauses the peer, which resumes once the headroom of the
 * account is empty and its share is ResumeOffset below the threshold. A lossy frame is dropped
 * instead.
 *
 * Headroom [byte] of a port and priority (simplified from IEEE 802.1Qbb Annex O): 2 x rate x
 * propagation / 8 + largest frame of the peer + own largest frame + 84 (the pause frame) +
 * ResponseBytes. The amount set aside is at least this with a third frame in place of
 * ResponseBytes, since the frame that triggers the pause is in the headroom, too. With HeadroomPool
 * all accounts draw their headroom, each up to the same limit, from one pool, which is smaller and
 * no longer guarantees that no frame is lost.
 */
class ThresholdBuffer : public BufferManager
{
  public:
    static TypeId GetTypeId();

    std::string Configure(uint64_t size,
                          const std::vector<BufferPort>& ports,
                          uint32_t priorities,
                          uint32_t losslessMask) override;
    void Release(uint32_t ingress, uint32_t priority, uint32_t bytes) override;

    void Prefetch(uint32_t ingress, uint32_t priority) const override
    {
        __builtin_prefetch(&m_accounts[ingress * m_priorities + priority], 1);
    }

    bool IsLossless() const override
    {
        return m_useHeadroom && m_headroomSize >= m_headroomSum;
    }

    uint64_t GetUsedBytes() const override
    {
        return m_sharedUsed + m_unsharedUsed;
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

    /// Maximum headroom that one lossless priority of a port can use [byte].
    uint64_t GetReserve(const BufferPort& port) const;

    /// The pool that all accounts share [byte].
    uint64_t GetSharedSize() const
    {
        return m_sharedSize;
    }

    /// Total headroom set aside [byte].
    uint64_t GetHeadroomSize() const
    {
        return m_headroomSize;
    }

  protected:
    /// One ingress (port, priority).
    struct Account
    {
        uint64_t held{0}; ///< reserved and shared bytes [byte]
        uint64_t headroom{0};
        uint64_t headroomLimit{0};
        uint32_t state{
            0}; ///< status bits below; 0: all held bytes are shared and no special case applies
    };

    static constexpr uint32_t PAUSED = 1;
    static constexpr uint32_t RESERVED = 2; ///< bytes are reserved for it

    /// Registers the attributes of this class under a child's name, where users look them up.
    static TypeId AddAttributes(TypeId tid);

    Account& GetAccount(uint32_t ingress, uint32_t priority)
    {
        return m_accounts[ingress * m_priorities + priority];
    }

    bool IsLosslessPriority(uint32_t priority) const
    {
        return m_losslessMask >> priority & 1;
    }

    uint64_t GetFree() const
    {
        return m_sharedSize - m_sharedUsed;
    }

    uint64_t GetSharedUsed() const
    {
        return m_sharedUsed;
    }

    /// Number of accounts that are lossless.
    uint64_t GetLosslessCount() const
    {
        return m_losslessCount;
    }

    /// BufferManager::Admit with the current threshold [byte] for the account's share of the pool.
    BufferVerdict AdmitBelow(uint64_t threshold,
                             Account& account,
                             bool lossless,
                             uint32_t bytes,
                             bool certain)
    {
        if (account.state == 0 && account.held + bytes <= threshold &&
            m_sharedUsed + bytes <= m_sharedSize)
        {
            account.held += bytes;
            m_sharedUsed += bytes;
            m_peak = std::max(m_peak, GetUsedBytes());
            return BufferVerdict::ADMIT;
        }
        return AdmitSlowly(threshold, account, lossless, bytes, certain);
    }

    /// BufferManager::Resume with the threshold [byte].
    bool ResumeBelow(uint64_t threshold, Account& account);

  private:
    static uint64_t GetHeadroom(const BufferPort& port, uint64_t responseBytes);
    BufferVerdict AdmitSlowly(uint64_t threshold,
                              Account& account,
                              bool lossless,
                              uint32_t bytes,
                              bool certain);
    void ReleaseSlowly(Account& account, uint64_t bytes);

    /// The part of held bytes that is in the shared pool [byte].
    uint64_t GetShared(uint64_t held) const
    {
        return held > m_reservedBytes ? held - m_reservedBytes : 0;
    }

    uint64_t m_resumeOffset;
    uint64_t m_responseBytes;
    uint64_t m_reservedBytes;
    uint64_t m_headroomPool;
    bool m_useHeadroom;

    uint32_t m_priorities{0};
    uint32_t m_losslessMask{0};
    uint64_t m_losslessCount{0};
    std::vector<Account> m_accounts;
    uint64_t m_sharedSize{0};
    uint64_t m_sharedUsed{0};
    uint64_t m_headroomSize{0}; ///< set aside
    uint64_t m_headroomSum{0};  ///< of the limits of all accounts
    uint64_t m_headroomUsed{0};
    uint64_t m_unsharedUsed{0}; ///< headroom and reserves
    uint64_t m_peak{0};
};

} // namespace ns3

#endif // GPU_FABRIC_THRESHOLD_BUFFER_H
