/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/rdma-congestion-control.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// The events that the controllers of a run received.
struct Seen
{
    std::vector<FlowContext> flows;
    std::vector<SendSample> sends;
    std::vector<AckSample> acks;
    uint32_t losses{0};
};

Seen g_seen;

class TellingController : public RateController
{
  public:
    explicit TellingController(uint64_t window)
        : m_window(window)
    {
    }

    double OnSend(SendSample sample) override
    {
        g_seen.sends.push_back(sample);
        return UNPACED;
    }

    void OnAck(const AckSample& sample) override
    {
        g_seen.acks.push_back(sample);
    }

    void OnLoss(int64_t /* now */) override
    {
        ++g_seen.losses;
    }

    SendLimits GetLimits(int64_t /* now */) override
    {
        return {100e9, m_window};
    }

  private:
    uint64_t m_window;
};

/// A congestion control of a program's own: it needs this file and no change elsewhere.
class TellingControl : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TellingControl")
                                .SetParent<RdmaCongestionControl>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<TellingControl>()
                                .HideFromDocumentation()
                                .AddAttribute("Kinds",
                                              "FeedbackKind",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&TellingControl::m_kinds),
                                              MakeUintegerChecker<uint8_t>())
                                .AddAttribute("Window",
                                              "",
                                              UintegerValue(SendLimits::NO_WINDOW),
                                              MakeUintegerAccessor(&TellingControl::m_window),
                                              MakeUintegerChecker<uint64_t>());
        return tid;
    }

    std::unique_ptr<RateController> CreateController(const FlowContext& flow) const override
    {
        g_seen.flows.push_back(flow);
        return std::make_unique<TellingController>(m_window);
    }

    CongestionFeedback GetFeedback() const override
    {
        CongestionFeedback feedback;
        feedback.kinds = m_kinds;
        return feedback;
    }

  private:
    uint8_t m_kinds;
    uint64_t m_window;
};

NS_OBJECT_ENSURE_REGISTERED(TellingControl);

} // namespace

class CongestionSeamTest : public NetworkFixture
{
  protected:
    void Choose(uint8_t kinds, uint64_t window = SendLimits::NO_WINDOW)
    {
        g_seen = Seen();
        Set("ns3::RoceNic::CongestionControl", "ns3::TellingControl");
        Set("ns3::TellingControl::Kinds", uint64_t{kinds});
        Set("ns3::TellingControl::Window", window);
    }

    uint64_t CountEchoes() const
    {
        return std::count_if(g_seen.acks.begin(), g_seen.acks.end(), [](const AckSample& sample) {
            return sample.ecnEchoed;
        });
    }
};

TEST_F(CongestionSeamTest, WhoAsksForNothingGetsNothing)
{
    Choose(0);
    Set("ns3::RedEcnMarker::Kmin", 1);
    Set("ns3::RedEcnMarker::Kmax", 2);
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 409'600), Flow(1, 2, 409'600)});
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_GT(GetFabricTotals().markedFrames, 0u);
    EXPECT_EQ(GetRdmaTotals().cnps, 0u);
    EXPECT_EQ(CountEchoes(), 0u);
    // 100 frames each, an acknowledgement for 16 and for the last: 7.
    EXPECT_EQ(g_seen.sends.size(), 200u);
    ASSERT_EQ(g_seen.acks.size(), 14u);
    uint64_t frames = 0;
    for (const AckSample& sample : g_seen.acks)
    {
        frames += sample.frames;
        EXPECT_EQ(sample.payloadBytes, sample.frames * 4'096u);
        EXPECT_EQ(sample.rttPs, -1);
        EXPECT_EQ(sample.recordCount, 0u);
    }
    EXPECT_EQ(frames, 200u);
}

