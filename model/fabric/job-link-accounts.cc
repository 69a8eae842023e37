/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-link-accounts.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

uint32_t
JobLinkAccounts::Find(std::vector<Account>& accounts, uint32_t key)
{
    // From the back: the jobs that are running came last; earlier ones have left.
    for (auto i = static_cast<uint32_t>(accounts.size()); i-- > 0;)
    {
        if (accounts[i].key == key)
        {
            return i;
        }
    }
    accounts.push_back({key, 0, 0, 0, 0, 0, 0, 0});
    return static_cast<uint32_t>(accounts.size() - 1);
}

void
JobLinkAccounts::CountPause(uint32_t portId, uint32_t priority, int64_t durationPs)
{
    for (Account& account : m_accounts[portId])
    {
        if ((account.key & 0xf) == priority)
        {
            account.pausedPs += durationPs;
        }
    }
}

void
JobLinkAccounts::ChangeRate(uint32_t portId, uint64_t oldPsPerByte)
{
    for (Account& account : m_accounts[portId])
    {
        auto busy =
            static_cast<unsigned __int128>(account.bytes - account.ratedBytes) * oldPsPerByte >> 20;
        account.ratedPs += static_cast<int64_t>(busy);
        account.ratedBytes = account.bytes;
    }
}

std::vector<JobLinkCounters>
JobLinkAccounts::Get(const std::vector<FabricPort>& ports) const
{
    std::vector<JobLinkCounters> result;
    for (uint32_t link = 0; link < m_accounts.size(); ++link)
    {
        for (const Account& account : m_accounts[link])
        {
            JobLinkCounters counters;
            counters.job = (account.key >> 4) - 1;
            counters.link = link;
            counters.priority = account.key & 0xf;
            counters.bytes = account.bytes;
            counters.frames = account.frames;
            counters.markedFrames = account.markedFrames;
            auto busy = static_cast<unsigned __int128>(account.bytes - account.ratedBytes) *
                            ports[link].psPerByte >>
                        20;
            counters.busyPs = account.ratedPs + static_cast<int64_t>(busy);
            counters.queuePs = account.queuePs;
            counters.pausedPs = account.pausedPs;
            result.push_back(counters);
        }
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return std::tie(a.job, a.link, a.priority) < std::tie(b.job, b.link, b.priority);
    });
    return result;
}

} // namespace ns3
