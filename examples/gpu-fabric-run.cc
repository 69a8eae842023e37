/* SPDX-License-Identifier: GPL-2.0-only */

// Runs a scenario file and writes a result database:
//   ./ns3 run "gpu-fabric-run --scenario=FILE --out=FILE"

#include "../helper/app/run-command.h"

#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    return RunCommand(std::cout, std::cerr).Run(argc, argv);
}
