/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/file-name-value.h"
#include "../base/unit-parser.h"
#include "../document/document-loader.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <optional>
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

/// The sizes that the first line of a file says.
struct Header
{
    uint64_t nodes{0};
    uint64_t switches{0}; ///< NVSwitches not counted
    uint64_t links{0};
    uint64_t nvswitches{0};
    uint64_t gpusPerServer{0}; ///< 0: not a file of SimAI, nodes are hosts
};

/// What a node of the file is.
enum class NodeRole : uint8_t
{
    HOST, ///< or GPU
    SWITCH,
    NVSWITCH
};

/// A link of the file.
struct FileLink
{
    uint32_t a{0};
    uint32_t b{0};
    uint64_t rateBps{0}; ///< [bit/s]
    int64_t delayPs{0};  ///< [ps]
    Word place;
};

/// Reads the text of a file and checks it.
class HpccReader
{
  public:
    HpccReader(const std::string& file, std::vector<TopologyFault>& faults)
        : m_file(file),
          m_faults(faults)
    {
    }

    /// \returns whether the file was read; faults say why not
    bool Read(std::istream& stream);

    Header header;
    std::vector<NodeRole> roles; ///< by node id
    std::vector<FileLink> links;

    void Fault(const Word& word, const std::string& what)
    {
        m_faults.push_back(TopologyFault::InFile(m_file, word.line, word.column, what));
    }

  private:
    bool ReadHeader();
    bool ReadSwitches(std::size_t& next);
    bool ReadLinks(std::size_t next);
    bool ReadLink(const std::vector<Word>& words);
    std::optional<uint64_t> ReadNumber(const Word& word,
                                       uint64_t low,
                                       uint64_t high,
                                       const char* what);
    /// A rate with a unit, or a plain number of bit/s.
    std::optional<uint64_t> ReadRate(const std::string& text, std::string& why) const;

    const std::string m_file;
    std::vector<TopologyFault>& m_faults;
    std::vector<std::vector<Word>> m_lines; ///< those with words
    Word m_end;                             ///< the last line
};

bool
HpccReader::Read(std::istream& stream)
{
    // Lines without words are skipped, as by HPCC's stream reader.
    int lineNumber = 0;
    for (std::string line; std::getline(stream, line);)
    {
        lineNumber++;
        m_lines.push_back(SplitLine(line, lineNumber));
        if (m_lines.back().empty())
        {
            m_lines.pop_back();
        }
    }
    m_end = {"", std::max(lineNumber, 1), 1};
    std::size_t next = 1;
    return ReadHeader() && ReadSwitches(next) && ReadLinks(next);
}

std::optional<uint64_t>
HpccReader::ReadNumber(const Word& word, uint64_t low, uint64_t high, const char* what)
{
    std::string why;
    const auto value = UnitParser::ParseUnsigned(word.text, low, high, why);
    if (!value)
    {
        Fault(word, std::string(what) + " " + why);
    }
    return value;
}

std::optional<uint64_t>
HpccReader::ReadRate(const std::string& text, std::string& why) const
{
    // As ns-3 reads it; generators write 25000000000.0. A small number would be a missing unit.
    constexpr uint64_t least = 1'000'000;
    std::string ignored;
    const auto plain = UnitParser::ParseRate(text + "bps", ignored);
    return plain && *plain >= least ? plain : UnitParser::ParseRate(text, why);
}

