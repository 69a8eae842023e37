/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/taccl/taccl-routing.h"
#include "../fixture/taccl-fixture.h"

#include <algorithm>
#include <functional>
#include <random>

using namespace ns3;

namespace
{

using Ways = TacclCandidates::Ways;
using Links = std::vector<std::vector<uint32_t>>;

/// The minimum relaxed time over all routes of all chunks: each rank gets each chunk by any link
/// that the chunk may take.
int64_t
FindLeastTime(const TacclRouting& routing, const std::vector<TacclChunk>& chunks)
{
    const TacclCandidates& candidates = routing.GetCandidates();
    // The routes of each chunk by itself that reach all its destinations.
    std::vector<Links> ways(chunks.size());
    for (uint32_t c = 0; c < chunks.size(); c++)
    {
        std::map<uint32_t, std::vector<uint32_t>> entries;
        for (uint32_t link : candidates.GetLinks(c))
        {
            entries[candidates.network.links[link].destination].push_back(link);
        }
        std::vector<uint32_t> chosen;
        const std::function<void(std::map<uint32_t, std::vector<uint32_t>>::const_iterator)>
            choose = [&](auto entry) {
                if (entry == entries.end())
                {
                    Links alone(chunks.size());
                    alone[c] = chosen;
                    std::vector<TacclChunk> one(chunks.size());
                    one[c] = chunks[c];
                    const TacclRouting check(candidates.network,
                                             candidates.sketch,
                                             one,
                                             TacclRouting::Options());
                    if (check.GetTime(alone))
                    {
                        ways[c].push_back(chosen);
                    }
                    return;
                }
                for (uint32_t link : entry->second)
                {
                    chosen.push_back(link);
                    choose(std::next(entry));
                    chosen.pop_back();
                }
            };
        choose(entries.begin());
    }
    int64_t least = INT64_MAX;
    Links all(chunks.size());
    const std::function<void(uint32_t)> combine = [&](uint32_t c) {
        if (c == chunks.size())
        {
            least = std::min(least, routing.GetTime(all).value());
            return;
        }
        for (const std::vector<uint32_t>& way : ways[c])
        {
            all[c] = way;
            combine(c + 1);
        }
    };
    combine(0);
    return least;
}

/// Links of 1 to 9 us between GPUs, some of them missing; there is always a ring.
std::vector<std::vector<double>>
MakeRandomLinks(uint32_t gpus, std::mt19937& random)
{
    std::vector<std::vector<double>> costs(gpus, std::vector<double>(gpus));
    for (uint32_t a = 0; a < gpus; a++)
    {
        for (uint32_t b = 0; b < gpus; b++)
        {
            const auto cost = static_cast<double>(1 + random() % 9);
            const bool there = (a + 1) % gpus == b || random() % 3 > 0;
            costs[a][b] = a != b && there ? cost : 0;
        }
    }
    return costs;
}

} // namespace

// Every MILP matches exhaustive search; the greedy method is within 1.5 times of it.
TEST(TacclRoutingTest, RandomNetworksAsByBruteForce)
{
    std::mt19937 random(7);
    double worst = 1;
    for (uint32_t round = 0; round < 12; round++)
    {
        const uint32_t gpus = round < 9 ? 3 : 4;
        const TacclCase network = TacclCase::Make(MakeRandomLinks(gpus, random));
        const std::vector<TacclChunk> chunks =
            network.network->MakeChunks(CollectiveOperation::ALL_GATHER, 1);
        for (const Ways ways : {Ways::SHORTEST, Ways::DETOURS, Ways::SETS})
        {
            if (gpus == 4 && ways == Ways::SETS)
            {
                continue; // too many to try
            }
            TacclRouting::Options options;
            options.ways = ways;
            options.loadWeight = 0;
            const TacclRouting routing(*network.network, network.sketch, chunks, options);
            ASSERT_EQ(routing.GetCandidates().GetFault(), "");
            const int64_t least = FindLeastTime(routing, chunks);
            for (const std::string& name : GetTacclSolvers())
            {
                const TacclRoutes routes = routing.Solve(MilpSolver(name, {}));
                EXPECT_EQ(routing.GetTime(routes.links), routes.timePs);
                if (name == "none")
                {
                    EXPECT_GE(routes.timePs, least);
                    worst =
                        std::max(worst,
                                 static_cast<double>(routes.timePs) / static_cast<double>(least));
                    EXPECT_EQ(routes.solver, "greedy");
                    EXPECT_NE(routes.fallback, "");
                }
                else
                {
                    EXPECT_EQ(routes.timePs, least) << name << " " << round;
                    EXPECT_EQ(routes.solver, name);
                    EXPECT_EQ(routes.fallback, "");
                }
            }
        }
    }
    EXPECT_LE(worst, 1.5);
    RecordProperty("worst", std::to_string(worst));
}

