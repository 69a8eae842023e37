/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-runner.h"

#include "../../model/fabric/logical-process-server.h"
#include "../../model/results/run-figures.h"
#include "../../model/results/run-identity.h"
#include "../../model/results/run-log.h"
#include "../../model/results/run-table.h"
#include "../../model/results/text-table.h"
#include "../../model/scenario/scenario-reader.h"
#include "../../model/workload/program/training-program-builder.h"
#include "cluster-run.h"
#include "program-facts.h"
#include "solo-reference.h"

#include "ns3/log.h"

#include <SQLiteCpp/Exception.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <thread>
#include <unistd.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ScenarioRunner");

namespace
{

/// Signals that end a run in an orderly way.
constexpr int ENDING_SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};

/// Set by them: a signal handler can only access a global.
std::atomic<bool> g_interrupted{false};
/// The signal.
std::atomic<int> g_signal{0};

extern "C" void
Interrupt(int signal)
{
    g_signal = signal;
    g_interrupted = true;
    // A second signal ends the program at once.
    for (const int ending : ENDING_SIGNALS)
    {
        std::signal(ending, SIG_DFL);
    }
}

/// The cost of a run above which it is said at its start [s].
constexpr double WORTH_SAYING_S = 2;

/// What is thrown by something that is not an exception of its own layer.
std::string
Describe(const std::exception& error)
{
    return dynamic_cast<const std::bad_alloc*>(&error) ? "there is not enough memory"
                                                       : error.what();
}

} // namespace

ScenarioRunner::ScenarioRunner(std::ostream& out, std::ostream& err)
    : m_out(out),
      m_err(err)
{
}

std::string
ScenarioRunner::GetVersion()
{
#ifdef GPU_FABRIC_VERSION
    return GPU_FABRIC_VERSION;
#else
    return "unknown";
#endif
}

std::string
ScenarioRunner::CheckModel(const JobSpec& job, std::string& key)
{
    std::vector<ProgramFault> faults;
    TrainingProgramBuilder::Build(job, job.gpus, faults);
    if (faults.empty())
    {
        return "";
    }
    key = faults[0].key;
    return faults[0].what;
}

std::optional<Scenario>
ScenarioRunner::Read(const ScenarioRunnerOptions& options, Diagnostics& diagnostics)
{
    ScenarioReader reader(diagnostics);
    reader.SetOverridden(options.attributes);
    reader.SetModelCheck(&ScenarioRunner::CheckModel);
    std::optional<Scenario> scenario = reader.Read(options.scenario, options.point);
    if (scenario)
    {
        if (options.solo && scenario->solo == SoloPaths::NONE)
        {
            scenario->solo = SoloPaths::SELECTED;
        }
        if (options.seed >= 0)
        {
            scenario->seed = static_cast<uint64_t>(options.seed);
        }
        m_parameters.Apply(*scenario, options.attributes, options.others, options.seed >= 0);
    }
    return scenario;
}

void
ScenarioRunner::Serve(const ScenarioRunnerOptions& options)
{
    // Rank 0 ends the run, and thereby this one.
    for (const int ending : ENDING_SIGNALS)
    {
        std::signal(ending, SIG_IGN);
    }
    Diagnostics diagnostics;
    const std::optional<Scenario> scenario = Read(options, diagnostics);
    ScenarioRunnerOptions own = options;
    own.threads = 1;
    own.ranks = nullptr;
    std::unique_ptr<ClusterRun> cluster;
    LogicalProcessServer(*options.ranks, [&](uint32_t run, std::string& fault) {
        std::unique_ptr<LogicalProcess> process;
        cluster = nullptr; // one at a time
        if (scenario && run >= 1 && run <= scenario->schedulers.size())
        {
            cluster = MakeRun(*scenario, run - 1, own);
        }
        if (cluster && cluster->Build(diagnostics))
        {
            process = cluster->MakeLogicalProcess(*options.ranks);
        }
        fault = process ? "" : "it cannot read or build the scenario";
        return process;
    }).Serve();
}

int
ScenarioRunner::Run(const ScenarioRunnerOptions& options)
{
    try
    {
        return RunChecked(options);
    }
    catch (const std::exception& error)
    {
        m_err << "gpu-fabric: the run has failed: " << Describe(error) << std::endl;
        return FAILED;
    }
}

