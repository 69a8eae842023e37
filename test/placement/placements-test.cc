/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/placement/free-hosts.h"
#include "../../model/placement/joint-placement.h"
#include "../../model/placement/placement-candidates.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/counter-random.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{
namespace
{

using Counts = std::map<uint32_t, uint32_t>;

/// Free GPUs of each host, of 8; two hosts per leaf unless specified.
class PlacementsTest : public testing::Test
{
  protected:
    /// Makes a cluster whose hosts have their last GPUs free.
    void SetFree(const std::vector<uint32_t>& freeByHost, uint32_t hostsPerLeaf = 2)
    {
        const auto hosts = static_cast<uint32_t>(freeByHost.size());
        m_topology = MakeLeafSpine(hosts / hostsPerLeaf, hostsPerLeaf, 8, 2, 1000, 1000);
        m_view = PlacementView();
        m_view.topology = &m_topology;
        m_view.gpuFree.assign(m_topology.GetGpuCount(), 0);
        for (uint32_t host = 0; host < hosts; host++)
        {
            std::fill_n(m_view.gpuFree.begin() + 8 * host + 8 - freeByHost[host],
                        freeByHost[host],
                        1);
        }
    }

    /// GPUs that a placement gives; empty where the job must wait.
    std::vector<uint32_t> Place(const std::string& name, const PlacementRequest& request)
    {
        const std::vector<Placement> ranked =
            PlacementCandidates::Make(name)->Rank(m_view, request);
        m_reason = ranked.empty() ? "" : ranked.front().reason;
        return ranked.empty() ? std::vector<uint32_t>() : ranked.front().gpus;
    }

    /// GPUs taken by host.
    Counts CountByHost(const std::vector<uint32_t>& gpus) const
    {
        Counts count;
        for (const uint32_t gpu : gpus)
        {
            count[m_topology.GetGpuHost(gpu)]++;
        }
        return count;
    }

    ClusterTopology m_topology;
    PlacementView m_view;
    std::string m_reason;
};

TEST_F(PlacementsTest, FirstFitTakesWhatComesFirst)
{
    SetFree({2, 8, 0, 5});
    EXPECT_EQ(CountByHost(Place("FirstFit", {0, 9})), (Counts{{0, 2}, {1, 7}}));
    EXPECT_EQ(m_reason, "first fit: 2 hosts under 1 leaf");
    EXPECT_EQ(CountByHost(Place("FirstFit", {0, 8, 4})), (Counts{{1, 4}, {3, 4}}));
    // 4 and 4, and the rest on the first other host that has it.
    EXPECT_EQ(CountByHost(Place("FirstFit", {0, 10, 4})), (Counts{{0, 2}, {1, 4}, {3, 4}}));
    EXPECT_TRUE(Place("FirstFit", {0, 16}).empty());
}

TEST_F(PlacementsTest, SpreadTakesLeavesInTurnAndTheMostHosts)
{
    SetFree({8, 7, 6, 5});
    // host0 and host2 are the fullest of their leaves, then host1 and host3.
    EXPECT_EQ(CountByHost(Place("Spread", {0, 2})), (Counts{{0, 1}, {2, 1}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 4})), (Counts{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 6})), (Counts{{0, 2}, {1, 1}, {2, 2}, {3, 1}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 26})), (Counts{{0, 8}, {1, 7}, {2, 6}, {3, 5}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 8, 4})), (Counts{{0, 4}, {2, 4}}));
    EXPECT_TRUE(Place("Spread", {0, 27}).empty());
}

TEST_F(PlacementsTest, BestFitTakesTheFewestHostsThenLeavesThenTheTightest)
{
    // 10 on two hosts of one leaf: leaf0 leaves 6 on its hosts, leaf1 1.
    SetFree({8, 8, 4, 7});
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 10})), (Counts{{2, 3}, {3, 7}}));
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 4})), (Counts{{2, 4}}));
    // 16 under one leaf, though other two hosts hold it as well.
    SetFree({8, 1, 8, 8});
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 16})), (Counts{{2, 8}, {3, 8}}));
    // Consolidate stays under leaf0 with three hosts; two hosts hold it under two leaves.
    SetFree({4, 4, 4, 8, 1, 1}, 3);
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 12})), (Counts{{0, 4}, {3, 8}}));
    EXPECT_EQ(CountByHost(Place("Consolidate", {0, 12})), (Counts{{0, 4}, {1, 4}, {2, 4}}));
    // With gpus-per-host, the hosts with the fewest free GPUs.
    SetFree({8, 8, 4, 5});
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 8, 4})), (Counts{{2, 4}, {3, 4}}));
}

