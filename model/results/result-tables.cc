/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-tables.h"

namespace ns3
{

template <>
const ResultTable<RunRow>&
GetResultTable()
{
    static const ResultTable<RunRow> table(
        "run",
        "simulations of this file",
        {},
        SameKey::REPLACE,
        Column<&RunRow::runId>("hash of all that decides the result"),
        Column<&RunRow::campaignKey>("the same without seed and scheduler"),
        Column<&RunRow::scenario>("its name"),
        Column<&RunRow::scenarioText>("the file, with all that it extends"),
        Column<&RunRow::scheduler>("e.g. Crux"),
        Column<&RunRow::placement>("e.g. Consolidate"),
        Column<&RunRow::variant>("what else differs from the other runs; '': nothing"),
        Column<&RunRow::seed>(""),
        Column<&RunRow::versions>("JSON: of gpu-fabric"),
        Column<&RunRow::mode>("exact"),
        Column<&RunRow::status>("running, finished, stopped"),
        Column<&RunRow::endPs>("simulated time at the end"),
        Column<&RunRow::events>("events simulated"),
        Column<&RunRow::measureFromPs>("measuring window [from, to)"),
        Column<&RunRow::measureToPs>("see measure_from_ps"),
        Column<&RunRow::measureNote>("how the window came about"),
        Column<&RunRow::peakFlopsPerGpu>("FLOP/s"));
    return table;
}

template <>
const ResultTable<ParameterRow>&
GetResultTable()
{
    static const ResultTable<ParameterRow> table(
        "parameter",
        "values used in the run",
        {"name"},
        SameKey::REFUSE,
        Column<&ParameterRow::name>("a key of the scenario or an attribute"),
        Column<&ParameterRow::value>(""),
        Column<&ParameterRow::origin>(
            "command line, scenario, preset, a hardware preset and what its value rests on, or "
            "default"));
    return table;
}

template <>
const ResultTable<InvariantRow>&
GetResultTable()
{
    static const ResultTable<InvariantRow> table("invariant",
                                                 "pairs of numbers that must be equal",
                                                 {"name"},
                                                 SameKey::REFUSE,
                                                 Column<&InvariantRow::name>("of the law"),
                                                 Column<&InvariantRow::expected>(""),
                                                 Column<&InvariantRow::actual>(""));
    return table;
}

template <>
const ResultTable<ImportSummaryRow>&
GetResultTable()
{
    static const ResultTable<ImportSummaryRow> table(
        "import_summary",
        "what of imported workloads and job traces was used",
        {"source", "what"},
        SameKey::REFUSE,
        Column<&ImportSummaryRow::source>("format and file"),
        Column<&ImportSummaryRow::what>("parts of the file, e.g. compute nodes of the GPU"),
        Column<&ImportSummaryRow::read>("used as the file has them"),
        Column<&ImportSummaryRow::skipped>("not used"),
        Column<&ImportSummaryRow::estimated>("used with a time that the file does not give"));
    return table;
}

template <>
const ResultTable<NodeRow>&
GetResultTable()
{
    static const ResultTable<NodeRow> table(
        "node",
        "hosts and switches",
        {"node"},
        SameKey::REFUSE,
        Column<&NodeRow::node>("from 0"),
        Column<&NodeRow::name>("e.g. leaf0"),
        Column<&NodeRow::kind>("host, switch, or a component inside a host"),
        Column<&NodeRow::gpus>("of a host"));
    return table;
}

template <>
const ResultTable<LinkRow>&
GetResultTable()
{
    static const ResultTable<LinkRow> table(
        "link",
        "each is one direction of a cable",
        {"link"},
        SameKey::REFUSE,
        Column<&LinkRow::link>("from 0: the port that it leaves"),
        Column<&LinkRow::name>("e.g. leaf0-spine1#2"),
        Column<&LinkRow::source>("node"),
        Column<&LinkRow::destination>("node"),
        Column<&LinkRow::sourcePort>("of its node, from 0: a host's NIC"),
        Column<&LinkRow::rateBps>(""),
        Column<&LinkRow::delayPs>("propagation"));
    return table;
}

template <>
const ResultTable<JobRow>&
GetResultTable()
{
    static const ResultTable<JobRow> table(
        "job",
        "jobs of the scenario",
        {"job"},
        SameKey::REPLACE,
        Column<&JobRow::job>("in the order of the scenario, from 0"),
        Column<&JobRow::name>(""),
        Column<&JobRow::model>(""),
        Column<&JobRow::gpus>(""),
        Column<&JobRow::batch>("samples a GPU an iteration"),
        Column<&JobRow::scale>("e.g. 1/8"),
        Column<&JobRow::wFlop>("W: FLOP of an iteration, all GPUs"),
        Column<&JobRow::gradientBytes>("of a rank"),
        Column<&JobRow::soloIterationPs>("iteration time alone; NULL: unknown"),
        Column<&JobRow::commPs>("t_j: its traffic on its busiest link; NULL: unknown"),
        Column<&JobRow::arrivalPs>("0 if it had not arrived"),
        Column<&JobRow::startPs>("first GPU time; NULL: waits"),
        Column<&JobRow::endPs>("NULL: had not ended"),
        Column<&JobRow::status>("at the end: not arrived, waiting, running, finished, failed"),
        Column<&JobRow::openIterationPs>(
            "start of the iteration that it had not ended when the run did; NULL: none"));
    return table;
}

template <>
const ResultTable<JobEventRow>&
GetResultTable()
{
    static const ResultTable<JobEventRow> table(
        "job_event",
        "what happened to jobs",
        {"job", "event"},
        SameKey::REFUSE,
        Column<&JobEventRow::job>(""),
        Column<&JobEventRow::event>("of the job, from 0"),
        Column<&JobEventRow::timePs>(""),
        Column<&JobEventRow::kind>(
            "arrived, placed, profiled, started, interrupted, restarted, failed, finished"),
        Column<&JobEventRow::detail>(""));
    return table;
}

template <>
const ResultTable<GpuAllocationRecord>&
GetResultTable()
{
    static const ResultTable<GpuAllocationRecord> table(
        "gpu_allocation",
        "times for which a GPU was given to a job",
        {"gpu", "start_ps", "job"},
        SameKey::REFUSE,
        Column<&GpuAllocationRecord::gpu>("of the cluster, from 0"),
        Column<&GpuAllocationRecord::job>(""),
        Column<&GpuAllocationRecord::startPs>(""),
        Column<&GpuAllocationRecord::endPs>(""));
    return table;
}

template <>
const ResultTable<GpuFailureRecord>&
GetResultTable()
{
    static const ResultTable<GpuFailureRecord> table(
        "gpu_failure",
        "times for which the host of a GPU was down: GPU time of kind failed, of no job",
        {"gpu", "start_ps"},
        SameKey::REFUSE,
        Column<&GpuFailureRecord::gpu>(""),
        Column<&GpuFailureRecord::startPs>(""),
        Column<&GpuFailureRecord::endPs>(""));
    return table;
}

template <>
const ResultTable<IterationRow>&
GetResultTable()
{
    static const ResultTable<IterationRow> table(
        "iteration",
        "iterations of jobs; GPU times are sums over the ranks",
        {"job", "iteration"},
        SameKey::REFUSE,
        Column<&IterationRow::job>(""),
        Column<&IterationRow::iteration>("from 0"),
        Column<&IterationRow::count>("iterations the row stands for"),
        Column<&IterationRow::startPs>("earliest rank"),
        Column<&IterationRow::endPs>("latest rank"),
        Column<&IterationRow::computePs>(""),
        Column<&IterationRow::exposedPs>("exposed communication"),
        Column<&IterationRow::peerWaitPs>("waiting for other ranks"),
        Column<&IterationRow::shiftPs>("waiting because the scheduler shifts the iteration"),
        Column<&IterationRow::bytes>("payload posted to the network"),
        Column<&IterationRow::markedFrames>("ECN; NULL: not counted"),
        Column<&IterationRow::retransmittedBytes>("NULL: not counted"),
        Column<&IterationRow::extrapolated>("1: not simulated packet by packet"));
    return table;
}

template <>
const ResultTable<SpanRecord>&
GetResultTable()
{
    static const ResultTable<SpanRecord> table(
        "span",
        "what a GPU did: they split the time for which it is allocated without gap or overlap",
        {"gpu", "start_ps", "end_ps", "job", "kind"},
        SameKey::REFUSE,
        Column<&SpanRecord::job>(""),
        Column<&SpanRecord::gpu>(""),
        Column<&SpanRecord::kind>("compute, exposed_communication, peer_wait, shift, failed"),
        Column<&SpanRecord::startPs>(""),
        Column<&SpanRecord::endPs>(""));
    return table;
}

template <>
const ResultTable<JobUtilizationRow>&
GetResultTable()
{
    static const ResultTable<JobUtilizationRow> table(
        "job_utilization",
        "GPU time of a job iteration by iteration, over all its GPUs: [earliest rank's start, that "
        "of the next iteration), which tile the time for which it holds GPUs; what lies before the "
        "first and after the last iteration is a row of its own",
        {"job", "start_ps"},
        SameKey::REFUSE,
        Column<&JobUtilizationRow::job>(""),
        Column<&JobUtilizationRow::startPs>(""),
        Column<&JobUtilizationRow::endPs>(""),
        Column<&JobUtilizationRow::computePs>(""),
        Column<&JobUtilizationRow::exposedPs>("exposed communication"),
        Column<&JobUtilizationRow::peerWaitPs>(""),
        Column<&JobUtilizationRow::shiftPs>(""),
        Column<&JobUtilizationRow::failedPs>(""),
        Column<&JobUtilizationRow::flops>(
            "FLOP done: W by the share of an iteration's compute time"),
        Column<&JobUtilizationRow::bytes>("payload of the iteration"));
    return table;
}

template <>
const ResultTable<JobWindowRow>&
GetResultTable()
{
    static const ResultTable<JobWindowRow> table(
        "job_window",
        "GPU time of a job within the measuring window, over all its GPUs",
        {"job"},
        SameKey::REPLACE,
        Column<&JobWindowRow::job>(""),
        Column<&JobWindowRow::startPs>("of the window"),
        Column<&JobWindowRow::endPs>("of the window"),
        Column<&JobWindowRow::allocatedPs>("GPU time"),
        Column<&JobWindowRow::computePs>(""),
        Column<&JobWindowRow::exposedPs>("exposed communication"),
        Column<&JobWindowRow::peerWaitPs>(""),
        Column<&JobWindowRow::shiftPs>(""),
        Column<&JobWindowRow::failedPs>(""),
        Column<&JobWindowRow::flops>("FLOP done"));
    return table;
}

template <>
const ResultTable<CollectiveRecord>&
GetResultTable()
{
    static const ResultTable<CollectiveRecord> table(
        "collective",
        "collectives of jobs, ended or not",
        {"job", "communicator", "collective"},
        SameKey::REFUSE,
        Column<&CollectiveRecord::job>(""),
        Column<&CollectiveRecord::communicator>("of the job"),
        Column<&CollectiveRecord::collective>("of the communicator, from 0"),
        Column<&CollectiveRecord::iteration>(""),
        Column<&CollectiveRecord::operation>("op", "e.g. all-reduce"),
        Column<&CollectiveRecord::algorithm>("e.g. Ring"),
        Column<&CollectiveRecord::protocol>("Simple, LL or LL128; empty: not ended"),
        Column<&CollectiveRecord::bytes>("buffer of a rank"),
        Column<&CollectiveRecord::channels>(""),
        Column<&CollectiveRecord::ranks>(""),
        Column<&CollectiveRecord::firstPostPs>("the first rank posts it"),
        Column<&CollectiveRecord::lastPostPs, -1>("the last rank posts it; NULL: not ended"),
        Column<&CollectiveRecord::endPs, -1>("the last rank has ended it; NULL: not yet"),
        Column<&CollectiveRecord::busBandwidthBps, UINT64_MAX>(
            "as nccl-tests define it; NULL: not ended"));
    return table;
}

template <>
const ResultTable<DecisionRecord>&
GetResultTable()
{
    static const ResultTable<DecisionRecord> table(
        "decision",
        "what schedulers and placements decided, and why",
        {"decision"},
        SameKey::REFUSE,
        Column<&DecisionRecord::decision>("from 0"),
        Column<&DecisionRecord::timePs>(""),
        Column<&DecisionRecord::scheduler>("its TypeId"),
        Column<&DecisionRecord::trigger>("arrival, departure, profiled, period"),
        Column<&DecisionRecord::job, NO_ID>(""),
        Column<&DecisionRecord::kind>("placement, priority, path, shift, partition, fallback"),
        Column<&DecisionRecord::value>(""),
        Column<&DecisionRecord::inputs>("JSON: what a query needs to recompute it"),
        Column<&DecisionRecord::reason>(""));
    return table;
}

template <>
const ResultTable<QueuePairRow>&
GetResultTable()
{
    static const ResultTable<QueuePairRow> table(
        "queue_pair",
        "RDMA queue pairs",
        {"queue_pair"},
        SameKey::REFUSE,
        Column<&QueuePairRow::queuePair>("from 0"),
        Column<&QueuePairRow::job, NO_ID>("NULL: a plain flow"),
        Column<&QueuePairRow::source>("node"),
        Column<&QueuePairRow::destination>("node"),
        Column<&QueuePairRow::channel>(""),
        Column<&QueuePairRow::udpSourcePort>("when created"),
        Column<&QueuePairRow::priority>("when created"),
        Column<&QueuePairRow::sourceNic>("its link"),
        Column<&QueuePairRow::destinationNic>("its link"),
        Column<&QueuePairRow::timePs>("created_ps", ""));
    return table;
}

template <>
const ResultTable<QueuePairChangeRow>&
GetResultTable()
{
    static const ResultTable<QueuePairChangeRow> table(
        "queue_pair_change",
        "changes of the path or priority of queue pairs",
        {"queue_pair", "change"},
        SameKey::REFUSE,
        Column<&QueuePairChangeRow::queuePair>(""),
        Column<&QueuePairChangeRow::change>("of the queue pair, from 0"),
        Column<&QueuePairChangeRow::timePs>("it takes effect"),
        Column<&QueuePairChangeRow::oldUdpSourcePort>("old", "UDP source port"),
        Column<&QueuePairChangeRow::newUdpSourcePort>("new", "UDP source port"),
        Column<&QueuePairChangeRow::oldPriority>(""),
        Column<&QueuePairChangeRow::newPriority>(""),
        Column<&QueuePairChangeRow::decision, NO_ID>("that it follows from"));
    return table;
}

template <>
const ResultTable<TransferRow>&
GetResultTable()
{
    static const ResultTable<TransferRow> table(
        "transfer",
        "RDMA messages posted, acknowledged or not",
        {"queue_pair", "message"},
        SameKey::REFUSE,
        Column<&TransferRow::queuePair>(""),
        Column<&TransferRow::message>("of the queue pair, from 0"),
        Column<&TransferRow::job, NO_ID>("NULL: a plain flow"),
        Column<&TransferRow::communicator, NO_ID>("of the job"),
        Column<&TransferRow::collective, NO_ID>("of the communicator"),
        Column<&TransferRow::step, NO_ID>("of the collective's schedule"),
        Column<&TransferRow::channel>(""),
        Column<&TransferRow::source>("node"),
        Column<&TransferRow::destination>("node"),
        Column<&TransferRow::sourceNic>("its link"),
        Column<&TransferRow::destinationNic>("its link"),
        Column<&TransferRow::bytes>(""),
        Column<&TransferRow::priority>(""),
        Column<&TransferRow::startPs>("posted"),
        Column<&TransferRow::deliveredPs, 0>("last frame arrived; NULL: not yet"),
        Column<&TransferRow::completedPs, 0>("acknowledged; NULL: not yet"),
        Column<&TransferRow::retransmittedBytes>(""),
        Column<&TransferRow::deliveredBytes>(
            "arrived in order, each byte once; less than bytes where the run ended or the queue "
            "pair failed before"));
    return table;
}

template <>
const ResultTable<JobLinkCounters>&
GetResultTable()
{
    static const ResultTable<JobLinkCounters> table(
        "job_link",
        "what jobs sent on links: counters since the start, at the end of the measuring window",
        {"job", "link", "priority"},
        SameKey::REFUSE,
        KeyIdColumn<&JobLinkCounters::job>("-1: plain flows"),
        Column<&JobLinkCounters::link>(""),
        Column<&JobLinkCounters::priority>(""),
        Column<&JobLinkCounters::bytes>("on the wire"),
        Column<&JobLinkCounters::frames>(""),
        Column<&JobLinkCounters::markedFrames>("ECN"),
        Column<&JobLinkCounters::busyPs>("its frames were being transmitted"),
        Column<&JobLinkCounters::queuePs>("sum of the waits of its frames"),
        Column<&JobLinkCounters::pausedPs>("the priority was paused after the job had sent on it"));
    return table;
}

template <>
const ResultTable<LinkSampleRow>&
GetResultTable()
{
    static const ResultTable<LinkSampleRow> table(
        "link_sample",
        "counters of links since the start, at regular intervals",
        {"link", "priority", "time_ps"},
        SameKey::REFUSE,
        Column<&LinkSampleRow::link>(""),
        Column<&LinkSampleRow::priority>(""),
        Column<&LinkSampleRow::timePs>(""),
        Column<&LinkSampleRow::frames>(""),
        Column<&LinkSampleRow::bytes>("on the wire"),
        Column<&LinkSampleRow::markedFrames>("ECN"),
        Column<&LinkSampleRow::droppedFrames>("before this link's queue"),
        Column<&LinkSampleRow::busyPs>(""),
        Column<&LinkSampleRow::pausedPs>("PFC"),
        Column<&LinkSampleRow::queueBytes>("waiting at that time"));
    return table;
}

template <>
const ResultTable<LinkWindowRow>&
GetResultTable()
{
    static const ResultTable<LinkWindowRow> table(
        "link_window",
        "differences of the counters of links over [start_ps, end_ps)",
        {"link", "priority"},
        SameKey::REPLACE,
        Column<&LinkWindowRow::link>(""),
        Column<&LinkWindowRow::priority>(""),
        Column<&LinkWindowRow::startPs>("of the measuring window"),
        Column<&LinkWindowRow::endPs>("of the measuring window"),
        Column<&LinkWindowRow::frames>(""),
        Column<&LinkWindowRow::bytes>("on the wire"),
        Column<&LinkWindowRow::markedFrames>("ECN"),
        Column<&LinkWindowRow::droppedFrames>("before this link's queue"),
        Column<&LinkWindowRow::busyPs>(""),
        Column<&LinkWindowRow::pausedPs>("PFC"));
    return table;
}

template <>
const ResultTable<BottleneckRow>&
GetResultTable()
{
    static const ResultTable<BottleneckRow> table(
        "bottleneck",
        "jobs that send data on the scenario's `bottleneck`, over the whole run (Crux, Theorem 1); "
        "frames that carry data",
        {"job"},
        SameKey::REFUSE,
        Column<&BottleneckRow::job>(""),
        Column<&BottleneckRow::link>(""),
        Column<&BottleneckRow::iterationPs>("t: wire time of an iteration's frames"),
        Column<&BottleneckRow::carriedPs>("S: wire time of the frames carried"),
        Column<&BottleneckRow::doneFlop>("W x iterations computed, in fractions"),
        Column<&BottleneckRow::carriedFlop>("W S / t"),
        Column<&BottleneckRow::boundFlop>("W, times the iterations that its ranks span at the end"),
        Column<&BottleneckRow::note>("why the theorem does not apply; '': it does"));
    return table;
}

template <>
const ResultTable<PauseRecord>&
GetResultTable()
{
    static const ResultTable<PauseRecord> table(
        "pause",
        "PFC pauses",
        {"link", "priority", "start_ps", "end_ps"},
        SameKey::REFUSE,
        Column<&PauseRecord::link>("the one paused"),
        Column<&PauseRecord::priority>(""),
        Column<&PauseRecord::startPs>(""),
        Column<&PauseRecord::endPs>("taken back or expired; run.end_ps: was in force when the run "
                                    "ended"),
        Column<&PauseRecord::causedByLink, NO_ID>(
            "that the frame was to leave by which made the peer pause it"));
    return table;
}

template <>
const ResultTable<FabricEventRow>&
GetResultTable()
{
    static const ResultTable<FabricEventRow> table(
        "fabric_event",
        "drops, timeouts, NAKs, failures",
        {"time_ps", "node", "event"},
        SameKey::REFUSE,
        Column<&FabricEventRow::timePs>(""),
        KeyIdColumn<&FabricEventRow::node>("-1: none"),
        Column<&FabricEventRow::event>("of the node at that time, from 0"),
        Column<&FabricEventRow::kind>("e.g. drop"),
        Column<&FabricEventRow::link, NO_ID>(""),
        Column<&FabricEventRow::queuePair, NO_ID>(""),
        Column<&FabricEventRow::priority>(""),
        Column<&FabricEventRow::detail>("e.g. shared buffer full"));
    return table;
}

template <>
const ResultTable<CampaignRow>&
GetResultTable()
{
    static const ResultTable<CampaignRow> table(
        "campaign",
        "what a sweep gave its runs; empty: no sweep",
        {"axis"},
        SameKey::REFUSE,
        Column<&CampaignRow::point>("of the grid, from 1"),
        Column<&CampaignRow::axis>("scheduler, placement, seed, topology.Uplinks, ..."),
        Column<&CampaignRow::value>(""));
    return table;
}

const std::vector<const TableSpec*>&
GetResultTables()
{
    static const std::vector<const TableSpec*> tables{
        &GetResultTable<RunRow>().GetSpec(),
        &GetResultTable<ParameterRow>().GetSpec(),
        &GetResultTable<InvariantRow>().GetSpec(),
        &GetResultTable<ImportSummaryRow>().GetSpec(),
        &GetResultTable<NodeRow>().GetSpec(),
        &GetResultTable<LinkRow>().GetSpec(),
        &GetResultTable<JobRow>().GetSpec(),
        &GetResultTable<JobEventRow>().GetSpec(),
        &GetResultTable<GpuAllocationRecord>().GetSpec(),
        &GetResultTable<GpuFailureRecord>().GetSpec(),
        &GetResultTable<IterationRow>().GetSpec(),
        &GetResultTable<SpanRecord>().GetSpec(),
        &GetResultTable<JobUtilizationRow>().GetSpec(),
        &GetResultTable<JobWindowRow>().GetSpec(),
        &GetResultTable<CollectiveRecord>().GetSpec(),
        &GetResultTable<DecisionRecord>().GetSpec(),
        &GetResultTable<QueuePairRow>().GetSpec(),
        &GetResultTable<QueuePairChangeRow>().GetSpec(),
        &GetResultTable<TransferRow>().GetSpec(),
        &GetResultTable<JobLinkCounters>().GetSpec(),
        &GetResultTable<LinkSampleRow>().GetSpec(),
        &GetResultTable<LinkWindowRow>().GetSpec(),
        &GetResultTable<BottleneckRow>().GetSpec(),
        &GetResultTable<PauseRecord>().GetSpec(),
        &GetResultTable<FabricEventRow>().GetSpec(),
        &GetResultTable<CampaignRow>().GetSpec(),
    };
    return tables;
}

} // namespace ns3
