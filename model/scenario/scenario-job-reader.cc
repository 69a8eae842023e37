/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-job-reader.h"

#include "../import/workload-reader.h"
#include "scenario-families.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// "1 GPU", "2 GPUs".
std::string
Plural(uint64_t number, const std::string& word)
{
    return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
}

constexpr uint64_t BIG = 1'000'000'000;
constexpr uint64_t GPUS = 1 << 20;

const TypeFamily MODEL{"Model", "ns3::TrainingModel"};

/// The value of `model:`.
struct ModelChoice
{
    std::string name;
    std::optional<TypedBlock> type;
};

/// The name of a model, or a type and its attributes.
ValueForm<ModelChoice>
GetModelForm()
{
    const auto name = Form::Text();
    const auto type = Form::Typed(MODEL);
    ValueForm<ModelChoice> form;
    form.shape = ValueShape::OneOf({name.shape, type.shape});
    form.read = [name, type](const DocumentNode& node,
                             const std::string& path,
                             const DocumentContext& context) -> std::optional<ModelChoice> {
        if (!node.IsMap())
        {
            const auto text = name.read(node, path, context);
            return text ? std::optional<ModelChoice>({*text, std::nullopt}) : std::nullopt;
        }
        const auto block = type.read(node, path, context);
        return block ? std::optional<ModelChoice>({block->typeName, block}) : std::nullopt;
    };
    return form;
}

/// A time, or {uniform: [earliest, latest]}.
ValueForm<TimeRange>
GetArrivalForm()
{
    using Ends = std::vector<const DocumentNode*>;
    static const DocumentTable<Ends> table("arrival",
                                           {Key<Ends, Ends>(
                                                "uniform",
                                                [](Ends& ends, const Ends& read) { ends = read; },
                                                [](const Ends&) { return std::nullopt; },
                                                Form::Scalars(2),
                                                "Earliest and latest time.")
                                                .Required()});
    ValueForm<TimeRange> form;
    form.shape = ValueShape::OneOf({Form::Time().shape, ValueShape::Block(table.GetInfo())});
    form.read = [](const DocumentNode& node,
                   const std::string& path,
                   const DocumentContext& context) -> std::optional<TimeRange> {
        Ends ends{&node, &node};
        if (!node.IsScalar() && !table.Read(node, path, context, ends).IsRight())
        {
            return std::nullopt;
        }
        const auto time = Form::Time();
        const auto low = time.read(*ends[0], path, context);
        const auto high = time.read(*ends[1], path, context);
        if (low && high && *low > *high)
        {
            context.diagnostics.Error(ends[0]->GetMark(),
                                      path,
                                      "the earliest time " + ends[0]->text +
                                          " is after the latest, " + ends[1]->text);
            return std::nullopt;
        }
        return low && high ? std::optional<TimeRange>({PicoSeconds(*low), PicoSeconds(*high)})
                           : std::nullopt;
    };
    return form;
}

/// The keys of a step of an iteration: what it does, and on what.
const DocumentTable<ProgramStepSpec>&
GetStepKeys()
{
    using S = ProgramStepSpec;
    const auto bytes = [](const std::string& help) {
        return Key("bytes", &S::bytes, Form::Bytes(), help).Required();
    };
    const std::string buffer = "Size of the buffer on each rank.";
    static const DocumentTable<S> collective("collective", {bytes(buffer)});
    static const DocumentTable<S> rooted(
        "rooted",
        {bytes(buffer),
         Key("root", &S::root, Form::Integer(0, GPUS), "Rank from which, or to which.")});
    static const DocumentTable<S> message(
        "message",
        {bytes("Size of the message."),
         Key("from", &S::root, Form::Integer(0, GPUS), "Rank that sends.").Required(),
         Key("to", &S::to, Form::Integer(0, GPUS), "Rank that receives.").Required()});
    const auto name = [](ProgramStepKind kind) { return std::string(ToName(kind)); };
    static const DocumentTable<S> table(
        "step",
        {Key(name(ProgramStepKind::COMPUTE),
             &S::duration,
             Form::Time(1),
             "Every rank computes for this time."),
         Key(name(ProgramStepKind::ALL_REDUCE), collective, "All-reduce over all ranks."),
         Key(name(ProgramStepKind::ALL_GATHER), collective, "All-gather over all ranks."),
         Key(name(ProgramStepKind::REDUCE_SCATTER), collective, "Reduce-scatter over all ranks."),
         Key(name(ProgramStepKind::ALL_TO_ALL), collective, "All-to-all over all ranks."),
         Key(name(ProgramStepKind::BROADCAST), rooted, "Broadcast to all ranks."),
         Key(name(ProgramStepKind::REDUCE), rooted, "Reduction of all ranks to one."),
         Key(name(ProgramStepKind::SEND),
             message,
             "A message from one rank to another; others go on.")});
    return table;
}

