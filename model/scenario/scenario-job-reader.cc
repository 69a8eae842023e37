/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-job-reader.h"

#include "../base/unit-parser.h"
#include "../document/attribute-reader.h"
#include "../import/workload-reader.h"

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

} // namespace

ScenarioJobReader::ScenarioJobReader(Diagnostics& diagnostics,
                                     const ClusterTopology* graph,
                                     std::vector<std::string> overridden)
    : m_diagnostics(diagnostics),
      m_graph(graph),
      m_overridden(std::move(overridden))
{
}

std::string
ScenarioJobReader::Read(const DocumentNode& node,
                        const std::string& path,
                        std::vector<JobSpec>& jobs)
{
    const DocumentBlock block(node, "job", path, m_diagnostics);
    if (!node.IsMap())
    {
        return "";
    }
    JobSpec job;
    job.path = path;
    job.mark = node.GetMark();
    for (std::size_t i = 0; i < node.keys.size(); i++)
    {
        job.keyMarks.emplace_back(node.keys[i].text, node.items[i].GetMark());
    }
    const std::string name = block.GetText("name").value_or("");
    const uint64_t count = block.GetInteger("count").value_or(1);
    job.gpus = static_cast<uint32_t>(block.GetInteger("gpus").value_or(0));
    job.gpusPerHost = static_cast<uint32_t>(block.GetInteger("gpus-per-host").value_or(0));
    job.channels = static_cast<uint32_t>(block.GetInteger("channels").value_or(0));
    job.iterations = block.GetInteger("iterations").value_or(0);
    job.until = block.GetText("until").value_or("");
    job.durationPs = block.GetTime("duration").value_or(0);
    job.restart = block.GetBoolean("restart").value_or(job.restart);
    const auto scale = block.GetFraction("scale").value_or(std::make_pair(1U, 1U));
    job.scaleNumerator = scale.first;
    job.scaleDenominator = scale.second;
    job.barrier = block.GetBoolean("barrier").value_or(job.barrier);
    if (const DocumentNode* collective = block.Find("collective"))
    {
        const std::string detail = ScenarioKeys::Find("job", "collective")->detail;
        const std::size_t bar = detail.find('|');
        job.collective = AttributeReader(m_diagnostics, m_overridden)
                             .ReadTyped(*collective,
                                        block.GetPath("collective"),
                                        detail.substr(0, bar),
                                        detail.substr(bar + 1))
                             .value_or(TypedBlock());
    }
    ReadProgram(block, job);
    ReadArrival(block, job);
    ReadJitter(block, job);
    const auto hosts = ReadHosts(block, node, count);

    std::vector<std::string> ends;
    for (const char* key : {"iterations", "until", "duration"})
    {
        if (block.Find(key) != nullptr)
        {
            ends.emplace_back(key);
        }
    }
    if (ends.size() > 1)
    {
        block.Error(ends[1], ends[0] + " and " + ends[1] + " are both given: write one of them");
    }
    else if (ends.empty() && !block.HasUnknown())
    {
        m_diagnostics.Error(job.mark,
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
        if (m_hostsGood && ScenarioLocalGpus(m_diagnostics, m_graph).Read(block, instance))
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
    ReadModel(block, job);
    job.batchPerGpu = static_cast<uint32_t>(block.GetInteger("batch-per-gpu").value_or(1));
    job.sequence = static_cast<uint32_t>(block.GetInteger("sequence").value_or(0));
    block.ReadChoice("gradients", job.gradients);
    block.ReadChoice("overlap", job.overlap);
    job.bucketBytes = block.GetBytes("bucket").value_or(job.bucketBytes);
    job.computePs = block.GetTime("compute");
    job.flopPerIteration = block.GetNumber("flop");
    job.gpuType = block.GetText("gpu").value_or(job.gpuType);
    block.ReadChoice("precision", job.precision);
    block.ReadChoice("recompute", job.recompute);
    job.parameterServers = static_cast<uint32_t>(block.GetInteger("parameter-servers").value_or(0));
    ReadParallelism(block, job);
    const bool haveModel = block.Find("model") != nullptr;
    const bool haveSteps = block.Find("iteration") != nullptr;
    std::vector<std::string> programs;
    for (const char* key : {"model", "iteration", "workload"})
    {
        if (block.Find(key) != nullptr)
        {
            programs.emplace_back(key);
        }
    }
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
            m_diagnostics.Error(job.mark,
                                job.path,
                                "none of model, iteration and workload is given: write one");
        }
        return;
    }
    if (haveModel)
    {
        if (block.Find("flop") != nullptr)
        {
            block.Error("flop", "goes with iteration only: the model gives the work of a job");
        }
        return;
    }
    for (const char* key : {"batch-per-gpu",
                            "sequence",
                            "gradients",
                            "overlap",
                            "bucket",
                            "compute",
                            "gpu",
                            "precision",
                            "recompute",
                            "parallelism",
                            "parameter-servers"})
    {
        if (block.Find(key) != nullptr)
        {
            block.Error(key, "goes with model only: " + programs[0] + " says what each step does");
        }
    }
    if (!haveSteps)
    {
        ReadWorkload(block, job);
    }
    else if (const std::vector<DocumentNode>* steps = block.GetList("iteration"))
    {
        for (std::size_t i = 0; i < steps->size(); i++)
        {
            const std::string step = "iteration[" + std::to_string(i) + "]";
            job.keyMarks.emplace_back(step, (*steps)[i].GetMark());
            ReadStep((*steps)[i], job.path + "." + step, job);
        }
    }
}

