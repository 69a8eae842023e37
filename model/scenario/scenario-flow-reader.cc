/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-flow-reader.h"

#include "../base/unit-parser.h"
#include "../document/document-loader.h"

#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

constexpr int MAX_FILE_ERRORS = 20; ///< for one flow file; more would add nothing new

/// A word of a flow file.
struct FlowWord
{
    std::string text;
    int column{0};
};

std::vector<FlowWord>
SplitFlowLine(const std::string& line)
{
    static const char* const blank = " \t\r\v\f";
    std::vector<FlowWord> words;
    auto begin = line.find_first_not_of(blank);
    while (begin != std::string::npos)
    {
        const auto end = std::min(line.find_first_of(blank, begin), line.size());
        words.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
        begin = line.find_first_not_of(blank, end);
    }
    return words;
}

/// Format of a file of flows.
enum class FlowFormat
{
    HPCC
};

/// A file of flows as written.
struct FlowFile
{
    std::string file;
    FlowFormat format{FlowFormat::HPCC};
};

} // namespace

template <>
struct EnumNames<FlowFormat>
{
    /// Spelled as the other formats; the second name is that of earlier versions.
    static constexpr EnumName<FlowFormat> TABLE[] = {{FlowFormat::HPCC, "Hpcc"},
                                                     {FlowFormat::HPCC, "hpcc"}};
};

namespace
{

const DocumentTable<FlowSpec>&
GetFlowKeys()
{
    using S = FlowSpec;
    static const DocumentTable<S> table(
        "flow",
        {Key("from", &S::from, Form::Text(), "Host or NIC (host0.nic1) that sends.").Required(),
         Key("to", &S::to, Form::Text(), "Host or NIC that receives.").Required(),
         Key("bytes", &S::bytes, Form::Bytes(), "Bytes of the transfer.").Required(),
         Key("at", &S::at, Form::Time(), "When it starts."),
         Key("priority", &S::priority, Form::Integer(0, 9), "Priority, the highest served first.")
             .Otherwise("that of data")});
    return table;
}

const DocumentTable<FlowFile>&
GetFileKeys()
{
    using S = FlowFile;
    static const DocumentTable<S> table(
        "flow-file",
        {Key("file", &S::file, Form::Text(), "A file of flows, relative to the scenario.")
             .Required(),
         Key("format", &S::format, Form::Choice<FlowFormat>(), "Format of the file.").Required()});
    return table;
}

} // namespace

ValueShape
ScenarioFlowReader::GetShape()
{
    return ValueShape::List(ValueShape::OneOf(
        {ValueShape::Block(GetFlowKeys().GetInfo()), ValueShape::Block(GetFileKeys().GetInfo())}));
}

ScenarioFlowReader::ScenarioFlowReader(Diagnostics& diagnostics, const ClusterTopology* graph)
    : m_diagnostics(diagnostics),
      m_graph(graph)
{
}

std::vector<FlowSpec>
ScenarioFlowReader::Read(const DocumentNode& node, const std::string& path)
{
    std::vector<FlowSpec> flows;
    if (!Form::CheckList(node, path, m_diagnostics))
    {
        return flows;
    }
    for (std::size_t i = 0; i < node.items.size(); i++)
    {
        const DocumentNode& item = node.items[i];
        const std::string itemPath = path + "[" + std::to_string(i) + "]";
        const bool file = item.IsMap() && (item.Find("file") || item.Find("format"));
        file ? ReadFile(item, itemPath, flows) : ReadFlow(item, itemPath, flows);
    }
    return flows;
}

std::string
ScenarioFlowReader::GetHost(const std::string& name)
{
    return name.substr(0, name.rfind(".nic"));
}

std::string
ScenarioFlowReader::CheckEnd(const std::string& name)
{
    if (m_graph == nullptr)
    {
        return "";
    }
    int64_t id = m_graph->FindNode(name);
    if (id < 0)
    {
        const std::string host = GetHost(name);
        id = m_graph->FindNode(host);
        if (id >= 0 && host != name)
        {
            const TopologyNode& node = m_graph->GetNodes()[id];
            for (const uint32_t port : node.ports)
            {
                if (m_graph->GetPortName(port) == name)
                {
                    return "";
                }
            }
            return "host " + host + " has no " + Diagnostics::Quote(name) + ": its NICs " +
                   "are nic0 to nic" + std::to_string(node.ports.size() - 1);
        }
    }
    if (id >= 0)
    {
        return m_graph->GetNodes()[id].kind == TopologyNodeKind::HOST
                   ? ""
                   : Diagnostics::Quote(name) + " is a switch, not a host";
    }
    if (++m_unknown > MAX_FILE_ERRORS)
    {
        return "unknown host " + Diagnostics::Quote(name); // a list of hosts for each takes long
    }
    std::vector<std::string> names;
    for (const TopologyNode& node : m_graph->GetNodes())
    {
        if (node.kind == TopologyNodeKind::HOST)
        {
            names.push_back(node.name);
        }
    }
    return Diagnostics::Unknown("host", name, names);
}

