/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <cmath>

namespace ns3
{

/// Marks with one probability, however much waits, provided that something does.
class ConstantMarker : public EcnMarker
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ConstantMarker")
                                .SetParent<EcnMarker>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<ConstantMarker>()
                                .HideFromDocumentation()
                                .AddAttribute("P",
                                              "Probability.",
                                              DoubleValue(0.1),
                                              MakeDoubleAccessor(&ConstantMarker::m_p),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    uint32_t GetUnmarkedBytes(uint64_t) const override
    {
        return 0;
    }

    uint64_t GetMarkProbability(uint32_t, uint64_t) const override
    {
        return static_cast<uint64_t>(m_p * 4294967296.0);
    }

  private:
    double m_p{0};
};

NS_OBJECT_ENSURE_REGISTERED(ConstantMarker);

class EcnMarkingTest : public NetworkFixture
{
  protected:
    /// Hosts 0 to n - 1 send one frame each to host n, all at once, every 100 us.
    void RunBursts(uint32_t n, uint32_t bursts, uint64_t bytes = 4096)
    {
        std::vector<PlainFlow> list;
        for (uint32_t k = 0; k < bursts; ++k)
        {
            for (uint32_t i = 0; i < n; ++i)
            {
                list.push_back(Flow(i, n, bytes, k * 100 * US));
            }
        }
        Run(list);
    }

    LinkCounters GetReceiverLink(uint32_t n)
    {
        return network.GetFabric()->GetLinkCounters(Nic(n) ^ 1, 4);
    }
};

TEST_F(EcnMarkingTest, AStepMarksExactlyTheFramesAboveIt)
{
    // Kmin = Kmax = K: certain above K. Twelve frames of 4174 B arrive at once. The first is sent
    // at once; at enqueue, frame i > 0 meets i - 1 waiting frames; at dequeue it leaves 11 - i
    // behind. A K of 0 would be that of the congestion control.
    const uint32_t n = 12;
    const uint32_t frame = 4096 + 62 + 16;
    for (bool dequeue : {true, false})
    {
        for (uint32_t k : {1u, frame - 1, frame, 5 * frame, 5 * frame + 1, 11 * frame})
        {
            Set("ns3::FabricSwitch::MarkAtDequeue", dequeue ? "true" : "false");
            Set("ns3::RedEcnMarker::Kmin", k);
            Set("ns3::RedEcnMarker::Kmax", k);
            Build(Star(n + 1, 100 * G, US));
            RunBursts(n, 3);
            uint32_t expected = 0;
            for (uint32_t i = 1; i < n; ++i)
            {
                expected += (dequeue ? n - 1 - i : i - 1) * frame > k;
            }
            EXPECT_EQ(GetFabricTotals().markedFrames, 3 * expected) << k << " " << dequeue;
            EXPECT_EQ(GetReceiverLink(n).markedFrames, 3 * expected);
            CheckConservation();
            Restart();
        }
    }
}

TEST_F(EcnMarkingTest, EarlyFramesAtDequeueAndLateOnesAtEnqueue)
{
    // A mark makes the receiver notify the sender, whose DCQCN then sends at half the rate. The
    // link of host 0 has the lowest id, so that its frame comes first.
    const uint32_t n = 10;
    for (bool dequeue : {true, false})
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::FabricSwitch::MarkAtDequeue", dequeue ? "true" : "false");
        Set("ns3::RedEcnMarker::Kmin", 4 * 4174);
        Set("ns3::RedEcnMarker::Kmax", 4 * 4174);
        Build(Star(n + 1, 100 * G, US));
        RunBursts(n, 1);
        EXPECT_EQ(GetRdmaTotals().cnps, GetFabricTotals().markedFrames);
        for (uint32_t i = 0; i < n; ++i)
        {
            bool marked = i > 0 && (dequeue ? n - 1 - i : i - 1) > 4;
            double rate = network.GetTransport()->GetRateController(i).GetRate(10 * US);
            EXPECT_EQ(rate, marked ? 50e9 : 100e9) << i << " " << dequeue;
        }
        Restart();
    }
}