TEST_F(CongestionSeamTest, AFlowKnowsItsPath)
{
    Choose(FEEDBACK_TIMESTAMP);
    Build(Chain(3, 100 * G, US));
    Run({Flow(0, 3, 4'096)});
    ASSERT_EQ(g_seen.flows.size(), 1u);
    EXPECT_EQ(g_seen.flows[0].lineRateBps, 100 * G);
    EXPECT_EQ(g_seen.flows[0].mtu, 4'096u);
    EXPECT_EQ(g_seen.flows[0].hops, 3u);
    // Three wires of 1 us there and back, a frame of 4,178 and an acknowledgement of 86 bytes at
    // 80 ps a byte on each.
    EXPECT_EQ(g_seen.flows[0].baseRttPs, 6 * US + 3 * (4'178 + 86) * 80);
    // And that is what is measured but for the RETH of the first frame.
    ASSERT_EQ(g_seen.acks.size(), 1u);
    EXPECT_EQ(g_seen.acks[0].rttPs, g_seen.flows[0].baseRttPs + 3 * 16 * 80);
    EXPECT_EQ(g_seen.acks[0].recordCount, 0u);
    EXPECT_EQ(g_seen.acks[0].inFlightBytes, 0u);
}

TEST_F(CongestionSeamTest, MarksAreEchoedOnce)
{
    Choose(FEEDBACK_ECN_ECHO);
    Set("ns3::RoceNic::AckInterval", 1);
    Set("ns3::RedEcnMarker::Kmin", 20'000);
    Set("ns3::RedEcnMarker::Kmax", 20'001);
    Set("ns3::RedEcnMarker::Pmax", "1");
    Build(Star(3, 100 * G, US));
    Run({Flow(0, 2, 409'600), Flow(1, 2, 409'600)});
    ASSERT_EQ(transfers.size(), 2u);
    // With an acknowledgement a frame each mark is told of.
    EXPECT_GT(GetFabricTotals().markedFrames, 0u);
    EXPECT_EQ(CountEchoes(), GetFabricTotals().markedFrames);
    EXPECT_LT(CountEchoes(), g_seen.acks.size());
    EXPECT_EQ(GetRdmaTotals().cnps, 0u);
}

TEST_F(CongestionSeamTest, SwitchesAppendWhatTheyAreAskedFor)
{
    Choose(FEEDBACK_INT);
    Build(Chain(4, 100 * G, US));
    Run({Flow(0, 4, 409'600)});
    ASSERT_FALSE(g_seen.acks.empty());
    for (const AckSample& sample : g_seen.acks)
    {
        EXPECT_EQ(sample.recordCount, 3u); // three switches
        EXPECT_GT(sample.rttPs, 0);
    }
}

TEST_F(CongestionSeamTest, AWindowHoldsFramesBack)
{
    // Two frames and a part of one: three may be in flight.
    Choose(FEEDBACK_TIMESTAMP, 2 * 4'096 + 1);
    Build(Chain(2, 100 * G, US));
    Run({Flow(0, 2, 409'600)});
    ASSERT_EQ(transfers.size(), 1u);
    CheckConservation();
    for (const AckSample& sample : g_seen.acks)
    {
        EXPECT_LE(sample.inFlightBytes, 2u * 4'096);
    }
    // Whole rounds: a round trip of 4 us and 2 x (4,178 + 86) x 80 ps for each frame that asks for
    // an acknowledgement, which is the one that fills the window: 3 frames a round, 34 rounds.
    const int64_t round = 4 * US + 2 * (4'178 + 86) * 80;
    EXPECT_GT(GetLastDelivery(), 33 * round);
    EXPECT_LT(GetLastDelivery(), 35 * (round + 2 * 4'178 * 80));
    // Less than a frame is a frame.
    Restart();
    Choose(FEEDBACK_TIMESTAMP, 1);
    Build(Chain(2, 100 * G, US));
    Run({Flow(0, 2, 40'960)});
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_EQ(g_seen.acks.size(), 10u);
}

TEST_F(CongestionSeamTest, ReadResponsesAreSentAndAcknowledged)
{
    Choose(FEEDBACK_TIMESTAMP | FEEDBACK_INT, 8 * 4'096);
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    const uint32_t queuePair = Connect(0, 1, &client);
    network.GetTransport()->Post(0, queuePair, 4'096'000, MessageTag(), RdmaOperation::READ);
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('c').size(), 1u);
    EXPECT_EQ(g_seen.sends.size(), 1'000u);
    uint64_t frames = 0;
    for (const AckSample& sample : g_seen.acks)
    {
        frames += sample.frames;
        EXPECT_LE(sample.inFlightBytes, 8u * 4'096);
        EXPECT_EQ(sample.recordCount, 1u);
        EXPECT_GT(sample.rttPs, 4 * US);
    }
    EXPECT_EQ(frames, 1'000u);
    CheckConservation();
}

TEST_F(CongestionSeamTest, LostReadResponsesAreALoss)
{
    Choose(FEEDBACK_TIMESTAMP, 64 * 4'096);
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Star(2, 100 * G, US));
    uint32_t seen = 0;
    GetLossyBuffer("s")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.bytes > 1'000 && ++seen % 97 == 0;
    };
    RecordingClient client;
    const uint32_t queuePair = Connect(0, 1, &client);
    network.GetTransport()->Post(0, queuePair, 2'048'000, MessageTag(), RdmaOperation::READ);
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('c').size(), 1u);
    EXPECT_GT(g_seen.losses, 0u);
    CheckConservation();
}

TEST_F(CongestionSeamTest, ANicTellsOfItsOwnQueuePairs)
{
    struct Listener
    {
        void OnMessage(std::string context, const MessageRecord& record)
        {
            messages.emplace_back(context, record.queuePair);
        }

        void OnRtt(const CongestionRecord& record)
        {
            rtts.push_back(record);
        }

        std::vector<std::pair<std::string, uint32_t>> messages;
        std::vector<CongestionRecord> rtts;
    } listener;

    Choose(FEEDBACK_TIMESTAMP);
    Build(Star(3, 100 * G, US));
    const std::string path = "/NodeList/*/DeviceList/*/$ns3::RoceNic/Delivered";
    Config::Connect(path, MakeCallback(&Listener::OnMessage, &listener));
    Config::ConnectWithoutContext("/NodeList/1/DeviceList/*/$ns3::RoceNic/Rtt",
                                  MakeCallback(&Listener::OnRtt, &listener));
    Run({Flow(0, 2, 4'096), Flow(1, 2, 409'600, 10 * US)});
    ASSERT_EQ(listener.messages.size(), 2u);
    EXPECT_EQ(listener.messages[0].first, "/NodeList/2/DeviceList/0/$ns3::RoceNic/Delivered");
    EXPECT_EQ(listener.messages[0].second, 0u);
    EXPECT_EQ(listener.messages[1].second, 1u);
    // Of the second flow alone: 100 frames, an acknowledgement for 16.
    ASSERT_EQ(listener.rtts.size(), 7u);
    EXPECT_EQ(listener.rtts[0].queuePair, 1u);
}

TEST_F(CongestionSeamTest, ResponsesThatNobodyAcknowledgesKnowNoWindow)
{
    // The window of IRN is for WRITE and SEND. A loss has congestion control told of it, which must
    // not bring the window back.
    Set("ns3::RoceNic::LossRecovery", "irn");
    Set("ns3::RoceNic::IrnWindow", 8'192);
    Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
    Build(Star(2, 100 * G, US));
    uint32_t seen = 0;
    GetLossyBuffer("s")->lose = [&](const LossyBuffer::Arrival& arrival) {
        return arrival.bytes > 1'000 && ++seen == 50;
    };
    RecordingClient client;
    const uint32_t queuePair = Connect(0, 1, &client);
    network.GetTransport()->Post(0, queuePair, 1'024'000, MessageTag(), RdmaOperation::READ);
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    EXPECT_EQ(client.GetSteps('c').size(), 1u);
    CheckConservation();
}

TEST_F(CongestionSeamTest, TraceSourcesTell)
{
    struct Listener
    {
        void OnPosted(const MessageRecord& record)
        {
            posted.push_back(record);
        }

        void OnDelivered(const MessageRecord& record)
        {
            delivered.push_back(record);
        }

        void OnCnp(const CongestionRecord& record)
        {
            cnps.push_back(record);
        }

        void OnRate(const CongestionRecord& record)
        {
            rates.push_back(record);
        }

        std::vector<MessageRecord> posted;
        std::vector<MessageRecord> delivered;
        std::vector<CongestionRecord> cnps;
        std::vector<CongestionRecord> rates;
    } listener;

    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Set("ns3::RedEcnMarker::Kmin", 1);
    Set("ns3::RedEcnMarker::Kmax", 2);
    Build(Star(3, 100 * G, US));
    Ptr<RoceTransport> transport = network.GetTransport();
    transport->TraceConnectWithoutContext("Posted", MakeCallback(&Listener::OnPosted, &listener));
    transport->TraceConnectWithoutContext("Delivered",
                                          MakeCallback(&Listener::OnDelivered, &listener));
    transport->TraceConnectWithoutContext("Cnp", MakeCallback(&Listener::OnCnp, &listener));
    transport->TraceConnectWithoutContext("Rate", MakeCallback(&Listener::OnRate, &listener));
    Run({Flow(0, 2, 409'600, 0), Flow(1, 2, 819'200, 100)});
    ASSERT_EQ(transfers.size(), 2u);
    ASSERT_EQ(listener.posted.size(), 2u);
    EXPECT_EQ(listener.posted[1].timePs, 100);
    EXPECT_EQ(listener.posted[1].bytes, 819'200u);
    EXPECT_EQ(listener.posted[1].sourceNic, Nic(1));
    ASSERT_EQ(listener.delivered.size(), 2u);
    EXPECT_EQ(listener.delivered[0].timePs, transfers[0].deliveredPs);
    EXPECT_EQ(listener.delivered[0].bytes, 409'600u);
    // Each CNP that was sent has come; the first one halves the rate.
    ASSERT_GT(listener.cnps.size(), 0u);
    EXPECT_EQ(listener.cnps.size(), GetRdmaTotals().cnps);
    EXPECT_EQ(listener.cnps[0].rateBps, 50e9);
    EXPECT_EQ(listener.rates[0].rateBps, 50e9);
    EXPECT_EQ(listener.rates[0].windowBytes, SendLimits::NO_WINDOW);
    EXPECT_GT(listener.rates.size(), listener.cnps.size());
}

} // namespace ns3
