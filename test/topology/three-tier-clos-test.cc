/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/fabric/switch/routing-table.h"
#include "../fixture/topology-fixture.h"

#include <random>

using namespace ns3;
using namespace topology_test;

namespace
{

constexpr uint64_t G = 1'000'000'000; ///< [bit/s]

} // namespace

TEST(ThreeTierClosTopologyTest, CountsNamesAndPortOrder)
{
    const auto topology = GenerateGood("ThreeTierClos",
                                       {{"Pods", "3"},
                                        {"TorsPerPod", "2"},
                                        {"AggsPerPod", "2"},
                                        {"Cores", "4"},
                                        {"HostsPerTor", "5"},
                                        {"GpusPerHost", "8"},
                                        {"NicsPerHost", "2"},
                                        {"NicRate", "200Gbps"},
                                        {"TorUplinks", "4"},
                                        {"TorUplinkRate", "400Gbps"},
                                        {"AggUplinks", "2"},
                                        {"AggUplinkRate", "800Gbps"},
                                        {"LinkDelay", "2us"}});
    EXPECT_EQ(CountNodes(topology, "host"), 30U);
    EXPECT_EQ(CountNodes(topology, "tor"), 6U);
    EXPECT_EQ(CountNodes(topology, "agg"), 6U);
    EXPECT_EQ(CountNodes(topology, "core"), 4U);
    // 30 x 2 host links, 6 x 4 of ToRs, 6 x 2 of aggregation switches.
    ASSERT_EQ(topology.GetLinks().size(), 60U + 24U + 12U);
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "tor5")].ports.size(), 10U + 4U);
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "agg5")].ports.size(), 2U * 2U + 2U);
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "core3")].ports.size(), 3U);
    const std::vector<std::pair<uint32_t, std::string>> names{{0, "host0-tor0"},
                                                              {1, "host0-tor0#2"},
                                                              {59, "host29-tor5#2"},
                                                              {60, "tor0-agg0"},
                                                              {61, "tor0-agg0#2"},
                                                              {62, "tor0-agg1"},
                                                              {68, "tor2-agg2"},
                                                              {84, "agg0-core0"},
                                                              {85, "agg0-core1"},
                                                              {86, "agg1-core2"},
                                                              {95, "agg5-core3"}};
    for (const auto& [link, name] : names)
    {
        EXPECT_EQ(topology.GetDirectedLinkName(2 * link), name);
    }
    EXPECT_EQ(topology.GetPortRate(2 * 59), 200 * G);
    EXPECT_EQ(topology.GetPortRate(2 * 60), 400 * G);
    EXPECT_EQ(topology.GetPortRate(2 * 95), 800 * G);
    EXPECT_EQ(topology.GetPortDelay(2 * 95), 2'000'000);
}

TEST(ThreeTierClosTopologyTest, IsAFatTreeWhereItsNumbersAreThose)
{
    // K = 4: 4 pods of 2 ToRs, 2 aggregation switches and 4 hosts; 4 cores.
    const auto clos = GenerateGood("ThreeTierClos",
                                   {{"Pods", "4"},
                                    {"TorsPerPod", "2"},
                                    {"AggsPerPod", "2"},
                                    {"Cores", "4"},
                                    {"HostsPerTor", "2"},
                                    {"TorUplinks", "2"},
                                    {"AggUplinks", "2"}});
    const auto tree = GenerateGood("FatTree", {{"K", "4"}});
    ASSERT_EQ(clos.GetLinks().size(), tree.GetLinks().size());
    for (uint32_t link = 0; link < tree.GetLinks().size(); link++)
    {
        EXPECT_EQ(clos.GetLinks()[link].nodeA, tree.GetLinks()[link].nodeA);
        EXPECT_EQ(clos.GetLinks()[link].nodeB, tree.GetLinks()[link].nodeB);
    }
}

