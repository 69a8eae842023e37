/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <memory>

namespace ns3
{

class QueuePairLifetimeTest : public NetworkFixture
{
  protected:
    void Destroy(uint32_t queuePair)
    {
        network.GetTransport()->DestroyQueuePair(Simulator::Now().GetTimeStep(), queuePair);
    }

    bool IsAlive(uint32_t queuePair) const
    {
        return network.GetTransport()->GetQueuePair(queuePair) != nullptr;
    }
};

TEST_F(QueuePairLifetimeTest, IdsAreNotUsedAgain)
{
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    EXPECT_EQ(Connect(0, 1, &client), 0u);
    EXPECT_EQ(Connect(0, 1, &client), 1u);
    Destroy(0);
    EXPECT_FALSE(IsAlive(0));
    EXPECT_TRUE(IsAlive(1));
    EXPECT_EQ(Connect(0, 1, &client), 2u);
    EXPECT_EQ(network.GetTransport()->GetQueuePairCount(), 3u);
    Post(2, 1000);
    Post(1, 1000);
    Simulator::Run();
    EXPECT_EQ(transfers.size(), 2u);
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, DestroyedWhenTheLastMessageIsCompleted)
{
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step == 2)
        {
            Destroy(call.queuePair);
        }
    };
    uint32_t queuePair = Connect(0, 1, &client);
    for (uint32_t i = 0; i < 3; ++i)
    {
        Post(queuePair, 10'000, i);
    }
    Simulator::Run();
    EXPECT_FALSE(IsAlive(queuePair));
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0, 1, 2}));
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, DestroyedWhenOneAcknowledgementCompletesSeveralMessages)
{
    // The ACK of the first message is lost; that of the second completes both.
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Chain(2, 100 * G, US));
    bool first = true;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        bool lose = arrival.priority == 7 && first;
        first = first && !lose;
        return lose;
    };
    RecordingClient client;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step == 1)
        {
            Destroy(call.queuePair);
        }
    };
    uint32_t queuePair = Connect(0, 2, &client);
    Post(queuePair, 1'000, 0);
    Post(queuePair, 1'000, 1);
    Simulator::Run();
    EXPECT_FALSE(IsAlive(queuePair));
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(GetRdmaTotals().timeouts, 0u);
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, LateFramesOfADestroyedQueuePairAreDiscarded)
{
    // A timeout shorter than the round trip: repeated frames are on their way when the message is
    // completed, and arrive at nobody, as do the acknowledgements of those that came before.
    Set("ns3::RoceNic::RetransmissionTimeout", "5us");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "5us");
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Build(Chain(2, 100 * G, 10 * US));
    RecordingClient client;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c')
        {
            Destroy(call.queuePair);
        }
    };
    uint32_t queuePair = Connect(0, 2, &client);
    Post(queuePair, 40'960);
    Simulator::Run();
    EXPECT_FALSE(IsAlive(queuePair));
    EXPECT_GT(GetRdmaTotals().retransmittedBytes, 0u);
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, DestroyedWhileItWaitsInTheNicToRepeatWhatHasArrived)
{
    // A spurious timeout has put the queue pair back into its ring, behind a higher priority, when
    // the acknowledgement comes: it has nothing left to send, and may be destroyed.
    Set("ns3::RoceNic::RetransmissionTimeout", "30us");
    Build(Chain(2, 100 * G, 10 * US));
    RecordingClient client;
    bool waited = false;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c' && call.step == 1)
        {
            waited =
                network.GetTransport()->GetQueuePair(call.queuePair)->place != ArbiterPlace::IDLE;
            Destroy(call.queuePair);
        }
    };
    uint32_t low = Connect(0, 2, &client, 1);
    uint32_t high = Connect(0, 2, &client, 5);
    Post(low, 40'960, 1);
    At(5 * US, [&]() { Post(high, 1'000'000, 2); });
    Simulator::Run();
    EXPECT_TRUE(waited);
    EXPECT_FALSE(IsAlive(low));
    EXPECT_TRUE(IsAlive(high));
    EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{1, 2}));
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, DestroyedWhileItWaitsForItsPacing)
{
    // The same with a paced queue pair, whose frames are 1 ms apart.
    Set("ns3::RoceNic::RetransmissionTimeout", "30us");
    Set("ns3::FixedRate::Rate", "33Mbps");
    Build(Chain(2, 100 * G, 10 * US));
    RecordingClient client;
    bool waited = false;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c')
        {
            waited =
                network.GetTransport()->GetQueuePair(call.queuePair)->place == ArbiterPlace::PACED;
            Destroy(call.queuePair);
        }
    };
    uint32_t queuePair = Connect(0, 2, &client);
    Post(queuePair, 1'000);
    Simulator::Run();
    EXPECT_TRUE(waited);
    EXPECT_FALSE(IsAlive(queuePair));
    EXPECT_EQ(GetRdmaTotals().timeouts, 1u);
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, AFailedOneIsDestroyedAndItsClientIsLeftAlone)
{
    // All acknowledgements are lost. It fails while it waits in the ring; the client destroys it
    // and goes, while frames of it are still under way.
    Set("ns3::RoceNic::RetransmissionTimeout", "50us");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "50us");
    Set("ns3::RoceNic::RetryTimeout", "400us");
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Chain(2, 100 * G, 20 * US));
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.priority == 7;
    };
    auto client = std::make_unique<RecordingClient>();
    RecordingClient other;
    uint32_t doomed = Connect(0, 2, client.get(), 1);
    uint32_t high = Connect(0, 2, &other, 5);
    uint32_t failures = 0;
    client->react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'f')
        {
            ++failures;
            Destroy(doomed);
            At(Simulator::Now().GetTimeStep(), [&]() { client.reset(); });
        }
    };
    Post(doomed, 4'096'000);
    At(310 * US, [&]() { Post(high, 40'960'000); });
    Simulator::Stop(MilliSeconds(20));
    Simulator::Run();
    EXPECT_EQ(failures, 1u);
    EXPECT_FALSE(IsAlive(doomed));
    EXPECT_FALSE(client);
    EXPECT_GT(GetFabricTotals().delivered, 0u);
}

