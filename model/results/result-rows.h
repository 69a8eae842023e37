/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_ROWS_H
#define GPU_FABRIC_RESULT_ROWS_H

#include "../workload/program/imported-workload.h"

#include "ns3/fabric-records.h"
#include "ns3/job-records.h"
#include "ns3/rdma-records.h"
#include "ns3/scheduler-records.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

// Rows that do not correspond to a single record. Their columns are documented in result-tables.cc.

/// A row of `run`: one simulation. Runs of a database count from 1.
struct RunRow
{
    uint32_t run{1};
    std::string runId;       ///< RunIdentity::GetRunId()
    std::string campaignKey; ///< RunIdentity::GetCampaignKey()
    std::string scenario;    ///< name of the scenario
    std::string scenarioText;
    std::string scheduler; ///< e.g. "Crux"
    std::string placement; ///< e.g. "Consolidate"
    std::string variant;   ///< other differences from the other runs; empty for none
    uint64_t seed{1};
    std::string versions; ///< JSON object: of gpu-fabric, ns-3, ...
    std::string mode{"exact"};
    std::string status{"running"}; ///< "running", "finished", "stopped"
    int64_t endPs{0};              ///< simulated time at the end [ps]
    uint64_t events{0};            ///< events run
    int64_t measureFromPs{0};      ///< measuring window [from, to) [ps]
    int64_t measureToPs{0};
    std::string measureNote;        ///< why it is this interval
    double peakFlopsPerGpu{312e12}; ///< [FLOP/s]; default: A100, dense fp16 (NVIDIA data sheet)
};

/// A row of `parameter`: a value used in the run, and its origin.
struct ParameterRow
{
    uint32_t run{1};
    std::string name;
    std::string value;
    std::string origin; ///< "command line", "scenario", "preset", "default"
};

/// A row of `import_summary`: what of an imported file was used.
struct ImportSummaryRow : ImportCount
{
    uint32_t run{1};
};

/// A row of `node`.
struct NodeRow
{
    uint32_t run{1};
    uint32_t node{0};
    std::string name;
    std::string kind; ///< "host" or "switch"
    uint32_t gpus{0};
};

/// A row of `link`, a directed one.
struct LinkRow
{
    uint32_t run{1};
    uint32_t link{0};        ///< directed link id = global id of the port it leaves
    std::string name;        ///< e.g. "leaf0-spine1#2"
    uint32_t source{0};      ///< node id
    uint32_t destination{0}; ///< node id
    uint32_t sourcePort{0};  ///< index of the port at its node, a host's NIC number
    uint64_t rateBps{0};     ///< [bit/s]
    int64_t delayPs{0};      ///< [ps]
};

/// A row of `job`.
struct JobRow
{
    uint32_t run{1};
    uint32_t job{0};
    std::string name;
    std::string model;
    uint32_t gpus{0};
    uint32_t batch{0};                      ///< samples per GPU and iteration
    std::string scale{"1"};                 ///< e.g. "1/8"
    double wFlop{0};                        ///< W of an iteration, all GPUs [FLOP]
    uint64_t gradientBytes{0};              ///< gradients of a rank [byte]
    std::optional<int64_t> soloIterationPs; ///< iteration time of the job alone [ps]
    std::optional<int64_t> commPs;          ///< t_j: time its traffic takes on its busiest link
                                            ///< [ps]
    int64_t arrivalPs{0};
    std::optional<int64_t> startPs; ///< time of its first GPU [ps]; none while it waits
    std::optional<int64_t> endPs;   ///< none if the run ended before it
    /// "not arrived", "waiting", "running", "finished", "failed"
    std::string status{"not arrived"};
    /// Start of the iteration that it had not ended when the run did [ps]; none: it was in none.
    std::optional<int64_t> openIterationPs;
};

/// A row of `iteration`.
struct IterationRow : IterationRecord
{
    uint32_t run{1};
    uint64_t count{1}; ///< iterations this row stands for (extrapolated: more than one)
    std::optional<uint64_t> markedFrames;       ///< none if not counted
    std::optional<uint64_t> retransmittedBytes; ///< [byte]; none if not counted
    bool extrapolated{false};
};