int
ScenarioRunner::RunChecked(const ScenarioRunnerOptions& options)
{
    Diagnostics diagnostics;
    const std::optional<Scenario> scenario = Read(options, diagnostics);
    std::unique_ptr<ClusterRun> first;
    if (scenario)
    {
        // Errors that only the built network reveals: headroom against buffers, jobs that can never
        // be placed. The first run is built once, to be checked here and then run.
        m_threads = std::max(1U, options.threads);
        first = MakeRun(*scenario, 0, options);
        first->Build(diagnostics);
    }
    diagnostics.Print(m_err);
    if (scenario && !options.quiet)
    {
        PrintImports(*scenario);
    }
    if (!scenario || diagnostics.HasErrors())
    {
        return BAD_INPUT;
    }
    const bool automatic = options.threads == ScenarioRunnerOptions::AUTOMATIC;
    if (!options.quiet || automatic)
    {
        m_cost = first->EstimateCost();
    }
    if (options.check)
    {
        if (!options.quiet)
        {
            RunCost all;
            all.Add(m_cost, scenario->schedulers.size());
            m_out << all.Describe() << "\n";
        }
        return OK;
    }
    m_threads = ChooseThreads(options);
    if (automatic && m_threads > 1)
    {
        first.reset(); // one network at a time
        first = BuildRun(*scenario, 0, options);
    }
    try
    {
        return RunAll(*scenario, options, std::move(first));
    }
    catch (const ResultExistsError& error)
    {
        m_err << "gpu-fabric: " << error.what() << std::endl;
        return BAD_INPUT;
    }
    catch (const ResultWriteError& error)
    {
        m_err << "gpu-fabric: " << error.what() << std::endl;
        return WRITE_FAILED;
    }
    catch (const SQLite::Exception& error)
    {
        // The results just written cannot be read back.
        m_err << "gpu-fabric: " << options.output << ": " << error.what() << std::endl;
        return WRITE_FAILED;
    }
}

uint32_t
ScenarioRunner::ChooseThreads(const ScenarioRunnerOptions& options) const
{
    const double load = RunCost::GetLoad();
    const uint32_t processors = std::max(1U, std::thread::hardware_concurrency());
    if (options.threads == ScenarioRunnerOptions::AUTOMATIC)
    {
        return m_cost.ChooseThreads(load, processors);
    }
    if (options.threads > 1 && !options.quiet)
    {
        const std::string fault = m_cost.GetThreadsFault(options.threads, load, processors);
        if (!fault.empty())
        {
            m_err << "gpu-fabric: " << options.threads
                  << " threads are unlikely to be faster than one: " << fault << "\n";
        }
    }
    return options.threads;
}

void
ScenarioRunner::PrintImports(const Scenario& scenario) const
{
    if (scenario.imports.empty())
    {
        return;
    }
    TextTable table;
    table.AddColumn("imported from", false);
    table.AddColumn("what", false);
    table.AddColumn("read");
    table.AddColumn("skipped");
    table.AddColumn("estimated");
    for (const ImportCount& count : scenario.imports)
    {
        table.AddRow({count.source,
                      count.what,
                      TextTable::Count(static_cast<int64_t>(count.read)),
                      TextTable::Count(static_cast<int64_t>(count.skipped)),
                      TextTable::Count(static_cast<int64_t>(count.estimated))});
    }
    table.Print(m_err);
}

std::unique_ptr<ClusterRun>
ScenarioRunner::MakeRun(const Scenario& scenario,
                        size_t scheduler,
                        const ScenarioRunnerOptions& options) const
{
    const auto run = static_cast<uint32_t>(scheduler + 1);
    auto cluster = std::make_unique<ClusterRun>(scenario, scenario.schedulers[scheduler], run);
    cluster->SetReverseNodes(options.reverseNodes);
    cluster->SetThreads(m_threads);
    cluster->SetRanks(options.ranks);
    cluster->SetInterrupt(&g_interrupted);
    const std::string pcap = std::filesystem::path(options.output).replace_extension().string();
    cluster->SetPcapPrefix(scenario.schedulers.size() > 1 ? pcap + "-run" + std::to_string(run)
                                                          : pcap);
    cluster->SetWarningCallback(Callback<void, const std::string&>(
        [this](const std::string& text) { m_err << "gpu-fabric: warning: " << text << "\n"; }));
    return cluster;
}

std::unique_ptr<ClusterRun>
ScenarioRunner::BuildRun(const Scenario& scenario,
                         size_t scheduler,
                         const ScenarioRunnerOptions& options) const
{
    std::unique_ptr<ClusterRun> run = MakeRun(scenario, scheduler, options);
    Diagnostics diagnostics;
    if (!run->Build(diagnostics))
    {
        diagnostics.Print(m_err);
        return nullptr;
    }
    return run;
}

std::string
ScenarioRunner::RunOne(ClusterRun& cluster,
                       ResultDatabase& database,
                       const RunRow& row,
                       ProgressPrinter* progress)
{
    try
    {
        cluster.Run(database, row, progress);
    }
    catch (const ResultWriteError&)
    {
        throw;
    }
    catch (const SQLite::Exception&)
    {
        throw;
    }
    catch (const std::exception& error)
    {
        return Describe(error);
    }
    return cluster.GetFailure();
}