TEST(ThreeTierClosTopologyTest, OversubscriptionOfEachTier)
{
    // A ToR takes 8 x 100 Gb/s and has 4 x 100 Gb/s up: 2:1. Of a pod's 2 x 400 Gb/s, its two
    // aggregation switches pass on 2 x 100 Gb/s each: 2:1 again, 4:1 between pods.
    const auto topology =
        GenerateGood("ThreeTierClos",
                     {{"HostsPerTor", "8"}, {"TorUplinks", "4"}, {"AggUplinks", "2"}});
    EXPECT_EQ(MaxFlow(topology, Range(0, 4), Range(4, 8)), 400 * G);    // below a ToR: all
    EXPECT_EQ(MaxFlow(topology, Range(0, 8), Range(8, 16)), 400 * G);   // of 800
    EXPECT_EQ(MaxFlow(topology, Range(0, 16), Range(16, 32)), 400 * G); // of 1600
}

TEST(ThreeTierClosTopologyTest, DoubleSidedHosts)
{
    const auto topology = GenerateGood("ThreeTierClos",
                                       {{"Pods", "2"},
                                        {"TorsPerPod", "4"},
                                        {"HostsPerTor", "3"},
                                        {"NicsPerHost", "4"},
                                        {"DoubleSided", "true"}});
    // 2 x 4 ToRs are four pairs of three hosts.
    EXPECT_EQ(CountNodes(topology, "host"), 12U);
    for (uint32_t host = 0; host < 12; host++)
    {
        for (uint32_t nic = 0; nic < 4; nic++)
        {
            const uint32_t port = topology.GetNodes()[host].ports[nic];
            const uint32_t tor = topology.GetPortNode(ClusterTopology::GetPeerPort(port));
            EXPECT_EQ(topology.GetNodes()[tor].name,
                      "tor" + std::to_string(host / 3 * 2 + nic % 2));
        }
    }
    // A ToR has two links to each of three hosts.
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "tor7")].ports.size(), 6U + 2U);
    // Within a pair, equal sides meet one switch away, others above.
    const auto nic = [&](uint32_t host, uint32_t k) { return topology.GetNodes()[host].ports[k]; };
    EXPECT_EQ(CountPaths(topology, nic(0, 0), nic(1, 2)), std::make_pair(2U, uint64_t{1}));
    EXPECT_EQ(CountPaths(topology, nic(0, 0), nic(1, 1)), std::make_pair(4U, uint64_t{2}));
    EXPECT_EQ(CountPaths(topology, nic(0, 0), nic(3, 0)), std::make_pair(4U, uint64_t{2}));
    EXPECT_EQ(CountPaths(topology, nic(0, 0), nic(6, 0)).first, 6U);
}

TEST(ThreeTierClosTopologyTest, CruxDoubleSided)
{
    // Crux, SIGCOMM 2024: 6 ToR, 12 aggregation and 32 core switches, each host on two ToRs by
    // eight links; more than 2,000 GPUs. How they are grouped is not said: here three pods.
    const auto topology = GenerateGood("ThreeTierClos",
                                       {{"Pods", "3"},
                                        {"TorsPerPod", "2"},
                                        {"AggsPerPod", "4"},
                                        {"Cores", "32"},
                                        {"HostsPerTor", "86"},
                                        {"NicsPerHost", "8"},
                                        {"NicRate", "100Gbps"},
                                        {"TorUplinks", "64"},
                                        {"TorUplinkRate", "400Gbps"},
                                        {"AggUplinks", "32"},
                                        {"AggUplinkRate", "400Gbps"},
                                        {"DoubleSided", "true"}});
    EXPECT_EQ(CountNodes(topology, "tor"), 6U);
    EXPECT_EQ(CountNodes(topology, "agg"), 12U);
    EXPECT_EQ(CountNodes(topology, "core"), 32U);
    EXPECT_EQ(topology.GetGpuCount(), 3U * 86 * 8); // 2064
    EXPECT_EQ(topology.GetNodes()[0].ports.size(), 8U);
    EXPECT_NE(topology.FindDirectedLink("host0-tor0#4"), -1);
    EXPECT_NE(topology.FindDirectedLink("host0-tor1#4"), -1);
    // Every core has a link to each of the 12 aggregation switches.
    EXPECT_EQ(topology.GetNodes()[FindNode(topology, "core31")].ports.size(), 12U);
    // Between pods: 32 cores x (16 parallel links to 4 aggregation switches)^2.
    EXPECT_EQ(CountPaths(topology, GetNic(topology, "host0"), GetNic(topology, "host257")),
              std::make_pair(6U, uint64_t{32 * 64 * 64}));
}