ValueForm<ProgramStepSpec>
GetStepForm()
{
    ValueForm<ProgramStepSpec> form;
    form.shape = ValueShape::Plain(ValueShape::Kind::STEP, 0, 0, &GetStepKeys().GetInfo());
    form.read = [](const DocumentNode& node,
                   const std::string& path,
                   const DocumentContext& context) -> std::optional<ProgramStepSpec> {
        ProgramStepSpec step;
        const DocumentBlock block = GetStepKeys().Read(node, path, context, step);
        if (block.IsComplete() && node.keys.size() != 1)
        {
            context.diagnostics.Error(node.GetMark(),
                                      path,
                                      "a step has one key, not " +
                                          std::to_string(node.keys.size()));
            return std::nullopt;
        }
        if (!block.IsRight() || block.HasUnknown() || !block.Has(node.keys[0].text))
        {
            return std::nullopt;
        }
        step.kind = *FromName<ProgramStepKind>(node.keys[0].text);
        step.mark = node.GetMark();
        return step;
    };
    return form;
}

const DocumentTable<ParallelismSpec>&
GetParallelismKeys()
{
    using S = ParallelismSpec;
    static const DocumentTable<S> table(
        "parallelism",
        {Key("data", &S::data, Form::Integer(1, GPUS), "Replicas.")
             .Otherwise("as many as the GPUs make"),
         Key("tensor", &S::tensor, Form::Integer(1, GPUS), "GPUs that share each layer."),
         Key("pipeline", &S::pipeline, Form::Integer(1, GPUS), "Stages of layers."),
         Key("expert", &S::expert, Form::Integer(1, GPUS), "Replicas that share the experts."),
         Key("zero",
             &S::zero,
             Form::Integer(0, 3),
             "What replicas share: 0 nothing, 1 optimizer, 2 gradients too, 3 all (FSDP)."),
         Key("microbatches",
             &S::microbatches,
             Form::Integer(1, 100'000),
             "Microbatches of a replica an iteration."),
         Key("micro-batch", &S::microBatch, Form::Integer(1, BIG), "Samples of a microbatch.")
             .Otherwise("batch-per-gpu divided"),
         Key("interleave", &S::interleave, Form::Integer(1, 1000), "Model chunks of a stage."),
         Key("order",
             &S::order,
             Form::Choice<RankOrder>(),
             "Ranks: tensor fastest, then data, then pipeline, or pipeline before data."),
         Key("scatter-gather",
             &S::scatterGather,
             Form::Boolean(),
             "A stage sends each activation once, in parts, to be gathered.")});
    return table;
}

const DocumentTable<JobSpec>&
GetJitterKeys()
{
    using S = JobSpec;
    static const DocumentTable<S> table(
        "jitter",
        {Key("cv", &S::jitterCv, Form::Percentage(), "Coefficient of variation.").Required(),
         Key("distribution",
             &S::jitterDistribution,
             Form::Choice<JitterDistribution>(),
             "Distribution."),
         Key("scope",
             &S::jitterScope,
             Form::Choice<JitterScope>(),
             "One factor for each rank or job.")});
    return table;
}

/// Keys that `count` does not change and that traces do not have.
const DocumentTable<JobSpec>&
GetOwnKeys()
{
    using S = JobSpec;
    static const DocumentTable<S> table(
        "job",
        {Key("name", &S::name, Form::Name(), "Name of the job.").Required(),
         Key("gpus", &S::gpus, Form::Integer(1, GPUS), "GPUs in all."),
         Key("iteration",
             &S::iteration,
             Form::List(GetStepForm()),
             "Steps of an iteration, instead of a model."),
         DocumentKey<S>("workload",
                        ValueShape::Block(WorkloadReader::GetKeys().GetInfo()),
                        "A file that tells an iteration, instead of a model."),
         Key("batch-per-gpu",
             &S::batchPerGpu,
             Form::Integer(1, BIG),
             "Samples a GPU an iteration."),
         Key("gpu", &S::gpuType, Form::Choice<GpuType>(), "GPU on which the model computes."),
         Key("precision", &S::precision, Form::Choice<Precision>(), "Arithmetic of the model."),
         Key("recompute",
             &S::recompute,
             Form::Choice<Recompute>(),
             "full: the backward pass repeats the forward pass."),
         Key("parallelism",
             &S::parallelism,
             GetParallelismKeys(),
             "How the model is divided over the GPUs."),
         Key("parameter-servers",
             &S::parameterServers,
             Form::Integer(1, GPUS),
             "Push gradients to and pull parameters from so many servers, spread over the ranks."),
         Key("compute",
             &S::compute,
             Form::Time(1),
             "Compute time of an iteration, instead of the model's."),
         Key("flop",
             &S::flopPerIteration,
             Form::Number(),
             "Work of an iteration of explicit steps [FLOP], all GPUs together."),
         Key("collective",
             &S::collective,
             Form::Typed(ScenarioFamilies::COLLECTIVE),
             "Algorithm of collectives. {type: Msccl, File: x.xml} for an MSCCL file.")
             .Otherwise("Ring"),
         Key("iterations",
             &S::iterations,
             Form::Integer(1, BIG),
             "Iterations until the job is done."),
         Key("until", &S::until, Form::Name(), "Run until this job ends, instead of iterations."),
         Key("duration",
             &S::duration,
             Form::Time(1),
             "Run for this time, and to the end of that iteration, instead of iterations."),
         Key("arrival", &S::arrival, GetArrivalForm(), "When the job arrives.")
             .Otherwise("at once"),
         Key("deadline",
             &S::deadline,
             Form::Time(1),
             "Time from its arrival by which the job should end; for schedulers, nothing else "
             "uses it.")});
    return table;
}

} // namespace

