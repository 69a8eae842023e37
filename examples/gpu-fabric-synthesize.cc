/* SPDX-License-Identifier: GPL-2.0-only */

// Synthesizes a collective from a TACCL topology and sketch and writes it as MSCCL XML:
//   ./ns3 run "gpu-fabric-synthesize --topology=T.json --sketch=S.json --output=F.xml"

#include "../helper/app/scenario-runner.h"
#include "../helper/app/strict-command-line.h"
#include "../helper/app/synthesis-report.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    SynthesisReport::Settings settings;
    StrictCommandLine cmd(__FILE__);
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
    return SynthesisReport(std::cout, std::cerr).Run(settings);
}
