/* SPDX-License-Identifier: GPL-2.0-only */

// Runs a scenario file and writes a result database:
//   ./ns3 run "gpu-fabric-run --scenario=FILE --out=FILE"

#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/scenario-runner.h"
#include "ns3/scenario-schema.h"
#include "ns3/strict-command-line.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));

    ScenarioRunnerOptions options;
    bool printSchema = false;
    StrictCommandLine cmd(__FILE__);
    cmd.Usage("Simulates the RoCEv2 network of a GPU cluster as a scenario file describes it, and "
              "writes a SQLite database.\n"
              "\n"
              "Exit status: 0 it is written, 2 wrong input or the database exists already, 3 an "
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
    if (options.scenario.empty())
    {
        std::cerr << "gpu-fabric: a scenario file is needed: --scenario=FILE" << std::endl;
        return ScenarioRunner::BAD_INPUT;
    }
    if (options.seed < 0 && cmd.IsGiven("RngRun"))
    {
        options.seed = static_cast<int64_t>(RngSeedManager::GetRun());
    }
    if (options.output.empty())
    {
        std::string name = options.scenario.substr(options.scenario.rfind('/') + 1);
        options.output = name.substr(0, name.rfind('.')) + ".sqlite";
    }
    return ScenarioRunner(std::cout, std::cerr).Run(options);
}
