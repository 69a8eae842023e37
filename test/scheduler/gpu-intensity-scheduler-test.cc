/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/crux/gpu-intensity-scheduler.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/boolean.h"
#include "ns3/counter-random.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <tuple>

namespace ns3
{
namespace
{

constexpr uint64_t GBPS = 1'000'000'000;
constexpr int64_t SECOND = 1'000'000'000'000;

Ptr<GpuIntensityScheduler>
MakeScheduler(uint32_t levels, bool selectPaths, bool loadByVolume = false)
{
    Ptr<GpuIntensityScheduler> scheduler = CreateObject<GpuIntensityScheduler>();
    scheduler->SetAttribute("Levels", UintegerValue(levels));
    scheduler->SetAttribute("SelectPaths", BooleanValue(selectPaths));
    scheduler->SetAttribute("LoadByVolume", BooleanValue(loadByVolume));
    return scheduler;
}

std::vector<uint32_t>
GetLevels(const ScheduleDecision& decision)
{
    std::vector<uint32_t> levels;
    for (const JobDecision& job : decision.jobs)
    {
        levels.push_back(job.level);
    }
    return levels;
}

/// Index of the decided path of a flow among its candidates.
size_t
GetPathIndex(const ClusterView& view, const ScheduleDecision& decision, size_t job, size_t flow)
{
    const FlowView& flowView = view.jobs[job].flows[flow];
    const auto paths = view.paths->GetPaths(flowView.sourceNic, flowView.destinationNic);
    return std::find(paths.begin(), paths.end(), decision.jobs[job].paths.at(flow)) - paths.begin();
}

/// Jobs with one flow each from host0 to host1 of one switch.
class GpuIntensitySchedulerTest : public testing::Test
{
  protected:
    void Add(double flop, int64_t computePs, uint64_t bytes)
    {
        m_view.jobs.push_back(MakeJob(static_cast<uint32_t>(m_view.jobs.size()), flop, computePs));
        if (bytes > 0)
        {
            AddFlow(m_topology, m_view.jobs.back(), "host0", "host1", bytes);
        }
    }

