/* SPDX-License-Identifier: GPL-2.0-only */

#include "../fixture/topology-fixture.h"

#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace topology_test;

TEST(StarTopologyTest, HostsAroundOneSwitch)
{
    const auto topology = GenerateGood(
        "Star",
        {{"Hosts", "3"}, {"GpusPerHost", "8"}, {"NicRate", "400Gbps"}, {"LinkDelay", "500ns"}});
    ASSERT_EQ(topology.GetNodes().size(), 4U);
    EXPECT_EQ(topology.GetNodes()[2].name, "host2");
    EXPECT_EQ(topology.GetNodes()[3].name, "switch0");
    EXPECT_EQ(topology.GetGpuCount(), 24U);
    ASSERT_EQ(topology.GetLinks().size(), 3U);
    EXPECT_EQ(topology.GetLinks()[1].rateBps, 400'000'000'000U);
    EXPECT_EQ(topology.GetLinks()[1].delayPs, 500'000);
    EXPECT_EQ(topology.GetNodes()[3].ports, (std::vector<uint32_t>{1, 3, 5})); // port i: host i
    EXPECT_EQ(topology.GetDirectedLinkName(2), "host1-switch0");
}

TEST(StarTopologyTest, FaultsOfAttributes)
{
    EXPECT_EQ(GenerateBad("Star", {{"NicRate", "0bps"}}), std::vector<std::string>{"NicRate is 0"});
    // 65536 x 1024 = 67108864
    EXPECT_EQ(GenerateBad("Star", {{"Hosts", "65536"}, {"GpusPerHost", "1024"}}),
              std::vector<std::string>{"Hosts and GpusPerHost make 67108864 GPUs: at most 1048576 "
                                       "are supported"});
}

TEST(LeafSpineTopologyTest, CountsNamesAndPortOrder)
{
    const auto topology = GenerateGood("LeafSpine",
                                       {{"Leaves", "2"},
                                        {"Spines", "2"},
                                        {"HostsPerLeaf", "3"},
                                        {"GpusPerHost", "8"},
                                        {"NicsPerHost", "4"},
                                        {"NicRate", "200Gbps"},
                                        {"Uplinks", "4"},
                                        {"UplinkRate", "400Gbps"},
                                        {"LinkDelay", "1us"}});
    // 2 x 3 hosts, 2 leaves, 2 spines; 6 x 4 host links and 2 x 4 uplinks.
    ASSERT_EQ(topology.GetNodes().size(), 10U);
    ASSERT_EQ(topology.GetLinks().size(), 32U);
    EXPECT_EQ(topology.GetGpuCount(), 48U);
    const std::vector<std::string> names{"host0",
                                         "host1",
                                         "host2",
                                         "host3",
                                         "host4",
                                         "host5",
                                         "leaf0",
                                         "leaf1",
                                         "spine0",
                                         "spine1"};
    for (uint32_t id = 0; id < names.size(); id++)
    {
        EXPECT_EQ(topology.GetNodes()[id].name, names[id]);
    }
    for (uint32_t host = 0; host < 6; host++)
    {
        EXPECT_EQ(topology.GetLeaf(host), 6 + host / 3) << host;
        for (uint32_t nic = 0; nic < 4; nic++)
        {
            // Host by host, NIC by NIC.
            const uint32_t link = 4 * host + nic;
            EXPECT_EQ(topology.GetLinks()[link].nodeA, host);
            EXPECT_EQ(topology.GetLinks()[link].nodeB, 6 + host / 3);
            EXPECT_EQ(topology.GetLinks()[link].rateBps, 200'000'000'000U);
            EXPECT_EQ(topology.GetPortName(2 * link),
                      "host" + std::to_string(host) + ".nic" + std::to_string(nic));
            // Two GPUs a NIC.
            EXPECT_EQ(topology.GetGpuNic(8 * host + 2 * nic), 2 * link);
            EXPECT_EQ(topology.GetGpuNic(8 * host + 2 * nic + 1), 2 * link);
        }
    }
    // Leaf by leaf, spine by spine, parallel links of a pair one after the other.
    const std::vector<std::string> uplinks{"leaf0-spine0",
                                           "leaf0-spine0#2",
                                           "leaf0-spine1",
                                           "leaf0-spine1#2",
                                           "leaf1-spine0",
                                           "leaf1-spine0#2",
                                           "leaf1-spine1",
                                           "leaf1-spine1#2"};
    for (uint32_t i = 0; i < uplinks.size(); i++)
    {
        EXPECT_EQ(topology.GetDirectedLinkName(2 * (24 + i)), uplinks[i]);
        EXPECT_EQ(topology.GetPortRate(2 * (24 + i)), 400'000'000'000U);
    }
    // A leaf has its 12 host ports first, then the uplinks.
    EXPECT_EQ(topology.GetPortName(2 * 24), "leaf0.port12");
    EXPECT_EQ(topology.GetPortName(2 * 30 + 1), "spine1.port2");
}

TEST(LeafSpineTopologyTest, OversubscriptionByUplinksAndRates)
{
    // 8 hosts x 2 NICs x 100 Gb/s against U uplinks of r Gb/s: 1600 / (U r).
    for (const auto& [uplinks, rate, flow] :
         std::vector<std::tuple<std::string, std::string, uint64_t>>{{"4", "400Gbps", 1600},
                                                                     {"2", "400Gbps", 800},
                                                                     {"4", "100Gbps", 400}})
    {
        const auto topology = GenerateGood("LeafSpine",
                                           {{"Leaves", "2"},
                                            {"Spines", "2"},
                                            {"HostsPerLeaf", "8"},
                                            {"NicsPerHost", "2"},
                                            {"Uplinks", uplinks},
                                            {"UplinkRate", rate}});
        EXPECT_EQ(topology_test::MaxFlow(topology,
                                         topology_test::Range(0, 8),
                                         topology_test::Range(8, 16)),
                  flow * 1'000'000'000)
            << uplinks << rate;
        EXPECT_EQ(topology_test::MaxFlow(topology,
                                         topology_test::Range(0, 4),
                                         topology_test::Range(4, 8)),
                  800'000'000'000U);
    }
}

TEST(LeafSpineTopologyTest, FaultsOfAttributes)
{
    EXPECT_EQ(GenerateBad("LeafSpine", {{"Spines", "4"}, {"Uplinks", "6"}}),
              std::vector<std::string>{"Uplinks is 6, which is not a multiple of Spines (4): the "
                                       "uplinks of a leaf are spread evenly over the spines"});
    EXPECT_EQ(GenerateBad("LeafSpine", {{"NicRate", "0bps"}, {"UplinkRate", "0bps"}}),
              (std::vector<std::string>{"NicRate is 0", "UplinkRate is 0"}));
    // 4096 x (4096 x 1 + 2) = 16785408
    EXPECT_EQ(GenerateBad("LeafSpine",
                          {{"Leaves", "4096"}, {"HostsPerLeaf", "4096"}, {"GpusPerHost", "0"}}),
              std::vector<std::string>{
                  "Leaves, HostsPerLeaf, NicsPerHost and Uplinks make 16785408 links: at most "
                  "1048576 are supported"});
}

TEST(HpccTopologyTest, ReadsTheText)
{
    const ScenarioFolder folder;
    const auto topology =
        GenerateGood("Hpcc",
                     {{"File",
                       folder.Write("t.hpcc",
                                    "5 2 5\n2 4\n0 2 100Gbps 1000ns 0\n\n1 2 100Gbps 0.001ms "
                                    "0.000\r\n2 4 400Gbps 1us 0\n2 4 400Gbps 1us 0\n3 4 200Gbps "
                                    "1us 0\n\nFirst line: total node #, switch node #, link #\n")},
                      {"GpusPerHost", "4"}});
    ASSERT_EQ(topology.GetNodes().size(), 5U);
    for (uint32_t id = 0; id < 5; id++)
    {
        EXPECT_EQ(topology.GetNodes()[id].name, "n" + std::to_string(id));
        EXPECT_EQ(topology.GetNodes()[id].kind == TopologyNodeKind::SWITCH, id == 2 || id == 4);
    }
    EXPECT_EQ(topology.GetGpuCount(), 12U);
    ASSERT_EQ(topology.GetLinks().size(), 5U);
    EXPECT_EQ(topology.GetLinks()[1].delayPs, 1'000'000);
    EXPECT_EQ(topology.GetDirectedLinkName(6), "n2-n4#2");
    EXPECT_EQ(topology.GetPortName(8), "n3.nic0");
}

TEST(HpccTopologyTest, FaultsNameFileLineAndColumn)
{
    const ScenarioFolder folder;
    const auto faults = [&folder](const std::string& text) {
        const std::string file = folder.Write("t.hpcc", text);
        std::vector<std::string> errors = GenerateBad("Hpcc", {{"File", file}});
        std::string all;
        for (const std::string& error : errors)
        {
            EXPECT_EQ(error.substr(0, file.size() + 1), file + ":");
            all += error.substr(file.size() + 1) + "\n";
        }
        return all;
    };
    const std::string first = "the first line must be \"nodes switches links\", three numbers, or "
                              "that of ns3-datacenter, \"nodes switches tors links\", or of SimAI, "
                              "\"nodes gpus-per-server nvswitches switches links gpu-type\"\n";
    EXPECT_EQ(faults(""), "1:1: " + first);
    EXPECT_EQ(faults("\n4 1\n"), "2:1: " + first);
    EXPECT_EQ(faults("3 4 0\n"),
              "1:3: number of switches \"4\" is out of range: a whole number from 0 to 3 is "
              "wanted\n");
    EXPECT_EQ(faults("3 1 0\n"), "1:1: the file ends after 0 of 1 switch ids\n");
    EXPECT_EQ(faults("3 2 0\n2 2\n"), "2:3: switch id 2 is listed twice\n");
    EXPECT_EQ(faults("3 1 0\n2 1\n"), "2:3: more switch ids than the 1 of the first line\n");
    EXPECT_EQ(faults("3 1 2\n2\n0 2 1Gbps 1us 0\n"), "3:1: the file ends after 1 of 2 links\n");
    EXPECT_EQ(faults("3 1 1\n2\n0 2 1Gbps 1us\n"),
              "3:1: a link has five fields \"a b rate delay loss\", not 4\n");
    EXPECT_EQ(faults("3 1 1\n2\n0 0 1Gbps 1us 0.1\n"),
              "3:15: loss must be 0 here: loss comes by faults\n"
              "3:3: the link joins node 0 to itself\n");
    EXPECT_EQ(faults("3 1 1\n2\n0 2 0Gbps 1us 0\n"), "3:5: the rate is 0\n");
    EXPECT_EQ(faults("3 1 1\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n"),
              "4:1: more links than the 1 of the first line\n");
}

TEST(HpccTopologyTest, FileIsRequired)
{
    EXPECT_EQ(GenerateBad("Hpcc", {}), std::vector<std::string>{"File is missing"});
    const ScenarioFolder folder;
    EXPECT_EQ(GenerateBad("Hpcc", {{"File", folder.GetPath("none")}}),
              std::vector<std::string>{"File cannot be read: \"" + folder.GetPath("none") + "\""});
    EXPECT_EQ(GenerateBad("Hpcc", {{"File", folder.GetPath("")}}).size(), 1U); // a folder
}

TEST(GeneratorTest, NicRateIsTheOneWordForTheRateOfHosts)
{
    for (const char* type :
         {"Star", "LeafSpine", "FatTree", "ThreeTierClos", "RailOptimized", "Lingjun"})
    {
        const TypeId tid = TypeId::LookupByName("ns3::" + std::string(type) + "Topology");
        TypeId::AttributeInformation info;
        EXPECT_TRUE(tid.LookupAttributeByName("NicRate", &info)) << type;
        EXPECT_EQ(info.supportLevel, TypeId::SupportLevel::SUPPORTED);
    }
}

TEST(GeneratorTest, OldNamesOfNicRateAreReadWithAWarning)
{
    const ScenarioFolder folder;
    for (const auto& [type, name] :
         {std::make_pair("Star", "Rate"), std::make_pair("FatTree", "LinkRate")})
    {
        const auto read = [&](const std::string& attributes) {
            folder.Write("a.yaml",
                         std::string("schema: gpu-fabric/1\nflows: [{from: host0, to: host1, "
                                     "bytes: 1MB}]\ntopology: {type: ") +
                             type + ", " + attributes + "}\n");
            return ReadScenario(folder, "a.yaml");
        };
        const std::string old = name;
        ReadResult result = read(old + ": 7Gbps");
        ASSERT_TRUE(result.scenario) << result.messages;
        EXPECT_EQ(result.scenario->graph.GetLinks()[0].rateBps, 7'000'000'000U);
        EXPECT_EQ(result.scenario->topology.attributes[0].name, "NicRate"); // as results say it
        EXPECT_NE(
            result.messages.find("warning: topology." + old + ": is deprecated, write NicRate"),
            std::string::npos)
            << result.messages;
        EXPECT_EQ(read("NicRate: 7Gbps").messages, "");
        // No value is lost in silence, 0 included.
        EXPECT_NE(read(old + ": 0bps").messages.find("topology.NicRate: is 0"), std::string::npos);
        EXPECT_NE(read(old + ": 7Gbps, NicRate: 8Gbps")
                      .messages.find("is the deprecated name of NicRate, which is given, too"),
                  std::string::npos);
        // In C++ and on the command line, where ns-3 itself warns.
        const auto graph = GenerateGood(type, {{old, "7Gbps"}});
        EXPECT_EQ(graph.GetLinks()[0].rateBps, 7'000'000'000U);
    }
}
