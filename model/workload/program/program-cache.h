/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROGRAM_CACHE_H
#define GPU_FABRIC_PROGRAM_CACHE_H

#include "tensor-schedule.h"
#include "training-program-builder.h"

#include "ns3/iteration-program.h"

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
 * The programs of a scenario's jobs, each built once and shared, as constants, by all who look at
 * it: the check, the estimates of placements, and the jobs that run it.
 *
 * A program depends on what a job's specification says but for name, hosts, arrival and length,
 * which JobSpec::program numbers, and on whether gradients are tensors. The last MAX_UNUSED
 * programs that were asked for are kept even if no job holds them, so that a trace of many jobs
 * takes the memory of those that run and of a few more.
 */
class ProgramCache
{
  public:
    /// What results say of a program.
    struct Figures
    {
        double flop{0};            ///< W of an iteration [FLOP]
        uint64_t gradientBytes{0}; ///< of a rank [byte]
    };

    static constexpr size_t MAX_UNUSED = 32;

    /// Gradients that can be tensors are such from now on; nothing: none are.
    void SetTensorOptions(const std::optional<TensorProgramOptions>& options);
    /**
     * Checks the program of a job, unless one of the same number was found good.
     * \param faults gets what is wrong
     * \returns whether it is good
     */
    bool Check(const JobSpec& spec, std::vector<ProgramFault>& faults);
    /// Of the program of a job that has been checked; aborts where it has not been.
    const Figures& GetFigures(const JobSpec& spec) const;
    /// The program that a job runs. Aborts where it cannot be built.
    std::shared_ptr<const IterationProgram> Get(const JobSpec& spec);

    /// Programs that were built so far, for tests.
    uint64_t GetBuildCount() const
    {
        return m_builds;
    }

  private:
    /// JobSpec::program, and whether gradients are tensors.
    using Key = std::pair<uint32_t, bool>;

    /// The program of a key, built where nobody holds it; null: faults say why.
    std::shared_ptr<const IterationProgram> Find(const JobSpec& spec,
                                                 bool tensors,
                                                 std::vector<ProgramFault>& faults);

    std::optional<TensorProgramOptions> m_tensors;
    std::map<Key, std::weak_ptr<const IterationProgram>> m_programs;
    std::deque<std::shared_ptr<const IterationProgram>> m_recent; ///< the oldest first
    std::map<uint32_t, Figures> m_figures;                        ///< by JobSpec::program
    uint64_t m_builds{0};
};

} // namespace ns3

#endif // GPU_FABRIC_PROGRAM_CACHE_H
