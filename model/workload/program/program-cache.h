/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROGRAM_CACHE_H
#define GPU_FABRIC_PROGRAM_CACHE_H

#include "iteration-program.h"
#include "training-program-builder.h"

#include "ns3/tensor-schedule.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * The programs of a scenario's jobs, each built once and shared as a constant by all its users: the
 * check, the placement estimates, and the jobs that run it.
 *
 * A program depends on a job's specification except for name, hosts, arrival and length, which is
 * what JobSpec::program numbers, and on whether gradients are tensors. The MAX_UNUSED programs
 * requested last are kept even if no job holds them, so that a trace of many jobs takes only the
 * memory of the running jobs and a few more.
 */
class ProgramCache
{
  public:
    /// Figures of a program for the results.
    struct Figures
    {
        double flop{0};            ///< W of an iteration [FLOP]
        uint64_t gradientBytes{0}; ///< per rank [byte]
    };

    static constexpr size_t MAX_UNUSED = 32;

    /// From now on, gradients that can be tensors are; nothing: none are.
    void SetTensorOptions(const std::optional<TensorProgramOptions>& options);
    /**
     * Checks the program of a job, unless one with the same number has passed.
     * \param faults receives the faults
     * \returns whether it passes
     */
    bool Check(const JobSpec& spec, std::vector<ProgramFault>& faults);
    /// The figures of a job's program, which must have been checked; otherwise aborts.
    const Figures& GetFigures(const JobSpec& spec) const;
    /// The program of a job. Aborts if it cannot be built.
    std::shared_ptr<const IterationProgram> Get(const JobSpec& spec);

    /// Number of programs built so far, for tests.
    uint64_t GetBuildCount() const
    {
        return m_builds;
    }

  private:
    /// JobSpec::program, and whether gradients are tensors.
    using Key = std::pair<uint32_t, bool>;

    /// The program of a key, built if nobody holds it; null if it cannot be built, with the reasons
    /// in faults.
    std::shared_ptr<const IterationProgram> Find(const JobSpec& spec,
                                                 bool tensors,
                                                 std::vector<ProgramFault>& faults);

    std::optional<TensorProgramOptions> m_tensors;
    std::map<Key, std::weak_ptr<const IterationProgram>> m_programs;
    std::deque<std::shared_ptr<const IterationProgram>> m_recent; ///< oldest first
    std::map<uint32_t, Figures> m_figures;                        ///< by JobSpec::program
    uint64_t m_builds{0};
};

} // namespace ns3

#endif // GPU_FABRIC_PROGRAM_CACHE_H
