/* SPDX-License-Identifier: GPL-2.0-only */
#include "local-logical-process.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LocalLogicalProcess");

FabricCut::FabricCut(const Fabric& fabric, const std::vector<uint32_t>& someProcesses)
    : processes(someProcesses),
      count(*std::max_element(processes.begin(), processes.end()) + 1),
      lookahead(fabric.GetPipeline().GetGuard().GetLeastDetection())
{
    const ClusterTopology& topology = fabric.GetTopology();
    for (uint32_t node = 0; node < processes.size(); ++node)
    {
        NS_ABORT_MSG_IF(
            processes[node] != 0 && topology.GetNodes()[node].kind != TopologyNodeKind::SWITCH,
            topology.GetNodes()[node].name << " is no switch and must be in logical process 0");
    }
    NS_ABORT_MSG_IF(count > UINT8_MAX, "too many logical processes: " << count);
    crossings.assign(topology.GetPortCount(), 0);
    for (uint32_t port = 0; port < topology.GetNetworkPortCount(); ++port)
    {
        const uint32_t to = processes[topology.GetPortNode(ClusterTopology::GetPeerPort(port))];
        if (processes[topology.GetPortNode(port)] != to)
        {
            crossings[port] = static_cast<uint8_t>(to + 1);
            lookahead = std::min(lookahead, topology.GetPortDelay(port));
        }
    }
}

std::vector<bool>
FabricCut::GetNodes(uint32_t process) const
{
    std::vector<bool> here;
    for (uint32_t other : processes)
    {
        here.push_back(other == process);
    }
    return here;
}

LocalLogicalProcess::LocalLogicalProcess(const Fabric& whole,
                                         const FabricCut& cut,
                                         uint32_t process,
                                         bool ownThread)
    : m_lane(CreateObject<EventLane>()),
      m_pipeline(whole.GetPipeline(),
                 m_lane,
                 FabricTraces{&m_eventTrace, &m_pauseTrace, &m_linkStateTrace})
{
    UintegerValue width;
    EventLane::Get()->GetAttribute("BucketWidthShift", width);
    m_lane->SetAttribute("BucketWidthShift", width);
    m_pipeline.SetNodes(cut.GetNodes(process));
    m_pipeline.SetCrossings(cut.crossings, cut.count);
    m_pauseTrace.ConnectWithoutContext(MakeCallback(&LocalLogicalProcess::OnPause, this));
    m_eventTrace.ConnectWithoutContext(MakeCallback(&LocalLogicalProcess::OnEvent, this));
    m_report.sent.resize(cut.count);
    NS_LOG_LOGIC("logical process " << process << " of " << cut.count
                                    << (ownThread ? ", with a thread" : ", without a thread"));
    if (ownThread)
    {
        m_worker = std::make_unique<WindowWorker>([this]() { Run(); });
    }
}

LocalLogicalProcess::~LocalLogicalProcess()
{
    m_worker = nullptr;
    m_pipeline.Dispose();
    m_lane->Dispose();
}

void
LocalLogicalProcess::OnPause(const PauseRecord& record)
{
    m_report.pauses.push_back(record);
}

void
LocalLogicalProcess::OnEvent(const FabricEventRecord& record)
{
    m_report.records.push_back({record, m_lane->GetPosition().key});
}

void
LocalLogicalProcess::Run()
{
    m_pipeline.Accept(m_arriving);
    m_arriving.Clear();
    m_report.events = m_lane->RunBefore(m_target);
    m_report.firstTime = m_lane->GetFirstTime();
    m_report.lastTime = m_lane->GetLastTime();
}

void
LocalLogicalProcess::Start(const EventLane::Position& target, FrameBatch& arriving, bool much)
{
    m_target = target;
    m_arriving.Swap(arriving);
    if (much && m_worker)
    {
        m_worker->Start();
    }
    else
    {
        Run();
    }
}

LogicalProcessReport&
LocalLogicalProcess::Wait()
{
    if (m_worker)
    {
        m_worker->Wait();
    }
    m_report.counts = m_lane->GetCounts(m_pipeline.GetLaneClass());
    m_report.check = std::min(m_report.check, m_pipeline.GetGuard().TakeRequestedCheck());
    for (std::size_t process = 0; process < m_report.sent.size(); ++process)
    {
        // Both keep the capacity that they have grown to.
        m_report.sent[process].Clear();
        m_report.sent[process].Swap(m_pipeline.GetSent(process));
    }
    return m_report;
}

void
LocalLogicalProcess::Read(FabricReadings& sum)
{
    m_pipeline.GetReader().Read(sum);
}

void
LocalLogicalProcess::Audit(int64_t now, FabricAudit& sum)
{
    m_pipeline.GetReader().Audit(now, sum);
}

void
LocalLogicalProcess::TakeSnapshot(int64_t now,
                                  int64_t deadlock,
                                  bool forStuck,
                                  PauseSnapshot& snapshot)
{
    m_pipeline.GetGuard().TakeSnapshot(now, deadlock, forStuck, snapshot);
}

void
LocalLogicalProcess::EnableAccounting(bool enable)
{
    m_pipeline.EnableAccounting(enable);
}

void
LocalLogicalProcess::FinishPauses(int64_t now)
{
    m_pipeline.GetPfc().FinishPauses(now);
}

uint64_t
LocalLogicalProcess::Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    return m_pipeline.GetFaults().Apply(order, down);
}

} // namespace ns3
