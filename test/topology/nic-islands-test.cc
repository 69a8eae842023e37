/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/topology/nic-islands.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(NicIslandsTest, OneSwitchIsOneIsland)
{
    ClusterTopology topology;
    const uint32_t a = topology.AddHost("a", 1);
    const uint32_t b = topology.AddHost("b", 1);
    const uint32_t s = topology.AddSwitch("s");
    topology.AddLink(a, s, 1, 0);
    topology.AddLink(b, s, 1, 0);
    topology.AddLink(s, b, 1, 0);
    const NicIslands islands(topology);
    EXPECT_TRUE(islands.AreConnected(0, 2));
    EXPECT_TRUE(islands.AreConnected(0, 5));
    EXPECT_EQ(islands.GetReachable(0, b), (std::vector<uint32_t>{2, 5}));
}

TEST(NicIslandsTest, HostsDoNotForwardAndCablesReachOneNic)
{
    // a - s0 - b - s1 - c, and a cable from a to c.
    ClusterTopology topology;
    const uint32_t a = topology.AddHost("a", 1);
    const uint32_t b = topology.AddHost("b", 1);
    const uint32_t c = topology.AddHost("c", 1);
    const uint32_t s0 = topology.AddSwitch("s0");
    const uint32_t s1 = topology.AddSwitch("s1");
    topology.AddLink(a, s0, 1, 0); // ports 0, 1
    topology.AddLink(b, s0, 1, 0); // 2, 3
    topology.AddLink(b, s1, 1, 0); // 4, 5
    topology.AddLink(c, s1, 1, 0); // 6, 7
    topology.AddLink(a, c, 1, 0);  // 8, 9
    const NicIslands islands(topology);
    EXPECT_TRUE(islands.AreConnected(0, 2));
    EXPECT_TRUE(islands.AreConnected(4, 6));
    EXPECT_FALSE(islands.AreConnected(0, 6));
    EXPECT_TRUE(islands.AreConnected(8, 9));
    EXPECT_TRUE(islands.AreConnected(9, 8));
    EXPECT_FALSE(islands.AreConnected(8, 6));
    EXPECT_FALSE(islands.AreConnected(6, 8));
    EXPECT_EQ(islands.Explain(0, 6),
              "no path leads from a.nic0 to c.nic0: a.nic0 reaches no NIC of c");
    EXPECT_EQ(islands.Explain(8, 6), "no path leads from a.nic1 to c.nic0: a.nic1 reaches c.nic1");
}
