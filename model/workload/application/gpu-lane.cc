/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-lane.h"

#include "ns3/abort.h"

namespace ns3
{

GpuLane::GpuLane(Ptr<EventLane> lane, std::vector<uint32_t> contexts)
    : m_lane(lane),
      m_contexts(std::move(contexts)),
      m_seats(m_contexts.size())
{
    m_class = m_lane->AllocateClass(this, static_cast<uint32_t>(m_seats.size()));
}

void
GpuLane::Attach(uint32_t gpu, LaneHandler* handler, uint32_t rank)
{
    NS_ABORT_MSG_IF(m_seats[gpu].handler, "GPU " << gpu << " already runs a job");
    m_seats[gpu] = {handler, rank};
}

void
GpuLane::Detach(uint32_t gpu)
{
    for (uint32_t kind = 0; kind < 4; kind++)
    {
        Cancel(gpu, kind);
    }
    m_seats[gpu] = Seat();
}

void
GpuLane::HandleLaneEvent(int64_t now, uint32_t gpu, uint32_t kind)
{
    m_seats[gpu].handler->HandleLaneEvent(now, m_seats[gpu].rank, kind);
}

uint32_t
GpuLane::GetLaneContext(uint32_t gpu, uint32_t) const
{
    return m_contexts[gpu];
}

} // namespace ns3
