/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LANE_HORIZON_H
#define GPU_FABRIC_LANE_HORIZON_H

#include <cstdint>

namespace ns3
{

/**
 * Bounds how far the events of a simulator may run, where a part of the simulation runs beside it:
 * conservative synchronization (K. M. Chandy and J. Misra, IEEE TSE 5(5), 1979; in windows:
 * D. M. Nicol, JACM 40(2), 1993).
 *
 * The simulator is ahead: what runs beside it has never passed the event that is running here, so
 * that it can be brought to that very event when somebody looks at it.
 */
class LaneHorizon
{
  public:
    virtual ~LaneHorizon() = default;

    /**
     * All events before the last horizon have been run.
     * \param ordinary time of the first ordinary event [ps]; SlottedWheel::NEVER: none
     * \returns the horizon [ps], before which events may be run; SlottedWheel::NEVER: none is left
     * anywhere
     */
    virtual int64_t Extend(int64_t ordinary) = 0;
    /// Runs what comes before the event that is running here.
    virtual void CatchUp() = 0;
    /// Whether nothing is pending beside the simulator.
    virtual bool IsIdle() const = 0;
    /// Time of the last event run beside the simulator [ps].
    virtual int64_t GetLastTime() const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_LANE_HORIZON_H
