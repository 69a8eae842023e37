/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-trace-reader.h"

#include "../document/attribute-reader.h"
#include "../document/document-loader.h"
#include "../import/import-text.h"
#include "scenario-job-reader.h"

#include "ns3/hash.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ScenarioTraceReader");

namespace
{

const TypeFamily FORMAT{"TraceReader", "ns3::JobTraceReader"};

} // namespace

ScenarioTraceReader::Entry::Entry()
{
    common.name = "job";
    common.overlap = GradientOverlap::NONE; // traces describe whole iterations
}

const DocumentTable<ScenarioTraceReader::Mapping>&
ScenarioTraceReader::GetMappingKeys()
{
    using S = Mapping;
    static const DocumentTable<S> table = [] {
        DocumentTable<S> keys("trace-model", {});
        keys.Add(&S::job, ScenarioJobReader::GetModelKeys());
        keys.Add({Key("gradient-bytes",
                      &S::gradients,
                      Form::Bytes(),
                      "Reduced after each iteration, instead of a model."),
                  Key("compute",
                      &S::compute,
                      Form::Time(1),
                      "Compute time of an iteration, instead of the trace's."),
                  Key("flop-per-gpu",
                      &S::flopPerGpu,
                      Form::Number(),
                      "Work of an iteration [FLOP] a GPU, without a model.")});
        return keys;
    }();
    return table;
}

const DocumentTable<JobTraceColumns>&
ScenarioTraceReader::GetColumnKeys()
{
    using S = JobTraceColumns;
    static const DocumentTable<S> table(
        "trace-columns",
        {Key("arrival", &S::arrival, Form::Text(), "Time of submission: a date or a number.")
             .Required(),
         Key("gpus", &S::gpus, Form::Text(), "Number of GPUs.").Required(),
         Key("duration", &S::duration, Form::Text(), "How long it ran: a number or [D-]HH:MM:SS."),
         Key("iterations", &S::iterations, Form::Text(), "Number of iterations."),
         Key("model", &S::model, Form::Text(), "Name of its model, see models."),
         Key("batch", &S::batch, Form::Text(), "Samples of a GPU and iteration."),
         Key("id", &S::id, Form::Text(), "Name of the job.").Otherwise("the number of its row"),
         Key("unit", &S::unit, Form::Word({"s", "ms", "us"}), "Unit of times that are numbers.")});
    return table;
}

void
ScenarioTraceReader::ReadColumns(const DocumentBlock& block, bool wanted, JobTraceColumns& columns)
{
    const DocumentNode* node = block.Find("columns");
    if (!wanted || node == nullptr)
    {
        if (wanted != (node != nullptr))
        {
            block.Error(wanted ? "file" : "columns",
                        wanted ? "format " + m_entry.format +
                                     " does not know the columns: columns "
                                     "is missing"
                               : "format " + m_entry.format + " has columns of its own");
        }
        return;
    }
    if (node->IsScalar())
    {
        const JobTraceColumns* preset = JobTraceColumns::FindPreset(node->text);
        if (preset == nullptr)
        {
            block.Error(
                "columns",
                Diagnostics::Unknown("trace", node->text, JobTraceColumns::GetPresetNames()));
            return;
        }
        columns = *preset;
        return;
    }
    GetColumnKeys().Read(*node, m_entry.common.path + ".columns", m_context, columns);
    if (columns.duration.empty() && columns.iterations.empty())
    {
        block.Error("columns", "wants duration or iterations, to tell when a job ends");
    }
}

