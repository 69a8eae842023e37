/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_TABLE_H
#define GPU_FABRIC_RUN_TABLE_H

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace SQLite
{
class Database;
}

namespace ns3
{

/**
 * Prints the contents of a result database, from its views: jobs, cluster, transfers of plain flows
 * and the busiest links. Several runs stand side by side, each with its difference from the first.
 */
class RunTable
{
  public:
    /**
     * \param database a finished result database
     * \throws std::runtime_error if it cannot be read
     */
    explicit RunTable(const std::string& database);
    ~RunTable();

    /// \throws std::runtime_error if the database cannot be read
    void Print(std::ostream& os) const;

  private:
    struct Run;
    struct Job;
    struct Link;
    /// A figure of a run, none if unavailable.
    using Value = std::optional<double>;

    /// How a figure is shown, and its difference between runs.
    struct Figure
    {
        const char* title; ///< with its unit
        double factor;     ///< from the view's unit
        int digits;        ///< after the decimal point
        bool points;       ///< the difference in percentage points; otherwise in percent
    };

    void ReadRuns();
    void ReadJobs();
    /// Which iterations the jobs' times are means of.
    void ReadMeasured(Run& run);
    void ReadLinks();
    void PrintHead(std::ostream& os) const;
    void PrintJobs(std::ostream& os) const;
    void PrintMeasured(std::ostream& os, const std::vector<std::string>& names) const;
    void PrintCluster(std::ostream& os) const;
    void PrintLinks(std::ostream& os) const;
    void PrintInvariants(std::ostream& os) const;
    /// A table of one figure, with a row for each name and columns for each run.
    void PrintComparison(std::ostream& os,
                         const Figure& figure,
                         const std::string& nameHeader,
                         const std::vector<std::string>& names,
                         const std::vector<std::vector<Value>>& values) const;

    std::unique_ptr<SQLite::Database> m_database;
    std::vector<Run> m_runs;
    std::vector<std::string> m_jobNames; ///< of all runs, in order of first appearance
    std::vector<Link> m_links;           ///< the busiest, most utilised first
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_TABLE_H
