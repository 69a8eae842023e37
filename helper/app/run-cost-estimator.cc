/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-cost-estimator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// Paths that are measured for the mean length of those of a job.
constexpr size_t MAX_PATHS = 2000;
/// Memory of a queue pair with its state, its counters and the part of a plan that it carries out
/// [byte].
constexpr double QUEUE_PAIR_BYTES = 1500;
/// What a run adds to a network that has been built: frames, the database's cache [byte].
constexpr double RUN_BYTES = 6e6;

} // namespace

RunCostEstimator::RunCostEstimator(const Scenario& scenario,
                                   const PathOracle& paths,
                                   const RoceFraming& framing,
                                   uint32_t ackInterval,
                                   uint32_t segmentBytes)
    : m_scenario(scenario),
      m_paths(paths),
      m_framing(framing),
      m_ackInterval(ackInterval),
      m_segmentBytes(segmentBytes)
{
}

double
RunCostEstimator::GetPathHops(uint32_t sourceNic, uint32_t destinationNic) const
{
    return static_cast<double>(m_paths.GetEcmpPath(sourceNic, destinationNic, 0).size());
}

void
RunCostEstimator::Add(double hops, double beginPs, double endPs)
{
    const auto stopPs = static_cast<double>(m_scenario.stopPs);
    if (stopPs > 0 && endPs > stopPs)
    {
        hops *= beginPs < stopPs ? (stopPs - beginPs) / (endPs - beginPs) : 0;
        endPs = stopPs;
    }
    m_hops += hops;
    m_endPs = std::max(m_endPs, endPs);
}

void
RunCostEstimator::AddFlows(const std::vector<PlainFlow>& flows)
{
    // By the NICs' two directions: (bytes, earliest start).
    std::map<std::pair<uint32_t, bool>, std::pair<double, double>> loads;
    for (const PlainFlow& flow : flows)
    {
        for (const auto& [nic, sends] :
             {std::make_pair(flow.sourceNic, true), std::make_pair(flow.destinationNic, false)})
        {
            const auto at = static_cast<double>(flow.atPs);
            auto& [bytes, begin] = loads.try_emplace({nic, sends}, 0, at).first->second;
            bytes += static_cast<double>(m_framing.GetMessageWireBytes(flow.bytes));
            begin = std::min(begin, at);
        }
    }
    for (const PlainFlow& flow : flows)
    {
        const double frames = static_cast<double>(m_framing.GetFrameCount(flow.bytes));
        const double acks = std::ceil(frames / m_ackInterval);
        double end = static_cast<double>(flow.atPs);
        // The flows of a NIC share it, and so end together.
        for (const auto& [nic, sends] :
             {std::make_pair(flow.sourceNic, true), std::make_pair(flow.destinationNic, false)})
        {
            const auto& [bytes, begin] = loads.at({nic, sends});
            const auto rate = static_cast<double>(m_scenario.graph.GetPortRate(nic));
            end = std::max(end, begin + bytes * 8e12 / std::max(1.0, rate));
        }
        Add((frames + acks) * GetPathHops(flow.sourceNic, flow.destinationNic),
            static_cast<double>(flow.atPs),
            end);
    }
    m_queuePairs += static_cast<double>(flows.size());
}

