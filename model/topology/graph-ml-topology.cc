/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/file-name-value.h"
#include "../base/unit-parser.h"
#include "topology-document.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <algorithm>
#include <expat.h>
#include <map>
#include <memory>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GraphMlTopology");

namespace
{

constexpr int MAX_ERRORS = 20; ///< per file; further errors are not shown

/// A text and its position in the file.
struct Datum
{
    std::string text;
    int line{0};
    int column{0};
};

/// A declaration by <key>.
struct Key
{
    std::string domain; ///< "node", "edge", "all", ...
    std::string name;   ///< of the attribute
    Datum fallback;     ///< <default>; line 0: none
};

/// A node or edge being read.
struct Element
{
    int line{0};
    int column{0};
    std::string source; ///< of an edge
    std::string target; ///< of an edge
    std::map<std::string, Datum> data;
};

/// Builds the graph from expat's events.
class GraphMlReader
{
  public:
    GraphMlReader(TopologyDocument& document, ClusterTopology& topology)
        : m_document(document),
          m_topology(topology)
    {
    }

    void Read(const std::string& text)
    {
        const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
            XML_ParserCreate(nullptr),
            &XML_ParserFree);
        m_parser = parser.get();
        XML_SetUserData(m_parser, this);
        XML_SetElementHandler(
            m_parser,
            [](void* self, const XML_Char* name, const XML_Char** attributes) {
                static_cast<GraphMlReader*>(self)->Start(name, attributes);
            },
            [](void* self, const XML_Char* name) { static_cast<GraphMlReader*>(self)->End(name); });
        XML_SetCharacterDataHandler(m_parser, [](void* self, const XML_Char* text, int length) {
            static_cast<GraphMlReader*>(self)->AddText(std::string(text, length));
        });
        XML_SetEntityDeclHandler(m_parser,
                                 [](void* self,
                                    const XML_Char* /* name */,
                                    int /* isParameter */,
                                    const XML_Char* /* value */,
                                    int /* length */,
                                    const XML_Char* /* base */,
                                    const XML_Char* /* system */,
                                    const XML_Char* /* public */,
                                    const XML_Char* /* notation */) {
                                     static_cast<GraphMlReader*>(self)->Stop(
                                         "entities are not supported");
                                 });
        // A file is at most DocumentNode::MAX_BYTES, which fits an int.
        if (XML_Parse(m_parser, text.data(), static_cast<int>(text.size()), 1) ==
                XML_STATUS_ERROR &&
            !m_stopped)
        {
            Error(std::string("not valid XML: ") + XML_ErrorString(XML_GetErrorCode(m_parser)));
        }
        else if (!m_stopped && !m_graphSeen)
        {
            m_document.Error(1, 1, "there is no <graph>");
        }
        // Edges may come before their nodes; faulty nodes cause no further errors at their edges.
        const bool nodesGood = m_errors == 0;
        for (const Element& edge : m_edges)
        {
            if (!m_stopped)
            {
                AddEdge(edge, nodesGood);
            }
        }
    }

  private:
    int GetLine() const
    {
        return static_cast<int>(XML_GetCurrentLineNumber(m_parser));
    }

    int GetColumn() const
    {
        return static_cast<int>(XML_GetCurrentColumnNumber(m_parser)) + 1;
    }

    void Error(int line, int column, const std::string& what)
    {
        m_document.Error(line, column, what);
        m_errors++;
        if (m_errors == MAX_ERRORS)
        {
            m_document.Error(line, column, "the rest of the file was not read");
            m_stopped = true;
            XML_StopParser(m_parser, XML_FALSE);
        }
    }

    void Error(const std::string& what)
    {
        Error(GetLine(), GetColumn(), what);
    }

    void Stop(const std::string& what)
    {
        Error(what);
        m_stopped = true;
        XML_StopParser(m_parser, XML_FALSE);
    }

    static std::string Get(const XML_Char** attributes, const std::string& name)
    {
        for (; *attributes != nullptr; attributes += 2)
        {
            if (name == attributes[0])
            {
                return attributes[1];
            }
        }
        return "";
    }

    /// The value of a mandatory attribute of an element.
    std::string Need(const std::string& element, const XML_Char** attributes, const char* name)
    {
        const std::string value = Get(attributes, name);
        if (value.empty())
        {
            Error("<" + element + "> has no " + name);
        }
        return value;
    }

