/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/congestion/dcqcn.h"
#include "../fixture/network-fixture.h"

namespace ns3
{

class DcqcnNetworkTest : public NetworkFixture
{
  protected:
    struct Result
    {
        double jain{0};  ///< of the bytes that the senders put on the wire in the window
        double busy{0};  ///< share of the window in which the receiver's link is busy
        double queue{0}; ///< mean of the port's queue, of K_max
        uint64_t dropped{0};
        uint64_t cnps{0};
    };

    /// N long flows into one port, looked at from one time to another.
    Result RunLong(uint32_t n, uint64_t rate, int64_t from, int64_t to, uint64_t seed)
    {
        Build(Star(n + 1, rate, US), seed);
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < n; ++i)
        {
            list.push_back(Flow(i, n, 100'000'000'000));
        }
        std::vector<uint64_t> first(n + 1);
        std::vector<uint64_t> last(n + 1);
        auto look = [&](std::vector<uint64_t>& bytes) {
            for (uint32_t i = 0; i < n; ++i)
            {
                bytes[i] = network.GetFabric()->GetLinkCounters(Nic(i), 4).bytes;
            }
            bytes[n] = network.GetFabric()->GetLinkCounters(Nic(n) ^ 1, 4).bytes;
        };
        double sum = 0;
        uint64_t samples = 0;
        std::function<void()> sample = [&]() {
            sum +=
                static_cast<double>(network.GetFabric()->GetLinkCounters(Nic(n) ^ 1, 4).queueBytes);
            ++samples;
            At(Simulator::Now().GetTimeStep() + 2'017'003, sample);
        };
        At(from, [&]() {
            look(first);
            sample();
        });
        At(to, [&]() { look(last); });
        Launch(list);
        Simulator::Stop(PicoSeconds(to + 1));
        Simulator::Run();
        Result result;
        double total = 0;
        double squares = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            double bytes = last[i] - first[i];
            total += bytes;
            squares += bytes * bytes;
        }
        result.jain = total * total / (n * squares);
        int64_t time = network.GetFabric()->GetWireTime(Nic(n) ^ 1, last[n] - first[n]);
        result.busy = static_cast<double>(time) / (to - from);
        const EcnProfile ecn = CreateObject<Dcqcn>()->GetEcnProfile();
        result.queue = sum / static_cast<double>(samples) /
                       (static_cast<double>(ecn.kmaxBytes) * static_cast<double>(rate) /
                        static_cast<double>(ecn.referenceRateBps));
        result.dropped = GetFabricTotals().dropped;
        result.cnps = GetRdmaTotals().cnps;
        return result;
    }
};

TEST_F(DcqcnNetworkTest, LongFlowsShareAPortFairly)
{
    // DCQCN as in its paper, at 100 Gb/s, with thresholds four times those of 25 Gb/s.
    for (uint32_t n : {2u, 4u, 8u})
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::Dcqcn::Preset", "paper");
        Set("ns3::RedEcnMarker::Kmin", 400'000);
        Set("ns3::RedEcnMarker::Kmax", 1'600'000);
        Set("ns3::RedEcnMarker::Pmax", "0.2");
        Result result = RunLong(n, 100 * G, 80 * MS, 180 * MS, 1);
        EXPECT_GE(result.jain, 0.99) << n;
        EXPECT_GE(result.busy, 0.95) << n;
        EXPECT_EQ(result.dropped, 0u);
        EXPECT_GT(result.cnps, n);
        Restart();
    }
}

TEST_F(DcqcnNetworkTest, TheDefaultFitsEveryRate)
{
    // What is demanded of it in each cell of the table in doc/validation.rst, in some of them:
    // from 5 ms on, for as long as 4,000 frames of each sender, 20 ms at least.
    for (uint64_t rate : {25u, 100u, 400u, 800u})
    {
        for (uint32_t n : {2u, 8u, 64u})
        {
            Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
            const int64_t needed =
                static_cast<int64_t>(n) * 4'000 * 4'178 * 8'000 / static_cast<int64_t>(rate);
            const Result result =
                RunLong(n, rate * G, 5 * MS, 5 * MS + std::max(20 * MS, needed), 1);
            EXPECT_GE(result.busy, 0.95) << rate << " Gb/s, " << n;
            EXPECT_GE(result.jain, 0.95) << rate << " Gb/s, " << n;
            EXPECT_LT(result.queue, 1) << rate << " Gb/s, " << n;
            EXPECT_EQ(result.dropped, 0u);
            Restart();
        }
    }
}

TEST_F(DcqcnNetworkTest, AFlowThatIsAloneAgainHasTheLinkInAMillisecond)
{
    for (uint64_t rate : {25u, 100u, 400u, 800u})
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Build(Star(3, rate * G, US));
        RecordingClient client;
        const uint32_t stays = Connect(0, 2, &client);
        const uint32_t ends = Connect(1, 2, &client);
        Post(stays, 1'000'000'000'000);
        // About 10 ms of half the link.
        Post(ends, rate * G / 8 / 200);
        int64_t half = 0; // the flow is alone, and has half of the link
        int64_t whole = 0;
        std::function<void()> look = [&]() {
            const int64_t now = Simulator::Now().GetTimeStep();
            const double share = network.GetTransport()->GetRateController(stays).GetRate(now) /
                                 static_cast<double>(rate * G);
            half = half == 0 && share >= 0.5 ? now : half;
            if (share >= 0.95)
            {
                whole = now;
                Simulator::Stop();
                return;
            }
            At(now + US, look);
        };
        client.react = [&](const RecordingClient::Call& call) {
            if (call.kind == 'c' && call.queuePair == ends)
            {
                look();
            }
        };
        Simulator::Stop(PicoSeconds(100 * MS));
        Simulator::Run();
        EXPECT_GT(whole, half + 200 * US) << rate;
        EXPECT_LT(whole, half + MS) << rate;
        Restart();
    }
}

