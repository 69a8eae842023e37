/* SPDX-License-Identifier: GPL-2.0-only */
#include "diagnostics.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <tuple>

namespace ns3
{

namespace
{

constexpr std::size_t SHOWN_WIDTH = 100; ///< maximum characters shown of a line
constexpr std::size_t SHOWN_NAMES = 40;  ///< maximum names shown of a list

/// Length of the UTF-8 character at text[i], or 0 if there is none.
std::size_t
CharacterLength(const std::string& text, std::size_t i)
{
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    for (std::size_t k = 1; k < length; k++)
    {
        if (i + k >= text.size() || (static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80)
        {
            return 0;
        }
    }
    return length;
}

/**
 * Splits text into characters that are safe to show: control characters and bytes that are not
 * UTF-8 become "?", a tab becomes a space, so that a hostile file cannot drive the terminal and the
 * caret stays aligned.
 * \param stop a byte offset; position is set to the number of characters before it
 */
std::vector<std::string>
ShownCharacters(const std::string& text, std::size_t stop, std::size_t& position)
{
    std::vector<std::string> characters;
    position = 0;
    for (std::size_t i = 0; i < text.size();)
    {
        position += i < stop ? 1 : 0;
        const std::size_t length = CharacterLength(text, i);
        const auto lead = static_cast<unsigned char>(text[i]);
        if (length == 0 || lead < 0x20 || lead == 0x7F ||
            (lead == 0xC2 && length == 2 && static_cast<unsigned char>(text[i + 1]) < 0xA0))
        {
            characters.emplace_back(lead == '\t' || lead == '\n' ? " " : "?");
        }
        else
        {
            characters.push_back(text.substr(i, length));
        }
        i += std::max<std::size_t>(length, 1);
    }
    return characters;
}

std::string
Shown(const std::string& text)
{
    std::size_t position = 0;
    const auto characters = ShownCharacters(text, 0, position);
    return std::accumulate(characters.begin(), characters.end(), std::string());
}

/// Line number line of text, counted from 1.
std::string
GetLine(const std::string& text, int line)
{
    std::size_t begin = 0;
    for (int i = 1; i < line; i++)
    {
        begin = text.find('\n', begin);
        if (begin == std::string::npos)
        {
            return "";
        }
        begin++;
    }
    std::string result = text.substr(begin, text.find('\n', begin) - begin);
    if (!result.empty() && result.back() == '\r')
    {
        result.pop_back();
    }
    return result;
}

/// Edit distance (insert, delete, replace, swap neighbours) between two words; case counts half.
double
EditDistance(const std::string& a, const std::string& b)
{
    std::vector<std::vector<double>> d(a.size() + 1, std::vector<double>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); i++)
    {
        for (std::size_t j = 0; j <= b.size(); j++)
        {
            if (i == 0 || j == 0)
            {
                d[i][j] = static_cast<double>(i + j);
                continue;
            }
            const auto x = static_cast<unsigned char>(a[i - 1]);
            const auto y = static_cast<unsigned char>(b[j - 1]);
            const double replace = x == y ? 0 : std::tolower(x) == std::tolower(y) ? 0.25 : 1;
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

} // namespace

void
Diagnostics::AddSource(const std::string& file, const std::string& text)
{
    if (FindSource(file) == nullptr)
    {
        m_sources.emplace_back(file, text);
    }
}

void
Diagnostics::Error(const SourceMark& mark, const std::string& path, const std::string& what)
{
    m_messages.push_back({mark, path.empty() ? what : path + ": " + what});
    m_errors++;
}

void
Diagnostics::Warning(const SourceMark& mark, const std::string& path, const std::string& what)
{
    m_messages.push_back({mark, "warning: " + (path.empty() ? what : path + ": " + what)});
}

void
Diagnostics::Merge(const std::vector<Variant>& variants)
{
    /// A message and the variants that have it.
    struct Found
    {
        Message message;
        std::size_t first;
        std::size_t last;
        std::size_t count;
    };

    std::vector<Found> all;
    for (std::size_t i = 0; i < variants.size(); i++)
    {
        for (const auto& [file, text] : variants[i].diagnostics.m_sources)
        {
            if (FindSource(file) == nullptr)
            {
                AddSource(file, text);
            }
        }
        for (const Message& message : variants[i].diagnostics.m_messages)
        {
            const auto same = std::find_if(all.begin(), all.end(), [&message](const Found& found) {
                const SourceMark& mark = found.message.mark;
                return found.message.text == message.text && mark.file == message.mark.file &&
                       mark.line == message.mark.line && mark.column == message.mark.column;
            });
            if (same == all.end())
            {
                all.push_back({message, i, i, 1});
            }
            else if (same->last != i)
            {
                same->last = i;
                same->count++;
            }
        }
        m_errors += variants[i].diagnostics.m_errors;
    }
    for (Found& found : all)
    {
        if (found.count < variants.size())
        {
            found.message.text += ": in " + variants[found.first].name;
            found.message.text +=
                found.count == 1 ? "" : " and " + std::to_string(found.count - 1) + " more";
        }
        m_messages.push_back(found.message);
    }
}

std::vector<std::pair<SourceMark, std::string>>
Diagnostics::GetLocatedErrors() const
{
    std::vector<std::pair<SourceMark, std::string>> errors;
    for (const Message& message : m_messages)
    {
        if (message.text.compare(0, 9, "warning: ") != 0)
        {
            errors.emplace_back(SourceMark{message.mark.file,
                                           std::max(message.mark.line, 1),
                                           std::max(message.mark.column, 1)},
                                message.text);
        }
    }
    return errors;
}

std::vector<std::string>
Diagnostics::GetErrors() const
{
    std::vector<std::string> errors;
    for (const auto& [mark, text] : GetLocatedErrors())
    {
        errors.push_back(mark.file + ":" + std::to_string(mark.line) + ":" +
                         std::to_string(mark.column) + ": " + text);
    }
    return errors;
}

void
Diagnostics::Print(std::ostream& os) const
{
    // Files in the order in which they were read, so that the one named by the user comes first.
    const auto order = [this](const Message& message) {
        const auto source =
            std::find_if(m_sources.begin(), m_sources.end(), [&message](const auto& entry) {
                return entry.first == message.mark.file;
            });
        return std::make_tuple(source - m_sources.begin(),
                               message.mark.file,
                               message.mark.line,
                               message.mark.column);
    };
    std::vector<Message> messages = m_messages;
    std::stable_sort(messages.begin(),
                     messages.end(),
                     [&order](const Message& a, const Message& b) { return order(a) < order(b); });
    for (std::size_t i = 0; i < messages.size(); i++)
    {
        const Message& message = messages[i];
        bool repeated = false;
        for (std::size_t j = i; j > 0 && order(messages[j - 1]) == order(message); j--)
        {
            repeated = repeated || messages[j - 1].text == message.text;
        }
        if (repeated)
        {
            continue;
        }
        const SourceMark& mark = message.mark;
        os << Shown(mark.file);
        if (mark.line > 0)
        {
            const std::string* source = FindSource(mark.file);
            std::size_t position = mark.column > 0 ? mark.column - 1 : 0;
            if (source != nullptr)
            {
                ShownCharacters(GetLine(*source, mark.line), position, position);
            }
            os << ":" << mark.line;
            if (mark.column > 0)
            {
                os << ":" << position + 1;
            }
        }
        os << (mark.file.empty() ? "" : ": ") << Shown(message.text) << "\n";
        PrintLine(os, mark);
    }
}

void
Diagnostics::PrintLine(std::ostream& os, const SourceMark& mark) const
{
    const std::string* source = FindSource(mark.file);
    if (source == nullptr || mark.line <= 0)
    {
        return;
    }
    std::size_t position = 0;
    const auto characters = ShownCharacters(GetLine(*source, mark.line),
                                            mark.column > 0 ? mark.column - 1 : 0,
                                            position);
    // For a long line, the part around the caret.
    std::size_t begin = 0;
    if (characters.size() > SHOWN_WIDTH && position > SHOWN_WIDTH / 2)
    {
        begin = std::min(position - SHOWN_WIDTH / 2, characters.size() - SHOWN_WIDTH);
    }
    const std::size_t end = std::min(characters.size(), begin + SHOWN_WIDTH);
    const std::string number = std::to_string(mark.line);
    std::string shown = begin > 0 ? "..." : "";
    std::size_t caret = shown.size() + std::min(position, end) - begin;
    for (std::size_t i = begin; i < end; i++)
    {
        shown += characters[i];
    }
    shown += end < characters.size() ? "..." : "";
    shown.erase(shown.find_last_not_of(' ') + 1);
    os << " " << number << " |" << (shown.empty() ? "" : " ") << shown << "\n";
    if (mark.column > 0)
    {
        os << " " << std::string(number.size(), ' ') << " | " << std::string(caret, ' ') << "^\n";
    }
}

const std::string*
Diagnostics::FindSource(const std::string& file) const
{
    for (const auto& source : m_sources)
    {
        if (source.first == file)
        {
            return &source.second;
        }
    }
    return nullptr;
}

std::string
Diagnostics::Nearest(const std::string& word, const std::vector<std::string>& candidates)
{
    if (word.empty() || word.size() > 200)
    {
        return "";
    }
    // For one or two letters, replacing a letter makes a different name.
    double least = word.size() < 3 ? 0.5 : std::max(1.0, 0.4 * static_cast<double>(word.size()));
    std::string nearest;
    bool ambiguous = false; // "host9" is as near to every other host
    for (const std::string& candidate : candidates)
    {
        const auto difference = static_cast<double>(std::max(word.size(), candidate.size()) -
                                                    std::min(word.size(), candidate.size()));
        double distance = 0;
        if (word.size() >= 3 && candidate.compare(0, word.size(), word) == 0)
        {
            distance = 0.5 + difference / 1000; // the beginning of a longer name: "batch"
        }
        else if (difference > least)
        {
            continue;
        }
        else
        {
            distance = EditDistance(word, candidate);
        }
        if (distance < least || (distance == least && nearest.empty()))
        {
            least = distance;
            nearest = candidate;
            ambiguous = false;
        }
        else if (distance == least && candidate != nearest)
        {
            ambiguous = true;
        }
    }
    return ambiguous ? "" : nearest;
}

std::string
Diagnostics::Unknown(const std::string& kind,
                     const std::string& word,
                     std::vector<std::string> candidates)
{
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const std::string nearest = Nearest(word, candidates);
    std::string result = "unknown " + kind + " " + Quote(word);
    result += nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?";
    if (candidates.empty())
    {
        return result + ": there are none";
    }
    result += nearest.empty() ? "; valid " : " Valid ";
    result += kind + "s: ";
    for (std::size_t i = 0; i < std::min(candidates.size(), SHOWN_NAMES); i++)
    {
        result += (i == 0 ? "" : ", ") + candidates[i];
    }
    if (candidates.size() > SHOWN_NAMES)
    {
        result += " and " + std::to_string(candidates.size() - SHOWN_NAMES) + " more";
    }
    return result;
}

std::string
Diagnostics::Quote(const std::string& text)
{
    if (text.size() <= 60)
    {
        return "\"" + text + "\"";
    }
    return "\"" + text.substr(0, 40) + "..." + text.substr(text.size() - 12) + "\"";
}

} // namespace ns3
