/* SPDX-License-Identifier: GPL-2.0-only */

// Checks and describes the MSCCL XML file of a collective algorithm:
//   ./ns3 run "gpu-fabric-collective FILE.xml"

#include "ns3/run-gpu-fabric.h"

int
main(int argc, char* argv[])
{
    return ns3::RunGpuFabricCollective(argc, argv);
}
