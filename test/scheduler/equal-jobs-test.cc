/* SPDX-License-Identifier: GPL-2.0-only */

// Equal jobs: no decision depends on rounding. Any strict order of them beats a shared level.

#include "../../model/base/ties.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/communication-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
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

    /// Makes the work of each job greater than that of the one before by the least that a number
    /// can be, so that the last has the greatest intensity.
    void AddRounding()
    {
        for (size_t job = 1; job < m_view.jobs.size(); ++job)
        {
            m_view.jobs[job].flop = std::nextafter(m_view.jobs[job - 1].flop, 2e12);
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
    const char* const names[] = {"ns3::GpuIntensityScheduler",
                                 "ns3::CruxScheduler",
                                 "ns3::SincroniaScheduler",
                                 "ns3::VarysScheduler",
                                 "ns3::SrsfScheduler",
                                 "ns3::Las2DScheduler"};
    for (const char* name : names)
    {
        const TypeId type = TypeId::LookupByName(name);
        for (uint32_t n : {2u, 3u})
        {
            std::vector<uint32_t> levels = EqualJobs(n, GetComputePs(7), false).Decide(type);
            EXPECT_EQ(std::set<uint32_t>(levels.begin(), levels.end()).size(), n) << name;
            EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end())) << name;
        }
    }
    for (const char* name : names)
    {
        EXPECT_EQ(EqualJobs(3, GetComputePs(7), true).Decide(TypeId::LookupByName(name)),
                  (std::vector<uint32_t>{2, 1, 0}))
            << name;
    }
}

TEST(EqualJobsTest, IntensitiesApartByRoundingAreEqual)
{
    for (const TypeId& type : GetSchedulers())
    {
        for (uint32_t n : {2u, 3u})
        {
            EqualJobs jobs(n, GetComputePs(7), false);
            const std::vector<uint32_t> levels = jobs.Decide(type);
            jobs.AddRounding();
            EXPECT_EQ(jobs.Decide(type), levels) << type.GetName();
        }
    }
}

/// n equal jobs, each with flows between leaves that have four paths, a compute time of k steps and
/// proportional bytes: the same jobs in another unit of time.
class ScaledJobs
{
  public:
    ScaledJobs(uint32_t n, uint64_t k)
    {
        for (uint32_t job = 0; job < n; ++job)
        {
            m_view.jobs.push_back(MakeJob(job, 1e12, static_cast<int64_t>(k) * 30'000'000));
            m_view.jobs.back().arrivalPs = job;
            for (uint32_t flow = 0; flow < 3; ++flow)
            {
                AddFlow(m_topology,
                        m_view.jobs.back(),
                        "host" + std::to_string(flow),
                        "host" + std::to_string(3 + flow),
                        k * (flow + 1) * 10'007);
            }
            for (FlowView& flow : m_view.jobs.back().flows)
            {
                flow.path = m_oracle.GetPaths(flow.sourceNic, flow.destinationNic).at(0);
            }
        }
    }

    /// Levels, paths and the shifts as shares of the compute time in 1/10000.
    std::vector<std::vector<LinkPath>> Decide(const ObjectFactory& factory, uint64_t k) const
    {
        const ScheduleDecision decision = factory.Create<CommunicationScheduler>()->Decide(m_view);
        std::vector<std::vector<LinkPath>> result;
        for (const JobDecision& job : decision.jobs)
        {
            const double shift = 1e4 * static_cast<double>(job.shiftPs) / (3e7 * k);
            result.push_back(job.paths);
            result.back().push_back({job.level, static_cast<uint32_t>(std::lround(shift))});
        }
        return result;
    }

  private:
    const ClusterTopology m_topology = MakeLeafSpine(2, 3, 8, 4, 8 * GBPS, 5 * GBPS);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle);
};

