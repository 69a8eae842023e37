/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/reorder-guard.h"
#include "../fixture/network-fixture.h"

namespace ns3
{

/// Frames alternate between the next hops, whatever their flow.
class AlternatingPathSelector : public PathSelector
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::AlternatingPathSelector")
                                .SetParent<PathSelector>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<AlternatingPathSelector>();
        return tid;
    }

    uint32_t Select(uint64_t /* flowHash */,
                    uint64_t /* switchSeed */,
                    uint32_t count) const override
    {
        return m_turn++ % count;
    }

  private:
    mutable uint32_t m_turn{0};
};

NS_OBJECT_ENSURE_REGISTERED(AlternatingPathSelector);

TEST(ReorderGuardTest, OnceARoundTripAndLater)
{
    ReorderGuard guard(100);
    EXPECT_TRUE(guard.OnNak(1000, 5, 40));
    EXPECT_FALSE(guard.IsReordering());
    EXPECT_EQ(guard.GetDeferredTime(), INT64_MAX);
    // No answer to what was sent since 1000 can be there: the missing frame was only late.
    EXPECT_FALSE(guard.OnNak(1099, 6, 40));
    EXPECT_TRUE(guard.IsReordering());
    EXPECT_EQ(guard.GetWindow(), 20u);
    EXPECT_EQ(guard.GetDeferredTime(), 1100);
    EXPECT_FALSE(guard.TakeDeferred(1099, 6));
    EXPECT_TRUE(guard.TakeDeferred(1100, 6));
    EXPECT_EQ(guard.GetWindow(), 10u);
    // Passed in the meantime: nothing to do.
    EXPECT_FALSE(guard.OnNak(1150, 8, 10));
    EXPECT_FALSE(guard.TakeDeferred(1200, 9));
    EXPECT_EQ(guard.GetDeferredTime(), INT64_MAX);
    // One more for each window acknowledged: 10 and 11.
    guard.OnProgress(21);
    EXPECT_EQ(guard.GetWindow(), 12u);
    EXPECT_TRUE(guard.OnNak(1300, 9, 10));
    EXPECT_EQ(guard.GetWindow(), 6u);
}

class ReorderingTest : public NetworkFixture
{
  protected:
    /// Two leaves, two spines of which one is 3 us farther away: every other frame is late.
    void BuildUneven()
    {
        Set("ns3::FabricSwitch::PathSelector", "ns3::AlternatingPathSelector");
        ClusterTopology graph;
        uint32_t a = graph.AddHost("h0", 1);
        uint32_t b = graph.AddHost("h1", 1);
        uint32_t left = graph.AddSwitch("left");
        uint32_t right = graph.AddSwitch("right");
        graph.AddLink(a, left, 100 * G, US);
        graph.AddLink(b, right, 100 * G, US);
        for (int64_t delay : {US, 4 * US})
        {
            uint32_t spine = graph.AddSwitch("spine" + std::to_string(delay));
            graph.AddLink(left, spine, 100 * G, US);
            graph.AddLink(spine, right, 100 * G, delay);
        }
        Build(graph);
    }
};

TEST_F(ReorderingTest, GoBackNWarnsOnceAndStaysBounded)
{
    BuildUneven();
    RecordingClient client;
    Post(Connect(0, 1, &client), 10'000'000, 0);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0}));
    EXPECT_EQ(CountEvents("reordering"), 1u);
    EXPECT_EQ(GetRdmaTotals().reorderings, 1u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    RecordProperty("retransmitted", std::to_string(GetRdmaTotals().retransmittedBytes));
    EXPECT_LT(GetRdmaTotals().retransmittedBytes, 20'000'000u);
}

TEST_F(ReorderingTest, BoundedWithLossToo)
{
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Set("ns3::RoceNic::RetransmissionTimeout", "500us");
    BuildUneven();
    uint64_t count = 0;
    GetLossyBuffer("right")->lose = [&](const LossyBuffer::Arrival&) {
        return MixBits(count++) % 100 == 0;
    };
    RecordingClient client;
    Post(Connect(0, 1, &client), 10'000'000, 0);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0}));
    EXPECT_LT(GetRdmaTotals().retransmittedBytes, 100'000'000u);
}

TEST_F(ReorderingTest, IrnSendsEachFrameTwiceAtMost)
{
    Set("ns3::RoceNic::LossRecovery", "irn");
    BuildUneven();
    RecordingClient client;
    Post(Connect(0, 1, &client), 10'000'000, 0);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_GT(GetRdmaTotals().retransmittedBytes, 0u);
    EXPECT_LE(GetRdmaTotals().retransmittedBytes, 10'000'000u);
}

TEST_F(ReorderingTest, IrnToleratesWhatItsLossDistanceCovers)
{
    // Frames are 3 us late, 18 frames at half the rate: twice as many numbers.
    Set("ns3::RoceNic::LossRecovery", "irn");
    Set("ns3::RoceNic::IrnLossDistance", 64);
    BuildUneven();
    RecordingClient client;
    Post(Connect(0, 1, &client), 10'000'000, 0);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
    EXPECT_GT(GetRdmaTotals().outOfOrderFrames, 1000u);
}

TEST_F(ReorderingTest, AReadWarnsAndFinishes)
{
    BuildUneven();
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client);
    MessageTag tag;
    network.GetTransport()->Post(0, queuePair, 1'000'000, tag, RdmaOperation::READ);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c').size(), 1u);
    EXPECT_EQ(CountEvents("reordering"), 1u);
    // At most a round trip of frames, 16 us or 48, for each one that comes in order.
    EXPECT_LT(GetRdmaTotals().retransmittedBytes, 60 * 1'000'000u);
}

TEST_F(ReorderingTest, LossAloneIsNotReordering)
{
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Chain(3, 100 * G, US));
    uint64_t count = 0;
    GetLossyBuffer("s2")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4 && MixBits(count++) % 30 == 0;
    };
    RecordingClient client;
    Post(Connect(0, 3, &client), 10'000'000, 0);
    Simulator::Run();
    CheckConservation();
    EXPECT_GT(CountEvents("nak"), 50u);
    EXPECT_EQ(GetRdmaTotals().reorderings, 0u);
}

} // namespace ns3
