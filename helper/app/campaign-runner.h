/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_RUNNER_H
#define GPU_FABRIC_CAMPAIGN_RUNNER_H

#include "campaign-plan.h"
#include "process-pool.h"
#include "program-facts.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Options of the command line.
struct CampaignRunnerOptions
{
    std::string scenario;                ///< file with a sweep
    std::string folder;                  ///< where to write results
    std::string program;                 ///< path of the program that runs a point
    uint32_t parallel{1};                ///< processes at a time
    bool overwrite{false};               ///< rerun finished points
    bool check{false};                   ///< only check and list the points
    bool quiet{false};                   ///< no progress, no table
    bool solo{false};                    ///< also run each job alone
    std::vector<std::string> attributes; ///< set on the command line, "ns3::Class::Attribute"
    std::vector<std::string> others;     ///< StrictCommandLine::GetOthers()
};

/**
 * Runs a sweep: runs each point that has no result yet in a process of its own, then merges all
 * results into one database.
 *
 * In the folder, `runs/ID.sqlite` is the result of the point with that run id; it exists once the
 * run has succeeded, so that repeating the command resumes an interrupted sweep. `runs/ID.made-by`
 * are the facts of the program that made it: a result of another program is made again.
 * `runs/ID.stderr` is the standard error of a run, `solo/` keeps the results of jobs that ran
 * alone, by program, `campaign.sqlite` is the merged database, with runs numbered in grid order.
 */
class CampaignRunner
{
  public:
    /// Exit statuses, in addition to those of ScenarioRunner.
    static constexpr int SOME_FAILED = 1;

    CampaignRunner(std::ostream& out, std::ostream& err);
    /// \returns the exit status
    int Run(const CampaignRunnerOptions& options);
    /**
     * Prints the comparison of a database.
     * \param database file
     * \param axis what is compared: "scheduler", or another axis of the sweep
     * \param figure a figure of v_run_figure, in one table of all combinations; empty: all figures
     * \param job with a figure: a job; empty: of all jobs
     * \returns the exit status
     */
    int Compare(const std::string& database,
                const std::string& axis,
                const std::string& figure,
                const std::string& job);

  private:
    /// A point that has failed, and why.
    struct Failure
    {
        size_t point;
        std::string message;
    };

    std::string GetPath(const std::string& runId, const std::string& ending) const;
    bool HasResult(const CampaignPlan::Point& point) const;
    /// Why the result of a point is made again, "the program has changed"; "": it is not, or there
    /// is none.
    std::string GetChange(const CampaignPlan::Point& point) const;
    bool IsFinished(const CampaignPlan::Point& point) const;
    /// Reads what results depend on besides the plan.
    void ReadFacts(const CampaignPlan& plan);
    /// The cost of points that are run.
    static RunCost SumCosts(const CampaignPlan& plan, const std::vector<size_t>& points);
    /// Says which points are run again, and why.
    void SayChanges(const CampaignPlan& plan, const std::vector<size_t>& points) const;
    void List(const CampaignPlan& plan) const;
    /// Runs points. \returns the signal that ended the sweep; 0: none
    int RunPoints(const CampaignPlan& plan,
                  const std::vector<size_t>& points,
                  const CampaignRunnerOptions& options);
    /// Checks the result of a run and adds it. \returns what is wrong; "": nothing
    std::string Take(const CampaignPlan::Point& point, int status) const;
    /// \returns the exit status
    int Merge(const CampaignPlan& plan, const CampaignRunnerOptions& options);

    std::ostream& m_out;
    std::ostream& m_err;
    std::string m_folder;
    ProgramFacts m_facts;
    std::vector<Failure> m_failures;
};

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_RUNNER_H
