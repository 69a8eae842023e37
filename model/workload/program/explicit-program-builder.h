/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_EXPLICIT_PROGRAM_BUILDER_H
#define GPU_FABRIC_EXPLICIT_PROGRAM_BUILDER_H

#include "../job-spec.h"
#include "iteration-program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

struct ProgramFault;

/**
 * Builds the program of an explicit `iteration:`. Its steps run one after the other on every rank,
 * except that message steps run only on the two ranks involved. Ranks without messages share a
 * program.
 */
class ExplicitProgramBuilder
{
  public:
    /**
     * \param job the job of the scenario
     * \param gpus number of its ranks
     * \param faults what is wrong, if nothing is returned
     */
    static std::optional<IterationProgram> Build(const JobSpec& job,
                                                 uint32_t gpus,
                                                 std::vector<ProgramFault>& faults);

  private:
    ExplicitProgramBuilder(const JobSpec& job, uint32_t gpus);

    /// Reads the steps of all ranks, with communicators referred to directly.
    bool ReadSteps(std::vector<ProgramFault>& faults);
    bool CheckRanks(const ProgramStepSpec& spec, size_t index, std::vector<ProgramFault>& faults);
    /// The communicator of the given ranks. \param algorithm of its collectives, unless the job
    /// sets one
    uint32_t FindCommunicator(const std::vector<uint32_t>& ranks, const std::string& algorithm);
    bool IsMember(uint32_t rank, uint32_t communicator) const;
    /// The steps of a rank.
    RankProgram MakeProgram(uint32_t rank) const;

    const JobSpec& m_job;
    uint32_t m_gpus;
    std::vector<uint32_t> m_all;
    IterationProgram m_program;
    std::vector<ProgramStep> m_steps;
    uint64_t m_computePs{0};
    uint64_t m_bytes{0};
    bool m_messages{false};
};

} // namespace ns3

#endif // GPU_FABRIC_EXPLICIT_PROGRAM_BUILDER_H