// One host with just enough free GPUs among empty ones: what each policy does with a small job.
TEST_F(PlacementsTest, ASmallJobAmongEmptyHosts)
{
    SetFree({8, 3, 8, 8});
    EXPECT_EQ(CountByHost(Place("FirstFit", {0, 3})), (Counts{{0, 3}}));
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 3})), (Counts{{1, 3}}));
    EXPECT_EQ(CountByHost(Place("Consolidate", {0, 3})), (Counts{{1, 3}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 3})), (Counts{{0, 1}, {2, 1}, {3, 1}}));
    PlacementRequest request{0, 3};
    request.model = "vgg-16";
    EXPECT_EQ(CountByHost(Place("Tiresias", request)), (Counts{{1, 3}}));
    request.model = "resnet-50";
    EXPECT_EQ(CountByHost(Place("Tiresias", request)), (Counts{{0, 3}}));
}

// Of hosts that fit equally well, best fit takes one under the leaf with less room.
TEST_F(PlacementsTest, BestFitKeepsEmptyLeavesEmpty)
{
    SetFree({4, 8, 4, 1, 4, 6});
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 4})), (Counts{{2, 4}}));
    EXPECT_EQ(CountByHost(Place("BestFit", {0, 3})), (Counts{{2, 3}}));
}

TEST_F(PlacementsTest, EqualHostsAreTakenInTheirOrder)
{
    SetFree({8, 8, 8, 8});
    EXPECT_EQ(CountByHost(Place("FirstFit", {0, 12})), (Counts{{0, 8}, {1, 4}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 2})), (Counts{{0, 1}, {2, 1}}));
    EXPECT_EQ(CountByHost(Place("Spread", {0, 3})), (Counts{{0, 1}, {1, 1}, {2, 1}}));
}

TEST_F(PlacementsTest, RandomIsAFunctionOfSeedAndJobAndUniform)
{
    SetFree({8, 8, 8, 8});
    const std::vector<uint32_t> first = Place("Random", {0, 6});
    EXPECT_EQ(Place("Random", {0, 6}), first);
    EXPECT_NE(Place("Random", {1, 6}), first);
    m_view.seed = 2;
    EXPECT_NE(Place("Random", {0, 6}), first);
    // 8 of 32 GPUs, 2000 jobs: each GPU 500 times, standard deviation sqrt(2000 / 4 * 3 / 4) = 19.
    std::vector<uint32_t> counts(32, 0);
    for (uint32_t job = 0; job < 2000; job++)
    {
        for (const uint32_t gpu : Place("Random", {job, 8}))
        {
            counts[gpu]++;
        }
    }
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 500U - 5 * 19);
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 500U + 5 * 19);
}

TEST_F(PlacementsTest, TiresiasConsolidatesSkewedModels)
{
    SetFree({2, 8, 8, 4});
    EXPECT_EQ(CountByHost(Place("Tiresias", {0, 8, 0, {}, {}, "VGG16"})), (Counts{{1, 8}}));
    EXPECT_EQ(m_reason, "skewed model: best fit: 1 host under 1 leaf");
    EXPECT_EQ(CountByHost(Place("Tiresias", {0, 8, 0, {}, {}, "resnet50"})),
              (Counts{{0, 2}, {1, 6}}));
    EXPECT_EQ(m_reason, "no skewed model: first fit: 2 hosts under 1 leaf");
}

