/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/base/attribute-refusal.h"
#include "../fixture/network-fixture.h"

#include "ns3/counter-random.h"
#include "ns3/egress-scheduler.h"

#include <cmath>

namespace ns3
{

namespace
{

Ptr<EgressScheduler>
MakeDwrr(const std::string& weights, uint32_t quantum = 4'096)
{
    Ptr<EgressScheduler> egress = ObjectFactory("ns3::DwrrEgress").Create<EgressScheduler>();
    egress->SetAttribute("Weights", StringValue(weights));
    egress->SetAttribute("Quantum", UintegerValue(quantum));
    return egress;
}

} // namespace

/// A port as a table of what is ready, without a network.
TEST(DwrrEgressTest, SharesAreOfBytesNotOfFrames)
{
    // Priority p sends frames of 64 to 64 + 500 p bytes. Whatever is sent of all, each has its
    // share but for one frame of debt and one turn of credit.
    for (uint32_t quantum : {64u, 1'000u, 20'000u})
    {
        for (const char* weights : {"6:4,5:2", "6:1,5:1", "6:5,4:3,1:2", "6:1,5:2,4:3,3:4,2:5,1:6"})
        {
            Ptr<EgressScheduler> egress = MakeDwrr(weights, quantum);
            ASSERT_EQ(egress->Configure(8), "");
            EXPECT_FALSE(egress->IsStrictPriority());
            std::map<uint32_t, uint64_t> weightOf;
            uint32_t ready = 0;
            uint64_t sumOfWeights = 0;
            for (std::string text = weights; !text.empty(); text.erase(0, 4))
            {
                weightOf[text[0] - '0'] = text[2] - '0';
                ready |= 1u << (text[0] - '0');
                sumOfWeights += text[2] - '0';
            }
            std::map<uint32_t, uint64_t> sent;
            double total = 0;
            for (uint64_t step = 0; step < 20'000; ++step)
            {
                uint32_t priority = egress->Select(ready);
                ASSERT_TRUE(ready >> priority & 1);
                EXPECT_EQ(egress->Select(ready), priority); // asking again changes nothing
                uint32_t bytes = 64 + CounterRandom(1, priority, step) % (500 * priority + 1);
                egress->Charge(priority, bytes);
                sent[priority] += bytes;
                total += bytes;
                double bound = 2 * (64.0 + 500 * 6 + 6.0 * quantum);
                ASSERT_NEAR(static_cast<double>(sent[priority]),
                            total * weightOf[priority] / sumOfWeights,
                            bound)
                    << weights << ", quantum " << quantum;
            }
        }
    }
}

TEST(DwrrEgressTest, IdlePrioritiesLoseTheirCreditAndKeepTheirDebt)
{
    Ptr<EgressScheduler> egress = MakeDwrr("5:1,4:1", 1'000);
    ASSERT_EQ(egress->Configure(8), "");
    // 5 goes first and into debt: 1,000 - 2,500 = -1,500.
    EXPECT_EQ(egress->Select(0b110000), 5u);
    egress->Charge(5, 2'500);
    // Alone, 4 sends as much as it likes; what it sends alone costs it one frame later.
    for (int i = 0; i < 100; ++i)
    {
        EXPECT_EQ(egress->Select(0b010000), 4u);
        egress->Charge(4, 1'000);
    }
    // 5 is back, with its debt: it takes two turns of 1,000 to have credit again, and in each 4
    // sends a frame.
    uint32_t fours = 0;
    while (egress->Select(0b110000) == 4)
    {
        egress->Charge(4, 1'000);
        ++fours;
    }
    EXPECT_GE(fours, 1u);
    EXPECT_LE(fours, 3u);
}

// A turn of ten frames of which one was sent is over when the priority has nothing to send: back
// again, it has ten and not nineteen.
TEST(DwrrEgressTest, CreditIsNotSavedUp)
{
    Ptr<EgressScheduler> egress = MakeDwrr("5:10,4:1", 1'000);
    ASSERT_EQ(egress->Configure(8), "");
    EXPECT_EQ(egress->Select(0b110000), 5u);
    egress->Charge(5, 1'000);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(egress->Select(0b010000), 4u);
        egress->Charge(4, 1'000);
    }
    while (egress->Select(0b110000) == 4)
    {
        egress->Charge(4, 1'000);
    }
    uint32_t fives = 0;
    while (egress->Select(0b110000) == 5 && fives < 100)
    {
        egress->Charge(5, 1'000);
        ++fives;
    }
    EXPECT_EQ(fives, 10u);
}

TEST(DwrrEgressTest, StrictAroundAndBetweenGroups)
{
    // 7 and 6 strict, then 5 and 3 as a group, then 4 strict, then 2 and 1, then 0.
    Ptr<EgressScheduler> egress = MakeDwrr("5:3,3:1;2:1,1:1");
    ASSERT_EQ(egress->Configure(8), "");
    EXPECT_EQ(egress->Select(0xff), 7u);
    EXPECT_EQ(egress->Select(0x7f), 6u);
    uint32_t counts[8] = {};
    for (int i = 0; i < 4'000; ++i)
    {
        uint32_t priority = egress->Select(0x3f);
        egress->Charge(priority, 1'000);
        ++counts[priority];
    }
    EXPECT_NEAR(counts[5], 3'000, 15);
    EXPECT_NEAR(counts[3], 1'000, 15);
    EXPECT_EQ(egress->Select(0b010111), 4u);
    for (int i = 0; i < 4'000; ++i)
    {
        uint32_t priority = egress->Select(0b000111);
        egress->Charge(priority, 1'000);
        ++counts[priority];
    }
    EXPECT_NEAR(counts[2], 2'000, 15);
    EXPECT_NEAR(counts[1], 2'000, 15);
    EXPECT_EQ(egress->Select(1), 0u);
}

TEST(DwrrEgressTest, FaultsOfWeights)
{
    // Refused when they are set, but for what depends on the number of queues.
    auto fault = [](const std::string& weights) {
        AttributeRefusal refusal;
        Ptr<EgressScheduler> egress = MakeDwrr("");
        return egress->SetAttributeFailSafe("Weights", StringValue(weights)) ? egress->Configure(8)
                                                                             : refusal.GetReason();
    };
    EXPECT_EQ(fault("6:4,5"), "\"5\" is not a priority, a colon and a weight");
    EXPECT_EQ(fault("6=4"), "\"6=4\" is not a priority, a colon and a weight");
    EXPECT_EQ(fault("6:4x"), "\"6:4x\" is not a priority, a colon and a weight");
    EXPECT_EQ(fault("8:1"), "Weights \"8:1\": priority 8 is not one of 0 to 7");
    EXPECT_EQ(fault("10:1"), "priority 10 is not one of 0 to 9");
    EXPECT_EQ(fault("-1:1"), "priority -1 is not one of 0 to 9");
    EXPECT_EQ(fault("6:0"), "weight 0 of priority 6 is not in 1 to 1000000");
    EXPECT_EQ(fault("6:1,6:2"), "priority 6 is named twice");
    EXPECT_EQ(fault("6:1;;5:1"), "a group has no priority");
    EXPECT_EQ(fault(" 6 : 4 , 5 : 2 "), "");
    // One alone in its group, or none: nothing to share.
    EXPECT_EQ(fault("6:4;5:2"), "");
    Ptr<EgressScheduler> egress = MakeDwrr("6:4;5:2");
    egress->Configure(8);
    EXPECT_TRUE(egress->IsStrictPriority());
}

class FabricDwrrTest : public NetworkFixture
{
  protected:
    void UseDwrr(const std::string& weights)
    {
        Set("ns3::Fabric::EgressScheduler", "ns3::DwrrEgress");
        Set("ns3::DwrrEgress::Weights", weights);
    }

    /// Bytes that each priority puts on a link from one time to another.
    std::map<uint32_t, double> MeasureShares(uint32_t link,
                                             const std::vector<PlainFlow>& list,
                                             int64_t from,
                                             int64_t to)
    {
        std::map<uint32_t, double> bytes;
        auto add = [&](double sign) {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                bytes[priority] +=
                    sign *
                    static_cast<double>(network.GetFabric()->GetLinkCounters(link, priority).bytes);
            }
        };
        At(from, [&]() { add(-1); });
        At(to, [&]() { add(1); });
        Launch(list);
        Simulator::Stop(PicoSeconds(to) + Time(1));
        Simulator::Run();
        // All of the link is used, whoever uses it: frames count when they start.
        double sum = 0;
        for (const auto& share : bytes)
        {
            sum += share.second;
        }
        EXPECT_NEAR(sum, static_cast<double>(to - from) / 80, 2 * 4'194);
        for (auto& share : bytes)
        {
            share.second /= sum;
        }
        return bytes;
    }

    /// Weights of classes, by priority.
    static std::string GetText(const std::map<uint32_t, uint32_t>& weights)
    {
        std::string text;
        for (const auto& weight : weights)
        {
            text += (text.empty() ? "" : ",") + std::to_string(weight.first) + ":" +
                    std::to_string(weight.second);
        }
        return text;
    }

    const std::vector<std::map<uint32_t, uint32_t>> m_cases{
        {{6, 4}, {5, 2}},
        {{4, 1}, {3, 1}},
        {{6, 5}, {4, 3}, {1, 2}},
        {{6, 1}, {5, 2}, {4, 3}, {3, 4}, {2, 5}, {1, 6}}};
};

TEST_F(FabricDwrrTest, SharesOfASwitchPortFollowTheWeights)
{
    for (const auto& weights : m_cases)
    {
        UseDwrr(GetText(weights));
        const auto count = static_cast<uint32_t>(weights.size());
        Build(Star(count + 1, 100 * G, US));
        std::vector<PlainFlow> list;
        uint32_t sum = 0;
        for (const auto& weight : weights)
        {
            auto from = static_cast<uint32_t>(list.size());
            list.push_back(Flow(from, count, 1'000'000'000, 0, weight.first));
            sum += weight.second;
        }
        auto shares = MeasureShares(Nic(count) ^ 1, list, MS / 2, 5 * MS);
        for (const auto& weight : weights)
        {
            double expected = static_cast<double>(weight.second) / sum;
            EXPECT_NEAR(shares[weight.first], expected, 0.01 * expected)
                << GetText(weights) << ", priority " << weight.first;
        }
        Restart();
    }
}

TEST_F(FabricDwrrTest, SharesOfANicFollowTheWeights)
{
    for (const auto& weights : m_cases)
    {
        UseDwrr(GetText(weights));
        Build(Star(2, 100 * G, US));
        std::vector<PlainFlow> list;
        uint32_t sum = 0;
        for (const auto& weight : weights)
        {
            // Two queue pairs of a priority take turns within it.
            list.push_back(Flow(0, 1, 1'000'000'000, 0, weight.first));
            list.push_back(Flow(0, 1, 1'000'000'000, 0, weight.first));
            sum += weight.second;
        }
        auto shares = MeasureShares(Nic(0), list, MS / 2, 5 * MS);
        for (const auto& weight : weights)
        {
            double expected = static_cast<double>(weight.second) / sum;
            EXPECT_NEAR(shares[weight.first], expected, 0.01 * expected)
                << GetText(weights) << ", priority " << weight.first;
        }
        Restart();
    }
}

TEST_F(FabricDwrrTest, SmallFramesGetTheSameBytes)
{
    // Priority 5 sends frames of 200 + 98 B, priority 4 of 4096 + 82 B, with equal weights: one
    // queue pair each at the NIC, and 14 times as many frames of 5.
    UseDwrr("5:1,4:1");
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    uint32_t small = Connect(0, 1, &client, 5);
    for (int i = 0; i < 100'000; ++i)
    {
        Post(small, 200);
    }
    auto shares = MeasureShares(Nic(0), {Flow(0, 1, 1'000'000'000, 0, 4)}, MS / 10, 4 * MS);
    EXPECT_NEAR(shares[5], 0.5, 0.005);
    EXPECT_NEAR(shares[4], 0.5, 0.005);
}

TEST_F(FabricDwrrTest, WorkConserving)
{
    // 1 MB with weight 9 and 9 MB with weight 1: when the first is done the other has all of the
    // link. 10 MB in 2,442 frames (245 + 2,198 less one) leave the port back to back.
    UseDwrr("5:9,4:1");
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 1'000'000, 0, 5), Flow(1, 2, 9'000'000, 0, 4)});
    ASSERT_EQ(transfers.size(), 2u);
    RoceFraming framing = network.GetTransport()->GetFraming(Nic(0));
    int64_t first = (4'096 + 98) * 80;
    int64_t all =
        (framing.GetMessageWireBytes(1'000'000) + framing.GetMessageWireBytes(9'000'000)) * 80;
    EXPECT_EQ(transfers[1].deliveredPs, first + US + all + US);
    // The first has 0.9 of the link: 1/0.9 of its solo time, but for a frame and a turn.
    int64_t solo = framing.GetMessageWireBytes(1'000'000) * 80;
    EXPECT_NEAR(static_cast<double>(transfers[0].deliveredPs - first - 2 * US),
                static_cast<double>(solo) / 0.9,
                (9 * 4'096 + 2 * 4'194) * 80);
    CheckConservation();
}

TEST_F(FabricDwrrTest, StrictAboveGroups)
{
    // 6 is strict above 5 and 4, which share 3 : 1 what it leaves, and 1 gets nothing.
    UseDwrr("5:3,4:1");
    Build(Star(5, 100 * G, US));
    auto shares = MeasureShares(Nic(4) ^ 1,
                                {Flow(0, 4, 25'000'000, MS, 6), // 2.04 ms
                                 Flow(1, 4, 1'000'000'000, 0, 5),
                                 Flow(2, 4, 1'000'000'000, 0, 4),
                                 Flow(3, 4, 1'000'000'000, 0, 1)},
                                MS / 2,
                                5 * MS);
    RoceFraming framing = network.GetTransport()->GetFraming(Nic(0));
    double strict = framing.GetMessageWireBytes(25'000'000) * 80 / 4.5e9;
    EXPECT_NEAR(shares[6], strict, 1e-5); // of 13,456 frames one more or less fits in the window
    EXPECT_NEAR(shares[5], (1 - strict) * 0.75, 0.0075);
    EXPECT_NEAR(shares[4], (1 - strict) * 0.25, 0.0025);
    EXPECT_NEAR(shares[1], 0, 1e-9);
    // And 6 takes its solo time and at most one frame that was being sent.
    ASSERT_EQ(transfers.size(), 1u);
    int64_t solo = framing.GetMessageWireBytes(25'000'000) * 80 + 4'178 * 80 + 2 * US;
    EXPECT_LE(transfers[0].deliveredPs - MS, solo + 16 * 80 + 4'194 * 80);
    EXPECT_GE(transfers[0].deliveredPs - MS, solo);
}

TEST_F(FabricDwrrTest, PausedClassesLeaveTheirShare)
{
    // An incast of 7 with two classes and a small buffer: pauses come and go, nothing is lost.
    UseDwrr("5:2,4:1");
    Set("ns3::FabricSwitch::BufferSize", 2'500'000);
    Build(Star(8, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 1; i < 8; ++i)
    {
        list.push_back(Flow(i, 0, 2'000'000, 0, 4 + i % 2));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 7u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    CheckConservation();
}

TEST_F(FabricDwrrTest, FaultIsReportedOnce)
{
    UseDwrr("9:1");
    topology = Star(3, 100 * G, US);
    EXPECT_EQ(FindFaults(topology),
              std::vector<std::string>{"Weights \"9:1\": priority 9 is not one of 0 to 7"});
}

} // namespace ns3
