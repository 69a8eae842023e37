/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-command.h"

#include "../../model/base/unit-parser.h"
#include "../../model/document/document-loader.h"
#include "../../model/fabric/remote-logical-process.h"
#include "../../model/results/result-reference.h"
#include "../../model/scenario/scenario-reader.h"
#include "campaign-runner.h"
#include "mpi-session.h"

#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

namespace ns3
{

namespace
{

const char* const AUTO = "auto";

} // namespace

RunCommand::RunCommand(const std::string& program, std::ostream& out, std::ostream& err)
    : m_out(out),
      m_err(err),
      m_cmd(program),
      m_jobs(std::max(1u, std::thread::hardware_concurrency()))
{
    AddOptions();
}

void
RunCommand::AddOptions()
{
    m_cmd.Usage(
        "Simulates the RoCEv2 network of a GPU cluster as a scenario file describes it, and "
        "writes a SQLite database.\n"
        "\n"
        "With --sweep all points of the scenario's sweep are run, as processes, into a folder.\n"
        "\n"
        "Exit status: 0 it is written, 1 points of a sweep have failed, 2 wrong input or the "
        "database exists already, 3 an "
        "invariant is violated,\n"
        "4 the database or the table cannot be written, 5 the run has failed, as when memory is "
        "exhausted\n(what was simulated is written), 130 interrupted (likewise; 129, 143 by "
        "SIGHUP, "
        "SIGTERM).");
    m_cmd.SetVersion("gpu-fabric " + ScenarioRunner::GetVersion());
    m_cmd.AddValue("scenario", "Scenario file (YAML)", m_options.scenario);
    m_cmd.AddNonOption("file", "Scenario file, instead of --scenario", m_options.scenario);
    m_cmd.AddValue("out", "Result database to write", m_options.output);
    m_cmd.AddValue("overwrite", "Replace an existing result database", m_options.overwrite);
    m_cmd.AddValue("check", "Only check the scenario", m_options.check);
    m_cmd.AddValue("quiet", "Print neither progress nor table", m_options.quiet);
    m_cmd.AddValue("seed", "Seed, beats the scenario's; --RngRun=N is the same", m_options.seed);
    m_cmd.AddValue("reverse-nodes",
                   "Create the ns-3 nodes in reverse order; the result must not change",
                   m_options.reverseNodes);
    m_cmd.AddValue("threads",
                   "Threads that simulate a network, or auto; the result does not change",
                   m_threads);
    m_cmd.AddValue("solo", "Run each job alone too, for its slowdown", m_options.solo);
    m_cmd.AddValue("sweep", "Run all points of the scenario's sweep; --out is a folder", m_sweep);
    m_cmd.AddValue("jobs", "Processes of a sweep at a time", m_jobs);
    m_cmd.AddValue("point", "Run one point of the scenario's sweep, from 1", m_point);
    m_cmd.AddValue("solo-cache",
                   "Folder where results of jobs that run alone are kept",
                   m_options.soloCache);
    m_cmd.AddValue("compare",
                   "Result database whose schedulers are compared, over seeds; nothing is run",
                   m_compare);
    m_cmd.AddValue("axis", "With compare: another axis of the sweep, such as placement", m_axis);
    m_cmd.AddValue("figure",
                   "With compare: one figure, such as iteration_ms, in one table of all "
                   "combinations",
                   m_figure);
    m_cmd.AddValue("job", "With figure: of this job, not of all", m_job);
    m_cmd.AddValue("print-schema",
                   "Print a JSON Schema of scenario files for editors",
                   m_printSchema);
    m_cmd.AddValue("print-results",
                   "Print the reference of the result database: views, tables and columns",
                   m_printResults);
    m_cmd.AddValue("print-reference",
                   "Print all keys of scenario files as a page of reStructuredText",
                   m_printReference);
}

std::string
RunCommand::FindFault() const
{
    for (const std::string name : {"axis", "figure", "job"})
    {
        if (m_compare.empty() && m_cmd.IsGiven(name))
        {
            return "--" + name + ": goes with --compare=DATABASE only";
        }
    }
    if (!m_compare.empty())
    {
        return m_cmd.IsGiven("job") && m_figure.empty()
                   ? "--job: goes with --figure=NAME, the figure of that job"
                   : "";
    }
    if (m_options.scenario.empty())
    {
        return "a scenario file is needed: --scenario=FILE";
    }
    if (m_cmd.IsGiven("point") && m_point == 0)
    {
        return "--point: points are numbered from 1";
    }
    if (m_sweep && m_point > 0)
    {
        return "--sweep runs all points, --point one: give one of them";
    }
    if ((m_sweep || m_point > 0) && m_options.seed >= 0)
    {
        return "--seed: the seeds of a sweep are those of its points";
    }
    if (m_sweep && !m_options.check && DocumentLoader::IsPipe(m_options.scenario))
    {
        return m_options.scenario +
               ": is a pipe, which only one process can read, but each point of a "
               "sweep is a process: write it to a file";
    }
    const uint32_t ranks = MpiSession::GetLaunchedRanks();
    if (m_sweep && ranks > 0)
    {
        return "--sweep starts processes itself, on this machine: without mpirun";
    }
    if (ranks > 1 && !MpiSession::HasMpi())
    {
        return std::to_string(ranks) +
               " ranks: this program was built without MPI; ./gpu-fabric ns3 builds one with it";
    }
    std::string fault;
    const uint64_t threads =
        m_threads == AUTO ? 1
                          : UnitParser::ParseUnsigned(m_threads, 0, UINT32_MAX, fault).value_or(0);
    if (ranks > 1 && threads > 1)
    {
        return "--threads: of several ranks each has one";
    }
    if (m_jobs < 1 || m_jobs > MAX_JOBS)
    {
        return "--jobs: from 1 to " + std::to_string(MAX_JOBS) + " processes can run at a time";
    }
    if (threads < 1 || threads > MAX_THREADS)
    {
        return "--threads: a network can be simulated by 1 to " + std::to_string(MAX_THREADS) +
               " threads, or auto";
    }
    if (m_sweep && threads > 1)
    {
        return "--threads: the points of a sweep are processes, as many at a time as --jobs says";
    }
    return "";
}

void
RunCommand::Complete()
{
    std::string ignored; // FindFault() says it
    m_options.threads =
        m_threads == AUTO
            ? ScenarioRunnerOptions::AUTOMATIC
            : static_cast<uint32_t>(
                  UnitParser::ParseUnsigned(m_threads, 0, UINT32_MAX, ignored).value_or(1));
    m_options.attributes = m_cmd.GetAttributes();
    m_options.others = m_cmd.GetOthers();
    if (m_options.seed < 0 && m_cmd.IsGiven("RngRun"))
    {
        m_options.seed = static_cast<int64_t>(RngSeedManager::GetRun());
    }
    // Checking a sweep checks all its points.
    m_sweep = m_sweep || (m_options.check && !m_cmd.IsGiven("point") &&
                          ScenarioReader::HasSweep(m_options.scenario));
    if (m_point > 0)
    {
        m_options.point = m_point - 1;
    }
    if (m_options.output.empty())
    {
        const std::string& path = m_options.scenario;
        const std::string name = path.substr(path.rfind('/') + 1);
        m_options.output = name.substr(0, name.rfind('.')) + (m_sweep ? ".campaign" : ".sqlite");
    }
}

int
RunCommand::RunSweep() const
{
    CampaignRunnerOptions campaign;
    campaign.scenario = m_options.scenario;
    campaign.folder = m_options.output;
    campaign.program = std::filesystem::read_symlink("/proc/self/exe").string();
    campaign.parallel = static_cast<uint32_t>(m_jobs);
    campaign.overwrite = m_options.overwrite;
    campaign.check = m_options.check;
    campaign.quiet = m_options.quiet;
    campaign.solo = m_options.solo;
    campaign.attributes = m_options.attributes;
    campaign.others = m_options.others;
    return CampaignRunner(m_out, m_err).Run(campaign);
}

int
RunCommand::RunRank(const MpiSession& mpi)
{
    const std::unique_ptr<RankLink> link = mpi.MakeLink();
    m_options.ranks = link.get();
    if (link->GetRank() > 0)
    {
        std::ostream nowhere(nullptr);
        ScenarioRunner(nowhere, nowhere).Serve(m_options);
        return ScenarioRunner::OK;
    }
    const int status = ScenarioRunner(m_out, m_err).Run(m_options);
    for (uint32_t rank = 1; rank < link->GetRankCount(); ++rank)
    {
        RemoteLogicalProcess::Quit(*link, rank);
    }
    return status;
}

int
RunCommand::Run(int argc, char* argv[])
{
    if (!m_cmd.Parse(argc, argv, m_err))
    {
        return ScenarioRunner::BAD_INPUT;
    }
    if (m_printSchema)
    {
        ScenarioReader::PrintSchema(m_out);
        return ScenarioRunner::OK;
    }
    if (m_printReference)
    {
        ScenarioReader::PrintReference(m_out);
        return ScenarioRunner::OK;
    }
    if (m_printResults)
    {
        WriteResultReference(m_out);
        WriteRecorderReference(m_out);
        return ScenarioRunner::OK;
    }
    Complete();
    if (const std::string fault = FindFault(); !fault.empty())
    {
        m_err << "gpu-fabric: " << fault << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    if (!m_compare.empty())
    {
        return CampaignRunner(m_out, m_err).Compare(m_compare, m_axis, m_figure, m_job);
    }
    if (m_sweep)
    {
        return RunSweep();
    }
    const MpiSession mpi;
    if (const uint32_t launched = MpiSession::GetLaunchedRanks(); launched > mpi.GetRankCount())
    {
        m_err << "gpu-fabric: " << launched << " ranks were launched, MPI knows of "
              << mpi.GetRankCount() << ": was it another MPI's mpirun?" << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    return mpi.GetRankCount() > 1 ? RunRank(mpi) : ScenarioRunner(m_out, m_err).Run(m_options);
}

} // namespace ns3