void
ScenarioJobReader::ReadWorkload(const DocumentBlock& block, JobSpec& job)
{
    const DocumentNode& node = *block.Find("workload");
    const DocumentBlock workload(node, "workload", job.path + ".workload", m_diagnostics);
    if (!node.IsMap())
    {
        return;
    }
    job.workload = WorkloadReader::Load(workload, *node.file, m_diagnostics);
    if (job.workload == nullptr)
    {
        return;
    }
    job.label = job.workload->format + " " + job.workload->file;
    if (job.gpus > 0 && job.gpus != job.workload->ranks)
    {
        block.Error("gpus",
                    "is " + std::to_string(job.gpus) + ", but the workload has " +
                        Plural(job.workload->ranks, "rank"));
    }
    job.gpus = job.workload->ranks;
}

void
ScenarioJobReader::ReadModel(const DocumentBlock& block, JobSpec& job)
{
    const DocumentNode* node = block.Find("model");
    if (node == nullptr || !node->IsMap())
    {
        job.model = block.GetText("model").value_or("");
        return;
    }
    const std::vector<std::string> typed =
        ScenarioKeys::Split(ScenarioKeys::Find("job", "model")->detail);
    job.modelType = AttributeReader(m_diagnostics, m_overridden)
                        .ReadTyped(*node, job.path + ".model", typed.at(0), typed.at(1));
    job.model = job.modelType ? job.modelType->typeName : "";
}

void
ScenarioJobReader::ReadParallelism(const DocumentBlock& block, JobSpec& job)
{
    const DocumentNode* node = block.Find("parallelism");
    if (node == nullptr)
    {
        return;
    }
    const DocumentBlock keys(*node, "parallelism", job.path + ".parallelism", m_diagnostics);
    if (!keys.IsComplete())
    {
        return;
    }
    for (std::size_t i = 0; i < node->keys.size(); i++)
    {
        job.keyMarks.emplace_back("parallelism." + node->keys[i].text, node->items[i].GetMark());
    }
    ParallelismSpec& spec = job.parallelism;
    const auto read = [&keys](const char* key, uint32_t& value) {
        value = static_cast<uint32_t>(keys.GetInteger(key).value_or(value));
    };
    read("data", spec.data);
    read("tensor", spec.tensor);
    read("pipeline", spec.pipeline);
    read("expert", spec.expert);
    read("zero", spec.zero);
    read("microbatches", spec.microbatches);
    read("micro-batch", spec.microBatch);
    read("interleave", spec.interleave);
    keys.ReadChoice("order", spec.order);
    spec.scatterGather = keys.GetBoolean("scatter-gather").value_or(spec.scatterGather);
    spec.written = true;
}

