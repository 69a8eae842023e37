/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/placement/cassini-placement.h"
#include "../../model/scheduler/cassini/cassini-plan.h"
#include "../../model/scheduler/cassini/cassini-scheduler.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/counter-random.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

constexpr int64_t MS = 1'000'000'000;        // [ps]
constexpr uint64_t GBPS = 1'000'000'000;     // [bit/s]
constexpr uint64_t MS_OF_10G = 10 * 125'000; // bytes in 1 ms at 10 Gb/s

/// Leaves of four hosts on one spine: links of 10 Gb/s, so the uplink of a leaf is contended.
class CassiniPlanTest : public testing::Test
{
  protected:
    /// A job that computes and then sends over the only path between two hosts.
    void AddJob(int64_t computePs,
                int64_t communicationMs,
                const std::string& from,
                const std::string& to,
                int64_t startPs = 0)
    {
        JobView job = MakeJob(static_cast<uint32_t>(m_view.jobs.size()), 1, computePs);
        AddTraffic(job, communicationMs, from, to);
        job.arrivalPs = startPs;
        job.iterationStartPs = startPs;
        m_view.jobs.push_back(job);
    }

    void AddTraffic(JobView& job,
                    int64_t communicationMs,
                    const std::string& from,
                    const std::string& to)
    {
        AddFlow(m_topology, job, from, to, communicationMs * MS_OF_10G);
        job.flows.back().path =
            m_oracle.GetPaths(job.flows.back().sourceNic, job.flows.back().destinationNic).at(0);
    }

    CassiniPlan GetPlan() const
    {
        return {m_topology, m_view.jobs, {}};
    }

    ClusterTopology m_topology{MakeLeafSpine(3, 4, 8, 1, 10 * GBPS, 10 * GBPS)};
    FakePathOracle m_oracle{m_topology};
    ClusterView m_view{MakeView(m_topology, m_oracle)};
};

TEST_F(CassiniPlanTest, Profile)
{
    AddJob(30 * MS, 10, "host0", "host4");
    CassiniPlan::Profile profile = CassiniPlan::GetProfile(m_topology, m_view.jobs[0]);
    EXPECT_EQ(profile.communicationPs, 10 * MS);
    EXPECT_EQ(profile.communicationStartPs, 30 * MS);
    EXPECT_EQ(profile.iterationPs, 40 * MS);
    // From the middle of the compute on: 15 + 10 < 30.
    m_view.jobs[0].communicationStart = 0.5;
    EXPECT_EQ(CassiniPlan::GetProfile(m_topology, m_view.jobs[0]).iterationPs, 30 * MS);
    // A second flow from the same NIC: 20 ms there, and 15 + 20 ms in all.
    AddTraffic(m_view.jobs[0], 10, "host0", "host8");
    profile = CassiniPlan::GetProfile(m_topology, m_view.jobs[0]);
    EXPECT_EQ(profile.communicationPs, 20 * MS);
    EXPECT_EQ(profile.iterationPs, 35 * MS);
}

TEST_F(CassiniPlanTest, TwoEqualJobsTakeTurns)
{
    // They share leaf0-spine0 and spine0-leaf1: one vertex.
    AddJob(20 * MS, 20, "host0", "host4");
    AddJob(20 * MS, 20, "host1", "host5");
    const CassiniPlan plan = GetPlan();
    ASSERT_EQ(plan.GetVertices().size(), 1U);
    const CassiniPlan::Vertex& vertex = plan.GetVertices()[0];
    EXPECT_EQ(vertex.links.size(), 2U);
    EXPECT_DOUBLE_EQ(vertex.score, 1);
    EXPECT_DOUBLE_EQ(vertex.unshiftedScore, 0.5);
    EXPECT_EQ(vertex.cells, 72U);
    EXPECT_EQ(plan.GetShiftPs(0), 0);
    EXPECT_EQ(plan.GetShiftPs(1), 20 * MS);
    EXPECT_FALSE(plan.HasLoop());
}