/// A row of `job_utilization`: GPU time of a job, summed over its GPUs, in [startPs, endPs).
struct JobUtilizationRow
{
    uint32_t run{1};
    uint32_t job{0};
    int64_t startPs{0};
    int64_t endPs{0};
    int64_t computePs{0};
    int64_t exposedPs{0};
    int64_t peerWaitPs{0};
    int64_t shiftPs{0};
    int64_t failedPs{0};
    double flops{0};   ///< share of W done, by compute time [FLOP]
    uint64_t bytes{0}; ///< payload of the iteration that starts the interval [byte]
};

/// A row of `job_window`: the same over the measuring window, with the allocated GPU time.
struct JobWindowRow
{
    uint32_t run{1};
    uint32_t job{0};
    int64_t startPs{0};
    int64_t endPs{0};
    int64_t allocatedPs{0};
    int64_t computePs{0};
    int64_t exposedPs{0};
    int64_t peerWaitPs{0};
    int64_t shiftPs{0};
    int64_t failedPs{0};
    double flops{0};
};

/// A row of `link_window`: what a directed link carried in [startPs, endPs), by priority.
struct LinkWindowRow
{
    uint32_t run{1};
    uint32_t link{0};
    uint8_t priority{0};
    int64_t startPs{0};
    int64_t endPs{0};
    uint64_t frames{0};
    uint64_t bytes{0};
    uint64_t markedFrames{0};
    uint64_t droppedFrames{0};
    int64_t busyPs{0};
    int64_t pausedPs{0};
};

/// A row of `bottleneck`: a job on the link that the scenario names as its bottleneck.
struct BottleneckRow
{
    uint32_t run{1};
    uint32_t job{0};
    uint32_t link{0};
    int64_t iterationPs{0}; ///< t_j: wire time of the data frames of an iteration [ps]
    int64_t carriedPs{0};   ///< S_j: wire time of the data frames carried [ps]
    double doneFlop{0};     ///< W_j x iterations computed [FLOP]
    double carriedFlop{0};  ///< W_j S_j / t_j [FLOP]
    double boundFlop{0};    ///< allowed difference of these [FLOP]
    std::string note;       ///< why the theorem does not apply; empty if it does
};

/// A row of `job_event`.
struct JobEventRow : JobEventRecord
{
    uint32_t event{0}; ///< of the job, from 0
};

/// A row of `fabric_event`.
struct FabricEventRow : FabricEventRecord
{
    uint32_t event{0}; ///< of the node at that time, from 0
};

/// A row of `queue_pair`.
struct QueuePairRow : QueuePairRecord
{
    uint32_t source{0};      ///< node id of the sending NIC
    uint32_t destination{0}; ///< node id of the receiving NIC
};

/// A row of `queue_pair_change`.
struct QueuePairChangeRow : QueuePairChangeRecord
{
    uint32_t change{0}; ///< of the queue pair, from 0
};

/// A row of `transfer`.
struct TransferRow : TransferRecord
{
    uint32_t source{0};      ///< node id of the sending NIC
    uint32_t destination{0}; ///< node id of the receiving NIC
};

/// A row of `link_sample`: counters since the start, as of timePs.
struct LinkSampleRow : LinkCounters
{
    uint32_t link{0};
    uint8_t priority{0};
    int64_t timePs{0};
};

/// A row of `campaign`: the value of a sweep axis in a run.
struct CampaignRow
{
    uint32_t run{1};
    uint32_t point{0}; ///< of the grid, from 1
    std::string axis;
    std::string value;
};

/// A row of `invariant`: two numbers that must be equal.
struct InvariantRow
{
    uint32_t run{1};
    std::string name;
    int64_t expected{0};
    int64_t actual{0};
};

} // namespace ns3

#endif // GPU_FABRIC_RESULT_ROWS_H
