/* SPDX-License-Identifier: GPL-2.0-only */
#include "text-table.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace ns3
{

void
TextTable::AddColumn(const std::string& header, bool right)
{
    m_columns.push_back({header, right});
}

void
TextTable::AddRow(const std::vector<std::string>& cells)
{
    NS_ABORT_MSG_IF(cells.size() > m_columns.size(), "more cells than columns");
    m_rows.push_back(cells);
    m_rows.back().resize(m_columns.size());
}

void
TextTable::Print(std::ostream& os) const
{
    std::vector<size_t> widths;
    for (size_t column = 0; column < m_columns.size(); ++column)
    {
        size_t width = m_columns[column].header.size();
        for (const auto& row : m_rows)
        {
            width = std::max(width, row[column].size());
        }
        widths.push_back(width);
    }
    const auto print = [&](const auto& getCell) {
        std::string line;
        for (size_t column = 0; column < m_columns.size(); ++column)
        {
            const std::string cell = getCell(column);
            const std::string pad(widths[column] - cell.size(), ' ');
            line += "  " + (m_columns[column].right ? pad + cell : cell + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        os << line << '\n';
    };
    print([&](size_t column) { return m_columns[column].header; });
    print([&](size_t column) { return std::string(widths[column], '-'); });
    for (const auto& row : m_rows)
    {
        print([&](size_t column) { return row[column]; });
    }
}

std::string
TextTable::Number(const std::optional<double>& value, int digits)
{
    if (!value)
    {
        return "-";
    }
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", digits, *value);
    return text;
}

std::string
TextTable::Change(const std::optional<double>& value, int digits)
{
    if (!value)
    {
        return "-";
    }
    char text[64];
    std::snprintf(text, sizeof(text), "%+.*f", digits, *value);
    const std::string number = text;
    // "-0.0" and "+0.0" would indicate a sign that the digits do not show.
    return number.find_first_of("123456789") == std::string::npos ? number.substr(1) : number;
}

std::string
TextTable::Count(int64_t value)
{
    std::string digits = std::to_string(value);
    const size_t first = digits[0] == '-' ? 2 : 1; // a comma follows at least one digit
    for (size_t at = digits.size(); at > first + 2; at -= 3)
    {
        digits.insert(at - 3, ",");
    }
    return digits;
}

std::string
TextTable::Wrap(const std::string& text)
{
    constexpr size_t WIDTH = 100;
    std::istringstream words(text);
    std::string lines;
    size_t length = 0;
    for (std::string word; words >> word;)
    {
        if (length > 0 && length + 1 + word.size() > WIDTH)
        {
            lines += "\n ";
            length = 1;
        }
        lines += (length > 0 ? " " : "") + word;
        length += (length > 0 ? 1 : 0) + word.size();
    }
    return lines + "\n";
}

} // namespace ns3
