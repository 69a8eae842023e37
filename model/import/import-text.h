/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_IMPORT_TEXT_H
#define GPU_FABRIC_IMPORT_TEXT_H

#include "../base/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A word of a line.
struct ImportWord
{
    std::string text;
    int column{0}; ///< from 1 [byte]
};

/**
 * Iterates over the lines of another program's file and reports errors in them. After MAX_ERRORS
 * errors, it reports that the rest was not read, and there are no more lines.
 */
class ImportText
{
  public:
    static constexpr int MAX_ERRORS = 20;

    /**
     * \param file name for messages
     * \param text of the file; must outlive this object
     */
    ImportText(Diagnostics& diagnostics, const std::string& file, const std::string& text);

    /// Advances to the next line; false at the end, or after too many errors.
    bool Next();

    /// The line, without its end.
    const std::string& GetLine() const
    {
        return m_line;
    }

    /// Number of the line, from 1; 0 before the first.
    int GetLineNumber() const
    {
        return m_number;
    }

    /// The words of the line, separated by blanks.
    std::vector<ImportWord> GetWords() const;
    /// A position in the line. \param column from 1 [byte]
    SourceMark GetMark(int column) const;
    /// Reports an error in the line. \param column from 1 [byte]
    void Error(int column, const std::string& what);
    /// Reports an error elsewhere in the file.
    void Error(const SourceMark& mark, const std::string& what);
    /// Reports an error of the file as a whole.
    void FileError(const std::string& what);

    /// Whether there was an error.
    bool HasErrors() const
    {
        return m_errors > 0;
    }

    /// Converts a word to an integer; reports an error and returns nothing if it is none. \param
    /// name e.g. "number of GPUs"
    std::optional<uint64_t> GetInteger(const ImportWord& word,
                                       const std::string& name,
                                       uint64_t low,
                                       uint64_t high);
    /**
     * Converts a word to a time; reports an error and returns nothing if it is none.
     * \param name e.g. "submit_time"
     * \param unit of the number: "ps", "ns", "us", "ms", "s"
     * \returns [ps]
     */
    std::optional<int64_t> GetTime(const ImportWord& word,
                                   const std::string& name,
                                   const std::string& unit);

    /**
     * As GetTime(), for times since some origin, which may lie beyond the longest simulated time.
     * \param unit of the number: "us", "ms", "s"
     * \returns [ns], at most 290 years
     */
    std::optional<int64_t> GetNanoseconds(const ImportWord& word,
                                          const std::string& name,
                                          const std::string& unit);

  private:
    Diagnostics& m_diagnostics;
    std::string m_file;
    const std::string& m_text;
    std::size_t m_position{0};
    std::string m_line;
    int m_number{0};
    int m_errors{0};
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORT_TEXT_H
