/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/placement/consolidate-placement.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace ns3
{
namespace
{

/// Free GPUs of each host, of 8; two hosts per leaf unless specified.
class ConsolidatePlacementTest : public testing::Test
{
  protected:
    /// Makes a cluster whose hosts have their last GPUs free.
    void SetFree(const std::vector<uint32_t>& freeByHost, uint32_t hostsPerLeaf = 2)
    {
        const auto hosts = static_cast<uint32_t>(freeByHost.size());
        m_topology = MakeLeafSpine(hosts / hostsPerLeaf, hostsPerLeaf, 8, 2, 1000, 1000);
        m_view.topology = &m_topology;
        m_view.gpuFree.assign(m_topology.GetGpuCount(), 0);
        for (uint32_t host = 0; host < hosts; host++)
        {
            std::fill_n(m_view.gpuFree.begin() + 8 * host + 8 - freeByHost[host],
                        freeByHost[host],
                        1);
        }
    }

    /// The placement; empty where the job must wait.
    std::vector<uint32_t> Place(uint32_t gpus,
                                uint32_t perHost = 0,
                                const std::vector<uint32_t>& hosts = {})
    {
        const std::vector<Placement> ranked =
            CreateObject<ConsolidatePlacement>()->Rank(m_view, {0, gpus, perHost, hosts});
        if (ranked.empty())
        {
            return {};
        }
        m_reason = ranked.front().reason;
        return ranked.front().gpus;
    }

    /// GPUs taken by host.
    std::map<uint32_t, uint32_t> CountByHost(const std::vector<uint32_t>& gpus) const
    {
        std::map<uint32_t, uint32_t> count;
        for (const uint32_t gpu : gpus)
        {
            count[m_topology.GetGpuHost(gpu)]++;
        }
        return count;
    }

    using Counts = std::map<uint32_t, uint32_t>;

    ClusterTopology m_topology;
    PlacementView m_view;
    std::string m_reason;
};

TEST_F(ConsolidatePlacementTest, TakesTheFullestHostThatFits)
{
    SetFree({8, 3, 4, 2});
    EXPECT_EQ(Place(3), (std::vector<uint32_t>{13, 14, 15}));
    EXPECT_EQ(m_reason, "1 host under 1 leaf");
    // Of the free ones the smallest ids: host2 has 20 to 23 free.
    SetFree({8, 2, 4, 2});
    EXPECT_EQ(Place(3), (std::vector<uint32_t>{20, 21, 22}));
    // Equally full: the first.
    SetFree({8, 4, 4, 2});
    EXPECT_EQ(Place(3), (std::vector<uint32_t>{12, 13, 14}));
}

TEST_F(ConsolidatePlacementTest, SkipsUsedGpus)
{
    SetFree({8, 0});
    m_view.gpuFree[0] = 0;
    m_view.gpuFree[2] = 0;
    EXPECT_EQ(Place(3), (std::vector<uint32_t>{1, 3, 4}));
}

TEST_F(ConsolidatePlacementTest, TakesTheFullestLeafThatFits)
{
    // No host has 10; leaf0 has 16 free, leaf1 has 11, leaf2 has 9.
    SetFree({8, 8, 4, 7, 8, 1});
    EXPECT_EQ(CountByHost(Place(10)), (Counts{{2, 3}, {3, 7}}));
    EXPECT_EQ(m_reason, "2 hosts under 1 leaf");
}

TEST_F(ConsolidatePlacementTest, FewHostsInALeafAndTheLastOneFitsBest)
{
    // 11 of (3, 8, 5, 4): 8, then 3 on the host that has 3.
    SetFree({3, 8, 5, 4}, 4);
    EXPECT_EQ(CountByHost(Place(11)), (Counts{{0, 3}, {1, 8}}));
    EXPECT_EQ(CountByHost(Place(12)), (Counts{{1, 8}, {3, 4}}));
}

TEST_F(ConsolidatePlacementTest, FewLeavesAndTheLastOneFitsBest)
{
    // Leaves with 5, 16, 9, 6: 21 is 16 and 5 (not 9).
    SetFree({5, 0, 8, 8, 8, 1, 3, 3});
    EXPECT_EQ(CountByHost(Place(21)), (Counts{{0, 5}, {2, 8}, {3, 8}}));
    EXPECT_EQ(m_reason, "3 hosts under 2 leaves");
}

TEST_F(ConsolidatePlacementTest, RanksAreInNodeOrder)
{
    SetFree({2, 8, 8, 8});
    const std::vector<uint32_t> gpus = Place(26);
    ASSERT_EQ(gpus.size(), 26U);
    EXPECT_TRUE(std::is_sorted(gpus.begin(), gpus.end()));
    EXPECT_EQ(gpus.front(), 6U);
}

TEST_F(ConsolidatePlacementTest, GpusPerHost)
{
    SetFree({8, 8, 4, 5, 8, 3});
    // 2 hosts of 4: leaf2 has only one with 4; leaf1 is the fullest leaf that has two.
    EXPECT_EQ(CountByHost(Place(8, 4)), (Counts{{2, 4}, {3, 4}}));
    // One host of 4 of 4: the fullest.
    EXPECT_EQ(CountByHost(Place(4, 4)), (Counts{{2, 4}}));
    EXPECT_EQ(CountByHost(Place(2, 4)), (Counts{{5, 2}}));
    // 4 hosts of 4: leaf0 and leaf1.
    EXPECT_EQ(CountByHost(Place(16, 4)), (Counts{{0, 4}, {1, 4}, {2, 4}, {3, 4}}));
    // The last host may have less: 4 + 4 on leaf0, 3 on leaf1, which is fuller than leaf2.
    EXPECT_EQ(CountByHost(Place(11, 4)), (Counts{{0, 4}, {1, 4}, {2, 3}}));
    // Only 5 hosts have 4 free.
    EXPECT_EQ(CountByHost(Place(20, 4)).size(), 5U);
    EXPECT_TRUE(Place(24, 4).empty());
}

TEST_F(ConsolidatePlacementTest, NamedHosts)
{
    SetFree({8, 8, 4, 5});
    EXPECT_EQ(Place(4, 0, {3, 0}), (std::vector<uint32_t>{0, 1, 27, 28}));
    EXPECT_EQ(m_reason, "as named: 2 hosts under 2 leaves");
    // host2 has 4 free, not 5: the job waits, though there is room elsewhere.
    EXPECT_TRUE(Place(10, 0, {2, 3}).empty());
    EXPECT_EQ(Place(8, 0, {2, 3}).size(), 8U);
}

TEST_F(ConsolidatePlacementTest, WaitsForRoom)
{
    SetFree({3, 3, 3, 3});
    EXPECT_EQ(Place(12).size(), 12U);
    EXPECT_TRUE(Place(13).empty());
}

TEST_F(ConsolidatePlacementTest, HostsWithoutSwitch)
{
    m_topology = ClusterTopology();
    m_topology.AddHost("alone", 4);
    m_view = {&m_topology, {1, 1, 1, 1}};
    EXPECT_EQ(Place(4), (std::vector<uint32_t>{0, 1, 2, 3}));
}

/// Whether any choice of hosts gives gpus GPUs, perHost on each but one.
bool
IsFeasible(const std::vector<uint32_t>& freeByHost, uint32_t gpus, uint32_t perHost)
{
    if (perHost == 0)
    {
        return std::accumulate(freeByHost.begin(), freeByHost.end(), 0U) >= gpus;
    }
    for (uint32_t set = 0; set < 1U << freeByHost.size(); set++)
    {
        for (size_t last = 0; last <= freeByHost.size(); last++)
        {
            uint32_t sum = 0;
            bool fits = true;
            for (size_t host = 0; host < freeByHost.size(); host++)
            {
                const uint32_t wanted = host == last       ? gpus % perHost
                                        : set >> host & 1U ? perHost
                                                           : 0;
                fits = fits && freeByHost[host] >= wanted;
                sum += wanted;
            }
            if (fits && sum == gpus)
            {
                return true;
            }
        }
    }
    return false;
}

/// Fewest of the sizes that hold gpus together.
size_t
FewestThatHold(std::vector<uint32_t> sizes, uint32_t gpus)
{
    size_t best = SIZE_MAX;
    for (uint32_t set = 0; set < 1U << sizes.size(); set++)
    {
        uint32_t sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < sizes.size(); i++)
        {
            sum += set >> i & 1U ? sizes[i] : 0;
            count += set >> i & 1U;
        }
        best = sum >= gpus ? std::min(best, count) : best;
    }
    return best;
}

TEST_F(ConsolidatePlacementTest, AgainstBruteForceOnFragmentedClusters)
{
    constexpr uint32_t HOSTS = 6;
    constexpr uint32_t HOSTS_PER_LEAF = 2;
    uint32_t waiting = 0;
    for (uint32_t number = 0; number < 2000; number++)
    {
        auto random = [number, count = uint64_t{0}](uint32_t bound) mutable {
            return static_cast<uint32_t>(CounterRandom(2, number, count++) % bound);
        };
        SetFree(std::vector<uint32_t>(HOSTS, 0), HOSTS_PER_LEAF);
        std::vector<uint32_t> freeByHost(HOSTS, 0);
        std::vector<uint32_t> freeByLeaf(HOSTS / HOSTS_PER_LEAF, 0);
        const uint32_t busy = random(9);
        for (uint32_t gpu = 0; gpu < m_topology.GetGpuCount(); gpu++)
        {
            m_view.gpuFree[gpu] = random(8) >= busy;
            freeByHost[gpu / 8] += m_view.gpuFree[gpu];
            freeByLeaf[gpu / 16] += m_view.gpuFree[gpu];
        }
        const uint32_t gpus = 1 + random(30);
        const uint32_t perHost = random(2) * (1 + random(8));
        const std::vector<uint32_t> placed = Place(gpus, perHost);
        SCOPED_TRACE("case " + std::to_string(number));
        ASSERT_EQ(!placed.empty(), IsFeasible(freeByHost, gpus, perHost));
        if (placed.empty())
        {
            waiting++;
            continue;
        }

        ASSERT_EQ(placed.size(), gpus);
        ASSERT_TRUE(std::is_sorted(placed.begin(), placed.end()));
        ASSERT_EQ(std::set<uint32_t>(placed.begin(), placed.end()).size(), gpus);
        const Counts byHost = CountByHost(placed);
        std::set<uint32_t> leaves;
        uint32_t unequal = 0;
        for (const auto& [host, count] : byHost)
        {
            leaves.insert(host / HOSTS_PER_LEAF);
            unequal += perHost != 0 && count != perHost;
            ASSERT_TRUE(perHost == 0 || count == perHost || count == gpus % perHost);
        }
        ASSERT_EQ(unequal, perHost != 0 && gpus % perHost != 0 ? 1U : 0U);
        for (const uint32_t gpu : placed)
        {
            ASSERT_TRUE(m_view.gpuFree[gpu]);
        }

        if (perHost == 0)
        {
            // One host where one holds it, and never more leaves than must be.
            ASSERT_EQ(byHost.size() == 1, FewestThatHold(freeByHost, gpus) == 1);
            ASSERT_EQ(leaves.size(), FewestThatHold(freeByLeaf, gpus));
        }
        if (perHost == 0 && leaves.size() == 1)
        {
            // Few hosts within its leaf.
            const auto first = freeByHost.begin() + *leaves.begin() * HOSTS_PER_LEAF;
            ASSERT_EQ(byHost.size(), FewestThatHold({first, first + HOSTS_PER_LEAF}, gpus));
        }
    }
    EXPECT_GT(waiting, 200U);
    EXPECT_LT(waiting, 1800U);
}

} // namespace
} // namespace ns3
