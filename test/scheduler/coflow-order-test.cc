/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/sincronia/coflow-order.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace ns3
{
namespace
{

/// A flow of a coflow through one big switch of unit rates.
struct SwitchFlow
{
    uint32_t in;
    uint32_t out;
    double size;
};

using Coflow = std::vector<SwitchFlow>;

/// Demands on ports: ingress ports first, then egress.
CoflowDemands
GetDemands(const std::vector<Coflow>& coflows, uint32_t ports)
{
    CoflowDemands demands(coflows.size(), std::vector<double>(2 * ports, 0));
    for (size_t c = 0; c < coflows.size(); c++)
    {
        for (const SwitchFlow& flow : coflows[c])
        {
            demands[c][flow.in] += flow.size;
            demands[c][ports + flow.out] += flow.size;
        }
    }
    return demands;
}

/// Mean completion time with flows served greedily in the order of their coflows (by index in a
/// coflow), each at full rate where both its ports are free.
double
GetMeanCompletion(std::vector<Coflow> coflows, const std::vector<uint32_t>& order, uint32_t ports)
{
    double now = 0;
    double sum = 0;
    std::vector<double> ends(coflows.size(), 0);
    while (true)
    {
        std::vector<bool> busy(2 * ports, false);
        std::vector<std::pair<uint32_t, SwitchFlow*>> served;
        double step = std::numeric_limits<double>::infinity();
        for (const uint32_t c : order)
        {
            for (SwitchFlow& flow : coflows[c])
            {
                if (flow.size > 1e-9 && !busy[flow.in] && !busy[ports + flow.out])
                {
                    busy[flow.in] = busy[ports + flow.out] = true;
                    served.emplace_back(c, &flow);
                    step = std::min(step, flow.size);
                }
            }
        }
        if (served.empty())
        {
            break;
        }
        now += step;
        for (const auto& [c, flow] : served)
        {
            flow->size -= step;
            ends[c] = now;
        }
    }
    for (const double end : ends)
    {
        sum += end;
    }
    return sum / static_cast<double>(coflows.size());
}

TEST(BssiOrderTest, WorkedExample)
{
    // schedulers.md 4 (C16): 2 x 2 switch; A 0->0 2; B 0->1 1 and 1->0 1; C 1->1 3. Ports 3, 4, 3,
    // 4: of in1 C goes last (1/3 < 1), then of in0 A (1/2 < 2/3), B is first.
    const std::vector<Coflow> coflows{{{0, 0, 2}}, {{0, 1, 1}, {1, 0, 1}}, {{1, 1, 3}}};
    const std::vector<uint32_t> order = GetBssiOrder(GetDemands(coflows, 2));
    EXPECT_EQ(order, (std::vector<uint32_t>{1, 0, 2}));
    // Completion times 1, 3, 4; every order that does not begin with B gives 3.
    EXPECT_NEAR(GetMeanCompletion(coflows, order, 2), 8.0 / 3, 1e-12);
    EXPECT_NEAR(GetMeanCompletion(coflows, {0, 1, 2}, 2), 3, 1e-12);
    EXPECT_NEAR(GetMeanCompletion(coflows, {2, 0, 1}, 2), 3, 1e-12);
}

TEST(BssiOrderTest, CoflowsWithoutDemandOnTheBottleneck)
{
    // Without the guard 1 / 0 would be compared. Port 0: 5 of coflow 0 only.
    EXPECT_EQ(GetBssiOrder({{5, 0}, {0, 1}, {0, 1}}), (std::vector<uint32_t>{1, 2, 0}));
    EXPECT_EQ(GetBssiOrder({{0, 0}, {0, 0}}), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(GetBssiOrder({{}, {}}), (std::vector<uint32_t>{0, 1}));
    EXPECT_TRUE(GetBssiOrder({}).empty());
    // One port: the shortest first.
    EXPECT_EQ(GetBssiOrder({{3}, {1}, {2}}), (std::vector<uint32_t>{1, 2, 0}));
}

TEST(BssiOrderTest, WeightsShrinkByWhatTheLastOnePays)
{
    // Port 0 has 3, port 1 has 2: B goes last (1/2 < 1/1) and takes 1/2 x 1 from the weight of A.
    // Port 1 has 2 then, port 0 only 1: A goes last (1/2 < 1). With its whole weight A would tie
    // with C and go first.
    EXPECT_EQ(GetBssiOrder({{1, 1}, {2, 0}, {0, 1}}), (std::vector<uint32_t>{2, 0, 1}));
}

namespace
{

/// Bottleneck-select-scale-iterate as in Sincronia, Algorithm 1, on whole demands: who goes last on
/// the busiest port is the one of the least weight for its demand there.
std::vector<uint32_t>
SelectScaleIterate(const std::vector<std::vector<double>>& demands)
{
    std::vector<uint32_t> left(demands.size());
    std::iota(left.begin(), left.end(), 0);
    std::vector<long double> weights(demands.size(), 1);
    std::vector<uint32_t> order;
    while (!left.empty())
    {
        std::vector<long double> loads(demands[0].size(), 0);
        for (const uint32_t c : left)
        {
            for (size_t port = 0; port < loads.size(); port++)
            {
                loads[port] += demands[c][port];
            }
        }
        const auto port = std::max_element(loads.begin(), loads.end()) - loads.begin();
        long double least = std::numeric_limits<long double>::infinity();
        uint32_t last = left.back();
        for (const uint32_t c : left)
        {
            const long double ratio = demands[c][port] > 0 ? weights[c] / demands[c][port] : 2e9L;
            if (ratio <= least + 1e-12L)
            {
                least = std::min(least, ratio);
                last = c;
            }
        }
        for (const uint32_t c : left)
        {
            weights[c] -= c == last ? 0 : weights[last] * demands[c][port] / demands[last][port];
        }
        order.insert(order.begin(), last);
        left.erase(std::find(left.begin(), left.end(), last));
    }
    return order;
}

} // namespace

TEST(BssiOrderTest, AsAnIndependentAlgorithm)
{
    for (uint64_t number = 0; number < 300; number++)
    {
        uint64_t count = 0;
        const auto random = [number, &count](uint64_t n) {
            return CounterRandom(5, number, count++) % n;
        };
        CoflowDemands demands(2 + random(5), std::vector<double>(1 + random(4)));
        for (std::vector<double>& demand : demands)
        {
            demand.resize(demands[0].size());
            for (double& bytes : demand)
            {
                bytes = static_cast<double>(1 + random(9));
            }
        }
        EXPECT_EQ(GetBssiOrder(demands), SelectScaleIterate(demands)) << number;
    }
}

TEST(BssiOrderTest, RoundingDecidesNothing)
{
    // Equal coflows, but for the last bit of their demands: the dual update leaves weights that are
    // 0 but for rounding.
    for (const double demand : {1.0, 0.1, 3.7, 1e-6})
    {
        const double more = std::nextafter(demand, 1e9);
        const double less = std::nextafter(demand, 0);
        const std::vector<uint32_t> order = GetBssiOrder({{demand}, {demand}, {demand}, {demand}});
        for (const CoflowDemands& demands : {CoflowDemands{{more}, {demand}, {demand}, {less}},
                                             CoflowDemands{{less}, {more}, {demand}, {demand}},
                                             CoflowDemands{{demand}, {less}, {more}, {demand}},
                                             CoflowDemands{{demand}, {demand}, {less}, {more}}})
        {
            EXPECT_EQ(GetBssiOrder(demands), order) << demand;
        }
    }
}

TEST(BssiOrderTest, NearTheBestPermutation)
{
    // schedulers.md 4: 300 random 3 x 3 instances, mean 1.027, worst 1.23; proven: 4.
    constexpr int CASES = 300;
    double sum = 0;
    double worst = 1;
    for (uint64_t number = 0; number < CASES; number++)
    {
        uint64_t count = 0;
        const auto random = [number, &count](uint64_t n) {
            return CounterRandom(3, number, count++) % n;
        };
        std::vector<Coflow> coflows(3 + random(3));
        for (Coflow& coflow : coflows)
        {
            const uint64_t flows = 1 + random(4);
            for (uint64_t i = 0; i < flows; i++)
            {
                coflow.push_back({static_cast<uint32_t>(random(3)),
                                  static_cast<uint32_t>(random(3)),
                                  static_cast<double>(1 + random(9))});
            }
        }
        const double got = GetMeanCompletion(coflows, GetBssiOrder(GetDemands(coflows, 3)), 3);
        std::vector<uint32_t> order(coflows.size());
        std::iota(order.begin(), order.end(), 0);
        double best = got;
        do
        {
            best = std::min(best, GetMeanCompletion(coflows, order, 3));
        } while (std::next_permutation(order.begin(), order.end()));
        sum += got / best;
        worst = std::max(worst, got / best);
    }
    RecordProperty("mean_ratio", std::to_string(sum / CASES));
    RecordProperty("worst_ratio", std::to_string(worst));
    EXPECT_LE(sum / CASES, 1.05);
    EXPECT_LE(worst, 1.5);
}

TEST(CoflowDemandsTest, NicsAndUplinks)
{
    // Two leaves with two uplinks of 4 Gb/s, NICs of 8 Gb/s.
    const ClusterTopology topology = MakeLeafSpine(2, 2, 8, 2, 8'000'000'000, 4'000'000'000);
    const FakePathOracle oracle(topology);
    ClusterView view = MakeView(topology, oracle);
    view.jobs = {MakeJob(0, 1, 1), MakeJob(1, 1, 1)};
    AddFlow(topology, view.jobs[0], "host0", "host2", 1'000'000'000);
    AddFlow(topology, view.jobs[0], "host0", "host1", 500'000'000);
    AddFlow(topology, view.jobs[1], "host1", "host3", 2'000'000'000);
    CandidatePaths paths(oracle);
    const JobRanking ranking = JobRanking::Make(view, paths);
    // host0 out 1.5 s, host1 in .5 s, out 0, host2 in 1 s; host1 out 2 s, host3 in 2 s.
    CoflowDemands demands = GetCoflowDemands(view, paths, ranking, false);
    std::sort(demands[0].begin(), demands[0].end());
    std::sort(demands[1].begin(), demands[1].end());
    EXPECT_EQ(demands[0], (std::vector<double>{0, 0, 0.5, 1, 1.5}));
    EXPECT_EQ(demands[1], (std::vector<double>{0, 0, 0, 2, 2}));
    // On the uplinks half of 1 GB and of 2 GB at 4 Gb/s, up and down.
    demands = GetCoflowDemands(view, paths, ranking, true);
    std::sort(demands[0].begin(), demands[0].end());
    std::sort(demands[1].begin(), demands[1].end());
    EXPECT_EQ(demands[0], (std::vector<double>{0, 0, 0.5, 1, 1, 1, 1, 1, 1.5}));
    EXPECT_EQ(demands[1], (std::vector<double>{0, 0, 0, 2, 2, 2, 2, 2, 2}));
}

} // namespace
} // namespace ns3
