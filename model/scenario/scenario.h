/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_H
#define GPU_FABRIC_SCENARIO_H

#include "imported-workload.h"
#include "scenario-diagnostics.h"

#include "ns3/cluster-topology.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// One attribute as written: the value is already checked against the attribute's type and
/// rewritten to the form ns-3 parses (bytes as a plain integer, "5us" as is).
struct AttributeSetting
{
    std::string name;  ///< attribute name, or "ns3::Class::Attribute" in `defaults:`
    std::string value; ///< as ns-3's SetAttribute takes it
    SourceMark mark;
};

/// A typed block: `{type: Crux, Levels: 4}` or just `Crux`.
struct TypedBlock
{
    std::string typeName; ///< as written, e.g. "Crux"
    std::string typeId;   ///< resolved, e.g. "ns3::CruxScheduler"
    std::vector<AttributeSetting> attributes;
    SourceMark mark;
};

/// A time drawn uniformly from [low, high]; fixed where both are equal. [ps]
struct TimeRange
{
    int64_t low{0};
    int64_t high{0};
};

/// One step of a job's explicit `iteration:` list. Steps run one after the other on every rank.
struct ProgramStepSpec
{
    /// "compute", "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
    /// "reduce", "send".
    std::string kind;
    int64_t durationPs{0}; ///< of a compute step [ps]
    uint64_t bytes{0};     ///< buffer size of a collective on each rank, or of a message [byte]
    SourceMark mark;
    uint32_t root{0}; ///< rank: root of a broadcast or reduction, sender of a message
    uint32_t to{0};   ///< rank that receives a message
};

/// `parallelism:` how a model is divided over the GPUs of a job.
struct ParallelismSpec
{
    uint32_t data{0};         ///< replicas; 0: as many as the GPUs make
    uint32_t tensor{1};       ///< GPUs that share each layer
    uint32_t pipeline{1};     ///< stages
    uint32_t expert{1};       ///< replicas that share the experts
    uint32_t zero{0};         ///< stage of ZeRO: 0 none, 1 optimizer, 2 gradients, 3 parameters
    uint32_t microbatches{1}; ///< of a replica an iteration
    uint32_t microBatch{0};   ///< samples of a microbatch; 0: not written
    uint32_t interleave{1};   ///< model chunks of a stage
    std::string order{"tp-dp-pp"}; ///< of ranks, the fastest first; or "tp-pp-dp"
    bool scatterGather{true};      ///< a stage sends each activation once, in parts
    bool written{false};
};

/// A job of `jobs:`; `count: n` gives n of these, named bert-0, bert-1, ... (one: the bare name).
struct JobSpec
{
    std::string name;
    std::string path;  ///< for messages, e.g. "jobs[1]"
    std::string model; ///< preset, or name of modelType; empty where `iteration:` is given
    std::optional<TypedBlock> modelType; ///< `model: {type: ...}`
    std::string gpuType{"A100"};         ///< GPU whose times are computed
    std::string precision{"fp16"};       ///< "fp16", "tf32" or "fp32"
    std::string recompute{"none"};       ///< "full": the backward pass repeats the forward pass
    ParallelismSpec parallelism;
    uint32_t parameterServers{0};           ///< 0: gradients are reduced by collectives
    std::vector<ProgramStepSpec> iteration; ///< explicit program
    uint32_t gpus{0};                       ///< GPUs in all
    std::vector<std::string> hosts;         ///< named hosts; empty: the placement decides
    uint32_t gpusPerHost{0};                ///< 0: all GPUs of a host, or as the placement likes
    std::vector<uint32_t> localGpus; ///< GPUs used on each host, by number, ascending; or empty
    TimeRange arrival;               ///< [ps]
    uint64_t iterations{0};          ///< 0 where `until` or `duration` is given
    int64_t durationPs{0};   ///< runs so long, and to the end of that iteration [ps]; 0: not given
    bool restart{false};     ///< goes on after a failure from its last finished iteration
    std::string until;       ///< job whose end ends this one; one with count: that of its last
    uint32_t batchPerGpu{1}; ///< samples (sequences, images) a GPU an iteration
    uint32_t sequence{0};    ///< tokens a sequence; 0: the model's default
    std::string gradients{"fp32"};          ///< "fp32" or "fp16"
    std::string overlap{"backward"};        ///< "backward" (DDP buckets) or "none"
    uint64_t bucketBytes{25'000'000};       ///< [byte] DDP bucket; default 25 MB
    uint32_t channels{0};                   ///< of collectives; 0: one per NIC a host uses
    TypedBlock collective;                  ///< algorithm of collectives; none: Ring
    std::optional<int64_t> computePs;       ///< compute time of an iteration [ps], overrides model
    std::optional<double> flopPerIteration; ///< W of an explicit program [FLOP], all GPUs together
    double jitterCv{0};                     ///< coefficient of variation of compute times
    std::string jitterDistribution{"Lognormal"};
    std::string jitterScope{"rank"}; ///< "job" or "rank"
    uint32_t scaleNumerator{1};      ///< scale: 1/8 divides compute and bytes alike
    uint32_t scaleDenominator{1};
    bool barrier{true}; ///< forward waits for all reductions (semantics.md)
    /// What it does, imported from a file; model and iteration are empty then. Shared by all jobs
    /// that were read from it.
    std::shared_ptr<const ImportedWorkload> workload;
    std::string label;   ///< of its model in results; empty: that of model
    uint32_t program{0}; ///< jobs of one number differ in name, hosts, arrival and length only
    SourceMark mark;
    /// Marks of single keys, for messages of later checks ("gpus", "hosts", "model", ...).
    std::vector<std::pair<std::string, SourceMark>> keyMarks;

