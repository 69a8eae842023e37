/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-profiler.h"

#include "period-estimator.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("JobProfiler");

JobProfiler::LinkBytes
JobProfiler::GetLinkBytes(const std::vector<JobLinkCounters>& counters, uint32_t job)
{
    LinkBytes bytes;
    for (const JobLinkCounters& entry : counters)
    {
        if (entry.job != job)
        {
            continue;
        }
        if (bytes.empty() || bytes.back().first != entry.link)
        {
            bytes.emplace_back(entry.link, 0);
        }
        bytes.back().second += entry.bytes;
    }
    return bytes;
}

void
JobProfiler::Configure(const ProfilePlan& plan,
                       const ClusterTopology& topology,
                       LinkSource source,
                       ProfiledCallback profiled)
{
    NS_ABORT_MSG_IF(plan.iterations > 0 &&
                        (plan.iterations < 2 || plan.intervalPs <= 0 || !source || !profiled),
                    "a profile takes two iterations, an interval, and someone who counts");
    m_plan = plan;
    m_topology = &topology;
    m_source = std::move(source);
    m_profiled = std::move(profiled);
}

void
JobProfiler::Add(int64_t nowPs, uint32_t job, uint32_t gpus, bool hasTraffic)
{
    if (!IsEnabled())
    {
        return;
    }
    m_profiles.erase(job);
    if (hasTraffic)
    {
        m_waiting.push_back({job, gpus});
    }
    else
    {
        m_profiled(nowPs, job, "no traffic to measure");
    }
}

void
JobProfiler::Remove(uint32_t job)
{
    const auto isJob = [job](const Waiting& waiting) { return waiting.job == job; };
    m_waiting.erase(std::remove_if(m_waiting.begin(), m_waiting.end(), isJob), m_waiting.end());
    m_job = m_job == job ? NO_ID : m_job;
}

void
JobProfiler::Advance(int64_t fromPs)
{
    m_due = false;
    if (m_job != NO_ID || m_waiting.empty())
    {
        return;
    }
    m_job = m_waiting.front().job;
    m_gpus = m_waiting.front().gpus;
    m_waiting.pop_front();
    m_turn++;
    NS_LOG_INFO("job " << m_job << " is measured from " << fromPs << " ps on");
    m_fromPs = fromPs;
    m_ended = 0;
    m_computePs = 0;
    m_sent.clear();
}

void
JobProfiler::IterationEnded(const IterationRecord& record)
{
    const int64_t nowPs = record.endPs;
    const uint32_t job = record.job;
    if (job != m_job || nowPs < m_fromPs)
    {
        return;
    }
    m_ended++;
    if (m_ended == 1)
    {
        m_start = m_source(job);
        Sample(m_turn);
        return;
    }
    m_computePs += record.computePs;
    if (m_ended == m_plan.iterations)
    {
        Finish(nowPs, m_source(job));
    }
}

void
JobProfiler::Sample(uint64_t turn)
{
    if (m_job == NO_ID || turn != m_turn)
    {
        return;
    }
    uint64_t sent = 0;
    for (const auto& [link, bytes] : m_source(m_job))
    {
        const TopologyNodeKind kind = m_topology->GetNodes()[m_topology->GetPortNode(link)].kind;
        sent += kind == TopologyNodeKind::HOST || kind == TopologyNodeKind::GPU ? bytes : 0;
    }
    m_sent.push_back(sent);
    // Not on any node, like the manager.
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   PicoSeconds(m_plan.intervalPs),
                                   &JobProfiler::Sample,
                                   this,
                                   turn);
}

void
JobProfiler::Finish(int64_t nowPs, LinkBytes end)
{
    JobProfile& profile = m_profiles[m_job];
    profile.iterations = m_plan.iterations - 1;
    const auto measured = profile.iterations;
    const auto divide = [measured](uint64_t sum) { return (sum + measured / 2) / measured; };
    auto before = m_start.begin();
    for (const auto& [link, bytes] : end)
    {
        while (before != m_start.end() && before->first < link)
        {
            ++before;
        }
        const bool known = before != m_start.end() && before->first == link;
        const uint64_t sum = bytes - (known ? before->second : 0);
        if (sum > 0)
        {
            profile.linkBytes.emplace_back(link, divide(sum));
        }
    }
    profile.computePs = static_cast<int64_t>(
        divide(static_cast<uint64_t>(m_computePs) / std::max<uint32_t>(1, m_gpus)));
    std::vector<double> samples;
    for (size_t i = 1; i < m_sent.size(); i++)
    {
        samples.push_back(static_cast<double>(m_sent[i] - m_sent[i - 1]));
    }
    profile.periodPs = PeriodEstimator::Estimate(samples, m_plan.intervalPs);
    const uint32_t job = m_job;
    m_job = NO_ID;
    m_due = true;
    m_profiled(nowPs,
               job,
               std::to_string(measured) + " iterations, " +
                   (profile.periodPs > 0
                        ? "period " + std::to_string(profile.periodPs / 1'000'000) + " us"
                        : std::string("no period found")) +
                   ", " + std::to_string(profile.linkBytes.size()) + " links");
}

void
JobProfiler::Describe(JobView& view) const
{
    const auto isJob = [&view](const Waiting& waiting) { return waiting.job == view.job; };
    const auto profile = m_profiles.find(view.job);
    if (view.job == m_job)
    {
        view.profileState = ProfileState::RUNNING;
    }
    else if (std::any_of(m_waiting.begin(), m_waiting.end(), isJob))
    {
        view.profileState = ProfileState::WAITING;
    }
    else if (profile != m_profiles.end())
    {
        view.profileState = ProfileState::DONE;
        view.profile = profile->second;
        view.computePs = profile->second.computePs;
    }
}

} // namespace ns3
