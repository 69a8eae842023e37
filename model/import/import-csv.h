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
 * Reads a table with named columns, comma-separated as in RFC 4180 (cells may be quoted; a line
 * break within a cell is an error), or separated by vertical bars if the header has these and no
 * comma. Blank lines are skipped.
 */
class ImportCsv
{
  public:
    /// \param text must outlive this object
    explicit ImportCsv(ImportText& text);

    /// Reads the header line; false if a column is missing or duplicated, which is reported.
    bool ReadHeader(const std::vector<std::string>& columns);
    /// Advances to the next row with as many cells as columns; other rows are reported. False at
    /// the end.
    bool Next();

    /// A cell of the row by the name of its column, which must exist. Its position counts from 1
    /// [byte].
    const ImportWord& Get(const std::string& column) const;
    /// As ImportText::GetInteger().
    std::optional<uint64_t> GetInteger(const std::string& column, uint64_t low, uint64_t high);
    /// As ImportText::GetTime().
    std::optional<int64_t> GetTime(const std::string& column, const std::string& unit);
    /// As ImportText::GetNanoseconds().
    std::optional<int64_t> GetNanoseconds(const std::string& column, const std::string& unit);
    void Error(const std::string& column, const std::string& what);
    SourceMark GetMark(const std::string& column) const;

  private:
    /// Splits the line into cells; false if a quote is not closed, which is reported.
    bool Split();

    ImportText& m_text;
    char m_separator{','};
    std::vector<std::string> m_names;
    std::vector<ImportWord> m_cells;
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORT_CSV_H
