/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/wire/roce-framing.h"

#include <gtest/gtest.h>

namespace ns3
{

namespace
{

RoceFraming
WithMtu(uint32_t mtu)
{
    RoceFraming framing;
    framing.mtu = mtu;
    return framing;
}

} // namespace

TEST(RoceFramingTest, TableOfSizes)
{
    // Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4: 62; RETH 16, AETH 4; gap 20.
    RoceFraming framing;

    struct Row
    {
        uint32_t payload;
        bool first;
        uint32_t withFcs;
        uint32_t onTheWire;
    };

    const Row rows[] = {
        {1000, false, 1062, 1082},
        {1024, false, 1086, 1106},
        {4096, false, 4158, 4178},
        {1000, true, 1078, 1098},
        {1024, true, 1102, 1122},
        {4096, true, 4174, 4194},
        {1, false, 66, 86}, // padded to 4
        {3, false, 66, 86}, //
        {4, false, 66, 86}, //
        {5, false, 70, 90}, //
        {1, true, 82, 102}, // a WRITE ONLY of one byte
        {65536, false, 65598, 65618},
    };
    for (const Row& row : rows)
    {
        EXPECT_EQ(framing.GetDataWireBytes(row.payload, row.first), row.onTheWire) << row.payload;
        framing.gapBytes = 0;
        EXPECT_EQ(framing.GetDataWireBytes(row.payload, row.first), row.withFcs) << row.payload;
        framing.gapBytes = 20;
    }
    EXPECT_EQ(framing.GetAckWireBytes(), 66u + 20u);
    EXPECT_EQ(framing.GetCnpWireBytes(), 78u + 20u);
    // READ: the request has a RETH, the first, last or only response an AETH.
    EXPECT_EQ(framing.GetReadRequestWireBytes(), 78u + 20u);
    EXPECT_EQ(framing.GetResponseWireBytes(4096, false), 4178u);
    EXPECT_EQ(framing.GetResponseWireBytes(4096, true), 4178u + 4u);
    EXPECT_EQ(framing.GetResponseWireBytes(1, true), 66u + 4u + 20u);
}

TEST(RoceFramingTest, GoodputOfASaturatedLink)
{
    // 92.42 / 92.59 / 98.04 %.
    RoceFraming framing;
    EXPECT_NEAR(1000.0 / framing.GetDataWireBytes(1000, false), 0.9242, 0.00005);
    EXPECT_NEAR(1024.0 / framing.GetDataWireBytes(1024, false), 0.9259, 0.00005);
    EXPECT_NEAR(4096.0 / framing.GetDataWireBytes(4096, false), 0.9804, 0.00005);
}

TEST(RoceFramingTest, MessagesAreTheSumOfTheirFrames)
{
    for (uint32_t mtu : {64u, 1000u, 1024u, 4096u, 65'536u})
    {
        RoceFraming framing = WithMtu(mtu);
        for (uint64_t bytes : {1ull,
                               63ull,
                               64ull,
                               65ull,
                               999ull,
                               1000ull,
                               1001ull,
                               4096ull,
                               4097ull,
                               123'457ull,
                               1'000'003ull})
        {
            uint64_t wire = 0;
            uint64_t frames = 0;
            for (uint64_t left = bytes; left > 0; ++frames)
            {
                auto payload = static_cast<uint32_t>(std::min<uint64_t>(left, mtu));
                wire += framing.GetDataWireBytes(payload, frames == 0);
                left -= payload;
            }
            EXPECT_EQ(framing.GetFrameCount(bytes), frames) << bytes << " at " << mtu;
            EXPECT_EQ(framing.GetMessageWireBytes(bytes), wire) << bytes << " at " << mtu;
        }
    }
}

TEST(RoceFramingTest, SizesOf64Bits)
{
    RoceFraming framing = WithMtu(4096);
    // 1 TiB: 2^28 frames.
    uint64_t bytes = uint64_t{1} << 40;
    EXPECT_EQ(framing.GetFrameCount(bytes), uint64_t{1} << 28);
    EXPECT_EQ(framing.GetMessageWireBytes(bytes), (uint64_t{1} << 28) * 4178 + 16);
    EXPECT_EQ(framing.GetFrameCount(bytes + 1), (uint64_t{1} << 28) + 1);
}

TEST(RoceFramingTest, Overrides)
{
    // 48-byte headers, 60-byte ACKs, no gap: no RETH, no padding.
    RoceFraming framing{1000, 48, 60, 0};
    EXPECT_EQ(framing.GetDataWireBytes(1000, false), 1048u);
    EXPECT_EQ(framing.GetDataWireBytes(1000, true), 1048u);
    EXPECT_EQ(framing.GetDataWireBytes(999, false), 1047u);
    EXPECT_EQ(framing.GetAckWireBytes(), 60u);
    EXPECT_EQ(framing.GetMessageWireBytes(2500), 2500u + 3 * 48);
    EXPECT_EQ(framing.GetMaxWireBytes(), 1048u);
}

TEST(RoceFramingTest, NoFrameIsLargerThanTheLargest)
{
    for (uint32_t mtu : {64u, 1000u, 1023u, 4096u})
    {
        RoceFraming framing = WithMtu(mtu);
        for (uint32_t payload = 1; payload <= mtu; ++payload)
        {
            ASSERT_LE(framing.GetDataWireBytes(payload, true), framing.GetMaxWireBytes());
        }
        EXPECT_LE(framing.GetAckWireBytes(), WithMtu(64).GetMaxWireBytes());
        EXPECT_LE(framing.GetCnpWireBytes(), WithMtu(64).GetMaxWireBytes());
    }
}

} // namespace ns3
