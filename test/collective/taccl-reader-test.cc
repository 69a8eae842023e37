/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/shared-data.h"
#include "../fixture/taccl-fixture.h"

using namespace ns3;

namespace
{

/// Errors of a sketch for an NDv2, or of a topology if the text is not a sketch, without file
/// names.
std::vector<std::string>
GetErrors(const std::string& topology, const std::string& sketch)
{
    const ScenarioFolder folder;
    std::vector<std::string> errors;
    TacclReader reader(errors);
    const auto machine = reader.ReadMachine(folder.Write("t.json", topology));
    if (machine)
    {
        EXPECT_FALSE(reader.ReadSketch(folder.Write("s.json", sketch), *machine));
    }
    for (std::string& error : errors)
    {
        error.erase(0, folder.GetPath("").size());
    }
    return errors;
}

using Errors = std::vector<std::string>;

} // namespace

TEST(TacclReaderTest, Ndv2HasTheLinksOfItsPaper)
{
    const TacclCase pair = TacclCase::ReadText(TACCL_NDV2, TACCL_NDV2_PAIR);
    const TacclNetwork& network = *pair.network;
    EXPECT_EQ(network.ranks, 16u);
    // 32 links in a host, 8 of them fast in each direction, and one each way between the hosts.
    EXPECT_EQ(network.links.size(), 2 * 32 + 2u);
    EXPECT_TRUE(network.ports.empty());
    const std::vector<std::pair<uint32_t, uint32_t>>
        fast{{0, 1}, {0, 4}, {1, 3}, {2, 3}, {2, 6}, {4, 5}, {5, 7}, {6, 7}};
    uint32_t count = 0;
    for (const TacclNetwork::Link& link : network.links)
    {
        count += link.GetCost() == 23'000'000 ? 1 : 0;
    }
    EXPECT_EQ(count, 2 * 2 * fast.size());
    for (const auto& [a, b] : fast)
    {
        EXPECT_EQ(network.links[network.Find(8 + a, 8 + b)].GetCost(), 23'000'000);
    }
    EXPECT_EQ(network.links[network.Find(0, 2)].GetCost(), 46'000'000);
    EXPECT_EQ(network.Find(0, 5), TacclNetwork::NONE);
    for (const auto& [a, b] : {std::make_pair(0U, 9U), std::make_pair(8U, 1U)})
    {
        const TacclNetwork::Link& link = network.links[network.Find(a, b)];
        EXPECT_TRUE(link.remote);
        EXPECT_EQ(link.alphaPs, 2'600'000);
        EXPECT_EQ(link.betaPs, 105'000'000);
    }
}

// The one NIC of a host is shared by the links that leave it: 8 x 8, or 8.
TEST(TacclReaderTest, LinksOfAHostShareItsNics)
{
    for (const auto& [word, links] :
         {std::make_pair("fully-connected", 64), std::make_pair("direct-map", 8)})
    {
        std::string sketch = TACCL_NDV2_PAIR;
        const std::string relay = "{\"0\": [1]}";
        sketch.replace(sketch.find(relay), relay.size(), std::string("\"") + word + "\"");
        const TacclCase pair = TacclCase::ReadText(TACCL_NDV2, sketch);
        const TacclNetwork::Link& link = pair.network->links[pair.network->Find(3, 11)];
        EXPECT_EQ(link.betaPs, links * 105'000'000LL) << word;
        EXPECT_EQ(link.alphaPs, 2'600'000) << word;
        EXPECT_EQ(pair.network->links.size(), 2u * (32 + links));
    }
}