TEST_F(PlacementsTest, NumberedGpusAreTaken)
{
    for (const char* name : {"Consolidate", "BestFit", "FirstFit", "Spread", "Random", "Tiresias"})
    {
        SCOPED_TRACE(name);
        SetFree({8, 8, 8, 8});
        PlacementRequest even{0, 8, 4, {1, 3}, {0, 2, 4, 6}};
        EXPECT_EQ(Place(name, even), (std::vector<uint32_t>{8, 10, 12, 14, 24, 26, 28, 30}));
        // Not where one of them is taken, though enough others are free.
        m_view.gpuFree[12] = 0;
        EXPECT_TRUE(Place(name, even).empty());
        even.hosts.clear();
        const std::vector<uint32_t> placed = Place(name, even);
        ASSERT_EQ(placed.size(), 8U);
        for (const uint32_t gpu : placed)
        {
            EXPECT_EQ(gpu % 2, 0U);
            EXPECT_NE(gpu / 8, 1U);
        }
    }
}

TEST_F(PlacementsTest, CandidatesOfAPolicyDifferAndTheFirstIsItsOwn)
{
    SetFree({8, 8, 8, 8});
    const PlacementRequest request{0, 8};
    const Ptr<PlacementPolicy> policy = PlacementCandidates::Make("Consolidate");
    const std::vector<Placement> candidates =
        PlacementCandidates::Get(*policy, m_view, request, 10);
    // One host each; without all of them there is none.
    ASSERT_EQ(candidates.size(), 4U);
    std::set<std::vector<uint32_t>> different;
    for (const Placement& candidate : candidates)
    {
        different.insert(candidate.gpus);
    }
    EXPECT_EQ(different.size(), 4U);
    EXPECT_EQ(candidates[0].gpus, policy->Rank(m_view, request)[0].gpus);
    EXPECT_EQ(PlacementCandidates::Get(*policy, m_view, request, 2).size(), 2U);
}

/// Whether any choice of hosts gives gpus GPUs, perHost on each but one.
bool
IsFeasible(const std::vector<uint32_t>& freeByHost, uint32_t gpus, uint32_t perHost)
{
    if (perHost == 0)
    {
        return std::accumulate(freeByHost.begin(), freeByHost.end(), 0U) >= gpus;
    }
    std::vector<uint32_t> sorted = freeByHost;
    std::sort(sorted.rbegin(), sorted.rend());
    const uint32_t full = gpus / perHost;
    return (full == 0 || (full <= sorted.size() && sorted[full - 1] >= perHost)) &&
           (gpus % perHost == 0 || (full < sorted.size() && sorted[full] >= gpus % perHost));
}

TEST_F(PlacementsTest, AnyFeasibleJobIsPlacedOnFreeGpusOnly)
{
    constexpr uint32_t HOSTS = 6;
    uint32_t waiting = 0;
    uint32_t fewer = 0;
    for (uint32_t number = 0; number < 600; number++)
    {
        auto random = [number, count = uint64_t{0}](uint32_t bound) mutable {
            return static_cast<uint32_t>(CounterRandom(3, number, count++) % bound);
        };
        SetFree(std::vector<uint32_t>(HOSTS, 0));
        const uint32_t busy = random(9);
        for (uint8_t& free : m_view.gpuFree)
        {
            free = random(8) >= busy;
        }
        PlacementRequest request{number, 1 + random(24)};
        request.gpusPerHost = random(2) * (1 + random(8));
        if (random(3) == 0)
        {
            request.localGpus = {random(4), 4 + random(4)};
            request.gpusPerHost = 2;
            request.gpus = 2 * (1 + random(4));
        }
        std::vector<uint32_t> freeByHost(HOSTS, 0);
        const std::vector<uint8_t> usable = FreeHosts::GetUsable(m_view, request);
        for (uint32_t gpu = 0; gpu < usable.size(); gpu++)
        {
            freeByHost[gpu / 8] += usable[gpu];
        }
        const bool feasible = IsFeasible(freeByHost, request.gpus, request.gpusPerHost);
        waiting += !feasible;
        std::map<std::string, size_t> hostsOf;
        for (const char* name :
             {"BestFit", "FirstFit", "Spread", "Random", "Tiresias", "Consolidate", "Cassini"})
        {
            SCOPED_TRACE(std::string(name) + ", case " + std::to_string(number));
            const std::vector<uint32_t> placed = Place(name, request);
            ASSERT_EQ(!placed.empty(), feasible);
            ASSERT_EQ(Place(name, request), placed);
            if (!feasible)
            {
                continue;
            }
            ASSERT_EQ(placed.size(), request.gpus);
            ASSERT_TRUE(std::is_sorted(placed.begin(), placed.end()));
            ASSERT_EQ(std::set<uint32_t>(placed.begin(), placed.end()).size(), placed.size());
            for (const uint32_t gpu : placed)
            {
                ASSERT_TRUE(usable[gpu]);
            }
            uint32_t unequal = 0;
            for (const auto& [host, count] : CountByHost(placed))
            {
                unequal += request.gpusPerHost != 0 && count != request.gpusPerHost;
                hostsOf[name]++;
            }
            ASSERT_EQ(unequal, request.gpusPerHost != 0 && request.gpus % request.gpusPerHost != 0);
        }
        if (feasible)
        {
            for (const auto& [name, count] : hostsOf)
            {
                ASSERT_GE(count, hostsOf["BestFit"]) << name << ", case " << number;
                ASSERT_LE(count, hostsOf["Spread"]) << name << ", case " << number;
            }
            fewer += hostsOf["BestFit"] < hostsOf["Spread"];
        }
    }
    EXPECT_GT(waiting, 60U);
    EXPECT_LT(waiting, 540U);
    EXPECT_GT(fewer, 60U);
}

