/* SPDX-License-Identifier: GPL-2.0-only */
#include "link-recorder.h"

#include "result-tables.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LinkRecorder");

NS_OBJECT_ENSURE_REGISTERED(LinkRecorder);

TypeId
LinkRecorder::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LinkRecorder")
            .SetParent<Recorder>()
            .SetGroupName("GpuFabric")
            .AddConstructor<LinkRecorder>()
            .AddAttribute("Interval",
                          "Time between two samples of all links; 0: none are taken.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&LinkRecorder::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("JobLinks",
                          "Write what each job sent on each link.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LinkRecorder::m_jobLinks),
                          MakeBooleanChecker());
    return tid;
}

std::vector<const TableSpec*>
LinkRecorder::Tables() const
{
    return {&GetResultTable<NodeRow>().GetSpec(),
            &GetResultTable<LinkRow>().GetSpec(),
            &GetResultTable<JobLinkCounters>().GetSpec(),
            &GetResultTable<LinkSampleRow>().GetSpec(),
            &GetResultTable<LinkWindowRow>().GetSpec()};
}

void
LinkRecorder::Connect(const RunContext& context)
{
    NS_LOG_FUNCTION(this << context.run << m_interval << m_jobLinks);
    m_context = context;
    const ClusterTopology& topology = *context.topology;
    const std::vector<TopologyNode>& nodes = topology.GetNodes();
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        NodeRow row;
        row.node = node;
        row.name = nodes[node].name;
        row.kind = ToName(nodes[node].kind);
        row.gpus = nodes[node].gpus;
        context.results->Insert(GetResultTable<NodeRow>(), context.run, row);
    }
    for (uint32_t port = 0; port < topology.GetPortCount(); ++port)
    {
        const uint32_t source = topology.GetPortNode(port);
        const std::vector<uint32_t>& ports = nodes[source].ports;
        LinkRow row;
        row.link = port;
        row.name = topology.GetDirectedLinkName(port);
        row.source = source;
        row.destination = topology.GetPortNode(ClusterTopology::GetPeerPort(port));
        row.sourcePort =
            static_cast<uint32_t>(std::find(ports.begin(), ports.end(), port) - ports.begin());
        row.rateBps = topology.GetPortRate(port);
        row.delayPs = topology.GetPortDelay(port);
        context.results->Insert(GetResultTable<LinkRow>(), context.run, row);
    }
}

std::vector<LinkReading>
LinkRecorder::ReadLinks() const
{
    std::vector<LinkReading> readings;
    if (!m_context.fabric)
    {
        return readings;
    }
    for (uint32_t link = 0; link < m_context.topology->GetPortCount(); ++link)
    {
        for (uint32_t priority = 0; priority < m_context.fabric->GetQueueCount(); ++priority)
        {
            LinkReading reading{link,
                                static_cast<uint8_t>(priority),
                                m_context.fabric->GetLinkCounters(link, priority)};
            const LinkCounters& counters = reading.counters;
            if (counters.frames || counters.droppedFrames || counters.pausedPs ||
                counters.queueBytes)
            {
                readings.push_back(reading);
            }
        }
    }
    return readings;
}

std::vector<JobLinkCounters>
LinkRecorder::ReadJobs() const
{
    return m_context.fabric ? m_context.fabric->GetJobLinkCounters()
                            : std::vector<JobLinkCounters>();
}

void
LinkRecorder::Start()
{
    if (m_interval.IsStrictlyPositive())
    {
        Simulator::Schedule(m_interval, &LinkRecorder::Sample, this);
    }
}

void
LinkRecorder::Sample()
{
    SampleLinks(Simulator::Now().GetTimeStep(), ReadLinks());
    if (!Simulator::IsFinished())
    {
        Simulator::Schedule(m_interval, &LinkRecorder::Sample, this);
    }
}

void
LinkRecorder::WindowOpened(int64_t now)
{
    NS_LOG_FUNCTION(this << now);
    OpenWindow(now, ReadLinks());
}

void
LinkRecorder::WindowClosed(int64_t now)
{
    NS_LOG_FUNCTION(this << now);
    CloseWindow(now, ReadLinks(), ReadJobs());
}

void
LinkRecorder::Finish(int64_t endPs)
{
    NS_LOG_FUNCTION(this << endPs);
    FinishRun(endPs, ReadLinks(), ReadJobs());
}

void
LinkRecorder::SampleLinks(int64_t nowPs, const std::vector<LinkReading>& readings)
{
    for (const LinkReading& reading : readings)
    {
        if (!reading.counters.IsZero())
        {
            m_context.results->Insert(
                GetResultTable<LinkSampleRow>(),
                m_context.run,
                LinkSampleRow{reading.counters, reading.link, reading.priority, nowPs});
        }
    }
}

LinkRecorder::Readings
LinkRecorder::ToMap(const std::vector<LinkReading>& readings)
{
    Readings map;
    for (const LinkReading& reading : readings)
    {
        map[{reading.link, reading.priority}] = reading.counters;
    }
    return map;
}

void
LinkRecorder::OpenWindow(int64_t nowPs, const std::vector<LinkReading>& readings)
{
    m_fromPs = nowPs;
    m_from = ToMap(readings);
}

void
LinkRecorder::CloseWindow(int64_t nowPs,
                          const std::vector<LinkReading>& readings,
                          const std::vector<JobLinkCounters>& jobs)
{
    m_toPs = nowPs;
    m_to = ToMap(readings);
    m_jobs = jobs;
}

void
LinkRecorder::FinishRun(int64_t endPs,
                        const std::vector<LinkReading>& readings,
                        const std::vector<JobLinkCounters>& jobs)
{
    if (!m_toPs || *m_toPs <= m_fromPs)
    {
        CloseWindow(endPs, readings, jobs);
    }
    if (*m_toPs <= m_fromPs) // opened at the very end of the run
    {
        OpenWindow(0, {});
    }
    for (const auto& [key, to] : m_to)
    {
        const LinkCounters& from = m_from[key];
        LinkWindowRow row;
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
        m_context.results->Insert(GetResultTable<LinkWindowRow>(), m_context.run, row);
    }
    if (m_jobLinks)
    {
        for (const JobLinkCounters& job : m_jobs)
        {
            m_context.results->Insert(GetResultTable<JobLinkCounters>(), m_context.run, job);
        }
    }
}

} // namespace ns3
