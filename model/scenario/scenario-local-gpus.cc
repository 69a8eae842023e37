/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-local-gpus.h"

#include "../base/unit-parser.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr const char* KEY = "local-gpus";
constexpr uint64_t HIGHEST = 1023; ///< GPU number: hosts have up to 1024 GPUs

/// "1 GPU", "2 GPUs".
std::string
Count(uint64_t number, const std::string& word)
{
    return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
}

} // namespace

ScenarioLocalGpus::ScenarioLocalGpus(Diagnostics& diagnostics, const ClusterTopology* graph)
    : m_diagnostics(diagnostics),
      m_graph(graph)
{
}

bool
ScenarioLocalGpus::Read(const DocumentBlock& block,
                        const std::vector<const DocumentNode*>& items,
                        JobSpec& job)
{
    if (!block.Has(KEY))
    {
        return true;
    }
    if (block.IsWrong(KEY))
    {
        return false;
    }
    for (std::size_t i = 0; i < items.size(); i++)
    {
        ReadNumber(*items[i], block.GetPath(KEY) + "[" + std::to_string(i) + "]", job);
    }
    if (job.localGpus.size() < items.size())
    {
        return false;
    }
    std::sort(job.localGpus.begin(), job.localGpus.end());
    if (!CheckCounts(block, job) || !CheckHosts(block, job))
    {
        return false;
    }
    job.gpusPerHost = static_cast<uint32_t>(job.localGpus.size());
    return true;
}

void
ScenarioLocalGpus::ReadNumber(const DocumentNode& item, const std::string& path, JobSpec& job)
{
    std::string error;
    const auto number = UnitParser::ParseUnsigned(item.text, 0, HIGHEST, error);
    if (!number)
    {
        m_diagnostics.Error(item.GetMark(), path, error);
        return;
    }
    const auto gpu = static_cast<uint32_t>(*number);
    if (std::find(job.localGpus.begin(), job.localGpus.end(), gpu) != job.localGpus.end())
    {
        m_diagnostics.Error(item.GetMark(), path, "GPU " + item.text + " is listed twice");
        return;
    }
    job.localGpus.push_back(gpu);
}

bool
ScenarioLocalGpus::CheckCounts(const DocumentBlock& block, const JobSpec& job) const
{
    const std::string listed = Count(job.localGpus.size(), "GPU") + " of each host";
    if (job.gpusPerHost > 0 && job.gpusPerHost != job.localGpus.size())
    {
        block.Error(KEY,
                    "lists " + listed + ", but gpus-per-host is " +
                        std::to_string(job.gpusPerHost));
        return false;
    }
    if (job.gpus % job.localGpus.size() != 0)
    {
        block.Error(KEY,
                    "lists " + listed + ", and " + Count(job.gpus, "GPU") +
                        " cannot be divided by that");
        return false;
    }
    const uint64_t made = job.hosts.size() * job.localGpus.size();
    if (job.gpus > 0 && made > 0 && job.gpus != made)
    {
        block.Error(KEY,
                    "lists " + listed + ", which makes " + std::to_string(made) + " on " +
                        Count(job.hosts.size(), "host") + ", but gpus is " +
                        std::to_string(job.gpus));
        return false;
    }
    return true;
}

bool
ScenarioLocalGpus::CheckHosts(const DocumentBlock& block, const JobSpec& job) const
{
    if (m_graph == nullptr)
    {
        return true;
    }
    const uint32_t highest = job.localGpus.back();
    uint64_t able = 0;
    for (const TopologyNode& node : m_graph->GetNodes())
    {
        able += node.kind == TopologyNodeKind::HOST && node.gpus > highest;
    }
    for (const std::string& host : job.hosts)
    {
        const uint32_t gpus = m_graph->GetNodes()[m_graph->FindNode(host)].gpus;
        if (gpus <= highest)
        {
            block.Error(KEY,
                        "there is no GPU " + std::to_string(highest) + " on host " + host +
                            ", which has " + Count(gpus, "GPU"));
            return false;
        }
    }
    const uint64_t wanted = job.hosts.empty() ? job.gpus / job.localGpus.size() : 0;
    if (able < wanted)
    {
        block.Error(KEY,
                    Count(wanted, "host") + " with a GPU " + std::to_string(highest) +
                        " are asked for, the cluster has " + std::to_string(able));
        return false;
    }
    return true;
}

} // namespace ns3