    void Start(const std::string& tag, const XML_Char** attributes)
    {
        // expat may still report the rest of a token after it has been stopped.
        if (m_stopped)
        {
            return;
        }
        const std::string name = tag.substr(tag.rfind(':') + 1); // "ns:node" is a node
        m_path.push_back(name);
        m_datum = {};
        if (m_path.size() == 1 && name != "graphml")
        {
            Stop("the file must hold <graphml>, not <" + name + ">");
        }
        else if (name == "key")
        {
            const std::string id = Need(name, attributes, "id");
            m_key = &m_keys[id];
            *m_key = {Get(attributes, "for"), Get(attributes, "attr.name"), {}};
            CheckKey();
        }
        else if (name == "graph")
        {
            if (m_graphSeen)
            {
                Stop("a second <graph>: a cluster is one, without graphs in its nodes");
                return;
            }
            m_graphSeen = true;
            m_directed = Get(attributes, "edgedefault") == "directed";
        }
        else if (name == "node" || name == "edge")
        {
            m_element = {};
            m_element.line = GetLine();
            m_element.column = GetColumn();
            const bool isNode = name == "node";
            m_element.source = Need(name, attributes, isNode ? "id" : "source");
            m_element.target = isNode ? "" : Need(name, attributes, "target");
            const std::string directed = Get(attributes, "directed");
            if (!isNode && (directed == "true" || (directed.empty() && m_directed)))
            {
                Stop("the edge is directed: a link is full duplex, so write "
                     "edgedefault=\"undirected\" "
                     "and each link once");
            }
        }
        else if (name == "hyperedge")
        {
            Error("a <hyperedge> is no link");
        }
        else if (name == "data")
        {
            m_dataKey = {Need(name, attributes, "key"), GetLine(), GetColumn()};
        }
    }

    /// Adds a piece of the text of the open element; leading blanks are left out.
    void AddText(std::string text)
    {
        if (m_datum.text.empty())
        {
            const std::size_t first = text.find_first_not_of(" \t\r\n");
            if (first == std::string::npos)
            {
                return;
            }
            text.erase(0, first);
            m_datum.line = GetLine();
            m_datum.column = GetColumn() + static_cast<int>(first);
        }
        m_datum.text += text;
    }

    /// Reports a misspelt name, which would otherwise pass for data of another program.
    void CheckKey()
    {
        const std::vector<std::string> names{"kind", "gpus", "rate", "delay"};
        const std::string nearest = Diagnostics::Nearest(m_key->name, names);
        if (!nearest.empty() && nearest != m_key->name)
        {
            Error(Diagnostics::Unknown("attribute", m_key->name, names));
        }
    }

    void End(const std::string& tag)
    {
        if (m_stopped)
        {
            return;
        }
        const std::string name = tag.substr(tag.rfind(':') + 1);
        m_path.pop_back();
        const std::string parent = m_path.empty() ? "" : m_path.back();
        m_datum.text.erase(m_datum.text.find_last_not_of(" \t\r\n") + 1);
        if (m_datum.text.empty())
        {
            m_datum.line = GetLine();
            m_datum.column = GetColumn();
        }
        if (name == "default" && parent == "key")
        {
            m_key->fallback = m_datum;
        }
        else if (name == "data" && (parent == "node" || parent == "edge"))
        {
            ReadDatum(parent);
        }
        else if (name == "node")
        {
            AddNode();
        }
        else if (name == "edge")
        {
            m_edges.push_back(m_element);
        }
        m_datum = {};
    }

    void ReadDatum(const std::string& parent)
    {
        const auto fault = [this](const std::string& what) {
            Error(m_dataKey.line,
                  m_dataKey.column,
                  "the key " + Diagnostics::Quote(m_dataKey.text) + what);
        };
        const auto key = m_keys.find(m_dataKey.text);
        if (key == m_keys.end())
        {
            fault(" is not declared");
            return;
        }
        if (key->second.domain != parent && key->second.domain != "all" &&
            !key->second.domain.empty())
        {
            fault(" is for " + key->second.domain + ", not for " + parent);
            return;
        }
        if (!m_element.data.emplace(key->second.name, m_datum).second)
        {
            Error(m_dataKey.line,
                  m_dataKey.column,
                  "the " + parent + " has a second " + Diagnostics::Quote(key->second.name));
        }
    }

    /// The value of an attribute, or its default if it is not present; null: neither.
    const Datum* FindDatum(const Element& element,
                           const std::string& name,
                           const char* domain) const
    {
        const auto found = element.data.find(name);
        if (found != element.data.end())
        {
            return &found->second;
        }
        for (const auto& [id, key] : m_keys)
        {
            if (key.name == name && key.fallback.line > 0 &&
                (key.domain == domain || key.domain == "all" || key.domain.empty()))
            {
                return &key.fallback;
            }
        }
        return nullptr;
    }

