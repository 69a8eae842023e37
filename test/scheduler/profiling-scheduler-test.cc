/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/crux/gpu-intensity-scheduler.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/gpu-intensity.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// Jobs that all send from host0 to host1 over one path.
class ProfilingSchedulerTest : public testing::Test
{
  protected:
    JobView& Add(double flop, ProfileState state)
    {
        JobView& job = m_view.jobs.emplace_back(
            MakeJob(static_cast<uint32_t>(m_view.jobs.size()), flop, 1'000'000'000));
        AddFlow(m_topology, job, "host0", "host1", 1'000'000);
        job.profileState = state;
        return job;
    }

    std::vector<uint32_t> GetLevels(const std::string& type) const
    {
        ObjectFactory factory(type);
        const ScheduleDecision decision =
            DynamicCast<CommunicationScheduler>(factory.Create())->Decide(m_view);
        EXPECT_EQ(decision.Validate(m_view), "");
        std::vector<uint32_t> levels;
        for (const JobDecision& job : decision.jobs)
        {
            levels.push_back(job.level);
        }
        return levels;
    }

    const ClusterTopology m_topology = MakeLeafSpine(1, 2, 1, 1, 100'000'000'000, 100'000'000'000);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle, 4);
};

TEST_F(ProfilingSchedulerTest, TheMeasuredJobHasTheTopLevelAlone)
{
    Add(1, ProfileState::DONE).profile.linkBytes = {{GetNic(m_topology, "host0"), 1000}};
    Add(9, ProfileState::WAITING);
    Add(2, ProfileState::DONE).profile.linkBytes = {{GetNic(m_topology, "host0"), 1000}};
    Add(8, ProfileState::RUNNING);
    for (const char* type :
         {"ns3::GpuIntensityScheduler", "ns3::CruxScheduler", "ns3::CruxPaScheduler"})
    {
        SCOPED_TRACE(type);
        const std::vector<uint32_t> levels = GetLevels(type);
        EXPECT_EQ(levels, (std::vector<uint32_t>{2, 3, 1, 0}));
    }
    // With nobody to measure, the top level is anyone's.
    m_view.jobs.pop_back();
    EXPECT_EQ(GetLevels("ns3::GpuIntensityScheduler"), (std::vector<uint32_t>{1, 3, 0}));
}

TEST_F(ProfilingSchedulerTest, OneLevelIsShared)
{
    m_view.priorityLevels = 1;
    Add(1, ProfileState::DONE).profile.linkBytes = {{GetNic(m_topology, "host0"), 1000}};
    Add(8, ProfileState::RUNNING);
    EXPECT_EQ(GetLevels("ns3::CruxScheduler"), (std::vector<uint32_t>{0, 0}));
}

TEST_F(ProfilingSchedulerTest, MeasuredBytesGiveTheIntensity)
{
    const uint32_t nic = GetNic(m_topology, "host0");
    JobView& job = Add(1e12, ProfileState::DONE);
    // 100 Gb/s: 0.16 ms for what goes out, more for what comes in.
    job.profile.linkBytes = {{nic, 2'000'000}, {ClusterTopology::GetPeerPort(nic), 3'000'000}};
    CandidatePaths paths(m_oracle);
    const GpuIntensity intensity(m_topology, job, paths);
    EXPECT_DOUBLE_EQ(intensity.GetLinkSeconds(), 3e6 * 8 / 100e9);
    EXPECT_EQ(intensity.GetBottleneck(), ClusterTopology::GetPeerPort(nic));
    EXPECT_EQ(intensity.GetWireBytes(), 2'000'000U);
    EXPECT_EQ(intensity.GetLinkCount(), 2U);
    EXPECT_TRUE(intensity.CanContend());
}

TEST_F(ProfilingSchedulerTest, NothingIsMeasuredUnlessAskedFor)
{
    for (const char* type : {"ns3::GpuIntensityScheduler",
                             "ns3::CruxScheduler",
                             "ns3::CruxPsPaScheduler",
                             "ns3::CruxPaScheduler"})
    {
        ObjectFactory factory(type);
        EXPECT_EQ(
            DynamicCast<CommunicationScheduler>(factory.Create())->GetProfilePlan().iterations,
            0U);
        factory.Set("Profile", StringValue("measured"));
        const ProfilePlan plan =
            DynamicCast<CommunicationScheduler>(factory.Create())->GetProfilePlan();
        EXPECT_EQ(plan.iterations, 3U) << type;
        EXPECT_EQ(plan.intervalPs, 100'000'000) << type;
    }
}

} // namespace
} // namespace ns3
