/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-continuation.h"

#include <algorithm>

namespace ns3
{

JobContinuation::JobContinuation(bool restart, int64_t durationPs)
    : m_restart(restart),
      m_durationLeftPs(durationPs)
{
}

void
JobContinuation::Start(int64_t nowPs, uint64_t ended)
{
    m_waitsAgain = false;
    m_starts++;
    m_startPs = nowPs;
    m_firstStartPs = m_firstStartPs < 0 ? nowPs : m_firstStartPs;
    m_runs = true;
    m_endedAtStart = ended;
}

void
JobContinuation::End(int64_t nowPs)
{
    m_executedPs = GetExecuted(nowPs);
    m_runs = false;
}

bool
JobContinuation::Fail(int64_t nowPs, bool started, uint64_t ended)
{
    if (started)
    {
        m_idleStarts = ended == m_endedAtStart ? m_idleStarts + 1 : 0;
        if (m_durationLeftPs > 0)
        {
            m_durationLeftPs = std::max<int64_t>(1, m_durationLeftPs - (nowPs - m_startPs));
        }
    }
    m_waitsAgain = m_restart && m_idleStarts < MAX_IDLE_STARTS;
    return m_waitsAgain;
}

} // namespace ns3
