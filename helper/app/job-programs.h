/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_PROGRAMS_H
#define GPU_FABRIC_JOB_PROGRAMS_H

#include "../../model/scenario/scenario.h"
#include "../../model/workload/program/tensor-schedule.h"

#include "ns3/iteration-program.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace ns3
{

/**
 * The programs of a scenario's jobs. Each is made once to be checked and again whenever a job of it
 * is placed; in between only what results say of it is kept, as a long trace has few jobs at once.
 */
class JobPrograms
{
  public:
    /// What results say of a program.
    struct Figures
    {
        double flop{0};            ///< W of an iteration [FLOP]
        uint64_t gradientBytes{0}; ///< [byte]
    };

    /// Makes the program of a job unless one of the same number was made. \returns whether it is
    /// good; what is wrong goes to the diagnostics
    bool Check(const JobSpec& spec, Diagnostics& diagnostics);
    /// Of the program of a job that has been checked.
    const Figures& Get(const JobSpec& spec) const;
    /// The program of a job that has been checked. \param options of tensors, where gradients that
    /// can be are such
    static IterationProgram Make(const JobSpec& spec,
                                 const std::optional<TensorProgramOptions>& options);
    /// The same, to be called later.
    static std::function<IterationProgram(const JobSpec&)> GetMaker(
        const std::optional<TensorProgramOptions>& options);

  private:
    std::map<uint32_t, Figures> m_figures; ///< by JobSpec::program
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_PROGRAMS_H
