/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/switch/threshold-buffer.h"
#include "../fixture/network-fixture.h"

#include "ns3/counter-random.h"

#include <deque>

namespace ns3
{

/// Reserves, headroom and its pool, which both kinds of threshold share.
class ThresholdBufferTest : public NetworkFixture
{
  protected:
    static std::vector<BufferPort> MakePorts(uint32_t count,
                                             uint64_t rate,
                                             int64_t delay,
                                             uint32_t frame)
    {
        std::vector<BufferPort> ports;
        for (uint32_t i = 0; i < count; ++i)
        {
            ports.push_back({"s.port" + std::to_string(i), rate, delay, frame});
        }
        return ports;
    }

    /// Each lossless account: 2 x 1000 + 84 + 3840 = 5,924 B of headroom.
    static std::vector<BufferPort> SmallPorts(uint32_t count)
    {
        return MakePorts(count, 100 * G, 0, 1'000);
    }

    Ptr<ThresholdBuffer> buffer = CreateObject<DynamicThresholdBuffer>();
};

TEST_F(ThresholdBufferTest, HeadroomOfLargeSwitches)
{
    // Frames of 4158 B, 1 us. 200G: 50,000 + 2 x 4158 + 84 + 3840 = 62,240; 400G: 112,240. What is
    // set aside has a third frame in place of the response: 62,558 and 112,558.
    struct Row
    {
        uint32_t ports;
        uint64_t rate;
        uint64_t standard;
        double published; ///< [MB]
    };

    for (const Row& row : {Row{48, 200 * G, 62'240, 23.9}, Row{64, 400 * G, 112'240, 57.5}})
    {
        auto ports = MakePorts(row.ports, row.rate, US, 4'158);
        EXPECT_EQ(buffer->GetHeadroom(ports[0]), row.standard);
        uint64_t sum = row.ports * 8 * row.standard;
        EXPECT_NEAR(sum / 1e6, row.published, 0.05);
        uint64_t aside = row.ports * 8 * (row.standard - 3'840 + 4'158);
        EXPECT_EQ(buffer->Configure(aside + 1, ports, 8, 0xff), "");
        EXPECT_EQ(buffer->GetHeadroomSize(), aside);
        EXPECT_EQ(buffer->GetSharedSize(), 1u);
        // Not one byte to share: refused at the last port.
        std::string error = buffer->Configure(aside, ports, 8, 0xff);
        EXPECT_NE(error.find("s.port" + std::to_string(row.ports - 1) + " takes"),
                  std::string::npos)
            << error;
    }
}

TEST_F(ThresholdBufferTest, PresetsOfBufferSizes)
{
    // 32 MB hold 32 ports of 400G with 8 lossless priorities (28.8 MB of headroom), not 64.
    auto configuration = CreateObject<FabricSwitch>();
    EXPECT_EQ(configuration->GetBufferSize(64 * 400 * G), 32'000'000u); // the default, as set
    configuration->SetAttribute("BufferSize", UintegerValue(0));
    for (uint32_t count : {1u, 32u, 33u, 64u, 65u, 128u})
    {
        uint64_t size = configuration->GetBufferSize(count * 400 * G);
        EXPECT_EQ(size, count <= 32 ? 32'000'000u : count <= 64 ? 64'000'000u : 128'000'000u);
        EXPECT_EQ(buffer->Configure(size, MakePorts(count, 400 * G, US, 4'158), 8, 0xff), "")
            << count;
    }
    EXPECT_NE(buffer->Configure(32'000'000, MakePorts(64, 400 * G, US, 4'158), 8, 0xff), "");
    // A pool of 8 MB instead fits.
    buffer->SetAttribute("HeadroomPool", UintegerValue(8'000'000));
    EXPECT_EQ(buffer->Configure(32'000'000, MakePorts(64, 400 * G, US, 4'158), 8, 0xff), "");
    EXPECT_EQ(buffer->GetSharedSize(), 24'000'000u);
}

TEST_F(ThresholdBufferTest, ReservesComeFirstAndGoLast)
{
    buffer->SetAttribute("ReservedBytes", UintegerValue(2'000));
    buffer->SetAttribute("Alpha", DoubleValue(1));
    // 2 ports x 2 priorities, one of them lossless: 4 x 2,000 reserved, 2 x 5,924 of headroom.
    ASSERT_EQ(buffer->Configure(10'000 + 8'000 + 2 * 5'924, SmallPorts(2), 2, 2), "");
    EXPECT_EQ(buffer->GetSharedSize(), 10'000u);
    // Alpha 1: 2,000 reserved and 5,000 shared, for then as much is free.
    EXPECT_EQ(buffer->Admit(0, 0, 1, 7'000, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 0, 1, 1, true), BufferVerdict::PAUSE);
    EXPECT_EQ(buffer->GetUsedBytes(), 7'001u);
    // The lossy account of the same port: 2,000 and, with LossyAlpha 1, half of the other 5,000.
    EXPECT_EQ(buffer->Admit(0, 0, 0, 4'500, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 0, 0, 1, true), BufferVerdict::DROP);
    // 2,500 free. The other port's lossless one has its 2,000 whatever is free.
    EXPECT_EQ(buffer->Admit(1, 0, 1, 1'999, false), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(1, 0, 1, 1, false), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->GetUsedBytes(), 7'001u + 4'500u + 2'000u);
    // Port 0 releases: the byte of headroom, then the share; it resumes before the reserve empties.
    EXPECT_FALSE(buffer->Resume(0, 1));
    buffer->Release(0, 1, 1);
    // Shared 5,000 + 3,000 > 2,500 free.
    EXPECT_FALSE(buffer->Resume(0, 1));
    buffer->Release(0, 1, 2'750);
    // Shared 2,250 + 3,000 = 5,250 <= 2,500 + 2,750 free.
    EXPECT_TRUE(buffer->Resume(0, 1));
    buffer->Release(0, 1, 2'250 + 2'000);
    buffer->Release(0, 0, 4'500);
    buffer->Release(1, 1, 2'000);
    EXPECT_EQ(buffer->GetUsedBytes(), 0u);
    EXPECT_EQ(buffer->GetPeakBytes(), 13'501u);
    // All of the pool is free again.
    EXPECT_EQ(buffer->Admit(0, 0, 1, 7'000, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 0, 1, 1, true), BufferVerdict::PAUSE);
}

TEST_F(ThresholdBufferTest, RefusalNamesThePort)
{
    // 4 ports, 2 priorities: 10,000 B each reserved, 5,924 B of headroom for the lossless one.
    // Ports 0 to 2 need 3 x (20,000 + 5,924) = 77,772.
    buffer->SetAttribute("ReservedBytes", UintegerValue(10'000));
    EXPECT_EQ(buffer->Configure(110'000, SmallPorts(4), 2, 2), "");
    EXPECT_EQ(
        buffer->Configure(77'000, SmallPorts(4), 2, 2),
        "the headroom of the ports up to s.port2 takes 17772 B (5924 B for each of its "
        "lossless priorities) and the reserves of the ports up to s.port2 take 60000 B (10000 "
        "B for each priority), which does not leave any of the buffer of 77000 B to share");
    buffer->SetAttribute("HeadroomPool", UintegerValue(20'000));
    EXPECT_EQ(buffer->Configure(80'000, SmallPorts(4), 2, 2),
              "HeadroomPool takes 20000 B and the reserves of the ports up to s.port2 take 60000 B "
              "(10000 B for each priority), which does not leave any of the buffer of 80000 B to "
              "share");
    buffer->SetAttribute("HeadroomPool", UintegerValue(5'923));
    EXPECT_EQ(buffer->Configure(1'000'000, SmallPorts(4), 2, 2),
              "a lossless priority of s.port0 may need 5924 B of headroom, which is more than "
              "HeadroomPool (5923 B)");
    // Through the fabric: the sentence starts with the switch.
    Set("ns3::DynamicThresholdBuffer::ReservedBytes", 1'000'000);
    topology = Star(5, 100 * G, US);
    std::vector<std::string> errors = FindFaults(topology);
    ASSERT_EQ(errors.size(), 1u);
    // 32 MB hold the 8 MB and 226 KB of three ports, not those of a fourth.
    EXPECT_NE(errors[0].find("s: the headroom of the ports up to s.port3"), std::string::npos)
        << errors[0];
}

TEST_F(ThresholdBufferTest, HeadroomPoolIsDrawnFromByAllPorts)
{
    buffer->SetAttribute("HeadroomPool", UintegerValue(10'000));
    buffer->SetAttribute("Alpha", DoubleValue(0.01));
    ASSERT_EQ(buffer->Configure(110'000, SmallPorts(4), 2, 2), "");
    EXPECT_EQ(buffer->GetSharedSize(), 100'000u);
    EXPECT_FALSE(buffer->IsLossless());
    for (uint32_t port = 0; port < 4; ++port)
    {
        // 0.01 x 100,000 B and a little less each time, as the others hold some.
        EXPECT_EQ(buffer->Admit(port, 0, 1, 950, true), BufferVerdict::ADMIT);
    }
    EXPECT_EQ(buffer->Admit(0, 0, 1, 5'000, true), BufferVerdict::PAUSE);
    // Its own limit is 5,924 still.
    EXPECT_EQ(buffer->Admit(0, 0, 1, 925, true), BufferVerdict::DROP);
    EXPECT_EQ(buffer->Admit(0, 0, 1, 924, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(1, 0, 1, 4'000, true), BufferVerdict::PAUSE);
    // 10,000 - 9,924 = 76 are left for all others; exact numbers are asked for before a drop.
    EXPECT_EQ(buffer->Admit(2, 0, 1, 77, false), BufferVerdict::UNCERTAIN);
    EXPECT_EQ(buffer->Admit(2, 0, 1, 77, true), BufferVerdict::DROP);
    EXPECT_EQ(buffer->Admit(2, 0, 1, 76, true), BufferVerdict::PAUSE);
    EXPECT_EQ(buffer->Admit(1, 0, 1, 1, false), BufferVerdict::UNCERTAIN);
    EXPECT_EQ(buffer->Admit(1, 0, 1, 1, true), BufferVerdict::DROP);
    buffer->Release(0, 1, 5'924);
    EXPECT_EQ(buffer->Admit(3, 0, 1, 5'924, true), BufferVerdict::PAUSE);
    // One that holds the headroom of all keeps the promise.
    buffer->SetAttribute("HeadroomPool", UintegerValue(4 * 5'924));
    EXPECT_EQ(buffer->Configure(110'000, SmallPorts(4), 2, 2), "");
    EXPECT_TRUE(buffer->IsLossless());
}

TEST_F(ThresholdBufferTest, PooledHeadroomServesAnIncastOnSeveralPorts)
{
    // 6 lossless priorities x 8 ports x 37,666 B = 1.8 MB, more than the buffer of 1 MB. One
    // priority is used, by 7 ports, which need 7 x 37,666 = 264 KB at most.
    topology = Star(8, 100 * G, US);
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    EXPECT_EQ(network.Build(topology, 1).size(), 1u);
    Restart();
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    Set("ns3::DynamicThresholdBuffer::HeadroomPool", 264'000);
    Build(Star(8, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 1; i < 8; ++i)
    {
        list.push_back(Flow(i, 0, 2'000'000));
    }
    Run(list);
    CheckConservation();
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    EXPECT_LE(network.GetFabric()->GetBufferPeak(0), 1'000'000u);
}

TEST_F(ThresholdBufferTest, RandomSequencesConserveBytes)
{
    // Whatever is admitted is released in order; the sum of the parts is what is held, and never
    // more than the buffer.
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        for (const char* type : {"Dynamic", "Static"})
        {
            auto random = ObjectFactory(std::string("ns3::") + type + "ThresholdBuffer")
                              .Create<ThresholdBuffer>();
            random->SetAttribute("ReservedBytes", UintegerValue(seed % 3 * 1'500));
            random->SetAttribute("HeadroomPool", UintegerValue(seed % 2 * 9'000));
            const uint64_t size = 120'000;
            ASSERT_EQ(random->Configure(size, SmallPorts(4), 3, 0b110), "");

            struct Held
            {
                uint32_t port;
                uint32_t priority;
                uint32_t bytes;
            };

            std::deque<Held> held;
            std::vector<bool> paused(12, false);
            uint64_t sum = 0;
            uint64_t peak = 0;
            uint64_t verdicts[4] = {};
            for (uint64_t step = 0; step < 20'000; ++step)
            {
                uint64_t draw = CounterRandom(seed, HashName(type), step);
                if (draw % 100 < 55)
                {
                    Held frame{static_cast<uint32_t>(draw >> 8) % 4,
                               static_cast<uint32_t>(draw >> 16) % 3,
                               64 + static_cast<uint32_t>(draw >> 24) % 937};
                    BufferVerdict verdict =
                        random->Admit(frame.port, 0, frame.priority, frame.bytes, true);
                    ++verdicts[static_cast<int>(verdict)];
                    if (verdict != BufferVerdict::DROP)
                    {
                        held.push_back(frame);
                        sum += frame.bytes;
                    }
                    if (verdict == BufferVerdict::PAUSE)
                    {
                        EXPECT_NE(frame.priority, 0u);
                        EXPECT_FALSE(paused[frame.port * 3 + frame.priority]);
                        paused[frame.port * 3 + frame.priority] = true;
                    }
                }
                else if (!held.empty())
                {
                    Held frame = held.front();
                    held.pop_front();
                    sum -= frame.bytes;
                    random->Release(frame.port, frame.priority, frame.bytes);
                    bool resumed = random->Resume(frame.port, frame.priority);
                    EXPECT_TRUE(!resumed || paused[frame.port * 3 + frame.priority]);
                    if (resumed)
                    {
                        paused[frame.port * 3 + frame.priority] = false;
                    }
                }
                peak = std::max(peak, sum);
                ASSERT_EQ(random->GetUsedBytes(), sum);
                ASSERT_LE(sum, size);
            }
            EXPECT_EQ(random->GetPeakBytes(), peak);
            EXPECT_GT(verdicts[static_cast<int>(BufferVerdict::PAUSE)], 0u) << type << seed;
            EXPECT_GT(verdicts[static_cast<int>(BufferVerdict::DROP)], 10u) << type << seed;
            for (const Held& frame : held)
            {
                random->Release(frame.port, frame.priority, frame.bytes);
                random->Resume(frame.port, frame.priority);
            }
            EXPECT_EQ(random->GetUsedBytes(), 0u);
            // An empty buffer admits again everywhere, paused nowhere.
            for (uint32_t account = 0; account < 12; ++account)
            {
                EXPECT_EQ(random->Admit(account / 3, 0, account % 3, 100, false),
                          BufferVerdict::ADMIT);
            }
        }
    }
}

} // namespace ns3