/// Places the jobs that have at most `most` GPUs, and no more than two of them.
class SmallJobsFirst : public PlacementPolicy
{
  public:
    std::vector<Placement> Rank(const PlacementView& /* view */,
                                const PlacementRequest& /* request */) const override
    {
        return {};
    }

    std::vector<Placement> PlaceTogether(
        const PlacementView& /* view */,
        const std::vector<PlacementRequest>& requests) const override
    {
        std::vector<Placement> placements(requests.size());
        std::vector<size_t> order(requests.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&requests](size_t a, size_t b) {
            return requests[a].gpus < requests[b].gpus;
        });
        for (size_t i = 0; i < std::min<size_t>(2, order.size()); i++)
        {
            placements[order[i]].gpus = {requests[order[i]].job};
        }
        return placements;
    }
};

/// Which jobs get a place.
std::vector<uint32_t>
GetPlaced(const std::vector<uint32_t>& gpus, bool backfill)
{
    std::vector<PlacementRequest> requests;
    for (uint32_t job = 0; job < gpus.size(); job++)
    {
        requests.push_back({job, gpus[job]});
    }
    const std::vector<Placement> placements =
        JointPlacement::Place(*CreateObject<SmallJobsFirst>(), {}, requests, backfill);
    EXPECT_EQ(placements.size(), requests.size());
    std::vector<uint32_t> placed;
    for (uint32_t job = 0; job < placements.size(); job++)
    {
        if (!placements[job].gpus.empty())
        {
            placed.push_back(job);
        }
    }
    return placed;
}

TEST(JointPlacementTest, NoJobOvertakesWithoutBackfill)
{
    EXPECT_EQ(GetPlaced({1, 2}, false), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(GetPlaced({4, 1, 2}, true), (std::vector<uint32_t>{1, 2}));
    // The first gave way, to both; not where only one is asked for with it.
    EXPECT_EQ(GetPlaced({4, 1, 2}, false), (std::vector<uint32_t>{0, 1}));
    // The third has to wait: those before it.
    EXPECT_EQ(GetPlaced({1, 2, 3, 4}, false), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(GetPlaced({1, 3, 2}, false), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(GetPlaced({9, 1, 2, 3, 4, 5}, false), (std::vector<uint32_t>{0, 1}));
}

TEST(JointPlacementTest, APolicyOfOneAtATimeGivesNothing)
{
    EXPECT_TRUE(
        JointPlacement::Place(*PlacementCandidates::Make("FirstFit"), {}, {{0, 1}}, true).empty());
}

} // namespace
} // namespace ns3
