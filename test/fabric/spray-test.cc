/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <cmath>
#include <set>

namespace ns3
{

class FabricSprayTest : public NetworkFixture
{
  protected:
    void UseSpray(bool random = false)
    {
        Set("ns3::FabricSwitch::PathSelector", "ns3::SprayPathSelector");
        Set("ns3::SprayPathSelector::Random", random ? "true" : "false");
    }

    static Ptr<PathSelector> MakeSelector()
    {
        return ObjectFactory("ns3::SprayPathSelector").Create<PathSelector>();
    }
};

TEST_F(FabricSprayTest, TakesTurnsWithinEachSetOfNextHops)
{
    Ptr<PathSelector> selector = MakeSelector();
    EXPECT_TRUE(selector->IsPerFrame());
    // Frames to two places alternate: one turn for both would send each over half of the links.
    uint32_t last[2] = {};
    for (uint32_t i = 0; i < 100; ++i)
    {
        uint32_t group = i % 2;
        uint32_t choice = selector->Select(PathCandidates(group, 77, 4), {0, 0, 1}, 0);
        EXPECT_TRUE(i < 2 || choice == (last[group] + 1) % 4);
        last[group] = choice;
    }
    // A set that shrinks, as when a link fails, and grows again.
    for (uint32_t count : {2u, 3u, 2u, 8u})
    {
        std::set<uint32_t> choices;
        for (uint32_t i = 0; i < 2 * count; ++i)
        {
            choices.insert(selector->Select(PathCandidates(0, 77, count), {0, 0, 1}, 0));
        }
        EXPECT_EQ(choices.size(), count);
        EXPECT_EQ(*choices.rbegin(), count - 1);
    }
    // Switches start at different places.
    std::set<uint32_t> starts;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        starts.insert(MakeSelector()->Select(PathCandidates(0, MixBits(seed), 4), {0, 0, 1}, 0));
    }
    EXPECT_EQ(starts.size(), 4u);
}

TEST_F(FabricSprayTest, RandomDrawsAreUniform)
{
    Ptr<PathSelector> selector = MakeSelector();
    selector->SetAttribute("Random", BooleanValue(true));
    std::vector<double> counts(8, 0);
    for (uint32_t i = 0; i < 80'000; ++i)
    {
        ++counts[selector->Select(PathCandidates(0, 5, 8), {0, 0, 1}, 0)];
    }
    // 10,000 of each, standard deviation sqrt(80,000 x 1/8 x 7/8) = 94.
    for (double count : counts)
    {
        EXPECT_NEAR(count, 10'000, 4.5 * 94);
    }
}

TEST_F(FabricSprayTest, EveryUplinkCarriesAnEqualShare)
{
    for (bool random : {false, true})
    {
        UseSpray(random);
        // 4 hosts under each of 2 leaves, 4 spines: one flow a host to its opposite.
        Build(LeafSpine(2, 4, 4, 100 * G, 100 * G, US));
        EXPECT_TRUE(network.GetFabric()->IsSpraying());
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 4; ++i)
        {
            list.push_back(Flow(i, 4 + i, 4'096'000));
        }
        Run(list);
        EXPECT_EQ(transfers.size(), 4u);
        double sum = 0;
        std::vector<double> frames;
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            // Links: 8 of hosts, then 4 of leaf 0.
            frames.push_back(static_cast<double>(
                network.GetFabric()->GetLinkCounters(2 * (8 + spine), 4).frames));
            sum += frames.back();
        }
        EXPECT_GE(sum, 4'000);
        for (double count : frames)
        {
            // In turns: equal but for one. Drawn: 4.5 standard deviations of a quarter.
            EXPECT_NEAR(count, sum / 4, random ? 4.5 * std::sqrt(sum * 3 / 16) : 1.0);
        }
        CheckConservation();
        if (!random)
        {
            // Four uplinks carry four flows in their solo time; ECMP would put two on one.
            int64_t solo =
                network.GetTransport()->GetFraming(Nic(0)).GetMessageWireBytes(4'096'000) * 80;
            EXPECT_LT(GetLastDelivery(), solo + 4 * US + 40 * 4'194 * 80);
            EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
        }
        Restart();
    }
}

TEST_F(FabricSprayTest, SameRunTwice)
{
    for (bool random : {false, true})
    {
        std::vector<int64_t> times;
        for (int run = 0; run < 2; ++run)
        {
            UseSpray(random);
            network.SetReverseNodes(run == 1);
            Build(LeafSpine(2, 4, 2, 100 * G, 100 * G, US));
            std::vector<PlainFlow> list;
            for (uint32_t i = 0; i < 4; ++i)
            {
                list.push_back(Flow(i, 4 + (i + 1) % 4, 500'000));
                list.push_back(Flow(4 + i, i, 500'000));
            }
            Run(list);
            for (const TransferRecord& transfer : transfers)
            {
                times.push_back(transfer.completedPs);
            }
            Restart();
        }
        ASSERT_EQ(times.size(), 16u);
        EXPECT_TRUE(std::equal(times.begin(), times.begin() + 8, times.begin() + 8));
    }
}

TEST_F(FabricSprayTest, NoSourcePortPinsAPath)
{
    UseSpray();
    Build(LeafSpine(2, 2, 2, 100 * G, 100 * G, US));
    const RoutingTable& routing = network.GetFabric()->GetRouting();
    const PathSelector& selector = network.GetFabric()->GetPathSelector();
    auto paths = routing.GetPaths(Nic(0), Nic(2));
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_EQ(routing.FindUdpSourcePort(Nic(0), Nic(2), paths[0], selector), -1);
    EXPECT_EQ(routing.FindUdpSourcePort(Nic(0), Nic(2), paths[1], selector), -1);
    // Under one leaf there is only one, and a flow has some path in any case.
    paths = routing.GetPaths(Nic(0), Nic(1));
    EXPECT_GT(routing.FindUdpSourcePort(Nic(0), Nic(1), paths[0], selector), 0);
    EXPECT_EQ(routing.GetPath(Nic(0), Nic(2), 123, selector).size(), 4u);
    Restart();
    Build(LeafSpine(2, 2, 2, 100 * G, 100 * G, US));
    EXPECT_FALSE(network.GetFabric()->IsSpraying());
}

} // namespace ns3
