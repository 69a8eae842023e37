/* SPDX-License-Identifier: GPL-2.0-only */
#include "import-graph.h"
#include "import-text.h"
#include "workload-reader.h"

#include "ns3/log.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GoalWorkloadReader");

namespace
{

/// Reads one file.
class GoalParser
{
  public:
    GoalParser(ImportText& text)
        : m_text(text)
    {
    }

    /// \returns whether there is no error so far
    bool Parse()
    {
        while (!m_text.HasErrors() && NextWords())
        {
            ParseLine();
        }
        if (m_text.HasErrors())
        {
            return false;
        }
        if (m_ranks.empty() || m_rank != NONE)
        {
            m_text.FileError(m_ranks.empty() ? "num_ranks is missing"
                                             : "the file ends within the braces of a rank");
            return false;
        }
        return true;
    }

    /// \param eagerBytes the largest eager message [byte]
    std::optional<ImportedWorkload> Build(uint64_t eagerBytes)
    {
        ImportGraph graph(static_cast<uint32_t>(m_ranks.size()),
                          [this](uint32_t rank, uint32_t operation, const std::string& what) {
                              SourceMark mark = m_text.GetMark(1);
                              mark.line = m_ranks[rank].operations[operation].line;
                              mark.column = m_ranks[rank].operations[operation].column;
                              m_text.Error(mark, what);
                          });
        graph.eagerBytes = eagerBytes;
        std::map<std::string, ImportCount> counts;
        bool takesTime = false;
        for (uint32_t rank = 0; rank < m_ranks.size(); rank++)
        {
            graph.ranks[rank] = m_ranks[rank].operations;
            Resolve(m_ranks[rank], graph.ranks[rank]);
            for (const ImportOperation& operation : graph.ranks[rank])
            {
                takesTime = takesTime || operation.durationPs > 0 || operation.bytes > 0;
                counts[operation.kind == ImportOperation::Kind::COMPUTE ? "calc"
                       : operation.kind == ImportOperation::Kind::SEND  ? "send"
                                                                        : "recv"]
                    .read++;
            }
        }
        if (!takesTime)
        {
            m_text.FileError("nothing in the file takes time");
        }
        auto workload = m_text.HasErrors() ? std::nullopt : graph.Build();
        if (m_unusedOptions > 0)
        {
            counts["cpu and nic of messages"].skipped = m_unusedOptions;
        }
        for (auto& [what, count] : counts)
        {
            count.what = what;
            if (workload)
            {
                workload->counts.push_back(count);
            }
        }
        return workload;
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    struct Rank
    {
        bool given{false};
        std::vector<ImportOperation> operations;
        std::map<std::string, uint32_t> labels;
        /// By operation: the operations that must have started.
        std::map<uint32_t, std::vector<uint32_t>> starts;
    };

    /// Advances to the next line with words; comments are removed, braces are words.
    bool NextWords()
    {
        while (m_text.Next())
        {
            std::string line = m_text.GetLine();
            for (std::size_t i = 0; i < line.size(); i++)
            {
                if (m_comment)
                {
                    m_comment = line.compare(i, 2, "*/") != 0;
                    line[i] = ' ';
                    if (!m_comment)
                    {
                        line[++i] = ' ';
                    }
                }
                else if (line.compare(i, 2, "//") == 0)
                {
                    line.resize(i);
                }
                else if (line.compare(i, 2, "/*") == 0)
                {
                    m_comment = true;
                    line[i] = line[i + 1] = ' ';
                    i++;
                }
            }
            Split(line);
            if (!m_words.empty())
            {
                return true;
            }
        }
        return false;
    }

    void Split(const std::string& line)
    {
        m_words.clear();
        for (std::size_t i = 0; i < line.size();)
        {
            if (line[i] == ' ' || line[i] == '\t')
            {
                i++;
                continue;
            }
            std::size_t end = i + 1;
            if (std::string("{}:").find(line[i]) == std::string::npos)
            {
                end = std::min(line.find_first_of(" \t{}:", i), line.size());
            }
            m_words.push_back({line.substr(i, end - i), static_cast<int>(i) + 1});
            i = end;
        }
        m_next = 0;
    }

    bool AtEnd() const
    {
        return m_next == m_words.size();
    }

    int GetColumn() const
    {
        return AtEnd() ? static_cast<int>(m_text.GetLine().size()) + 1 : m_words[m_next].column;
    }

    /// The next word if there is one; otherwise reports an error that names the expected word.
    const ImportWord* Take(const std::string& wanted)
    {
        if (AtEnd())
        {
            m_text.Error(GetColumn(), "the line ends where " + wanted + " is wanted");
            return nullptr;
        }
        return &m_words[m_next++];
    }

    bool TakeIf(const std::string& word)
    {
        const bool is = !AtEnd() && m_words[m_next].text == word;
        m_next += is ? 1 : 0;
        return is;
    }

    bool Want(const std::string& word)
    {
        if (TakeIf(word))
        {
            return true;
        }
        m_text.Error(GetColumn(),
                     Diagnostics::Quote(word) + " is wanted" +
                         (AtEnd() ? "" : ", not " + Diagnostics::Quote(m_words[m_next].text)));
        return false;
    }

    std::optional<uint64_t> TakeNumber(const std::string& name,
                                       uint64_t high,
                                       const std::string& unit = "")
    {
        const ImportWord* word = Take(name);
        if (word == nullptr)
        {
            return std::nullopt;
        }
        ImportWord number = *word;
        const std::size_t digits = number.text.size() - std::min(unit.size(), number.text.size());
        if (!unit.empty() && number.text.compare(digits, unit.size(), unit) == 0)
        {
            number.text.erase(digits);
        }
        else if (!unit.empty() && !TakeIf(unit))
        {
            m_text.Error(word->column, name + " wants the unit " + unit + ", such as 10" + unit);
            return std::nullopt;
        }
        return m_text.GetInteger(number, name, 0, high);
    }

    void ParseLine()
    {
        while (!AtEnd() && !m_text.HasErrors())
        {
            const ImportWord first = m_words[m_next++];
            if (first.text == "num_ranks")
            {
                ParseRankCount(first);
            }
            else if (m_ranks.empty())
            {
                m_text.Error(first.column, "the file must begin with num_ranks");
            }
            else if (first.text == "rank")
            {
                ParseRank(first);
            }
            else if (m_rank == NONE)
            {
                m_text.Error(first.column,
                             "\"rank\" is wanted, not " + Diagnostics::Quote(first.text));
            }
            else if (first.text == "}")
            {
                m_rank = NONE;
            }
            else
            {
                ParseStatement(first);
            }
        }
    }

    void ParseRankCount(const ImportWord& first)
    {
        if (!m_ranks.empty())
        {
            m_text.Error(first.column, "num_ranks is there twice");
            return;
        }
        const auto count = TakeNumber("num_ranks", WorkloadReader::MAX_RANKS);
        if (count && *count == 0)
        {
            m_text.Error(first.column, "num_ranks must be at least 1");
        }
        m_ranks.resize(count.value_or(0));
    }

    void ParseRank(const ImportWord& first)
    {
        const auto rank = TakeNumber("the rank", m_ranks.size() - 1);
        if (!rank || !Want("{"))
        {
            return;
        }
        if (m_rank != NONE || m_ranks[*rank].given)
        {
            m_text.Error(first.column,
                         m_rank != NONE ? "the rank before is not closed by \"}\""
                                        : "rank " + std::to_string(*rank) + " is there twice");
            return;
        }
        m_rank = static_cast<uint32_t>(*rank);
        m_ranks[m_rank].given = true;
    }

    void ParseStatement(const ImportWord& first)
    {
        static const std::set<std::string> operations{"send", "recv", "calc"};
        if (operations.count(first.text) > 0)
        {
            ParseOperation(first, first);
        }
        else if (TakeIf(":"))
        {
            const ImportWord* word = Take("send, recv or calc");
            if (word == nullptr)
            {
                return;
            }
            const auto index = static_cast<uint32_t>(m_ranks[m_rank].operations.size());
            if (operations.count(word->text) == 0)
            {
                m_text.Error(
                    word->column,
                    Diagnostics::Unknown("operation", word->text, {"send", "recv", "calc"}));
            }
            else if (!m_ranks[m_rank].labels.emplace(first.text, index).second)
            {
                m_text.Error(first.column,
                             "label " + Diagnostics::Quote(first.text) +
                                 " is there twice in rank " + std::to_string(m_rank));
            }
            else
            {
                ParseOperation(*word, first);
            }
        }
        else
        {
            ParseDependency(first);
        }
    }

    void ParseOperation(const ImportWord& word, const ImportWord& label)
    {
        ImportOperation operation;
        operation.label = &word == &label ? word.text : label.text;
        operation.line = m_text.GetLineNumber();
        operation.column = label.column;
        const bool calc = word.text == "calc";
        const bool sends = word.text == "send";
        if (calc)
        {
            // Compute times are whole nanoseconds.
            const auto cost = TakeNumber("the time of calc [ns]", INT64_MAX / 1'000'000);
            operation.durationPs = static_cast<int64_t>(cost.value_or(0)) * 1000;
        }
        else
        {
            operation.kind = sends ? ImportOperation::Kind::SEND : ImportOperation::Kind::RECEIVE;
            operation.bytes = TakeNumber("the size", INT64_MAX, "b").value_or(0);
            if (m_text.HasErrors() || !Want(sends ? "to" : "from"))
            {
                return;
            }
            if (TakeIf("-1"))
            {
                m_text.Error(operation.column, "messages from any rank are not supported");
                return;
            }
            operation.peer = static_cast<uint32_t>(TakeNumber("the rank", UINT32_MAX).value_or(0));
        }
        while (!AtEnd() && !m_text.HasErrors() && m_words[m_next].text != "}")
        {
            ParseOption(operation, calc);
        }
        if (!m_text.HasErrors())
        {
            m_ranks[m_rank].operations.push_back(operation);
        }
    }

    void ParseOption(ImportOperation& operation, bool calc)
    {
        const ImportWord option = m_words[m_next++];
        if (option.text == "tag" && !calc)
        {
            if (TakeIf("-1"))
            {
                m_text.Error(option.column, "messages with any tag are not supported");
                return;
            }
            operation.tag = TakeNumber("the tag", UINT64_MAX).value_or(0);
        }
        else if (option.text == "cpu" || option.text == "nic")
        {
            const auto number = TakeNumber(option.text, UINT32_MAX);
            m_unusedOptions += calc ? 0 : 1;
            if (calc && number.value_or(0) > 0)
            {
                m_text.Error(option.column, "a rank has one stream of computations, cpu 0");
            }
        }
        else
        {
            m_text.Error(option.column,
                         Diagnostics::Unknown("option",
                                              option.text,
                                              calc
                                                  ? std::vector<std::string>{"cpu"}
                                                  : std::vector<std::string>{"cpu", "nic", "tag"}));
        }
    }

    void ParseDependency(const ImportWord& first)
    {
        const ImportWord* word = Take("\":\", requires or irequires");
        if (word == nullptr)
        {
            return;
        }
        if (word->text != "requires" && word->text != "irequires")
        {
            m_text.Error(word->column,
                         "\":\", requires or irequires is wanted, not " +
                             Diagnostics::Quote(word->text));
            return;
        }
        const bool starts = word->text == "irequires";
        const ImportWord* other = Take("a label");
        Rank& rank = m_ranks[m_rank];
        uint32_t ends[2];
        for (int i = 0; i < 2 && other != nullptr; i++)
        {
            const ImportWord& label = i == 0 ? first : *other;
            const auto found = rank.labels.find(label.text);
            if (found == rank.labels.end())
            {
                m_text.Error(label.column,
                             "no operation of rank " + std::to_string(m_rank) +
                                 " before this line is labelled " + Diagnostics::Quote(label.text));
                return;
            }
            ends[i] = found->second;
        }
        if (other == nullptr)
        {
            return;
        }
        if (ends[0] == ends[1])
        {
            m_text.Error(first.column, "an operation requires itself");
        }
        else if (starts)
        {
            rank.starts[ends[0]].push_back(ends[1]);
        }
        else
        {
            rank.operations[ends[0]].dependencies.push_back(ends[1]);
        }
    }

    /// Replaces each operation that must have started by its own dependencies, transitively.
    void Resolve(const Rank& rank, std::vector<ImportOperation>& operations)
    {
        for (const auto& [index, first] : rank.starts)
        {
            std::set<uint32_t> seen;
            std::vector<uint32_t> open = first;
            std::set<uint32_t> dependencies;
            while (!open.empty())
            {
                const uint32_t other = open.back();
                open.pop_back();
                if (!seen.insert(other).second)
                {
                    continue;
                }
                dependencies.insert(rank.operations[other].dependencies.begin(),
                                    rank.operations[other].dependencies.end());
                const auto more = rank.starts.find(other);
                if (more != rank.starts.end())
                {
                    open.insert(open.end(), more->second.begin(), more->second.end());
                }
            }
            operations[index].dependencies.insert(operations[index].dependencies.end(),
                                                  dependencies.begin(),
                                                  dependencies.end());
        }
    }

    ImportText& m_text;
    bool m_comment{false};
    std::vector<ImportWord> m_words;
    std::size_t m_next{0};
    std::vector<Rank> m_ranks;
    uint32_t m_rank{NONE};
    uint64_t m_unusedOptions{0};
};

} // namespace

/**
 * Schedules in the text form of GOAL (Hoefler, Siebert and Lumsdaine, ICPP 2009), as LogGOPSim and
 * ATLAHS use it: `num_ranks n`, then for each rank `rank r { ... }` with lines
 * `label: send 10b to 1 tag 5`, `label: recv 10b from 0 tag 5`, `label: calc 100` [ns],
 * `a requires b` (a starts after b has ended), and `a irequires b` (a starts after b has started,
 * which is taken to mean when everything that b requires has ended). Comments are as in C.
 *
 * cpu and nic of messages are not used. Computations of one rank run one at a time, so a cpu other
 * than 0 is an error, as are messages from any rank or with any tag. Messages of at most
 * `eager-limit:` are sent without waiting for their receiver (LogGOPSim's S). One run of the
 * schedule is an iteration.
 */
class GoalWorkloadReader : public WorkloadReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::GoalWorkloadReader")
                                .SetParent<WorkloadReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<GoalWorkloadReader>();
        return tid;
    }

    bool HasMessages() const override
    {
        return true;
    }

    std::optional<ImportedWorkload> Read(const WorkloadFiles& files,
                                         Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        const auto content = ReadFile(files.file, files.mark, diagnostics);
        if (!content)
        {
            return std::nullopt;
        }
        ImportText text(diagnostics, files.file, *content);
        GoalParser parser(text);
        return parser.Parse() ? parser.Build(files.eagerBytes) : std::nullopt;
    }
};

NS_OBJECT_ENSURE_REGISTERED(GoalWorkloadReader);

} // namespace ns3
