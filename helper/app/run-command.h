/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_COMMAND_H
#define GPU_FABRIC_RUN_COMMAND_H

#include "scenario-runner.h"
#include "strict-command-line.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{

class MpiSession;

/**
 * The command line of gpu-fabric-run: reads it, checks that its options are compatible, and
 * executes it: runs a scenario, one point or all points of its sweep, compares the schedulers of a
 * result database, or prints the schema.
 *
 * A new option is a member, a line in AddOptions() and, if it excludes others, a line in
 * FindFault().
 */
class RunCommand
{
  public:
    static constexpr uint64_t MAX_JOBS = 1024;  ///< processes of a sweep at a time
    static constexpr uint64_t MAX_THREADS = 64; ///< threads that simulate a network

    /**
     * \param program the name of the program, for its help
     * \param out receives tables and the schema
     * \param err receives messages
     */
    RunCommand(const std::string& program, std::ostream& out, std::ostream& err);

    /**
     * Call once per object. Ends the program after --help, --version or one of the --Print options.
     * \returns the exit status: of ScenarioRunner or CampaignRunner; BAD_INPUT if an argument is
     * wrong
     */
    int Run(int argc, char* argv[]);

  private:
    void AddOptions();
    /// \returns why the options are incompatible; "" if they are not
    std::string FindFault() const;
    /// Derives options that were not given from others.
    void Complete();
    int RunSweep() const;
    /// Runs the scenario on several ranks, as rank 0 or as another one.
    int RunRank(const MpiSession& mpi);

    std::ostream& m_out;
    std::ostream& m_err;
    StrictCommandLine m_cmd;
    ScenarioRunnerOptions m_options;
    bool m_printSchema{false};
    bool m_printResults{false};
    bool m_printReference{false};
    bool m_sweep{false};
    uint64_t m_jobs;            ///< processes of a sweep at a time
    std::string m_threads{"1"}; ///< threads that simulate a network: a number, or "auto"
    uint64_t m_point{0};        ///< of a sweep, from 1
    std::string m_compare;      ///< result database
    std::string m_axis{"scheduler"};
    std::string m_figure;
    std::string m_job;
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_COMMAND_H