bool
HpccReader::ReadHeader()
{
    const std::size_t size = m_lines.empty() ? 0 : m_lines[0].size();
    if (size != 3 && size != 4 && size != 6)
    {
        Fault(size == 0 ? m_end : m_lines[0][0],
              "the first line must be \"nodes switches links\", three numbers, or that of "
              "ns3-datacenter, \"nodes switches tors links\", or of SimAI, \"nodes "
              "gpus-per-server nvswitches switches links gpu-type\"");
        return false;
    }
    const std::vector<Word>& words = m_lines[0];
    // Of six words, the line of ns3-datacenter ends in two rates.
    std::string ignored;
    const bool simai =
        size == 6 && !(ReadRate(words[4].text, ignored) && ReadRate(words[5].text, ignored));
    const auto nodes = ReadNumber(words[0], 1, TopologyGenerator::MAX_LINKS, "number of nodes");
    const uint64_t most = nodes.value_or(TopologyGenerator::MAX_LINKS);
    std::optional<uint64_t> gpusPerServer = 0;
    std::optional<uint64_t> nvswitches = 0;
    std::optional<uint64_t> tors = 0;
    if (simai)
    {
        gpusPerServer = ReadNumber(words[1], 1, 1024, "number of GPUs per server");
        nvswitches = ReadNumber(words[2], 0, most, "number of NVSwitches");
    }
    const auto switches = ReadNumber(words[simai ? 3 : 1], 0, most, "number of switches");
    if (size == 4 || (size == 6 && !simai))
    {
        tors = ReadNumber(words[2], 0, switches.value_or(most), "number of ToR switches");
    }
    const auto linkCount = ReadNumber(words[simai       ? 4
                                            : size == 3 ? 2
                                                        : 3],
                                      0,
                                      TopologyGenerator::MAX_LINKS,
                                      "number of links");
    if (!nodes || !gpusPerServer || !nvswitches || !switches || !tors || !linkCount)
    {
        return false;
    }
    header = {*nodes, *switches, *linkCount, *nvswitches, *gpusPerServer};
    if (header.switches + header.nvswitches > header.nodes)
    {
        Fault(words[3],
              "there are " + std::to_string(header.nvswitches) + " NVSwitches and " +
                  std::to_string(header.switches) + " switches, but only " +
                  std::to_string(header.nodes) + " nodes");
        return false;
    }
    return true;
}

bool
HpccReader::ReadSwitches(std::size_t& next)
{
    roles.assign(header.nodes, NodeRole::HOST);
    const uint64_t count = header.nvswitches + header.switches;
    for (uint64_t read = 0; read < count; next++)
    {
        if (next >= m_lines.size())
        {
            Fault(m_end,
                  "the file ends after " + std::to_string(read) + " of " + std::to_string(count) +
                      " switch ids");
            return false;
        }
        for (const Word& word : m_lines[next])
        {
            const auto id = ReadNumber(word, 0, header.nodes - 1, "switch id");
            if (!id)
            {
                return false;
            }
            if (roles[*id] != NodeRole::HOST)
            {
                Fault(word, "switch id " + word.text + " is listed twice");
                return false;
            }
            roles[*id] = read < header.nvswitches ? NodeRole::NVSWITCH : NodeRole::SWITCH;
            read++;
            if (read > count)
            {
                Fault(word,
                      "more switch ids than the " + std::to_string(count) + " of the first line");
                return false;
            }
        }
    }
    return true;
}

bool
HpccReader::ReadLink(const std::vector<Word>& words)
{
    if (words.size() != 5)
    {
        Fault(words[0],
              "a link has five fields \"a b rate delay loss\", not " +
                  std::to_string(words.size()));
        return false;
    }
    std::string why;
    const auto a = ReadNumber(words[0], 0, header.nodes - 1, "node id");
    const auto b = ReadNumber(words[1], 0, header.nodes - 1, "node id");
    const auto rate = ReadRate(words[2].text, why);
    if (!rate || *rate == 0)
    {
        Fault(words[2], rate ? "the rate is 0" : why);
    }
    const auto delay = UnitParser::ParseTime(words[3].text, why);
    if (!delay)
    {
        Fault(words[3], why);
    }
    const auto loss = UnitParser::ParseDouble(words[4].text, why);
    if (!loss || *loss != 0)
    {
        Fault(words[4], loss ? "loss must be 0 here: loss comes by faults" : why);
    }
    if (a && b && *a == *b)
    {
        Fault(words[1], "the link joins node " + words[1].text + " to itself");
        return false;
    }
    if (!a || !b || !rate || *rate == 0 || !delay)
    {
        return false;
    }
    links.push_back(
        {static_cast<uint32_t>(*a), static_cast<uint32_t>(*b), *rate, *delay, words[0]});
    return loss && *loss == 0;
}

