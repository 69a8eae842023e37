/* SPDX-License-Identifier: GPL-2.0-only */

// The benchmarks: ./gpu-fabric bench [--list] [--only=NAME,...] [--runs=N]. doc/performance.rst
// tells what they measure. Each runs in a process of its own, so that its memory is its own.

#include "benchmark-congestion.h"
#include "benchmark-figure.h"
#include "benchmark-kernels.h"
#include "benchmark-memory.h"
#include "benchmark-scenario.h"
#include "benchmark-workload.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

using namespace ns3;

namespace
{

struct Benchmark
{
    std::string name;
    std::string description;
    std::function<std::vector<BenchmarkFigure>(uint32_t runs)> measure;
};

std::vector<Benchmark>
GetBenchmarks()
{
    std::vector<Benchmark> all;
    for (const BenchmarkWorkload& workload : BenchmarkWorkload::GetAll())
    {
        all.push_back({workload.name, workload.description, [&workload](uint32_t runs) {
                           return workload.threads > 1 ? workload.MeasureThreads(runs)
                                                       : workload.Measure(runs);
                       }});
    }
    all.push_back({"quickstart", "scenarios/quickstart.yaml, both schedulers", [](uint32_t runs) {
                       return MeasureScenario("scenarios/quickstart.yaml", "", runs);
                   }});
    all.push_back({"jobstart",
                   "scenarios/lingjun-cluster.yaml until its job of 512 GPUs runs",
                   [](uint32_t runs) {
                       return MeasureScenarioStart("scenarios/lingjun-cluster.yaml", runs);
                   }});
    all.push_back({"memory", "bytes of what is idle, at 4,000 hosts", [](uint32_t /* runs */) {
                       return MeasureIdleMemory();
                   }});
    all.push_back({"kernels", "the inner operations one by one", MeasureKernels});
    return all;
}

/// The text after "--name=", or null for another argument.
const char*
GetValue(const char* argument, const std::string& name)
{
    const std::string prefix = "--" + name + "=";
    return std::strncmp(argument, prefix.c_str(), prefix.size()) == 0 ? argument + prefix.size()
                                                                      : nullptr;
}

/// A number from 1 on; the program ends with status 2 where the text is none.
uint64_t
ToNumber(const std::string& option, const char* text)
{
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    if (end == text || *end != '\0' || number < 1 || number > 1'000'000 || *text == '-')
    {
        std::cerr << "gpu-fabric-bench: " << option << ": a number from 1 to 1000000, not \""
                  << text << "\"\n";
        std::exit(2);
    }
    return number;
}

/// What a child measured, as text for its parent: a figure a line, fields separated by tabs.
void
Write(const std::vector<BenchmarkFigure>& figures)
{
    for (const BenchmarkFigure& figure : figures)
    {
        std::printf("%s\t%s\t%zu", figure.name.c_str(), figure.unit.c_str(), figure.values.size());
        for (const auto* numbers : {&figure.values, &figure.ratios})
        {
            for (double value : *numbers)
            {
                std::printf("\t%.9g", value);
            }
        }
        std::printf("\n");
    }
}

std::vector<BenchmarkFigure>
Read(std::FILE* stream)
{
    std::vector<BenchmarkFigure> figures;
    char* line = nullptr;
    std::size_t size = 0;
    while (getline(&line, &size, stream) > 0)
    {
        std::istringstream fields(line);
        BenchmarkFigure figure;
        std::size_t count = 0;
        std::getline(fields, figure.name, '\t');
        std::getline(fields, figure.unit, '\t');
        fields >> count;
        for (double value = 0; fields >> value;)
        {
            (figure.values.size() < count ? figure.values : figure.ratios).push_back(value);
        }
        figures.push_back(figure);
    }
    std::free(line);
    return figures;
}

void
Print(const std::string& name, const BenchmarkFigure& figure)
{
    const auto [least, most] = std::minmax_element(figure.values.begin(), figure.values.end());
    std::printf("%-12s %-24s %10.3f %10.3f %10.3f ",
                name.c_str(),
                figure.name.c_str(),
                BenchmarkFigure::GetMedian(figure.values),
                *least,
                *most);
    if (figure.ratios.empty())
    {
        std::printf("%7s", "");
    }
    else
    {
        std::printf("%7.2f", BenchmarkFigure::GetMedian(figure.ratios));
    }
    std::printf("  %s\n", figure.unit.c_str());
    std::fflush(stdout);
}

/// Runs one benchmark in a new process of this program; false if it fails.
bool
RunChild(const std::string& name, uint64_t runs)
{
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command =
        "exec '" + program + "' --child=" + name + " --runs=" + std::to_string(runs);
    std::FILE* stream = popen(command.c_str(), "r");
    if (stream == nullptr)
    {
        return false;
    }
    const std::vector<BenchmarkFigure> figures = Read(stream);
    const bool good = pclose(stream) == 0;
    for (const BenchmarkFigure& figure : figures)
    {
        if (good && !figure.values.empty())
        {
            Print(name, figure);
        }
    }
    return good;
}

/// Sets the default of an attribute, --ns3::Class::Attribute=VALUE; false for another argument.
bool
SetDefault(const std::string& argument)
{
    const std::size_t equals = argument.find('=');
    return argument.rfind("--ns3::", 0) == 0 && equals != std::string::npos &&
           Config::SetDefaultFailSafe(argument.substr(2, equals - 2),
                                      StringValue(argument.substr(equals + 1)));
}

/// Runs a workload once with its flows cut to a share, for a profiler, and prints what it did.
int
RunOnce(const std::string& name, uint64_t divisor)
{
    for (const BenchmarkWorkload& workload : BenchmarkWorkload::GetAll())
    {
        if (workload.name == name)
        {
            const BenchmarkWorkload::Result result = workload.Run(divisor, workload.threads);
            std::printf("packet-hops %.0f events %.0f\n", result.hops, result.events);
            return 0;
        }
    }
    std::cerr << "gpu-fabric-bench: --once: no workload is named \"" << name << "\"\n";
    return 2;
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    const std::vector<Benchmark> benchmarks = GetBenchmarks();
    uint64_t runs = 5;
    uint64_t divisor = 1;
    std::vector<std::string> wanted;
    std::string child;
    std::string once;
    std::string congestion;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        if (argument == "--list")
        {
            for (const Benchmark& benchmark : benchmarks)
            {
                std::printf("%-12s %s\n", benchmark.name.c_str(), benchmark.description.c_str());
            }
            return 0;
        }
        if (const char* value = GetValue(argv[i], "only"))
        {
            std::istringstream names(value);
            for (std::string name; std::getline(names, name, ',');)
            {
                wanted.push_back(name);
            }
        }
        else if (const char* value = GetValue(argv[i], "runs"))
        {
            runs = ToNumber("--runs", value);
        }
        else if (const char* value = GetValue(argv[i], "divisor"))
        {
            divisor = ToNumber("--divisor", value);
        }
        else if (const char* value = GetValue(argv[i], "child"))
        {
            child = value;
        }
        else if (const char* value = GetValue(argv[i], "once"))
        {
            once = value;
        }
        else if (const char* value = GetValue(argv[i], "congestion"))
        {
            congestion = value;
        }
        else if (SetDefault(argument))
        {
        }
        else
        {
            std::cerr << "usage: gpu-fabric-bench [--list] [--only=NAME,...] [--runs=N]\n"
                         "       gpu-fabric-bench --once=WORKLOAD [--divisor=N]\n"
                         "       gpu-fabric-bench --congestion=RATE:SENDERS[:SEED] "
                         "[--ns3::CLASS::ATTRIBUTE=VALUE...]\n"
                         "  --list     name the benchmarks\n"
                         "  --only     only these\n"
                         "  --runs     how often each is run (5)\n"
                         "  --once     one run of a workload, for a profiler\n"
                         "  --divisor  of the bytes of its flows (1)\n"
                         "  --congestion  one cell of .ci/congestion-table\n";
            return argument == "--help" || argument == "-h" ? 0 : 2;
        }
    }
    if (!once.empty())
    {
        return RunOnce(once, divisor);
    }
    if (!congestion.empty())
    {
        return BenchmarkCongestion::Print(congestion);
    }
    const auto find = [&benchmarks](const std::string& name) {
        return std::find_if(benchmarks.begin(), benchmarks.end(), [&name](const Benchmark& b) {
            return b.name == name;
        });
    };
    if (!child.empty() && find(child) != benchmarks.end())
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        Write(find(child)->measure(static_cast<uint32_t>(runs)));
        return 0;
    }
    for (const std::string& name : wanted)
    {
        if (find(name) == benchmarks.end())
        {
            std::cerr << "gpu-fabric-bench: --only: no benchmark is named \"" << name
                      << "\"; --list names them\n";
            return 2;
        }
    }
    std::printf("%-12s %-24s %10s %10s %10s %7s  %s\n",
                "benchmark",
                "figure",
                "median",
                "min",
                "max",
                "ratio",
                "unit");
    bool good = true;
    for (const Benchmark& benchmark : benchmarks)
    {
        if (wanted.empty() ||
            std::find(wanted.begin(), wanted.end(), benchmark.name) != wanted.end())
        {
            good &= RunChild(benchmark.name, runs);
        }
    }
    std::printf("%llu runs each; ratio: to ns-3's PointToPointNetDevice chain after each run, in "
                "the same process\n",
                static_cast<unsigned long long>(runs));
    return good ? 0 : 1;
}
