/* SPDX-License-Identifier: GPL-2.0-only */
#include "selective-repeat.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SelectiveRepeat");

SelectiveRepeat::SelectiveRepeat(uint64_t lossDistance)
    : m_lossDistance(lossDistance)
{
    NS_ASSERT(lossDistance >= 1);
}

bool
SelectiveRepeat::OnNak(uint64_t unacked, uint64_t sent, uint64_t arrived)
{
    NS_ASSERT(arrived < sent);
    m_arrived.Advance(unacked);
    if (arrived > unacked)
    {
        m_arrived.Set(arrived);
    }
    if (arrived + 1 > m_lossDistance)
    {
        m_lostBelow = std::max(m_lostBelow, arrived + 1 - m_lossDistance);
    }
    if (unacked < m_recoveryEnd || GetNext(unacked, sent) == sent)
    {
        return false;
    }
    m_recoveryEnd = sent;
    NS_LOG_LOGIC("frames below " << m_lostBelow << " that have not arrived are lost");
    return true;
}

void
SelectiveRepeat::OnProgress(uint64_t unacked)
{
    m_arrived.Advance(unacked);
    if (unacked < m_probeEnd)
    {
        ++m_probe;
        m_lostBelow = std::max(m_lostBelow, std::min(m_probeEnd, unacked + m_probe));
    }
}

void
SelectiveRepeat::OnTimeout(uint64_t unacked, uint64_t sent)
{
    m_arrived.Advance(unacked);
    m_resent = unacked;
    m_recoveryEnd = sent;
    m_probeEnd = sent;
    m_probe = 1;
    m_lostBelow = std::max(m_lostBelow, unacked + 1);
}

void
SelectiveRepeat::OnResend(uint64_t frame)
{
    m_resent = std::max(m_resent, frame + 1);
}

uint64_t
SelectiveRepeat::GetNext(uint64_t unacked, uint64_t sent) const
{
    uint64_t frame = m_arrived.FindClear(std::max(unacked, m_resent));
    return frame < std::min(m_lostBelow, sent) ? frame : sent;
}

} // namespace ns3
