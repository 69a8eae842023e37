/* SPDX-License-Identifier: GPL-2.0-only */
#include "diagnostics.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace ns3
{

namespace
{

constexpr std::size_t SHOWN_WIDTH = 100;   ///< maximum characters shown of a line
constexpr std::size_t SHOWN_NAMES = 40;    ///< maximum names shown of a list
constexpr std::size_t SHOWN_MESSAGES = 20; ///< maximum errors shown, and warnings; others count

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

bool
IsWarning(const std::string& text)
{
    return text.compare(0, 9, "warning: ") == 0;
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

Diagnostics::MessageKey
Diagnostics::MakeKey(const Message& message)
{
    return {message.mark.file, message.mark.line, message.mark.column, message.text};
}

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
    std::map<MessageKey, std::size_t> known; // index into all
    for (std::size_t i = 0; i < variants.size(); i++)
    {
        for (const auto& [file, text] : variants[i].diagnostics.m_sources)
        {
            AddSource(file, text);
        }
        for (const Message& message : variants[i].diagnostics.m_messages)
        {
            const auto [same, isNew] = known.emplace(MakeKey(message), all.size());
            if (isNew)
            {
                all.push_back({message, i, i, 1});
            }
            else if (all[same->second].last != i)
            {
                all[same->second].last = i;
                all[same->second].count++;
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
        if (!IsWarning(message.text))
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
    std::map<std::string, std::size_t> files;
    for (const auto& source : m_sources)
    {
        files.emplace(source.first, files.size());
    }
    std::vector<std::pair<std::size_t, const Message*>> messages; // without repeated ones
    std::set<MessageKey> known;
    for (const Message& message : m_messages)
    {
        if (known.insert(MakeKey(message)).second)
        {
            const auto file = files.find(message.mark.file);
            messages.emplace_back(file == files.end() ? files.size() : file->second, &message);
        }
    }
    std::stable_sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
        const SourceMark& x = a.second->mark;
        const SourceMark& y = b.second->mark;
        return std::tie(a.first, x.file, x.line, x.column) <
               std::tie(b.first, y.file, y.line, y.column);
    });
    std::size_t errors = 0;
    std::size_t warnings = 0;
    for (const auto& [file, pointer] : messages)
    {
        const Message& message = *pointer;
        if (++(IsWarning(message.text) ? warnings : errors) > SHOWN_MESSAGES)
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
    if (errors > SHOWN_MESSAGES)
    {
        os << "and " << errors - SHOWN_MESSAGES << " more errors\n";
    }
    if (warnings > SHOWN_MESSAGES)
    {
        os << "and " << warnings - SHOWN_MESSAGES << " more warnings\n";
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
