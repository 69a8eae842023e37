/* SPDX-License-Identifier: GPL-2.0-only */
#include "actuator.h"

#include "../scheduler/cluster-names.h"
#include "../scheduler/decision-json.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Actuator");

void
Actuator::Configure(const ClusterTopology& topology, DecisionLog& log)
{
    m_topology = &topology;
    m_log = &log;
}

void
Actuator::SetPriorityMap(const PriorityMap& map)
{
    NS_ABORT_MSG_IF(map.levels == 0 || map.levels > map.highest + 1U,
                    map.levels << " levels do not fit below priority " << +map.highest);
    m_priorities = map;
}

const PriorityMap&
Actuator::GetPriorityMap() const
{
    return m_priorities;
}

bool
Actuator::Apply(const DecisionRecord& base,
                const ClusterView& view,
                const ScheduleDecision& decision,
                const std::vector<Ptr<Job>>& jobs,
                int64_t duePs)
{
    bool changes = false;
    DecisionRecord record = base;
    auto entry = decision.jobs.begin();
    for (const JobView& seen : view.jobs)
    {
        const bool spoken = entry != decision.jobs.end() && entry->job == seen.job;
        const Ptr<Job>& job = jobs[seen.job];
        record.job = seen.job;
        JobUpdate update = Plan(record, spoken ? &*entry++ : nullptr, job->GetSteering());
        if (!update.IsEmpty())
        {
            NS_LOG_DEBUG(job->GetName() << ": " << update.flows.size() << " flows change at "
                                        << duePs << " ps, shift " << update.shiftPs << " ps");
            job->AddPendingShift(update.shiftPs);
            m_effects.emplace(duePs, Effect{job, std::move(update)});
            changes = true;
        }
    }
    return changes;
}

void
Actuator::ApplyDue(int64_t nowPs)
{
    while (!m_effects.empty() && m_effects.begin()->first <= nowPs)
    {
        const Effect effect = std::move(m_effects.begin()->second);
        m_effects.erase(m_effects.begin());
        Job& job = *effect.job;
        job.AddPendingShift(-effect.update.shiftPs);
        const bool start = effect.update.start;
        if (!start && job.GetState() == JobState::RUNNING)
        {
            job.GetRanks()->Apply(nowPs, effect.update);
        }
        else if (start &&
                 job.GetState() == JobState::PLACED) // none of its hosts has failed meanwhile
        {
            job.Start(nowPs, effect.update);
        }
    }
}

JobUpdate
Actuator::Plan(const DecisionRecord& base, const JobDecision* decision, JobSteering& job) const
{
    JobUpdate update;
    update.start = !job.decided;
    const uint32_t oldLevel = job.level;
    uint32_t levelRecord = NO_ID;
    if (decision)
    {
        job.level = decision->level;
        levelRecord = m_log->Record(base,
                                    "priority",
                                    "level " + std::to_string(job.level),
                                    decision->inputs,
                                    decision->reason);
    }
    if (update.start || job.level != oldLevel)
    {
        update.localPriority = static_cast<uint8_t>(m_priorities.highest - job.level);
    }
    const std::vector<FlowView>& flows = job.flows.GetFlows();
    for (uint32_t flow = 0; flow < flows.size(); flow++)
    {
        const uint32_t pathRecord = decision ? PlanPath(base, *decision, job, flow) : NO_ID;
        if (update.start || pathRecord != NO_ID || job.level != oldLevel)
        {
            update.flows.push_back({flow,
                                    flows[flow].udpSourcePort,
                                    static_cast<uint8_t>(m_priorities.highest - job.level),
                                    pathRecord != NO_ID ? pathRecord : levelRecord});
        }
    }
    if (decision && decision->shiftPs > 0)
    {
        update.shiftPs = decision->shiftPs;
        m_log->Record(base,
                      "shift",
                      std::to_string(decision->shiftPs) + " ps",
                      decision->inputs,
                      decision->reason);
    }
    if (decision)
    {
        PlanTensors(base, *decision, job, update);
    }
    for (size_t i = 0; decision && i < decision->fallbacks.size(); i++)
    {
        m_log->Record(base, "fallback", "", decision->inputs, decision->fallbacks[i]);
        // Decisions repeat what cannot be done; the user is warned once.
        if (job.told.insert(decision->fallbacks[i]).second)
        {
            m_log->Warn("job " + job.name + ": " + decision->fallbacks[i]);
        }
    }
    for (size_t i = 0; decision && update.start && i < decision->warnings.size(); i++)
    {
        m_log->Record(base, "fallback", "", decision->inputs, decision->warnings[i]);
        m_log->Warn("job " + job.name + ": " + decision->warnings[i]);
    }
    job.decided = true;
    return update;
}

void
Actuator::PlanTensors(const DecisionRecord& base,
                      const JobDecision& decision,
                      JobSteering& job,
                      JobUpdate& update) const
{
    if (!decision.tensors || (job.tensors && *job.tensors == *decision.tensors && !update.start))
    {
        return;
    }
    job.tensors = decision.tensors;
    update.tensors = decision.tensors;
    const auto size = [](uint64_t bytes) {
        return bytes == TensorSchedule::UNLIMITED ? "unlimited" : std::to_string(bytes) + " B";
    };
    m_log->Record(base,
                  "partition",
                  "partition " + size(job.tensors->partitionBytes) + ", credit " +
                      size(job.tensors->creditBytes) +
                      (job.tensors->priority ? ", by layer" : ", as they come"),
                  decision.inputs,
                  decision.reason);
}

uint32_t
Actuator::PlanPath(const DecisionRecord& base,
                   const JobDecision& decision,
                   JobSteering& job,
                   uint32_t flow) const
{
    const FlowView& view = job.flows.GetFlows()[flow];
    const bool wasSteered = job.flows.IsSteered(flow);
    const uint16_t oldPort = view.udpSourcePort;
    const LinkPath path = flow < decision.paths.size() ? decision.paths[flow] : LinkPath();
    const FlowSteering::Outcome outcome = job.flows.Steer(flow, path);
    const bool isSteered = job.flows.IsSteered(flow);
    if (outcome == FlowSteering::Outcome::KEPT && isSteered == wasSteered)
    {
        return NO_ID;
    }

    const std::string inputs =
        DecisionJson()
            .Add("flow", flow)
            .Add("source", m_topology->GetPortName(view.sourceNic))
            .Add("destination", m_topology->GetPortName(view.destinationNic))
            .Add("udp_source_port", static_cast<uint32_t>(view.udpSourcePort))
            .AddMembers(flow < decision.pathInputs.size() ? decision.pathInputs[flow] : "")
            .Get();
    const std::string name = GetPathName(*m_topology, view.path);
    uint32_t record = NO_ID;
    if (outcome == FlowSteering::Outcome::UNREACHABLE)
    {
        const std::string reason = "no UDP source port of " +
                                   m_topology->GetPortName(view.sourceNic) + " reaches " +
                                   GetPathName(*m_topology, path) + ": left to ECMP";
        record = m_log->Record(base, "fallback", name, inputs, reason);
        m_log->Warn("job " + job.name + ", flow " + std::to_string(flow) + ": " + reason);
    }
    else
    {
        record = isSteered ? m_log->Record(base, "path", name, inputs, decision.pathReason)
                           : m_log->Record(base, "path", "ECMP", inputs, decision.reason);
    }
    return view.udpSourcePort != oldPort ? record : NO_ID;
}

} // namespace ns3
