/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scheduler-fakes.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint64_t GBPS = 1'000'000'000;
constexpr int64_t MS = 1'000'000'000;

/// Service and loads in a view; host0 and host1 on one switch, host2 and host3 on another, two
/// uplinks each, all links of 8 Gb/s: 1 MB takes 1 ms.
class ServiceViewTest : public testing::Test
{
  protected:
    JobView& Add(int64_t computePs, double communicationStart)
    {
        JobView& job = m_view.jobs.emplace_back(
            MakeJob(static_cast<uint32_t>(m_view.jobs.size()), 1, computePs));
        job.gpus = 4;
        job.communicationStart = communicationStart;
        return job;
    }

    const ClusterTopology m_topology = MakeLeafSpine(2, 2, 4, 2, 8 * GBPS, 8 * GBPS);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle);
};

TEST_F(ServiceViewTest, AttainedServiceIsGpusTimesTime)
{
    JobView& job = Add(MS, 1);
    EXPECT_EQ(job.GetAttainedService(), 0);
    job.service.executedPs = 3 * MS;
    EXPECT_EQ(job.GetAttainedService(), 4 * 3e9);
}

// Where nothing is measured, max(C, c C + t): t of the NIC that has most to do in one direction.
TEST_F(ServiceViewTest, IterationsAreEstimatedUntilTheyAreMeasured)
{
    JobView& job = Add(10 * MS, 0.5);
    EXPECT_EQ(job.EstimateIterationPs(m_topology), 10 * MS);
    AddFlow(m_topology, job, "host0", "host2", 6'000'000);
    AddFlow(m_topology, job, "host1", "host2", 2'000'000);
    job.flows[1].ackWireBytes = 500'000;
    // host2 takes in 8 ms, host1 takes in 0.5 ms of acknowledgements.
    EXPECT_EQ(job.EstimateIterationPs(m_topology), 5 * MS + 8 * MS);
    job.communicationStart = 0;
    EXPECT_EQ(job.EstimateIterationPs(m_topology), 10 * MS);
    job.profileState = ProfileState::DONE;
    EXPECT_EQ(job.EstimateIterationPs(m_topology), 10 * MS); // it has no period
    job.profile.periodPs = 17 * MS;
    EXPECT_EQ(job.EstimateIterationPs(m_topology), 17 * MS);
    job.service.iterationPs = 19 * MS;
    EXPECT_EQ(job.EstimateIterationPs(m_topology), 19 * MS);
}

TEST_F(ServiceViewTest, RemainingServiceIsKnownOrNot)
{
    JobView& job = Add(10 * MS, 1);
    EXPECT_FALSE(job.GetRemainingService(m_topology));
    job.service.remainingPs = 7 * MS;
    EXPECT_EQ(job.GetRemainingService(m_topology), 4 * 7e9);
    job.service.remainingIterations = 3;
    EXPECT_EQ(job.GetRemainingService(m_topology), 4 * 3 * 10e9);
    job.service.remainingIterations = 0;
    EXPECT_EQ(job.GetRemainingService(m_topology), 0);
}

TEST_F(ServiceViewTest, LinkLoadsAreThoseOfCurrentPaths)
{
    EXPECT_TRUE(m_view.GetLinkLoads().empty());
    JobView& first = Add(MS, 1);
    first.service.iterationPs = 4 * MS;
    AddFlow(m_topology, first, "host0", "host2", 1'000'000);
    AddFlow(m_topology, first, "host1", "host2", 1'000'000); // no path: counts nowhere
    first.flows[0].path = m_oracle.GetPaths(0, 4)[0];
    ASSERT_EQ(first.flows[0].path.size(), 4U);
    JobView& second = Add(MS, 1);
    second.service.iterationPs = 10 * MS;
    AddFlow(m_topology, second, "host0", "host3", 5'000'000);
    second.flows[0].path = m_oracle.GetPaths(0, 6)[1];
    JobView& third = Add(MS, 1);
    third.service.iterationPs = 1 * MS;
    third.insideLoads = {{3, 125}};
    third.profile.linkBytes = {{1, 250}};
    const auto loads = m_view.GetLinkLoads();
    // The link of host0 (directed link 0) has both, three more each, and the third's inside link.
    ASSERT_EQ(loads.size(), 1U + 3 + 3 + 1);
    EXPECT_EQ(loads[0].link, 0U);
    EXPECT_EQ(loads[0].jobs, 2U);
    EXPECT_EQ(loads[0].iterationBytes, 6'000'000U);
    EXPECT_DOUBLE_EQ(loads[0].rateBps, 8e6 / 4e-3 + 40e6 / 10e-3);
    EXPECT_EQ(loads[1].link, 3U);
    EXPECT_EQ(loads[1].jobs, 1U);
    EXPECT_DOUBLE_EQ(loads[1].rateBps, 1000 / 1e-3);
    for (size_t i = 1; i < loads.size(); i++)
    {
        EXPECT_GT(loads[i].link, loads[i - 1].link);
    }
    // Of a job with a profile what was measured counts.
    third.profileState = ProfileState::DONE;
    const auto measured = m_view.GetLinkLoads();
    EXPECT_EQ(measured[1].link, 1U);
    EXPECT_DOUBLE_EQ(measured[1].rateBps, 2000 / 1e-3);
}

} // namespace
} // namespace ns3
