/* SPDX-License-Identifier: GPL-2.0-only */

#include "../fixture/shared-data.h"
#include "../fixture/topology-fixture.h"

using namespace ns3;
using namespace topology_test;

namespace
{

const char* const DGX2 = "{\"name\": \"DGX2_1MB\", \"gpus_per_node\": 16, \"nics_per_node\": 8,\n"
                         " \"alpha\": 0.3, \"node_betas_list\": [8], \"node_invbws_list\": [8],\n"
                         " \"remote_invbw\": 107, \"remote_alpha\": 2.6, \"remote_beta\": 105}\n";

/// Errors of a file, without its name.
std::vector<std::string>
GetErrors(const std::string& text, Settings settings = {})
{
    const ScenarioFolder folder;
    const std::string file = folder.Write("t.json", text);
    settings.emplace_back("File", file);
    std::vector<std::string> errors = GenerateBad("Taccl", settings);
    for (std::string& error : errors)
    {
        if (error.compare(0, file.size(), file) == 0)
        {
            error.erase(0, file.size());
        }
    }
    return errors;
}

} // namespace

TEST(TacclTopologyTest, RateAndDelayComeFromRemoteBetaAndAlpha)
{
    const ScenarioFolder folder;
    const auto topology =
        GenerateGood("Taccl", {{"File", folder.Write("t.json", DGX2)}, {"Nodes", "3"}});
    EXPECT_EQ(CountNodes(topology, "host"), 3U);
    EXPECT_EQ(topology.GetNodes().size(), 4U);
    EXPECT_EQ(topology.GetGpuCount(), 48U);
    ASSERT_EQ(topology.GetLinks().size(), 24U);
    EXPECT_EQ(topology.GetDirectedLinkName(2 * 23), "host2-switch0#8");
    // 2^20 B x 8 / 105 us = 79,891,504,761.9 bit/s, and so 105 us a chunk.
    EXPECT_EQ(topology.GetPortRate(0), 79'891'504'762U);
    EXPECT_NEAR((1 << 20) * 8 / (static_cast<double>(topology.GetPortRate(0)) * 1e-6), 105, 1e-8);
    // Two links make 2.6 us.
    EXPECT_EQ(topology.GetPortDelay(0), 1'300'000);
}

TEST(TacclTopologyTest, ScaledNumbersHaveTheirUnit)
{
    // topo-ndv2-1KB: 260 and 10.25 in units of 10 ns. 1024 B x 8 / 102.5 ns = 79.922 Gb/s.
    const ScenarioFolder folder;
    const std::string file =
        folder.Write("t.json",
                     "{\"gpus_per_node\": 8, \"nics_per_node\": 1, \"remote_alpha\": 260, "
                     "\"remote_beta\": 10.25}");
    const auto topology =
        GenerateGood("Taccl", {{"File", file}, {"ChunkBytes", "1024"}, {"TimeUnit", "10ns"}});
    EXPECT_EQ(topology.GetPortRate(0), 79'921'951'220U);
    EXPECT_EQ(topology.GetPortDelay(0), 1'300'000);
}

TEST(TacclTopologyTest, FilesOfTaccl)
{
    const std::filesystem::path folder = GetSharedData("taccl/topo");
    if (!std::filesystem::exists(folder))
    {
        GTEST_SKIP() << "no TACCL data";
    }

    struct Case
    {
        const char* file;
        uint32_t gpus;
        uint32_t nics;
        const char* chunkBytes;
        const char* unit;
    };

    for (const Case& c : {Case{"topo-dgx2-1MB.json", 16, 8, "1048576", "1us"},
                          Case{"topo-dgx2-1KB.json", 16, 8, "1024", "10ns"},
                          Case{"topo-ndv2-1MB.json", 8, 1, "1048576", "1us"},
                          Case{"topo-ndv2-32KB.json", 8, 1, "32768", "100ns"},
                          Case{"topo-ndv2-1KB.json", 8, 1, "1024", "10ns"}})
    {
        const auto topology = GenerateGood("Taccl",
                                           {{"File", (folder / c.file).string()},
                                            {"ChunkBytes", c.chunkBytes},
                                            {"TimeUnit", c.unit}});
        EXPECT_EQ(topology.GetGpuCount(), 2 * c.gpus) << c.file;
        EXPECT_EQ(topology.GetLinks().size(), 2 * c.nics) << c.file;
        // They all describe 80 Gb/s (to their two to four digits) and 2.6 us.
        EXPECT_NEAR(static_cast<double>(topology.GetPortRate(0)), 80e9, 0.2e9) << c.file;
        EXPECT_EQ(topology.GetPortDelay(0), 1'300'000) << c.file;
    }
}

TEST(TacclTopologyTest, FaultsOfFiles)
{
    EXPECT_EQ(GenerateBad("Taccl", {}), std::vector<std::string>{"File is missing"});
    EXPECT_EQ(GenerateBad("Taccl", {{"File", "/nowhere.json"}}),
              std::vector<std::string>{"File \"/nowhere.json\": no such file"});
    EXPECT_EQ(GetErrors(""), std::vector<std::string>{":1:1: the file is empty"});
    EXPECT_EQ(GetErrors("[1]"),
              std::vector<std::string>{":1:1: the file must hold a map of keys, not a list"});
    EXPECT_EQ(GetErrors("{\"gpus_per_node\": 8,\n \"nics_per_nod\": 1,\n \"remote_alpha\": -1,\n "
                        "\"remote_beta\": 0, \"node_betas_list\": [1, x]}"),
              (std::vector<std::string>{
                  ":2:2: unknown key \"nics_per_nod\", did you mean \"nics_per_node\"? Valid keys: "
                  "alpha, betas, gpus_per_node, invbws, links, name, nics_per_node, "
                  "node_betas_list, node_invbws_list, remote_alpha, remote_beta, remote_invbw",
                  ":1:1: nics_per_node is missing",
                  ":3:18: remote_alpha: \"-1\" must be above 0",
                  ":4:17: remote_beta: \"0\" must be above 0",
                  ":4:43: \"x\" is not a number: write one such as 0.5 or 1e9, without a unit"}));
    EXPECT_EQ(GetErrors(DGX2, {{"ChunkBytes", "1099511627776"}}),
              std::vector<std::string>{":3:59: remote_beta: makes a rate above 10^15 bit/s with "
                                       "ChunkBytes and TimeUnit"});
    // 65536 x 17.
    EXPECT_EQ(GetErrors("{gpus_per_node: 17, nics_per_node: 17, remote_alpha: 1, remote_beta: 1}",
                        {{"Nodes", "65536"}}),
              (std::vector<std::string>{"Nodes and nics_per_node make 1114112 links: at most "
                                        "1048576 are supported",
                                        "Nodes and gpus_per_node make 1114112 GPUs: at most "
                                        "1048576 are supported"}));
}
