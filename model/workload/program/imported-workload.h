/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_IMPORTED_WORKLOAD_H
#define GPU_FABRIC_IMPORTED_WORKLOAD_H

#include "ns3/training-options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What a kernel does, from which its time can be estimated.
struct KernelWork
{
    uint64_t operations{0}; ///< [FLOP]
    uint64_t bytes{0};      ///< read and written [byte]
};

/// What of an imported file was used: of one kind of its parts, how many.
struct ImportCount
{
    std::string source; ///< format and file
    std::string what;   ///< "collectives", "jobs", ...
    uint64_t read{0};   ///< used as the file has them
    uint64_t skipped{0};
    uint64_t estimated{0}; ///< used with a time that the file does not give
};

/// One step of an imported iteration of a rank.
struct ImportedStep
{
    ProgramStepKind kind{ProgramStepKind::COMPUTE};
    std::string label;     ///< its name in the file
    int64_t durationPs{0}; ///< of a compute step [ps]
    /// Of a compute step whose time the file does not give: ImportedProgram estimates it.
    std::optional<KernelWork> work;
    uint64_t bytes{0}; ///< the larger buffer of a rank [byte]
    uint32_t slot{0};  ///< index into the rank's list of groups
    uint32_t root{0};  ///< rank within its group: root of a broadcast or reduction, or the sender
    /// Steps that must have ended: (step, whether the one of the previous iteration is meant).
    std::vector<std::pair<uint32_t, bool>> dependencies;
};

/**
 * The steps of each rank of a job in an iteration, imported from a file of another program; a plain
 * value. Compute steps of a rank run one at a time in order. The steps of a group start in order.
 */
struct ImportedWorkload
{
    std::string format;
    std::string file;
    uint64_t digest{0}; ///< of what was read, to detect a change of the file
    uint32_t ranks{0};
    std::vector<std::vector<uint32_t>> groups;       ///< ranks in ascending order
    std::vector<std::vector<ImportedStep>> programs; ///< shared by ranks with the same steps
    std::vector<uint32_t> rankProgram;               ///< by rank
    std::vector<std::vector<uint32_t>> rankGroups;   ///< by rank: groups by slot
    uint64_t gradientBytes{0};                       ///< reduced over replicas, per rank [byte]
    /// By group: collectives that a rank runs at a time; empty: one.
    std::vector<uint32_t> depths;
    std::vector<ImportCount> counts; ///< what of the file was used

    /// Whether the time of some step is estimated from its work.
    bool HasEstimates() const
    {
        for (const std::vector<ImportedStep>& steps : programs)
        {
            for (const ImportedStep& step : steps)
            {
                if (step.work)
                {
                    return true;
                }
            }
        }
        return false;
    }
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORTED_WORKLOAD_H
