/* SPDX-License-Identifier: GPL-2.0-only */

// Byte encoding that does not involve RDMA: PFC frames, addresses of ports, DSCPs of priorities.

#include "../../model/fabric/dscp-map.h"

#include "ns3/fabric-address.h"
#include "ns3/packet.h"
#include "ns3/pfc-header.h"

#include <gtest/gtest.h>
#include <sstream>
#include <vector>

using namespace ns3;

TEST(PfcHeaderTest, HasTheBytesOfTheStandard)
{
    PfcHeader header;
    header.SetTime(3, 0xffff); // paused as long as can be said
    header.SetTime(5, 0);      // resumed
    header.SetTime(0, 0x0102);
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(header);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    const std::vector<uint8_t> expected{0x01, 0x01,        // opcode
                                        0x00, 0x29,        // classes 0, 3 and 5: 1 + 8 + 32
                                        0x01, 0x02,        // time of class 0
                                        0,    0,    0, 0,  // 1, 2
                                        0xff, 0xff,        // 3
                                        0,    0,    0, 0,  // 4, 5
                                        0,    0,    0, 0}; // 6, 7
    EXPECT_EQ(bytes, expected);
    // With Ethernet header, pad and FCS the smallest frame there is.
    EXPECT_EQ(14 + PfcHeader::SIZE + PfcHeader::PAD + 4, 64u);
}

TEST(PfcHeaderTest, IsReadBack)
{
    PfcHeader header;
    header.SetTime(7, 1);
    header.SetTime(1, 0);
    Ptr<Packet> packet = Create<Packet>();
    packet->AddHeader(header);
    PfcHeader read;
    EXPECT_EQ(packet->RemoveHeader(read), PfcHeader::SIZE);
    EXPECT_EQ(read.GetOpcode(), PfcHeader::OPCODE);
    EXPECT_EQ(read.GetClassEnableVector(), 0x82);
    EXPECT_EQ(read.GetTime(7), 1);
    EXPECT_EQ(read.GetTime(1), 0);
}

TEST(PfcHeaderTest, IsPrinted)
{
    PfcHeader header;
    std::ostringstream nothing;
    header.Print(nothing);
    EXPECT_EQ(nothing.str(), "");
    header.SetTime(3, 65'535);
    header.SetTime(5, 0);
    std::ostringstream text;
    header.Print(text);
    EXPECT_EQ(text.str(), "class 3=65535 class 5=0");
}

TEST(FabricAddressTest, IsMadeOfThePort)
{
    EXPECT_EQ(FabricAddress::GetIpv4(0), Ipv4Address("10.0.0.1"));
    EXPECT_EQ(FabricAddress::GetMac(0), Mac48Address("02:00:0a:00:00:01"));
    // 0x010203 = 66051 = 66050 + 1
    EXPECT_EQ(FabricAddress::GetIpv4(66'050), Ipv4Address("10.1.2.3"));
    EXPECT_EQ(FabricAddress::GetMac(66'050), Mac48Address("02:00:0a:01:02:03"));
    EXPECT_EQ(FabricAddress::GetIpv4(FabricAddress::MAX_PORTS - 1), Ipv4Address("10.255.255.254"));
}

TEST(FabricAddressTest, GivesThePortBack)
{
    for (const uint32_t port : {0u, 1u, 254u, 255u, 256u, 65'535u, FabricAddress::MAX_PORTS - 1})
    {
        EXPECT_EQ(FabricAddress::FindPort(FabricAddress::GetIpv4(port)), port);
        EXPECT_EQ(FabricAddress::FindPort(FabricAddress::GetMac(port)), port);
    }
    for (const char* other :
         {"10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.1", "0.0.0.0", "255.255.255.255"})
    {
        EXPECT_EQ(FabricAddress::FindPort(Ipv4Address(other)), -1) << other;
    }
    for (const char* other : {"00:00:0a:00:00:01", "02:01:0a:00:00:01", "02:00:0b:00:00:01"})
    {
        EXPECT_EQ(FabricAddress::FindPort(Mac48Address(other)), -1) << other;
    }
}

TEST(DscpMapTest, IsRead)
{
    DscpMap map;
    EXPECT_EQ(map.Parse("0, 26,48", 3), "");
    EXPECT_EQ(map.GetDscp(1), 26);
    EXPECT_EQ(map.FindPriority(48), 2);
    EXPECT_EQ(map.FindPriority(8), -1);
}

TEST(DscpMapTest, SaysWhatIsWrong)
{
    DscpMap map;
    EXPECT_EQ(map.Parse("0,8", 3), "names 2 DSCPs for 3 priorities");
    EXPECT_EQ(map.Parse("", 1), "names 0 DSCPs for 1 priorities");
    EXPECT_EQ(map.Parse("0,64", 2), "\"64\" is no DSCP, an integer from 0 to 63");
    EXPECT_EQ(map.Parse("0,x", 2), "\"x\" is no DSCP, an integer from 0 to 63");
    EXPECT_EQ(map.Parse("0,-1", 2), "\"-1\" is no DSCP, an integer from 0 to 63");
    EXPECT_EQ(map.Parse("0,,1", 2), "\"\" is no DSCP, an integer from 0 to 63");
    EXPECT_EQ(map.Parse("5,6,5", 2), "DSCP 5 is given to two priorities");
}
