/* SPDX-License-Identifier: GPL-2.0-only */
#include "explicit-topology-reader.h"

#include "../document/document-block.h"

#include "ns3/topology-generator.h"

namespace ns3
{

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
    const DocumentBlock block(node, "explicit", path, m_diagnostics);
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
    if (m_good) // an unknown node would be blamed on its links
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
    const DocumentBlock block(node, "node", path, m_diagnostics);
    const auto name = block.GetText("name");
    const auto kind = block.GetText("kind");
    const auto gpus = block.GetInteger("gpus");
    const bool kindGood = kind || !block.Find("kind");
    const bool gpusGood = gpus || !block.Find("gpus");
    if (!block.IsComplete() || !name || !kindGood || !gpusGood)
    {
        m_good = false;
        return;
    }
    if (topology.FindNode(*name) >= 0)
    {
        Error(block.GetMark("name"),
              path + ".name",
              "a node " + Diagnostics::Quote(*name) + " exists already");
        return;
    }
    if (kind.value_or("host") == "switch")
    {
        if (gpus && *gpus > 0)
        {
            Error(block.GetMark("gpus"), path + ".gpus", "a switch has no GPUs");
        }
        topology.AddSwitch(*name);
        return;
    }
    topology.AddHost(*name, static_cast<uint32_t>(gpus.value_or(1)));
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
    const DocumentBlock block(node, "link", path, m_diagnostics);
    const auto between = block.GetScalars("between");
    const auto rate = block.GetRate("rate");
    const auto delay = block.GetTime("delay");
    const auto count = block.GetInteger("count");
    const bool countGood = count || !block.Find("count");
    std::vector<uint32_t> ends;
    if (between)
    {
        for (std::size_t i = 0; i < between->size(); i++)
        {
            const std::string& name = (*between)[i]->text;
            const int64_t id = topology.FindNode(name);
            if (id < 0)
            {
                std::vector<std::string> names;
                for (const TopologyNode& candidate : topology.GetNodes())
                {
                    names.push_back(candidate.name);
                }
                Error((*between)[i]->GetMark(),
                      path + ".between",
                      Diagnostics::Unknown("node", name, names));
                continue;
            }
            ends.push_back(static_cast<uint32_t>(id));
        }
    }
    if (!block.IsComplete() || ends.size() != 2 || !rate || !delay || !countGood)
    {
        m_good = false;
        return;
    }
    if (ends[0] == ends[1])
    {
        Error(block.GetMark("between"), path + ".between", "the link joins a node to itself");
        return;
    }
    const uint64_t links = topology.GetLinks().size() + count.value_or(1);
    if (links > TopologyGenerator::MAX_LINKS)
    {
        Error(node.GetMark(),
              path,
              "there are more than " + std::to_string(TopologyGenerator::MAX_LINKS) + " links");
        return;
    }
    for (uint64_t i = 0; i < count.value_or(1); i++)
    {
        topology.AddLink(ends[0], ends[1], *rate, *delay);
    }
}

} // namespace ns3
