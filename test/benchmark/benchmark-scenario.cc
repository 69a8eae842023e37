/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-scenario.h"

#include "../../helper/app/scenario-runner.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

using namespace ns3;

namespace
{

/// CPU time of a run of a scenario with changes [s]. It must succeed.
double
TimeScenario(const std::string& file, const std::string& changes)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("gpu-fabric-bench-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string scenario = (folder / "scenario.yaml").string();
    const std::filesystem::path base = std::filesystem::path(GPU_FABRIC_PROJECT) / file;
    std::ofstream(scenario) << "schema: gpu-fabric/1\nextends: "
                            << std::filesystem::relative(base, folder).string()
                            << "\nname: benchmark\n"
                            << changes;
    ScenarioRunnerOptions options;
    options.scenario = scenario;
    options.output = (folder / "benchmark.sqlite").string();
    options.overwrite = true;
    options.quiet = true;
    const double start = GetCpuSeconds();
    const int status = ScenarioRunner(std::cout, std::cerr).Run(options);
    const double seconds = GetCpuSeconds() - start;
    std::filesystem::remove_all(folder);
    if (status != ScenarioRunner::OK)
    {
        std::fprintf(stderr, "%s: exit status %d\n", file.c_str(), status);
        std::exit(1);
    }
    return seconds;
}

} // namespace

std::vector<BenchmarkFigure>
MeasureScenario(const std::string& file, const std::string& changes, uint32_t runs)
{
    BenchmarkFigure time{"start to end", "CPU s", {}, {}};
    BenchmarkFigure bare{"the same, only events", "CPU s", {}, {}};
    BenchmarkFigure cost{"cost of recording", "%", {}, {}};
    BenchmarkFigure memory{"peak memory", "MB", {}, {}};
    for (uint32_t run = 0; run < runs; ++run)
    {
        time.values.push_back(TimeScenario(file, changes));
        if (run == 0)
        {
            memory.values.push_back(GetPeakMegabytes());
        }
        bare.values.push_back(TimeScenario(file, changes + "record: [events]\n"));
        cost.values.push_back((time.values.back() / bare.values.back() - 1) * 100);
    }
    return {time, bare, cost, memory};
}

std::vector<BenchmarkFigure>
MeasureScenarioStart(const std::string& file, uint32_t runs)
{
    BenchmarkFigure time{"start", "CPU s", {}, {}};
    BenchmarkFigure memory{"peak memory", "MB", {}, {}};
    for (uint32_t run = 0; run < runs; ++run)
    {
        time.values.push_back(TimeScenario(file, "stop: {time: 1ms}\n"));
        if (run == 0)
        {
            memory.values.push_back(GetPeakMegabytes());
        }
    }
    return {time, memory};
}
