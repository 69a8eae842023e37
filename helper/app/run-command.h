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
 * The command line of gpu-fabric-run: reads it, judges what its options say together, and does what
 * they ask for: run a scenario, one point or all points of its sweep, compare the schedulers of a
 * result database, or print the schema.
 *
 * A new option is a member, a line of AddOptions() and, where it does not go with others, one of
 * FindFault().
 */
class RunCommand
{
  public:
    static constexpr uint64_t MAX_JOBS = 1024;  ///< processes of a sweep at a time
    static constexpr uint64_t MAX_THREADS = 64; ///< that simulate a network

    /**
     * \param program the name of the program, for its help
     * \param out where tables and the schema go
     * \param err where messages go
     */
    RunCommand(const std::string& program, std::ostream& out, std::ostream& err);

    /**
     * Once an object. Ends the program after --help, --version or one of the --Print options.
     * \returns the exit status: of ScenarioRunner or CampaignRunner; BAD_INPUT where an argument is
     * wrong
     */
    int Run(int argc, char* argv[]);

  private:
    void AddOptions();
    /// \returns what is wrong with the options together; "": nothing
    std::string FindFault() const;
    /// Takes what options that were not given follow from.
    void Complete();
    int RunSweep() const;
    /// Runs the scenario with other ranks, or is one of them.
    int RunRank(const MpiSession& mpi);

    std::ostream& m_out;
    std::ostream& m_err;
    StrictCommandLine m_cmd;
    ScenarioRunnerOptions m_options;
    bool m_printSchema{false};
    bool m_printReference{false};
    bool m_sweep{false};
    uint64_t m_jobs;       ///< processes of a sweep at a time
    uint64_t m_threads{1}; ///< that simulate a network
    uint64_t m_point{0};   ///< of a sweep, from 1
    std::string m_compare; ///< result database
    std::string m_axis{"scheduler"};
    std::string m_figure;
    std::string m_job;
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_COMMAND_H
