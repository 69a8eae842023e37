/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/bytescheduler/byte-scheduler-scheduler.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

class ByteSchedulerTest : public testing::Test
{
  protected:
    ByteSchedulerTest()
    {
        m_view.jobs = {MakeJob(3, 1e12, 1000), MakeJob(5, 2e12, 1000)};
        m_view.trigger = "arrival";
        m_view.jobs[0].tensors.unsupported.clear();
    }

    TensorView& Tensors()
    {
        return m_view.jobs[0].tensors;
    }

    TensorSchedule GetSchedule() const
    {
        const ScheduleDecision decision = m_scheduler->Decide(m_view);
        EXPECT_EQ(decision.Validate(m_view), "");
        EXPECT_TRUE(decision.jobs.at(0).tensors);
        return decision.jobs.at(0).tensors.value_or(TensorSchedule());
    }

    ClusterTopology m_topology{MakeLeafSpine(2, 2, 8, 2, 100'000'000'000, 100'000'000'000)};
    FakePathOracle m_oracle{m_topology};
    ClusterView m_view{MakeView(m_topology, m_oracle)};
    Ptr<ByteSchedulerScheduler> m_scheduler{CreateObject<ByteSchedulerScheduler>()};
};

// 8 and 16 million parameters by all-reduces, 1 and 4 million by servers.
TEST_F(ByteSchedulerTest, SizesOfTheCode)
{
    EXPECT_EQ(GetSchedule().partitionBytes, 32'000'000u);
    EXPECT_EQ(GetSchedule().creditBytes, 64'000'000u);
    EXPECT_TRUE(GetSchedule().priority);
    EXPECT_EQ(GetSchedule().latencyPs, 1'000'000);
    Tensors().servers = true;
    EXPECT_EQ(GetSchedule().partitionBytes, 4'000'000u);
    EXPECT_EQ(GetSchedule().creditBytes, 16'000'000u);
    Tensors().bytesPerParameter = 2;
    EXPECT_EQ(GetSchedule().partitionBytes, 2'000'000u);
    EXPECT_EQ(GetSchedule().creditBytes, 8'000'000u);
    m_scheduler->SetAttribute("PartitionSize", UintegerValue(5));
    m_scheduler->SetAttribute("CreditSize", UintegerValue(7));
    m_scheduler->SetAttribute("Priority", BooleanValue(false));
    EXPECT_EQ(GetSchedule().partitionBytes, 5u);
    EXPECT_EQ(GetSchedule().creditBytes, 7u);
    EXPECT_FALSE(GetSchedule().priority);
}

// Nothing else is decided: one level, ECMP.
TEST_F(ByteSchedulerTest, SpeaksOfTensorsOnly)
{
    Tensors().samples.resize(1);
    const ScheduleDecision decision = m_scheduler->Decide(m_view);
    ASSERT_EQ(decision.jobs.size(), 2u);
    for (const JobDecision& entry : decision.jobs)
    {
        EXPECT_EQ(entry.level, 0u);
        EXPECT_TRUE(entry.paths.empty());
        EXPECT_EQ(entry.shiftPs, 0);
    }
    EXPECT_TRUE(decision.jobs[0].warnings.empty());
    EXPECT_FALSE(decision.jobs[1].tensors);
    EXPECT_EQ(decision.jobs[1].warnings.size(), 1u);
    EXPECT_EQ(m_scheduler->GetPeriodPs(), 0);
    EXPECT_TRUE(m_scheduler->GetTensorOptions()->spreads);
}

// The search goes on where a sample is complete, keeps what there is while it is not, and ends
// with the sizes of the fastest sample.
TEST_F(ByteSchedulerTest, SearchesSampleBySample)
{
    m_scheduler->SetAttribute("Tune", BooleanValue(true));
    m_scheduler->SetAttribute("SamplingIterations", UintegerValue(4));
    m_scheduler->SetAttribute("RandomSamples", UintegerValue(2));
    m_scheduler->SetAttribute("SearchSteps", UintegerValue(2));
    EXPECT_GT(m_scheduler->GetPeriodPs(), 0);
    Tensors().samples.resize(1);
    std::vector<TensorSchedule> tried{GetSchedule()};
    m_view.trigger = "period";
    const int64_t elapsedPs[] = {400, 300, 200, 500}; // of three iterations
    for (size_t sample = 0; sample < 4; sample++)
    {
        EXPECT_TRUE(m_scheduler->Decide(m_view).jobs.empty());
        Tensors().samples.back() = {tried.back(), 2, 999};
        EXPECT_TRUE(m_scheduler->Decide(m_view).jobs.empty());
        Tensors().samples.back() = {tried.back(), 3, elapsedPs[sample]};
        tried.push_back(GetSchedule());
        // The same view, the same decision.
        EXPECT_TRUE(GetSchedule() == tried.back());
        Tensors().samples.push_back({tried.back(), 0, 0});
    }
    EXPECT_FALSE(tried[1] == tried[0]);
    EXPECT_FALSE(tried[3] == tried[2]);
    EXPECT_TRUE(tried[4] == tried[2]);
    Tensors().samples.back() = {tried.back(), 100, 999};
    EXPECT_TRUE(m_scheduler->Decide(m_view).jobs.empty());
    for (const TensorSchedule& schedule : tried)
    {
        EXPECT_GE(schedule.partitionBytes, 8'000'000u);
        EXPECT_LE(schedule.partitionBytes, 128'000'000u);
        EXPECT_GE(schedule.creditBytes, 16'000'000u);
        EXPECT_LE(schedule.creditBytes, 256'000'000u);
    }
}

} // namespace
} // namespace ns3
