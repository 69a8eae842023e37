/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_STEP_WRITER_H
#define GPU_FABRIC_STEP_WRITER_H

#include "ns3/iteration-program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Writes the program of a rank as its framework would run it: computes in order, issues
 * collectives that start when what was computed and waited for before has ended, and waits for
 * some of them. Computes with nothing between them become one step.
 */
class StepWriter
{
  public:
    /// Computes. \param durationPs [ps]
    void Compute(const std::string& label, uint64_t durationPs);
    /// Issues a collective. \param slot number of the communicator \returns its step
    uint32_t Issue(const std::string& label,
                   uint32_t slot,
                   CollectiveOperation operation,
                   uint64_t bytes,
                   uint32_t root = 0);
    /// The next compute, and what is issued before it, waits for a step.
    void Wait(uint32_t step);
    /// A step waits for another of the same iteration.
    void AddDependency(uint32_t step, uint32_t on);
    /// What follows is a step of its own.
    void Cut();
    /// The next iteration starts no sooner than a step has ended.
    void Close(uint32_t step);
    /// The program; its first steps wait for what was given to Close().
    RankProgram Take();

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    RankProgram m_program;
    uint32_t m_compute{NONE}; ///< the last compute step
    bool m_open{false};       ///< it may be made longer
    std::vector<uint32_t> m_waits;
    std::vector<uint32_t> m_closing;
    std::vector<uint32_t> m_early; ///< issued before the first compute step, waiting for nothing
};

} // namespace ns3

#endif // GPU_FABRIC_STEP_WRITER_H
