/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_LINK_ACCOUNTS_H
#define GPU_FABRIC_JOB_LINK_ACCOUNTS_H

#include "fabric-port.h"

#include "ns3/fabric-records.h"

#include <vector>

namespace ns3
{

/// Counters of every (job, priority) on every directed link it used.
class JobLinkAccounts
{
  public:
    /// Whether frames are counted; off by default.
    void Enable(bool enable)
    {
        m_enabled = enable;
    }

    bool IsEnabled() const
    {
        return m_enabled;
    }

    void Resize(uint32_t ports)
    {
        m_accounts.resize(ports);
    }

    /// Counts a frame whose transmission starts after waiting queuePs [ps].
    void Count(uint32_t portId, FabricPort& port, const Frame& frame, int64_t queuePs)
    {
        std::vector<Account>& accounts = m_accounts[portId];
        uint32_t key = static_cast<uint32_t>(frame.job) << 4 | frame.priority;
        if (port.accountCache >= accounts.size() || accounts[port.accountCache].key != key)
        {
            port.accountCache = Find(accounts, key);
        }
        Account& account = accounts[port.accountCache];
        account.bytes += frame.wireBytes;
        ++account.frames;
        account.markedFrames += frame.markedHere;
        account.queuePs += queuePs;
    }

    /// A pause of a link's priority has ended: it counts for the jobs that have sent there.
    void CountPause(uint32_t portId, uint32_t priority, int64_t durationPs);

    /// Accounts for a change of a port's rate: frames sent before took that time per byte. [2^-20
    /// ps]
    void ChangeRate(uint32_t portId, uint64_t oldPsPerByte);

    /// All counters, ordered by job, link and priority.
    std::vector<JobLinkCounters> Get(const std::vector<FabricPort>& ports) const;

  private:
    struct Account
    {
        uint32_t key;
        uint64_t bytes;
        uint64_t frames;
        uint64_t markedFrames;
        int64_t queuePs;
        int64_t pausedPs;
        uint64_t ratedBytes{0}; ///< sent until the rate last changed [byte]
        int64_t ratedPs{0};     ///< time that they took [ps]
    };

    static uint32_t Find(std::vector<Account>& accounts, uint32_t key);

    bool m_enabled{false};
    std::vector<std::vector<Account>> m_accounts;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_LINK_ACCOUNTS_H
