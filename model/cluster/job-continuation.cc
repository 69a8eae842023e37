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
    m_endedAtStart = ended;
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
