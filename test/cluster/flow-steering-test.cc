/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/flow-steering.h"
#include "../fixture/scheduler-fakes.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3
{
namespace
{

class FlowSteeringTest : public testing::Test
{
  protected:
    FlowSteering Make(uint64_t seed, uint32_t flows)
    {
        JobView job;
        for (uint32_t i = 0; i < flows; i++)
        {
            AddFlow(m_topology, job, "host0", "host1", 1000);
        }
        return FlowSteering(seed, "bert", m_oracle, job.flows);
    }

    const ClusterTopology m_topology = MakeLeafSpine(2, 1, 8, 4, 1000, 1000);
    FakePathOracle m_oracle{m_topology};
};

TEST_F(FlowSteeringTest, DefaultPortsAreDynamicAndReproducible)
{
    const FlowSteering steering = Make(1, 1000);
    const FlowSteering again = Make(1, 1000);
    std::set<uint16_t> ports;
    std::vector<int> byPath(4, 0);
    for (uint32_t i = 0; i < 1000; i++)
    {
        const FlowView& flow = steering.GetFlows()[i];
        EXPECT_GE(flow.udpSourcePort, 49152);
        EXPECT_EQ(flow.udpSourcePort, again.GetFlows()[i].udpSourcePort);
        EXPECT_EQ(flow.udpSourcePort, FlowSteering::GetDefaultPort(1, "bert", i));
        EXPECT_FALSE(steering.IsSteered(i));
        ports.insert(flow.udpSourcePort);
        byPath[flow.udpSourcePort % 4]++;
        EXPECT_EQ(flow.path,
                  m_oracle.GetEcmpPath(flow.sourceNic, flow.destinationNic, flow.udpSourcePort));
    }
    // Of 16384 ports: 16384 (1 - (1 - 1/16384)^1000) = 970 are expected, deviation 5.3.
    EXPECT_NEAR(ports.size(), 970, 27);
    for (const int count : byPath)
    {
        EXPECT_NEAR(count, 250, 69); // five deviations of sqrt(1000 / 4 * 3 / 4)
    }
}

TEST_F(FlowSteeringTest, PortsDependOnSeedJobAndFlow)
{
    const uint16_t port = FlowSteering::GetDefaultPort(1, "bert", 0);
    EXPECT_NE(port, FlowSteering::GetDefaultPort(2, "bert", 0));
    EXPECT_NE(port, FlowSteering::GetDefaultPort(1, "gpt", 0));
    EXPECT_NE(port, FlowSteering::GetDefaultPort(1, "bert", 1));
}

TEST_F(FlowSteeringTest, SteersAndLeavesToEcmpAgain)
{
    FlowSteering steering = Make(1, 1);
    const uint16_t port = steering.GetFlows()[0].udpSourcePort;
    const LinkPath ecmp = steering.GetFlows()[0].path;
    const auto paths =
        m_oracle.GetPaths(steering.GetFlows()[0].sourceNic, steering.GetFlows()[0].destinationNic);
    ASSERT_EQ(paths.size(), 4U);
    const uint32_t other = (port + 1) % 4;

    EXPECT_EQ(steering.Steer(0, {}), FlowSteering::Outcome::KEPT);
    EXPECT_FALSE(steering.IsSteered(0));
    // Its own path: the port stays.
    EXPECT_EQ(steering.Steer(0, ecmp), FlowSteering::Outcome::KEPT);
    EXPECT_TRUE(steering.IsSteered(0));
    EXPECT_EQ(steering.GetFlows()[0].udpSourcePort, port);

    EXPECT_EQ(steering.Steer(0, paths[other]), FlowSteering::Outcome::CHANGED);
    EXPECT_EQ(steering.GetFlows()[0].udpSourcePort, 49152 + other); // the smallest; 4 | 49152
    EXPECT_EQ(steering.GetFlows()[0].path, paths[other]);
    EXPECT_EQ(steering.Steer(0, paths[other]), FlowSteering::Outcome::KEPT);

    EXPECT_EQ(steering.Steer(0, {}), FlowSteering::Outcome::CHANGED);
    EXPECT_EQ(steering.GetFlows()[0].udpSourcePort, port);
    EXPECT_EQ(steering.GetFlows()[0].path, ecmp);
    EXPECT_FALSE(steering.IsSteered(0));
}

TEST_F(FlowSteeringTest, UnreachablePathsFallBackToEcmp)
{
    FlowSteering steering = Make(1, 1);
    const FlowView before = steering.GetFlows()[0];
    const auto paths = m_oracle.GetPaths(before.sourceNic, before.destinationNic);
    const uint32_t gone = (before.udpSourcePort + 1) % 4;
    const uint32_t other = (before.udpSourcePort + 2) % 4;
    m_oracle.PutOutOfReach(gone);
    EXPECT_EQ(steering.Steer(0, paths[other]), FlowSteering::Outcome::CHANGED);
    EXPECT_EQ(steering.Steer(0, paths[gone]), FlowSteering::Outcome::UNREACHABLE);
    EXPECT_EQ(steering.GetFlows()[0].udpSourcePort, before.udpSourcePort);
    EXPECT_EQ(steering.GetFlows()[0].path, before.path);
    EXPECT_FALSE(steering.IsSteered(0));
}

} // namespace
} // namespace ns3
