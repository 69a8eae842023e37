/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROGRAM_INDEX_H
#define GPU_FABRIC_PROGRAM_INDEX_H

#include "iteration-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// The program of a rank with the lookup tables that its execution needs; shared by ranks with the
/// same program.
class ProgramIndex
{
  public:
    /// \param program a valid program, must outlive this object \param communicators of the job
    ProgramIndex(const RankProgram& program, uint32_t communicators);

    const RankProgram& program;
    std::vector<uint32_t> computeSteps;                 ///< in order
    std::vector<std::vector<uint32_t>> collectiveSteps; ///< by communicator, in order
    /// By step: the steps that wait for it; `carry` ones in the next iteration.
    std::vector<std::vector<StepDependency>> dependents;
    std::vector<uint32_t> waits; ///< by step: number of its dependencies
    std::vector<uint32_t>
        firstWaits; ///< the same in iteration 0, where there are no `carry` dependencies
};

} // namespace ns3

#endif // GPU_FABRIC_PROGRAM_INDEX_H