TEST(ThreeTierClosTopologyTest, RoutingFindsTheSamePaths)
{
    const auto topology = GenerateGood(
        "ThreeTierClos",
        {{"NicsPerHost", "2"}, {"TorUplinks", "4"}, {"Cores", "4"}, {"DoubleSided", "true"}});
    RoutingTable routing;
    routing.Build(topology, 1);
    for (const char* other : {"host1", "host4", "host7"})
    {
        for (uint32_t nic = 0; nic < 2; nic++)
        {
            const uint32_t from = GetNic(topology, "host0");
            const uint32_t to = GetNic(topology, other, nic);
            const auto paths = routing.GetPaths(from, to);
            const auto [links, count] = CountPaths(topology, from, to);
            EXPECT_EQ(paths.size(), count) << other << nic;
            ASSERT_FALSE(paths.empty());
            EXPECT_EQ(paths[0].size(), links) << other << nic;
        }
    }
}

TEST(ThreeTierClosTopologyTest, CruxTwoLayers)
{
    // The other one: 173 ToR and 16 aggregation switches, each host on one ToR.
    const Settings hosts{{"HostsPerTor", "2"}, {"NicsPerHost", "4"}, {"NicRate", "200Gbps"}};
    Settings settings{{"Pods", "1"},
                      {"TorsPerPod", "173"},
                      {"AggsPerPod", "16"},
                      {"Cores", "0"},
                      {"TorUplinks", "16"}};
    settings.insert(settings.end(), hosts.begin(), hosts.end());
    const auto topology = GenerateGood("ThreeTierClos", settings);
    EXPECT_EQ(CountNodes(topology, "tor"), 173U);
    EXPECT_EQ(CountNodes(topology, "agg"), 16U);
    EXPECT_EQ(CountNodes(topology, "core"), 0U);
    EXPECT_EQ(topology.GetLinks().size(), 173U * (2 * 4 + 16));
    EXPECT_EQ(CountPaths(topology, GetNic(topology, "host0"), GetNic(topology, "host345")),
              std::make_pair(4U, uint64_t{16}));
    // LeafSpine says the same with other names.
    const auto leafSpine = GenerateGood("LeafSpine",
                                        {{"Leaves", "173"},
                                         {"Spines", "16"},
                                         {"HostsPerLeaf", "2"},
                                         {"NicsPerHost", "4"},
                                         {"Uplinks", "16"}});
    ASSERT_EQ(leafSpine.GetLinks().size(), topology.GetLinks().size());
    for (uint32_t link = 0; link < topology.GetLinks().size(); link++)
    {
        EXPECT_EQ(leafSpine.GetLinks()[link].nodeA, topology.GetLinks()[link].nodeA);
        EXPECT_EQ(leafSpine.GetLinks()[link].nodeB, topology.GetLinks()[link].nodeB);
    }
}

