/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_TABLE_H
#define GPU_FABRIC_CAMPAIGN_TABLE_H

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>

namespace SQLite
{
class Database;
}

namespace ns3
{

/// Prints `v_scheduler_comparison` or `v_axis_comparison` of a result database: for each
/// combination of the other varied values, the means over seeds under each scheduler (or value of
/// another axis of the sweep) and their differences from the first one.
class CampaignTable
{
  public:
    /// \throws std::runtime_error if the database cannot be read
    explicit CampaignTable(const std::string& database);
    ~CampaignTable();

    /**
     * A table of all figures for each combination.
     * \param axis what is compared: "scheduler", or another axis of the sweep
     * \param os output stream
     * \throws std::runtime_error if the database cannot be read, or has no such axis
     */
    void Print(const std::string& axis, std::ostream& os) const;
    /**
     * One table with a line for each combination.
     * \param axis as in Print()
     * \param figure a figure of v_run_figure
     * \param job name of a job; empty: of all jobs
     * \param os output stream
     * \throws std::runtime_error if the database cannot be read, or has no such axis, figure or job
     */
    void PrintFigure(const std::string& axis,
                     const std::string& figure,
                     const std::string& job,
                     std::ostream& os) const;

  private:
    struct Comparison;
    struct Combination;

    /// Ordered by the first run of the combination.
    std::map<int64_t, Combination> Read(const std::string& axis, const std::string& job) const;
    static void PrintAll(const Combination& combination, std::ostream& os);

    std::unique_ptr<SQLite::Database> m_database;
};

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_TABLE_H
