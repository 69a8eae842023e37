/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/job-profiler.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr int64_t MS = 1'000'000'000; // [ps]

/// Jobs with iterations of 10 ms; job j sends (j + 1) MB from host0 in the last 4 ms of each.
class JobProfilerTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_link = GetNic(m_topology, "host0");
        m_profiler.Configure(
            {3, MS / 10},
            m_topology,
            [this](uint32_t job) { return Count(job); },
            [this](int64_t nowPs, uint32_t job, const std::string& detail) {
                m_log.push_back(std::to_string(nowPs / MS) + " ms job " + std::to_string(job) +
                                ": " + detail.substr(0, detail.find(',')));
            });
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// What a job that started at 0 has sent.
    JobProfiler::LinkBytes Count(uint32_t job) const
    {
        const int64_t now = Simulator::Now().GetPicoSeconds();
        const int64_t inside = std::max<int64_t>(0, now % (10 * MS) - 6 * MS);
        const auto bytes = static_cast<uint64_t>(now / (10 * MS) * 1'000'000 + inside / 4000);
        // The link back, too, and one only used before it is measured.
        return {{m_link, (job + 1) * bytes}, {m_link + 1, 2 * (job + 1) * bytes}, {m_link + 2, 5}};
    }

    /// Ends iterations of two GPUs that compute 6 ms, until a time.
    void Iterate(uint32_t job, int64_t untilPs)
    {
        for (int64_t time = 10 * MS; time <= untilPs; time += 10 * MS)
        {
            Simulator::Schedule(PicoSeconds(time), [this, job, time] {
                IterationRecord record;
                record.job = job;
                record.endPs = time;
                record.computePs = 12 * MS;
                m_profiler.IterationEnded(record);
            });
        }
    }

    JobView View(uint32_t job) const
    {
        JobView view = MakeJob(job, 1, 7 * MS);
        m_profiler.Describe(view);
        return view;
    }

    const ClusterTopology m_topology = MakeLeafSpine(1, 2, 1, 1, 100'000'000'000, 100'000'000'000);
    JobProfiler m_profiler;
    uint32_t m_link{0};
    std::vector<std::string> m_log;
};

TEST_F(JobProfilerTest, MeasuresOneAfterTheOther)
{
    m_profiler.Add(0, 3, 2, true);
    m_profiler.Add(0, 1, 2, true);
    EXPECT_EQ(View(3).profileState, ProfileState::WAITING);
    m_profiler.Advance(0);
    EXPECT_EQ(View(3).profileState, ProfileState::RUNNING);
    EXPECT_EQ(View(1).profileState, ProfileState::WAITING);
    EXPECT_EQ(View(0).profileState, ProfileState::NONE);
    Iterate(3, 60 * MS);
    Iterate(1, 60 * MS);
    Simulator::Schedule(PicoSeconds(30 * MS + 1), [this] {
        EXPECT_TRUE(m_profiler.IsDue());
        EXPECT_EQ(View(1).profileState, ProfileState::WAITING);
        m_profiler.Advance(30 * MS + 2);
        EXPECT_FALSE(m_profiler.IsDue());
        EXPECT_EQ(View(1).profileState, ProfileState::RUNNING);
    });
    Simulator::Run();
    EXPECT_EQ(m_log,
              (std::vector<std::string>{"30 ms job 3: 2 iterations", "60 ms job 1: 2 iterations"}));
    const JobView first = View(3);
    ASSERT_EQ(first.profileState, ProfileState::DONE);
    EXPECT_EQ(first.profile.iterations, 2U);
    EXPECT_EQ(first.profile.linkBytes,
              (JobProfiler::LinkBytes{{m_link, 4'000'000}, {m_link + 1, 8'000'000}}));
    EXPECT_EQ(first.computePs, 6 * MS); // of a GPU
    EXPECT_NEAR(static_cast<double>(first.profile.periodPs), 10.0 * MS, 0.02 * 10 * MS);
    EXPECT_EQ(View(1).profile.linkBytes.at(0).second, 2'000'000U);
}

TEST_F(JobProfilerTest, AJobThatLeavesGivesUpItsTurn)
{
    for (const uint32_t job : {0, 1, 2})
    {
        m_profiler.Add(0, job, 2, true);
    }
    m_profiler.Advance(0);
    Iterate(0, 20 * MS);
    Iterate(2, 100 * MS);
    Simulator::Schedule(PicoSeconds(15 * MS), [this] { m_profiler.Remove(1); }); // before its turn
    Simulator::Schedule(PicoSeconds(25 * MS), [this] {
        m_profiler.Remove(0); // it has been measured for one iteration
        m_profiler.Advance(25 * MS);
        EXPECT_EQ(View(2).profileState, ProfileState::RUNNING);
        EXPECT_EQ(View(0).profileState, ProfileState::NONE);
    });
    Simulator::Run();
    // It drops the iteration under way and measures 30 to 50 ms.
    EXPECT_EQ(m_log, std::vector<std::string>{"50 ms job 2: 2 iterations"});
}

TEST_F(JobProfilerTest, WhatEndsBeforeTheTopLevelHoldsDoesNotCount)
{
    m_profiler.Add(0, 0, 2, true);
    m_profiler.Advance(10 * MS + 1);
    Iterate(0, 60 * MS);
    Simulator::Run();
    EXPECT_EQ(m_log, std::vector<std::string>{"40 ms job 0: 2 iterations"});
}

TEST_F(JobProfilerTest, AJobWithoutTrafficIsNotWaitedFor)
{
    m_profiler.Add(2 * MS, 0, 2, false);
    m_profiler.Add(2 * MS, 1, 2, true);
    m_profiler.Advance(2 * MS);
    EXPECT_EQ(View(0).profileState, ProfileState::NONE);
    EXPECT_EQ(View(1).profileState, ProfileState::RUNNING);
    EXPECT_EQ(m_log, std::vector<std::string>{"2 ms job 0: no traffic to measure"});
}

TEST_F(JobProfilerTest, AJobThatComesAgainIsMeasuredAgain)
{
    m_profiler.Add(0, 0, 2, true);
    m_profiler.Advance(0);
    Iterate(0, 30 * MS);
    Simulator::Run();
    EXPECT_EQ(View(0).profileState, ProfileState::DONE);
    m_profiler.Remove(0);
    EXPECT_EQ(View(0).profileState, ProfileState::DONE);
    m_profiler.Add(30 * MS, 0, 2, true);
    EXPECT_EQ(View(0).profileState, ProfileState::WAITING);
    EXPECT_EQ(View(0).computePs, 7 * MS); // declared
}

} // namespace
} // namespace ns3