TEST(EqualJobsTest, DecisionsDoNotDependOnTheUnitOfTime)
{
    std::vector<ObjectFactory> factories;
    for (const TypeId& type : GetSchedulers())
    {
        factories.emplace_back(type.GetName());
    }
    for (const char* load : {"peak-rate", "volume", "intensity"})
    {
        factories.emplace_back("ns3::CruxPsPaScheduler");
        factories.back().Set("Load", StringValue(load));
    }
    for (const ObjectFactory& factory : factories)
    {
        for (uint32_t n : {2u, 3u})
        {
            const auto first = ScaledJobs(n, 1000).Decide(factory, 1000);
            for (uint64_t k = 1; k < 400; ++k)
            {
                const uint64_t scale = 1000 + k * k * 17 + k;
                ASSERT_EQ(ScaledJobs(n, scale).Decide(factory, scale), first)
                    << factory << ", " << n << " jobs, scale " << scale;
            }
        }
    }
}

// Flows of 3, 2, 1 and 1 parts over two paths: the first takes 3, the second 2 + 1, and for the
// last both are as good but for what rounding to bit/s makes of the parts. It takes the first.
void
ExpectTheFirstOfEqualPaths(const ObjectFactory& factory)
{
    const ClusterTopology topology = MakeLeafSpine(2, 4, 8, 2, 8 * GBPS, 8 * GBPS);
    const FakePathOracle oracle{topology};
    const Ptr<CommunicationScheduler> scheduler = factory.Create<CommunicationScheduler>();
    for (uint64_t part = 10'000'000; part < 30'000'000; part += 50'021)
    {
        ClusterView view = MakeView(topology, oracle);
        view.jobs.push_back(MakeJob(0, 1e12, 299'999'999'993));
        const uint64_t parts[] = {3, 2, 1, 1};
        for (uint32_t flow = 0; flow < 4; ++flow)
        {
            AddFlow(topology,
                    view.jobs[0],
                    "host" + std::to_string(flow),
                    "host" + std::to_string(4 + flow),
                    parts[flow] * part);
        }
        const std::vector<LinkPath> paths = scheduler->Decide(view).jobs[0].paths;
        ASSERT_EQ(paths.size(), 4U);
        const auto index = [&](uint32_t flow) {
            const std::vector<LinkPath> all =
                oracle.GetPaths(view.jobs[0].flows[flow].sourceNic,
                                view.jobs[0].flows[flow].destinationNic);
            return std::find(all.begin(), all.end(), paths[flow]) - all.begin();
        };
        ASSERT_EQ(index(0), 0) << part;
        ASSERT_EQ(index(1), 1) << part;
        ASSERT_EQ(index(2), 1) << part;
        ASSERT_EQ(index(3), 0) << part;
    }
}

TEST(EqualPathsTest, OfEqualOnesTheFirst)
{
    ExpectTheFirstOfEqualPaths(ObjectFactory("ns3::CruxPsPaScheduler"));
}

TEST(EqualPathsTest, TheSameUnderOtherLoads)
{
    for (const char* load : {"peak-rate", "volume", "intensity"})
    {
        SCOPED_TRACE(load);
        ObjectFactory factory("ns3::CruxPsPaScheduler");
        factory.Set("Load", StringValue(load));
        ExpectTheFirstOfEqualPaths(factory);
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
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(IsAbove(infinity, 1));
    EXPECT_TRUE(IsAbove(1, -infinity));
    EXPECT_FALSE(IsAbove(infinity, infinity));
    EXPECT_EQ(FindGreatest({1, 2, std::nextafter(2., 3.), 0}), 1U);
    EXPECT_EQ(FindGreatest({-3}), 0U);
    EXPECT_EQ(FindGreatest({1, 2, 3}), 2U);
    EXPECT_EQ(RoundWithTies(108.5), 109);
    EXPECT_EQ(RoundWithTies(std::nextafter(108.5, 0.)), 109);
    EXPECT_EQ(RoundWithTies(108.4999), 108);
    EXPECT_EQ(RoundWithTies(0), 0);
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
