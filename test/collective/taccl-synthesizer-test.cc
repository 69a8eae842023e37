/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/msccl/msccl-exporter.h"
#include "../../model/collective/msccl/msccl-importer.h"
#include "../../model/collective/msccl/msccl-reader.h"
#include "../fixture/taccl-fixture.h"

#include "ns3/collective-algorithm.h"
#include "ns3/string.h"

#include <random>
#include <sstream>

using namespace ns3;

namespace
{

constexpr CollectiveOperation GATHER = CollectiveOperation::ALL_GATHER;
constexpr CollectiveOperation SCATTER = CollectiveOperation::REDUCE_SCATTER;
constexpr CollectiveOperation SUM = CollectiveOperation::ALL_REDUCE;
constexpr CollectiveOperation EXCHANGE = CollectiveOperation::ALL_TO_ALL;

/// A hub and spoke of this many GPUs: one link of this many us between any two, or ports of a
/// switch.
TacclCase
MakeHub(uint32_t gpus, double cost, bool isSwitch, uint32_t chunksOfRank)
{
    std::vector<std::vector<double>> costs(gpus, std::vector<double>(gpus, cost));
    TacclCase hub = TacclCase::Make(costs, chunksOfRank);
    for (uint32_t gpu = 0; gpu < gpus; gpu++)
    {
        hub.machine.costs[gpu][gpu] = hub.machine.betas[gpu][gpu] = 0;
    }
    if (isSwitch)
    {
        hub.sketch.intranode = TacclSketch::Intranode::SWITCH;
        hub.sketch.switches.emplace_back();
        for (uint32_t gpu = 0; gpu < gpus; gpu++)
        {
            hub.sketch.switches[0].push_back(gpu);
        }
    }
    hub.network.emplace(hub.machine, hub.sketch, 1'000'000);
    return hub;
}

/// Proves a schedule, runs it with alpha-beta links, and passes it through MSCCL XML.
/// \returns when it ends [ps]
int64_t
Check(const TacclCase& network, const TacclSynthesis& synthesis)
{
    const std::vector<std::string> faults = synthesis.schedule.Validate();
    EXPECT_TRUE(faults.empty()) << faults.front();
    const std::string xml = MscclExporter(synthesis.schedule).Export().ToXml();
    Diagnostics diagnostics;
    const auto program = MscclReader(diagnostics).ReadText(xml, "x.xml");
    EXPECT_TRUE(program);
    const auto again = program ? MscclImporter(*program, diagnostics).Import(true)
                               : std::optional<CollectiveSchedule>();
    std::ostringstream messages;
    diagnostics.Print(messages);
    EXPECT_TRUE(again) << messages.str();
    EXPECT_TRUE(again && *again == synthesis.schedule.GetCanonical());
    const int64_t end = RunOnAlphaBetaLinks(synthesis.schedule, *network.network);
    if (again)
    {
        EXPECT_EQ(RunOnAlphaBetaLinks(*again, *network.network), end);
    }
    return end;
}

} // namespace

