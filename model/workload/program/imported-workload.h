/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_IMPORTED_WORKLOAD_H
#define GPU_FABRIC_IMPORTED_WORKLOAD_H

#include "ns3/training-options.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// One step of an imported iteration of a rank.
struct ImportedStep
{
    ProgramStepKind kind{ProgramStepKind::COMPUTE};
    std::string label;     ///< what the file calls it
    int64_t durationPs{0}; ///< of a compute step [ps]
    uint64_t bytes{0};     ///< the larger buffer of a rank [byte]
    uint32_t slot{0};      ///< entry of the rank's list of groups
    uint32_t root{0};      ///< of its group: root of a broadcast or reduction, or the sender
    /// Steps that must have ended: (step, whether that of the previous iteration is meant).
    std::vector<std::pair<uint32_t, bool>> dependencies;
};

/**
 * What each rank of a job does in an iteration, as a file of another program tells; a plain value.
 * Compute steps of a rank run one at a time in their order, and so do the steps of a group.
 */
struct ImportedWorkload
{
    std::string format;
    std::string file;
    uint64_t digest{0}; ///< of what was read, to tell it from other contents of the file
    uint32_t ranks{0};
    std::vector<std::vector<uint32_t>> groups;       ///< ranks in ascending order
    std::vector<std::vector<ImportedStep>> programs; ///< shared by ranks that do the same
    std::vector<uint32_t> rankProgram;               ///< by rank
    std::vector<std::vector<uint32_t>> rankGroups;   ///< by rank: groups by slot
    uint64_t gradientBytes{0};                       ///< reduced over replicas, of a rank [byte]
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORTED_WORKLOAD_H