    const ClusterTopology m_topology = MakeLeafSpine(1, 2, 8, 0, 8 * GBPS, 0);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle);
};

TEST_F(GpuIntensitySchedulerTest, HigherIntensityFirst)
{
    // schedulers.md C11: J1 W=10, C=1, t=1 (I=10); J2 W=10, C=1, t=2 (I=5); J1 first is best.
    Add(10, SECOND, 1'000'000'000);
    Add(10, SECOND, 2'000'000'000);
    ScheduleDecision decision = MakeScheduler(0, false)->Decide(m_view);
    EXPECT_EQ(decision.Validate(m_view), "");
    EXPECT_EQ(GetLevels(decision), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(decision.jobs[0].inputs,
              R"({"W":10,"t_s":1,"I":10,"bytes":1000000000,"rank":0,"levels":6,"links":2,)"
              R"("heaviest_links":{"host0-leaf0":{"bytes":1e+09,"bps":8000000000},)"
              R"("leaf0-host1":{"bytes":1e+09,"bps":8000000000}}})");
    EXPECT_NE(decision.jobs[1].inputs.find(R"("t_s":2,"I":5,)"), std::string::npos);
    EXPECT_EQ(decision.jobs[0].reason, "rank 1 of 2 by GPU intensity: a level of its own");
    EXPECT_TRUE(decision.jobs[0].paths.empty());
    EXPECT_TRUE(decision.jobs[0].fallbacks.empty());

    std::swap(m_view.jobs[0].flows, m_view.jobs[1].flows);
    decision = MakeScheduler(0, false)->Decide(m_view);
    EXPECT_EQ(GetLevels(decision), (std::vector<uint32_t>{1, 0}));
}

TEST_F(GpuIntensitySchedulerTest, ComputeTimeDoesNotCount)
{
    // schedulers.md C12: J1 C=1, t=.5; J2 C=.5, t=.5; with W = C, I is 2 and 1.
    Add(0.5, SECOND / 2, 500'000'000);
    Add(1, SECOND, 500'000'000);
    EXPECT_EQ(GetLevels(MakeScheduler(0, false)->Decide(m_view)), (std::vector<uint32_t>{1, 0}));
    m_view.jobs[1].computePs = 100 * SECOND;
    EXPECT_EQ(GetLevels(MakeScheduler(0, false)->Decide(m_view)), (std::vector<uint32_t>{1, 0}));
}

TEST_F(GpuIntensitySchedulerTest, TiesGoToMoreBytesThenToTheFirst)
{
    Add(10, SECOND, 1'000'000'000);
    Add(10, SECOND, 1'000'000'000);
    Add(20, SECOND, 2'000'000'000);
    EXPECT_EQ(GetLevels(MakeScheduler(0, false)->Decide(m_view)), (std::vector<uint32_t>{1, 2, 0}));
}

TEST_F(GpuIntensitySchedulerTest, JobsBeyondTheLevelsShareTheLowest)
{
    // I = 1, 4, 3, 2, 5.
    for (const double flop : {1, 4, 3, 2, 5})
    {
        Add(flop, SECOND, 1'000'000'000);
    }
    EXPECT_EQ(GetLevels(MakeScheduler(0, false)->Decide(m_view)),
              (std::vector<uint32_t>{4, 1, 2, 3, 0}));
    EXPECT_EQ(GetLevels(MakeScheduler(3, false)->Decide(m_view)),
              (std::vector<uint32_t>{2, 1, 2, 2, 0}));
    EXPECT_EQ(GetLevels(MakeScheduler(1, false)->Decide(m_view)),
              (std::vector<uint32_t>{0, 0, 0, 0, 0}));
    m_view.priorityLevels = 2;
    EXPECT_EQ(GetLevels(MakeScheduler(0, false)->Decide(m_view)),
              (std::vector<uint32_t>{1, 1, 1, 1, 0}));
}

TEST_F(GpuIntensitySchedulerTest, MoreLevelsThanThereAreIsAFallback)
{
    Add(1, SECOND, 1'000'000'000);
    Add(2, SECOND, 1'000'000'000);
    Add(3, SECOND, 1'000'000'000);
    m_view.priorityLevels = 2;
    const ScheduleDecision decision = MakeScheduler(8, false)->Decide(m_view);
    EXPECT_EQ(GetLevels(decision), (std::vector<uint32_t>{1, 1, 0}));
    EXPECT_EQ(decision.jobs[0].fallbacks,
              std::vector<std::string>{
                  "Levels is 8, but the fabric has 2 data priorities: these are used"});
    EXPECT_TRUE(decision.jobs[1].fallbacks.empty());
    m_view.jobs.clear();
    EXPECT_TRUE(MakeScheduler(8, false)->Decide(m_view).jobs.empty());
}

TEST_F(GpuIntensitySchedulerTest, JobsWithoutTrafficTakeTheLowestLevel)
{
    Add(1, SECOND, 0);
    Add(2, SECOND, 1'000'000'000);
    Add(3, SECOND, 1'000'000'000);
    const ScheduleDecision decision = MakeScheduler(4, true)->Decide(m_view);
    EXPECT_EQ(GetLevels(decision), (std::vector<uint32_t>{3, 1, 0}));
    EXPECT_EQ(decision.jobs[0].reason,
              "without network traffic a job needs no priority: the lowest level");
    EXPECT_NE(decision.jobs[0].inputs.find(R"("t_s":0,"I":null,"bytes":0)"), std::string::npos);
    // A single path is no choice.
    EXPECT_TRUE(decision.jobs[2].paths.empty());
}

/// Hosts host0 to host3 under leaf0, host4 to host7 under leaf1, two uplinks of 8 Gb/s.
class GpuIntensityPathsTest : public testing::Test
{
  protected:
    JobView& Add(double flop, int64_t computePs)
    {
        return m_view.jobs.emplace_back(
            MakeJob(static_cast<uint32_t>(m_view.jobs.size()), flop, computePs));
    }

    const ClusterTopology m_topology = MakeLeafSpine(2, 4, 8, 2, 8 * GBPS, 8 * GBPS);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle);
};

TEST_F(GpuIntensityPathsTest, SeparatesTwoJobs)
{
    // schedulers.md C12: with two uplinks ECMP collides with probability 1/2.
    AddFlow(m_topology, Add(1, SECOND), "host0", "host4", 500'000'000);
    AddFlow(m_topology, Add(0.5, SECOND / 2), "host1", "host5", 500'000'000);
    const ScheduleDecision decision = MakeScheduler(0, true)->Decide(m_view);
    EXPECT_EQ(decision.Validate(m_view), "");
    EXPECT_EQ(GetPathIndex(m_view, decision, 0, 0), 0U);
    EXPECT_EQ(GetPathIndex(m_view, decision, 1, 0), 1U);
    // J1 offers 4 Gbit / 1 s, J2 4 Gbit / 0.5 s: on spine0 (4 + 8) / 8, on spine1 8 / 8.
    EXPECT_EQ(decision.jobs[1].pathInputs[0],
              R"({"bytes":500000000,"load":8000000000,"paths":2,"index":1,"max":1,"sum":0,)"
              R"("next_index":0,"next_max":1.5,"next_sum":1,"load_before":{"host1-leaf0":0,)"
              R"("leaf0-spine1":0,"spine1-leaf1":0,"leaf1-host5":0}})");
    EXPECT_EQ(decision.jobs[1].pathReason, "least congested of the equal-cost paths");
    EXPECT_TRUE(MakeScheduler(0, false)->Decide(m_view).jobs[0].paths.empty());
}

TEST(GpuIntensityPathLoadTest, TheBusiestLinkCountsBeforeTheSum)
{
    // Four leaves of 4 hosts. On spine0, leaf0 up has 3 and leaf1 down nothing, on spine1 both have
    // 2: from leaf0 to leaf1, 1 more makes 4 or 3 of the busiest link, where the sums are 3 and 4.
    const ClusterTopology topology = MakeLeafSpine(4, 4, 8, 2, 8 * GBPS, 8 * GBPS);
    const FakePathOracle oracle{topology};
    ClusterView view = MakeView(topology, oracle);
    JobView& job = view.jobs.emplace_back(MakeJob(0, 1, SECOND));
    const uint64_t unit = 100'000'000;
    AddFlow(topology, job, "host8", "host12", 4 * unit); // leaf2 to leaf3 on spine0
    AddFlow(topology, job, "host0", "host9", 3 * unit);  // leaf0 to leaf2 on spine0
    AddFlow(topology, job, "host1", "host13", 2 * unit); // leaf0 to leaf3 on spine1
    AddFlow(topology, job, "host10", "host4", 2 * unit); // leaf2 to leaf1 on spine1
    AddFlow(topology, job, "host2", "host5", unit);
    const ScheduleDecision decision = MakeScheduler(0, true)->Decide(view);
    const std::vector<size_t> expected{0, 0, 1, 1, 1};
    for (size_t flow = 0; flow < expected.size(); flow++)
    {
        EXPECT_EQ(GetPathIndex(view, decision, 0, flow), expected[flow]) << flow;
    }
}

TEST_F(GpuIntensityPathsTest, LargestFlowFirst)
{
    JobView& job = Add(1, SECOND);
    AddFlow(m_topology, job, "host0", "host4", 100'000'000);
    AddFlow(m_topology, job, "host1", "host5", 200'000'000);
    AddFlow(m_topology, job, "host2", "host6", 300'000'000);
    const ScheduleDecision decision = MakeScheduler(0, true)->Decide(m_view);
    // 300 to path 0, 200 to path 1, 100 to path 1 (300 < 400); in index order it were 400 and 200.
    EXPECT_EQ(GetPathIndex(m_view, decision, 0, 2), 0U);
    EXPECT_EQ(GetPathIndex(m_view, decision, 0, 1), 1U);
    EXPECT_EQ(GetPathIndex(m_view, decision, 0, 0), 1U);
}

TEST_F(GpuIntensityPathsTest, IntenseJobsChooseFirst)
{
    AddFlow(m_topology, Add(1, SECOND), "host0", "host4", 500'000'000);
    AddFlow(m_topology, Add(9, SECOND), "host1", "host5", 500'000'000);
    const ScheduleDecision decision = MakeScheduler(0, true)->Decide(m_view);
    EXPECT_EQ(GetPathIndex(m_view, decision, 0, 0), 1U);
    EXPECT_EQ(GetPathIndex(m_view, decision, 1, 0), 0U);
}

TEST_F(GpuIntensityPathsTest, LoadIsRateOrVolume)
{
    // Rates 0.8, 4 and 4 Gb/s; volumes 0.8, 0.4 and 0.08 Gbit; I = 100, 50, 10.
    AddFlow(m_topology, Add(10, SECOND), "host0", "host4", 100'000'000);
    AddFlow(m_topology, Add(2.5, SECOND / 10), "host1", "host5", 50'000'000);
    AddFlow(m_topology, Add(0.1, SECOND / 50), "host2", "host6", 10'000'000);
    const ScheduleDecision byRate = MakeScheduler(0, true, false)->Decide(m_view);
    // Third: (0.8 + 4) / 8 on path 0, (4 + 4) / 8 on path 1.
    EXPECT_EQ(GetPathIndex(m_view, byRate, 0, 0), 0U);
    EXPECT_EQ(GetPathIndex(m_view, byRate, 1, 0), 1U);
    EXPECT_EQ(GetPathIndex(m_view, byRate, 2, 0), 0U);
    const ScheduleDecision byVolume = MakeScheduler(0, true, true)->Decide(m_view);
    // Third: 0.88 Gbit on path 0, 0.48 on path 1.
    EXPECT_EQ(GetPathIndex(m_view, byVolume, 0, 0), 0U);
    EXPECT_EQ(GetPathIndex(m_view, byVolume, 1, 0), 1U);
    EXPECT_EQ(GetPathIndex(m_view, byVolume, 2, 0), 1U);
}

TEST_F(GpuIntensityPathsTest, BoundByTheNetworkThePeriodIsTheLinkTime)
{
    // Compute of 0.1 s, but 0.5 s on the NIC: 4 Gbit / 0.5 s.
    AddFlow(m_topology, Add(1, SECOND / 10), "host0", "host4", 500'000'000);
    const ScheduleDecision decision = MakeScheduler(0, true)->Decide(m_view);
    EXPECT_NE(decision.jobs[0].pathInputs[0].find(R"("load":8000000000,)"), std::string::npos);
}

TEST_F(GpuIntensityPathsTest, TakesNoNoticeOfPresentPathsAndForgetsAll)
{
    AddFlow(m_topology, Add(1, SECOND), "host0", "host4", 500'000'000);
    AddFlow(m_topology, Add(2, SECOND), "host1", "host5", 400'000'000);
    AddFlow(m_topology, m_view.jobs[1], "host2", "host6", 300'000'000);
    const Ptr<GpuIntensityScheduler> scheduler = MakeScheduler(9, true);
    const auto same = [](const ScheduleDecision& a, const ScheduleDecision& b) {
        return std::equal(a.jobs.begin(),
                          a.jobs.end(),
                          b.jobs.begin(),
                          b.jobs.end(),
                          [](const JobDecision& x, const JobDecision& y) {
                              return x.job == y.job && x.level == y.level && x.paths == y.paths &&
                                     x.inputs == y.inputs && x.reason == y.reason &&
                                     x.pathInputs == y.pathInputs && x.pathReason == y.pathReason &&
                                     x.fallbacks == y.fallbacks && x.shiftPs == y.shiftPs;
                          });
    };
    const ScheduleDecision first = scheduler->Decide(m_view);
    EXPECT_TRUE(same(first, scheduler->Decide(m_view)));

    ClusterView moved = m_view;
    moved.jobs[0].level = 3;
    moved.jobs[0].flows[0].path = first.jobs[1].paths[0];
    moved.jobs[0].flows[0].udpSourcePort = 50000;
    EXPECT_TRUE(same(first, scheduler->Decide(moved)));

    ClusterView other = m_view;
    other.jobs[0].flop = 100;
    EXPECT_FALSE(same(first, scheduler->Decide(other)));
    EXPECT_TRUE(same(first, scheduler->Decide(m_view)));
}

TEST(GpuIntensityPathLoadTest, EqualFlowsSpreadEvenly)
{
    // schedulers.md C14: with path selection the largest number of flows on a path is ceil(m / n).
    for (const auto& [flows, paths, most] : {std::make_tuple(2U, 2U, 1),
                                             {4, 4, 1},
                                             {8, 8, 1},
                                             {4, 8, 1},
                                             {8, 16, 1},
                                             {32, 16, 2},
                                             {7, 3, 3}})
    {
        const ClusterTopology topology = MakeLeafSpine(2, flows, 8, paths, 8 * GBPS, 8 * GBPS);
        const FakePathOracle oracle(topology);
        ClusterView view = MakeView(topology, oracle);
        for (uint32_t i = 0; i < flows; i++)
        {
            view.jobs.push_back(MakeJob(i, 1, SECOND));
            AddFlow(topology,
                    view.jobs.back(),
                    "host" + std::to_string(i),
                    "host" + std::to_string(flows + i),
                    1'000'000);
        }
        const ScheduleDecision decision = MakeScheduler(0, true)->Decide(view);
        std::map<size_t, int> count;
        for (uint32_t i = 0; i < flows; i++)
        {
            count[GetPathIndex(view, decision, i, 0)]++;
        }
        const auto largest =
            std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            });
        EXPECT_EQ(largest->second, most) << flows << " flows over " << paths << " paths";
    }
}

/// Smallest possible load of the fullest of n bins.
uint64_t
FindBestLoad(const std::vector<uint64_t>& sizes, uint32_t bins)
{
    uint64_t best = UINT64_MAX;
    const auto combinations = static_cast<uint64_t>(std::pow(bins, sizes.size()));
    for (uint64_t code = 0; code < combinations; code++)
    {
        std::vector<uint64_t> load(bins, 0);
        uint64_t rest = code;
        for (const uint64_t size : sizes)
        {
            load[rest % bins] += size;
            rest /= bins;
        }
        best = std::min(best, *std::max_element(load.begin(), load.end()));
    }
    return best;
}

TEST(GpuIntensityPathLoadTest, NearTheBestLoad)
{
    // Two switches with parallel cables are identical machines. List scheduling in any order is
    // within 2 - 1/n of the best (Graham, Bell System Technical Journal 45, 1966); the largest
    // first, as inside one job, within 4/3 - 1/(3n) (SIAM J. Applied Math. 17, 1969).
    double ratioSum = 0;
    double worst = 0;
    constexpr uint32_t CASES = 300;
    for (uint32_t number = 0; number < CASES; number++)
    {
        auto random = [number, count = uint64_t{0}](uint64_t low, uint64_t high) mutable {
            return low + CounterRandom(1, number, count++) % (high - low + 1);
        };
        const auto cables = static_cast<uint32_t>(random(2, 3));
        const auto flows = static_cast<uint32_t>(random(3, 7));
        const auto jobs = static_cast<uint32_t>(random(1, 3));
        ClusterTopology topology;
        const uint32_t left = topology.AddSwitch("left");
        const uint32_t right = topology.AddSwitch("right");
        const uint32_t firstCable = topology.GetPortCount();
        for (uint32_t i = 0; i < cables; i++)
        {
            topology.AddLink(left, right, 8 * GBPS, 0);
        }
        for (uint32_t i = 0; i < 2 * flows; i++)
        {
            const uint32_t host = topology.AddHost("host" + std::to_string(i), 1);
            // So fast that it never decides.
            topology.AddLink(host, i < flows ? left : right, 8000 * GBPS, 0);
        }
        const FakePathOracle oracle(topology);
        ClusterView view = MakeView(topology, oracle);
        for (uint32_t i = 0; i < jobs; i++)
        {
            view.jobs.push_back(MakeJob(i, static_cast<double>(random(1, 9)), SECOND));
        }
        std::vector<uint64_t> sizes;
        for (uint32_t i = 0; i < flows; i++)
        {
            sizes.push_back(random(1, 100) * 1'000'000);
            AddFlow(topology,
                    view.jobs[random(0, jobs - 1)],
                    "host" + std::to_string(i),
                    "host" + std::to_string(flows + i),
                    sizes.back());
        }
        const ScheduleDecision decision = MakeScheduler(0, true, true)->Decide(view);
        std::vector<uint64_t> load(topology.GetPortCount(), 0);
        for (size_t job = 0; job < jobs; job++)
        {
            for (const FlowView& flow : view.jobs[job].flows)
            {
                load[decision.jobs[job].paths.at(flow.flow).at(1)] += flow.wireBytes;
            }
        }
        const uint64_t got =
            *std::max_element(load.begin() + firstCable, load.begin() + firstCable + 2 * cables);
        EXPECT_EQ(std::accumulate(load.begin(), load.end(), uint64_t{0}),
                  std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}));
        const double ratio =
            static_cast<double>(got) / static_cast<double>(FindBestLoad(sizes, cables));
        EXPECT_GE(ratio, 1);
        EXPECT_LE(ratio, (jobs == 1 ? 4.0 / 3 - 1.0 / (3 * cables) : 2 - 1.0 / cables) + 1e-9);
        ratioSum += ratio;
        worst = std::max(worst, ratio);
    }
    RecordProperty("mean_ratio", std::to_string(ratioSum / CASES));
    RecordProperty("worst_ratio", std::to_string(worst));
}

} // namespace
} // namespace ns3