const DocumentTable<ScenarioTraceReader::Entry>&
ScenarioTraceReader::GetKeys()
{
    using S = Entry;
    static const DocumentTable<S> table = [] {
        DocumentTable<S> keys(
            "job-trace",
            {Key("file", &S::file, Form::Text(), "The trace, relative to the scenario.").Required(),
             Key("format", &S::format, Form::TypeName(FORMAT, "format"), "Format of the file.")
                 .Required(),
             Key("workers",
                 &S::workers,
                 Form::Text(),
                 "Lingjun: the table of workers beside that of jobs."),
             DocumentKey<S>("columns",
                            ValueShape::OneOf({Form::Word(JobTraceColumns::GetPresetNames()).shape,
                                               ValueShape::Block(GetColumnKeys().GetInfo())}),
                            "Csv: which columns of the table are used, or the trace whose they "
                            "are."),
             Key("name",
                 &JobSpec::name,
                 Form::Name(),
                 "Jobs are called name-id where the trace numbers them.")
                 .In(&S::common),
             Key("first",
                 &S::first,
                 Form::Integer(1, 1'000'000'000),
                 "So many jobs, the first by submission; of a trace in that order, what comes "
                 "after them is "
                 "not read.")
                 .Otherwise("all"),
             Key("time-scale",
                 &S::timeScale,
                 Form::Fraction(),
                 "Divides submission times, iterations and durations, such as 1/10."),
             DocumentKey<S>("models",
                            ValueShape::Map(ValueShape::OneOf(
                                {ValueShape(), ValueShape::Block(GetMappingKeys().GetInfo())})),
                            "What stands for the trace's models.")});
        keys.Add(&S::common, ScenarioJobReader::GetCommonKeys());
        return keys;
    }();
    return table;
}

ScenarioTraceReader::ScenarioTraceReader(const DocumentContext& context,
                                         const ClusterTopology* graph,
                                         const ScenarioModelCheck& check)
    : m_context(context),
      m_graph(graph),
      m_check(check)
{
}

std::string
ScenarioTraceReader::Read(const DocumentNode& node,
                          const std::string& path,
                          std::vector<JobSpec>& jobs)
{
    const DocumentBlock block = GetKeys().Read(node, path, m_context, m_entry);
    if (!node.IsMap())
    {
        return "";
    }
    m_entry.common.path = path;
    ReadModels(block);
    JobTraceFiles files;
    if (!block.IsComplete() || block.IsWrong("format"))
    {
        return "";
    }
    const std::string& format = m_entry.format;
    ObjectFactory factory;
    factory.SetTypeId(AttributeReader::FindType(format, FORMAT.suffix));
    const auto reader = factory.Create<JobTraceReader>();
    const bool haveWorkers = block.Has("workers");
    if (reader->WantsWorkers() != haveWorkers)
    {
        block.Error(haveWorkers ? "workers" : "file",
                    haveWorkers ? "format " + format + " has no file of workers"
                                : "format " + format + " has a second file: workers is missing");
        return "";
    }
    const int faults = m_context.diagnostics.GetErrorCount();
    ReadColumns(block, reader->WantsColumns(), files.columns);
    if (m_context.diagnostics.GetErrorCount() > faults)
    {
        return "";
    }
    const bool main = ReadFile(block, node, "file", m_entry.file, files.file, files.text);
    if (haveWorkers &&
        !ReadFile(block, node, "workers", m_entry.workers, files.workersFile, files.workersText))
    {
        return "";
    }
    if (!main)
    {
        return "";
    }
    const int errors = m_context.diagnostics.GetErrorCount();
    files.first = m_entry.first;
    std::vector<TraceJob> traced = reader->Read(files, m_context.diagnostics);
    if (traced.empty() && m_context.diagnostics.GetErrorCount() == errors)
    {
        m_context.diagnostics.Error({files.file, 0, 0}, "", "the trace has no jobs that ran");
    }
    std::stable_sort(traced.begin(), traced.end(), [](const TraceJob& a, const TraceJob& b) {
        return a.submitNs < b.submitNs;
    });
    m_count.source = format + " " + m_entry.file;
    m_count.what = "jobs";
    m_count.skipped = traced.size();
    traced.resize(std::min<uint64_t>(traced.size(), m_entry.first));
    m_count.read = traced.size();
    m_count.skipped -= m_count.read;
    const int64_t startNs = traced.empty() ? 0 : traced.front().submitNs;
    for (TraceJob& job : traced)
    {
        job.submitNs -= startNs;
        Convert(job, jobs);
        if (m_context.diagnostics.GetErrorCount() - errors >= ImportText::MAX_ERRORS)
        {
            m_context.diagnostics.Error({files.file, job.mark.line, 0},
                                        "",
                                        "the jobs after this one were not looked at");
            break;
        }
    }
    NS_LOG_INFO(files.file << ": " << jobs.size() << " of " << traced.size() << " jobs");
    // The jobs are part of the scenario, so its text must change with them.
    std::ostringstream text;
    for (const auto& [name, content] : {std::make_pair(files.file, files.text),
                                        std::make_pair(files.workersFile, files.workersText)})
    {
        if (!name.empty())
        {
            text << "\n# jobs: " << name << ", " << content.size() << " bytes, hash " << std::hex
                 << Hash64(content) << std::dec << "\n";
        }
    }
    return text.str();
}

void
ScenarioTraceReader::ReadModels(const DocumentBlock& block)
{
    const DocumentNode* models = block.Find("models");
    if (models == nullptr)
    {
        return;
    }
    if (!models->IsMap())
    {
        block.Error("models",
                    "wants a map of the trace's names of models, not " + models->GetKindName());
        return;
    }
    for (std::size_t i = 0; i < models->keys.size(); i++)
    {
        const std::string& name = models->keys[i].text;
        if (const auto mapping =
                ReadMapping(models->items[i], block.GetPath("models") + "." + name))
        {
            m_models[name] = *mapping;
        }
        else
        {
            m_judged[name] = false; // reported
        }
    }
}

std::optional<ScenarioTraceReader::Mapping>
ScenarioTraceReader::ReadMapping(const DocumentNode& node, const std::string& path)
{
    Mapping mapping;
    if (node.IsScalar())
    {
        mapping.job.model = node.text;
        mapping.job.mark = node.GetMark();
        return mapping;
    }
    const int errors = m_context.diagnostics.GetErrorCount();
    const DocumentBlock block = GetMappingKeys().Read(node, path, m_context, mapping);
    if (!block.IsComplete() || block.HasUnknown())
    {
        return std::nullopt;
    }
    mapping.job.path = path;
    mapping.job.mark = node.GetMark();
    const bool haveModel = block.Find("model") != nullptr;
    if (haveModel == block.Has("gradient-bytes"))
    {
        m_context.diagnostics.Error(node.GetMark(),
                                    path,
                                    haveModel
                                        ? "model and gradient-bytes are both given: write one"
                                        : "neither model nor gradient-bytes is given: write one");
    }
    for (const char* key : {"sequence", "flop-per-gpu"})
    {
        const bool ofModel = std::string(key) == "sequence";
        if (block.Find(key) != nullptr && haveModel != ofModel)
        {
            block.Error(key, std::string("goes with ") + (ofModel ? "model" : "gradient-bytes"));
        }
    }
    return m_context.diagnostics.GetErrorCount() == errors ? std::optional<Mapping>(mapping)
                                                           : std::nullopt;
}

bool
ScenarioTraceReader::ReadFile(const DocumentBlock& block,
                              const DocumentNode& node,
                              const char* key,
                              const std::string& name,
                              std::string& file,
                              std::string& text)
{
    if (block.IsWrong(key))
    {
        return false;
    }
    file = DocumentLoader::Resolve(name, *node.file);
    std::string error;
    const auto content = DocumentLoader::ReadText(file, error, JobTraceReader::MAX_BYTES);
    if (!content)
    {
        block.Error(key, Diagnostics::Quote(file) + ": " + error);
        return false;
    }
    text = *content;
    return true;
}

int64_t
ScenarioTraceReader::ScaleTime(int64_t timeNs) const
{
    __extension__ using Product = __int128;
    const Product timePs = static_cast<Product>(timeNs) * 1000 * m_entry.timeScale.numerator /
                           m_entry.timeScale.denominator;
    return timePs > INT64_MAX / 2 ? -1 : static_cast<int64_t>(timePs);
}

uint64_t
ScenarioTraceReader::ScaleCount(uint64_t count) const
{
    __extension__ using Product = unsigned __int128;
    const Product scaled =
        static_cast<Product>(count) * m_entry.timeScale.numerator / m_entry.timeScale.denominator;
    return std::max<uint64_t>(1, static_cast<uint64_t>(scaled));
}

void
ScenarioTraceReader::Convert(const TraceJob& traced, std::vector<JobSpec>& jobs)
{
    JobSpec job = m_entry.common;
    const bool number = traced.id.find_first_not_of("0123456789") == std::string::npos;
    job.name = number ? m_entry.common.name + "-" + traced.id : traced.id;
    job.mark = traced.mark;
    job.keyMarks = {{"model", traced.modelMark}};
    job.gpus = traced.gpus;
    job.batchPerGpu = std::max(traced.batchPerGpu, 1U);
    const int64_t arrivalPs = ScaleTime(traced.submitNs);
    const int64_t durationPs = ScaleTime(traced.durationNs);
    if (arrivalPs < 0 || durationPs < 0)
    {
        m_context.diagnostics.Error(
            traced.mark,
            "",
            "job " + Diagnostics::Quote(traced.id) +
                " lasts beyond the longest simulated time, 53 days: divide times "
                "with time-scale");
        return;
    }
    job.arrival = {PicoSeconds(arrivalPs), PicoSeconds(arrivalPs)};
    if (traced.iterations > 0)
    {
        job.iterations = ScaleCount(traced.iterations);
    }
    else
    {
        job.duration = PicoSeconds(std::max<int64_t>(1, durationPs));
    }
    if (m_entry.common.gpusPerHost > 0)
    {
        job.gpusPerHost = std::min(m_entry.common.gpusPerHost, job.gpus);
    }
    if (m_graph != nullptr && job.gpus > m_graph->GetGpuCount())
    {
        m_context.diagnostics.Error(traced.mark,
                                    "",
                                    "job " + Diagnostics::Quote(traced.id) + " has " +
                                        std::to_string(job.gpus) + " GPUs, the cluster has " +
                                        std::to_string(m_graph->GetGpuCount()));
        return;
    }
    if (job.gpusPerHost > 0 && job.gpus % job.gpusPerHost != 0)
    {
        m_context.diagnostics.Error(traced.mark,
                                    "",
                                    "job " + Diagnostics::Quote(traced.id) + " has " +
                                        std::to_string(job.gpus) +
                                        " GPUs, which is not a multiple of gpus-per-host (" +
                                        std::to_string(job.gpusPerHost) + ")");
        return;
    }
    if (SetModel(traced, job))
    {
        jobs.push_back(std::move(job));
    }
}

bool
ScenarioTraceReader::SetModel(const TraceJob& traced, JobSpec& job)
{
    const auto own = m_models.find(traced.model);
    const auto other = m_models.find("default");
    const auto judged = m_judged.find(traced.model);
    if (judged != m_judged.end() && !judged->second)
    {
        return false;
    }
    // The project's own models come before `default`, if there is a check that knows them.
    const bool mayBeOurs = own == m_models.end() && !traced.model.empty();
    job.label = traced.model;
    std::string error;
    std::string key = "model";
    const auto set = [&](const Mapping* mapping) {
        JobSpec tried = job;
        error.clear();
        if (traced.computePs > 0)
        {
            tried.compute = PicoSeconds(traced.computePs);
        }
        if (mapping != nullptr && mapping->compute)
        {
            tried.compute = mapping->compute;
        }
        if (mapping != nullptr && mapping->gradients)
        {
            if (!tried.compute)
            {
                error = "the trace has no compute times: give compute beside gradient-bytes";
                return;
            }
            tried.iteration = {
                {ProgramStepKind::COMPUTE, *tried.compute, ByteSize(), traced.mark},
                {ProgramStepKind::ALL_REDUCE, Time(), *mapping->gradients, traced.mark}};
            tried.compute.reset();
            if (mapping->flopPerGpu)
            {
                tried.flopPerIteration = *mapping->flopPerGpu * tried.gpus;
            }
        }
        else
        {
            tried.model = mapping == nullptr ? traced.model : mapping->job.model;
            tried.modelType = mapping == nullptr ? std::nullopt : mapping->job.modelType;
            tried.sequence = mapping == nullptr ? 0 : mapping->job.sequence;
        }
        std::ostringstream program;
        program << traced.model << "|" << tried.gpus << "|" << tried.batchPerGpu << "|"
                << tried.compute.value_or(Time()).GetPicoSeconds() << "|" << tried.model << "|"
                << (tried.iteration.empty() ? 0 : tried.iteration[0].duration.GetPicoSeconds());
        const auto [entry, isNew] =
            m_programs.emplace(program.str(), static_cast<uint32_t>(m_programs.size()));
        tried.program = entry->second;
        if (isNew && m_check)
        {
            error = m_check(tried, key);
        }
        if (isNew && !error.empty())
        {
            m_programs.erase(entry);
            return;
        }
        job = std::move(tried);
    };
    if (own != m_models.end())
    {
        set(&own->second);
    }
    else if (mayBeOurs)
    {
        set(nullptr);
        if (!error.empty() && key == "model" && other != m_models.end())
        {
            set(&other->second);
        }
    }
    else if (other != m_models.end())
    {
        set(&other->second);
    }
    else
    {
        error = "the trace does not name the models of its jobs: give models: {default: ...}";
    }
    m_judged[traced.model] = error.empty();
    if (!error.empty())
    {
        const bool unmapped = own == m_models.end() && other == m_models.end() && mayBeOurs;
        m_context.diagnostics.Error(
            traced.modelMark,
            "",
            error + (unmapped ? "; to map it: models: {" + traced.model +
                                    ": bert-large}, or {gradient-bytes: 100MB} for the name"
                              : ""));
        return false;
    }
    return true;
}

} // namespace ns3
