/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scheduler-fakes.h"

#include "ns3/gpu-intensity.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint64_t GBPS = 1'000'000'000;

TEST(GpuIntensityTest, BusiestLinkGivesTheTime)
{
    const ClusterTopology topology = MakeLeafSpine(1, 3, 8, 0, 8 * GBPS, 0);
    const FakePathOracle oracle(topology);
    CandidatePaths paths(oracle);
    JobView job = MakeJob(0, 10e12, 0);
    AddFlow(topology, job, "host0", "host1", 1'000'000'000);
    AddFlow(topology, job, "host0", "host2", 500'000'000);
    const GpuIntensity intensity(topology, job, paths);
    // host0 sends 1.5 GB at 1 GB/s; 10 TFLOP / 1.5 s.
    EXPECT_DOUBLE_EQ(intensity.GetLinkSeconds(), 1.5);
    EXPECT_DOUBLE_EQ(intensity.GetIntensity(), 10e12 / 1.5);
    EXPECT_EQ(intensity.GetWireBytes(), 1'500'000'000U);
    EXPECT_EQ(topology.GetDirectedLinkName(intensity.GetBottleneck()), "host0-leaf0");
    // host0-leaf0, leaf0-host1, leaf0-host2.
    EXPECT_EQ(intensity.GetLinkCount(), 3U);
}

TEST(GpuIntensityTest, FlowsSpreadOverTheirPaths)
{
    // 100 MB over 4 uplinks of 10 Gb/s: 25 MB each, 20 ms; the NIC takes 100 MB / 12.5 GB/s = 8 ms.
    const ClusterTopology topology = MakeLeafSpine(2, 1, 8, 4, 100 * GBPS, 10 * GBPS);
    const FakePathOracle oracle(topology);
    CandidatePaths paths(oracle);
    JobView job = MakeJob(0, 1e12, 0);
    AddFlow(topology, job, "host0", "host1", 100'000'000);
    const GpuIntensity intensity(topology, job, paths);
    EXPECT_DOUBLE_EQ(intensity.GetLinkSeconds(), 0.020);
    EXPECT_EQ(topology.GetDirectedLinkName(intensity.GetBottleneck()), "leaf0-spine0");
    const auto links = intensity.GetHeaviestLinks(9);
    ASSERT_EQ(links.size(), 9U); // 4 up, 4 down, then the first of the two NIC links
    EXPECT_DOUBLE_EQ(links[7].second, 25e6);
    EXPECT_EQ(topology.GetDirectedLinkName(links[8].first), "host0-leaf0");
    EXPECT_DOUBLE_EQ(links[8].second, 100e6);
}

TEST(GpuIntensityTest, SharesOfThreePathsAddUp)
{
    const ClusterTopology topology = MakeLeafSpine(2, 1, 8, 3, 8 * GBPS, 8 * GBPS);
    const FakePathOracle oracle(topology);
    CandidatePaths paths(oracle);
    JobView job = MakeJob(0, 1e12, 0);
    AddFlow(topology, job, "host0", "host1", 1'000'000'000);
    const GpuIntensity intensity(topology, job, paths);
    EXPECT_EQ(intensity.GetLinkSeconds(), 1.0); // no share of the NIC link is lost
    EXPECT_NEAR(intensity.GetHeaviestLinks(3)[2].second, 1e9 / 3, 1.0 / 65536);
}

TEST(GpuIntensityTest, AcknowledgementsGoTheOtherWay)
{
    const ClusterTopology topology = MakeLeafSpine(1, 2, 8, 0, 8 * GBPS, 0);
    const FakePathOracle oracle(topology);
    CandidatePaths paths(oracle);
    JobView job = MakeJob(0, 1e12, 0);
    AddFlow(topology, job, "host0", "host1", 1'000'000'000);
    AddFlow(topology, job, "host1", "host0", 1'000'000'000);
    job.flows[0].ackWireBytes = 10'000'000;
    const GpuIntensity intensity(topology, job, paths);
    // host1 sends 1 GB of data and 10 MB of acknowledgements.
    EXPECT_DOUBLE_EQ(intensity.GetLinkSeconds(), 1.01);
    EXPECT_EQ(topology.GetDirectedLinkName(intensity.GetBottleneck()), "leaf0-host0");
    EXPECT_EQ(intensity.GetWireBytes(), 2'000'000'000U);
}

TEST(GpuIntensityTest, OrderOfFlowsDoesNotMatter)
{
    const ClusterTopology topology = MakeLeafSpine(2, 2, 8, 3, 8 * GBPS, 7 * GBPS);
    const FakePathOracle oracle(topology);
    CandidatePaths paths(oracle);
    JobView job = MakeJob(0, 1e12, 0);
    for (uint64_t bytes : {1'000'003, 777'777, 31, 5'000'000})
    {
        AddFlow(topology, job, "host0", "host2", bytes);
    }
    JobView reversed = job;
    std::reverse(reversed.flows.begin(), reversed.flows.end());
    EXPECT_EQ(GpuIntensity(topology, job, paths).GetIntensity(),
              GpuIntensity(topology, reversed, paths).GetIntensity());
}

TEST(GpuIntensityTest, NoTrafficIsInfinite)
{
    const ClusterTopology topology = MakeLeafSpine(1, 2, 8, 0, 8 * GBPS, 0);
    const FakePathOracle oracle(topology);
    CandidatePaths paths(oracle);
    const GpuIntensity intensity(topology, MakeJob(0, 1e12, 0), paths);
    EXPECT_TRUE(std::isinf(intensity.GetIntensity()));
    EXPECT_EQ(intensity.GetLinkSeconds(), 0);
    EXPECT_EQ(intensity.GetBottleneck(), NO_ID);
    EXPECT_TRUE(intensity.GetHeaviestLinks(3).empty());
}

} // namespace
} // namespace ns3
