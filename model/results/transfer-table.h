/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRANSFER_TABLE_H
#define GPU_FABRIC_TRANSFER_TABLE_H

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace SQLite
{
class Database;
}

namespace ns3
{

/// The part of a RunTable that shows transfers.
class TransferTable
{
  public:
    /**
     * For plain flows, prints the number of transfers and their minimum, median and maximum times,
     * of which those not completed have the longest, then the first 20; for jobs, only their number
     * and how many are not completed. Prints nothing if none were recorded.
     * \param database a result database
     * \param runs number and label of each
     * \throws std::runtime_error if the database cannot be read
     */
    static void Print(std::ostream& os,
                      SQLite::Database& database,
                      const std::vector<std::pair<int64_t, std::string>>& runs);
};

} // namespace ns3

#endif // GPU_FABRIC_TRANSFER_TABLE_H
