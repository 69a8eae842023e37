/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DIAGNOSTICS_H
#define GPU_FABRIC_DIAGNOSTICS_H

#include "source-mark.h"

#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Collects every problem in a user's input, so that all are shown at once.
 *
 * A message reads `file:line:column: path: what is wrong`, followed by the line and a caret.
 * Columns of marks count bytes; displayed columns count characters. Repeated messages are shown
 * once. The first 20 errors are shown, and the first 20 warnings; a line counts the others.
 */
class Diagnostics
{
  public:
    /// Remembers the text of a file, so that the line can be shown.
    void AddSource(const std::string& file, const std::string& text);

    /// Whether it remembers the text of a file.
    bool HasSource(const std::string& file) const
    {
        return FindSource(file) != nullptr;
    }

    /// Adds an error. \param path e.g. "jobs[1].gpus" \param what one sentence without a full stop
    void Error(const SourceMark& mark, const std::string& path, const std::string& what);
    /// Adds a warning, printed but not fatal.
    void Warning(const SourceMark& mark, const std::string& path, const std::string& what);

    bool HasErrors() const
    {
        return m_errors > 0;
    }

    /// The findings in one of several variants of the same input.
    struct Variant;

    /// Adds the messages of variants. A message that not all of them have is labelled with the name
    /// of the first variant that has it and the number of others that do.
    void Merge(const std::vector<Variant>& variants);

    /// Errors added so far, repeated ones counted.
    int GetErrorCount() const
    {
        return m_errors;
    }

    /// The errors as "file:line:column: path: what", in the order in which they were added.
    std::vector<std::string> GetErrors() const;
    /// The errors with their places, lines and columns counted from 1, as GetErrors().
    std::vector<std::pair<SourceMark, std::string>> GetLocatedErrors() const;
    /// Prints all messages, ordered by file, line and column.
    void Print(std::ostream& os) const;

    /// The candidate nearest to word by edit distance, or "" if none is close.
    static std::string Nearest(const std::string& word, const std::vector<std::string>& candidates);
    /**
     * The sentence for an unknown name: `unknown key "gpu", did you mean "gpus"? Valid keys: ...`,
     * with the candidates sorted and a long list cut.
     * \param kind what the name denotes, e.g. "key"; "s" is added for the list
     */
    static std::string Unknown(const std::string& kind,
                               const std::string& word,
                               std::vector<std::string> candidates);
    /// The text in quotes, shortened in the middle if it is long.
    static std::string Quote(const std::string& text);

  private:
    struct Message
    {
        SourceMark mark;
        std::string text;
    };

    /// File, line, column and text: equal for a repeated message.
    using MessageKey = std::tuple<std::string, int, int, std::string>;

    static MessageKey MakeKey(const Message& message);

    /// Prints the line of a mark and a caret below.
    void PrintLine(std::ostream& os, const SourceMark& mark) const;
    /// Text of a file, or nullptr.
    const std::string* FindSource(const std::string& file) const;

    std::vector<Message> m_messages;
    std::vector<std::pair<std::string, std::string>> m_sources;
    int m_errors{0};
};

struct Diagnostics::Variant
{
    std::string name; ///< for messages, e.g. "point 3 (topology.Uplinks=8)"
    Diagnostics diagnostics;
};

} // namespace ns3

#endif // GPU_FABRIC_DIAGNOSTICS_H
