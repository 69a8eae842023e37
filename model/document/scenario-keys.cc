/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-keys.h"

#include "ns3/abort.h"

#include <limits>
#include <map>
#include <sstream>

namespace ns3
{

namespace
{

using F = KeyForm;

constexpr uint64_t BIG = 1'000'000'000;
constexpr uint64_t MAX = std::numeric_limits<uint64_t>::max();
constexpr uint64_t GPUS = 1 << 20;

const char* const TYPE_TOPOLOGY = "Topology|ns3::TopologyGenerator";
const char* const TYPE_HOST = "Host|ns3::HostModel";
const char* const TYPE_PLACEMENT = "Placement|ns3::PlacementPolicy";
const char* const TYPE_COLLECTIVE = "Collective|ns3::CollectiveAlgorithm";
const char* const TYPE_MODEL = "Model|ns3::TrainingModel";
const char* const FORMAT_TRACE = "TraceReader|ns3::JobTraceReader";
const char* const FORMAT_WORKLOAD = "WorkloadReader|ns3::WorkloadReader";
const char* const TYPE_SCHEDULER = "Scheduler|ns3::CommunicationScheduler";

const std::map<std::string, std::vector<ScenarioKey>>&
Tables()
{
    static const std::map<std::string, std::vector<ScenarioKey>> tables{
        {"scenario",
         {{"schema", F::CHOICE, "Version of this format.", "gpu-fabric/1", 0, 0, true},
          {"name", F::TEXT, "Name in results; default: the file's."},
          {"extends", F::TEXT, "A scenario file that this one changes, relative to it."},
          {"seed", F::INTEGER, "Seed of all random draws; default 1.", "", 0, MAX},
          {"stop", F::BLOCK, "When the run ends; default: when all jobs are done.", "stop"},
          {"measure", F::BLOCK, "Window of the utilisation figures.", "measure"},
          {"topology", F::TYPED, "The cluster's graph.", TYPE_TOPOLOGY},
          {"host", F::TYPED, "What is inside a host, such as dgx-a100.", TYPE_HOST},
          {"bottleneck", F::TEXT, "A directed link, such as leaf0-spine0, for Theorem 1 of Crux."},
          {"defaults", F::ATTRIBUTES, "Defaults of attributes, by ns3::Class::Attribute."},
          {"jobs", F::JOBS, "Training jobs, a list or a trace of a cluster.", "job"},
          {"flows", F::FLOWS, "Plain RDMA transfers.", "flow"},
          {"placement", F::TYPED, "Placement of jobs; default Consolidate.", TYPE_PLACEMENT},
          {"scheduler", F::TYPED, "Communication scheduler; default None.", TYPE_SCHEDULER},
          {"compare", F::TYPED_LIST, "Schedulers, a run under each.", TYPE_SCHEDULER},
          {"record", F::RECORDS, "What is written to the database.", "record"},
          {"faults", F::LIST, "Faults of links, switches, NICs and hosts.", "fault"},
          {"traffic", F::NOT_SUPPORTED, "Ordinary ns-3 applications."},
          {"solo",
           F::CHOICE,
           "Run each job alone too, for its slowdown: on selected paths (true) or on those of "
           "ECMP; "
           "default false.",
           "false|true|ecmp"},
          {"sweep", F::BLOCK, "Many runs of one scenario, for `gpu-fabric sweep`.", "sweep"},
          {"fast-forward", F::NOT_SUPPORTED, "Skipping of steady stretches."}}},
        {"stop",
         {{"when",
           F::CHOICE,
           "all-jobs-done (default): at the latest at time; time: at time.",
           "all-jobs-done|time"},
          {"time", F::TIME, "Simulated time at which the run ends.", "", 1}}},
        {"sweep",
         {{"scheduler", F::TYPED_LIST, "Communication schedulers.", TYPE_SCHEDULER},
          {"placement", F::TYPED_LIST, "Placements of jobs.", TYPE_PLACEMENT},
          {"set", F::SETTINGS, "Values of other keys, by path: {topology.Uplinks: [4, 8]}."},
          {"seeds", F::SEEDS, "Seeds, such as 1..5."}}},
        {"measure",
         {{"from", F::TIME, "Start of the window."},
          {"to", F::TIME, "End of the window.", "", 1},
          {"warmup", F::INTEGER, "Iterations before the window; default 2.", "", 0, BIG},
          {"jobs", F::NAMES, "Jobs that set the window; default: all."}}},
        {"job",
         {{"name", F::NAME, "Name of the job.", "", 0, 0, true},
          {"count", F::INTEGER, "Number of such jobs, name-0, name-1, ...", "", 1, 10'000},
          {"model",
           F::MODEL,
           "A built-in model, such as bert-large, or a family and its parameters.",
           TYPE_MODEL},
          {"iteration", F::STEPS, "Steps of an iteration, instead of a model.", "step"},
          {"workload", F::BLOCK, "A file that tells an iteration, instead of a model.", "workload"},
          {"gpus", F::INTEGER, "GPUs in all.", "", 1, GPUS},
          {"gpus-per-host", F::INTEGER, "GPUs used on each host.", "", 1, 1024},
          {"local-gpus",
           F::NAMES,
           "GPUs used on each host, by their numbers in it, such as [0, 2, 4, 6]."},
          {"hosts",
           F::HOSTS,
           "Hosts; default: the placement chooses. With count: one list each, further ones "
           "are left out."},
          {"batch-per-gpu", F::INTEGER, "Samples a GPU an iteration; default 1.", "", 1, BIG},
          {"sequence", F::INTEGER, "Tokens a sequence; default: the model's.", "", 1, BIG},
          {"gradients", F::CHOICE, "Form of gradients; default fp32.", "fp32|fp16"},
          {"overlap",
           F::CHOICE,
           "Reduce gradients during the backward pass (default) or after it.",
           "backward|none"},
          {"bucket", F::BYTES, "Gradients reduced together; default 25MB.", "", 1},
          {"channels", F::INTEGER, "Channels of collectives; default: one per NIC.", "", 1, 64},
          {"collective",
           F::TYPED,
           "Algorithm of collectives; default Ring. {type: Msccl, File: x.xml} for an MSCCL file.",
           TYPE_COLLECTIVE},
          {"iterations", F::INTEGER, "Iterations until the job is done.", "", 1, BIG},
          {"until", F::NAME, "Run until this job ends, instead of iterations."},
          {"duration",
           F::TIME,
           "Run for this time, and to the end of that iteration, instead of iterations.",
           "",
           1},
          {"restart",
           F::BOOLEAN,
           "Queue again after a failure and go on after the last finished iteration; default "
           "false."},
          {"arrival", F::ARRIVAL, "When the job arrives; default at once."},
          {"scale", F::FRACTION, "Divides compute and bytes alike, such as 1/8."},
          {"compute", F::TIME, "Compute time of an iteration, instead of the model's.", "", 1},
          {"flop", F::NUMBER, "Work of an iteration of explicit steps [FLOP], all GPUs together."},
          {"compute-jitter", F::BLOCK, "Random factor of compute times; default none.", "jitter"},
          {"barrier", F::BOOLEAN, "Forward waits for all reductions; default true."},
          {"gpu",
           F::CHOICE,
           "GPU on which the model computes; default A100.",
           "A100|H100|H200|V100"},
          {"precision", F::CHOICE, "Arithmetic of the model; default fp16.", "fp16|tf32|fp32"},
          {"recompute",
           F::CHOICE,
           "full: the backward pass repeats the forward pass; default none.",
           "none|full"},
          {"parallelism", F::BLOCK, "How the model is divided over the GPUs.", "parallelism"},
          {"parameter-servers",
           F::INTEGER,
           "Push gradients to and pull parameters from so many servers, spread over the ranks.",
           "",
           1,
           GPUS}}},
        {"parallelism",
         {{"data", F::INTEGER, "Replicas; default: as many as the GPUs make.", "", 1, GPUS},
          {"tensor", F::INTEGER, "GPUs that share each layer; default 1.", "", 1, GPUS},
          {"pipeline", F::INTEGER, "Stages of layers; default 1.", "", 1, GPUS},
          {"expert", F::INTEGER, "Replicas that share the experts; default 1.", "", 1, GPUS},
          {"zero",
           F::INTEGER,
           "What replicas share: 0 nothing (default), 1 optimizer, 2 gradients too, 3 all (FSDP).",
           "",
           0,
           3},
          {"microbatches",
           F::INTEGER,
           "Microbatches of a replica an iteration; default 1.",
           "",
           1,
           100'000},
          {"micro-batch",
           F::INTEGER,
           "Samples of a microbatch; default: batch-per-gpu divided.",
           "",
           1,
           BIG},
          {"interleave", F::INTEGER, "Model chunks of a stage; default 1.", "", 1, 1000},
          {"order",
           F::CHOICE,
           "Ranks: tensor fastest, then data, then pipeline (default), or pipeline before data.",
           "tp-dp-pp|tp-pp-dp"},
          {"scatter-gather",
           F::BOOLEAN,
           "A stage sends each activation once, in parts, to be gathered; default true."}}},
        {"workload",
         {{"file", F::TEXT, "The file, relative to the scenario.", "", 0, 0, true},
          {"format", F::FORMAT, "Format of the file.", FORMAT_WORKLOAD, 0, 0, true},
          {"groups",
           F::TEXT,
           "Chakra: a JSON file of the process groups, by name a list of ranks."}}},
        {"job-trace",
         {{"file", F::TEXT, "The trace, relative to the scenario.", "", 0, 0, true},
          {"format", F::FORMAT, "Format of the file.", FORMAT_TRACE, 0, 0, true},
          {"workers", F::TEXT, "Lingjun: the table of workers beside that of jobs."},
          {"name", F::NAME, "Jobs are called name-id where the trace numbers them; default job."},
          {"first", F::INTEGER, "So many jobs, by submission; default: all.", "", 1, BIG},
          {"time-scale",
           F::FRACTION,
           "Divides submission times, iterations and durations, such as 1/10."},
          {"models", F::MODELS, "What stands for the trace's models.", "trace-model"},
          {"gpus-per-host", F::INTEGER, "GPUs used on each host, by larger jobs.", "", 1, 1024},
          {"gradients", F::CHOICE, "Form of gradients; default fp32.", "fp32|fp16"},
          {"overlap",
           F::CHOICE,
           "Reduce gradients during the backward pass or after it (default).",
           "backward|none"},
          {"bucket", F::BYTES, "Gradients reduced together; default 25MB.", "", 1},
          {"channels", F::INTEGER, "Channels of a ring; default: one per NIC.", "", 1, 64},
          {"scale", F::FRACTION, "Divides compute and bytes alike, such as 1/8."},
          {"compute-jitter", F::BLOCK, "Random factor of compute times; default none.", "jitter"},
          {"barrier", F::BOOLEAN, "Forward waits for all reductions; default true."},
          {"restart", F::BOOLEAN, "As of a job; default false."}}},
        {"trace-model",
         {{"model", F::MODEL, "A model, as of a job.", TYPE_MODEL},
          {"gradient-bytes", F::BYTES, "Reduced after each iteration, instead of a model.", "", 1},
          {"compute", F::TIME, "Compute time of an iteration, instead of the trace's.", "", 1},
          {"sequence", F::INTEGER, "Tokens a sequence; default: the model's.", "", 1, BIG},
          {"flop-per-gpu", F::NUMBER, "Work of an iteration [FLOP] a GPU, without a model."}}},
        {"jitter",
         {{"cv", F::PERCENTAGE, "Coefficient of variation.", "", 0, 0, true},
          {"distribution", F::CHOICE, "Distribution; default Lognormal.", "Lognormal"},
          {"scope", F::CHOICE, "One factor for each rank (default) or job.", "rank|job"}}},
        {"step",
         {{"compute", F::TIME, "Every rank computes for this time.", "", 1},
          {"all-reduce", F::BLOCK, "All-reduce over all ranks.", "collective"},
          {"all-gather", F::BLOCK, "All-gather over all ranks.", "collective"},
          {"reduce-scatter", F::BLOCK, "Reduce-scatter over all ranks.", "collective"},
          {"all-to-all", F::BLOCK, "All-to-all over all ranks.", "collective"},
          {"broadcast", F::BLOCK, "Broadcast to all ranks.", "rooted"},
          {"reduce", F::BLOCK, "Reduction of all ranks to one.", "rooted"},
          {"send", F::BLOCK, "A message from one rank to another; others go on.", "message"}}},
        {"collective", {{"bytes", F::BYTES, "Size of the buffer on each rank.", "", 1, 0, true}}},
        {"rooted",
         {{"bytes", F::BYTES, "Size of the buffer on each rank.", "", 1, 0, true},
          {"root", F::INTEGER, "Rank from which, or to which; default 0.", "", 0, GPUS}}},
        {"message",
         {{"bytes", F::BYTES, "Size of the message.", "", 1, 0, true},
          {"from", F::INTEGER, "Rank that sends.", "", 0, GPUS, true},
          {"to", F::INTEGER, "Rank that receives.", "", 0, GPUS, true}}},
        {"flow",
         {{"from", F::TEXT, "Host or NIC (host0.nic1) that sends.", "", 0, 0, true},
          {"to", F::TEXT, "Host or NIC that receives.", "", 0, 0, true},
          {"bytes", F::BYTES, "Bytes of the transfer.", "", 1, 0, true},
          {"at", F::TIME, "When it starts; default at once."},
          {"priority", F::INTEGER, "Priority, 6 served first.", "", 1, 6}}},
        {"flow-file",
         {{"file", F::TEXT, "A file of flows, relative to the scenario.", "", 0, 0, true},
          {"format", F::CHOICE, "Format of the file.", "hpcc", 0, 0, true}}},
        {"fault",
         {{"at", F::TIME, "When it happens."},
          {"for", F::TIME, "How long it lasts; default: to the end of the run.", "", 1},
          {"from", F::TIME, "lose: start of the time; default 0s."},
          {"to", F::TIME, "lose: end of the time; default: that of the run.", "", 1},
          {"link",
           F::TEXT,
           "A cable, such as leaf0-spine1, or \"*\" for all; lose: leaf0->spine1 for one "
           "direction."},
          {"switch", F::TEXT, "A switch."},
          {"nic", F::TEXT, "A NIC, such as host3.nic0."},
          {"host", F::TEXT, "A host."},
          {"action",
           F::CHOICE,
           "What happens: link: down, up, degraded, flapping, lose; switch and host: down, up; "
           "nic: down, up, slow.",
           "down|up|degraded|flapping|slow|lose",
           0,
           0,
           true},
          {"rate", F::RATE, "degraded: rate of the link; slow: at which the NIC takes frames."},
          {"period", F::TIME, "flapping: from one going down to the next.", "", 1},
          {"duty", F::PERCENTAGE, "flapping: share of the period for which it is down; 50%."},
          {"frames",
           F::NAMES,
           "lose: some of data (READ requests included), pause, ack, cnp, nak; default: all."},
          {"probability", F::PERCENTAGE, "lose: of each frame."}}},
        {"record",
         {{"jobs", F::TEXT, "Jobs, iterations, spans, utilisation, bytes of a job on a link."},
          {"collectives", F::TEXT, "A row for each collective."},
          {"transfers", F::TEXT, "A row for each transfer of a job."},
          {"events", F::TEXT, "Pauses and events of the fabric."},
          {"links", F::BLOCK, "Samples of every link.", "links"},
          {"pcap", F::WORD_OR_BLOCK, "Pcap files next to the database, a port each.", "pcap"}}},
        {"pcap", {{"nodes", F::NAMES, "Hosts and switches; default: all hosts.", "", 0, 0, true}}},
        {"links", {{"interval", F::TIME, "Time between two samples.", "", 1, 0, true}}},
        {"arrival", {{"uniform", F::PAIR, "Earliest and latest time.", "", 0, 0, true}}},
        {"explicit",
         {{"type", F::CHOICE, "A graph that is written out.", "Explicit", 0, 0, true},
          {"nodes", F::LIST, "Hosts and switches.", "node", 0, 0, true},
          {"links", F::LIST, "Links, in the order of ports.", "link", 0, 0, true}}},
        {"node",
         {{"name", F::NAME, "Name of the node.", "", 0, 0, true},
          {"kind", F::CHOICE, "What it is; default host.", "host|switch"},
          {"gpus", F::INTEGER, "GPUs of a host; default 1.", "", 0, 1024}}},
        {"link",
         {{"between", F::PAIR, "The two nodes it joins.", "", 0, 0, true},
          {"rate", F::RATE, "Rate in each direction.", "", 0, 0, true},
          {"delay", F::TIME, "Propagation delay.", "", 0, 0, true},
          {"count", F::INTEGER, "Parallel links; default 1.", "", 1, 1024}}},
        {"taccl",
         {{"name", F::TEXT, "Name of the machine."},
          {"gpus_per_node", F::INTEGER, "GPUs of a host.", "", 1, 1024, true},
          {"nics_per_node", F::INTEGER, "NICs of a host.", "", 1, 64, true},
          {"alpha", F::NUMBER, "Latency between GPUs of a host."},
          {"node_betas_list", F::NAMES, "Time a chunk, by kind of link in a host."},
          {"node_invbws_list", F::NAMES, "alpha + beta of each."},
          {"remote_alpha", F::NUMBER, "Latency between hosts.", "", 0, 0, true},
          {"remote_beta", F::NUMBER, "Time a chunk between hosts.", "", 0, 0, true},
          {"remote_invbw", F::NUMBER, "remote_alpha + remote_beta."},
          {"links", F::LIST, "1 for each link in a host, by destination and source."},
          {"betas", F::LIST, "Time a chunk of each."},
          {"invbws", F::LIST, "alpha + beta of each."}}},
        {"taccl-sketch",
         {{"nnodes", F::INTEGER, "Hosts.", "", 1, 1024, true},
          {"intranode_sketch", F::BLOCK, "Links in a host.", "taccl-intranode", 0, 0, true},
          {"internode_sketch", F::BLOCK, "Links between hosts.", "taccl-internode"},
          {"symmetry_offsets", F::LIST, "[offset, size] of ranks that are alike."},
          {"hyperparameters", F::BLOCK, "Chunks.", "taccl-hyperparameters", 0, 0, true}}},
        {"taccl-intranode",
         {{"strategy",
           F::CHOICE,
           "What is made of the links.",
           "none|switch|minmax|maxmin",
           0,
           0,
           true},
          {"switches", F::LIST, "GPUs of each switch."},
          {"switch_hyperedge_strategy", F::LIST, "uc-min, uc-max or none, of each switch."}}},
        {"taccl-internode",
         {{"strategy", F::CHOICE, "How hosts are joined.", "relay", 0, 0, true},
          {"internode_conn",
           F::ATTRIBUTES,
           "Sending GPU to receiving GPUs; or fully-connected, direct-map.",
           "",
           0,
           0,
           true},
          {"gpus_to_sender_rev_map", F::ATTRIBUTES, "Sending GPU to GPUs that it sends for."},
          {"enforce_ordering", F::BOOLEAN, "A sender's own chunks leave first."}}},
        {"taccl-hyperparameters",
         {{"input_chunkup", F::INTEGER, "Chunks of a rank.", "", 1, 1024, true}}},
        {"astra-sim",
         {{"topology",
           F::NAMES,
           "Ring, FullyConnected or Switch of each dimension.",
           "",
           0,
           0,
           true},
          {"npus_count", F::NAMES, "NPUs along each dimension.", "", 0, 0, true},
          {"bandwidth", F::NAMES, "GB/s of a link of each dimension.", "", 0, 0, true},
          {"latency", F::NAMES, "ns of a link of each dimension.", "", 0, 0, true}}}};
    return tables;
}

} // namespace

const std::vector<ScenarioKey>&
ScenarioKeys::Get(const std::string& block)
{
    const auto found = Tables().find(block);
    NS_ABORT_MSG_IF(found == Tables().end(), "no table of scenario keys: " << block);
    return found->second;
}

const ScenarioKey*
ScenarioKeys::Find(const std::string& block, const std::string& key)
{
    for (const ScenarioKey& candidate : Get(block))
    {
        if (candidate.name == key)
        {
            return &candidate;
        }
    }
    return nullptr;
}

std::vector<std::string>
ScenarioKeys::Split(const std::string& words)
{
    std::vector<std::string> result;
    std::istringstream text(words);
    for (std::string word; std::getline(text, word, '|');)
    {
        result.push_back(word);
    }
    return result;
}

} // namespace ns3