TEST_F(QueuePairLifetimeTest, DestroyedDuringTheIntervalOfANotification)
{
    // The timer of the receiver's CNP interval is pending when the message ends.
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::RedEcnMarker::Kmin", 1'000);
    Set("ns3::RedEcnMarker::Kmax", 1'000);
    Build(Star(3, 100 * G, US));
    RecordingClient client;
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c')
        {
            Destroy(call.queuePair);
        }
    };
    uint32_t a = Connect(0, 2, &client);
    uint32_t b = Connect(1, 2, &client);
    Post(a, 100'000);
    Post(b, 100'000);
    Simulator::Run();
    EXPECT_EQ(GetRdmaTotals().cnps, 2u);
    EXPECT_FALSE(IsAlive(a));
    EXPECT_FALSE(IsAlive(b));
    // No timer was left: the run ended long before the RTO and the CNP interval of 50 us.
    EXPECT_LT(Simulator::Now(), MicroSeconds(45));
    CheckConservation();
}

TEST_F(QueuePairLifetimeTest, AThousandInARowLeaveNothingBehind)
{
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    uint32_t made = 0;
    std::function<void()> next = [&]() {
        uint32_t queuePair = Connect(0, 1, &client, 1 + made % 6);
        Post(queuePair, 1 + made % 5'000, made);
        ++made;
    };
    client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'c')
        {
            Destroy(call.queuePair);
            if (made < 1'000)
            {
                next();
            }
        }
    };
    next();
    Simulator::Run();
    EXPECT_EQ(transfers.size(), 1'000u);
    for (uint32_t id = 0; id < 1'000; ++id)
    {
        ASSERT_FALSE(IsAlive(id));
    }
    CheckConservation();
}

} // namespace ns3
