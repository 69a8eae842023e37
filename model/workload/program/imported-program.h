/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_IMPORTED_PROGRAM_H
#define GPU_FABRIC_IMPORTED_PROGRAM_H

#include "../job-spec.h"
#include "iteration-program.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * Builds the iteration program of a job whose iteration was imported from a file. Groups run their
 * collectives as `collective:` specifies, by default on rings; groups with an all-to-all use
 * AutoCollective. Compute times that the file does not give are estimated by GpuRoofline.
 */
class ImportedProgram
{
  public:
    /**
     * \param job with a workload; its `scale`, `channels`, `flop`, `gpu` and
     * `precision` apply
     * \param error one sentence, if nothing is returned
     */
    static std::optional<IterationProgram> Build(const JobSpec& job, std::string& error);
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORTED_PROGRAM_H
