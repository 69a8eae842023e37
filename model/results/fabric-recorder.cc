/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-recorder.h"

#include <algorithm>
#include <utility>

namespace ns3
{

FabricRecorder::FabricRecorder(ResultDatabase& database,
                               uint32_t run,
                               const ClusterTopology& topology,
                               const RecordSpec& record)
    : m_database(database),
      m_run(run),
      m_topology(topology),
      m_record(record)
{
    const std::vector<TopologyNode>& nodes = topology.GetNodes();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        m_database.Insert(
            NodeRow{run, node, nodes[node].name, ToName(nodes[node].kind), nodes[node].gpus});
    }
    for (uint32_t port = 0; port < topology.GetPortCount(); ++port)
    {
        const uint32_t source = topology.GetPortNode(port);
        const std::vector<uint32_t>& ports = nodes[source].ports;
        LinkRow row;
        row.run = run;
        row.link = port;
        row.name = topology.GetDirectedLinkName(port);
        row.source = source;
        row.destination = topology.GetPortNode(ClusterTopology::GetPeerPort(port));
        row.sourcePort =
            static_cast<uint32_t>(std::find(ports.begin(), ports.end(), port) - ports.begin());
        row.rateBps = topology.GetPortRate(port);
        row.delayPs = topology.GetPortDelay(port);
        m_database.Insert(row);
    }
}

void
FabricRecorder::OnQueuePair(const QueuePairRecord& record)
{
    m_database.Insert(m_run,
                      record,
                      m_topology.GetPortNode(record.sourceNic),
                      m_topology.GetPortNode(record.destinationNic));
}

void
FabricRecorder::OnQueuePairChange(const QueuePairChangeRecord& record)
{
    m_database.Insert(m_run, m_changes[record.queuePair]++, record);
}

void
FabricRecorder::OnTransfer(const TransferRecord& record)
{
    if (record.job == NO_ID || m_record.transfers)
    {
        m_database.Insert(m_run,
                          record,
                          m_topology.GetPortNode(record.sourceNic),
                          m_topology.GetPortNode(record.destinationNic));
    }
}

void
FabricRecorder::OnPause(const PauseRecord& record)
{
    if (m_record.events)
    {
        m_database.Insert(m_run, record);
    }
}

void
FabricRecorder::OnFabricEvent(const FabricEventRecord& record)
{
    if (!m_record.events)
    {
        return;
    }
    LastEvent& last = m_lastEvents[record.node];
    last.events = last.timePs == record.timePs ? last.events + 1 : 0;
    last.timePs = record.timePs;
    m_database.Insert(m_run, last.events, record);
}

void
FabricRecorder::SampleLinks(int64_t nowPs, const std::vector<LinkReading>& readings)
{
    for (const LinkReading& reading : readings)
    {
        if (!reading.counters.IsZero())
        {
            m_database.Insert(m_run, reading.link, reading.priority, nowPs, reading.counters);
        }
    }
}

FabricRecorder::Readings
FabricRecorder::ToMap(const std::vector<LinkReading>& readings)
{
    Readings map;
    for (const LinkReading& reading : readings)
    {
        map[{reading.link, reading.priority}] = reading.counters;
    }
    return map;
}

void
FabricRecorder::OpenWindow(int64_t nowPs, const std::vector<LinkReading>& readings)
{
    m_fromPs = nowPs;
    m_from = ToMap(readings);
}

void
FabricRecorder::CloseWindow(int64_t nowPs,
                            const std::vector<LinkReading>& readings,
                            const std::vector<JobLinkCounters>& jobs)
{
    m_toPs = nowPs;
    m_to = ToMap(readings);
    m_jobs = jobs;
}

void
FabricRecorder::FinishRun(int64_t endPs,
                          const std::vector<LinkReading>& readings,
                          const std::vector<JobLinkCounters>& jobs)
{
    if (!m_toPs || *m_toPs <= m_fromPs)
    {
        CloseWindow(endPs, readings, jobs);
    }
    if (*m_toPs <= m_fromPs) // opened at the very end
    {
        OpenWindow(0, {});
    }
    for (const auto& [key, to] : m_to)
    {
        const LinkCounters& from = m_from[key];
        LinkWindowRow row;
        row.run = m_run;
        row.link = key.first;
        row.priority = key.second;
        row.startPs = m_fromPs;
        row.endPs = *m_toPs;
        row.frames = to.frames - from.frames;
        row.bytes = to.bytes - from.bytes;
        row.markedFrames = to.markedFrames - from.markedFrames;
        row.droppedFrames = to.droppedFrames - from.droppedFrames;
        row.busyPs = to.busyPs - from.busyPs;
        row.pausedPs = to.pausedPs - from.pausedPs;
        m_database.Insert(row);
    }
    if (m_record.jobs)
    {
        for (const JobLinkCounters& job : m_jobs)
        {
            m_database.Insert(m_run, job);
        }
    }
}

} // namespace ns3