TEST_F(CassiniPlanTest, TheShiftPointsForward)
{
    // The first communicates from 10 to 40 of 40 ms, the second from 30 to 40: 10 ms later it is
    // alone, 10 ms earlier it is not.
    AddJob(10 * MS, 30, "host0", "host4");
    AddJob(30 * MS, 10, "host1", "host5");
    const CassiniPlan plan = GetPlan();
    EXPECT_NEAR(plan.GetMeanScore(), 1, 1e-9);
    EXPECT_EQ(plan.GetShiftPs(0), 0);
    EXPECT_EQ(plan.GetShiftPs(1), 10 * MS);
}

TEST_F(CassiniPlanTest, DifferentPeriods)
{
    // 40 and 60 ms with 10 ms each: 10 modulo 20.
    AddJob(30 * MS, 10, "host0", "host4");
    AddJob(50 * MS, 10, "host1", "host5");
    const CassiniPlan plan = GetPlan();
    EXPECT_NEAR(plan.GetMeanScore(), 1, 1e-9);
    EXPECT_EQ(plan.GetVertices()[0].cells, 216U); // of 40/72 ms
    // Communication at 30 and at 50 + shift, modulo 20: 10 and 10 + shift.
    EXPECT_EQ((plan.GetShiftPs(1) + 50 * MS - 30 * MS) % (20 * MS), 10 * MS);
}

TEST_F(CassiniPlanTest, NoContentionNoVertex)
{
    AddJob(30 * MS, 10, "host0", "host4");
    AddJob(30 * MS, 10, "host5", "host1"); // the other direction
    EXPECT_TRUE(GetPlan().GetVertices().empty());
    EXPECT_DOUBLE_EQ(GetPlan().GetMeanScore(), 1);
    EXPECT_DOUBLE_EQ(GetPlan().GetLowestScore(), 1);
}