bool
HpccReader::ReadLinks(std::size_t next)
{
    bool good = true;
    for (uint64_t link = 0; link < header.links; link++, next++)
    {
        if (next >= m_lines.size())
        {
            Fault(m_end,
                  "the file ends after " + std::to_string(link) + " of " +
                      std::to_string(header.links) + " links");
            return false;
        }
        good = ReadLink(m_lines[next]) && good;
    }
    std::string ignored;
    if (next < m_lines.size() && m_lines[next].size() == 5 &&
        UnitParser::ParseUnsigned(m_lines[next][0].text, 0, header.nodes - 1, ignored) &&
        UnitParser::ParseUnsigned(m_lines[next][1].text, 0, header.nodes - 1, ignored))
    {
        Fault(m_lines[next][0],
              "more links than the " + std::to_string(header.links) + " of the first line");
        return false;
    }
    return good;
}

/// Makes hosts of the servers of a file of SimAI.
class ServerBuilder
{
  public:
    explicit ServerBuilder(HpccReader& reader)
        : m_reader(reader)
    {
    }

    /// The cluster; an empty one if there are faults.
    ClusterTopology Build();

  private:
    /// A GPU, a NIC or an NVSwitch.
    struct Part
    {
        uint32_t server{UINT32_MAX}; ///< of an NVSwitch: unknown as yet
        uint32_t index{0};           ///< GPU or NVSwitch of its server
    };

    /// A server as its links are read.
    struct Server
    {
        std::vector<uint32_t> gpuNics; ///< by GPU: number of its NICs
        std::vector<FileLink> nics;    ///< links to switches, in the order of the file
        std::vector<FileLink> nvlinks;
        uint32_t nvswitches{0};
    };

    bool PlaceParts();
    bool SortLinks();
    bool PlaceNvswitch(uint32_t nvswitch, uint32_t gpu, const FileLink& link);
    HostLayout MakeLayout(const Server& server) const;

    HpccReader& m_reader;
    std::vector<Part> m_parts; ///< by node id
    std::vector<Server> m_servers;
    std::vector<FileLink> m_network; ///< between switches
};

bool
ServerBuilder::PlaceParts()
{
    const Header& header = m_reader.header;
    const uint64_t gpus = header.nodes - header.nvswitches - header.switches;
    if (gpus % header.gpusPerServer != 0)
    {
        m_reader.Fault({"", 1, 1},
                       "the " + std::to_string(gpus) +
                           " GPUs (nodes that are no switches) are no "
                           "multiple of the " +
                           std::to_string(header.gpusPerServer) + " of a server");
        return false;
    }
    m_parts.resize(header.nodes);
    m_servers.resize(gpus / header.gpusPerServer);
    uint64_t gpu = 0;
    for (uint64_t id = 0; id < header.nodes; id++)
    {
        if (m_reader.roles[id] == NodeRole::HOST)
        {
            m_parts[id] = {static_cast<uint32_t>(gpu / header.gpusPerServer),
                           static_cast<uint32_t>(gpu % header.gpusPerServer)};
            gpu++;
        }
    }
    for (Server& server : m_servers)
    {
        server.gpuNics.assign(header.gpusPerServer, 0);
    }
    return true;
}

bool
ServerBuilder::PlaceNvswitch(uint32_t nvswitch, uint32_t gpu, const FileLink& link)
{
    Part& part = m_parts[nvswitch];
    const uint32_t server = m_parts[gpu].server;
    if (part.server == UINT32_MAX)
    {
        part = {server, m_servers[server].nvswitches++};
    }
    if (part.server != server)
    {
        m_reader.Fault(link.place,
                       "NVSwitch " + std::to_string(nvswitch) + " joins GPUs of servers " +
                           std::to_string(part.server) + " and " + std::to_string(server) +
                           ": NVLink between servers is not supported");
        return false;
    }
    return true;
}

