/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_TABLE_H
#define GPU_FABRIC_CAMPAIGN_TABLE_H

#include <memory>
#include <ostream>
#include <string>

namespace SQLite
{
class Database;
}

namespace ns3
{

/// Prints `v_scheduler_comparison` of a result database: for each combination of what else was
/// varied, the schedulers' means over seeds and their differences from the first one.
class CampaignTable
{
  public:
    /// \throws std::runtime_error if the database cannot be read
    explicit CampaignTable(const std::string& database);
    ~CampaignTable();

    /// \throws std::runtime_error if the database cannot be read
    void Print(std::ostream& os) const;

  private:
    std::unique_ptr<SQLite::Database> m_database;
};

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_TABLE_H