TEST_F(DcqcnNetworkTest, ThePresetBringsItsMarking)
{
    const auto getMarker = [this]() {
        const auto node = static_cast<uint32_t>(topology.FindNode("s"));
        return network.GetNode(node)->GetObject<FabricSwitch>()->GetEcnMarker();
    };
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::Dcqcn::Preset", "paper");
    Build(Star(3, 40 * G, US));
    EXPECT_EQ(getMarker()->GetUnmarkedBytes(40 * G), 5'000u);
    EXPECT_EQ(getMarker()->GetMarkProbability(200'001, 40 * G), uint64_t{1} << 32);
    Restart();
    // 400 KB at 100 Gb/s.
    for (const char* control : {"ns3::Dcqcn", "ns3::FixedRate"})
    {
        Set("ns3::RoceNic::CongestionControl", control);
        Set("ns3::Dcqcn::Preset", "hpcc");
        Build(Star(3, 40 * G, US));
        EXPECT_EQ(getMarker()->GetUnmarkedBytes(40 * G), 160'000u);
        Restart();
    }
    // Whoever sets the marker has it so.
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::Dcqcn::Preset", "paper");
    Set("ns3::RedEcnMarker::Kmin", 50'000);
    Build(Star(3, 40 * G, US));
    EXPECT_EQ(getMarker()->GetUnmarkedBytes(40 * G), 20'000u);
    EXPECT_EQ(getMarker()->GetMarkProbability(200'001, 40 * G), uint64_t{1} << 32);
}

TEST_F(DcqcnNetworkTest, NobodyAsksForNotificationsWithoutCongestionControl)
{
    Set("ns3::RedEcnMarker::Kmin", 5'000);
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 5'000'000), Flow(1, 2, 5'000'000)});
    EXPECT_GT(GetFabricTotals().markedFrames, 0u);
    EXPECT_EQ(GetRdmaTotals().cnps, 0u);
    CheckConservation();
}

TEST_F(DcqcnNetworkTest, StateOutlivesAMessageAndRecoversWhenIdle)
{
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::RedEcnMarker::Kmin", 20'000);
    Set("ns3::RedEcnMarker::Kmax", 50'000);
    Build(Star(3, 100 * G, US));
    RecordingClient client;
    uint32_t a = Connect(0, 2, &client);
    uint32_t b = Connect(1, 2, &client);
    Post(a, 2'000'000, 0);
    Post(b, 2'000'000, 1);
    double afterFirst = 0;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.queuePair == a && call.step == 0)
        {
            afterFirst = network.GetTransport()->GetRateController(a).GetRate(call.timePs);
            Post(a, 1, 2);
        }
    };
    double afterSecond = 0;
    At(MS, [&]() { afterSecond = network.GetTransport()->GetRateController(a).GetRate(MS); });
    // After a second, far beyond all timers, a message of 1 MB takes its time at line rate.
    At(1'000 * MS, [&]() { Post(a, 1'000'000, 3); });
    Simulator::Run();
    CheckConservation();
    EXPECT_LT(afterFirst, 80e9);
    EXPECT_GT(afterSecond, afterFirst);
    ASSERT_EQ(transfers.size(), 4u);
    const TransferRecord& last = transfers.back();
    RoceFraming framing = network.GetTransport()->GetFraming(Nic(0));
    int64_t wire = static_cast<int64_t>(framing.GetMessageWireBytes(1'000'000)) * 80;
    // 244 frames of 4096 B and one of 576 B, which waits for the one before.
    EXPECT_EQ(last.deliveredPs - last.startPs, wire + (4178 + 16) * 80 + 2 * US);
}

TEST_F(DcqcnNetworkTest, ALossIsNoNotification)
{
    // DCQCN does not react to a NAK or a timeout.
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Chain(2, 100 * G, US));
    uint32_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 4 && count++ == 50;
    };
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    Post(queuePair, 1'000'000);
    Simulator::Run();
    EXPECT_EQ(GetRdmaTotals().naks, 1u);
    EXPECT_EQ(network.GetTransport()->GetRateController(queuePair).GetRate(0), 100e9);
}

TEST_F(DcqcnNetworkTest, StateIsMadeAtTheFirstCnp)
{
    // DCQCN and the plain line rate send alike until then; what learns from every frame is made
    // with the first one.
    for (const char* type : {"Dcqcn", "MltcpDcqcn", "FixedRate"})
    {
        Set("ns3::RoceNic::CongestionControl", std::string("ns3::") + type);
        Build(Chain(2, 100 * G, US));
        RecordingClient client;
        uint32_t queuePair = Connect(0, 2, &client);
        const QueuePair* state = network.GetTransport()->GetQueuePair(queuePair);
        EXPECT_EQ(state->rate, nullptr) << type;
        Post(queuePair, 1'000'000);
        Simulator::Run();
        EXPECT_EQ(state->rate == nullptr, type == std::string("Dcqcn")) << type;
        RateController& rate = network.GetTransport()->GetRateController(queuePair);
        EXPECT_EQ(&rate, state->rate.get()) << type;
        EXPECT_EQ(rate.GetRate(0), 100e9) << type;
        TearDown();
    }
}

} // namespace ns3