bool
ServerBuilder::SortLinks()
{
    bool good = true;
    for (const FileLink& link : m_reader.links)
    {
        const bool swap = m_reader.roles[link.b] == NodeRole::HOST;
        const uint32_t first = swap ? link.b : link.a;
        const uint32_t second = swap ? link.a : link.b;
        const NodeRole roles[] = {m_reader.roles[first], m_reader.roles[second]};
        if (roles[0] == NodeRole::SWITCH && roles[1] == NodeRole::SWITCH)
        {
            m_network.push_back(link);
        }
        else if (roles[0] == NodeRole::HOST && roles[1] == NodeRole::SWITCH)
        {
            Server& server = m_servers[m_parts[first].server];
            server.gpuNics[m_parts[first].index]++;
            server.nics.push_back({first, second, link.rateBps, link.delayPs, link.place});
        }
        else if (roles[0] == NodeRole::HOST && roles[1] == NodeRole::NVSWITCH)
        {
            good = PlaceNvswitch(second, first, link) && good;
            m_servers[m_parts[first].server].nvlinks.push_back(
                {first, second, link.rateBps, link.delayPs, link.place});
        }
        else if (roles[0] == NodeRole::HOST && m_parts[first].server == m_parts[second].server)
        {
            m_servers[m_parts[first].server].nvlinks.push_back(
                {first, second, link.rateBps, link.delayPs, link.place});
        }
        else
        {
            m_reader.Fault(link.place,
                           roles[0] == NodeRole::HOST
                               ? "a link joins GPUs of two servers: they are joined by switches"
                               : "a link joins an NVSwitch to a switch: GPUs have NICs for that");
            good = false;
        }
    }
    for (std::size_t i = 0; i < m_servers.size(); i++)
    {
        const std::vector<uint32_t>& nics = m_servers[i].gpuNics;
        const auto other = std::find_if(nics.begin(), nics.end(), [&nics](uint32_t count) {
            return count != nics[0] || count == 0;
        });
        if (other != nics.end())
        {
            m_reader.Fault({"", 1, 1},
                           "GPUs of server " + std::to_string(i) + " have " +
                               std::to_string(nics[0]) + " and " + std::to_string(*other) +
                               " links to switches: each of a server's must have as many, and "
                               "at least one");
            good = false;
        }
    }
    return good;
}

HostLayout
ServerBuilder::MakeLayout(const Server& server) const
{
    HostLayout layout;
    layout.name = "SimAI server";
    layout.gpus = static_cast<uint32_t>(server.gpuNics.size());
    layout.nics = static_cast<uint32_t>(server.nics.size());
    for (uint32_t i = 0; i < layout.gpus; i++)
    {
        layout.parts.push_back({"gpu" + std::to_string(i), TopologyNodeKind::GPU});
    }
    for (uint32_t i = 0; i < layout.nics; i++)
    {
        layout.parts.push_back({"nic" + std::to_string(i), TopologyNodeKind::NIC});
    }
    const auto pcie = static_cast<uint32_t>(layout.parts.size());
    layout.parts.push_back({"pcie0", TopologyNodeKind::PCIE_SWITCH});
    const uint32_t firstNvswitch = pcie + 1;
    for (uint32_t i = 0; i < server.nvswitches; i++)
    {
        layout.parts.push_back({"nvswitch" + std::to_string(i), TopologyNodeKind::NVSWITCH});
    }
    uint64_t fastest = 0;
    int64_t delayPs = 0;
    for (const FileLink& link : server.nvlinks.empty() ? server.nics : server.nvlinks)
    {
        if (link.rateBps > fastest)
        {
            fastest = link.rateBps;
            delayPs = link.delayPs;
        }
    }
    for (uint32_t i = 0; i < pcie; i++)
    {
        layout.links.push_back({i, pcie, fastest, delayPs, TopologyLinkKind::PCIE});
    }
    for (const FileLink& link : server.nvlinks)
    {
        const bool direct = m_reader.roles[link.b] == NodeRole::HOST;
        layout.links.push_back({m_parts[link.a].index,
                                m_parts[link.b].index + (direct ? 0 : firstNvswitch),
                                link.rateBps,
                                link.delayPs,
                                TopologyLinkKind::NVLINK});
    }
    return layout;
}

