/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

/// Data flows from host 0 to the last host, which posts the READs.
class RdmaReadTest : public NetworkFixture
{
  protected:
    static constexpr int64_t RTO = 4'096'000ll << 14;
    static constexpr int64_t BYTE = 80; ///< at 100 Gb/s [ps]

    void PostRead(uint32_t queuePair, uint64_t bytes, uint32_t step = 0)
    {
        MessageTag tag;
        tag.step = step;
        network.GetTransport()->Post(Simulator::Now().GetTimeStep(),
                                     queuePair,
                                     bytes,
                                     tag,
                                     RdmaOperation::READ);
    }

    void BuildLossy()
    {
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Build(Chain(2, 100 * G, US));
    }

    /// Loses frames whose running number among those of a direction is given: from the source of
    /// the data (port 0 of s1) or from the reader (port 1).
    void Lose(uint32_t ingress, const std::vector<uint32_t>& numbers)
    {
        GetLossyBuffer("s1")->lose =
            [ingress, numbers, count = 0u](const LossyBuffer::Arrival& arrival) mutable {
                return arrival.ingress == ingress &&
                       std::count(numbers.begin(), numbers.end(), count++) > 0;
            };
    }
};

TEST_F(RdmaReadTest, ExactOverOneAndFourHops)
{
    // The request of 98 B crosses h hops; three responses follow, of 4096 + 82 + 4 (AETH), 4096 +
    // 82 and 1808 + 82 + 4 (AETH) bytes; the largest, which is the first, is stored and forwarded
    // h - 1 times.
    for (uint32_t hops : {1u, 4u})
    {
        Build(Chain(hops, 100 * G, US));
        RecordingClient client;
        uint32_t last = topology.GetNodes().size() - 1;
        uint32_t queuePair = Connect(0, last, &client);
        At(5 * US, [&]() { PostRead(queuePair, 10'000, 3); });
        Simulator::Run();
        CheckConservation();
        ASSERT_EQ(transfers.size(), 1u);
        int64_t request = hops * (98 * BYTE + US);
        int64_t responses = (4182 + 4178 + 1894) * BYTE + (hops - 1) * 4182 * BYTE + hops * US;
        EXPECT_EQ(transfers[0].startPs, 5 * US);
        EXPECT_EQ(transfers[0].deliveredPs, 5 * US + request + responses) << hops;
        EXPECT_EQ(transfers[0].completedPs, transfers[0].deliveredPs);
        EXPECT_EQ(transfers[0].sourceNic, Nic(0));
        EXPECT_EQ(transfers[0].destinationNic, Nic(last));
        EXPECT_EQ(transfers[0].bytes, 10'000u);
        // Nobody acknowledges a response.
        EXPECT_EQ(GetSentBytes(Nic(last)), 98u);
        EXPECT_EQ(GetSentBytes(Nic(0)), 4182u + 4178 + 1894);
        EXPECT_EQ(GetRdmaTotals().acks, 0u);
        EXPECT_EQ(GetRdmaTotals().readRequests, 1u);
        ASSERT_EQ(client.calls.size(), 2u);
        EXPECT_EQ(client.calls[0].kind, 'd');
        EXPECT_EQ(client.calls[1].kind, 'c');
        EXPECT_EQ(client.calls[1].timePs, transfers[0].deliveredPs);
        Restart();
    }
}

TEST_F(RdmaReadTest, OneResponseIsFirstAndLast)
{
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    PostRead(Connect(0, 2, &client), 1000);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(transfers.at(0).deliveredPs, 2 * (98 * BYTE + US) + 2 * (1086 * BYTE + US));
}

TEST_F(RdmaReadTest, TheRequestLostCostsATimeout)
{
    BuildLossy();
    Lose(1, {0});
    RecordingClient client;
    PostRead(Connect(0, 2, &client), 1000);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(GetRdmaTotals().timeouts, 1u);
    EXPECT_EQ(GetRdmaTotals().readRequests, 2u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
    EXPECT_EQ(transfers.at(0).deliveredPs, RTO + 2 * (98 * BYTE + US) + 2 * (1086 * BYTE + US));
}

TEST_F(RdmaReadTest, AResponseLostIsAskedForAgain)
{
    BuildLossy();
    Lose(0, {100});
    RecordingClient client;
    PostRead(Connect(0, 2, &client), 4096 * 1000);
    Simulator::Run();
    CheckConservation();
    const RdmaTotals& totals = GetRdmaTotals();
    EXPECT_EQ(totals.timeouts, 0u);
    EXPECT_EQ(totals.readRequests, 2u);
    EXPECT_EQ(CountEvents("gap"), 1u);
    // As with a NAK: what started until the request came is discarded. Frame 101 arrives two hops
    // after its start, the request takes two hops back.
    int64_t loop = 2 * (4178 * BYTE + US) + 2 * (98 * BYTE + US);
    auto outstanding = static_cast<uint64_t>((loop + 4178 * BYTE - 1) / (4178 * BYTE));
    EXPECT_EQ(totals.discardedFrames, outstanding);
    EXPECT_EQ(totals.retransmittedBytes, (outstanding + 1) * 4096);
    EXPECT_EQ(transfers.at(0).retransmittedBytes, totals.retransmittedBytes);
    // The response that starts again is a "first" once more (AETH).
    EXPECT_EQ(GetSentBytes(Nic(0)), (1000 + outstanding + 1) * 4178 + 4 + 4 + 4);
}

TEST_F(RdmaReadTest, TheLastResponseLostCostsATimeout)
{
    BuildLossy();
    Lose(0, {9});
    RecordingClient client;
    PostRead(Connect(0, 2, &client), 4096 * 10);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(GetRdmaTotals().timeouts, 1u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 4096u);
    // Response 8 comes when all nine have left, the first of them being the largest; after the
    // RTO, a request and an "only" response.
    int64_t eighth = 2 * (98 * BYTE + US) + (4182 + 8 * 4178 + 4182) * BYTE + 2 * US;
    EXPECT_EQ(transfers.at(0).deliveredPs,
              eighth + RTO + 2 * (98 * BYTE + US) + 2 * (4182 * BYTE + US));
}

TEST_F(RdmaReadTest, ARequestLostBetweenOthersIsNamedByANak)
{
    BuildLossy();
    Lose(1, {1});
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    for (uint32_t i = 0; i < 4; ++i)
    {
        PostRead(queuePair, 100'000, i);
    }
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    EXPECT_EQ(GetRdmaTotals().naks, 1u);
    // Four, and the three after the first again.
    EXPECT_EQ(GetRdmaTotals().readRequests, 7u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
}

TEST_F(RdmaReadTest, NoMoreThanTheDepthAreOutstanding)
{
    Set("ns3::RoceNic::ReadDepth", 3);
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    for (uint32_t i = 0; i < 40; ++i)
    {
        PostRead(queuePair, 1000, i);
    }
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c')
        {
            EXPECT_LE(GetRdmaTotals().readRequests, call.step + 3);
        }
    };
    Simulator::Run();
    CheckConservation();
    std::vector<uint32_t> order(40);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(client.GetSteps('d'), order);
    EXPECT_EQ(client.GetSteps('c'), order);
    EXPECT_EQ(GetRdmaTotals().readRequests, 40u);
}

TEST_F(RdmaReadTest, ASpuriousTimeoutDoesNoHarm)
{
    // The responses wait 400 us behind a higher priority, many times the RTO: they are asked for
    // again, and start over, without loss.
    Set("ns3::RoceNic::RetransmissionTimeout", "20us");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "50us");
    Build(Star(3, 100 * G, US));
    RecordingClient client;
    PostRead(Connect(0, 2, &client, 1), 500'000, 0);
    Post(Connect(1, 2, &client, 6), 5'000'000, 1);
    Simulator::Run();
    CheckConservation();
    EXPECT_EQ(client.GetSteps('c').size(), 2u);
    EXPECT_GT(GetRdmaTotals().timeouts, 5u);
    EXPECT_GT(GetRdmaTotals().duplicateFrames, 0u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
}

TEST_F(RdmaReadTest, FailsAndTheRunEnds)
{
    Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "4ms");
    Set("ns3::RoceNic::RetryTimeout", "20ms");
    BuildLossy();
    GetLossyBuffer("s1")->lose = [](const LossyBuffer::Arrival& arrival) {
        return arrival.ingress == 0;
    };
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    PostRead(queuePair, 10'000);
    Simulator::Run();
    // 1, 3, 7, 11, 15, 19 ms; at 23 ms it is over.
    EXPECT_EQ(GetRdmaTotals().timeouts, 6u);
    EXPECT_EQ(Simulator::Now(), MilliSeconds(23));
    ASSERT_EQ(client.calls.size(), 1u);
    EXPECT_EQ(client.calls[0].kind, 'f');
    CheckConservation(false);
    network.GetTransport()->DestroyQueuePair(Simulator::Now().GetTimeStep(), queuePair);
}

TEST_F(RdmaReadTest, ThePriorityChangesBetweenRequests)
{
    Set("ns3::RoceNic::ReadDepth", 2);
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client, 2);
    for (uint32_t i = 0; i < 4; ++i)
    {
        PostRead(queuePair, 100'000, i);
    }
    At(3 * US, [&]() {
        network.GetTransport()->Apply(3 * US,
                                      queuePair,
                                      network.GetTransport()->GetDefaultUdpSourcePort(queuePair),
                                      5,
                                      NO_ID);
    });
    Simulator::Run();
    CheckConservation();
    ASSERT_EQ(changes.size(), 1u);
    // Two are under way and end before the change.
    EXPECT_EQ(changes[0].timePs, transfers.at(1).completedPs);
    uint64_t half =
        2 * network.GetTransport()->GetFraming(Nic(0)).GetMessageWireBytes(100'000,
                                                                           RdmaOperation::READ);
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(0), 2).bytes, half);
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(0), 5).bytes, half);
    // Requests travel in the class of the queue pair.
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(2), 2).bytes, 2 * 98u);
    EXPECT_EQ(network.GetFabric()->GetLinkCounters(Nic(2), 5).bytes, 2 * 98u);
}

TEST_F(RdmaReadTest, CongestionIsNotifiedToTheSourceOfTheData)
{
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::RedEcnMarker::Kmin", 5'000);
    Set("ns3::RedEcnMarker::Kmax", 50'000);
    Build(Star(3, 100 * G, US));
    RecordingClient client;
    uint32_t first = Connect(0, 2, &client);
    PostRead(first, 5'000'000, 0);
    PostRead(Connect(1, 2, &client), 5'000'000, 1);
    Simulator::Run();
    CheckConservation();
    EXPECT_GT(GetRdmaTotals().cnps, 2u);
    // The rate was cut: more than twice the time of the two at line rate, less recovery.
    EXPECT_GT(GetLastDelivery(), 10'000'000 * BYTE);
}

} // namespace ns3
