/* SPDX-License-Identifier: GPL-2.0-only */

#include "ns3/cluster-topology.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr uint64_t RATE = 100'000'000'000;
constexpr int64_t DELAY = 1'000'000;

std::vector<std::string>
GetSentences(const ClusterTopology& topology)
{
    std::vector<std::string> sentences;
    for (const TopologyFault& fault : topology.Validate())
    {
        EXPECT_EQ(fault.kind, TopologyFaultKind::GRAPH);
        sentences.push_back(fault.ToSentence());
    }
    return sentences;
}

} // namespace

TEST(ClusterTopologyTest, PortsAreNumberedByLink)
{
    ClusterTopology topology;
    const uint32_t host = topology.AddHost("host0", 8);
    const uint32_t leaf = topology.AddSwitch("leaf0");
    const uint32_t other = topology.AddHost("host1", 8);
    EXPECT_EQ(topology.AddLink(host, leaf, RATE, DELAY), 0U);
    EXPECT_EQ(topology.AddLink(other, leaf, 2 * RATE, 3), 1U);
    EXPECT_EQ(topology.AddLink(host, leaf, RATE, DELAY), 2U);
    EXPECT_EQ(topology.GetPortCount(), 6U);
    // Link i owns port 2i at its first node and 2i + 1 at its second.
    EXPECT_EQ(topology.GetPortNode(0), host);
    EXPECT_EQ(topology.GetPortNode(1), leaf);
    EXPECT_EQ(ClusterTopology::GetPeerPort(4), 5U);
    EXPECT_EQ(ClusterTopology::GetPeerPort(5), 4U);
    EXPECT_EQ(topology.GetPortRate(3), 2 * RATE);
    EXPECT_EQ(topology.GetPortDelay(2), 3);
    EXPECT_EQ(topology.GetNodes()[leaf].ports, (std::vector<uint32_t>{1, 3, 5}));
    EXPECT_EQ(topology.GetPortName(4), "host0.nic1");
    EXPECT_EQ(topology.GetPortName(5), "leaf0.port2");
}

TEST(ClusterTopologyTest, NamesOfDirectedLinks)
{
    ClusterTopology topology;
    const uint32_t a = topology.AddSwitch("leaf0");
    const uint32_t b = topology.AddSwitch("spine1");
    const uint32_t c = topology.AddSwitch("rack-1");
    topology.AddLink(a, b, RATE, DELAY);
    topology.AddLink(b, a, RATE, DELAY); // the other way round, yet parallel
    topology.AddLink(c, b, RATE, DELAY);
    EXPECT_EQ(topology.GetDirectedLinkName(0), "leaf0-spine1");
    EXPECT_EQ(topology.GetDirectedLinkName(1), "spine1-leaf0");
    EXPECT_EQ(topology.GetDirectedLinkName(2), "spine1-leaf0#2");
    EXPECT_EQ(topology.GetDirectedLinkName(3), "leaf0-spine1#2");
    EXPECT_EQ(topology.GetDirectedLinkName(4), "rack-1-spine1");
    for (uint32_t port = 0; port < topology.GetPortCount(); port++)
    {
        EXPECT_EQ(topology.FindDirectedLink(topology.GetDirectedLinkName(port)), port);
    }
    for (const char* name :
         {"", "-", "leaf0", "leaf0-", "leaf0-spine2", "leaf0-spine1#3", "leaf0-rack-1"})
    {
        EXPECT_EQ(topology.FindDirectedLink(name), -1) << name;
    }
    EXPECT_EQ(topology.FindNode("rack-1"), c);
    EXPECT_EQ(topology.FindNode("rack"), -1);
}

