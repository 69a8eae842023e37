/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_IMPORT_CSV_H
#define GPU_FABRIC_IMPORT_CSV_H

#include "import-text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads a table with named columns, comma-separated as RFC 4180 has it (cells may be quoted; a
 * line break within a cell is an error). Lines without text are passed over.
 */
class ImportCsv
{
  public:
    /// \param text outlives this
    explicit ImportCsv(ImportText& text);

    /// Reads the line of names; false if a column is missing or named twice, which is reported.
    bool ReadHeader(const std::vector<std::string>& columns);
    /// Goes to the next row with as many cells as names; others are reported. False at the end.
    bool Next();

    /// A cell of the row by its column, which must exist. Columns count from 1 [byte].
    const ImportWord& Get(const std::string& column) const;
    /// As ImportText::GetInteger().
    std::optional<uint64_t> GetInteger(const std::string& column, uint64_t low, uint64_t high);
    /// As ImportText::GetTime().
    std::optional<int64_t> GetTime(const std::string& column, const std::string& unit);
    void Error(const std::string& column, const std::string& what);
    SourceMark GetMark(const std::string& column) const;

  private:
    /// The cells of the line; false where a quote is not closed, which is reported.
    bool Split();

    ImportText& m_text;
    std::vector<std::string> m_names;
    std::vector<ImportWord> m_cells;
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORT_CSV_H
