/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/file-name-value.h"
#include "../base/unit-parser.h"
#include "../document/document-loader.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HpccTopology");

namespace
{

/// A word of the file and its starting column, counted from 1.
struct Word
{
    std::string text;
    int line{0};
    int column{0};
};

/// The words of a line.
std::vector<Word>
SplitLine(const std::string& text, int line)
{
    static const char* const blank = " \t\r\v\f";
    std::vector<Word> words;
    auto begin = text.find_first_not_of(blank);
    while (begin != std::string::npos)
    {
        const auto end = std::min(text.find_first_of(blank, begin), text.size());
        words.push_back({text.substr(begin, end - begin), line, static_cast<int>(begin) + 1});
        begin = text.find_first_not_of(blank, end);
    }
    return words;
}

} // namespace

/**
 * Reads the topology text of the HPCC simulator (Li et al., SIGCOMM 2019, and its artefact):
 * first line `nodes switches links`, then the ids of the switches, then for each link
 * `a b rate delay loss`. Text after the last link is ignored, as in HPCC, unless it looks like
 * another link. Nodes are named n0, n1, ...; links keep the order of the file.
 */
class HpccTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    std::string m_file;
    uint32_t m_gpusPerHost{0};
};

NS_OBJECT_ENSURE_REGISTERED(HpccTopology);

TypeId
HpccTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::HpccTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<HpccTopology>()
                            .AddAttribute("File",
                                          "HPCC topology text.",
                                          FileNameValue(""),
                                          MakeFileNameAccessor(&HpccTopology::m_file),
                                          MakeFileNameChecker())
                            .AddAttribute("GpusPerHost",
                                          "GPUs of each host.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&HpccTopology::m_gpusPerHost),
                                          MakeUintegerChecker<uint32_t>(0, 1024));
    return tid;
}

ClusterTopology
HpccTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    if (m_file.empty())
    {
        faults.push_back(TopologyFault::OfAttribute("File", "is missing"));
        return topology;
    }
    std::string ignored;
    const auto text = DocumentLoader::ReadText(m_file, ignored);
    if (!text)
    {
        faults.push_back(TopologyFault::OfAttribute("File", "cannot be read: \"" + m_file + "\""));
        return topology;
    }

    std::istringstream stream(*text);
    // Lines without words are skipped, as by HPCC's stream reader.
    std::vector<std::vector<Word>> lines;
    int lineNumber = 0;
    for (std::string line; std::getline(stream, line);)
    {
        lineNumber++;
        lines.push_back(SplitLine(line, lineNumber));
        if (lines.back().empty())
        {
            lines.pop_back();
        }
    }
    const auto fault = [&](const Word& word, const std::string& what) {
        faults.push_back(TopologyFault::InFile(m_file, word.line, word.column, what));
    };
    const Word end{"", std::max(lineNumber, 1), 1};
    std::string why;
    const auto number = [&](const Word& word, uint64_t low, uint64_t high, const char* what) {
        const auto value = UnitParser::ParseUnsigned(word.text, low, high, why);
        if (!value)
        {
            fault(word, std::string(what) + " " + why);
        }
        return value;
    };

    if (lines.empty() || lines[0].size() != 3)
    {
        fault(lines.empty() ? end : lines[0][0],
              "the first line must be \"nodes switches links\", three numbers");
        return topology;
    }
    const auto nodes = number(lines[0][0], 1, MAX_LINKS, "number of nodes");
    const auto switches = number(lines[0][1], 0, nodes.value_or(MAX_LINKS), "number of switches");
    const auto links = number(lines[0][2], 0, MAX_LINKS, "number of links");
    if (!nodes || !switches || !links)
    {
        return topology;
    }
    if ((*nodes - *switches) * m_gpusPerHost > MAX_GPUS)
    {
        faults.push_back(
            TopologyFault::OfAttribute("GpusPerHost",
                                       "makes more than " + std::to_string(MAX_GPUS) +
                                           " GPUs in all: that many are not supported"));
        return topology;
    }

    std::vector<bool> isSwitch(*nodes, false);
    std::size_t next = 1;
    for (uint64_t read = 0; read < *switches; next++)
    {
        if (next >= lines.size())
        {
            fault(end,
                  "the file ends after " + std::to_string(read) + " of " +
                      std::to_string(*switches) + " switch ids");
            return topology;
        }
        for (const Word& word : lines[next])
        {
            const auto id = number(word, 0, *nodes - 1, "switch id");
            if (!id)
            {
                return topology;
            }
            if (isSwitch[*id])
            {
                fault(word, "switch id " + word.text + " is listed twice");
                return topology;
            }
            isSwitch[*id] = true;
            read++;
            if (read > *switches)
            {
                fault(word,
                      "more switch ids than the " + std::to_string(*switches) +
                          " of the first line");
                return topology;
            }
        }
    }
    for (uint64_t id = 0; id < *nodes; id++)
    {
        const std::string name = "n" + std::to_string(id);
        isSwitch[id] ? topology.AddSwitch(name) : topology.AddHost(name, m_gpusPerHost);
    }

    for (uint64_t link = 0; link < *links; link++, next++)
    {
        if (next >= lines.size())
        {
            fault(end,
                  "the file ends after " + std::to_string(link) + " of " + std::to_string(*links) +
                      " links");
            return topology;
        }
        const std::vector<Word>& words = lines[next];
        if (words.size() != 5)
        {
            fault(words[0],
                  "a link has five fields \"a b rate delay loss\", not " +
                      std::to_string(words.size()));
            continue;
        }
        const auto a = number(words[0], 0, *nodes - 1, "node id");
        const auto b = number(words[1], 0, *nodes - 1, "node id");
        const auto rate = UnitParser::ParseRate(words[2].text, why);
        if (!rate || *rate == 0)
        {
            fault(words[2], rate ? "the rate is 0" : why);
        }
        const auto delay = UnitParser::ParseTime(words[3].text, why);
        if (!delay)
        {
            fault(words[3], why);
        }
        const auto loss = UnitParser::ParseDouble(words[4].text, why);
        if (!loss || *loss != 0)
        {
            fault(words[4], loss ? "loss must be 0 here: loss comes by faults" : why);
        }
        if (a && b && *a == *b)
        {
            fault(words[1], "the link joins node " + words[1].text + " to itself");
        }
        else if (a && b && rate && *rate > 0 && delay)
        {
            topology.AddLink(static_cast<uint32_t>(*a), static_cast<uint32_t>(*b), *rate, *delay);
        }
    }
    if (next < lines.size() && lines[next].size() == 5 &&
        UnitParser::ParseUnsigned(lines[next][0].text, 0, *nodes - 1, why) &&
        UnitParser::ParseUnsigned(lines[next][1].text, 0, *nodes - 1, why))
    {
        fault(lines[next][0],
              "more links than the " + std::to_string(*links) + " of the first line");
    }
    return topology;
}

} // namespace ns3
