/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-database.h"

#include "result-file.h"

#include <filesystem>

namespace ns3
{

namespace
{

/// NULL for NO_ID.
std::optional<uint32_t>
Id(uint32_t id)
{
    return id == NO_ID ? std::nullopt : std::optional<uint32_t>(id);
}

/// NULL for what has not happened.
std::optional<int64_t>
Happened(int64_t timePs)
{
    return timePs > 0 ? std::optional<int64_t>(timePs) : std::nullopt;
}

} // namespace

ResultDatabase::ResultDatabase(const std::string& output, bool overwrite, uint32_t batchRows)
    : m_file(std::make_unique<ResultFile>(output, overwrite, batchRows))
{
}

ResultDatabase::~ResultDatabase() = default;

bool
ResultDatabase::Exists(const std::string& output)
{
    // A dangling symbolic link counts: the rename would replace it.
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(output, ignored));
}

const std::string&
ResultDatabase::GetOutput() const
{
    return m_file->GetOutput();
}

const std::string&
ResultDatabase::GetPartial() const
{
    return m_file->GetPartial();
}

void
ResultDatabase::Insert(const RunRow& row)
{
    m_file->Write(ResultTable::RUN,
                  row.run,
                  row.runId,
                  row.campaignKey,
                  row.scenario,
                  row.scenarioText,
                  row.scheduler,
                  row.placement,
                  row.variant,
                  row.seed,
                  row.versions,
                  row.mode,
                  row.status,
                  row.endPs,
                  row.events,
                  row.measureFromPs,
                  row.measureToPs,
                  row.measureNote,
                  row.peakFlopsPerGpu);
}

void
ResultDatabase::Insert(const ParameterRow& row)
{
    m_file->Write(ResultTable::PARAMETER, row.run, row.name, row.value, row.origin);
}

void
ResultDatabase::Insert(const NodeRow& row)
{
    m_file->Write(ResultTable::NODE, row.run, row.node, row.name, row.kind, row.gpus);
}

void
ResultDatabase::Insert(const LinkRow& row)
{
    m_file->Write(ResultTable::LINK,
                  row.run,
                  row.link,
                  row.name,
                  row.source,
                  row.destination,
                  row.sourcePort,
                  row.rateBps,
                  row.delayPs);
}

void
ResultDatabase::Insert(const JobRow& row)
{
    m_file->Write(ResultTable::JOB,
                  row.run,
                  row.job,
                  row.name,
                  row.model,
                  row.gpus,
                  row.batch,
                  row.scale,
                  row.wFlop,
                  row.gradientBytes,
                  row.soloIterationPs,
                  row.commPs,
                  row.arrivalPs,
                  row.startPs,
                  row.endPs,
                  row.status);
}

void
ResultDatabase::Insert(const IterationRow& row)
{
    m_file->Write(ResultTable::ITERATION,
                  row.run,
                  row.job,
                  row.iteration,
                  row.count,
                  row.startPs,
                  row.endPs,
                  row.computePs,
                  row.exposedPs,
                  row.peerWaitPs,
                  row.shiftPs,
                  row.bytes,
                  row.markedFrames,
                  row.retransmittedBytes,
                  row.extrapolated);
}

void
ResultDatabase::Insert(const JobUtilizationRow& row)
{
    m_file->Write(ResultTable::JOB_UTILIZATION,
                  row.run,
                  row.job,
                  row.startPs,
                  row.endPs,
                  row.computePs,
                  row.exposedPs,
                  row.peerWaitPs,
                  row.shiftPs,
                  row.failedPs,
                  row.flops,
                  row.bytes);
}

void
ResultDatabase::Insert(const JobWindowRow& row)
{
    m_file->Write(ResultTable::JOB_WINDOW,
                  row.run,
                  row.job,
                  row.startPs,
                  row.endPs,
                  row.allocatedPs,
                  row.computePs,
                  row.exposedPs,
                  row.peerWaitPs,
                  row.shiftPs,
                  row.failedPs,
                  row.flops);
}

void
ResultDatabase::Insert(const LinkWindowRow& row)
{
    m_file->Write(ResultTable::LINK_WINDOW,
                  row.run,
                  row.link,
                  row.priority,
                  row.startPs,
                  row.endPs,
                  row.frames,
                  row.bytes,
                  row.markedFrames,
                  row.droppedFrames,
                  row.busyPs,
                  row.pausedPs);
}

void
ResultDatabase::Insert(const InvariantRow& row)
{
    m_file->Write(ResultTable::INVARIANT, row.run, row.name, row.expected, row.actual);
}

void
ResultDatabase::Insert(const BottleneckRow& row)
{
    m_file->Write(ResultTable::BOTTLENECK,
                  row.run,
                  row.job,
                  row.link,
                  row.iterationPs,
                  row.carriedPs,
                  row.doneFlop,
                  row.carriedFlop,
                  row.boundFlop,
                  row.note);
}

void
ResultDatabase::Insert(uint32_t run, const SpanRecord& record)
{
    m_file->Write(ResultTable::SPAN,
                  run,
                  record.job,
                  record.gpu,
                  GetGpuTimeKindName(record.kind),
                  record.startPs,
                  record.endPs);
}