// Four GPUs in a ring of two directions, and links between all; what moves a rank on moves its
// chunk's way on.
TEST(TacclRoutingTest, SymmetriesHoldInTheRouting)
{
    std::vector<std::vector<double>> costs(4, std::vector<double>(4));
    for (uint32_t a = 0; a < 4; a++)
    {
        costs[a][(a + 1) % 4] = 2;
        costs[a][(a + 3) % 4] = 3;
        costs[a][(a + 2) % 4] = 5;
    }
    TacclCase ring = TacclCase::Make(costs, 2);
    ring.sketch.symmetries.emplace_back(1, 4);
    const std::vector<TacclChunk> chunks =
        ring.network->MakeChunks(CollectiveOperation::ALL_GATHER, 2);
    TacclRouting::Options options;
    options.ways = Ways::DETOURS;
    const TacclRouting routing(*ring.network, ring.sketch, chunks, options);
    for (const std::string& name : GetTacclSolvers())
    {
        const TacclRoutes routes = routing.Solve(MilpSolver(name, {}));
        for (uint32_t c = 0; c < chunks.size() && name != "none"; c++)
        {
            std::vector<uint32_t> moved;
            for (uint32_t link : routes.links[c])
            {
                const TacclNetwork::Link& way = ring.network->links[link];
                moved.push_back(
                    ring.network->Find((way.source + 1) % 4, (way.destination + 1) % 4));
            }
            std::vector<uint32_t> there = routes.links[(c + 2) % 8];
            std::sort(moved.begin(), moved.end());
            std::sort(there.begin(), there.end());
            EXPECT_EQ(moved, there) << name << " " << c;
        }
    }
    // One that the links do not have.
    costs[1][2] = 4;
    TacclCase bent = TacclCase::Make(costs, 1);
    bent.sketch.symmetries.emplace_back(1, 4);
    const std::vector<TacclChunk> single =
        bent.network->MakeChunks(CollectiveOperation::ALL_GATHER, 1);
    EXPECT_EQ(TacclCandidates(*bent.network, bent.sketch, single, Ways::SHORTEST).GetFault(),
              "symmetry_offsets [1, 4] makes the link from rank 0 to 1 one from 1 to 2, which is "
              "not like it");
}

// A chunk leaves its host by the senders that the sketch names for it, and no host passes on.
TEST(TacclRoutingTest, RelaysAsTheSketchSays)
{
    const std::string machine =
        "{gpus_per_node: 4, nics_per_node: 2, remote_alpha: 1, remote_beta: 10, node_betas_list: "
        "[1], node_invbws_list: [1]}";
    const std::string sketch =
        "{nnodes: 3, intranode_sketch: {strategy: none}, internode_sketch: {strategy: relay, "
        "internode_conn: {0: [1], 2: [3]}, gpus_to_sender_rev_map: {0: [0, 1], 2: [2, 3]}}, "
        "symmetry_offsets: [], hyperparameters: {input_chunkup: 1}}";
    const TacclCase relay = TacclCase::ReadText(machine, sketch);
    const TacclNetwork& network = *relay.network;
    const std::vector<TacclChunk> chunks = network.MakeChunks(CollectiveOperation::ALL_GATHER, 1);
    for (const std::string& name : GetTacclSolvers())
    {
        const TacclRouting routing(network, relay.sketch, chunks, TacclRouting::Options());
        const TacclRoutes routes = routing.Solve(MilpSolver(name, {}));
        for (uint32_t c = 0; c < chunks.size(); c++)
        {
            uint32_t crossings = 0;
            for (uint32_t l : routes.links[c])
            {
                const TacclNetwork::Link& link = network.links[l];
                if (link.remote)
                {
                    crossings++;
                    EXPECT_EQ(network.GetNode(link.source), c / 4);
                    EXPECT_EQ(link.source % 4, c % 4 / 2 * 2);
                    EXPECT_EQ(link.destination % 4, link.source % 4 + 1);
                }
            }
            EXPECT_EQ(crossings, 2u);
            EXPECT_EQ(routes.links[c].size(), 11u);
        }
    }
    // Nobody sends for GPU 3.
    TacclSketch broken = relay.sketch;
    broken.senders[2] = {2};
    EXPECT_EQ(TacclCandidates(network, broken, chunks, Ways::SHORTEST).GetFault(),
              "the sketch leaves no path from rank 3 to rank 4");
}
