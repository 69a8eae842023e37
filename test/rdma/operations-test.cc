/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

class RdmaOperationsTest : public NetworkFixture
{
  protected:
    void PostOperation(uint32_t queuePair, uint64_t bytes, RdmaOperation operation, uint32_t step)
    {
        MessageTag tag;
        tag.step = step;
        network.GetTransport()->Post(Simulator::Now().GetTimeStep(),
                                     queuePair,
                                     bytes,
                                     tag,
                                     operation);
    }
};

TEST_F(RdmaOperationsTest, SizesOnTheWire)
{
    RoceFraming framing;
    framing.mtu = 1000;
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 20: 82.
    // SEND: nothing else. 2,500 B: 1000 + 1000 + 500 and three headers.
    EXPECT_EQ(framing.GetMessageWireBytes(2500, RdmaOperation::SEND), 2500u + 3 * 82);
    EXPECT_EQ(framing.GetMessageWireBytes(1000, RdmaOperation::SEND), 1082u);
    EXPECT_EQ(framing.GetMessageWireBytes(1, RdmaOperation::SEND), 4u + 82);
    // WRITE: RETH 16 on the first or only.
    EXPECT_EQ(framing.GetMessageWireBytes(2500, RdmaOperation::WRITE), 2500u + 3 * 82 + 16);
    // READ: AETH 4 on the first and the last response, or on the only one.
    EXPECT_EQ(framing.GetMessageWireBytes(2500, RdmaOperation::READ), 2500u + 3 * 82 + 2 * 4);
    EXPECT_EQ(framing.GetMessageWireBytes(2000, RdmaOperation::READ), 2000u + 2 * 82 + 2 * 4);
    EXPECT_EQ(framing.GetMessageWireBytes(1000, RdmaOperation::READ), 1000u + 82 + 4);
    EXPECT_EQ(framing.GetReadRequestWireBytes(), 98u);
    framing.headerBytes = 48;
    framing.gapBytes = 0;
    for (RdmaOperation operation : {RdmaOperation::WRITE, RdmaOperation::SEND, RdmaOperation::READ})
    {
        EXPECT_EQ(framing.GetMessageWireBytes(2500, operation), 2500u + 3 * 48);
    }
}

TEST_F(RdmaOperationsTest, ASendTakesNoReth)
{
    // Two hops at 100 Gb/s (80 ps a byte): 10,000 B are frames of 4096, 4096 and 1808 B. The
    // largest, 4178 B on the wire, is stored and forwarded once.
    int64_t wire = 4178 + 4178 + 1890;
    for (RdmaOperation operation : {RdmaOperation::SEND, RdmaOperation::WRITE})
    {
        int64_t reth = operation == RdmaOperation::WRITE ? 16 : 0;
        Build(Chain(2, 100 * G, US));
        RecordingClient client;
        PostOperation(Connect(0, 2, &client), 10'000, operation, 7);
        Simulator::Run();
        CheckConservation();
        ASSERT_EQ(transfers.size(), 1u);
        // A WRITE's first frame is the largest: its RETH is sent twice.
        EXPECT_EQ(transfers[0].deliveredPs, (wire + reth + 4178 + reth) * 80 + 2 * US);
        EXPECT_EQ(GetSentBytes(Nic(0)), static_cast<uint64_t>(wire + reth));
        EXPECT_EQ(GetSentBytes(Nic(2)), 86u);
        EXPECT_EQ(client.GetSteps('d'), (std::vector<uint32_t>{7}));
        EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{7}));
        Restart();
    }
}

TEST_F(RdmaOperationsTest, SendsAndWritesShareAQueuePairInOrder)
{
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Set("ns3::RoceNic::RetransmissionTimeout", "200us");
    Build(Chain(2, 100 * G, US));
    uint64_t count = 0;
    GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival&) {
        return MixBits(count++) % 50 == 0;
    };
    RecordingClient client;
    uint32_t queuePair = Connect(0, 2, &client);
    for (uint32_t i = 0; i < 100; ++i)
    {
        PostOperation(queuePair,
                      1 + i * 977 % 30'000,
                      i % 3 == 0 ? RdmaOperation::WRITE : RdmaOperation::SEND,
                      i);
    }
    Simulator::Run();
    CheckConservation();
    std::vector<uint32_t> order(100);
    std::iota(order.begin(), order.end(), 0);
    EXPECT_EQ(client.GetSteps('d'), order);
    EXPECT_EQ(client.GetSteps('c'), order);
    EXPECT_GT(GetFabricTotals().dropped, 0u);
}

TEST_F(RdmaOperationsTest, AFailedQueuePairIsSilent)
{
    // From 30 us on nothing of queue pair 0 comes back, while its data still arrives: its
    // requester fails, what is under way is dropped at the receiver, and the other goes on.
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Set("ns3::RoceNic::RetransmissionTimeout", "100us");
    Set("ns3::RoceNic::MaxRetransmissionTimeout", "100us");
    Set("ns3::RoceNic::RetryTimeout", "1ms");
    for (const char* recovery : {"go-back-n", "irn"})
    {
        Set("ns3::RoceNic::LossRecovery", recovery);
        Build(Star(3, 100 * G, US));
        GetLossyBuffer("s")->lose = [](const LossyBuffer::Arrival& arrival) {
            return arrival.priority == 7 && arrival.ingress == 1 &&
                   Simulator::Now() > MicroSeconds(30);
        };
        RecordingClient client;
        uint32_t doomed = Connect(0, 1, &client, 4);
        uint32_t other = Connect(0, 2, &client, 4);
        PostOperation(doomed, 10'000'000, RdmaOperation::WRITE, 0);
        PostOperation(other, 10'000'000, RdmaOperation::SEND, 1);
        Simulator::Run();
        EXPECT_EQ(CountEvents("failed"), 1u) << recovery;
        ASSERT_EQ(client.GetSteps('f').size(), 1u);
        EXPECT_EQ(client.GetSteps('c'), (std::vector<uint32_t>{1}));
        EXPECT_EQ(GetRdmaTotals().failures, 1u);
        // 30 us, and 1 ms until the next timeout at which that has passed.
        EXPECT_LT(Simulator::Now(), MilliSeconds(3));
        CheckConservation(false);
        Restart();
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Set("ns3::RoceNic::RetransmissionTimeout", "100us");
        Set("ns3::RoceNic::MaxRetransmissionTimeout", "100us");
        Set("ns3::RoceNic::RetryTimeout", "1ms");
    }
}

TEST_F(RdmaOperationsTest, MisuseAborts)
{
    ::testing::FLAGS_gtest_death_test_style = "fast";
    Build(Chain(1, 100 * G, US));
    RecordingClient client;
    uint32_t writes = Connect(0, 1, &client);
    PostOperation(writes, 1, RdmaOperation::SEND, 0);
    EXPECT_DEATH(PostOperation(writes, 1, RdmaOperation::READ, 1), "either READs");
    uint32_t reads = Connect(0, 1, &client);
    EXPECT_DEATH(PostOperation(reads, (uint64_t{1} << 31) + 1, RdmaOperation::READ, 1), "2\\^31");
    PostOperation(reads, 1, RdmaOperation::READ, 0);
    EXPECT_DEATH(PostOperation(reads, 1, RdmaOperation::WRITE, 1), "either READs");
}

} // namespace ns3
