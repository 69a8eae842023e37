/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_DATABASE_H
#define GPU_FABRIC_CAMPAIGN_DATABASE_H

#include "result-database.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Merges the result databases of many runs into one. Its bytes depend only on its content, not on
 * the order in which the runs were made.
 */
class CampaignDatabase
{
  public:
    /// \throws as ResultDatabase does; an existing output is replaced at Finish()
    explicit CampaignDatabase(const std::string& output);

    /**
     * Copies a run.
     * \param file a finished result database with one run
     * \param run its number in this database; ascending
     * \param point its point of the grid, from 1
     * \param values (axis, value)
     * \throws ResultWriteError, also if the file is not such a database
     */
    void Add(const std::string& file,
             uint32_t run,
             uint32_t point,
             const std::vector<std::pair<std::string, std::string>>& values);

    /**
     * Gives runs that differ only in the scheduler the same measuring window
     * (RunFigures::UnifyMeasuringWindows), and creates the output.
     * \returns the rows of `invariant` whose numbers differ
     */
    std::vector<InvariantRow> Finish();

    /// The run_id of the only run of a database; "" if the file is not such a database.
    static std::string ReadRunId(const std::string& file);

  private:
    /// Copies the tables of the attached database "part".
    void CopyTables(uint32_t run);

    ResultDatabase m_database;
};

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_DATABASE_H
