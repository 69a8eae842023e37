/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/run-gpu-fabric.h"

#include "collective-report.h"
#include "hardware-report.h"
#include "run-command.h"
#include "scenario-runner.h"
#include "strict-command-line.h"
#include "synthesis-report.h"

#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ns3
{

namespace
{

/// The name by which the program was called, for its help.
std::string
GetProgramName(int argc, char* argv[], const std::string& otherwise)
{
    return argc > 0 && argv[0] && *argv[0] ? argv[0] : otherwise;
}

/// The status of a program whose standard output has been written, or not: a full disk is not seen
/// before the last of it is flushed.
int
CheckOutput(int status)
{
    std::cout.flush();
    if (std::cout)
    {
        return status;
    }
    std::cerr << "gpu-fabric: standard output: cannot write" << std::endl;
    return status == ScenarioRunner::OK ? static_cast<int>(ScenarioRunner::WRITE_FAILED) : status;
}

} // namespace

int
RunGpuFabric(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    return CheckOutput(
        RunCommand(GetProgramName(argc, argv, "gpu-fabric-run"), std::cout, std::cerr)
            .Run(argc, argv));
}

int
RunGpuFabricCollective(int argc, char* argv[])
{
    std::string file;
    bool check = false;
    StrictCommandLine cmd(GetProgramName(argc, argv, "gpu-fabric-collective"));
    cmd.Usage("Proves that the MSCCL XML file of a collective algorithm does what it says, and "
              "describes it.\n"
              "\n"
              "Exit status: 0 it does, 2 it does not, or it cannot be read.");
    cmd.SetVersion("gpu-fabric " + ScenarioRunner::GetVersion());
    cmd.AddValue("check", "Only check the file", check);
    cmd.AddNonOption("file", "MSCCL XML file", file);
    if (!cmd.Parse(argc, argv, std::cerr))
    {
        return CollectiveReport::BAD_INPUT;
    }
    if (file.empty())
    {
        std::cerr << "gpu-fabric: a file is needed: FILE.xml" << std::endl;
        return CollectiveReport::BAD_INPUT;
    }
    return CheckOutput(CollectiveReport(std::cout, std::cerr).Run(file, check));
}

int
RunGpuFabricSynthesize(int argc, char* argv[])
{
    SynthesisReport::Settings settings;
    StrictCommandLine cmd(GetProgramName(argc, argv, "gpu-fabric-synthesize"));
    cmd.Usage("Synthesizes a collective algorithm from a TACCL topology and sketch (Shah et al., "
              "NSDI 2023), and writes it as MSCCL XML.\n"
              "\n"
              "Exit status: 0 done, 2 something is wrong with the input, 4 the output cannot be "
              "written.");
    cmd.SetVersion("gpu-fabric " + ScenarioRunner::GetVersion());
    cmd.AddValue("topology", "TACCL topology, JSON", settings.topology);
    cmd.AddValue("sketch", "TACCL sketch, JSON", settings.sketch);
    cmd.AddValue("collective",
                 "allgather, reduce_scatter, allreduce or alltoall",
                 settings.collective);
    cmd.AddValue("size",
                 "Larger buffer of a rank, such as 8MB; empty: chunks of chunk-size",
                 settings.size);
    cmd.AddValue("chunk-size", "Size that the topology's betas are for", settings.chunkSize);
    cmd.AddValue("time-unit", "Unit of the topology's times", settings.timeUnit);
    cmd.AddValue("solver",
                 "cbc, highs or glpsol; auto: what is installed; none: greedy",
                 settings.solver);
    cmd.AddValue("time-limit", "Time for each run of the solver", settings.timeLimit);
    cmd.AddValue("paths",
                 "Links of a chunk: auto, shortest, detours, or sets (as TACCL, slow)",
                 settings.paths);
    cmd.AddValue("output", "MSCCL XML file to be written", settings.output);
    if (!cmd.Parse(argc, argv, std::cerr))
    {
        return SynthesisReport::BAD_INPUT;
    }
    return CheckOutput(SynthesisReport(std::cout, std::cerr).Run(settings));
}

int
RunGpuFabricHardware(int argc, char* argv[])
{
    std::string folder = "scenarios/hardware";
    std::string names;
    bool details = false;
    StrictCommandLine cmd(GetProgramName(argc, argv, "gpu-fabric-hardware"));
    cmd.Usage(
        "Simulates measured collectives (NAME.csv) on their clusters and presets (NAME.yaml), "
        "and prints how far the simulated times are from the measured ones.\n"
        "\n"
        "Exit status: 0 all mean errors are within the stated bounds, 1 one is not, 2 "
        "something is wrong with the input.");
    cmd.SetVersion("gpu-fabric " + ScenarioRunner::GetVersion());
    cmd.AddValue("folder", "Folder of the measurements", folder);
    cmd.AddValue("details", "A row for each size", details);
    cmd.AddNonOption("names", "Names of measurements, with commas; default: all", names);
    if (!cmd.Parse(argc, argv, std::cerr))
    {
        return HardwareReport::BAD_INPUT;
    }
    std::vector<std::string> only;
    std::istringstream words(names);
    for (std::string word; std::getline(words, word, ',');)
    {
        only.push_back(word);
    }
    // Each run is a process of its own, since a simulator exists once.
    const auto run = [](const std::string& scenario, const std::string& database) {
        std::cout.flush();
        const pid_t child = fork();
        if (child == 0)
        {
            std::ofstream nowhere("/dev/null");
            std::cout.rdbuf(nowhere.rdbuf());
            std::string program = "gpu-fabric-run";
            std::string in = "--scenario=" + scenario;
            std::string out = "--out=" + database;
            std::string quiet = "--quiet";
            char* arguments[] = {program.data(), in.data(), out.data(), quiet.data(), nullptr};
            std::_Exit(RunGpuFabric(4, arguments));
        }
        int status = 0;
        const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
        return ended ? WEXITSTATUS(status) : HardwareReport::BAD_INPUT;
    };
    return CheckOutput(HardwareReport(run, std::cout, std::cerr).Run(folder, only, details));
}

} // namespace ns3
