/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_STEP_WRITER_H
#define GPU_FABRIC_STEP_WRITER_H

#include "iteration-program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Writes the program of a rank in the order in which its framework would run it: compute; issue
 * collectives, which start once everything computed and waited for before has ended; and wait for
 * some of them. Adjacent compute steps become one step.
 */
class StepWriter
{
  public:
    /// Adds computation. \param durationPs [ps]
    void Compute(const std::string& label, uint64_t durationPs);
    /// Issues a collective. \param slot number of the communicator \returns its step
    uint32_t Issue(const std::string& label,
                   uint32_t slot,
                   CollectiveOperation operation,
                   uint64_t bytes,
                   uint32_t root = 0);
    /// Makes the next compute step, and whatever is issued before it, wait for a step.
    void Wait(uint32_t step);
    /// Makes a step wait for another of the same iteration.
    void AddDependency(uint32_t step, uint32_t on);
    /// Starts a new step with whatever follows.
    void Cut();
    /// Delays the start of the next iteration until a step has ended.
    void Close(uint32_t step);
    /// The program; its first steps wait for the steps passed to Close().
    RankProgram Take();

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    RankProgram m_program;
    uint32_t m_compute{NONE}; ///< the last compute step
    bool m_open{false};       ///< the last compute step may be extended
    std::vector<uint32_t> m_waits;
    std::vector<uint32_t> m_closing;
    std::vector<uint32_t> m_early; ///< issued before the first compute step, without waiting
};

} // namespace ns3

#endif // GPU_FABRIC_STEP_WRITER_H