int
ScenarioRunner::RunAll(const Scenario& scenario,
                       const ScenarioRunnerOptions& options,
                       std::unique_ptr<ClusterRun> first)
{
    for (const int ending : ENDING_SIGNALS)
    {
        // nohup ignores SIGHUP, and means it.
        const auto before = std::signal(ending, Interrupt);
        if (ending == SIGHUP && before == SIG_IGN)
        {
            std::signal(ending, SIG_IGN);
        }
    }
    // Exceeding a file size limit (ulimit -f) is a failed write like any other.
    std::signal(SIGXFSZ, SIG_IGN);
    ResultDatabase database(options.output, options.overwrite);
    RunLog log(GetVersion());
    if (!options.quiet && m_cost.GetCpuSeconds() >= WORTH_SAYING_S)
    {
        RunCost all;
        all.Add(m_cost, scenario.schedulers.size());
        m_err << "gpu-fabric: " << all.Describe() << std::endl;
    }
    bool terminal = isatty(STDERR_FILENO);
    std::vector<uint32_t> runs;
    const size_t count = scenario.schedulers.size();
    const std::string common =
        m_parameters.GetIdentity(scenario, TypedBlock(), GetVersion()).GetRunId();
    SoloReference solo(scenario, common, options.output + ".solo", options.soloCache);
    solo.SetInterrupt(&g_interrupted);
    std::string failure;
    // The first run checks for interrupts itself, so that there is always one run.
    for (size_t i = 0; i < count && (i == 0 || !g_interrupted) && failure.empty(); ++i)
    {
        const TypedBlock& scheduler = scenario.schedulers[i];
        auto run = static_cast<uint32_t>(i + 1);
        std::string label = "run " + std::to_string(run) + " of " + std::to_string(count) + ", " +
                            scheduler.typeName;
        std::unique_ptr<ClusterRun> owner =
            first ? std::move(first) : BuildRun(scenario, i, options);
        if (!owner)
        {
            database.Discard();
            return BAD_INPUT;
        }
        ClusterRun& cluster = *owner;
        cluster.SetCost(m_cost);
        const RunIdentity identity = m_parameters.GetIdentity(scenario, scheduler, GetVersion());
        RunRow row;
        row.runId = identity.GetRunId();
        row.campaignKey = identity.GetCampaignKey();
        row.scenario = scenario.name;
        row.scenarioText = scenario.text;
        row.scheduler = scheduler.typeName;
        row.placement = scenario.placement.typeName;
        row.variant = RunParameters::GetBlockText(scheduler).substr(scheduler.typeName.size());
        row.variant.erase(0, row.variant.empty() ? 0 : 1);
        row.seed = scenario.seed;
        row.versions = "{\"gpu-fabric\":\"" + GetVersion() + "\"}";
        for (const ParameterRow& parameter :
             m_parameters.GetRows(scenario, scheduler, run, cluster.GetPresetValues()))
        {
            database.Insert(parameter);
        }
        for (const ImportCount& count : scenario.imports)
        {
            database.Insert(ImportSummaryRow{count, run});
        }
        std::unique_ptr<ProgressPrinter> progress;
        if (!options.quiet)
        {
            progress = std::make_unique<ProgressPrinter>(m_err, terminal, label);
        }
        NS_LOG_INFO(label << ", run id " << row.runId);
        log.StartRun(label);
        failure = RunOne(cluster, database, row, progress.get());
        log.EndRun(cluster.GetLaneEvents(), cluster.GetPacketHops());
        runs.push_back(run);
        if (scenario.solo != SoloPaths::NONE && failure.empty())
        {
            const auto placements = cluster.GetPlacements();
            owner.reset(); // one simulation at a time
            solo.Complete(database, run, placements);
        }
    }
    if (runs.size() > 1)
    {
        RunFigures::UnifyMeasuringWindows(database, runs);
    }
    std::vector<InvariantRow> violated = database.Finish();
    log.Write(options.output);
    if (options.point && std::filesystem::path(options.output).extension() == ".sqlite")
    {
        // So that a sweep that finds it knows by whom it was made; its own processes write others.
        ProgramFacts facts = ProgramFacts::OfThisProcess();
        if (ProgramFacts::NeedsSolver(scenario))
        {
            facts.AddSolvers();
        }
        if (!facts.WriteFor(options.output))
        {
            throw ResultWriteError(ProgramFacts::GetFile(options.output) + ": cannot write");
        }
    }
    if (!options.quiet)
    {
        RunTable(options.output).Print(m_out);
        m_err << "gpu-fabric: results are in " << options.output << "\n";
    }
    for (const InvariantRow& row : violated)
    {
        m_err << "gpu-fabric: invariant " << row.name << " of run " << row.run
              << " is violated: expected " << row.expected << ", found " << row.actual << "\n";
    }
    if (!failure.empty())
    {
        m_err << "gpu-fabric: the run has failed, the results end there: " << failure << "\n";
        return FAILED;
    }
    if (!violated.empty())
    {
        return VIOLATED;
    }
    if (g_interrupted)
    {
        m_err << "gpu-fabric: interrupted, the results end there\n";
        return INTERRUPTED + g_signal;
    }
    return OK;
}

} // namespace ns3