TEST(ClusterTopologyTest, GpusAndTheirNics)
{
    ClusterTopology topology;
    const uint32_t a = topology.AddHost("a", 4);
    const uint32_t leaf = topology.AddSwitch("leaf");
    const uint32_t b = topology.AddHost("b", 8);
    topology.AddLink(a, leaf, RATE, DELAY); // port 0
    for (int nic = 0; nic < 3; nic++)
    {
        topology.AddLink(b, leaf, RATE, DELAY); // ports 2, 4, 6
    }
    EXPECT_EQ(topology.GetGpuCount(), 12U);
    EXPECT_EQ(topology.GetGpuHost(3), a);
    EXPECT_EQ(topology.GetGpuHost(4), b);
    EXPECT_EQ(topology.GetFirstGpu(b), 4U);
    EXPECT_EQ(topology.GetGpuNic(2), 0U);
    // NIC floor(g N / G) with N = 3, G = 8: g 0 1 2 | 3 4 5 | 6 7.
    const std::vector<uint32_t> expected{2, 2, 2, 4, 4, 4, 6, 6};
    for (uint32_t g = 0; g < 8; g++)
    {
        EXPECT_EQ(topology.GetGpuNic(4 + g), expected[g]) << g;
    }
    EXPECT_EQ(topology.GetLeaf(a), leaf);
}

TEST(ClusterTopologyTest, HostsMayBeCabledToEachOther)
{
    ClusterTopology topology;
    const uint32_t a = topology.AddHost("a", 1);
    const uint32_t b = topology.AddHost("b", 1);
    topology.AddLink(a, b, RATE, DELAY);
    EXPECT_TRUE(topology.Validate().empty());
    EXPECT_EQ(topology.GetLeaf(a), a);
}

TEST(ClusterTopologyTest, ASingleHostNeedsNoLink)
{
    ClusterTopology topology;
    topology.AddHost("a", 8);
    EXPECT_TRUE(topology.Validate().empty());
    EXPECT_EQ(topology.GetLeaf(0), 0U);
}

TEST(ClusterTopologyTest, FaultsAreSentences)
{
    EXPECT_EQ(GetSentences(ClusterTopology()), std::vector<std::string>{"there is no host"});
    ClusterTopology topology;
    const uint32_t a = topology.AddHost("a", 1);
    const uint32_t b = topology.AddHost("a", 1);
    topology.AddHost("c", 1);
    topology.AddSwitch("");
    topology.AddLink(a, a, RATE, DELAY);
    topology.AddLink(a, b, 0, -1);
    EXPECT_EQ(GetSentences(topology),
              (std::vector<std::string>{"two nodes are called \"a\"",
                                        "node 3 has no name",
                                        "link a-a joins a node to itself",
                                        "link a-a has a rate of 0",
                                        "link a-a has a negative delay",
                                        "host c has no link"}));
}

TEST(ClusterTopologyTest, HostsDoNotForward)
{
    // a - s0 - b - s1 - c: b hangs on both islands, but carries nothing from one to the other.
    ClusterTopology topology;
    const uint32_t a = topology.AddHost("a", 1);
    const uint32_t b = topology.AddHost("b", 1);
    const uint32_t c = topology.AddHost("c", 1);
    const uint32_t s0 = topology.AddSwitch("s0");
    const uint32_t s1 = topology.AddSwitch("s1");
    topology.AddLink(a, s0, RATE, DELAY);
    topology.AddLink(b, s0, RATE, DELAY);
    topology.AddLink(b, s1, RATE, DELAY);
    topology.AddLink(c, s1, RATE, DELAY);
    EXPECT_EQ(GetSentences(topology),
              std::vector<std::string>{"host c cannot be reached from a (hosts do not forward)"});
    topology.AddLink(s0, s1, RATE, DELAY);
    EXPECT_TRUE(topology.Validate().empty());
}

TEST(ClusterTopologyTest, EveryPairMayMeetInAnotherIsland)
{
    // No island holds all three hosts, yet each pair has one.
    ClusterTopology topology;
    for (const char* host : {"a", "b", "c"})
    {
        topology.AddHost(host, 1);
    }
    for (const char* name : {"ab", "bc", "ca"})
    {
        topology.AddSwitch(name);
    }
    for (uint32_t i = 0; i < 3; i++)
    {
        topology.AddLink(i, 3 + i, RATE, DELAY);
        topology.AddLink((i + 1) % 3, 3 + i, RATE, DELAY);
    }
    EXPECT_TRUE(topology.Validate().empty());
}