TEST_F(CassiniPlanTest, AChainOfLinks)
{
    // Jobs 0 and 1 meet on leaf0's uplink, 1 and 2 on the way to leaf2, 3 is alone.
    AddJob(20 * MS, 20, "host0", "host4");
    AddJob(20 * MS, 20, "host1", "host8");
    AddJob(20 * MS, 20, "host5", "host9");
    AddJob(20 * MS, 20, "host6", "host7");
    const CassiniPlan plan = GetPlan();
    ASSERT_EQ(plan.GetComponents().size(), 1U);
    EXPECT_EQ(plan.GetComponents()[0].jobs, (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_FALSE(plan.HasLoop());
    EXPECT_EQ(plan.GetShiftPs(1), 20 * MS);
    EXPECT_EQ(plan.GetShiftPs(2), 0);
}

TEST_F(CassiniPlanTest, ALoopOfThreeJobs)
{
    // 0 and 1 meet on the way up from leaf0 and down to leaf2, 0 and 2 on that up from leaf1, 1 and
    // 2 on that down to leaf0.
    AddJob(5 * MS, 10, "host0", "host4");
    AddTraffic(m_view.jobs.back(), 10, "host5", "host8");
    AddJob(5 * MS, 10, "host1", "host9");
    AddTraffic(m_view.jobs.back(), 10, "host10", "host2");
    AddJob(5 * MS, 10, "host6", "host3");
    const CassiniPlan plan = GetPlan();
    EXPECT_TRUE(plan.HasLoop());
    const ScheduleDecision decision = CreateObject<CassiniScheduler>()->Decide(m_view);
    ASSERT_EQ(decision.jobs.size(), 3U);
    for (const JobDecision& entry : decision.jobs)
    {
        EXPECT_EQ(entry.shiftPs, 0);
        ASSERT_EQ(entry.fallbacks.size(), 1U);
        EXPECT_NE(entry.fallbacks[0].find("loop"), std::string::npos);
    }
}

TEST_F(CassiniPlanTest, EveryVertexHasItsRotationInATree)
{
    // Whatever the jobs, the shifts along a tree give each link the rotation of its circle: the
    // difference of two shifts is that of the rotations, modulo the common divisor of the periods.
    uint32_t trees = 0;
    for (uint32_t number = 0; number < 60; number++)
    {
        auto random = [number, count = uint64_t{0}](uint32_t bound) mutable {
            return static_cast<uint32_t>(CounterRandom(8, number, count++) % bound);
        };
        m_view.jobs.clear();
        for (uint32_t job = 0; job < 4; job++)
        {
            const uint32_t from = random(12);
            const uint32_t to = (from + 1 + random(11)) % 12;
            AddJob(20 * MS,
                   4 + random(20),
                   "host" + std::to_string(from),
                   "host" + std::to_string(to));
            JobView& view = m_view.jobs.back();
            view.computePs = 40 * MS - CassiniPlan::GetProfile(m_topology, view).communicationPs;
        }
        const CassiniPlan plan = GetPlan();
        for (const CassiniPlan::Component& component : plan.GetComponents())
        {
            for (const uint32_t v : component.vertices)
            {
                const CassiniPlan::Vertex& vertex = plan.GetVertices()[v];
                for (size_t i = 1; !component.hasLoop && i < vertex.jobs.size(); i++)
                {
                    const int64_t shifts =
                        plan.GetShiftPs(vertex.jobs[i]) - plan.GetShiftPs(vertex.jobs[0]);
                    const int64_t rotations = vertex.shiftPs[i] - vertex.shiftPs[0];
                    EXPECT_EQ((shifts - rotations) % (40 * MS), 0) << number;
                }
            }
            trees += !component.hasLoop;
        }
    }
    EXPECT_GT(trees, 20U);
}

TEST_F(CassiniPlanTest, ShiftsOfJobsThatRunAndArrive)
{
    const Ptr<CassiniScheduler> scheduler = CreateObject<CassiniScheduler>();
    // Job 0 runs since 7 ms, now in the iteration that began at 87 ms; job 1 starts at 100 ms. It
    // should be 20 ms behind: 107 ms.
    AddJob(20 * MS, 20, "host0", "host4", 7 * MS);
    m_view.jobs[0].iterationStartPs = 87 * MS;
    AddJob(20 * MS, 20, "host1", "host5", 100 * MS);
    m_view.nowPs = 99 * MS;
    ScheduleDecision decision = scheduler->Decide(m_view);
    ASSERT_EQ(decision.jobs.size(), 2U);
    EXPECT_EQ(decision.jobs[0].shiftPs, 0);
    EXPECT_EQ(decision.jobs[1].shiftPs, 7 * MS);
    EXPECT_EQ(decision.Validate(m_view), "");

    // Later: 1 ms away of 40 is no drift, 3 ms are; late by 1 ms is no reason to wait for 39.
    m_view.trigger = "period";
    m_view.jobs[1].iterationStartPs = (107 + 39) * MS;
    EXPECT_TRUE(scheduler->Decide(m_view).jobs.empty());
    m_view.jobs[1].iterationStartPs = (107 + 37) * MS;
    decision = scheduler->Decide(m_view);
    ASSERT_EQ(decision.jobs.size(), 1U);
    EXPECT_EQ(decision.jobs[0].job, 1U);
    EXPECT_EQ(decision.jobs[0].shiftPs, 3 * MS);
    m_view.jobs[1].iterationStartPs = (107 + 41) * MS;
    EXPECT_TRUE(scheduler->Decide(m_view).jobs.empty());
    m_view.jobs[1].iterationStartPs = (107 + 43) * MS;
    EXPECT_EQ(scheduler->Decide(m_view).jobs.at(0).shiftPs, 37 * MS);
}

TEST_F(CassiniPlanTest, APeriodOfZeroIsNone)
{
    EXPECT_EQ(CreateObject<CassiniScheduler>()->GetPeriodPs(), 500 * MS);
    const Ptr<CassiniScheduler> never =
        CreateObjectWithAttributes<CassiniScheduler>("Period", TimeValue(Seconds(0)));
    EXPECT_EQ(never->GetPeriodPs(), 0);
}

/// One job runs between leaf0 and leaf1; the waiting one sends from its first to its last host.
class FixedJobs : public JobOracle
{
  public:
    FixedJobs(const ClusterTopology& topology, const PathOracle& paths)
        : m_topology(topology),
          m_paths(paths)
    {
    }

    JobView GetJobOn(uint32_t job, const std::vector<uint32_t>& gpus) const override
    {
        JobView view = MakeJob(job, 1, 20 * MS);
        const std::string from = m_topology.GetNodes()[m_topology.GetGpuHost(gpus.front())].name;
        const std::string to = m_topology.GetNodes()[m_topology.GetGpuHost(gpus.back())].name;
        if (from != to)
        {
            AddFlow(m_topology, view, from, to, 40 * MS_OF_10G);
            FlowView& flow = view.flows.back();
            flow.path = m_paths.GetPaths(flow.sourceNic, flow.destinationNic).at(0);
        }
        return view;
    }

    std::vector<JobView> GetPlacedJobs() const override
    {
        return {GetJobOn(0, {0, 32})};
    }

  private:
    const ClusterTopology& m_topology;
    const PathOracle& m_paths;
};

TEST_F(CassiniPlanTest, PlacementByScore)
{
    // FirstFit puts 12 GPUs on host1 and host4, where the job shares the uplink of leaf0 with job
    // 0: two thirds of 60 ms each, a score of 1 - (2 * 2/3 - 1) = 2/3. Elsewhere there is room.
    FixedJobs jobs(m_topology, m_oracle);
    PlacementView view{&m_topology, std::vector<uint8_t>(m_topology.GetGpuCount(), 0), &jobs};
    for (const uint32_t host : {1, 4, 5, 8})
    {
        std::fill_n(view.gpuFree.begin() + 8 * host, 8, 1);
    }
    const Ptr<CassiniPlacement> placement =
        CreateObjectWithAttributes<CassiniPlacement>("Base", StringValue("FirstFit"));
    const std::vector<Placement> ranked = placement->Rank(view, {1, 12});
    ASSERT_GT(ranked.size(), 2U);
    EXPECT_EQ(m_topology.GetGpuHost(ranked[0].gpus.front()), 4U);
    EXPECT_NE(ranked[0].inputs.find("\"score\":1"), std::string::npos) << ranked[0].inputs;
    // Last come those with host1 in leaf0; 12 of 18 cells are 2/3 of the iteration.
    EXPECT_EQ(m_topology.GetGpuHost(ranked.back().gpus.front()), 1U);
    EXPECT_NE(ranked.back().inputs.find("\"score\":0.66"), std::string::npos)
        << ranked.back().inputs;
    // With one candidate it is that of FirstFit.
    placement->SetAttribute("Candidates", UintegerValue(1));
    EXPECT_EQ(m_topology.GetGpuHost(placement->Rank(view, {1, 12})[0].gpus.front()), 1U);
}

// All candidates, the most compatible first, whichever way the scores of links are put together.
TEST_F(CassiniPlanTest, CandidatesDescendByScore)
{
    FixedJobs jobs(m_topology, m_oracle);
    PlacementView view{&m_topology, std::vector<uint8_t>(m_topology.GetGpuCount(), 0), &jobs};
    for (const uint32_t host : {1, 4, 5, 8})
    {
        std::fill_n(view.gpuFree.begin() + 8 * host, 8, 1);
    }
    for (const char* aggregate : {"mean", "lowest"})
    {
        const Ptr<CassiniPlacement> placement =
            CreateObjectWithAttributes<CassiniPlacement>("Aggregate", StringValue(aggregate));
        std::vector<double> scores;
        for (const Placement& candidate : placement->Rank(view, {1, 12}))
        {
            const size_t begin = candidate.inputs.find("\"score\":") + 8;
            scores.push_back(std::stod(candidate.inputs.substr(begin)));
        }
        ASSERT_GT(scores.size(), 2U);
        EXPECT_GT(scores.front(), scores.back());
        for (size_t i = 1; i < scores.size(); i++)
        {
            EXPECT_LT(scores[i], scores[i - 1] + 1e-9) << aggregate << " " << i;
        }
    }
}

} // namespace
} // namespace ns3
