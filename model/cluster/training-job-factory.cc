/* SPDX-License-Identifier: GPL-2.0-only */
#include "training-job-factory.h"

#include "../workload/application/host-loads.h"
#include "communication-start.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingJobFactory");

TrainingJobFactory::TrainingJobFactory(Setup setup)
    : m_setup(std::move(setup))
{
}

std::string
TrainingJobFactory::GetFault(const JobSpec& spec, const std::vector<uint32_t>& gpus) const
{
    return JobTraffic::GetFault(*m_setup.getProgram(spec), gpus, m_setup.environment->topology);
}

JobView
TrainingJobFactory::Estimate(const JobSpec& spec, const std::vector<uint32_t>& gpus) const
{
    const std::shared_ptr<const IterationProgram> program = m_setup.getProgram(spec);
    std::vector<std::string> faults;
    const JobTraffic traffic = JobTraffic::Build(*program,
                                                 gpus,
                                                 m_setup.environment->topology,
                                                 faults,
                                                 &m_setup.environment->plans);
    if (!faults.empty())
    {
        NS_LOG_DEBUG("job " << spec.name << " cannot run there: " << faults.front());
        JobView none;
        none.communicationStart = 0;
        return none;
    }
    return GetDemand(*program, gpus, traffic);
}

PlacedJob
TrainingJobFactory::Make(uint32_t id,
                         const JobSpec& spec,
                         const std::vector<uint32_t>& gpus,
                         const JobResumption& from) const
{
    const std::shared_ptr<const IterationProgram> program = m_setup.getProgram(spec);
    const Ptr<TrainingJob> job = CreateObject<TrainingJob>();
    JobSpec left = spec;
    left.iterations -= std::min(left.iterations, from.iteration);
    job->SetResumption(from);
    const std::vector<std::string> faults =
        job->Configure(m_setup.environment, id, left, program, gpus);
    NS_ABORT_MSG_IF(!faults.empty(), "job " << spec.name << ": " << faults.front());
    return {job, GetDemand(*program, gpus, job->GetTraffic())};
}

JobView
TrainingJobFactory::GetDemand(const IterationProgram& program,
                              const std::vector<uint32_t>& gpus,
                              const JobTraffic& traffic) const
{
    JobView demand;
    demand.communicationStart = 0;
    demand.flop = program.flopPerIteration;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
    {
        demand.computePs = std::max(demand.computePs, program.GetComputePs(rank));
    }
    const ClusterTopology& topology = m_setup.environment->topology;
    const Ptr<HostInterconnect> interconnect = m_setup.environment->interconnect;
    // If a job communicates only inside hosts, every collective counts.
    const bool inside = interconnect && traffic.flows.empty();
    std::vector<uint32_t> hosts;
    for (const uint32_t gpu : gpus)
    {
        hosts.push_back(inside ? gpu : topology.GetGpuHost(gpu));
    }
    demand.communicationStart = GetCommunicationStart(program, hosts);
    if (!traffic.impossible.empty())
    {
        // A job that cannot send at all fails as soon as it starts, so there is nothing to decide.
        return demand;
    }
    if (interconnect)
    {
        demand.insideLoads = GetHostLoads(traffic, topology, *interconnect);
    }
    // If the inside of hosts is modelled, each of its segments is a separate message of the
    // network.
    const auto sum = [&interconnect](const JobFlow& flow, const WireBytes& wireBytes) {
        return flow.Sum([&](uint64_t bytes) {
            return interconnect ? interconnect->SumSegments(bytes, wireBytes) : wireBytes(bytes);
        });
    };
    for (const JobFlow& flow : traffic.flows)
    {
        FlowView view;
        view.flow = static_cast<uint32_t>(demand.flows.size());
        view.sourceNic = flow.sourceNic;
        view.destinationNic = flow.destinationNic;
        view.channel = flow.channel;
        view.wireBytes = sum(flow, m_setup.dataWireBytes);
        view.ackWireBytes = sum(flow, m_setup.ackWireBytes);
        demand.flows.push_back(std::move(view));
    }
    return demand;
}

} // namespace ns3
