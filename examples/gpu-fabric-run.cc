/* SPDX-License-Identifier: GPL-2.0-only */

// Runs a scenario file and writes a result database:
//   ./ns3 run "gpu-fabric-run --scenario=FILE --out=FILE"

#include "ns3/run-gpu-fabric.h"

int
main(int argc, char* argv[])
{
    return ns3::RunGpuFabric(argc, argv);
}