void
ScenarioFlowReader::ReadFlow(const DocumentNode& node,
                             const std::string& path,
                             std::vector<FlowSpec>& flows)
{
    FlowSpec flow;
    const DocumentBlock block = GetFlowKeys().Read(node, path, m_diagnostics, flow);
    if (!node.IsMap())
    {
        return;
    }
    flow.mark = node.GetMark();
    bool ends = !flow.from.empty() && !flow.to.empty();
    for (const char* key : {"from", "to"})
    {
        const std::string& name = std::string(key) == "from" ? flow.from : flow.to;
        const std::string error = name.empty() ? "" : CheckEnd(name);
        if (!error.empty())
        {
            block.Error(key, error);
            ends = false;
        }
    }
    if (ends && GetHost(flow.from) == GetHost(flow.to))
    {
        block.Error("to", "the flow goes from " + GetHost(flow.from) + " to itself");
    }
    flows.push_back(flow);
}

void
ScenarioFlowReader::ReadFile(const DocumentNode& node,
                             const std::string& path,
                             std::vector<FlowSpec>& flows)
{
    FlowFile written;
    const DocumentBlock block = GetFileKeys().Read(node, path, m_diagnostics, written);
    if (!block.IsRight())
    {
        return;
    }
    if (block.Find("format")->text != ToName(written.format))
    {
        m_diagnostics.Warning(block.GetMark("format"),
                              block.GetPath("format"),
                              "this spelling is deprecated, write " +
                                  std::string(ToName(written.format)));
    }
    const std::string resolved = DocumentLoader::Resolve(written.file, *node.file);
    std::string error;
    const auto text = DocumentLoader::ReadText(resolved, error);
    if (!text)
    {
        block.Error("file", Diagnostics::Quote(resolved) + ": " + error);
        return;
    }
    m_diagnostics.AddSource(resolved, *text);
    ReadHpcc(resolved, *text, flows);
}

void
ScenarioFlowReader::ReadHpcc(const std::string& file,
                             const std::string& text,
                             std::vector<FlowSpec>& flows)
{
    constexpr uint64_t max = std::numeric_limits<uint64_t>::max();
    std::istringstream stream(text);
    std::optional<uint64_t> count;
    uint64_t read = 0;
    int lineNumber = 0;
    int errors = 0;
    std::string why;
    const auto fault = [&](const FlowWord& word, const std::string& what) {
        m_diagnostics.Error({file, lineNumber, word.column}, "", what);
        errors++;
    };
    for (std::string line; errors < MAX_FILE_ERRORS && std::getline(stream, line);)
    {
        lineNumber++;
        const std::vector<FlowWord> words = SplitFlowLine(line);
        if (words.empty())
        {
            continue;
        }
        if (!count)
        {
            count = UnitParser::ParseUnsigned(words[0].text, 0, max, why);
            if (!count || words.size() != 1)
            {
                fault(words[0], "the first line must be the number of flows");
                return;
            }
            continue;
        }
        if (read == *count)
        {
            // Text after the last flow is ignored, as by HPCC, whose own sample has more flows.
            if (words.size() == 6 && UnitParser::ParseUnsigned(words[0].text, 0, max, why))
            {
                m_diagnostics.Warning({file, lineNumber, words[0].column},
                                      "",
                                      "there are more flows than the " + std::to_string(*count) +
                                          " of the first line, which are read");
            }
            return;
        }
        read++;
        if (words.size() != 6)
        {
            fault(words[0],
                  "a flow has six fields \"source destination pg port bytes start\", not " +
                      std::to_string(words.size()));
            continue;
        }
        FlowSpec flow;
        flow.mark = {file, lineNumber, words[0].column};
        std::string* const ends[] = {&flow.from, &flow.to};
        for (int i = 0; i < 2; i++)
        {
            const auto id = UnitParser::ParseUnsigned(words[i].text, 0, 1 << 20, why);
            if (id)
            {
                *ends[i] = "n" + std::to_string(*id);
                why = CheckEnd(*ends[i]);
            }
            if (!why.empty())
            {
                fault(words[i], why);
            }
            why.clear();
        }
        if (!flow.from.empty() && flow.from == flow.to)
        {
            fault(words[1], "the flow goes from " + flow.from + " to itself");
        }
        const auto group = UnitParser::ParseUnsigned(words[2].text, 0, 6, why);
        if (!group)
        {
            fault(words[2], "priority group " + why);
        }
        flow.priority = static_cast<int32_t>(7 - group.value_or(0));
        const auto bytes = UnitParser::ParseUnsigned(words[4].text, 1, max, why);
        if (!bytes)
        {
            fault(words[4], "number of bytes " + why);
        }
        flow.bytes = ByteSize(bytes.value_or(0));
        const auto start = UnitParser::ParseTime(words[5].text + "s", why);
        if (!start)
        {
            fault(words[5],
                  "start " + Diagnostics::Quote(words[5].text) +
                      " is not a time in seconds, a whole number of picoseconds");
        }
        flow.at = PicoSeconds(start.value_or(0));
        why.clear();
        flows.push_back(flow);
    }
    if (errors >= MAX_FILE_ERRORS)
    {
        m_diagnostics.Error({file, lineNumber, 1},
                            "",
                            "more than " + std::to_string(MAX_FILE_ERRORS - 1) +
                                " errors: the rest of the file was not read");
    }
    else if (!count)
    {
        m_diagnostics.Error({file, 0, 0}, "", "the file is empty");
    }
    else if (read < *count)
    {
        m_diagnostics.Error({file, lineNumber, 1},
                            "",
                            "the file ends after " + std::to_string(read) + " of " +
                                std::to_string(*count) + " flows");
    }
}

} // namespace ns3