ClusterTopology
ServerBuilder::Build()
{
    ClusterTopology topology;
    if (!PlaceParts() || !SortLinks())
    {
        return topology;
    }
    for (std::size_t i = 0; i < m_servers.size(); i++)
    {
        topology.AddHost("host" + std::to_string(i),
                         static_cast<uint32_t>(m_servers[i].gpuNics.size()));
    }
    std::vector<uint32_t> nodes(m_reader.roles.size(), 0);
    for (std::size_t id = 0; id < m_reader.roles.size(); id++)
    {
        if (m_reader.roles[id] == NodeRole::SWITCH)
        {
            nodes[id] = topology.AddSwitch("n" + std::to_string(id));
        }
    }
    for (uint32_t i = 0; i < m_servers.size(); i++)
    {
        // GPU g of G uses NIC floor(g N / G): a GPU's NICs are neighbours.
        std::stable_sort(m_servers[i].nics.begin(),
                         m_servers[i].nics.end(),
                         [this](const FileLink& a, const FileLink& b) {
                             return m_parts[a.a].index < m_parts[b.a].index;
                         });
        for (const FileLink& nic : m_servers[i].nics)
        {
            topology.AddLink(i, nodes[nic.b], nic.rateBps, nic.delayPs);
        }
    }
    for (const FileLink& link : m_network)
    {
        topology.AddLink(nodes[link.a], nodes[link.b], link.rateBps, link.delayPs);
    }
    for (uint32_t i = 0; i < m_servers.size(); i++)
    {
        topology.AddInside(i, MakeLayout(m_servers[i]));
    }
    return topology;
}

} // namespace

/**
 * Reads the topology text of the HPCC simulator (Li et al., SIGCOMM 2019, and its artefact) and of
 * simulators derived from it: a first line of numbers, then the ids of the switches, then for each
 * link `a b rate delay loss`. Text after the last link is ignored, as in HPCC, unless it looks like
 * another link. Links keep the order of the file. A rate without a unit is in bit/s, as ns-3 reads
 * it. The first line is one of
 *
 * - `nodes switches links`: HPCC;
 * - `nodes switches tors links`, or with two rates after them, which are those of the links: the
 *   ns3-datacenter repository (Addanki et al., PowerTCP, NSDI 2022; Reverie, NSDI 2024);
 * - `nodes gpus-per-server nvswitches switches links gpu-type`: SimAI (Wang et al., NSDI 2025).
 *
 * Nodes are named n0, n1, ... by their ids. SimAI's nodes that are no switches are GPUs; those of a
 * server become one host (host0, host1, ...) with a NIC for each link to a switch, and its
 * NVSwitches and NVLinks the inside of that host. SimAI has no PCIe: a PCIe switch with the rate
 * and delay of the server's fastest NVLink joins its GPUs and NICs.
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
                                          "GPUs of each host; not used with a file of "
                                          "SimAI, which says it.",
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
    HpccReader reader(m_file, faults);
    if (!reader.Read(stream))
    {
        return topology;
    }
    const Header& header = reader.header;
    const bool simai = header.gpusPerServer > 0;
    const uint64_t hosts = header.nodes - header.switches - header.nvswitches;
    if (hosts * (simai ? 1 : m_gpusPerHost) > MAX_GPUS)
    {
        faults.push_back(
            TopologyFault::OfAttribute("GpusPerHost",
                                       "makes more than " + std::to_string(MAX_GPUS) +
                                           " GPUs in all: that many are not supported"));
        return topology;
    }
    if (simai)
    {
        return ServerBuilder(reader).Build();
    }
    for (uint64_t id = 0; id < header.nodes; id++)
    {
        const std::string name = "n" + std::to_string(id);
        reader.roles[id] == NodeRole::SWITCH ? topology.AddSwitch(name)
                                             : topology.AddHost(name, m_gpusPerHost);
    }
    for (const FileLink& link : reader.links)
    {
        topology.AddLink(link.a, link.b, link.rateBps, link.delayPs);
    }
    return topology;
}

} // namespace ns3