// Half a chunk: alpha stays.
TEST(TacclReaderTest, ChunksOfAnotherSize)
{
    const TacclCase pair = TacclCase::ReadText(TACCL_NDV2, TACCL_NDV2_PAIR);
    const TacclNetwork half(pair.machine, pair.sketch, 1'000'000, 0.5);
    EXPECT_EQ(half.links[half.Find(0, 1)].GetCost(), 300'000 + 11'500'000);
    EXPECT_EQ(half.links[half.Find(0, 9)].GetCost(), 2'600'000 + 52'500'000);
}

TEST(TacclReaderTest, SwitchesAndCustomLinks)
{
    // A ring of three GPUs, [destination][source], and the same three at a switch.
    const std::string ring =
        "{\"gpus_per_node\": 3, \"nics_per_node\": 1, \"remote_alpha\": 1, \"remote_beta\": 1,\n"
        " \"links\": [[0, 0, 1], [1, 0, 0], [0, 1, 0]], \"betas\": [[0, 0, 5], [6, 0, 0], [0, 7, "
        "0]], \"invbws\": [[0, 0, 5.5], [6.5, 0, 0], [0, 7.5, 0]]}";
    const TacclCase plain = TacclCase::ReadText(
        ring,
        "{nnodes: 1, intranode_sketch: {strategy: minmax}, hyperparameters: {input_chunkup: 2}}");
    EXPECT_EQ(plain.sketch.intranode, TacclSketch::Intranode::MINMAX);
    EXPECT_EQ(plain.sketch.chunksOfRank, 2u);
    ASSERT_EQ(plain.network->links.size(), 3u);
    EXPECT_EQ(plain.network->links[plain.network->Find(2, 0)].GetCost(), 5'500'000);
    EXPECT_EQ(plain.network->links[plain.network->Find(0, 1)].GetCost(), 6'500'000);
    EXPECT_EQ(plain.network->links[plain.network->Find(1, 2)].GetCost(), 7'500'000);

    const TacclCase hub = TacclCase::ReadText(
        "{\"gpus_per_node\": 3, \"nics_per_node\": 1, \"remote_alpha\": 1, \"remote_beta\": 1,\n"
        " \"node_betas_list\": [8], \"node_invbws_list\": [8]}",
        "{nnodes: 1, intranode_sketch: {strategy: switch, switches: [[0, 1, 2]], "
        "switch_hyperedge_strategy: [uc-min]}, hyperparameters: {input_chunkup: 1}}");
    EXPECT_EQ(hub.sketch.hyperedges, TacclSketch::Hyperedges::FEWEST);
    EXPECT_EQ(hub.network->links.size(), 6u);
    ASSERT_EQ(hub.network->ports.size(), 6u);
    EXPECT_TRUE(hub.network->ports[0].egress);
    EXPECT_EQ(hub.network->ports[0].links,
              (std::vector<uint32_t>{hub.network->Find(0, 1), hub.network->Find(0, 2)}));
}

TEST(TacclReaderTest, FaultsOfFiles)
{
    std::vector<std::string> errors;
    EXPECT_FALSE(TacclReader(errors).ReadMachine("/nowhere.json"));
    EXPECT_EQ(errors, Errors{"File \"/nowhere.json\": no such file"});
    EXPECT_EQ(GetErrors("{\"name\": \"NDv2\", \"gpus_per_node\": 4, \"nics_per_node\": 1,\n"
                        " \"remote_alpha\": 1, \"remote_beta\": 1}",
                        ""),
              Errors{"t.json:1:35: gpus_per_node: an NDv2 has 8 GPUs"});
    EXPECT_EQ(
        GetErrors("{gpus_per_node: 4, nics_per_node: 1, remote_alpha: 1, remote_beta: 1}", ""),
        Errors{"t.json:1:1: node_betas_list: wants one number, of a link between any two "
               "GPUs; other machines need links, betas and invbws"});
    EXPECT_EQ(GetErrors("{gpus_per_node: 2, nics_per_node: 1, remote_alpha: 1, remote_beta: 1,\n"
                        " links: [[0, 1], [2, 0]], betas: [[0, 1], [1, 0]], invbws: [[0, 1], [1, "
                        "0]]}",
                        ""),
              Errors{"t.json:2:9: links: 0 to 1 must be 0 or 1: parallel links are not supported, "
                     "give the beta of all of them"});
    EXPECT_EQ(GetErrors("{gpus_per_node: 2, nics_per_node: 1, remote_alpha: 1, remote_beta: 1,\n"
                        " links: [[0, 1]], betas: [[0, x], [1, 0]]}",
                        ""),
              (Errors{"t.json:2:9: links wants a row for each of 2 GPUs",
                      "t.json:2:31: \"x\" is not a number: write one such as 0.5 or 1e9, without a "
                      "unit"}));
    const auto sketch = [](const std::string& text) { return GetErrors(TACCL_NDV2, text); };
    EXPECT_EQ(sketch("{nnodes: 2, intranode_sketch: {strategy: non},\n hyperparameter: 1}"),
              (Errors{"s.json:2:2: unknown key \"hyperparameter\", did you mean "
                      "\"hyperparameters\"? Valid keys: hyperparameters, internode_sketch, "
                      "intranode_sketch, nnodes, symmetry_offsets",
                      "s.json:1:1: hyperparameters is missing",
                      "s.json:1:42: intranode_sketch.strategy: unknown value \"non\", did you mean "
                      "\"none\"? Valid values: maxmin, minmax, none, switch"}));
    const std::string head = "{nnodes: 2, hyperparameters: {input_chunkup: 1}, ";
    EXPECT_EQ(sketch(head + "intranode_sketch: {strategy: none}}"),
              Errors{"s.json:1:10: nnodes: more than one host needs internode_sketch"});
    EXPECT_EQ(sketch(head + "\n intranode_sketch: {strategy: switch, switches: [[0, 1], [1, 8]]},\n"
                            " internode_sketch: {strategy: relay, internode_conn: {0: [1], 2: [3, "
                            "4]}},\n symmetry_offsets: [[3, 16], [1]]}"),
              (Errors{"s.json:2:62: \"8\" is out of range: a whole number from 0 to 7 is wanted",
                      "s.json:2:58: GPU 1 is at another switch: parallel switches are not "
                      "supported",
                      "s.json:3:54: each sender must have the same number of receivers",
                      "s.json:4:21: the size must divide the 16 ranks, and the offset the size",
                      "s.json:4:30: wants [offset, size]"}));
    EXPECT_EQ(sketch(head + "\n intranode_sketch: {strategy: none, switches: [[0, 1]]},\n"
                            " internode_sketch: {strategy: relay, internode_conn: direct, "
                            "enforce_ordering: true}}"),
              (Errors{"s.json:2:47: intranode_sketch.switches: is for the strategy switch",
                      "s.json:3:54: unknown connection \"direct\", did you mean \"direct-map\"? "
                      "Valid connections: direct-map, fully-connected",
                      "s.json:3:80: internode_sketch.enforce_ordering: needs "
                      "gpus_to_sender_rev_map"}));
}

// Any byte that is left out or changed makes a file that is refused or read; what is read makes a
// network and has a routing, or a reason why not.
TEST(TacclReaderTest, DamagedFilesAreRefusedOrRead)
{
    const ScenarioFolder folder;
    const std::string machineFile = folder.Write("t.json", TACCL_NDV2);
    const std::string text =
        "{nnodes: 2, intranode_sketch: {strategy: switch, switches: [[0, 1, 2, 3]], "
        "switch_hyperedge_strategy: [uc-min]}, internode_sketch: {strategy: relay, "
        "internode_conn: {1: [0], 5: [4]}, gpus_to_sender_rev_map: {1: [0, 1, 2, 3], 5: [4, 5, 6, "
        "7]}, enforce_ordering: true}, symmetry_offsets: [[8, 16]], hyperparameters: "
        "{input_chunkup: 1}}";
    uint32_t read = 0;
    uint32_t refused = 0;
    for (size_t at = 0; at < text.size(); at++)
    {
        for (const char* change : {"", "9", "x", ",", "]"})
        {
            std::string damaged = text;
            damaged.replace(at, 1, change);
            std::vector<std::string> errors;
            TacclReader reader(errors);
            const auto machine = reader.ReadMachine(machineFile);
            ASSERT_TRUE(machine);
            const auto sketch = reader.ReadSketch(folder.Write("s.json", damaged), *machine);
            EXPECT_EQ(sketch.has_value(), errors.empty()) << damaged;
            if (!sketch || sketch->nodes > 9)
            {
                refused++;
                continue;
            }
            const TacclNetwork network(*machine, *sketch, 1'000'000);
            const MilpSolver solver("none", {});
            const TacclSynthesizer synthesizer(network, *sketch, solver, {});
            if (synthesizer.GetFault(CollectiveOperation::ALL_GATHER).empty() && read % 16 == 0)
            {
                EXPECT_EQ(
                    synthesizer
                        .Run(CollectiveOperation::ALL_GATHER, std::vector<uint32_t>(network.ranks))
                        .schedule.Validate(),
                    std::vector<std::string>())
                    << damaged;
            }
            read++;
        }
    }
    EXPECT_GT(read, 50u);
    EXPECT_GT(refused, 500u);
}

TEST(TacclReaderTest, FilesOfTaccl)
{
    const std::filesystem::path folder = GetSharedData("taccl");
    if (!std::filesystem::exists(folder))
    {
        GTEST_SKIP() << "no TACCL data";
    }

    struct Case
    {
        const char* sketch;
        const char* topology;
        uint32_t ranks;
        size_t links;
        size_t ports;
        uint32_t chunksOfRank;
    };

    // Links: 32 in an NDv2, 240 in a DGX-2, and those between each ordered pair of hosts. Ports: of
    // each GPU at the switch, and of each that has links to several hosts.
    for (const Case& c : {Case{"sk1-ndv2-n1", "topo-ndv2-1MB", 8, 32, 0, 1},
                          Case{"sk-ndv2-n1-cUp6", "topo-ndv2-1MB", 8, 32, 0, 6},
                          Case{"sk1-ndv2-n2", "topo-ndv2-1MB", 16, 64 + 2, 0, 1},
                          Case{"sk2-ndv2-n2", "topo-ndv2-1KB", 16, 64 + 2 * 64, 0, 1},
                          Case{"sk3-ndv2-n2", "topo-ndv2-32KB", 16, 64 + 2 * 8, 0, 1},
                          Case{"sk1-ndv2-n4", "topo-ndv2-1MB", 32, 128 + 12, 8, 1},
                          Case{"sk2-ndv2-n4", "topo-ndv2-1MB", 32, 128 + 12 * 64, 64, 1},
                          Case{"sk-dgx2-n1", "topo-dgx2-1KB", 16, 240, 32, 2},
                          Case{"sk1-dgx2-n1", "topo-dgx2-1MB", 16, 240, 32, 1},
                          Case{"sk1-dgx2-n2", "topo-dgx2-1MB", 32, 480 + 2 * 8, 64, 2},
                          Case{"sk2-dgx2-n2", "topo-dgx2-1KB", 32, 480 + 2 * 16, 64, 1}})
    {
        const TacclCase read =
            TacclCase::Read((folder / "topo" / (std::string(c.topology) + ".json")).string(),
                            (folder / "sketch" / (std::string(c.sketch) + ".json")).string());
        ASSERT_TRUE(read.network) << c.sketch;
        EXPECT_EQ(read.network->ranks, c.ranks) << c.sketch;
        EXPECT_EQ(read.network->links.size(), c.links) << c.sketch;
        EXPECT_EQ(read.network->ports.size(), c.ports) << c.sketch;
        EXPECT_EQ(read.sketch.chunksOfRank, c.chunksOfRank) << c.sketch;
        // Proved, and not faster than can be, without a solver.
        for (CollectiveOperation operation :
             {CollectiveOperation::ALL_GATHER, CollectiveOperation::ALL_REDUCE})
        {
            const TacclSynthesis synthesis = read.Run(operation, "none");
            EXPECT_EQ(synthesis.schedule.Validate(), std::vector<std::string>()) << c.sketch;
            EXPECT_GE(synthesis.makespanPs, synthesis.boundPs) << c.sketch;
            EXPECT_EQ(synthesis.fallback, "no MILP solver is to be used");
        }
    }
}