const DocumentTable<JobSpec>&
ScenarioJobReader::GetModelKeys()
{
    using S = JobSpec;
    static const DocumentTable<S> table(
        "model",
        {Key<S, ModelChoice>(
             "model",
             [](S& job, const ModelChoice& model) {
                 job.model = model.name;
                 job.modelType = model.type;
             },
             [](const S&) { return std::nullopt; },
             GetModelForm(),
             "A built-in model, such as bert-large, or a family and its parameters."),
         Key("sequence", &S::sequence, Form::Integer(1, BIG), "Tokens a sequence.")
             .Otherwise("the model's")});
    return table;
}

const DocumentTable<JobSpec>&
ScenarioJobReader::GetCommonKeys()
{
    using S = JobSpec;
    static const DocumentTable<S> table(
        "common",
        {Key("gpus-per-host",
             &S::gpusPerHost,
             Form::Integer(1, 1024),
             "GPUs used on each host; of a trace, by larger jobs.")
             .Otherwise("all, or as the placement likes"),
         Key("gradients", &S::gradients, Form::Choice<GradientFormat>(), "Form of gradients."),
         Key("overlap",
             &S::overlap,
             Form::Choice<GradientOverlap>(),
             "Reduce gradients during the backward pass or after it."),
         Key("bucket", &S::bucket, Form::Bytes(), "Gradients reduced together."),
         Key("first-bucket",
             &S::firstBucket,
             Form::Bytes(),
             "Those of the first bucket of an iteration.")
             .Otherwise("1MiB if bucket is 25MiB, as PyTorch's DDP; else as bucket"),
         Key("channels", &S::channels, Form::Integer(1, 64), "Channels of collectives.")
             .Otherwise("one for each NIC"),
         Key("scale", &S::scale, Form::Fraction(), "Divides compute and bytes alike, such as 1/8."),
         Key("compute-jitter", GetJitterKeys(), "Random factor of compute times.")
             .Otherwise("none"),
         Key("barrier", &S::barrier, Form::Boolean(), "Forward waits for all reductions."),
         Key("restart",
             &S::restart,
             Form::Boolean(),
             "Queue again after a failure and go on after the last finished iteration.")});
    return table;
}

