/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LANE_HORIZON_H
#define GPU_FABRIC_LANE_HORIZON_H

#include <cstdint>

namespace ns3
{

/**
 * Bounds how far the events of a simulator may run while other logical processes run beside it:
 * conservative synchronization (K. M. Chandy and J. Misra, IEEE TSE 5(5), 1979; in windows: D. M.
 * Nicol, JACM 40(2), 1993).
 *
 * The simulator is ahead: whatever runs beside it has never passed the event that is running here,
 * so it can be brought up to exactly that event when its state is read.
 */
class LaneHorizon
{
  public:
    virtual ~LaneHorizon() = default;

    /**
     * Called when all events before the last horizon have run.
     * \param ordinary time of the first ordinary event [ps]; SlottedWheel::NEVER: none
     * \returns the new horizon [ps], before which events may run; SlottedWheel::NEVER: no event is
     * left anywhere
     */
    virtual int64_t Extend(int64_t ordinary) = 0;
    /// Brings the others up to the event that is running here.
    virtual void CatchUp() = 0;
    /// Whether nothing is pending beside the simulator.
    virtual bool IsIdle() const = 0;
    /// Time of the last event run beside the simulator [ps].
    virtual int64_t GetLastTime() const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_LANE_HORIZON_H