TEST_F(EcnMarkingTest, OnlyWhatIsCapableOfItIsMarked)
{
    // Everything that waits is marked. Acknowledgements of sixteen receivers meet at one sender.
    Set("ns3::FabricSwitch::EcnMarker", "ns3::ConstantMarker");
    Set("ns3::ConstantMarker::P", "1");
    Set("ns3::RoceNic::AckInterval", 1);
    Set("ns3::RoceNic::PathMtu", 64);
    Build(Star(17, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        list.push_back(Flow(i, 16, 6'400, 0, 4));
        list.push_back(Flow(16, i, 6'400, 0, 3));
    }
    Run(list);
    CheckConservation();
    EXPECT_GT(GetFabricTotals().markedFrames, 1'000u);
    for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
    {
        LinkCounters control = network.GetFabric()->GetLinkCounters(link, 7);
        EXPECT_GT(control.frames, 0u);
        EXPECT_EQ(control.markedFrames, 0u);
        // A host does not mark what it sends.
        if (link % 2 == 0)
        {
            EXPECT_EQ(network.GetFabric()->GetLinkCounters(link, 4).markedFrames, 0u);
        }
    }
}

TEST_F(EcnMarkingTest, ProbabilityOfAStandingQueue)
{
    // Two senders keep the queue of a port standing; all but the first and the last frame are
    // judged. With P = 0.1 and n frames: n P marks, standard deviation sqrt(n P (1 - P)).
    for (bool dequeue : {true, false})
    {
        Set("ns3::FabricSwitch::EcnMarker", "ns3::ConstantMarker");
        Set("ns3::FabricSwitch::MarkAtDequeue", dequeue ? "true" : "false");
        Set("ns3::RoceNic::PathMtu", 1000);
        Build(Star(3, 100 * G, US), 3);
        Run({Flow(0, 2, 50'000'000), Flow(1, 2, 50'000'000)});
        CheckConservation();
        double n = GetReceiverLink(2).frames;
        ASSERT_EQ(n, 100'000);
        EXPECT_NEAR(GetFabricTotals().markedFrames, 0.1 * n, 4 * std::sqrt(n * 0.09)) << dequeue;
        Restart();
    }
}

TEST_F(EcnMarkingTest, DrawsDependOnTheSeedAlone)
{
    uint64_t marks[3];
    const uint64_t seeds[] = {1, 2, 1};
    for (int i = 0; i < 3; ++i)
    {
        Set("ns3::FabricSwitch::EcnMarker", "ns3::ConstantMarker");
        Build(Star(3, 100 * G, US), seeds[i]);
        Run({Flow(0, 2, 20'000'000), Flow(1, 2, 20'000'000)});
        marks[i] = GetFabricTotals().markedFrames;
        Restart();
    }
    EXPECT_NE(marks[0], marks[1]);
    EXPECT_EQ(marks[0], marks[2]);
}

TEST_F(EcnMarkingTest, TheRampGivesTheExpectedNumber)
{
    // Bursts of 40 frames drain: the i-th to leave, i = 0 the first to wait, leaves 38 - i behind.
    // Kmin 5 frames, Kmax 30, Pmax 0.4; certain above.
    const uint32_t n = 40;
    const double frame = 4096 + 62 + 16;
    double expected = 0;
    double variance = 0;
    const uint32_t bursts = 200;
    for (uint32_t left = 0; left < n - 1; ++left)
    {
        double p = left <= 5 ? 0 : left > 30 ? 1 : 0.4 * (left - 5) / 25;
        expected += bursts * p;
        variance += bursts * p * (1 - p);
    }
    for (bool dequeue : {true, false})
    {
        Set("ns3::FabricSwitch::MarkAtDequeue", dequeue ? "true" : "false");
        Set("ns3::RedEcnMarker::Kmin", static_cast<uint64_t>(5 * frame));
        Set("ns3::RedEcnMarker::Kmax", static_cast<uint64_t>(30 * frame));
        Set("ns3::RedEcnMarker::Pmax", "0.4");
        Build(Star(n + 1, 100 * G, US));
        RunBursts(n, bursts);
        EXPECT_NEAR(GetFabricTotals().markedFrames, expected, 4 * std::sqrt(variance)) << dequeue;
        Restart();
    }
}

TEST_F(EcnMarkingTest, OneNotificationAnInterval)
{
    // All frames are marked for 1 ms: a CNP at once, then one each 50 us, the last at the end of
    // the interval in which the last mark came.
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::Dcqcn::Preset", "paper");
    Set("ns3::Dcqcn::MinRate", "100Gbps"); // the sender does not slow down
    Set("ns3::FabricSwitch::EcnMarker", "ns3::ConstantMarker");
    Set("ns3::ConstantMarker::P", "1");
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 12'500'000, 0, 4), Flow(1, 2, 12'500'000, 0, 4)});
    CheckConservation();
    // Both flows take 2 x 12.5 MB x 80 ps = 2.04 ms with headers: 40.8 intervals, and the first.
    for (const auto& transfer : transfers)
    {
        EXPECT_GT(transfer.deliveredPs, 2'000 * US);
    }
    EXPECT_NEAR(GetRdmaTotals().cnps, 2 * 42, 2);
}

} // namespace ns3
