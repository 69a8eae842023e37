/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEST_TACCL_FIXTURE_H
#define GPU_FABRIC_TEST_TACCL_FIXTURE_H

#include "collective-fixture.h"
#include "scenario-fixture.h"

#include "ns3/taccl-reader.h"
#include "ns3/taccl-synthesizer.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// An NDv2 as TACCL has it for chunks of 1 MiB, in us.
inline const char* const TACCL_NDV2 =
    "{\"name\": \"NDv2\", \"gpus_per_node\": 8, \"nics_per_node\": 1, \"alpha\": 0.3,\n"
    " \"node_betas_list\": [23, 46], \"node_invbws_list\": [23, 46],\n"
    " \"remote_invbw\": 107, \"remote_alpha\": 2.6, \"remote_beta\": 105}\n";

/// Two of them; all that leaves goes from GPU 0 to GPU 1 (sketch 1 of TACCL's).
inline const char* const TACCL_NDV2_PAIR =
    "{\"nnodes\": 2, \"intranode_sketch\": {\"strategy\": \"none\"},\n"
    " \"internode_sketch\": {\"strategy\": \"relay\", \"internode_conn\": {\"0\": [1]}},\n"
    " \"symmetry_offsets\": [[8, 16]], \"hyperparameters\": {\"input_chunkup\": 1}}\n";

/// A machine, a sketch and the network they make.
struct TacclCase
{
    TacclMachine machine;
    TacclSketch sketch;
    std::optional<TacclNetwork> network;

    static TacclCase Read(const std::string& topologyFile,
                          const std::string& sketchFile,
                          int64_t unitPs = 1'000'000)
    {
        TacclCase result;
        std::vector<std::string> errors;
        TacclReader reader(errors);
        const auto machine = reader.ReadMachine(topologyFile);
        const auto sketch =
            machine ? reader.ReadSketch(sketchFile, *machine) : std::optional<TacclSketch>();
        EXPECT_TRUE(errors.empty()) << errors.front();
        if (sketch)
        {
            result.machine = *machine;
            result.sketch = *sketch;
            result.network.emplace(*machine, *sketch, unitPs);
        }
        return result;
    }

    static TacclCase ReadText(const std::string& topology, const std::string& sketch)
    {
        const ScenarioFolder folder;
        return Read(folder.Write("t.json", topology), folder.Write("s.json", sketch));
    }

    /// One host with links of its own, in us by source and destination; 0: none.
    static TacclCase Make(const std::vector<std::vector<double>>& costs, uint32_t chunksOfRank = 1)
    {
        TacclCase result;
        result.machine.gpus = static_cast<uint32_t>(costs.size());
        result.machine.betas = result.machine.costs = costs;
        result.sketch.chunksOfRank = chunksOfRank;
        result.network.emplace(result.machine, result.sketch, 1'000'000);
        return result;
    }

    TacclSynthesis Run(CollectiveOperation operation,
                       const std::string& solverName,
                       const std::string& paths = "auto") const
    {
        MilpSolver::Limits limits;
        limits.seconds = 20;
        limits.gap = 1e-4;
        const MilpSolver solver(solverName, limits);
        TacclSynthesizer::Options options;
        options.SetPaths(paths);
        const TacclSynthesizer synthesizer(*network, sketch, solver, options);
        EXPECT_EQ(synthesizer.GetFault(operation), "");
        return synthesizer.Run(operation, std::vector<uint32_t>(network->ranks));
    }
};

/// Solvers that are installed, and "none".
inline std::vector<std::string>
GetTacclSolvers()
{
    std::vector<std::string> solvers{"none"};
    for (const std::string& name : MilpSolver::GetNames())
    {
        if (!MilpSolver::Find(name).empty())
        {
            solvers.push_back(name);
        }
    }
    return solvers;
}

/// Runs a schedule through a Communicator. A message of k chunks takes a link, in either direction,
/// alpha + beta k; a link takes one after the other. \returns when the last rank has ended [ps]
inline int64_t
RunOnAlphaBetaLinks(const CollectiveSchedule& schedule, const TacclNetwork& network)
{
    constexpr uint64_t CHUNK = 1000; // [byte]
    const auto duration = [&](uint32_t source, uint32_t destination, uint64_t bytes) {
        uint32_t link = network.Find(source, destination);
        link = link == TacclNetwork::NONE ? network.Find(destination, source) : link;
        EXPECT_NE(link, TacclNetwork::NONE) << source << " to " << destination;
        return network.links.at(link).alphaPs +
               network.links.at(link).betaPs * static_cast<int64_t>(bytes / CHUNK);
    };
    return UnitLinkRun(schedule, schedule.chunks * CHUNK, duration).GetEnd();
}

} // namespace ns3

#endif // GPU_FABRIC_TEST_TACCL_FIXTURE_H
