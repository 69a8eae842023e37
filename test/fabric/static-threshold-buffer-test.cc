/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/switch/threshold-buffer.h"
#include "../fixture/network-fixture.h"

namespace ns3
{

namespace
{

constexpr uint64_t G = 1'000'000'000;

Ptr<ThresholdBuffer>
MakeBuffer(const std::string& type)
{
    return ObjectFactory("ns3::" + type + "ThresholdBuffer").Create<ThresholdBuffer>();
}

std::vector<BufferPort>
MakePorts(uint32_t count, uint64_t rate, int64_t delay, uint32_t frame)
{
    std::vector<BufferPort> ports;
    for (uint32_t i = 0; i < count; ++i)
    {
        ports.push_back({"s.port" + std::to_string(i), rate, delay, frame});
    }
    return ports;
}

/// The switch of the DCQCN paper, section 4: 32 ports of 40 Gb/s, 8 priorities, 12 MB, and 22.4 KB
/// of headroom per port and priority, here 2 x 40 Gb/s x 1.5476 us / 8 = 15,476 B in flight, 2
/// frames of 1500 B, 84 B and 3,840 B of response.
std::vector<BufferPort>
PaperPorts()
{
    return MakePorts(32, 40 * G, 1'547'600, 1'500);
}

/// Admits bytes one by one until one causes a pause. \returns how many were admitted before
uint64_t
FillUntilPause(ThresholdBuffer& buffer, uint32_t ingress, uint32_t priority, uint64_t most)
{
    for (uint64_t bytes = 0; bytes < most; ++bytes)
    {
        if (buffer.Admit(ingress, 0, priority, 1, true) != BufferVerdict::ADMIT)
        {
            return bytes;
        }
    }
    return most;
}

} // namespace

TEST(StaticThresholdBufferTest, PfcThresholdOfTheDcqcnPaper)
{
    // t_PFC = (B - 8 n t_flight) / (8 n) = (12,000,000 - 8 x 32 x 22,400) / (8 x 32)
    //       = (12,000,000 - 5,734,400) / 256 = 6,265,600 / 256 = 24,475.
    Ptr<ThresholdBuffer> buffer = MakeBuffer("Static");
    ASSERT_EQ(buffer->GetReserve(PaperPorts()[0]), 15'476u + 2 * 1'500 + 84 + 3'840);
    ASSERT_EQ(buffer->GetReserve(PaperPorts()[0]), 22'400u);
    ASSERT_EQ(buffer->Configure(12'000'000, PaperPorts(), 8, 0xff), "");
    EXPECT_EQ(buffer->GetHeadroomSize(), 5'734'400u);
    EXPECT_EQ(buffer->GetSharedSize(), 6'265'600u);
    // Exactly that many bytes, in every account at once: they share out the whole pool.
    for (uint32_t port = 0; port < 32; ++port)
    {
        for (uint32_t priority = 0; priority < 8; ++priority)
        {
            EXPECT_EQ(buffer->Admit(port, 0, priority, 24'475, true), BufferVerdict::ADMIT);
        }
    }
    EXPECT_EQ(buffer->GetUsedBytes(), 6'265'600u);
    for (uint32_t port = 0; port < 32; ++port)
    {
        for (uint32_t priority = 0; priority < 8; ++priority)
        {
            EXPECT_EQ(buffer->Admit(port, 0, priority, 22'400, true), BufferVerdict::PAUSE);
            EXPECT_EQ(buffer->Admit(port, 0, priority, 1, true), BufferVerdict::DROP);
        }
    }
    EXPECT_EQ(buffer->GetUsedBytes(), 12'000'000u);
    EXPECT_EQ(buffer->GetPeakBytes(), 12'000'000u);
}

TEST(StaticThresholdBufferTest, EcnBeforePfcWithADynamicThresholdOfTheDcqcnPaper)
{
    // t_PFC = beta (B - 8 n t_flight - s) / 8, so that Alpha = beta / 8 = 1. With t_ECN in each of
    // 8 n egress queues, s = 8 n t_ECN, and an ingress may have n t_ECN of one priority in them
    // all: PFC waits for ECN if beta (6,265,600 - 8 n t_ECN) / 8 > n t_ECN, that is t_ECN < beta
    // 6,265,600 / (8 n (beta + 1)) = 8 x 6,265,600 / (256 x 9) = 21,755.56.
    for (uint64_t ecn : {21'755, 21'756})
    {
        Ptr<ThresholdBuffer> buffer = MakeBuffer("Dynamic");
        buffer->SetAttribute("Alpha", DoubleValue(1));
        ASSERT_EQ(buffer->Configure(12'000'000, PaperPorts(), 8, 0xff), "");
        for (uint32_t priority = 0; priority < 7; ++priority)
        {
            EXPECT_EQ(buffer->Admit(0, 0, priority, 32 * ecn, true), BufferVerdict::ADMIT);
        }
        // The threshold is taken before a byte is counted, hence the one more.
        uint64_t held = FillUntilPause(*buffer, 0, 7, 32 * ecn);
        EXPECT_EQ(held, std::min(32 * ecn, (6'265'600 - 7 * 32 * ecn) / 2)) << ecn;
        EXPECT_EQ(held == 32 * ecn, ecn == 21'755) << ecn;
    }
}

TEST(StaticThresholdBufferTest, ThresholdDoesNotDependOnOthers)
{
    Ptr<ThresholdBuffer> buffer = MakeBuffer("Static");
    buffer->SetAttribute("Threshold", UintegerValue(10'000));
    buffer->SetAttribute("LossyThreshold", UintegerValue(7'000));
    // Two lossless accounts with 2 x 1000 + 84 + 3840 of headroom; 50,000 B to share.
    ASSERT_EQ(buffer->Configure(50'000 + 2 * 5'924, MakePorts(2, 100 * G, 0, 1'000), 2, 2), "");
    EXPECT_EQ(buffer->GetSharedSize(), 50'000u);
    EXPECT_EQ(FillUntilPause(*buffer, 0, 1, 20'000), 10'000u);
    EXPECT_EQ(FillUntilPause(*buffer, 1, 1, 20'000), 10'000u);
    EXPECT_EQ(buffer->Admit(0, 0, 0, 7'000, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 0, 0, 1, true), BufferVerdict::DROP);
    // It resumes at 3,000 B (ResumeOffset) below the threshold, the headroom being empty.
    EXPECT_FALSE(buffer->Resume(0, 1));
    buffer->Release(0, 1, 1); // of headroom
    EXPECT_FALSE(buffer->Resume(0, 1));
    buffer->Release(0, 1, 2'999);
    EXPECT_FALSE(buffer->Resume(0, 1));
    buffer->Release(0, 1, 1);
    EXPECT_TRUE(buffer->Resume(0, 1));
    EXPECT_FALSE(buffer->Resume(0, 1));
    EXPECT_EQ(FillUntilPause(*buffer, 0, 1, 20'000), 3'000u);
}

TEST(StaticThresholdBufferTest, AFullPoolPausesBelowTheThreshold)
{
    Ptr<ThresholdBuffer> buffer = MakeBuffer("Static");
    buffer->SetAttribute("Threshold", UintegerValue(10'000));
    ASSERT_EQ(buffer->Configure(15'000 + 2 * 5'924, MakePorts(2, 100 * G, 0, 1'000), 2, 2), "");
    EXPECT_EQ(buffer->Admit(0, 0, 1, 10'000, true), BufferVerdict::ADMIT);
    // 5,000 are left of the pool, whatever the threshold says.
    EXPECT_EQ(FillUntilPause(*buffer, 1, 1, 20'000), 5'000u);
    // Without exact numbers it does not pause.
    buffer->Release(1, 1, 1);
    EXPECT_EQ(buffer->Admit(0, 0, 1, 1, false), BufferVerdict::UNCERTAIN);
}

TEST(StaticThresholdBufferTest, AnIncastIsLossless)
{
    class Network : public NetworkFixture
    {
      public:
        void TestBody() override
        {
            SetUp();
            // 1/48 of 1 MB less the headroom of 8 ports x 6 priorities is less than a frame for
            // some buffers: then each frame pauses, and still none is lost.
            for (uint64_t buffer : {2'000'000, 8'000'000})
            {
                Set("ns3::FabricSwitch::BufferManager", "ns3::StaticThresholdBuffer");
                Set("ns3::FabricSwitch::BufferSize", buffer);
                Build(Star(8, 100 * G, US));
                std::vector<PlainFlow> list;
                for (uint32_t i = 1; i < 8; ++i)
                {
                    list.push_back(Flow(i, 0, 2'000'000, 0, static_cast<uint8_t>(1 + i % 6)));
                }
                Run(list);
                CheckConservation();
                EXPECT_EQ(GetFabricTotals().dropped, 0u);
                EXPECT_GT(GetFabricTotals().xoff, 0u);
                EXPECT_EQ(transfers.size(), 7u);
                Restart();
            }
            TearDown();
        }
    };

    Network().TestBody();
}

} // namespace ns3