    /// Mark of a key, or of the job where the key was not written.
    SourceMark GetMark(const std::string& key) const;
};

/// A plain RDMA transfer of `flows:` (an imported flow file gives one for each of its lines).
struct FlowSpec
{
    std::string from; ///< host name; NIC 0 unless written "host0.nic1"
    std::string to;
    uint64_t bytes{0};    ///< [byte]
    int64_t atPs{0};      ///< [ps]
    int32_t priority{-1}; ///< 1 to 6 (imports: to 7), or -1: the default data priority
    SourceMark mark;
};

/// What a fault of `faults:` does.
enum class FaultAction : uint8_t
{
    DOWN,     ///< links, switch, NIC or host, from atPs on
    UP,       ///< ends a DOWN that has no end of its own
    DEGRADED, ///< links at rateBps
    FLAPPING, ///< links down for duty x period, then up for the rest of it, until endPs
    SLOW,     ///< a NIC takes frames at rateBps
    LOSE      ///< frames of directed links with a probability
};

/// A fault of `faults:`.
struct FaultSpec
{
    std::string path; ///< for messages, e.g. "faults[1]"
    FaultAction action{FaultAction::DOWN};
    std::string kind;             ///< of its target: "link", "switch", "nic", "host"
    std::string target;           ///< as written
    std::vector<uint32_t> links;  ///< cables, for faults of links and NICs
    std::vector<uint32_t> ports;  ///< LOSE: directed links; SLOW: the NIC's port
    uint32_t node{0};             ///< the switch or host
    int64_t atPs{0};              ///< [ps]
    std::optional<int64_t> endPs; ///< when it is over [ps]; nothing: not within the run
    uint64_t rateBps{0};          ///< [bit/s]
    int64_t periodPs{0};          ///< [ps]
    int64_t downPs{0};            ///< FLAPPING: of each period [ps]
    uint32_t frames{0};           ///< LOSE: bit k: kind k of GetFrameNames()
    double probability{0};        ///< LOSE: 0 to 1
    SourceMark mark;

    /// Names of the kinds of frames that may be lost: data (of WRITE, SEND and READ, requests of
    /// READ included), pause, ack, cnp, nak.
    static const std::vector<std::string>& GetFrameNames();
};

/// `measure:` the window of the utilisation figures (semantics.md).
struct MeasureSpec
{
    std::optional<int64_t> fromPs;
    std::optional<int64_t> toPs;
    uint32_t warmup{2};            ///< iterations
    std::vector<std::string> jobs; ///< empty: all
};

/// What is written to the database.
struct RecordSpec
{
    bool jobs{true}; ///< jobs, iterations, spans, utilization, job_link
    bool collectives{true};
    bool transfers{false};              ///< transfers of jobs; those of `flows` always
    bool events{true};                  ///< pause, fabric_event
    int64_t linkIntervalPs{0};          ///< link_sample period [ps]; 0: none
    bool pcap{false};                   ///< a pcap file for each port of these nodes
    std::vector<std::string> pcapNodes; ///< hosts and switches; empty: all hosts
    SourceMark pcapMark;
};

/// A whole scenario file as values: checked, located, no simulator needed.
struct Scenario
{
    std::string file; ///< as given on the command line
    std::string text; ///< the whole text, then that of extended files; stored in the database
    /// Those of runs that are to be compared are the same: the text, of a point of a sweep without
    /// its scheduler and seed.
    std::string commonText;
    std::string name;
    uint64_t seed{1};
    /// Runs each job alone too: on "selected" paths, or on those that "ecmp" gives it; empty: no.
    std::string solo;
    bool stopWhenJobsDone{true}; ///< stop: {when: all-jobs-done}; flows count as jobs
    int64_t stopPs{0};           ///< stop: {time}; 0: no limit [ps]
    MeasureSpec measure;
    TypedBlock topology;
    TypedBlock host;        ///< no type: the inside of hosts is not modelled
    ClusterTopology graph;  ///< generated from `topology` and `host`
    std::string bottleneck; ///< directed link name or empty
    std::vector<AttributeSetting> defaults;
    std::vector<JobSpec> jobs;
    std::vector<FlowSpec> flows;
    std::vector<FaultSpec> faults;
    TypedBlock placement;               ///< default Consolidate
    std::vector<TypedBlock> schedulers; ///< one, or those of `compare:`; default None
    RecordSpec record;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_H
