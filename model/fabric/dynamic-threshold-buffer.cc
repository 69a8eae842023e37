/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/dynamic-threshold-buffer.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DynamicThresholdBuffer);

TypeId
DynamicThresholdBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DynamicThresholdBuffer")
            .SetParent<BufferManager>()
            .SetGroupName("GpuFabric")
            .AddConstructor<DynamicThresholdBuffer>()
            .AddAttribute("Alpha",
                          "Share of the free pool that one lossless ingress account may hold.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&DynamicThresholdBuffer::m_alpha),
                          MakeDoubleChecker<double>(0.001, 64.0))
            .AddAttribute("LossyAlpha",
                          "Share of the free pool that one lossy ingress account may hold.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&DynamicThresholdBuffer::m_lossyAlpha),
                          MakeDoubleChecker<double>(0.001, 64.0))
            .AddAttribute("ResumeOffset",
                          "How far below its threshold a paused account resumes [byte].",
                          UintegerValue(3'000),
                          MakeUintegerAccessor(&DynamicThresholdBuffer::m_resumeOffset),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("ResponseBytes",
                          "Bytes a peer may send before it obeys a pause frame [byte].",
                          UintegerValue(3'840),
                          MakeUintegerAccessor(&DynamicThresholdBuffer::m_responseBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Headroom",
                          "Whether headroom is set aside; without it a lossless class may drop.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&DynamicThresholdBuffer::m_useHeadroom),
                          MakeBooleanChecker());
    return tid;
}

uint64_t
DynamicThresholdBuffer::GetHeadroom(const BufferPort& port, uint64_t responseBytes)
{
    // bit/s x ps / 8e12 overflows 64 bits from 18 Gb/s and 1 s on, hence the wider product.
    auto flight = static_cast<unsigned __int128>(port.rateBps) * port.delayPs * 2;
    auto bytes = static_cast<uint64_t>((flight + 8'000'000'000'000 - 1) / 8'000'000'000'000);
    return bytes + 2ull * port.frameBytes + 84 + responseBytes;
}

uint64_t
DynamicThresholdBuffer::GetReserve(const BufferPort& port) const
{
    // The frame that pauses stands in the headroom, too. The peers of this model respond at once,
    // so that the response may hold it, if it is large enough.
    return GetHeadroom(port, std::max<uint64_t>(m_responseBytes, port.frameBytes));
}

std::string
DynamicThresholdBuffer::Configure(uint64_t size,
                                  const std::vector<BufferPort>& ports,
                                  uint32_t priorities,
                                  uint32_t losslessMask)
{
    m_priorities = priorities;
    m_losslessMask = losslessMask;
    m_accounts.assign(ports.size() * priorities, Account());
    m_sharedUsed = m_headroomUsed = m_peak = 0;
    uint64_t total = 0;
    for (size_t port = 0; port < ports.size(); ++port)
    {
        uint64_t headroom = m_useHeadroom ? GetReserve(ports[port]) : 0;
        for (uint32_t priority = 0; priority < priorities; ++priority)
        {
            if (losslessMask >> priority & 1)
            {
                m_accounts[port * priorities + priority].headroomLimit = headroom;
                total += headroom;
            }
        }
        if (total >= size)
        {
            std::ostringstream os;
            os << "the headroom of the ports up to " << ports[port].name << " takes " << total
               << " B (" << headroom << " B for each of its lossless priorities), which does not "
               << "leave any of the buffer of " << size << " B to share";
            return os.str();
        }
    }
    m_sharedSize = size - total;
    return "";
}

uint64_t
DynamicThresholdBuffer::GetThreshold(double alpha) const
{
    return static_cast<uint64_t>(alpha * static_cast<double>(m_sharedSize - m_sharedUsed));
}

BufferVerdict
DynamicThresholdBuffer::Admit(uint32_t ingress,
                              uint32_t /* egress */,
                              uint32_t priority,
                              uint32_t bytes,
                              bool certain)
{
    Account& account = m_accounts[ingress * m_priorities + priority];
    bool lossless = m_losslessMask >> priority & 1;
    bool fits = m_sharedUsed + bytes <= m_sharedSize;
    if (fits && !account.paused &&
        account.shared + bytes <= GetThreshold(lossless ? m_alpha : m_lossyAlpha))
    {
        account.shared += bytes;
        m_sharedUsed += bytes;
        m_peak = std::max(m_peak, m_sharedUsed + m_headroomUsed);
        return BufferVerdict::ADMIT;
    }
    if (!certain && (!account.paused || account.headroom + bytes > account.headroomLimit))
    {
        return BufferVerdict::UNCERTAIN;
    }
    if (!lossless)
    {
        return BufferVerdict::DROP;
    }
    if (account.headroom + bytes <= account.headroomLimit)
    {
        account.headroom += bytes;
        m_headroomUsed += bytes;
    }
    else if (!m_useHeadroom && fits)
    {
        account.shared += bytes;
        m_sharedUsed += bytes;
    }
    else
    {
        return BufferVerdict::DROP;
    }
    m_peak = std::max(m_peak, m_sharedUsed + m_headroomUsed);
    if (account.paused)
    {
        return BufferVerdict::ADMIT;
    }
    account.paused = true;
    return BufferVerdict::PAUSE;
}

void
DynamicThresholdBuffer::Release(uint32_t ingress, uint32_t priority, uint32_t bytes)
{
    Account& account = m_accounts[ingress * m_priorities + priority];
    // Headroom drains first: it must be free again before the peer may resume.
    uint64_t fromHeadroom = std::min<uint64_t>(account.headroom, bytes);
    account.headroom -= fromHeadroom;
    m_headroomUsed -= fromHeadroom;
    NS_ASSERT(account.shared >= bytes - fromHeadroom);
    account.shared -= bytes - fromHeadroom;
    m_sharedUsed -= bytes - fromHeadroom;
}

bool
DynamicThresholdBuffer::Resume(uint32_t ingress, uint32_t priority)
{
    Account& account = m_accounts[ingress * m_priorities + priority];
    if (!account.paused || account.headroom > 0)
    {
        return false;
    }
    // An empty account always resumes: nothing of it is left whose end could wake it again.
    if (account.shared > 0 && account.shared + m_resumeOffset > GetThreshold(m_alpha))
    {
        return false;
    }
    account.paused = false;
    return true;
}

} // namespace ns3
