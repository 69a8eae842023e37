/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/contention-graph.h"
#include "../fixture/flow-level-model.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/communication-scheduler.h"
#include "ns3/counter-random.h"
#include "ns3/gpu-intensity.h"
#include "ns3/level-compression.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace ns3
{
namespace
{

using Levels = std::vector<uint32_t>;
using Paths = std::vector<std::vector<LinkPath>>;

constexpr uint32_t JOBS = 5;
constexpr uint32_t LEVELS = 3;
constexpr uint32_t MOST_CHOICES = 9;
constexpr uint64_t RATE = 200'000'000'000;

/// Maps of the jobs to this many levels, each partition of the jobs once.
std::vector<Levels>
ListLevels(uint32_t levels)
{
    std::vector<Levels> result;
    const auto all = static_cast<uint64_t>(std::pow(levels, JOBS));
    for (uint64_t code = 0; code < all; code++)
    {
        Levels map;
        uint64_t rest = code;
        for (uint32_t j = 0; j < JOBS; j++)
        {
            map.push_back(static_cast<uint32_t>(rest % levels));
            rest /= levels;
        }
        bool dense = true;
        const uint32_t last = *std::max_element(map.begin(), map.end());
        for (uint32_t level = 0; level < last; level++)
        {
            dense = dense && std::find(map.begin(), map.end(), level) != map.end();
        }
        if (dense)
        {
            result.push_back(map);
        }
    }
    return result;
}

/// A small case of Crux, Figure 16: up to 20 hosts of 8 GPUs, 2 to 4 leaves, 2 spines, 5 jobs.
struct SmallCase
{
    explicit SmallCase(uint64_t number)
        : m_number(number),
          topology(MakeTopology()),
          oracle(topology),
          view(MakeView(topology, oracle, LEVELS))
    {
        do
        {
            view.jobs.clear();
            choices.clear();
            Draw();
        } while (choices.size() > MOST_CHOICES || choices.empty());
        view.seed = number;
    }

    /// The only paths of flows without a choice, and of the others by the bits of a code.
    Paths GetPaths(uint64_t code) const
    {
        Paths paths = single;
        for (size_t i = 0; i < choices.size(); i++)
        {
            const auto& [job, flow] = choices[i];
            paths[job][flow] = candidates.at(choices[i])[code >> i & 1];
        }
        return paths;
    }

    /// Those of a decision.
    Paths GetPaths(const ScheduleDecision& decision) const
    {
        Paths paths = single;
        for (const auto& [job, flow] : choices)
        {
            paths[job][flow] = decision.jobs[job].paths.at(flow);
        }
        return paths;
    }

  private:
    uint64_t m_number;
    uint64_t m_count{0};

    uint64_t Random(uint64_t low, uint64_t high)
    {
        return low + CounterRandom(16, m_number, m_count++) % (high - low + 1);
    }

    ClusterTopology MakeTopology()
    {
        const auto leaves = static_cast<uint32_t>(Random(2, 4));
        const auto perLeaf = static_cast<uint32_t>(Random(8 / leaves, 20 / leaves));
        return MakeLeafSpine(leaves, perLeaf, 8, 2, RATE, RATE);
    }

    /// Jobs on whole or half hosts anywhere, each a ring over its hosts by leaf.
    void Draw()
    {
        const uint32_t hosts = topology.GetGpuCount() / 8;
        std::vector<uint32_t> free(hosts, 2); // halves
        single.assign(JOBS, {});
        candidates.clear();
        while (view.jobs.size() < JOBS)
        {
            const auto halves = static_cast<uint32_t>(Random(1, 2));
            const uint64_t size = Random(2, 5);
            std::vector<uint32_t> chosen;
            for (uint32_t tries = 0; chosen.size() < size && tries < 100; tries++)
            {
                const auto host = static_cast<uint32_t>(Random(0, hosts - 1));
                if (free[host] >= halves &&
                    std::find(chosen.begin(), chosen.end(), host) == chosen.end())
                {
                    chosen.push_back(host);
                    free[host] -= halves;
                }
            }
            if (chosen.size() < 2)
            {
                view.jobs.clear();
                free.assign(hosts, 2);
                continue;
            }
            std::sort(chosen.begin(), chosen.end());
            // Compute .1 to 2 s, link time .2 to 2 times that, W by GPUs at 20 to 100 % of peak.
            const double compute = 0.1 * static_cast<double>(Random(1, 20));
            const double link = compute * 0.1 * static_cast<double>(Random(2, 20));
            const double flop = compute * static_cast<double>(4 * halves * chosen.size()) *
                                static_cast<double>(Random(20, 100)) * 1e12;
            const auto id = static_cast<uint32_t>(view.jobs.size());
            JobView& job = view.jobs.emplace_back(MakeJob(id, flop, std::llround(compute * 1e12)));
            job.communicationStart = 0.25 * static_cast<double>(Random(0, 4));
            for (size_t i = 0; i < chosen.size(); i++)
            {
                AddFlow(topology,
                        job,
                        "host" + std::to_string(chosen[i]),
                        "host" + std::to_string(chosen[(i + 1) % chosen.size()]),
                        std::llround(link * static_cast<double>(RATE) / 8));
            }
        }
        for (uint32_t j = 0; j < JOBS; j++)
        {
            for (const FlowView& flow : view.jobs[j].flows)
            {
                auto paths = oracle.GetPaths(flow.sourceNic, flow.destinationNic);
                single[j].push_back(paths[0]);
                if (paths.size() > 1)
                {
                    choices.emplace_back(j, flow.flow);
                    candidates[choices.back()] = paths;
                }
            }
        }
    }

  public:
    const ClusterTopology topology;
    const FakePathOracle oracle;
    ClusterView view;
    std::vector<std::pair<uint32_t, uint32_t>> choices; ///< (job, flow) with two paths
    std::map<std::pair<uint32_t, uint32_t>, std::vector<LinkPath>> candidates;
    Paths single;
};

/// Shares of the optimum that the mechanisms reach, the others being optimal.
struct Shares
{
    double paths{0};
    double priorities{0};
    double compression{0};
    double ecmp{0};      ///< random paths instead of Crux's
    double intensity{0}; ///< I instead of P
    double sincronia{0}; ///< BSSI instead of P
    double top{0};       ///< Sincronia's compression
    double balanced{0};  ///< Varys' compression
};

double
FindBest(FlowLevelModel& model, const std::vector<Levels>& maps)
{
    double best = 0;
    for (const Levels& map : maps)
    {
        best = std::max(best, model.GetRate(map));
    }
    return best;
}

/// The order of jobs of an order type, as a level each.
Levels
GetOrder(ClusterView view, const std::string& order)
{
    ObjectFactory factory("ns3::ComposedScheduler");
    factory.Set("Order", TypeIdValue(TypeId::LookupByName(order)));
    view.priorityLevels = JOBS;
    Levels levels;
    for (const JobDecision& job : factory.Create<CommunicationScheduler>()->Decide(view).jobs)
    {
        levels.push_back(job.level);
    }
    return levels;
}

/// Jobs by an order, with what they lose and the links of their paths.
std::vector<CompressibleJob>
GetCompressible(const SmallCase& small, const Levels& order, const Paths& paths)
{
    std::vector<CompressibleJob> jobs(JOBS);
    CandidatePaths candidates(small.oracle);
    for (uint32_t j = 0; j < JOBS; j++)
    {
        CompressibleJob& job = jobs[order[j]];
        const GpuIntensity intensity(small.topology, small.view.jobs[j], candidates);
        job = {j, static_cast<double>(JOBS - order[j]), intensity.GetIntensity(), {}};
        for (const LinkPath& path : paths[j])
        {
            job.links.insert(job.links.end(), path.begin(), path.end());
        }
        std::sort(job.links.begin(), job.links.end());
    }
    return jobs;
}

Levels
Compress(const std::string& type, const std::vector<CompressibleJob>& jobs)
{
    const CompressedLevels compressed =
        ObjectFactory("ns3::" + type).Create<LevelCompression>()->Compress(jobs, LEVELS, 1);
    Levels levels(JOBS);
    for (uint32_t rank = 0; rank < JOBS; rank++)
    {
        levels[jobs[rank].job] = compressed.jobs[rank].level;
    }
    return levels;
}

/// The best of the valid maps of an order.
double
FindBestCompression(FlowLevelModel& model,
                    const std::vector<CompressibleJob>& jobs,
                    const std::vector<Levels>& maps)
{
    ContentionGraph graph(JOBS);
    for (uint32_t a = 0; a < JOBS; a++)
    {
        for (uint32_t b = a + 1; b < JOBS; b++)
        {
            const bool meet =
                std::any_of(jobs[a].links.begin(), jobs[a].links.end(), [&](uint32_t link) {
                    return std::binary_search(jobs[b].links.begin(), jobs[b].links.end(), link);
                });
            if (meet)
            {
                graph.AddEdge(jobs[a].job, jobs[b].job, 1);
            }
        }
    }
    double best = 0;
    for (const Levels& map : maps)
    {
        best = graph.IsValid(map) ? std::max(best, model.GetRate(map)) : best;
    }
    return best;
}

Shares
Measure(uint64_t number, const std::vector<Levels>& maps, const std::vector<Levels>& orders)
{
    const SmallCase small(number);
    const ScheduleDecision crux =
        ObjectFactory("ns3::CruxScheduler").Create<CommunicationScheduler>()->Decide(small.view);
    const Paths cruxPaths = small.GetPaths(crux);
    FlowLevelModel cruxModel(small.view, cruxPaths);
    const double onCruxPaths = FindBest(cruxModel, maps);

    // The spines are alike: the path of one flow can be fixed.
    const uint64_t codes = uint64_t{1} << (small.choices.size() - 1);
    double best = onCruxPaths;
    Paths bestPaths = cruxPaths;
    for (uint64_t code = 0; code < codes; code++)
    {
        const Paths paths = small.GetPaths(code);
        FlowLevelModel model(small.view, paths);
        if (model.GetBound() > best * (1 + 1e-9))
        {
            const double rate = FindBest(model, maps);
            if (rate > best)
            {
                best = rate;
                bestPaths = paths;
            }
        }
    }
    Shares shares;
    shares.paths = onCruxPaths / best;
    FlowLevelModel ecmp(small.view, small.GetPaths(CounterRandom(17, number, 0)));
    shares.ecmp = FindBest(ecmp, maps) / best;

    FlowLevelModel model(small.view, bestPaths);
    const auto ordered = [&](const std::string& type) {
        return FindBestCompression(model,
                                   GetCompressible(small, GetOrder(small.view, type), bestPaths),
                                   maps) /
               best;
    };
    shares.priorities = ordered("ns3::PairwiseOrder");
    shares.intensity = ordered("ns3::IntensityOrder");
    shares.sincronia = ordered("ns3::BssiOrder");

    Levels bestOrder;
    double ofOrder = 0;
    for (const Levels& order : orders)
    {
        const double rate = model.GetRate(order);
        if (rate > ofOrder)
        {
            ofOrder = rate;
            bestOrder = order;
        }
    }
    const std::vector<CompressibleJob> jobs = GetCompressible(small, bestOrder, bestPaths);
    const double compressed = FindBestCompression(model, jobs, maps);
    shares.compression = model.GetRate(Compress("MaxCutCompression", jobs)) / compressed;
    shares.top = model.GetRate(Compress("TopCompression", jobs)) / compressed;
    shares.balanced = model.GetRate(Compress("BalancedCompression", jobs)) / compressed;
    return shares;
}

/// Prints the means of so many cases and compares them with the paper's.
void
RunCases(uint64_t cases)
{
    const std::vector<Levels> maps = ListLevels(LEVELS);
    ASSERT_EQ(maps.size(), 1U + 30 + 150); // divisions into 1, 2 and 3 levels
    std::vector<Levels> orders;
    Levels order(JOBS);
    std::iota(order.begin(), order.end(), 0);
    do
    {
        orders.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));

    Shares mean;
    const std::vector<double Shares::*> parts{&Shares::paths,
                                              &Shares::priorities,
                                              &Shares::compression,
                                              &Shares::ecmp,
                                              &Shares::intensity,
                                              &Shares::sincronia,
                                              &Shares::top,
                                              &Shares::balanced};
    for (uint64_t number = 0; number < cases; number++)
    {
        const Shares shares = Measure(number, maps, orders);
        for (const auto part : parts)
        {
            mean.*part += 100 * (shares.*part) / static_cast<double>(cases);
        }
        EXPECT_LE(shares.paths, 1 + 1e-9);
        EXPECT_LE(shares.priorities, 1 + 1e-9);
    }
    std::printf("%d cases, %% of the optimum (Crux, Figure 16: 97.69, 97.24, 97.12)\n"
                "paths       Crux %.2f  random %.2f\n"
                "priorities  Crux %.2f  intensity %.2f  BSSI %.2f\n"
                "compression Crux %.2f  Sincronia %.2f  Varys %.2f\n",
                static_cast<int>(cases),
                mean.paths,
                mean.ecmp,
                mean.priorities,
                mean.intensity,
                mean.sincronia,
                mean.compression,
                mean.top,
                mean.balanced);
    EXPECT_GE(mean.paths, 95);
    EXPECT_GE(mean.priorities, 95);
    EXPECT_GE(mean.compression, 95);
    EXPECT_GT(mean.paths, mean.ecmp);
    EXPECT_GT(mean.priorities, mean.sincronia);
    EXPECT_GT(mean.compression, mean.balanced);
}

TEST(CruxMicroBenchmarkTest, HundredCases)
{
    RunCases(100);
}

TEST(CruxMicroBenchmarkTest, DISABLED_AsManyCasesAsThePaper)
{
    RunCases(1500);
}

} // namespace
} // namespace ns3
