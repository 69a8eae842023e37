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
#include "solo-reference.h"

#include "ns3/log.h"

#include <SQLiteCpp/Exception.h>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <unistd.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ScenarioRunner");

namespace
{

/// Set by SIGINT and SIGTERM: a signal handler can only access a global.
std::atomic<bool> g_interrupted{false};
/// The signal.
std::atomic<int> g_signal{0};

extern "C" void
Interrupt(int signal)
{
    g_signal = signal;
    g_interrupted = true;
    // A second signal ends the program at once.
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
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
        m_parameters.Apply(*scenario, options.attributes, options.seed >= 0);
    }
    return scenario;
}

void
ScenarioRunner::Serve(const ScenarioRunnerOptions& options)
{
    // Rank 0 ends the run, and thereby this one.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    Diagnostics diagnostics;
    const std::optional<Scenario> scenario = Read(options, diagnostics);
    ScenarioRunnerOptions own = options;
    own.threads = 1;
    own.ranks = nullptr;
    std::unique_ptr<ClusterRun> cluster;
    LogicalProcessServer(*options.ranks, [&](uint32_t run, std::string& fault) {
        std::unique_ptr<LogicalProcess> part;
        cluster = nullptr; // one at a time
        if (scenario && run >= 1 && run <= scenario->schedulers.size())
        {
            cluster = MakeRun(*scenario, run - 1, own);
        }
        if (cluster && cluster->Build(diagnostics))
        {
            part = cluster->MakePart(*options.ranks);
        }
        fault = part ? "" : "it cannot read or build the scenario";
        return part;
    }).Serve();
}

int
ScenarioRunner::Run(const ScenarioRunnerOptions& options)
{
    Diagnostics diagnostics;
    const std::optional<Scenario> scenario = Read(options, diagnostics);
    std::unique_ptr<ClusterRun> first;
    if (scenario)
    {
        // Errors that only the built network reveals: headroom against buffers, jobs that can never
        // be placed. The first run is built once, to be checked here and then run.
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
    if (options.check)
    {
        return OK;
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
    cluster->SetThreads(options.threads);
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

int
ScenarioRunner::RunAll(const Scenario& scenario,
                       const ScenarioRunnerOptions& options,
                       std::unique_ptr<ClusterRun> first)
{
    std::signal(SIGINT, Interrupt);
    std::signal(SIGTERM, Interrupt);
    // Exceeding a file size limit (ulimit -f) is a failed write like any other.
    std::signal(SIGXFSZ, SIG_IGN);
    ResultDatabase database(options.output, options.overwrite);
    RunLog log(GetVersion());
    bool terminal = isatty(STDERR_FILENO);
    std::vector<uint32_t> runs;
    const size_t count = scenario.schedulers.size();
    const std::string common =
        m_parameters.GetIdentity(scenario, TypedBlock(), GetVersion()).GetRunId();
    SoloReference solo(scenario, common, options.output + ".solo", options.soloCache);
    solo.SetInterrupt(&g_interrupted);
    // The first run checks for interrupts itself, so that there is always one run.
    for (size_t i = 0; i < count && (i == 0 || !g_interrupted); ++i)
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
        for (const ParameterRow& parameter : m_parameters.GetRows(scenario, scheduler, run))
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
        cluster.Run(database, row, progress.get());
        log.EndRun(cluster.GetLaneEvents(), cluster.GetPacketHops());
        runs.push_back(run);
        if (scenario.solo != SoloPaths::NONE)
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
