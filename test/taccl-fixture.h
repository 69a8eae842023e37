/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEST_TACCL_FIXTURE_H
#define GPU_FABRIC_TEST_TACCL_FIXTURE_H

#include "scenario-fixture.h"

#include "ns3/communicator.h"
#include "ns3/taccl-reader.h"
#include "ns3/taccl-synthesizer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

/**
 * Runs a schedule through a Communicator. A message of k chunks takes a link, in either direction,
 * alpha + beta k; a link takes one after the other.
 */
class AlphaBetaRun : public CollectiveTransport, public CommunicatorListener
{
  public:
    static constexpr uint64_t CHUNK = 1000; ///< [byte]

    AlphaBetaRun(const CollectiveSchedule& schedule, const TacclNetwork& network)
        : m_network(network)
    {
        CollectivePlans plans;
        const CollectiveCall call{schedule.operation, schedule.chunks * CHUNK, 0, {}};
        plans.Add(call, true, std::make_shared<CollectivePlan>(schedule));
        std::vector<uint32_t> ranks;
        for (uint32_t rank = 0; rank < schedule.ranks; rank++)
        {
            ranks.push_back(rank);
        }
        Communicator communicator(0, ranks, plans, this, this);
        for (uint32_t rank : ranks)
        {
            communicator.Issue(0, rank, call);
        }
        while (!m_arrivals.empty())
        {
            const auto [time, message] = *m_arrivals.begin();
            m_arrivals.erase(m_arrivals.begin());
            communicator.Delivered(time.first, message);
            communicator.Completed(time.first, message);
        }
    }

    void Send(int64_t now,
              uint32_t source,
              uint32_t destination,
              uint32_t,
              uint64_t bytes,
              const ChunkMessage& message) override
    {
        uint32_t link = m_network.Find(source, destination);
        link = link == TacclNetwork::NONE ? m_network.Find(destination, source) : link;
        ASSERT_NE(link, TacclNetwork::NONE) << source << " to " << destination;
        int64_t& free = m_free[{source, destination}];
        free = std::max(free, now) + m_network.links[link].alphaPs +
               m_network.links[link].betaPs * static_cast<int64_t>(bytes / CHUNK);
        m_arrivals.emplace(std::make_pair(free, m_count++), message);
    }

    void RankFinished(int64_t, uint32_t, uint32_t, uint32_t, int64_t) override
    {
    }

    void CollectiveFinished(const CollectiveOutcome& outcome) override
    {
        m_endPs = outcome.endPs;
    }

    /// When the last rank has ended [ps]; -1: it never does.
    int64_t GetEnd() const
    {
        return m_endPs;
    }

  private:
    const TacclNetwork& m_network;
    std::map<std::pair<uint32_t, uint32_t>, int64_t> m_free;
    std::map<std::pair<int64_t, uint64_t>, ChunkMessage> m_arrivals;
    uint64_t m_count{0};
    int64_t m_endPs{-1};
};

} // namespace ns3

#endif // GPU_FABRIC_TEST_TACCL_FIXTURE_H
