/* SPDX-License-Identifier: GPL-2.0-only */
#include "threshold-buffer.h"

#include "../../base/quantity-value.h"

#include "ns3/boolean.h"
#include "ns3/log.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ThresholdBuffer");

NS_OBJECT_ENSURE_REGISTERED(ThresholdBuffer);

TypeId
ThresholdBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ThresholdBuffer").SetParent<BufferManager>().SetGroupName("GpuFabric");
    return tid;
}

TypeId
ThresholdBuffer::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute("ResumeOffset",
                      "How far below its threshold a paused account resumes.",
                      ByteSizeValue(3'000),
                      MakeByteSizeAccessor(&ThresholdBuffer::m_resumeOffset),
                      MakeByteSizeChecker())
        .AddAttribute("ResponseBytes",
                      "Bytes a peer may send before it applies a pause frame.",
                      ByteSizeValue(3'840),
                      MakeByteSizeAccessor(&ThresholdBuffer::m_responseBytes),
                      MakeByteSizeChecker())
        .AddAttribute("ReservedBytes",
                      "Set aside for each (ingress port, priority), lossy ones included; used "
                      "before the shared pool.",
                      ByteSizeValue(0),
                      MakeByteSizeAccessor(&ThresholdBuffer::m_reservedBytes),
                      MakeByteSizeChecker(0, 1'000'000'000'000))
        .AddAttribute("Headroom",
                      "Whether headroom is set aside; without it a lossless class may drop.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&ThresholdBuffer::m_useHeadroom),
                      MakeBooleanChecker())
        .AddAttribute("HeadroomPool",
                      "One pool that the headroom of all ports and priorities is drawn from. "
                      "0: each has its own, which is what lossless needs.",
                      ByteSizeValue(0),
                      MakeByteSizeAccessor(&ThresholdBuffer::m_headroomPool),
                      MakeByteSizeChecker());
}

uint64_t
ThresholdBuffer::GetHeadroom(const BufferPort& port, uint64_t responseBytes)
{
    // bit/s x ps / 8e12 overflows 64 bits from 18 Gb/s and 1 s on, hence the wider product.
    auto flight = static_cast<unsigned __int128>(port.rateBps) * port.delayPs * 2;
    auto bytes = static_cast<uint64_t>((flight + 8'000'000'000'000 - 1) / 8'000'000'000'000);
    return bytes + 2ull * port.frameBytes + 84 + responseBytes;
}

uint64_t
ThresholdBuffer::GetReserve(const BufferPort& port) const
{
    // The frame that triggers the pause is in the headroom, too. The peers of this model respond at
    // once, so ResponseBytes can cover it if it is large enough.
    return GetHeadroom(port, std::max<uint64_t>(m_responseBytes, port.frameBytes));
}

std::string
ThresholdBuffer::Configure(uint64_t size,
                           const std::vector<BufferPort>& ports,
                           uint32_t priorities,
                           uint32_t losslessMask)
{
    m_priorities = priorities;
    m_losslessMask = losslessMask;
    m_accounts.assign(ports.size() * priorities, Account());
    m_sharedUsed = m_headroomUsed = m_unsharedUsed = m_peak = 0;
    m_headroomSum = m_losslessCount = 0;
    bool pooled = m_useHeadroom && m_headroomPool > 0;
    uint64_t reserved = 0;
    for (size_t port = 0; port < ports.size(); ++port)
    {
        uint64_t headroom = m_useHeadroom ? GetReserve(ports[port]) : 0;
        for (uint32_t priority = 0; priority < priorities; ++priority)
        {
            Account& account = m_accounts[port * priorities + priority];
            account.state = m_reservedBytes > 0 ? RESERVED : 0;
            reserved += m_reservedBytes;
            if (IsLosslessPriority(priority))
            {
                account.headroomLimit = headroom;
                m_headroomSum += headroom;
                ++m_losslessCount;
            }
        }
        std::ostringstream os;
        if (pooled && losslessMask != 0 && headroom > m_headroomPool)
        {
            os << "a lossless priority of " << ports[port].name << " may need " << headroom
               << " B of headroom, which is more than HeadroomPool (" << m_headroomPool << " B)";
            return os.str();
        }
        m_headroomSize = pooled ? m_headroomPool : m_headroomSum;
        if (m_headroomSize + reserved >= size)
        {
            if (pooled)
            {
                os << "HeadroomPool takes " << m_headroomPool << " B";
            }
            else
            {
                os << "the headroom of the ports up to " << ports[port].name << " takes "
                   << m_headroomSum << " B (" << headroom
                   << " B for each of its lossless priorities)";
            }
            if (reserved > 0)
            {
                os << " and the reserves of the ports up to " << ports[port].name << " take "
                   << reserved << " B (" << m_reservedBytes << " B for each priority)";
            }
            os << ", which does not leave any of the buffer of " << size << " B to share";
            return os.str();
        }
    }
    m_sharedSize = size - m_headroomSize - reserved;
    NS_LOG_LOGIC(size << " B: " << m_sharedSize << " shared, " << m_headroomSize << " headroom, "
                      << reserved << " reserved");
    return "";
}

BufferVerdict
ThresholdBuffer::AdmitSlowly(uint64_t threshold,
                             Account& account,
                             bool lossless,
                             uint32_t bytes,
                             bool certain)
{
    bool paused = account.state & PAUSED;
    uint64_t before = GetShared(account.held);
    uint64_t after = GetShared(account.held + bytes);
    bool fits = m_sharedUsed + (after - before) <= m_sharedSize;
    // While paused, all frames go to the headroom: the reserve is emptied last, and an account
    // without a share resumes.
    bool below = !paused && fits && (after == 0 || after <= threshold);
    if (!below)
    {
        bool room = account.headroom + bytes <= account.headroomLimit &&
                    m_headroomUsed + bytes <= m_headroomSize;
        if (!certain && !(paused && room))
        {
            return BufferVerdict::UNCERTAIN;
        }
        if (!lossless)
        {
            return BufferVerdict::DROP;
        }
        if (room)
        {
            account.headroom += bytes;
            m_headroomUsed += bytes;
            m_unsharedUsed += bytes;
        }
        else if (m_useHeadroom || !fits)
        {
            return BufferVerdict::DROP;
        }
        if (room)
        {
            before = after;
            bytes = 0;
        }
    }
    m_sharedUsed += after - before;
    m_unsharedUsed += bytes - (after - before);
    account.held += bytes;
    m_peak = std::max(m_peak, GetUsedBytes());
    if (below || paused)
    {
        return BufferVerdict::ADMIT;
    }
    account.state |= PAUSED;
    return BufferVerdict::PAUSE;
}

void
ThresholdBuffer::Release(uint32_t ingress, uint32_t priority, uint32_t bytes)
{
    Account& account = GetAccount(ingress, priority);
    if (account.state != 0)
    {
        ReleaseSlowly(account, bytes);
        return;
    }
    NS_ASSERT(account.held >= bytes && account.headroom == 0);
    account.held -= bytes;
    m_sharedUsed -= bytes;
}

void
ThresholdBuffer::ReleaseSlowly(Account& account, uint64_t bytes)
{
    // Headroom drains first: it must be free again before the peer may resume.
    uint64_t fromHeadroom = std::min(account.headroom, bytes);
    account.headroom -= fromHeadroom;
    m_headroomUsed -= fromHeadroom;
    m_unsharedUsed -= fromHeadroom;
    bytes -= fromHeadroom;
    NS_ASSERT(account.held >= bytes);
    uint64_t fromShared = GetShared(account.held) - GetShared(account.held - bytes);
    account.held -= bytes;
    m_sharedUsed -= fromShared;
    m_unsharedUsed -= bytes - fromShared;
}

bool
ThresholdBuffer::ResumeBelow(uint64_t threshold, Account& account)
{
    if (!(account.state & PAUSED) || account.headroom > 0)
    {
        return false;
    }
    // An account without a share always resumes: no later release could wake it.
    uint64_t shared = GetShared(account.held);
    if (shared > 0 && shared + m_resumeOffset > threshold)
    {
        return false;
    }
    account.state &= ~PAUSED;
    return true;
}

} // namespace ns3
