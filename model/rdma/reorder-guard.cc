/* SPDX-License-Identifier: GPL-2.0-only */
#include "reorder-guard.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ReorderGuard");

ReorderGuard::ReorderGuard(int64_t roundTripPs)
    : m_roundTrip(roundTripPs)
{
}

void
ReorderGuard::GoBack(int64_t now)
{
    m_until = now + m_roundTrip;
    m_deferred = UINT64_MAX;
    if (m_reordering)
    {
        m_window = std::max<uint64_t>(m_window / 2, 1);
        m_credit = 0;
    }
}

bool
ReorderGuard::OnNak(int64_t now, uint64_t frame, uint64_t outstanding)
{
    if (now >= m_until)
    {
        GoBack(now);
        return true;
    }
    if (!m_reordering)
    {
        m_reordering = true;
        m_window = std::max<uint64_t>(outstanding / 2, 1);
        NS_LOG_LOGIC(now << " ps: a second NAK within a round trip is taken for reordering, window "
                         << m_window);
    }
    m_deferred = m_deferred == UINT64_MAX ? frame : std::max(m_deferred, frame);
    return false;
}

void
ReorderGuard::OnProgress(uint64_t frames)
{
    if (!m_reordering)
    {
        return;
    }
    m_credit += frames;
    while (m_credit >= m_window)
    {
        m_credit -= m_window++;
    }
}

bool
ReorderGuard::TakeDeferred(int64_t now, uint64_t unacked)
{
    if (m_deferred == UINT64_MAX || now < m_until)
    {
        return false;
    }
    // Acknowledged in the meantime: a later gap has its own NAK.
    bool goBack = unacked <= m_deferred;
    m_deferred = UINT64_MAX;
    if (goBack)
    {
        GoBack(now);
    }
    return goBack;
}

int64_t
ReorderGuard::GetDeferredTime() const
{
    return m_deferred == UINT64_MAX ? INT64_MAX : m_until;
}

} // namespace ns3
