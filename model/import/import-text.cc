/* SPDX-License-Identifier: GPL-2.0-only */
#include "import-text.h"

#include "../base/unit-parser.h"

#include <algorithm>

namespace ns3
{

ImportText::ImportText(Diagnostics& diagnostics, const std::string& file, const std::string& text)
    : m_diagnostics(diagnostics),
      m_file(file),
      m_text(text)
{
    m_diagnostics.AddSource(file, text);
}

bool
ImportText::Next()
{
    if (m_position >= m_text.size() || m_errors >= MAX_ERRORS)
    {
        return false;
    }
    const std::size_t end = std::min(m_text.find('\n', m_position), m_text.size());
    m_line = m_text.substr(m_position, end - m_position);
    if (!m_line.empty() && m_line.back() == '\r')
    {
        m_line.pop_back();
    }
    m_position = end + 1;
    m_number++;
    return true;
}

std::vector<ImportWord>
ImportText::GetWords() const
{
    static const char* const blank = " \t\r\v\f";
    std::vector<ImportWord> words;
    for (auto begin = m_line.find_first_not_of(blank); begin != std::string::npos;)
    {
        const auto end = std::min(m_line.find_first_of(blank, begin), m_line.size());
        words.push_back({m_line.substr(begin, end - begin), static_cast<int>(begin) + 1});
        begin = m_line.find_first_not_of(blank, end);
    }
    return words;
}

SourceMark
ImportText::GetMark(int column) const
{
    return {m_file, m_number, column};
}

void
ImportText::Error(int column, const std::string& what)
{
    Error(GetMark(column), what);
}

void
ImportText::Error(const SourceMark& mark, const std::string& what)
{
    if (m_errors >= MAX_ERRORS)
    {
        return;
    }
    m_diagnostics.Error(mark, "", what);
    if (++m_errors == MAX_ERRORS)
    {
        m_diagnostics.Error({m_file, std::max(m_number, mark.line), 0},
                            "",
                            std::to_string(MAX_ERRORS) +
                                " errors: the rest of the file was not read");
    }
}

void
ImportText::FileError(const std::string& what)
{
    Error(SourceMark{m_file, 0, 0}, what);
}

std::optional<uint64_t>
ImportText::GetInteger(const ImportWord& word, const std::string& name, uint64_t low, uint64_t high)
{
    std::string error;
    const auto value = UnitParser::ParseUnsigned(word.text, low, high, error);
    if (!value)
    {
        Error(word.column, name + " " + error);
    }
    return value;
}

std::optional<int64_t>
ImportText::GetTime(const ImportWord& word, const std::string& name, const std::string& unit)
{
    std::string error;
    const auto value = UnitParser::ParseTime(word.text + unit, error);
    if (!value)
    {
        Error(word.column,
              name + " " + Diagnostics::Quote(word.text) + " is not a time in " + unit);
    }
    return value;
}

std::optional<int64_t>
ImportText::GetNanoseconds(const ImportWord& word, const std::string& name, const std::string& unit)
{
    // Nanoseconds of a number of milliseconds are as many as picoseconds of that number of
    // microseconds.
    const std::string smaller = unit == "s" ? "ms" : unit == "ms" ? "us" : "ns";
    std::string error;
    const auto value = UnitParser::ParseTime(word.text + smaller, error);
    if (!value)
    {
        Error(word.column,
              name + " " + Diagnostics::Quote(word.text) + " is not a time in " + unit);
    }
    return value;
}

} // namespace ns3