RunCostEstimator::Iteration
RunCostEstimator::EstimateIteration(const Job& job) const
{
    JobView view;
    job.estimate(view);
    Iteration iteration;
    iteration.queuePairs = static_cast<double>(view.flows.size());
    double frames = 0;
    double data = 0;
    double hops = 0;
    double sampled = 0;
    const size_t stride = 1 + view.flows.size() / MAX_PATHS;
    const double frameBytes = m_framing.GetMaxWireBytes();
    for (size_t i = 0; i < view.flows.size(); ++i)
    {
        FlowView& flow = view.flows[i];
        const auto count = static_cast<double>(flow.wireBytes + flow.ackWireBytes);
        frames += count;
        data += static_cast<double>(flow.wireBytes);
        if (i % stride == 0)
        {
            hops += count * GetPathHops(flow.sourceNic, flow.destinationNic);
            sampled += count;
        }
        flow.wireBytes = static_cast<uint64_t>(static_cast<double>(flow.wireBytes) * frameBytes);
    }
    iteration.hops = sampled > 0 ? hops * frames / sampled : 0;
    for (const auto& [link, bytes] : view.insideLoads)
    {
        // Inside a host a segment is a frame.
        iteration.hops += static_cast<double>(bytes) / m_segmentBytes;
    }
    iteration.lengthPs =
        std::max(1.0, static_cast<double>(view.EstimateIterationPs(m_scenario.graph)));
    return iteration;
}

void
RunCostEstimator::AddJobs(const std::vector<Job>& jobs)
{
    const auto start = std::chrono::steady_clock::now();
    std::map<std::pair<uint32_t, uint32_t>, Iteration> known; // by program and GPUs
    Iteration mean;                                           // of a GPU
    double estimates = 0;
    std::vector<Iteration> iterations;
    for (const Job& job : jobs)
    {
        const auto key = std::make_pair(job.spec->program, job.spec->gpus);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        auto found = known.find(key);
        if (found == known.end() && (estimates == 0 || spent.count() < MAX_SECONDS))
        {
            found = known.emplace(key, EstimateIteration(job)).first;
            const double gpus = job.spec->gpus;
            ++estimates;
            mean.hops += (found->second.hops / gpus - mean.hops) / estimates;
            mean.queuePairs += (found->second.queuePairs / gpus - mean.queuePairs) / estimates;
            mean.lengthPs += (found->second.lengthPs - mean.lengthPs) / estimates;
        }
        iterations.push_back(found != known.end() ? found->second
                                                  : Iteration{mean.hops * job.spec->gpus,
                                                              mean.queuePairs * job.spec->gpus,
                                                              mean.lengthPs});
    }
    // Jobs that end by themselves, then those that run until others end.
    std::map<std::string, double> ends; // by name, and by name without its number
    for (const bool until : {false, true})
    {
        for (size_t i = 0; i < jobs.size(); ++i)
        {
            const JobSpec& spec = *jobs[i].spec;
            const auto begin = static_cast<double>(jobs[i].arrivalPs);
            double count = static_cast<double>(spec.iterations);
            if (until == spec.until.empty())
            {
                continue;
            }
            if (until)
            {
                const auto other = ends.find(spec.until);
                count = other == ends.end()
                            ? 1
                            : std::max(1.0, (other->second - begin) / iterations[i].lengthPs);
            }
            else if (spec.duration.IsStrictlyPositive())
            {
                count = std::ceil(static_cast<double>(spec.duration.GetPicoSeconds()) /
                                  iterations[i].lengthPs);
            }
            const double end = begin + count * iterations[i].lengthPs;
            Add(count * iterations[i].hops, begin, end);
            m_queuePairs += iterations[i].queuePairs;
            for (const std::string& name : {spec.name, spec.name.substr(0, spec.name.rfind('-'))})
            {
                double& last = ends.try_emplace(name, end).first->second;
                last = std::max(last, end);
            }
        }
    }
}

RunCost
RunCostEstimator::GetCost() const
{
    RunCost cost;
    cost.packetHops = m_hops;
    cost.simulatedPs = m_endPs;
    cost.memoryBytes = RunCost::GetPeakMemory() + m_queuePairs * QUEUE_PAIR_BYTES + RUN_BYTES;
    int64_t delay = 0;
    const auto& links = m_scenario.graph.GetLinks();
    for (uint32_t link = 0; link < m_scenario.graph.GetNetworkPortCount() / 2; ++link)
    {
        delay = delay == 0 ? links[link].delayPs : std::min(delay, links[link].delayPs);
    }
    cost.windowPs = static_cast<double>(delay) / 2;
    return cost;
}

} // namespace ns3
