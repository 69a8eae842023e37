/* SPDX-License-Identifier: GPL-2.0-only */
#include "import-csv.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

ImportCsv::ImportCsv(ImportText& text)
    : m_text(text)
{
}

bool
ImportCsv::Split()
{
    const std::string& line = m_text.GetLine();
    m_cells.clear();
    for (std::size_t i = 0; i <= line.size();)
    {
        ImportWord cell{"", static_cast<int>(i) + 1};
        if (i < line.size() && line[i] == '"')
        {
            for (i++; i < line.size() && (line[i] != '"' || line.compare(i, 2, "\"\"") == 0); i++)
            {
                i += line[i] == '"' ? 1 : 0;
                cell.text += line[i];
            }
            if (i == line.size() || (i + 1 < line.size() && line[i + 1] != m_separator))
            {
                m_text.Error(cell.column,
                             i == line.size() ? "the quote is not closed"
                                              : "text follows the closing quote");
                return false;
            }
            i++;
        }
        else
        {
            const std::size_t end = std::min(line.find(m_separator, i), line.size());
            cell.text = line.substr(i, end - i);
            i = end;
        }
        m_cells.push_back(cell);
        i++;
    }
    return true;
}

bool
ImportCsv::ReadHeader(const std::vector<std::string>& columns)
{
    static const std::string mark = "\xEF\xBB\xBF"; // byte order
    if (!m_text.Next())
    {
        m_text.FileError("the file is empty");
        return false;
    }
    const std::string& header = m_text.GetLine();
    if (header.find(',') == std::string::npos && header.find('|') != std::string::npos)
    {
        m_separator = '|';
    }
    if (!Split())
    {
        return false;
    }
    for (const ImportWord& cell : m_cells)
    {
        const std::string name = cell.text.compare(0, mark.size(), mark) == 0
                                     ? cell.text.substr(mark.size())
                                     : cell.text;
        if (!name.empty() && std::find(m_names.begin(), m_names.end(), name) != m_names.end())
        {
            m_text.Error(cell.column, "column " + Diagnostics::Quote(name) + " is there twice");
            return false;
        }
        m_names.push_back(name);
    }
    std::string missing;
    for (const std::string& column : columns)
    {
        if (std::find(m_names.begin(), m_names.end(), column) == m_names.end())
        {
            missing += (missing.empty() ? "" : ", ") + column;
        }
    }
    if (!missing.empty())
    {
        std::string known;
        for (const std::string& name : m_names)
        {
            known += (known.empty() ? "" : ", ") + name;
        }
        m_text.Error(1,
                     "the first line must name the columns; missing: " + missing +
                         "; there are: " + known);
    }
    return missing.empty();
}

bool
ImportCsv::Next()
{
    while (m_text.Next())
    {
        if (m_text.GetLine().find_first_not_of(" \t") == std::string::npos || !Split())
        {
            continue;
        }
        if (m_cells.size() == m_names.size())
        {
            return true;
        }
        m_text.Error(1,
                     "the row has " + std::to_string(m_cells.size()) + " cells for " +
                         std::to_string(m_names.size()) + " columns");
    }
    return false;
}

const ImportWord&
ImportCsv::Get(const std::string& column) const
{
    const auto found = std::find(m_names.begin(), m_names.end(), column);
    NS_ABORT_MSG_IF(found == m_names.end(), "no column " << column);
    return m_cells.at(static_cast<std::size_t>(found - m_names.begin()));
}

std::optional<uint64_t>
ImportCsv::GetInteger(const std::string& column, uint64_t low, uint64_t high)
{
    return m_text.GetInteger(Get(column), column, low, high);
}

std::optional<int64_t>
ImportCsv::GetTime(const std::string& column, const std::string& unit)
{
    return m_text.GetTime(Get(column), column, unit);
}

std::optional<int64_t>
ImportCsv::GetNanoseconds(const std::string& column, const std::string& unit)
{
    return m_text.GetNanoseconds(Get(column), column, unit);
}

void
ImportCsv::Error(const std::string& column, const std::string& what)
{
    m_text.Error(Get(column).column, column + ": " + what);
}

SourceMark
ImportCsv::GetMark(const std::string& column) const
{
    return m_text.GetMark(Get(column).column);
}

} // namespace ns3
