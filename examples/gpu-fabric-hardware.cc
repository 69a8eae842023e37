/* SPDX-License-Identifier: GPL-2.0-only */

// Simulates measured collectives and prints how far the simulated times are from them:
//   ./ns3 run "gpu-fabric-hardware NAME"

#include "ns3/run-gpu-fabric.h"

int
main(int argc, char* argv[])
{
    return ns3::RunGpuFabricHardware(argc, argv);
}