void
ResultDatabase::Insert(uint32_t run, const CollectiveRecord& record)
{
    m_file->Write(ResultTable::COLLECTIVE,
                  run,
                  record.job,
                  record.communicator,
                  record.collective,
                  record.iteration,
                  record.operation,
                  record.algorithm,
                  record.bytes,
                  record.channels,
                  record.ranks,
                  record.firstPostPs,
                  record.lastPostPs,
                  record.endPs,
                  record.busBandwidthBps);
}

void
ResultDatabase::Insert(uint32_t run, const GpuAllocationRecord& record)
{
    m_file->Write(ResultTable::GPU_ALLOCATION,
                  run,
                  record.gpu,
                  record.job,
                  record.startPs,
                  record.endPs);
}

void
ResultDatabase::Insert(uint32_t run, const GpuFailureRecord& record)
{
    m_file->Write(ResultTable::GPU_FAILURE, run, record.gpu, record.startPs, record.endPs);
}

void
ResultDatabase::Insert(uint32_t run, const DecisionRecord& record)
{
    m_file->Write(ResultTable::DECISION,
                  run,
                  record.decision,
                  record.timePs,
                  record.scheduler,
                  record.trigger,
                  Id(record.job),
                  record.kind,
                  record.value,
                  record.inputs,
                  record.reason);
}

void
ResultDatabase::Insert(uint32_t run, const PauseRecord& record)
{
    m_file->Write(ResultTable::PAUSE,
                  run,
                  record.link,
                  record.priority,
                  record.startPs,
                  record.endPs,
                  Id(record.causedByLink));
}

void
ResultDatabase::Insert(uint32_t run, const JobLinkCounters& record)
{
    m_file->Write(ResultTable::JOB_LINK,
                  run,
                  record.job == NO_ID ? int64_t{-1} : int64_t{record.job},
                  record.link,
                  record.priority,
                  record.bytes,
                  record.frames,
                  record.markedFrames,
                  record.busyPs,
                  record.queuePs,
                  record.pausedPs);
}

void
ResultDatabase::Insert(uint32_t run, uint32_t event, const JobEventRecord& record)
{
    m_file->Write(ResultTable::JOB_EVENT,
                  run,
                  record.job,
                  event,
                  record.timePs,
                  record.kind,
                  record.detail);
}

void
ResultDatabase::Insert(uint32_t run, uint32_t event, const FabricEventRecord& record)
{
    m_file->Write(ResultTable::FABRIC_EVENT,
                  run,
                  record.timePs,
                  record.node == NO_ID ? int64_t{-1} : int64_t{record.node},
                  event,
                  record.kind,
                  Id(record.link),
                  Id(record.queuePair),
                  record.priority,
                  record.detail);
}

void
ResultDatabase::Insert(uint32_t run,
                       const TransferRecord& record,
                       uint32_t source,
                       uint32_t destination)
{
    m_file->Write(ResultTable::TRANSFER,
                  run,
                  record.queuePair,
                  record.message,
                  Id(record.job),
                  Id(record.communicator),
                  Id(record.collective),
                  Id(record.step),
                  record.channel,
                  source,
                  destination,
                  record.sourceNic,
                  record.destinationNic,
                  record.bytes,
                  record.priority,
                  record.startPs,
                  Happened(record.deliveredPs),
                  Happened(record.completedPs),
                  record.retransmittedBytes);
}

void
ResultDatabase::Insert(uint32_t run,
                       const QueuePairRecord& record,
                       uint32_t source,
                       uint32_t destination)
{
    m_file->Write(ResultTable::QUEUE_PAIR,
                  run,
                  record.queuePair,
                  Id(record.job),
                  source,
                  destination,
                  record.channel,
                  record.udpSourcePort,
                  record.priority,
                  record.sourceNic,
                  record.destinationNic,
                  record.timePs);
}

void
ResultDatabase::Insert(uint32_t run, uint32_t change, const QueuePairChangeRecord& record)
{
    m_file->Write(ResultTable::QUEUE_PAIR_CHANGE,
                  run,
                  record.queuePair,
                  change,
                  record.timePs,
                  record.oldUdpSourcePort,
                  record.newUdpSourcePort,
                  record.oldPriority,
                  record.newPriority,
                  Id(record.decision));
}

void
ResultDatabase::Insert(uint32_t run,
                       uint32_t link,
                       uint8_t priority,
                       int64_t timePs,
                       const LinkCounters& counters)
{
    m_file->Write(ResultTable::LINK_SAMPLE,
                  run,
                  link,
                  priority,
                  timePs,
                  counters.frames,
                  counters.bytes,
                  counters.markedFrames,
                  counters.droppedFrames,
                  counters.busyPs,
                  counters.pausedPs,
                  counters.queueBytes);
}

void
ResultDatabase::InsertInvariant(uint32_t run,
                                const std::string& name,
                                int64_t expected,
                                int64_t actual)
{
    Insert(InvariantRow{run, name, expected, actual});
}

void
ResultDatabase::Flush()
{
    m_file->Flush();
}

std::vector<InvariantRow>
ResultDatabase::Finish()
{
    return m_file->Finish();
}

void
ResultDatabase::Discard()
{
    m_file->Discard();
}

SQLite::Database&
ResultDatabase::GetHandle()
{
    return m_file->GetHandle();
}

} // namespace ns3
