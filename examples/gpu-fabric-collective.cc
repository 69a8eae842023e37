/* SPDX-License-Identifier: GPL-2.0-only */

// Checks and describes the MSCCL XML file of a collective algorithm:
//   ./ns3 run "gpu-fabric-collective FILE.xml"

#include "../helper/app/collective-report.h"
#include "../helper/app/scenario-runner.h"
#include "../helper/app/strict-command-line.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    std::string file;
    bool check = false;
    StrictCommandLine cmd(__FILE__);
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
    return CollectiveReport(std::cout, std::cerr).Run(file, check);
}