void
ScenarioJobReader::ReadStep(const DocumentNode& node, const std::string& path, JobSpec& job)
{
    const DocumentBlock block(node, "step", path, m_diagnostics);
    if (!block.IsComplete())
    {
        return;
    }
    if (node.keys.size() != 1)
    {
        m_diagnostics.Error(node.GetMark(),
                            path,
                            "a step has one key, not " + std::to_string(node.keys.size()));
        return;
    }
    ProgramStepSpec step;
    const std::string& kind = node.keys[0].text;
    step.kind = FromName<ProgramStepKind>(kind).value_or(step.kind);
    step.mark = node.GetMark();
    const ScenarioKey* key = ScenarioKeys::Find("step", kind);
    const bool written = key != nullptr && block.Find(kind) != nullptr;
    if (written && key->form == KeyForm::TIME)
    {
        step.durationPs = block.GetTime(kind).value_or(0);
        job.iteration.push_back(step);
    }
    else if (written && key->form == KeyForm::BLOCK)
    {
        const DocumentBlock collective(node.items[0],
                                       key->detail,
                                       path + "." + kind,
                                       m_diagnostics);
        if (collective.IsComplete())
        {
            const std::string detail = key->detail;
            step.bytes = collective.GetBytes("bytes").value_or(0);
            if (detail == "rooted")
            {
                step.root = static_cast<uint32_t>(collective.GetInteger("root").value_or(0));
            }
            else if (detail == "message")
            {
                step.root = static_cast<uint32_t>(collective.GetInteger("from").value_or(0));
                step.to = static_cast<uint32_t>(collective.GetInteger("to").value_or(0));
            }
            job.iteration.push_back(step);
        }
    }
}

void
ScenarioJobReader::ReadArrival(const DocumentBlock& block, JobSpec& job)
{
    const DocumentNode* node = block.Find("arrival");
    if (node == nullptr)
    {
        return;
    }
    const std::string path = job.path + ".arrival";
    std::vector<const DocumentNode*> times{node, node};
    if (!node->IsScalar())
    {
        const DocumentBlock arrival(*node, "arrival", path, m_diagnostics);
        const auto range = arrival.IsComplete() ? arrival.GetScalars("uniform") : std::nullopt;
        if (!range)
        {
            return;
        }
        times = *range;
    }
    std::vector<int64_t> values;
    for (const DocumentNode* time : times)
    {
        std::string error;
        const auto value = UnitParser::ParseTime(time->text, error);
        if (!value)
        {
            m_diagnostics.Error(time->GetMark(), path, error);
            continue;
        }
        values.push_back(*value);
    }
    if (values.size() != 2)
    {
        return;
    }
    if (values[0] > values[1])
    {
        m_diagnostics.Error(times[0]->GetMark(),
                            path,
                            "the earliest time " + times[0]->text + " is after the latest, " +
                                times[1]->text);
        return;
    }
    job.arrival = {values[0], values[1]};
}

void
ScenarioJobReader::ReadJitter(const DocumentBlock& block, JobSpec& job)
{
    const DocumentNode* node = block.Find("compute-jitter");
    if (node == nullptr)
    {
        return;
    }
    const DocumentBlock jitter(*node, "jitter", job.path + ".compute-jitter", m_diagnostics);
    if (jitter.IsComplete())
    {
        job.jitterCv = jitter.GetPercentage("cv").value_or(0);
        jitter.ReadChoice("distribution", job.jitterDistribution);
        jitter.ReadChoice("scope", job.jitterScope);
    }
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
    if (lists.size() < count) // more are left out, so that a sweep may vary `count` alone
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
            m_diagnostics.Error(node.GetMark(), where, what);
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
        m_diagnostics.Error(job.mark, job.path, "neither gpus nor hosts is given: write one");
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
