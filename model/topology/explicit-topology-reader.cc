/* SPDX-License-Identifier: GPL-2.0-only */
#include "explicit-topology-reader.h"

#include "ns3/enum-names.h"
#include "ns3/topology-generator.h"

namespace ns3
{

namespace
{

/// The kind of a node.
enum class NodeKind
{
    HOST,
    SWITCH
};

/// A node as written.
struct NodeEntry
{
    std::string name;
    NodeKind kind{NodeKind::HOST};
    uint32_t gpus{1};
};

/// A link, or parallel ones, as written.
struct LinkEntry
{
    std::vector<const DocumentNode*> between;
    uint64_t rateBps{0};
    int64_t delayPs{0};
    uint32_t count{1};
};

} // namespace

template <>
struct EnumNames<NodeKind>
{
    static constexpr EnumName<NodeKind> TABLE[] = {{NodeKind::HOST, "host"},
                                                   {NodeKind::SWITCH, "switch"}};
};

namespace
{

const DocumentTable<NodeEntry>&
GetNodeKeys()
{
    using S = NodeEntry;
    static const DocumentTable<S> table(
        "node",
        {Key("name", &S::name, Form::Name(), "Name of the node.").Required(),
         Key("kind", &S::kind, Form::Choice<NodeKind>(), "What it is."),
         Key("gpus", &S::gpus, Form::Integer(0, 1024), "GPUs of a host.")});
    return table;
}

const DocumentTable<LinkEntry>&
GetLinkKeys()
{
    using S = LinkEntry;
    static const DocumentTable<S> table(
        "link",
        {Key("between", &S::between, Form::Scalars(2), "The two nodes it joins.").Required(),
         Key("rate", &S::rateBps, Form::Rate(), "Rate in each direction.").Required(),
         Key("delay", &S::delayPs, Form::Time(), "Propagation delay.").Required(),
         Key("count", &S::count, Form::Integer(1, 1024), "Parallel links.")});
    return table;
}

} // namespace

const DocumentTable<ExplicitTopologyReader::Graph>&
ExplicitTopologyReader::GetKeys()
{
    static const DocumentTable<Graph> table(
        "explicit",
        {DocumentKey<Graph>("type", Form::Word({"Explicit"}).shape, "A graph that is written out.")
             .Required(),
         DocumentKey<Graph>("nodes",
                            ValueShape::List(ValueShape::Block(GetNodeKeys().GetInfo())),
                            "Hosts and switches.")
             .Required(),
         DocumentKey<Graph>("links",
                            ValueShape::List(ValueShape::Block(GetLinkKeys().GetInfo())),
                            "Links, in the order of ports.")
             .Required()});
    return table;
}

ExplicitTopologyReader::ExplicitTopologyReader(Diagnostics& diagnostics)
    : m_diagnostics(diagnostics)
{
}

void
ExplicitTopologyReader::Error(const SourceMark& mark,
                              const std::string& path,
                              const std::string& what)
{
    m_diagnostics.Error(mark, path, what);
    m_good = false;
}

std::optional<ClusterTopology>
ExplicitTopologyReader::Read(const DocumentNode& node, const std::string& path)
{
    m_good = true;
    ClusterTopology topology;
    Graph graph;
    const DocumentBlock block = GetKeys().Read(node, path, m_diagnostics, graph);
    const std::vector<DocumentNode>* nodes = block.GetList("nodes");
    const std::vector<DocumentNode>* links = block.GetList("links");
    m_good = block.IsComplete() && nodes != nullptr && links != nullptr;
    if (nodes != nullptr)
    {
        for (std::size_t i = 0; i < nodes->size(); i++)
        {
            const std::string item = path + ".nodes[" + std::to_string(i) + "]";
            ReadNode((*nodes)[i], item, topology);
        }
    }
    if (m_good) // otherwise a faulty node would cause errors at its links
    {
        for (std::size_t i = 0; i < links->size(); i++)
        {
            const std::string item = path + ".links[" + std::to_string(i) + "]";
            ReadLink((*links)[i], item, topology);
        }
    }
    return m_good ? std::optional<ClusterTopology>(topology) : std::nullopt;
}

void
ExplicitTopologyReader::ReadNode(const DocumentNode& node,
                                 const std::string& path,
                                 ClusterTopology& topology)
{
    NodeEntry entry;
    const DocumentBlock block = GetNodeKeys().Read(node, path, m_diagnostics, entry);
    if (!block.IsRight())
    {
        m_good = false;
        return;
    }
    if (topology.FindNode(entry.name) >= 0)
    {
        Error(block.GetMark("name"),
              path + ".name",
              "a node " + Diagnostics::Quote(entry.name) + " exists already");
        return;
    }
    if (entry.kind == NodeKind::SWITCH)
    {
        if (block.Has("gpus") && entry.gpus > 0)
        {
            Error(block.GetMark("gpus"), path + ".gpus", "a switch has no GPUs");
        }
        topology.AddSwitch(entry.name);
        return;
    }
    topology.AddHost(entry.name, entry.gpus);
    if (topology.GetGpuCount() > TopologyGenerator::MAX_GPUS)
    {
        Error(node.GetMark(),
              path,
              "there are more than " + std::to_string(TopologyGenerator::MAX_GPUS) + " GPUs");
    }
}

void
ExplicitTopologyReader::ReadLink(const DocumentNode& node,
                                 const std::string& path,
                                 ClusterTopology& topology)
{
    LinkEntry entry;
    const DocumentBlock block = GetLinkKeys().Read(node, path, m_diagnostics, entry);
    std::vector<uint32_t> ends;
    for (const DocumentNode* end : entry.between)
    {
        const int64_t id = topology.FindNode(end->text);
        if (id < 0)
        {
            std::vector<std::string> names;
            for (const TopologyNode& candidate : topology.GetNodes())
            {
                names.push_back(candidate.name);
            }
            Error(end->GetMark(),
                  path + ".between",
                  Diagnostics::Unknown("node", end->text, names));
            continue;
        }
        ends.push_back(static_cast<uint32_t>(id));
    }
    if (!block.IsRight() || ends.size() != 2)
    {
        m_good = false;
        return;
    }
    if (ends[0] == ends[1])
    {
        Error(block.GetMark("between"), path + ".between", "the link joins a node to itself");
        return;
    }
    const uint64_t links = topology.GetLinks().size() + entry.count;
    if (links > TopologyGenerator::MAX_LINKS)
    {
        Error(node.GetMark(),
              path,
              "there are more than " + std::to_string(TopologyGenerator::MAX_LINKS) + " links");
        return;
    }
    for (uint64_t i = 0; i < entry.count; i++)
    {
        topology.AddLink(ends[0], ends[1], entry.rateBps, entry.delayPs);
    }
}

} // namespace ns3
