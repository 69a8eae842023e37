/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_RUNNER_H
#define GPU_FABRIC_SCENARIO_RUNNER_H

#include "../../model/engine/parallel/rank-link.h"
#include "../../model/scenario/scenario.h"
#include "run-cost.h"
#include "run-parameters.h"

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

class ClusterRun;
class ProgressPrinter;
class ResultDatabase;

/// Options of the command line.
struct ScenarioRunnerOptions
{
    std::string scenario; ///< file
    std::string output;   ///< result database
    bool overwrite{false};
    bool check{false};        ///< validate only
    bool quiet{false};        ///< no progress, no table
    bool reverseNodes{false}; ///< create the ns-3 nodes in reverse order (a test of determinism)
    std::optional<uint64_t> point; ///< of the scenario's sweep, counted from 0
    /// For threads: as many as are likely to be the fastest.
    static constexpr uint32_t AUTOMATIC = 0;
    uint32_t threads{1};      ///< threads that simulate a network; results are the same
    RankLink* ranks{nullptr}; ///< link of the processes that simulate a network together, or
                              ///< null
    bool solo{false};         ///< also run each job alone, for its slowdown
    std::string soloCache;    ///< folder that keeps the results of such runs; empty: none
    int64_t seed{-1};         ///< overrides the scenario's; -1: that of the scenario
    std::vector<std::string> attributes; ///< already set, "ns3::Class::Attribute": they take
                                         ///< precedence over the scenario's
    std::vector<std::string> others;     ///< StrictCommandLine::GetOthers()
};

/**
 * Runs a scenario file: reads and checks it, runs it under each of its schedulers in turn into one
 * database, and prints the table. Only the table goes to standard output.
 */
class ScenarioRunner
{
  public:
    /// Exit statuses.
    enum Status : int
    {
        OK = 0,
        BAD_INPUT = 2, ///< the scenario is wrong, or the output exists
        VIOLATED = 3,  ///< an invariant does not hold
        WRITE_FAILED = 4,
        FAILED = 5,       ///< memory is exhausted, or an exception; what was simulated is written
        INTERRUPTED = 128 ///< plus the number of the signal; the database exists, "stopped"
    };

    ScenarioRunner(std::ostream& out, std::ostream& err);
    int Run(const ScenarioRunnerOptions& options);
    /// On a rank other than 0: simulates its logical process for Run() of rank 0, which has the
    /// same options and reports errors. Returns when that is done.
    void Serve(const ScenarioRunnerOptions& options);
    /// Version of this module.
    static std::string GetVersion();
    /// Checks a job's model or steps: ScenarioReader::ModelCheck.
    static std::string CheckModel(const JobSpec& job, std::string& key);

  private:
    /// Reads a scenario and applies the options.
    /// \returns none, with errors in the diagnostics, if something is wrong
    std::optional<Scenario> Read(const ScenarioRunnerOptions& options, Diagnostics& diagnostics);
    /// The number of threads, with a message if they are unlikely to pay.
    uint32_t ChooseThreads(const ScenarioRunnerOptions& options) const;
    /// Prints what of imported files was used, as a table.
    void PrintImports(const Scenario& scenario) const;
    /// A run under one of the scenario's schedulers, not yet built.
    std::unique_ptr<ClusterRun> MakeRun(const Scenario& scenario,
                                        size_t scheduler,
                                        const ScenarioRunnerOptions& options) const;
    /// The same, built. \returns null, with errors in the diagnostics, if that fails
    std::unique_ptr<ClusterRun> BuildRun(const Scenario& scenario,
                                         size_t scheduler,
                                         const ScenarioRunnerOptions& options) const;
    int RunChecked(const ScenarioRunnerOptions& options);
    /// Runs what is built. \returns why it has failed; "": it has not
    static std::string RunOne(ClusterRun& cluster,
                              ResultDatabase& database,
                              const RunRow& row,
                              ProgressPrinter* progress);
    /// \param first the run under the first scheduler, built
    int RunAll(const Scenario& scenario,
               const ScenarioRunnerOptions& options,
               std::unique_ptr<ClusterRun> first);

    std::ostream& m_out;
    std::ostream& m_err;
    RunParameters m_parameters;
    RunCost m_cost; ///< of a run under the first scheduler; zero: not estimated
    uint32_t m_threads{1};
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_RUNNER_H
