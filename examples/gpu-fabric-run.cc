/* SPDX-License-Identifier: GPL-2.0-only */

// Runs a scenario file and writes a result database:
//   ./ns3 run "gpu-fabric-run --scenario=FILE --out=FILE"

#include "ns3/campaign-runner.h"
#include "ns3/global-value.h"
#include "ns3/mpi-session.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/scenario-reader.h"
#include "ns3/scenario-runner.h"
#include "ns3/scenario-schema.h"
#include "ns3/strict-command-line.h"
#include "ns3/string.h"

#include <filesystem>
#include <iostream>
#include <thread>

using namespace ns3;

namespace
{

constexpr uint64_t MAX_JOBS = 1024; ///< processes of a sweep at a time

/// What is wrong with the options together; "": nothing.
std::string
FindFault(const StrictCommandLine& cmd, int64_t seed, bool sweep, uint64_t point, uint64_t jobs)
{
    if (cmd.IsGiven("point") && point == 0)
    {
        return "--point: points are numbered from 1";
    }
    if (sweep && point > 0)
    {
        return "--sweep runs all points, --point one: give one of them";
    }
    if ((sweep || point > 0) && seed >= 0)
    {
        return "--seed: the seeds of a sweep are those of its points";
    }
    if (sweep && MpiSession::GetLaunchedRanks() > 0)
    {
        return "--sweep starts processes itself, on this machine: without mpirun";
    }
    if (MpiSession::GetLaunchedRanks() > 1)
    {
        return std::to_string(MpiSession::GetLaunchedRanks()) +
               " ranks: a scenario is simulated by one" +
               (MpiSession::HasMpi() ? "" : ", and this program was built without MPI");
    }
    if (jobs < 1 || jobs > MAX_JOBS)
    {
        return "--jobs: from 1 to " + std::to_string(MAX_JOBS) + " processes can run at a time";
    }
    return "";
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));

    ScenarioRunnerOptions options;
    bool printSchema = false;
    bool sweep = false;
    uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
    uint64_t point = 0;
    std::string compare;
    std::string axis = "scheduler";
    std::string figure;
    std::string job;
    StrictCommandLine cmd(__FILE__);
    cmd.Usage(
        "Simulates the RoCEv2 network of a GPU cluster as a scenario file describes it, and "
        "writes a SQLite database.\n"
        "\n"
        "With --sweep all points of the scenario's sweep are run, as processes, into a folder.\n"
        "\n"
        "Exit status: 0 it is written, 1 points of a sweep have failed, 2 wrong input or the "
        "database exists already, 3 an "
        "invariant is violated,\n"
        "4 the database cannot be written, 130 interrupted (what was simulated is written).");
    cmd.SetVersion("gpu-fabric " + ScenarioRunner::GetVersion());
    cmd.AddValue("scenario", "Scenario file (YAML)", options.scenario);
    cmd.AddNonOption("file", "Scenario file, instead of --scenario", options.scenario);
    cmd.AddValue("out", "Result database to write", options.output);
    cmd.AddValue("overwrite", "Replace an existing result database", options.overwrite);
    cmd.AddValue("check", "Only check the scenario", options.check);
    cmd.AddValue("quiet", "Print neither progress nor table", options.quiet);
    cmd.AddValue("seed", "Seed, beats the scenario's; --RngRun=N is the same", options.seed);
    cmd.AddValue("reverse-nodes",
                 "Create the ns-3 nodes in reverse order; the result must not change",
                 options.reverseNodes);
    cmd.AddValue("solo", "Run each job alone too, for its slowdown", options.solo);
    cmd.AddValue("sweep", "Run all points of the scenario's sweep; --out is a folder", sweep);
    cmd.AddValue("jobs", "Processes of a sweep at a time", jobs);
    cmd.AddValue("point", "Run one point of the scenario's sweep, from 1", point);
    cmd.AddValue("solo-cache",
                 "Folder where results of jobs that run alone are kept",
                 options.soloCache);
    cmd.AddValue("compare",
                 "Result database whose schedulers are compared, over seeds; nothing is run",
                 compare);
    cmd.AddValue("axis", "With compare: another axis of the sweep, such as placement", axis);
    cmd.AddValue("figure",
                 "With compare: one figure, such as iteration_ms, in one table of all combinations",
                 figure);
    cmd.AddValue("job", "With figure: of this job, not of all", job);
    cmd.AddValue("print-schema", "Print a JSON Schema of scenario files for editors", printSchema);
    if (!cmd.Parse(argc, argv, std::cerr))
    {
        return ScenarioRunner::BAD_INPUT;
    }
    options.attributes = cmd.GetAttributes();
    if (printSchema)
    {
        ScenarioSchema::Print(std::cout);
        return 0;
    }
    if (!compare.empty())
    {
        return CampaignRunner(std::cout, std::cerr).Compare(compare, axis, figure, job);
    }
    if (options.scenario.empty())
    {
        std::cerr << "gpu-fabric: a scenario file is needed: --scenario=FILE" << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    if (options.seed < 0 && cmd.IsGiven("RngRun"))
    {
        options.seed = static_cast<int64_t>(RngSeedManager::GetRun());
    }
    // A check of a sweep is that of all its points.
    sweep = sweep ||
            (options.check && !cmd.IsGiven("point") && ScenarioReader::HasSweep(options.scenario));
    if (const std::string fault = FindFault(cmd, options.seed, sweep, point, jobs); !fault.empty())
    {
        std::cerr << "gpu-fabric: " << fault << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    if (options.output.empty())
    {
        std::string name = options.scenario.substr(options.scenario.rfind('/') + 1);
        options.output = name.substr(0, name.rfind('.')) + (sweep ? ".campaign" : ".sqlite");
    }
    if (sweep)
    {
        CampaignRunnerOptions campaign;
        campaign.scenario = options.scenario;
        campaign.folder = options.output;
        campaign.program = std::filesystem::read_symlink("/proc/self/exe").string();
        campaign.parallel = static_cast<uint32_t>(jobs);
        campaign.overwrite = options.overwrite;
        campaign.check = options.check;
        campaign.quiet = options.quiet;
        campaign.solo = options.solo;
        campaign.attributes = options.attributes;
        return CampaignRunner(std::cout, std::cerr).Run(campaign);
    }
    if (point > 0)
    {
        options.point = point - 1;
    }
    const MpiSession mpi;
    return ScenarioRunner(std::cout, std::cerr).Run(options);
}
