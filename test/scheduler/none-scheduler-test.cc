/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/none-scheduler.h"
#include "../fixture/scheduler-fakes.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

TEST(NoneSchedulerTest, OneLevelAndEcmp)
{
    const ClusterTopology topology = MakeLeafSpine(2, 2, 8, 2, 100'000'000'000, 100'000'000'000);
    const FakePathOracle oracle(topology);
    ClusterView view = MakeView(topology, oracle);
    view.jobs = {MakeJob(3, 1e12, 1000), MakeJob(5, 2e12, 1000)};
    view.jobs[1].level = 4;
    AddFlow(topology, view.jobs[0], "host0", "host2", 1000);

    const Ptr<CommunicationScheduler> scheduler = CreateObject<NoneScheduler>();
    const ScheduleDecision decision = scheduler->Decide(view);
    ASSERT_EQ(decision.jobs.size(), 2U);
    EXPECT_EQ(decision.Validate(view), "");
    for (size_t i = 0; i < 2; i++)
    {
        EXPECT_EQ(decision.jobs[i].job, view.jobs[i].job);
        EXPECT_EQ(decision.jobs[i].level, 0U);
        EXPECT_TRUE(decision.jobs[i].paths.empty());
        EXPECT_TRUE(decision.jobs[i].fallbacks.empty());
        EXPECT_EQ(decision.jobs[i].inputs, "{}");
    }
}

TEST(NoneSchedulerTest, ValidateFindsWhatIsNoDecision)
{
    const ClusterTopology topology = MakeLeafSpine(2, 1, 8, 2, 1000, 1000);
    const FakePathOracle oracle(topology);
    ClusterView view = MakeView(topology, oracle, 2);
    view.jobs = {MakeJob(3, 1, 1), MakeJob(5, 1, 1)};
    ScheduleDecision decision;
    EXPECT_EQ(decision.Validate(view), "");
    decision.jobs.resize(2);
    decision.jobs[0].job = 5;
    decision.jobs[1].job = 3;
    EXPECT_EQ(decision.Validate(view), "job 3 is out of order or does not run");
    decision.jobs.resize(1);
    decision.jobs[0].level = 2;
    EXPECT_EQ(decision.Validate(view), "job 5 has level 2, but there are 2");
    decision.jobs[0].level = 1;
    EXPECT_EQ(decision.Validate(view), "");
    decision.jobs[0].paths.resize(1);
    EXPECT_EQ(decision.Validate(view), "job 5 has paths for more flows than it has");
}

TEST(NoneSchedulerTest, IsFoundByItsTypeId)
{
    TypeId type;
    ASSERT_TRUE(TypeId::LookupByNameFailSafe("ns3::NoneScheduler", &type));
    EXPECT_TRUE(type.IsChildOf(CommunicationScheduler::GetTypeId()));
    ASSERT_TRUE(TypeId::LookupByNameFailSafe("ns3::GpuIntensityScheduler", &type));
    EXPECT_TRUE(type.IsChildOf(CommunicationScheduler::GetTypeId()));
}

} // namespace
} // namespace ns3
