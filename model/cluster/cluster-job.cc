/* SPDX-License-Identifier: GPL-2.0-only */
#include "cluster-job.h"

#include "ns3/abort.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
ClusterJob::Configure(uint32_t id, const JobSpec& spec, const ClusterTopology& topology)
{
    steering.name = spec.name;
    request = {id, spec.gpus, spec.gpusPerHost, {}, spec.localGpus, spec.model};
    for (const std::string& host : spec.hosts)
    {
        const int64_t node = topology.FindNode(host);
        NS_ABORT_MSG_IF(node < 0, "job " << spec.name << ": no host " << host);
        request.hosts.push_back(static_cast<uint32_t>(node));
    }
    program = spec.program;
    until = spec.until;
    arrivalRange = spec.arrival;
    continuation = JobContinuation(spec.restart, spec.durationPs);
}

UntilJobs
ClusterJob::GetUntilJobs(const std::vector<ClusterJob>& jobs)
{
    std::vector<std::string> names;
    std::vector<std::string> untils;
    for (const ClusterJob& job : jobs)
    {
        names.push_back(job.steering.name);
        untils.push_back(job.until);
    }
    return {names, untils};
}

std::vector<JobCheck::Job>
ClusterJob::GetChecks(const std::vector<ClusterJob>& jobs)
{
    std::vector<JobCheck::Job> checks;
    for (const ClusterJob& job : jobs)
    {
        checks.push_back(
            {job.request, job.steering.name, job.until, job.program, job.handle.get()});
    }
    return checks;
}

std::vector<PlacementRequest>
ClusterJob::GetRequests(const std::vector<ClusterJob>& jobs, const std::vector<uint32_t>& which)
{
    std::vector<PlacementRequest> requests;
    for (const uint32_t id : which)
    {
        requests.push_back(jobs[id].request);
    }
    return requests;
}

std::string
ClusterJob::GetUntilDetail() const
{
    return (continuation.GetStarts() > 0 ? "not restarted: " : "never started: ") + until +
           " has ended";
}

int64_t
ClusterJob::GetHeldTo(int64_t nowPs) const
{
    if (state == ClusterJobState::PLACED || state == ClusterJobState::RUNNING)
    {
        return nowPs;
    }
    return state == ClusterJobState::ENDED && started ? endPs : -1;
}

void
ClusterJob::Start(int64_t nowPs, const JobUpdate& update) const
{
    if (update.localPriority)
    {
        handle->SetLocalPriority(*update.localPriority);
    }
    handle->Start(nowPs, placedPs, update.flows, update.shiftPs);
}

void
ClusterJob::Apply(int64_t nowPs, const JobUpdate& update) const
{
    if (state != ClusterJobState::RUNNING)
    {
        return;
    }
    if (update.localPriority)
    {
        handle->SetLocalPriority(*update.localPriority);
    }
    if (!update.flows.empty() || update.shiftPs > 0)
    {
        handle->Apply(nowPs, update.flows, update.shiftPs);
    }
}

void
ClusterJob::Place(int64_t nowPs,
                  const std::vector<uint32_t>& where,
                  std::vector<uint8_t>& free,
                  uint64_t seed,
                  const PathOracle& paths)
{
    NS_ABORT_MSG_IF(where.size() != request.gpus,
                    "placement of " << where.size() << " GPUs for job " << steering.name);
    for (const uint32_t gpu : where)
    {
        NS_ABORT_MSG_IF(!free.at(gpu), "GPU " << gpu << " is not free");
        free[gpu] = 0;
    }
    state = ClusterJobState::PLACED;
    gpus = where;
    placedPs = nowPs;
    demand = handle->Place(gpus);
    steering.flows = FlowSteering(seed, steering.name, paths, std::move(demand.flows));
}

bool
ClusterJob::IsOn(uint32_t node, const ClusterTopology& topology) const
{
    return std::any_of(gpus.begin(), gpus.end(), [&](uint32_t gpu) {
        return topology.GetGpuHost(gpu) == node;
    });
}

bool
ClusterJob::IsActive() const
{
    return state == ClusterJobState::PLACED || state == ClusterJobState::RUNNING ||
           state == ClusterJobState::ENDED;
}

void
ClusterJob::FreeGpus(std::vector<uint8_t>& free) const
{
    for (const uint32_t gpu : gpus)
    {
        free[gpu] = 1;
    }
}

void
ClusterJob::LoseGpus(std::vector<uint8_t>& free)
{
    FreeGpus(free);
    gpus.clear();
    state = ClusterJobState::RUNNING;
}

void
ClusterJob::WaitAgain()
{
    started = false;
    gpus.clear();
    steering.level = 0;
    steering.decided = false;
    state = ClusterJobState::WAITING;
}

JobView
ClusterJob::GetView(int64_t startPs) const
{
    JobView view;
    view.job = request.job;
    view.name = steering.name;
    view.arrivalPs = arrivalPs;
    view.gpus = request.gpus;
    view.flop = demand.flop;
    view.computePs = demand.computePs;
    view.communicationStart = demand.communicationStart;
    view.flows = steering.flows.GetFlows();
    view.insideLoads = demand.insideLoads;
    view.level = steering.level;
    view.iterationStartPs =
        shiftPs + (state == ClusterJobState::RUNNING ? handle->GetIterationStartPs() : startPs);
    view.tensors = handle->GetTensors();
    return view;
}

JobView
ClusterJob::GetViewOn(const std::vector<uint32_t>& others,
                      int64_t startPs,
                      uint64_t seed,
                      const PathOracle& paths) const
{
    JobView view = GetView(startPs);
    JobDemand there = handle->Estimate(others);
    view.flop = there.flop;
    view.computePs = there.computePs;
    view.communicationStart = there.communicationStart;
    view.insideLoads = std::move(there.insideLoads);
    view.flows = FlowSteering(seed, view.name, paths, std::move(there.flows)).GetFlows();
    return view;
}

void
ClusterJob::CheckUntil(int64_t nowPs,
                       const std::vector<uint32_t>& others,
                       const std::vector<ClusterJob>& jobs)
{
    const bool over = std::all_of(others.begin(), others.end(), [&jobs](uint32_t other) {
        return jobs[other].state == ClusterJobState::DEPARTED;
    });
    if (untilOver || others.empty() || !over)
    {
        return;
    }
    untilOver = true;
    if (state == ClusterJobState::RUNNING)
    {
        handle->SetLastIteration(nowPs, handle->GetCurrentIteration() + 1);
    }
}

} // namespace ns3
