/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-lane.h"

#include "ns3/abort.h"

namespace ns3
{

GpuLane::GpuLane(Ptr<EventLane> lane, std::vector<uint32_t> contexts)
    : m_lane(lane),
      m_contexts(std::move(contexts)),
      m_handlers(m_contexts.size())
{
    m_class = m_lane->AllocateClass(this, static_cast<uint32_t>(m_handlers.size()));
}

void
GpuLane::Attach(uint32_t gpu, LaneHandler* handler)
{
    NS_ABORT_MSG_IF(m_handlers[gpu], "GPU " << gpu << " already runs a job");
    m_handlers[gpu] = handler;
}

void
GpuLane::Detach(uint32_t gpu)
{
    for (uint32_t kind = 0; kind < 4; kind++)
    {
        Cancel(gpu, kind);
    }
    m_handlers[gpu] = nullptr;
}

void
GpuLane::HandleLaneEvent(int64_t now, uint32_t gpu, uint32_t kind)
{
    m_handlers[gpu]->HandleLaneEvent(now, gpu, kind);
}

uint32_t
GpuLane::GetLaneContext(uint32_t gpu, uint32_t) const
{
    return m_contexts[gpu];
}

} // namespace ns3
