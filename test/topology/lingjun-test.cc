/* SPDX-License-Identifier: GPL-2.0-only */

#include "../fixture/attribute-refusal-fixture.h"
#include "../fixture/shared-data.h"
#include "../fixture/topology-fixture.h"

#include <map>
#include <numeric>
#include <random>

using namespace ns3;
using namespace topology_test;

namespace
{

constexpr uint64_t G = 1'000'000'000; ///< [bit/s]

/// topo.csv of the dataset; empty if it is missing.
std::string
FindData()
{
    const std::filesystem::path path = GetSharedData("lingjun/topo.csv");
    return std::filesystem::exists(path) ? path.string() : "";
}

/// How hosts are attached: for each pod, the sizes of its ToRs, both sorted.
std::vector<std::vector<uint32_t>>
GetTorSizes(const ClusterTopology& topology)
{
    std::map<uint32_t, std::vector<uint32_t>> pods; // by the first aggregation switch
    for (const TopologyNode& node : topology.GetNodes())
    {
        if (node.name.compare(0, 3, "tor") != 0)
        {
            continue;
        }
        std::map<uint32_t, uint32_t> links; // by host
        uint32_t agg = UINT32_MAX;
        for (const uint32_t port : node.ports)
        {
            const uint32_t peer = topology.GetPortNode(ClusterTopology::GetPeerPort(port));
            if (topology.GetNodes()[peer].kind == TopologyNodeKind::HOST)
            {
                links[peer]++;
            }
            else
            {
                agg = std::min(agg, peer);
            }
        }
        pods[agg].push_back(static_cast<uint32_t>(links.size()));
    }
    std::vector<std::vector<uint32_t>> sizes;
    for (auto& [agg, tors] : pods)
    {
        std::sort(tors.begin(), tors.end());
        sizes.push_back(tors);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

std::map<uint32_t, uint32_t>
GetHistogram(const std::vector<std::vector<uint32_t>>& sizes)
{
    std::map<uint32_t, uint32_t> histogram;
    for (const auto& pod : sizes)
    {
        for (const uint32_t size : pod)
        {
            histogram[size]++;
        }
    }
    return histogram;
}

} // namespace

TEST(LingjunTopologyTest, DefaultHasTheHostsOfTheDataset)
{
    const auto topology = GenerateGood("Lingjun", {});
    EXPECT_EQ(CountNodes(topology, "host"), 847U);
    EXPECT_EQ(CountNodes(topology, "tor"), 119U);
    EXPECT_EQ(CountNodes(topology, "agg"), 3U * 16);
    EXPECT_EQ(CountNodes(topology, "core"), 32U);
    EXPECT_EQ(topology.GetGpuCount(), 8U * 847);
    EXPECT_EQ(topology.GetLinks().size(), 847U * 4 + 119 * 16 + 48 * 4);
    const auto sizes = GetTorSizes(topology);
    // 68 x 8 + 23 x 7 + 15 x 6 + 7 x 5 + 2 x 4 + 1 x 3 + 3 x 2 = 847.
    EXPECT_EQ(
        GetHistogram(sizes),
        (std::map<uint32_t, uint32_t>{{8, 68}, {7, 23}, {6, 15}, {5, 7}, {4, 2}, {3, 1}, {2, 3}}));
    std::vector<uint32_t> hosts;
    for (const auto& pod : sizes)
    {
        hosts.push_back(std::accumulate(pod.begin(), pod.end(), 0U));
    }
    std::sort(hosts.begin(), hosts.end());
    EXPECT_EQ(hosts, (std::vector<uint32_t>{179, 306, 362})); // groups P8, P12 and P10
}

TEST(LingjunTopologyTest, PathsAndOversubscription)
{
    const auto topology = GenerateGood("Lingjun", {});
    // host0..host7 are under tor0, host8..host14 under tor1; host362 is the first of group 1.
    const auto nic = [&](const char* host) { return GetNic(topology, host); };
    EXPECT_EQ(CountPaths(topology, nic("host0"), nic("host7")), std::make_pair(2U, uint64_t{1}));
    EXPECT_EQ(CountPaths(topology, nic("host0"), nic("host8")), std::make_pair(4U, uint64_t{16}));
    // 32 cores, each with 16 x 4 / 32 = 2 links to a group.
    EXPECT_EQ(CountPaths(topology, nic("host0"), nic("host362")),
              std::make_pair(6U, uint64_t{32 * 2 * 2}));
    // A ToR of 8 hosts x 4 NICs x 200 Gb/s is non-blocking.
    EXPECT_EQ(MaxFlow(topology, Range(0, 8), Range(15, 23)), 6400 * G);
    // Groups: 16 x 4 x 400 Gb/s, whatever they would send.
    EXPECT_EQ(MaxFlow(topology, Range(362, 668), Range(668, 847)), 25'600 * G);
}

TEST(LingjunTopologyTest, DatasetIsReadAndDefaultAgreesWithIt)
{
    const std::string file = FindData();
    if (file.empty())
    {
        GTEST_SKIP() << "no Lingjun data";
    }
    const auto read = GenerateGood("Lingjun", {{"File", file}});
    const auto made = GenerateGood("Lingjun", {});
    EXPECT_EQ(CountNodes(read, "host"), 847U);
    EXPECT_EQ(read.GetLinks().size(), made.GetLinks().size());
    EXPECT_EQ(GetTorSizes(read), GetTorSizes(made));
    // The second row, P12,S2, is the first of another group than the first and third, P10.
    EXPECT_EQ(CountPaths(read, GetNic(read, "host0"), GetNic(read, "host1")).first, 6U);
    EXPECT_EQ(CountPaths(read, GetNic(read, "host0"), GetNic(read, "host2")).first, 4U);
}

TEST(LingjunTopologyTest, LabelsOfTorsAreUsedAgainInOtherGroups)
{
    const ScenarioFolder folder;
    // Columns in another order, one that is not known, and line ends of Windows.
    const std::string file = folder.Write("topo.csv",
                                          "PSW,ASW,rack,ip,DSW\r\n"
                                          "P1,S1,x,a,G1\r\n"
                                          "P2,S1,x,b,G1\r\n"
                                          "\r\n"
                                          "P1,S1,y,c,G1\r\n"
                                          "P1,S2,y,d,G1\r\n");
    const auto topology = GenerateGood("Lingjun", {{"File", file}, {"NicsPerHost", "1"}});
    EXPECT_EQ(CountNodes(topology, "tor"), 3U);
    EXPECT_EQ(CountNodes(topology, "agg"), 32U);
    const std::vector<std::string> names{"host0-tor0", "host1-tor1", "host2-tor0", "host3-tor2"};
    for (uint32_t link = 0; link < names.size(); link++)
    {
        EXPECT_EQ(topology.GetDirectedLinkName(2 * link), names[link]);
    }
}

TEST(LingjunTopologyTest, FaultsOfFiles)
{
    const ScenarioFolder folder;
    const auto bad = [&folder](const std::string& text) {
        const std::string file = folder.Write("topo.csv", text);
        std::vector<std::string> errors = GenerateBad("Lingjun", {{"File", file}});
        for (std::string& error : errors)
        {
            EXPECT_EQ(error.compare(0, file.size(), file), 0) << error;
            error.erase(0, file.size());
        }
        return errors;
    };
    EXPECT_EQ(bad(""),
              std::vector<std::string>{
                  ":1:1: the file is empty: the first line must be \"ip,DSW,PSW,ASW\""});
    EXPECT_EQ(bad("ip,DSW,PSW,ASW\n"),
              std::vector<std::string>{":1:1: no host follows the first line"});
    EXPECT_EQ(
        bad("ip,DSW,ASW\na,G1,S1\n"),
        std::vector<std::string>{":1:1: the first line must name the columns ip, DSW, PSW and "
                                 "ASW: PSW is missing"});
    EXPECT_EQ(
        bad("ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P1\na,G1,P1,S2\nc,G1,,S1\nd,G2,P1,S1\n"),
        (std::vector<std::string>{
            ":3:1: a line has 4 fields as the first one, not 3",
            ":4:1: the host is listed already, in line 2",
            ":5:6: the field is empty",
            ":6:3: the host is in DSW group G2, those before in G1: hosts of different groups "
            "do not meet"}));
    std::string many = "ip,DSW,PSW,ASW\n";
    for (int i = 0; i < 100; i++)
    {
        many += "x\n";
    }
    EXPECT_EQ(bad(many).size(), 21U);
    EXPECT_EQ(bad(many).back(), ":21:1: the rest of the file was not read");
    EXPECT_EQ(GenerateBad("Lingjun", {{"File", "/nowhere.csv"}}),
              std::vector<std::string>{"File cannot be read: \"/nowhere.csv\""});
}

TEST(LingjunTopologyTest, FaultsOfAttributes)
{
    EXPECT_EQ(GetRefusal("ns3::LingjunTopology", "HostsPerTor", "8 x"),
              "holds a number of hosts that is wrong: \"x\" is not a whole number from 1 to 4096");
    EXPECT_EQ(GetRefusal("ns3::LingjunTopology", "HostsPerTor", "8 8,"),
              "has a group without ToRs: write numbers of hosts with spaces between them, and a "
              "comma between two groups");
    EXPECT_EQ(GenerateBad("Lingjun", {{"TorUplinks", "17"}, {"Cores", "0"}}),
              (std::vector<std::string>{"TorUplinks is 17, which is not a multiple of AggsPerPod "
                                        "(16): the uplinks of a ToR are spread evenly over its pod",
                                        "Cores is 0, and then the 3 pods do not meet"}));
}

TEST(LingjunTopologyTest, RandomSizesAddUp)
{
    std::mt19937 random(3);
    for (int run = 0; run < 50; run++)
    {
        std::string text;
        std::vector<std::vector<uint32_t>> sizes;
        uint32_t hosts = 0;
        const uint32_t pods = 1 + random() % 4;
        for (uint32_t pod = 0; pod < pods; pod++)
        {
            const uint32_t tors = 1 + random() % 9;
            text += pod > 0 ? "," : "";
            sizes.emplace_back();
            for (uint32_t tor = 0; tor < tors; tor++)
            {
                sizes.back().push_back(1 + random() % 8);
                hosts += sizes.back().back();
                text += " " + std::to_string(sizes.back().back());
            }
            std::sort(sizes.back().begin(), sizes.back().end());
        }
        std::sort(sizes.begin(), sizes.end());
        const auto topology = GenerateGood("Lingjun", {{"HostsPerTor", text}});
        EXPECT_EQ(GetTorSizes(topology), sizes) << text;
        EXPECT_EQ(CountNodes(topology, "host"), hosts);
    }
}