const DocumentTable<JobEntry>&
ScenarioJobReader::GetKeys()
{
    using S = JobEntry;
    static const DocumentTable<S> table = [] {
        const ValueShape names = ValueShape::List(ValueShape());
        DocumentTable<S> keys("job", {});
        keys.Add(&S::job, GetOwnKeys());
        keys.Add({Key("count",
                      &S::count,
                      Form::Integer(1, 10'000),
                      "Number of such jobs, name-0, name-1, ..."),
                  DocumentKey<S>("hosts",
                                 ValueShape::OneOf({names, ValueShape::List(names)}),
                                 "Hosts. With count: one list each, further ones are left out.")
                      .Otherwise("those that the placement chooses"),
                  Key("local-gpus",
                      &S::localGpus,
                      Form::Scalars(),
                      "GPUs used on each host, by their numbers in it, such as [0, 2, 4, 6].")});
        keys.Add(&S::job, GetModelKeys());
        keys.Add(&S::job, GetCommonKeys());
        return keys;
    }();
    return table;
}

ScenarioJobReader::ScenarioJobReader(const DocumentContext& context, const ClusterTopology* graph)
    : m_context(context),
      m_graph(graph)
{
}

void
ScenarioJobReader::AddMarks(const DocumentBlock& block, const DocumentNode& node, JobSpec& job)
{
    for (std::size_t i = 0; i < node.keys.size(); i++)
    {
        job.keyMarks.emplace_back(node.keys[i].text, node.items[i].GetMark());
    }
    const DocumentNode* parallelism = block.Find("parallelism");
    for (std::size_t i = 0; parallelism != nullptr && i < parallelism->keys.size(); i++)
    {
        job.keyMarks.emplace_back("parallelism." + parallelism->keys[i].text,
                                  parallelism->items[i].GetMark());
    }
    const DocumentNode* steps = block.Find("iteration");
    for (std::size_t i = 0; steps != nullptr && i < steps->items.size(); i++)
    {
        job.keyMarks.emplace_back("iteration[" + std::to_string(i) + "]",
                                  steps->items[i].GetMark());
    }
}

std::string
ScenarioJobReader::Read(const DocumentNode& node,
                        const std::string& path,
                        std::vector<JobSpec>& jobs)
{
    JobEntry entry;
    const DocumentBlock block = GetKeys().Read(node, path, m_context, entry);
    if (!node.IsMap())
    {
        return "";
    }
    JobSpec& job = entry.job;
    const std::string name = job.name;
    const uint64_t count = entry.count;
    job.path = path;
    job.mark = node.GetMark();
    job.parallelism.written = block.Has("parallelism");
    AddMarks(block, node, job);
    ReadProgram(block, job);
    const auto hosts = ReadHosts(block, node, count);

    const std::vector<std::string> ends = block.ListWritten({"iterations", "until", "duration"});
    if (ends.size() > 1)
    {
        block.Error(ends[1], ends[0] + " and " + ends[1] + " are both given: write one of them");
    }
    else if (ends.empty() && !block.HasUnknown())
    {
        m_context.diagnostics.Error(job.mark,
                                    path,
                                    "none of iterations, until and duration is given: write one");
    }

    for (uint64_t i = 0; i < count; i++)
    {
        JobSpec instance = job;
        instance.name = count == 1 ? name : name + "-" + std::to_string(i);
        if (m_hostsGood && !hosts.empty())
        {
            instance.hosts = hosts.size() >= count ? hosts[i] : hosts[0];
        }
        if (m_hostsGood && ScenarioLocalGpus(m_context.diagnostics, m_graph)
                               .Read(block, entry.localGpus, instance))
        {
            CheckGpus(block, instance);
        }
        if (!name.empty())
        {
            jobs.push_back(std::move(instance));
        }
    }
    return name;
}

void
ScenarioJobReader::ReadProgram(const DocumentBlock& block, JobSpec& job)
{
    const std::vector<std::string> programs = block.ListWritten({"model", "iteration", "workload"});
    if (programs.size() > 1)
    {
        block.Error(programs[1],
                    programs[0] + " and " + programs[1] + " are both given: write one of them");
        return;
    }
    if (programs.empty())
    {
        if (!block.HasUnknown())
        {
            m_context.diagnostics.Error(
                job.mark,
                job.path,
                "none of model, iteration and workload is given: write one");
        }
        return;
    }
    if (block.Has("model"))
    {
        if (block.Find("flop") != nullptr)
        {
            block.Error("flop", "goes with iteration only: the model gives the work of a job");
        }
        return;
    }
    const bool workload = block.Has("workload");
    for (const std::string& key : block.ListWritten({"batch-per-gpu",
                                                     "sequence",
                                                     "gradients",
                                                     "overlap",
                                                     "bucket",
                                                     "first-bucket",
                                                     "compute",
                                                     "gpu",
                                                     "precision",
                                                     "recompute",
                                                     "parallelism",
                                                     "parameter-servers"}))
    {
        if (!workload || (key != "gpu" && key != "precision"))
        {
            block.Error(key, "goes with model only: " + programs[0] + " says what each step does");
        }
    }
    if (workload)
    {
        ReadWorkload(block, job);
    }
}

void
ScenarioJobReader::ReadWorkload(const DocumentBlock& block, JobSpec& job)
{
    job.workload = WorkloadReader::Load(*block.Find("workload"),
                                        block.GetPath("workload"),
                                        job,
                                        m_context.diagnostics);
    if (job.workload == nullptr)
    {
        return;
    }
    job.label = job.workload->format + " " + job.workload->file;
    if (!job.workload->HasEstimates())
    {
        for (const std::string& key : block.ListWritten({"gpu", "precision"}))
        {
            block.Error(key,
                        "goes with model, or with a workload whose compute times are estimated");
        }
    }
    if (job.gpus > 0 && job.gpus != job.workload->ranks)
    {
        block.Error("gpus",
                    "is " + std::to_string(job.gpus) + ", but the workload has " +
                        Plural(job.workload->ranks, "rank"));
    }
    job.gpus = job.workload->ranks;
}

std::vector<std::vector<std::string>>
ScenarioJobReader::ReadHosts(const DocumentBlock& block, const DocumentNode& node, uint64_t count)
{
    m_hostsGood = true;
    std::vector<std::vector<std::string>> lists;
    const std::vector<DocumentNode>* items = block.GetList("hosts");
    if (items == nullptr)
    {
        m_hostsGood = block.Find("hosts") == nullptr;
        return lists;
    }
    const std::string path = block.GetPath("hosts");
    if (!items->front().IsList())
    {
        lists.push_back(ReadHostList(*node.Find("hosts"), path));
        return lists;
    }
    for (std::size_t i = 0; i < items->size(); i++)
    {
        lists.push_back(ReadHostList((*items)[i], path + "[" + std::to_string(i) + "]"));
    }
    if (lists.size() < count) // surplus ones are ignored, so that a sweep may vary only `count`
    {
        block.Error("hosts",
                    "holds " + Plural(lists.size(), "list") + " for " + Plural(count, "job") +
                        ": one list for each, or one list of names for all");
        m_hostsGood = false;
    }
    return lists;
}

std::vector<std::string>
ScenarioJobReader::ReadHostList(const DocumentNode& list, const std::string& path)
{
    std::vector<std::string> hosts;
    const auto error =
        [this](const DocumentNode& node, const std::string& where, const std::string& what) {
            m_context.diagnostics.Error(node.GetMark(), where, what);
            m_hostsGood = false;
        };
    if (!list.IsList() || list.items.empty())
    {
        error(list,
              path,
              list.IsList() ? "is an empty list" : "wants a list, not " + list.GetKindName());
        return hosts;
    }
    for (std::size_t i = 0; i < list.items.size(); i++)
    {
        const DocumentNode& item = list.items[i];
        const std::string itemPath = path + "[" + std::to_string(i) + "]";
        if (!item.IsScalar())
        {
            error(item, itemPath, "wants the name of a host, not " + item.GetKindName());
            continue;
        }
        if (std::find(hosts.begin(), hosts.end(), item.text) != hosts.end())
        {
            error(item, itemPath, Diagnostics::Quote(item.text) + " is listed twice");
            continue;
        }
        if (m_graph != nullptr)
        {
            const int64_t id = m_graph->FindNode(item.text);
            if (id < 0)
            {
                std::vector<std::string> names;
                for (const TopologyNode& node : m_graph->GetNodes())
                {
                    if (node.kind == TopologyNodeKind::HOST)
                    {
                        names.push_back(node.name);
                    }
                }
                error(item, itemPath, Diagnostics::Unknown("host", item.text, names));
                continue;
            }
            if (m_graph->GetNodes()[id].kind != TopologyNodeKind::HOST)
            {
                error(item, itemPath, Diagnostics::Quote(item.text) + " is a switch");
                continue;
            }
        }
        hosts.push_back(item.text);
    }
    return hosts;
}

void
ScenarioJobReader::CheckGpus(const DocumentBlock& block, JobSpec& job)
{
    const auto wrong = [&](const char* key, bool given) { return block.Find(key) && !given; };
    if (wrong("gpus", job.gpus > 0) || wrong("gpus-per-host", job.gpusPerHost > 0) ||
        wrong("workload", job.workload != nullptr))
    {
        return; // reported already
    }
    if (!job.hosts.empty())
    {
        CheckPlaced(block, job);
    }
    else if (job.gpus == 0 && !block.HasUnknown())
    {
        m_context.diagnostics.Error(job.mark,
                                    job.path,
                                    "neither gpus nor hosts is given: write one");
    }
    else if (job.gpus > 0)
    {
        CheckUnplaced(block, job);
    }
}

void
ScenarioJobReader::CheckPlaced(const DocumentBlock& block, JobSpec& job)
{
    const auto hosts = static_cast<uint32_t>(job.hosts.size());
    if (job.gpusPerHost > 0)
    {
        const uint64_t product = static_cast<uint64_t>(job.gpusPerHost) * hosts;
        if (job.gpus > 0 && product != job.gpus)
        {
            block.Error("gpus",
                        "is " + std::to_string(job.gpus) + ", but " + Plural(hosts, "host") +
                            " with " + Plural(job.gpusPerHost, "GPU") + " each make " +
                            std::to_string(product));
            return;
        }
        job.gpus = static_cast<uint32_t>(product);
    }
    if (m_graph == nullptr)
    {
        return;
    }
    uint64_t all = 0;
    for (const std::string& host : job.hosts)
    {
        all += m_graph->GetNodes()[m_graph->FindNode(host)].gpus;
    }
    if (job.gpusPerHost == 0 && (job.gpus == 0 || job.gpus == all))
    {
        job.gpus = static_cast<uint32_t>(all);
        if (all == 0)
        {
            block.Error("hosts", "these hosts have no GPUs");
        }
        return;
    }
    if (job.gpusPerHost == 0)
    {
        if (job.gpus % hosts != 0)
        {
            block.Error("gpus",
                        Plural(job.gpus, "GPU") + " cannot be spread evenly over " +
                            Plural(hosts, "host"));
            return;
        }
        job.gpusPerHost = job.gpus / hosts;
    }
    for (const std::string& host : job.hosts)
    {
        const uint32_t gpus = m_graph->GetNodes()[m_graph->FindNode(host)].gpus;
        if (gpus < job.gpusPerHost)
        {
            block.Error(block.Find("gpus-per-host") == nullptr ? "gpus" : "gpus-per-host",
                        "host " + host + " has " + Plural(gpus, "GPU") + ", " +
                            std::to_string(job.gpusPerHost) + " are asked for");
            return;
        }
    }
}

void
ScenarioJobReader::CheckUnplaced(const DocumentBlock& block, const JobSpec& job)
{
    if (job.gpusPerHost > 0 && job.gpus % job.gpusPerHost != 0)
    {
        block.Error("gpus",
                    "is " + std::to_string(job.gpus) +
                        ", which is not a multiple of gpus-per-host (" +
                        std::to_string(job.gpusPerHost) + ")");
        return;
    }
    if (m_graph == nullptr)
    {
        return;
    }
    if (job.gpus > m_graph->GetGpuCount())
    {
        block.Error("gpus",
                    Plural(job.gpus, "GPU") + " are asked for, the cluster has " +
                        std::to_string(m_graph->GetGpuCount()));
        return;
    }
    if (job.gpusPerHost > 0)
    {
        const uint32_t wanted = job.gpus / job.gpusPerHost;
        const auto able =
            static_cast<uint32_t>(std::count_if(m_graph->GetNodes().begin(),
                                                m_graph->GetNodes().end(),
                                                [&job](const TopologyNode& node) {
                                                    return node.kind == TopologyNodeKind::HOST &&
                                                           node.gpus >= job.gpusPerHost;
                                                }));
        if (able < wanted)
        {
            block.Error("gpus-per-host",
                        Plural(wanted, "host") + " with " + Plural(job.gpusPerHost, "GPU") +
                            " each are asked for, the cluster has " + std::to_string(able));
        }
    }
}

} // namespace ns3
