/* SPDX-License-Identifier: GPL-2.0-only */

// Synthesizes a collective from a TACCL topology and sketch and writes it as MSCCL XML:
//   ./ns3 run "gpu-fabric-synthesize --topology=T.json --sketch=S.json --output=F.xml"

#include "ns3/run-gpu-fabric.h"

int
main(int argc, char* argv[])
{
    return ns3::RunGpuFabricSynthesize(argc, argv);
}
