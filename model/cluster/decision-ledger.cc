/* SPDX-License-Identifier: GPL-2.0-only */
#include "decision-ledger.h"

#include "../scheduler/cluster-names.h"
#include "../scheduler/decision-json.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

void
DecisionLedger::Configure(const ClusterTopology& topology, RecordCallback record)
{
    m_topology = &topology;
    m_record = std::move(record);
}

void
DecisionLedger::SetPriorityMap(const PriorityMap& map)
{
    NS_ABORT_MSG_IF(map.levels == 0 || map.levels > map.highest + 1U,
                    map.levels << " levels do not fit below priority " << +map.highest);
    m_priorities = map;
}

const PriorityMap&
DecisionLedger::GetPriorityMap() const
{
    return m_priorities;
}

void
DecisionLedger::SetWarningCallback(WarningCallback callback)
{
    m_warn = std::move(callback);
}

uint32_t
DecisionLedger::Record(const DecisionRecord& base,
                       const char* kind,
                       const std::string& value,
                       const std::string& inputs,
                       const std::string& reason)
{
    DecisionRecord record = base;
    record.decision = m_records++;
    record.kind = kind;
    record.value = value;
    record.inputs = inputs.empty() ? "{}" : inputs;
    record.reason = reason;
    m_record(record);
    return record.decision;
}

void
DecisionLedger::RecordPlacement(const DecisionRecord& base,
                                const PlacementRequest& request,
                                uint64_t free,
                                const Placement& placement)
{
    Record(base,
           "placement",
           GetGpuNames(*m_topology, placement.gpus),
           DecisionJson()
               .Add("gpus", request.gpus)
               .Add("gpus_per_host", request.gpusPerHost)
               .Add("free", free)
               .AddMembers(placement.inputs)
               .Get(),
           placement.reason);
}

void
DecisionLedger::RecordFallbacks(const DecisionRecord& base,
                                const std::string& name,
                                const std::vector<CollectiveFallback>& fallbacks)
{
    for (const CollectiveFallback& fallback : fallbacks)
    {
        DecisionRecord record = base;
        record.scheduler = fallback.algorithm;
        Record(record, "fallback", "", "", fallback.reason);
        if (m_warn)
        {
            m_warn("job " + name + ": " + fallback.reason);
        }
    }
}

JobUpdate
DecisionLedger::Apply(const DecisionRecord& base, const JobDecision* decision, JobSteering& job)
{
    JobUpdate update;
    update.start = !job.decided;
    const uint32_t oldLevel = job.level;
    uint32_t levelRecord = NO_ID;
    if (decision)
    {
        job.level = decision->level;
        levelRecord = Record(base,
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
        const uint32_t pathRecord = decision ? ApplyPath(base, *decision, job, flow) : NO_ID;
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
        Record(base,
               "shift",
               std::to_string(decision->shiftPs) + " ps",
               decision->inputs,
               decision->reason);
    }
    if (decision)
    {
        ApplyTensors(base, *decision, job, update);
    }
    for (size_t i = 0; decision && i < decision->fallbacks.size(); i++)
    {
        Record(base, "fallback", "", decision->inputs, decision->fallbacks[i]);
        // Decisions repeat what cannot be done; the user is told once.
        if (m_warn && job.told.insert(decision->fallbacks[i]).second)
        {
            m_warn("job " + job.name + ": " + decision->fallbacks[i]);
        }
    }
    for (size_t i = 0; decision && update.start && i < decision->warnings.size(); i++)
    {
        Record(base, "fallback", "", decision->inputs, decision->warnings[i]);
        if (m_warn)
        {
            m_warn("job " + job.name + ": " + decision->warnings[i]);
        }
    }
    job.decided = true;
    return update;
}

void
DecisionLedger::ApplyTensors(const DecisionRecord& base,
                             const JobDecision& decision,
                             JobSteering& job,
                             JobUpdate& update)
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
    Record(base,
           "partition",
           "partition " + size(job.tensors->partitionBytes) + ", credit " +
               size(job.tensors->creditBytes) +
               (job.tensors->priority ? ", by layer" : ", as they come"),
           decision.inputs,
           decision.reason);
}

uint32_t
DecisionLedger::ApplyPath(const DecisionRecord& base,
                          const JobDecision& decision,
                          JobSteering& job,
                          uint32_t flow)
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
        record = Record(base, "fallback", name, inputs, reason);
        if (m_warn)
        {
            m_warn("job " + job.name + ", flow " + std::to_string(flow) + ": " + reason);
        }
    }
    else
    {
        record = isSteered ? Record(base, "path", name, inputs, decision.pathReason)
                           : Record(base, "path", "ECMP", inputs, decision.reason);
    }
    return view.udpSourcePort != oldPort ? record : NO_ID;
}

} // namespace ns3
