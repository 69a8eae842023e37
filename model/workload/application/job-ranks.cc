/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-ranks.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(JobRanks);

TypeId
JobRanks::GetTypeId()
{
    static TypeId tid = TypeId("ns3::JobRanks").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

void
JobRanks::SetCallbacks(FinishedCallback finished, FailedCallback failed)
{
    m_finished = std::move(finished);
    m_failed = std::move(failed);
}

void
JobRanks::NotifyFinished(int64_t nowPs) const
{
    if (m_finished)
    {
        m_finished(nowPs);
    }
}

void
JobRanks::NotifyFailed(int64_t nowPs, const std::string& reason) const
{
    if (m_failed)
    {
        m_failed(nowPs, reason);
    }
}

void
JobRanks::DoDispose()
{
    m_finished = nullptr;
    m_failed = nullptr;
    Object::DoDispose();
}

} // namespace ns3