// Two NDv2, chunks of 1 MiB: all 8 chunks of a host cross one link, then the last one takes the
// longest route from GPU 1, 23 + 46 us: 2.6 + 8 x 105 + 69 = 911.6 us with one alpha, and 8 x 107.6
// + 69 = 929.8 us with eight. Chunks that arrive together leave the last GPU later, so the optimum
// lies between these. The communicator takes the predicted time.
TEST(TacclSynthesizerTest, TwoNdv2AreWithinTheirBounds)
{
    const TacclCase pair = TacclCase::ReadText(TACCL_NDV2, TACCL_NDV2_PAIR);
    for (const std::string& name : GetTacclSolvers())
    {
        const TacclSynthesis synthesis = pair.Run(GATHER, name);
        EXPECT_EQ(synthesis.boundPs, 911'600'000) << name;
        EXPECT_GE(synthesis.makespanPs, 911'600'000) << name;
        EXPECT_LE(synthesis.makespanPs, 929'800'000) << name;
        EXPECT_EQ(synthesis.routes.timePs, 860'800'000) << name; // 8 x 107.6
        EXPECT_EQ(Check(pair, synthesis), synthesis.makespanPs) << name;
        EXPECT_EQ(synthesis.schedule.algorithm, name == "none" ? "TacclGreedy" : "Taccl");
        EXPECT_EQ(synthesis.fallback.empty(), name != "none");
        // Backward it takes as long.
        const TacclSynthesis scatter = pair.Run(SCATTER, name);
        EXPECT_GE(scatter.makespanPs, 911'600'000) << name;
        EXPECT_LE(scatter.makespanPs, 929'800'000) << name;
        EXPECT_LE(Check(pair, scatter), scatter.makespanPs) << name;
        // Both, one after the other; but a chunk that is summed may be spread at once.
        const TacclSynthesis sum = pair.Run(SUM, name);
        EXPECT_GE(sum.makespanPs, 2 * 911'600'000LL) << name;
        EXPECT_LE(sum.makespanPs, 2 * 929'800'000LL) << name;
        EXPECT_EQ(sum.boundPs, 2 * 911'600'000LL) << name;
        const int64_t end = Check(pair, sum);
        EXPECT_LE(end, sum.makespanPs) << name;
        EXPECT_GE(end, 911'600'000) << name;
    }
    // No contiguity: eight alphas.
    const MilpSolver solver("none", {});
    TacclSynthesizer::Options options;
    options.maxTogether = 1;
    const TacclSynthesis apart = TacclSynthesizer(*pair.network, pair.sketch, solver, options)
                                     .Run(GATHER, std::vector<uint32_t>(16));
    EXPECT_EQ(apart.makespanPs, 929'800'000);
    EXPECT_EQ(Check(pair, apart), 929'800'000);
}