    void AddNode()
    {
        const std::string& id = m_element.source;
        if (id.empty())
        {
            return;
        }
        if (m_topology.FindNode(id) >= 0)
        {
            Error(m_element.line,
                  m_element.column,
                  "a node " + Diagnostics::Quote(id) + " exists already");
            return;
        }
        const Datum* kind = FindDatum(m_element, "kind", "node");
        if (kind == nullptr)
        {
            Error(m_element.line,
                  m_element.column,
                  "node " + Diagnostics::Quote(id) + " has no kind: host or switch");
            return;
        }
        if (kind->text != "host" && kind->text != "switch")
        {
            Error(kind->line,
                  kind->column,
                  Diagnostics::Unknown("kind", kind->text, {"host", "switch"}));
            return;
        }
        if (kind->text == "switch")
        {
            if (m_element.data.count("gpus") > 0 && m_element.data["gpus"].text != "0")
            {
                const Datum& gpus = m_element.data["gpus"];
                Error(gpus.line, gpus.column, "a switch has no GPUs");
            }
            m_topology.AddSwitch(id);
            return;
        }
        const Datum* gpus = FindDatum(m_element, "gpus", "node");
        std::string why;
        const auto count = UnitParser::ParseUnsigned(gpus ? gpus->text : "1", 0, 1024, why);
        if (!count)
        {
            Error(gpus->line, gpus->column, why);
        }
        m_topology.AddHost(id, static_cast<uint32_t>(count.value_or(1)));
        if (m_topology.GetGpuCount() > TopologyGenerator::MAX_GPUS)
        {
            Stop("there are more than " + std::to_string(TopologyGenerator::MAX_GPUS) + " GPUs");
        }
    }

    void AddEdge(const Element& edge, bool nodesGood)
    {
        std::vector<uint32_t> ends;
        for (const std::string& name : {edge.source, edge.target})
        {
            const int64_t node = m_topology.FindNode(name);
            if (node >= 0)
            {
                ends.push_back(static_cast<uint32_t>(node));
            }
            else if (!name.empty() && nodesGood)
            {
                std::vector<std::string> names;
                for (const TopologyNode& candidate : m_topology.GetNodes())
                {
                    names.push_back(candidate.name);
                }
                Error(edge.line, edge.column, Diagnostics::Unknown("node", name, names));
            }
        }
        if (ends.size() == 2 && ends[0] == ends[1])
        {
            Error(edge.line, edge.column, "the edge joins a node to itself");
            return;
        }
        std::string why;
        const Datum* rateDatum = FindDatum(edge, "rate", "edge");
        const Datum* delayDatum = FindDatum(edge, "delay", "edge");
        if (rateDatum == nullptr || delayDatum == nullptr)
        {
            Error(edge.line,
                  edge.column,
                  std::string("the edge has no ") + (rateDatum == nullptr ? "rate" : "delay"));
            return;
        }
        const auto rate = UnitParser::ParseRate(rateDatum->text, why);
        if (!rate || *rate == 0)
        {
            Error(rateDatum->line, rateDatum->column, rate ? "the rate is 0" : why);
        }
        const auto delay = UnitParser::ParseTime(delayDatum->text, why);
        if (!delay)
        {
            Error(delayDatum->line, delayDatum->column, why);
        }
        if (ends.size() == 2 && rate && *rate > 0 && delay)
        {
            m_topology.AddLink(ends[0], ends[1], *rate, *delay);
        }
    }

    TopologyDocument& m_document;
    ClusterTopology& m_topology;
    XML_Parser m_parser{nullptr};
    int m_errors{0};
    bool m_stopped{false};
    bool m_graphSeen{false};
    bool m_directed{false};
    std::vector<std::string> m_path; ///< open elements
    std::map<std::string, Key> m_keys;
    Key* m_key{nullptr}; ///< being declared
    Datum m_dataKey;     ///< referenced by <data>
    Datum m_datum;       ///< text of the open element
    Element m_element;
    std::vector<Element> m_edges;
};

} // namespace

/**
 * Reads a GraphML file. Nodes have the data `kind` (host or switch) and, for hosts, `gpus` (default
 * 1). Edges are undirected, may be parallel, and have `rate` and `delay` with units, such as
 * 100Gbps and 1us. The `<default>` of a key applies; other data are ignored. Nodes keep their ids
 * as names and, like links, the order of the file.
 */
class GraphMlTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    std::string m_file;
};

NS_OBJECT_ENSURE_REGISTERED(GraphMlTopology);

TypeId
GraphMlTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GraphMlTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<GraphMlTopology>()
                            .AddAttribute("File",
                                          "GraphML.",
                                          FileNameValue(""),
                                          MakeFileNameAccessor(&GraphMlTopology::m_file),
                                          MakeFileNameChecker());
    return tid;
}

ClusterTopology
GraphMlTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    TopologyDocument document(m_file, faults);
    if (const auto text = document.ReadText())
    {
        GraphMlReader(document, topology).Read(*text);
    }
    if (!document.HasErrors() && topology.GetLinks().size() > MAX_LINKS)
    {
        document.Error(1, 1, "there are more than " + std::to_string(MAX_LINKS) + " links");
    }
    return topology;
}

} // namespace ns3
