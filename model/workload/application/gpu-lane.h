/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_LANE_H
#define GPU_FABRIC_GPU_LANE_H

#include "../../engine/event-lane.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * One class of lane events whose entities are the GPUs of a cluster, by GPU id: the handler
 * attached to a GPU runs its events and is told the rank that it runs there. The order of
 * simultaneous events is by GPU and therefore does not depend on which job came first.
 */
class GpuLane : public LaneHandler
{
  public:
    /// Allocates the class.
    /// \param lane the lane of the simulation
    /// \param contexts ns-3 node id by GPU id; its size is the number of GPUs
    GpuLane(Ptr<EventLane> lane, std::vector<uint32_t> contexts);

    /// Assigns a GPU to a handler. Aborts if it already has one.
    /// \param rank given to the handler in place of the GPU, with every event
    void Attach(uint32_t gpu, LaneHandler* handler, uint32_t rank);
    /// Releases a GPU and cancels its events.
    void Detach(uint32_t gpu);

    void Schedule(int64_t time, uint32_t gpu, uint32_t kind)
    {
        m_lane->Schedule(time, EventLane::Key(m_class, gpu, kind));
    }

    void Cancel(uint32_t gpu, uint32_t kind)
    {
        m_lane->Cancel(EventLane::Key(m_class, gpu, kind));
    }

    bool IsPending(uint32_t gpu, uint32_t kind) const
    {
        return m_lane->IsPending(EventLane::Key(m_class, gpu, kind));
    }

    void HandleLaneEvent(int64_t now, uint32_t gpu, uint32_t kind) override;
    uint32_t GetLaneContext(uint32_t gpu, uint32_t kind) const override;

  private:
    /// What runs on a GPU.
    struct Seat
    {
        LaneHandler* handler{nullptr};
        uint32_t rank{0};
    };

    Ptr<EventLane> m_lane;
    uint32_t m_class;
    std::vector<uint32_t> m_contexts;
    std::vector<Seat> m_seats; ///< by GPU
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_LANE_H
