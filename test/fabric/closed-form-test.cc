/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"

namespace ns3
{

namespace
{

/// end(i,h) = max(end(i,h-1) + delay, end(i-1,h)) + wire_i / B_h, with exact rational picoseconds
/// per byte; the last frame's arrival is end(n-1,k-1) + delay.
int64_t
Recursion(const std::vector<uint32_t>& wire, const std::vector<int64_t>& psPerByte, int64_t delay)
{
    std::vector<int64_t> end(psPerByte.size(), 0);
    for (uint32_t bytes : wire)
    {
        int64_t ready = 0;
        for (size_t hop = 0; hop < psPerByte.size(); ++hop)
        {
            end[hop] = std::max(ready, end[hop]) + bytes * psPerByte[hop];
            ready = end[hop] + delay;
        }
    }
    return end.back() + delay;
}

/// Frames on the wire of a message of `bytes` at an MTU: rocev2.md, section 1, written out.
std::vector<uint32_t>
WireSizes(uint64_t bytes, uint32_t mtu)
{
    std::vector<uint32_t> sizes;
    for (uint64_t left = bytes; left > 0;)
    {
        auto payload = static_cast<uint32_t>(std::min<uint64_t>(left, mtu));
        // Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + ICRC 4 + FCS 4 + preamble and gap 20, RETH 16.
        sizes.push_back((payload + 3) / 4 * 4 + 82 + (sizes.empty() ? 16 : 0));
        left -= payload;
    }
    return sizes;
}

} // namespace

class FabricClosedFormTest : public NetworkFixture
{
};

TEST_F(FabricClosedFormTest, FramingTable)
{
    RoceFraming framing;
    framing.mtu = 1000;
    EXPECT_EQ(framing.GetDataWireBytes(1000, false), 1082u);
    EXPECT_EQ(framing.GetDataWireBytes(1024, false), 1106u);
    EXPECT_EQ(framing.GetDataWireBytes(4096, false), 4178u);
    EXPECT_EQ(framing.GetDataWireBytes(4096, true), 4178u + 16u);
    EXPECT_EQ(framing.GetAckWireBytes(), 86u);
    EXPECT_EQ(framing.GetCnpWireBytes(), 98u);
    // 2500 bytes: frames of 1000 (with RETH), 1000 and 500.
    EXPECT_EQ(framing.GetMessageWireBytes(2500), 1098u + 1082u + 582u);
    EXPECT_EQ(framing.GetMessageWireBytes(1), 4u + 82u + 16u);
}

TEST_F(FabricClosedFormTest, OneMessageOverOneHop)
{
    const int64_t delay = 1'000'000; // 1 us
    Build(Chain(1, 100'000'000'000, delay));
    Run({Flow(0, 1, 1'000'001)});
    ASSERT_EQ(transfers.size(), 1u);
    // 100 Gb/s: 80 ps a byte. 244 frames of 4096 and one of 577.
    int64_t expected = Recursion(WireSizes(1'000'001, 4096), {80}, delay);
    EXPECT_EQ(expected, 244 * 4178 * 80 + (580 + 82) * 80 + 16 * 80 + delay);
    EXPECT_EQ(transfers[0].deliveredPs, expected);
    // The ACK: 86 bytes back.
    EXPECT_EQ(transfers[0].completedPs, expected + 86 * 80 + delay);
    CheckConservation();
}

TEST_F(FabricClosedFormTest, OneMessageOverFourHopsOfDifferentRates)
{
    const int64_t delay = 1'234'567;
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 1);
    uint32_t s1 = graph.AddSwitch("s1");
    uint32_t s2 = graph.AddSwitch("s2");
    uint32_t s3 = graph.AddSwitch("s3");
    uint32_t b = graph.AddHost("b", 1);
    graph.AddLink(a, s1, 200'000'000'000, delay);  // 40 ps a byte
    graph.AddLink(s1, s2, 100'000'000'000, delay); // 80
    graph.AddLink(s2, s3, 400'000'000'000, delay); // 20
    graph.AddLink(s3, b, 160'000'000'000, delay);  // 50
    Build(graph);
    PlainFlow flow = Flow(0, 0, 3'000'000);
    flow.destinationNic = graph.GetNodes()[b].ports[0];
    Run({flow});
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_EQ(transfers[0].deliveredPs,
              Recursion(WireSizes(3'000'000, 4096), {40, 80, 20, 50}, delay));
    CheckConservation();
}

TEST_F(FabricClosedFormTest, RatesThatDoNotDivideStayExactOverManyFrames)
{
    // 300 GB/s: 10/3 ps a byte. After n frames the end differs from n x wire x 10/3 by the
    // truncation of the fixed-point number: less than wire bytes x 2^-20 ps.
    Build(Chain(1, 2'400'000'000'000, 0));
    Run({Flow(0, 1, 40'960'000)});
    ASSERT_EQ(transfers.size(), 1u);
    double exact = (10'000 * 4178.0 + 16) * 10 / 3;
    EXPECT_NEAR(static_cast<double>(transfers[0].deliveredPs), exact, 41.8e6 / 1048576 + 1);
}

TEST_F(FabricClosedFormTest, IncastWithPfcOnly)
{
    // 16 senders of 10 MB to one receiver, no congestion control, buffers from 1 to 8 MB.
    for (uint64_t buffer : {1'000'000, 2'000'000, 8'000'000})
    {
        Config::SetDefault("ns3::RoceNic::PathMtu", UintegerValue(1000));
        Config::SetDefault("ns3::RoceNic::AckInterval", UintegerValue(1));
        Config::SetDefault("ns3::FabricSwitch::BufferSize", UintegerValue(buffer));
        Config::SetDefault("ns3::FabricSwitch::LosslessMask", UintegerValue(1 << 4));
        Build(Star(17, 100'000'000'000, 1'000'000));
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 16; ++i)
        {
            list.push_back(Flow(i, 16, 10'000'000));
        }
        Run(list);
        ASSERT_EQ(transfers.size(), 16u);
        int64_t last = 0;
        for (const auto& transfer : transfers)
        {
            last = std::max(last, transfer.deliveredPs);
        }
        // The receiver's link is never idle: all wire bytes at 80 ps, plus the first frame's way.
        double serialised = 16 * (10'000 * 1082.0 + 16) * 80;
        EXPECT_NEAR(last, serialised, 0.001 * serialised);
        const FabricTotals totals = network.GetFabric()->GetTotals();
        EXPECT_EQ(totals.dropped, 0u);
        EXPECT_GT(totals.xoff, 0u);
        EXPECT_EQ(totals.xoff, totals.xon);
        CheckConservation();
        TearDown();
        transfers.clear();
        SetUp();
    }
}

TEST_F(FabricClosedFormTest, WithoutHeadroomAnIncastDrops)
{
    Config::SetDefault("ns3::FabricSwitch::BufferSize", UintegerValue(500'000));
    Config::SetDefault("ns3::DynamicThresholdBuffer::Headroom", BooleanValue(false));
    Config::SetDefault("ns3::DynamicThresholdBuffer::Alpha", DoubleValue(64));
    Build(Star(17, 100'000'000'000, 1'000'000));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        list.push_back(Flow(i, 16, 500'000));
    }
    Run(list);
    // Go-back-N repairs what was lost.
    EXPECT_EQ(transfers.size(), 16u);
    EXPECT_GT(network.GetFabric()->GetTotals().dropped, 0u);
    EXPECT_GT(network.GetTransport()->GetTotals().naks, 0u);
    CheckConservation();
}

} // namespace ns3
