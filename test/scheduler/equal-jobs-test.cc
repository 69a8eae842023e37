/* SPDX-License-Identifier: GPL-2.0-only */

// Equal jobs: no decision depends on rounding. Any strict order of them beats a shared level.

#include "../../model/base/ties.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/communication-scheduler.h"
#include "ns3/object-factory.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3
{
namespace
{

constexpr uint64_t GBPS = 1'000'000'000;

/// Schedulers of the module that order jobs, and those that do not.
std::vector<TypeId>
GetSchedulers()
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(CommunicationScheduler::GetTypeId()) && type.HasConstructor() &&
            type.GetGroupName() == "GpuFabric")
        {
            types.push_back(type);
        }
    }
    return types;
}

/// n equal jobs with one flow each from host0 to host1, of a compute time [ps]; the last arrived
/// first if reversed.
class EqualJobs
{
  public:
    EqualJobs(uint32_t n, int64_t computePs, bool reversed)
    {
        for (uint32_t job = 0; job < n; ++job)
        {
            m_view.jobs.push_back(MakeJob(job, 1e12, computePs));
            m_view.jobs.back().arrivalPs = reversed ? n - job : job;
            AddFlow(m_topology, m_view.jobs.back(), "host0", "host1", 100'000'000);
        }
    }

    std::vector<uint32_t> Decide(TypeId type) const
    {
        ObjectFactory factory;
        factory.SetTypeId(type);
        const ScheduleDecision decision = factory.Create<CommunicationScheduler>()->Decide(m_view);
        std::vector<uint32_t> levels;
        for (const JobDecision& job : decision.jobs)
        {
            levels.push_back(job.level);
        }
        return levels;
    }

  private:
    const ClusterTopology m_topology = MakeLeafSpine(1, 2, 8, 0, 8 * GBPS, 0);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle);
};

/// Compute times that are no round numbers, from 0.1 ms to 4 s.
int64_t
GetComputePs(int64_t k)
{
    return 100'000'000 + k * k * 24'999'991 + k * 1'000'003;
}

TEST(EqualJobsTest, LevelsDoNotDependOnTheComputeTime)
{
    for (const TypeId& type : GetSchedulers())
    {
        for (uint32_t n : {2u, 3u})
        {
            const std::vector<uint32_t> first = EqualJobs(n, GetComputePs(0), false).Decide(type);
            for (int64_t k = 1; k < 400; ++k)
            {
                ASSERT_EQ(EqualJobs(n, GetComputePs(k), false).Decide(type), first)
                    << type.GetName() << ", compute " << GetComputePs(k) << " ps";
            }
        }
    }
}

TEST(EqualJobsTest, AStrictOrderByArrival)
{
    for (const char* name : {"ns3::GpuIntensityScheduler",
                             "ns3::CruxScheduler",
                             "ns3::SincroniaScheduler",
                             "ns3::VarysScheduler",
                             "ns3::SrsfScheduler"})
    {
        const TypeId type = TypeId::LookupByName(name);
        for (uint32_t n : {2u, 3u})
        {
            std::vector<uint32_t> levels = EqualJobs(n, GetComputePs(7), false).Decide(type);
            EXPECT_EQ(std::set<uint32_t>(levels.begin(), levels.end()).size(), n) << name;
            EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end())) << name;
        }
    }
    for (const char* name : {"ns3::GpuIntensityScheduler", "ns3::CruxScheduler"})
    {
        EXPECT_EQ(EqualJobs(3, GetComputePs(7), true).Decide(TypeId::LookupByName(name)),
                  (std::vector<uint32_t>{2, 1, 0}))
            << name;
    }
}

TEST(TiesTest, RoundingDecidesNothing)
{
    EXPECT_FALSE(IsAbove(1.0000000000000002, 1));
    EXPECT_FALSE(IsAbove(1, 1));
    EXPECT_FALSE(IsAbove(0, 0));
    EXPECT_TRUE(IsAbove(1.000001, 1));
    EXPECT_TRUE(IsAbove(-1, -1.000001));
    EXPECT_TRUE(IsAbove(1e-30, 0));
    // 3 and 2.9999999999 are a group, in which the rule decides: the greater second first.
    std::vector<std::pair<double, int>> items{{1, 0}, {3, 1}, {2.9999999999, 2}, {2, 3}};
    SortWithTies(
        items,
        [](const auto& item) { return item.first; },
        [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<int> order;
    for (const auto& item : items)
    {
        order.push_back(item.second);
    }
    EXPECT_EQ(order, (std::vector<int>{2, 1, 3, 0}));
}

} // namespace
} // namespace ns3
