/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/cluster-view.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3
{

CandidatePaths::CandidatePaths(const PathOracle& oracle)
    : m_oracle(oracle)
{
}

const std::vector<LinkPath>&
CandidatePaths::Get(uint32_t sourceNic, uint32_t destinationNic)
{
    const auto [entry, isNew] =
        m_paths.try_emplace(std::make_pair(sourceNic, destinationNic), std::vector<LinkPath>());
    if (isNew)
    {
        entry->second = m_oracle.GetPaths(sourceNic, destinationNic);
        NS_ABORT_MSG_IF(entry->second.empty(),
                        "no path from NIC port " << sourceNic << " to " << destinationNic);
    }
    return entry->second;
}

double
JobView::GetAttainedService() const
{
    return static_cast<double>(gpus) * static_cast<double>(service.executedPs);
}

int64_t
JobView::EstimateIterationPs(const ClusterTopology& topology) const
{
    if (service.iterationPs > 0)
    {
        return service.iterationPs;
    }
    if (profileState == ProfileState::DONE && profile.periodPs > 0)
    {
        return profile.periodPs;
    }
    std::map<uint32_t, uint64_t> bytes; // by directed link of a NIC
    for (const FlowView& flow : flows)
    {
        bytes[flow.sourceNic] += flow.wireBytes;
        bytes[ClusterTopology::GetPeerPort(flow.destinationNic)] += flow.wireBytes;
        bytes[flow.destinationNic] += flow.ackWireBytes;
        bytes[ClusterTopology::GetPeerPort(flow.sourceNic)] += flow.ackWireBytes;
    }
    double linkPs = 0;
    for (const auto& [link, sum] : bytes)
    {
        linkPs = std::max(linkPs,
                          8e12 * static_cast<double>(sum) /
                              static_cast<double>(topology.GetPortRate(link)));
    }
    const auto compute = static_cast<double>(computePs);
    return std::llround(std::max(compute, communicationStart * compute + linkPs));
}

std::optional<double>
JobView::GetRemainingService(const ClusterTopology& topology) const
{
    if (service.remainingIterations)
    {
        return static_cast<double>(gpus) * static_cast<double>(*service.remainingIterations) *
               static_cast<double>(EstimateIterationPs(topology));
    }
    if (service.remainingPs)
    {
        return static_cast<double>(gpus) * static_cast<double>(*service.remainingPs);
    }
    return std::nullopt;
}

std::vector<LinkLoad>
ClusterView::GetLinkLoads() const
{
    NS_ABORT_MSG_IF(!topology, "the view has no topology");
    std::map<uint32_t, LinkLoad> loads;
    for (const JobView& job : jobs)
    {
        std::map<uint32_t, uint64_t> bytes; // of the job, by directed link
        if (job.profileState == ProfileState::DONE)
        {
            bytes.insert(job.profile.linkBytes.begin(), job.profile.linkBytes.end());
        }
        else
        {
            for (const FlowView& flow : job.flows)
            {
                for (const uint32_t link : flow.path)
                {
                    bytes[link] += flow.wireBytes;
                }
            }
            for (const auto& [link, inside] : job.insideLoads)
            {
                bytes[link] += inside;
            }
        }
        const auto seconds = 1e-12 * static_cast<double>(job.EstimateIterationPs(*topology));
        for (const auto& [link, sum] : bytes)
        {
            LinkLoad& load = loads[link];
            load.link = link;
            load.jobs++;
            load.iterationBytes += sum;
            load.rateBps += seconds > 0 ? 8 * static_cast<double>(sum) / seconds : 0;
        }
    }
    std::vector<LinkLoad> result;
    result.reserve(loads.size());
    for (const auto& [link, load] : loads)
    {
        result.push_back(load);
    }
    return result;
}

std::string
ScheduleDecision::Validate(const ClusterView& view) const
{
    auto job = view.jobs.begin();
    for (const JobDecision& entry : jobs)
    {
        job = std::find_if(job, view.jobs.end(), [&entry](const JobView& candidate) {
            return candidate.job == entry.job;
        });
        const std::string name = "job " + std::to_string(entry.job);
        if (job == view.jobs.end())
        {
            return name + " is out of order or does not run";
        }
        if (entry.level >= view.priorityLevels)
        {
            return name + " has level " + std::to_string(entry.level) + ", but there are " +
                   std::to_string(view.priorityLevels);
        }
        if (entry.paths.size() > job->flows.size())
        {
            return name + " has paths for more flows than it has";
        }
        ++job;
    }
    return "";
}

} // namespace ns3