TEST(ThreeTierClosTopologyTest, FaultsOfAttributes)
{
    EXPECT_EQ(
        GenerateBad("ThreeTierClos",
                    {{"AggsPerPod", "3"},
                     {"Cores", "4"},
                     {"NicsPerHost", "3"},
                     {"DoubleSided", "true"},
                     {"NicRate", "0bps"},
                     {"TorUplinkRate", "0bps"},
                     {"AggUplinkRate", "0bps"}}),
        (std::vector<std::string>{
            "TorUplinks is 2, which is not a multiple of AggsPerPod (3): the uplinks of a ToR "
            "are spread evenly over its pod",
            "AggUplinks is 2, which makes 6 links from a pod: not a multiple of Cores (4)",
            "NicsPerHost is 3, which is not even: DoubleSided hosts split them over two ToRs",
            "NicRate is 0",
            "TorUplinkRate is 0",
            "AggUplinkRate is 0"}));
    EXPECT_EQ(GenerateBad("ThreeTierClos", {{"TorsPerPod", "3"}, {"DoubleSided", "true"}}),
              std::vector<std::string>{
                  "TorsPerPod is 3, which is not even: DoubleSided hosts hang on pairs of ToRs"});
    EXPECT_EQ(GenerateBad("ThreeTierClos", {{"Cores", "0"}}),
              std::vector<std::string>{"Cores is 0, and then the 2 pods do not meet"});
    // 4096 x 2 ToRs of 4096 hosts; 4096 x 2 x 2 uplinks of either tier.
    EXPECT_EQ(GenerateBad("ThreeTierClos", {{"Pods", "4096"}, {"HostsPerTor", "4096"}}),
              (std::vector<std::string>{
                  "Pods, TorsPerPod, HostsPerTor, NicsPerHost, TorUplinks and AggUplinks make "
                  "33587200 links: at most 1048576 are supported",
                  "Pods, TorsPerPod, HostsPerTor and GpusPerHost make 268435456 GPUs: at most "
                  "1048576 are supported"}));
}

TEST(ThreeTierClosTopologyTest, RandomParameters)
{
    std::mt19937 random(2);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    for (int run = 0; run < 100; run++)
    {
        const uint32_t pods = draw(1, 4);
        const uint32_t sides = draw(1, 2);
        const uint32_t tors = sides * draw(1, 3);
        const uint32_t aggs = draw(1, 4);
        const uint32_t cores = draw(1, 6);
        const uint32_t hostsPerTor = draw(1, 4);
        const uint32_t nics = sides * draw(1, 3);
        const uint32_t parallel = draw(1, 3);
        uint32_t aggUplinks = draw(1, 8);
        while (aggs * aggUplinks % cores != 0)
        {
            aggUplinks++;
        }
        const auto topology = GenerateGood("ThreeTierClos",
                                           {{"Pods", std::to_string(pods)},
                                            {"TorsPerPod", std::to_string(tors)},
                                            {"AggsPerPod", std::to_string(aggs)},
                                            {"Cores", std::to_string(cores)},
                                            {"HostsPerTor", std::to_string(hostsPerTor)},
                                            {"NicsPerHost", std::to_string(nics)},
                                            {"TorUplinks", std::to_string(aggs * parallel)},
                                            {"AggUplinks", std::to_string(aggUplinks)},
                                            {"DoubleSided", sides == 2 ? "true" : "false"}});
        const uint32_t hosts = pods * tors / sides * hostsPerTor;
        EXPECT_EQ(topology.GetNodes().size(), hosts + pods * (tors + aggs) + cores);
        EXPECT_EQ(topology.GetLinks().size(),
                  hosts * nics + pods * (tors * aggs * parallel + aggs * aggUplinks));
        // Every core has the same number of links to every pod.
        const uint32_t perPod = aggs * aggUplinks / cores;
        for (uint32_t core = 0; core < cores; core++)
        {
            const auto& ports =
                topology.GetNodes()[FindNode(topology, "core" + std::to_string(core))].ports;
            EXPECT_EQ(ports.size(), pods * perPod);
        }
        const uint32_t a = draw(0, hosts - 1);
        const uint32_t b = draw(0, hosts - 1);
        const uint32_t i = draw(0, nics - 1);
        const uint32_t j = draw(0, nics - 1);
        if (a == b)
        {
            continue;
        }
        const uint32_t torA = a / hostsPerTor * sides + i % sides;
        const uint32_t torB = b / hostsPerTor * sides + j % sides;
        std::pair<uint32_t, uint64_t> expected{2, 1};
        if (torA / tors != torB / tors)
        {
            // Cores x (parallel links up x links of the pod to the core)^2.
            expected = {6, static_cast<uint64_t>(cores) * parallel * perPod * parallel * perPod};
        }
        else if (torA != torB)
        {
            expected = {4, aggs * parallel * parallel};
        }
        EXPECT_EQ(
            CountPaths(topology, topology.GetNodes()[a].ports[i], topology.GetNodes()[b].ports[j]),
            expected);
    }
}
