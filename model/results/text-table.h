/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEXT_TABLE_H
#define GPU_FABRIC_TEXT_TABLE_H

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// A table of text with aligned columns, a header and a rule below it.
class TextTable
{
  public:
    /// Adds a column. \param right aligns numbers; names are aligned on the left
    void AddColumn(const std::string& header, bool right = true);
    /// Adds a row; omitted cells are empty.
    void AddRow(const std::vector<std::string>& cells);
    /// Prints it, indented by two spaces, without trailing spaces.
    void Print(std::ostream& os) const;

    /// "-" for no value. \param digits after the decimal point
    static std::string Number(const std::optional<double>& value, int digits);
    /// With its sign, even if positive.
    static std::string Change(const std::optional<double>& value, int digits);
    /// With commas as thousands separators.
    static std::string Count(int64_t value);
    /// Wraps text to lines of at most 100 characters, if its words allow; all but the first are
    /// indented.
    static std::string Wrap(const std::string& text);

  private:
    struct Column
    {
        std::string header;
        bool right{true};
    };

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace ns3

#endif // GPU_FABRIC_TEXT_TABLE_H