// All 64 chunks that a host has for the other one cross: 2.6 + 64 x 105 = 6722.6 us at least.
TEST(TacclSynthesizerTest, AllToAllOfTwoNdv2IsRelayed)
{
    const TacclCase pair = TacclCase::ReadText(TACCL_NDV2, TACCL_NDV2_PAIR);
    const TacclSynthesis synthesis = pair.Run(EXCHANGE, "none");
    EXPECT_EQ(synthesis.boundPs, 6'722'600'000);
    EXPECT_GE(synthesis.makespanPs, synthesis.boundPs);
    EXPECT_LE(synthesis.makespanPs, synthesis.boundPs + 64 * 2'600'000 + 2 * 69'000'000);
    EXPECT_EQ(Check(pair, synthesis), synthesis.makespanPs);
}

// n GPUs, k chunks each, c us a chunk: with a link for each pair k c; at a switch, whose ports
// carry (n - 1) k chunks, (n - 1) k c. TACCL's DGX-2: 15 x 8 = 120 us, and 240 us with two chunks.
TEST(TacclSynthesizerTest, OneHostInClosedForm)
{
    for (const std::string& name : GetTacclSolvers())
    {
        for (const CollectiveOperation operation : {GATHER, SCATTER})
        {
            const TacclCase mesh = MakeHub(5, 3, false, 2);
            const TacclSynthesis direct = mesh.Run(operation, name);
            EXPECT_EQ(direct.makespanPs, 2 * 3'000'000) << name;
            EXPECT_EQ(direct.boundPs, 2 * 3'000'000) << name;
            EXPECT_EQ(Check(mesh, direct), 2 * 3'000'000) << name;
        }
        for (const uint32_t chunks : {1U, 2U})
        {
            const TacclCase dgx2 = MakeHub(16, 8, true, chunks);
            const TacclSynthesis gathered = dgx2.Run(GATHER, name);
            EXPECT_EQ(gathered.makespanPs, 120'000'000LL * chunks) << name;
            EXPECT_EQ(gathered.boundPs, 120'000'000LL * chunks) << name;
            EXPECT_LE(Check(dgx2, gathered), 120'000'000LL * chunks) << name;
        }
        const TacclCase hub = MakeHub(4, 5, true, 1);
        EXPECT_EQ(hub.Run(EXCHANGE, name).makespanPs, 15'000'000) << name;
        EXPECT_EQ(hub.Run(SUM, name).makespanPs, 30'000'000) << name;
    }
    // An NDv2 alone: a GPU gets 7 chunks by two links of 23 us and two of 46 us, 6 until 46 us and
    // 8 until 69 us, and the farthest is 69 us away. Six chunks each: 42, until 322 us (14 + 14 + 7
    // + 7).
    const std::string one = "{nnodes: 1, intranode_sketch: {strategy: none}, hyperparameters: "
                            "{input_chunkup: ";
    for (const auto& [chunks, bound] : {std::make_pair(1, 69), std::make_pair(6, 322)})
    {
        const TacclCase ndv2 = TacclCase::ReadText(TACCL_NDV2, one + std::to_string(chunks) + "}}");
        const TacclSynthesis synthesis = ndv2.Run(GATHER, "none");
        EXPECT_EQ(synthesis.boundPs, bound * 1'000'000);
        EXPECT_GE(synthesis.makespanPs, synthesis.boundPs);
        EXPECT_LE(synthesis.makespanPs, synthesis.boundPs * 3 / 2);
        EXPECT_EQ(Check(ndv2, synthesis), synthesis.makespanPs);
    }
}

// Random networks: proved, as predicted, not below the bound; without a solver at most twice as
// long as with one.
TEST(TacclSynthesizerTest, RandomNetworks)
{
    std::mt19937 random(3);
    for (uint32_t round = 0; round < 12; round++)
    {
        const auto gpus = static_cast<uint32_t>(3 + random() % 2);
        std::vector<std::vector<double>> costs(gpus, std::vector<double>(gpus));
        // A link that is another one backward could not be told from that one in the run.
        const bool isAlike = round % 3 > 0;
        for (uint32_t a = 0; a < gpus; a++)
        {
            for (uint32_t b = 0; b < gpus; b++)
            {
                const auto cost = static_cast<double>(1 + random() % 9);
                costs[a][b] = a != b && ((a + 1) % gpus == b || random() % 2) ? cost : 0;
                if (isAlike && b < a)
                {
                    costs[a][b] = costs[b][a];
                }
            }
        }
        TacclCase network = TacclCase::Make(costs, static_cast<uint32_t>(1 + random() % 2));
        if (round % 2 == 1)
        {
            // Two such hosts, all links of which leave by one GPU.
            network.machine.remoteAlpha = 4;
            network.machine.remoteBeta = 6;
            network.sketch.nodes = 2;
            network.sketch.connections[1] = {0};
            network.network.emplace(network.machine, network.sketch, 1'000'000);
        }
        for (const CollectiveOperation operation : {GATHER, SCATTER, SUM, EXCHANGE})
        {
            if (!isAlike && (operation == SCATTER || operation == SUM))
            {
                continue;
            }
            const TacclSynthesis greedy = network.Run(operation, "none");
            EXPECT_GE(greedy.makespanPs, greedy.boundPs);
            const int64_t end = Check(network, greedy);
            EXPECT_LE(end, greedy.makespanPs) << round;
            if (operation == GATHER || operation == EXCHANGE)
            {
                EXPECT_EQ(end, greedy.makespanPs) << round;
            }
            const std::string solver = GetTacclSolvers().back();
            if (solver != "none" && (operation == GATHER || operation == SUM))
            {
                const TacclSynthesis solved = network.Run(operation, solver, "shortest");
                EXPECT_LE(Check(network, solved), solved.makespanPs);
                EXPECT_LE(greedy.makespanPs, 2 * solved.makespanPs) << round;
            }
        }
    }
}

// Each heuristic makes an order that works, for either sketch.
TEST(TacclSynthesizerTest, OrderingsAreComplete)
{
    const TacclCase pair = TacclCase::ReadText(TACCL_NDV2, TACCL_NDV2_PAIR);
    EXPECT_EQ(TacclOrdering::Choose(pair.sketch, false), 14u);
    EXPECT_EQ(TacclOrdering::Choose(pair.sketch, true), 12u);
    const TacclCase hub = MakeHub(4, 5, true, 1);
    EXPECT_EQ(TacclOrdering::Choose(hub.sketch, false), 10u);
    EXPECT_EQ(TacclOrdering::Choose(MakeHub(4, 5, false, 1).sketch, false), 5u);
    const MilpSolver solver("none", {});
    for (const uint32_t heuristic : {5U, 10U, 12U, 14U})
    {
        TacclSynthesizer::Options options;
        options.heuristic = heuristic;
        const TacclSynthesis synthesis =
            TacclSynthesizer(*pair.network, pair.sketch, solver, options)
                .Run(GATHER, std::vector<uint32_t>(16));
        EXPECT_EQ(Check(pair, synthesis), synthesis.makespanPs) << heuristic;
        EXPECT_GE(synthesis.makespanPs, synthesis.boundPs) << heuristic;
    }
}

// A sender's own chunk leaves first where the sketch says so, though another is there as soon and
// has as far to go.
TEST(TacclSynthesizerTest, OwnChunksLeaveFirst)
{
    const std::string machine =
        "{gpus_per_node: 2, nics_per_node: 1, remote_alpha: 1, remote_beta: 10, node_betas_list: "
        "[1], node_invbws_list: [1]}";
    const std::string sketch =
        "{nnodes: 2, intranode_sketch: {strategy: none}, internode_sketch: {strategy: relay, "
        "internode_conn: {1: [0]}, gpus_to_sender_rev_map: {1: [0, 1]}, enforce_ordering: true}, "
        "hyperparameters: {input_chunkup: 3}}";
    const TacclCase pair = TacclCase::ReadText(machine, sketch);
    const TacclSynthesis synthesis = pair.Run(GATHER, "none");
    Check(pair, synthesis);
    std::vector<uint32_t> owners; // of what crosses from host 0
    for (const TacclMessage& message : synthesis.phases[0].messages)
    {
        for (uint32_t chunk : message.chunks)
        {
            if (message.remote && message.source == 1)
            {
                owners.push_back(chunk / 3);
            }
        }
    }
    EXPECT_EQ(owners, (std::vector<uint32_t>{1, 1, 1, 0, 0, 0}));
}

TEST(TacclSynthesizerTest, AlgorithmIsForWhatItsSketchIsFor)
{
    const ScenarioFolder folder;
    const Ptr<CollectiveAlgorithm> taccl = CollectiveAlgorithm::Create("Taccl");
    CollectiveLayout layout;
    for (uint32_t rank = 0; rank < 16; rank++)
    {
        layout.ranks.push_back({rank / 8, rank % 8, 0});
    }
    const auto reason = [&](CollectiveOperation operation) {
        return taccl->GetUnsupportedReason({operation, 1000, 0, {}}, layout);
    };
    EXPECT_EQ(reason(GATHER), "Taccl needs a Topology and a Sketch");
    const std::string sketch = folder.Write("s.json", TACCL_NDV2_PAIR);
    taccl->SetAttribute("Topology", StringValue(folder.GetPath("none.json")));
    taccl->SetAttribute("Sketch", StringValue(sketch));
    EXPECT_EQ(reason(GATHER), "File \"" + folder.GetPath("none.json") + "\": no such file");
    taccl->SetAttribute("Topology", StringValue(folder.Write("t.json", TACCL_NDV2)));
    taccl->SetAttribute("Solver", StringValue("none"));
    EXPECT_EQ(reason(GATHER), "");
    EXPECT_EQ(reason(CollectiveOperation::BROADCAST), "Taccl cannot do broadcast");
    EXPECT_TRUE(taccl->IsCostly());
    EXPECT_FALSE(taccl->DependsOnBytes(GATHER));
    EXPECT_EQ(taccl->GetFallback({GATHER, 1000, 0, {}}, layout),
              "a greedy all-gather of Taccl: no MILP solver is to be used");
    const CollectiveSchedule schedule = taccl->Build({GATHER, 1000, 0, {}}, layout, 1);
    EXPECT_EQ(schedule.Validate(), std::vector<std::string>());
    EXPECT_EQ(schedule.algorithm, "TacclGreedy");
    // Of a solver that is there, the same object forgets what it made before.
    if (GetTacclSolvers().size() > 1)
    {
        taccl->SetAttribute("Solver", StringValue("auto"));
        EXPECT_EQ(taccl->GetFallback({GATHER, 1000, 0, {}}, layout), "");
        EXPECT_EQ(taccl->Build({GATHER, 1000, 0, {}}, layout, 1).algorithm, "Taccl");
    }
    // Ranks elsewhere.
    layout.ranks.pop_back();
    EXPECT_EQ(reason(GATHER), sketch + " is for 2 hosts of 8 GPUs, not 15 ranks on 2");
    taccl->SetAttribute("Fallback", StringValue("Ring"));
    EXPECT_EQ(reason(GATHER), "");
    EXPECT_EQ(taccl->Build({GATHER, 1000, 0, {}}, layout, 1).algorithm, "Ring");
    EXPECT_EQ(taccl->GetFallback({GATHER, 1000, 0, {}}, layout),
              "Ring instead of Taccl: " + sketch + " is for 2 hosts of 8 GPUs, not 15 ranks on 2");
}
