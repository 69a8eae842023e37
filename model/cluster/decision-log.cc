/* SPDX-License-Identifier: GPL-2.0-only */
#include "decision-log.h"

#include "../scheduler/cluster-names.h"
#include "../scheduler/decision-json.h"

#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DecisionLog");

void
DecisionLog::Configure(const ClusterTopology& topology, RecordCallback record)
{
    m_topology = &topology;
    m_record = std::move(record);
}

void
DecisionLog::SetWarningCallback(WarningCallback callback)
{
    m_warn = std::move(callback);
}

uint32_t
DecisionLog::Record(const DecisionRecord& base,
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
    NS_LOG_INFO(record.timePs << " ps: " << record.scheduler << ", job " << record.job << ": "
                              << record.kind << " " << record.value << " (" << record.reason
                              << ")");
    m_record(record);
    return record.decision;
}

void
DecisionLog::RecordPlacement(const DecisionRecord& base,
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
DecisionLog::RecordFallbacks(const DecisionRecord& base,
                             const std::string& name,
                             const std::vector<CollectiveFallback>& fallbacks)
{
    for (const CollectiveFallback& fallback : fallbacks)
    {
        DecisionRecord record = base;
        record.scheduler = fallback.algorithm;
        Record(record, "fallback", "", "", fallback.reason);
        Warn("job " + name + ": " + fallback.reason);
    }
}

void
DecisionLog::Warn(const std::string& warning) const
{
    NS_LOG_WARN(warning);
    if (m_warn)
    {
        m_warn(warning);
    }
}

} // namespace ns3
