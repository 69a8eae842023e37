/* SPDX-License-Identifier: GPL-2.0-only */

// Requests of the cluster manager to schedulers and placements that concern more than one job.

#include "../../model/cluster/cluster-manager.h"
#include "../../model/placement/consolidate-placement.h"
#include "../../model/scheduler/none-scheduler.h"
#include "../fixture/scheduler-fake-job.h"

#include "ns3/simulator.h"

#include <deque>
#include <gtest/gtest.h>
#include <memory>

namespace ns3
{
namespace
{

/// Two leaves of two hosts with 8 GPUs.
class ClusterManagerPolicyTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        m_manager->Dispose();
        Simulator::Destroy();
    }

    void Make(Ptr<CommunicationScheduler> scheduler, Ptr<PlacementPolicy> placement)
    {
        m_manager = CreateObject<ClusterManager>();
        m_manager->SetCluster(m_topology, m_oracle);
        m_manager->GetControl().SetScheduler(scheduler);
        m_manager->SetPlacement(placement);
        m_manager->TraceConnectWithoutContext("JobEvent",
                                              MakeCallback(&ClusterManagerPolicyTest::Event, this));
    }

    /// Iterations take 10 us.
    void Add(const std::string& name, uint32_t gpus, int64_t arrivalPs, uint64_t iterations)
    {
        JobSpec& spec = m_specs.emplace_back();
        spec.name = name;
        spec.gpus = gpus;
        spec.arrival = {PicoSeconds(arrivalPs), PicoSeconds(arrivalPs)};
        spec.iterations = iterations;
        m_names.push_back(name);
        m_fakes.push_back(CreateObject<FakeJob>(m_topology, spec, 10 * US, m_log));
        m_manager->AddJob(spec, *m_fakes.back());
    }

    void Run()
    {
        m_manager->Start();
        Simulator::Run();
    }

    void Event(const JobEventRecord& record)
    {
        m_events.push_back(std::to_string(record.timePs / US) + "us " + m_names[record.job] + " " +
                           record.kind + (record.detail.empty() ? "" : ": " + record.detail));
    }

    const ClusterTopology m_topology = MakeLeafSpine(2, 2, 8, 2, 1000, 1000);
    const FakePathOracle m_oracle{m_topology};
    Ptr<ClusterManager> m_manager;
    std::deque<JobSpec> m_specs;
    std::vector<Ptr<FakeJob>> m_fakes;
    std::vector<std::string> m_names;
    Log m_log;
    Log m_events;
};

/// Decides every 10 us too.
class PeriodicScheduler : public CommunicationScheduler
{
  public:
    ScheduleDecision Decide(const ClusterView& view) const override
    {
        std::string text = std::to_string(view.nowPs / US) + "us " + view.trigger + ":";
        for (const JobView& job : view.jobs)
        {
            text += " " + job.name;
        }
        m_asked.push_back(text);
        return {};
    }

    int64_t GetPeriodPs() const override
    {
        return 10 * US;
    }

    mutable Log m_asked;
};

TEST_F(ClusterManagerPolicyTest, APeriodicSchedulerDecidesWhileJobsRun)
{
    const Ptr<PeriodicScheduler> periodic = CreateObject<PeriodicScheduler>();
    Make(periodic, CreateObject<ConsolidatePlacement>());
    Add("a", 8, 0, 3);        // until 31 us
    Add("b", 8, 15 * US, 1);  // until 26 us
    Add("c", 8, 100 * US, 1); // until 111 us
    Run();
    // The period counts anew from each decision, and nobody is left to decide about from 32 us on.
    EXPECT_EQ(periodic->m_asked,
              (Log{"0us arrival: a",
                   "10us period: a",
                   "15us arrival: a b",
                   "25us period: a b",
                   "27us departure: a",
                   "100us arrival: c",
                   "110us period: c"}));
    EXPECT_EQ(m_events.back(), "111us c finished");
}

/// Places the last job first, if both fit.
class LastFirst : public ConsolidatePlacement
{
  public:
    std::vector<Placement> PlaceTogether(
        const PlacementView& view,
        const std::vector<PlacementRequest>& requests) const override
    {
        PlacementView left = view;
        std::vector<Placement> placements(requests.size());
        for (size_t i = requests.size(); i-- > 0;)
        {
            const std::vector<Placement> ranked = Rank(left, requests[i]);
            for (const uint32_t gpu :
                 ranked.empty() ? std::vector<uint32_t>() : ranked.front().gpus)
            {
                left.gpuFree[gpu] = 0;
            }
            placements[i] = ranked.empty() ? Placement() : ranked.front();
        }
        return placements;
    }
};

TEST_F(ClusterManagerPolicyTest, WaitingJobsArePlacedTogether)
{
    Make(CreateObject<NoneScheduler>(), CreateObject<LastFirst>());
    Add("a", 8, 0, 1);
    Add("b", 8, 0, 1);
    Add("c", 32, 0, 1);
    Run();
    // With c, which comes first there, neither a nor b has room: both without it, b first.
    EXPECT_EQ(m_events[3], "0us a placed: host1:0-7");
    EXPECT_EQ(m_events[4], "0us b placed: host0:0-7");
    EXPECT_EQ(m_events.size(), 12U);
    EXPECT_TRUE(m_manager->IsDone());
}

TEST_F(ClusterManagerPolicyTest, WithoutJobsItIsDoneAtOnce)
{
    Make(CreateObject<NoneScheduler>(), CreateObject<ConsolidatePlacement>());
    Run();
    EXPECT_TRUE(m_manager->IsDone());
    EXPECT_EQ(Simulator::Now().GetPicoSeconds(), 0);
}

} // namespace
} // namespace ns3
