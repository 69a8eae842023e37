/* SPDX-License-Identifier: GPL-2.0-only */

// The headers of RoCEv2, against a captured packet.

#include "../../model/rdma/wire/aeth-header.h"
#include "../../model/rdma/wire/bth-header.h"
#include "../../model/rdma/wire/reth-header.h"
#include "../../model/rdma/wire/roce-icrc.h"
#include "../../model/rdma/wire/roce-ip-header.h"
#include "../fixture/frame-bytes.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;

TEST(RoceIcrcTest, IsThatOfACapturedPacket)
{
    const Bytes packet = FromHex(CAPTURED_CNP);
    RoceIcrc icrc;
    icrc.Set(RoceIcrc::Compute(packet.data(), static_cast<uint32_t>(packet.size())));
    Ptr<Packet> trailer = Create<Packet>();
    trailer->AddTrailer(icrc);
    EXPECT_EQ(ToHex(GetBytes(*trailer)), CAPTURED_ICRC);
    RoceIcrc read;
    trailer->RemoveTrailer(read);
    EXPECT_EQ(read.Get(), icrc.Get());
    EXPECT_EQ(read.Get(), 0x2a00fd82u); // least significant byte first
}

TEST(RoceIcrcTest, LeavesOutWhatChangesOnTheWay)
{
    const Bytes packet = FromHex(CAPTURED_CNP);
    const auto compute = [](const Bytes& bytes) {
        return RoceIcrc::Compute(bytes.data(), static_cast<uint32_t>(bytes.size()));
    };
    // Type of service, TTL, IP checksum, UDP checksum, fifth byte of the BTH (28 + 4).
    const std::vector<std::size_t> free{1, 8, 10, 11, 26, 27, 32};
    for (std::size_t i = 0; i < packet.size(); ++i)
    {
        Bytes changed = packet;
        changed[i] ^= 0x10;
        const bool isFree = std::find(free.begin(), free.end(), i) != free.end();
        EXPECT_EQ(compute(changed) == compute(packet), isFree) << "byte " << i;
    }
}

TEST(RoceIpHeaderTest, IsThatOfACapturedPacket)
{
    RoceIpHeader ip;
    ip.SetAddresses("10.0.17.1", "10.0.18.1");
    ip.SetTrafficClass(48, 2); // 48 x 4 + 2 = 0xc2
    ip.SetIdentification(0x718c);
    ip.SetTtl(64);
    ip.SetUdpSourcePort(0);
    ip.SetPayloadSize(12 + 16 + 4);
    BthHeader bth;
    bth.SetOpcode(BthOpcode::CNP);
    bth.SetBecn(true);
    bth.SetDestinationQueuePair(0x118);
    Ptr<Packet> packet = Create<Packet>(16);
    packet->AddHeader(bth);
    packet->AddHeader(ip);
    EXPECT_EQ(ToHex(GetBytes(*packet)), CAPTURED_CNP);
}

TEST(RoceIpHeaderTest, FindsFaults)
{
    const auto find = [](std::size_t byte, uint8_t value, bool mendChecksum) {
        Bytes bytes = FromHex(CAPTURED_CNP);
        if (mendChecksum)
        {
            // A word less here is a word more in the one's complement checksum, but for a carry.
            uint32_t sum = bytes[10] << 8 | bytes[11];
            const int shift = byte % 2 ? 0 : 8;
            sum += (bytes[byte] << shift) + 0xffff - (value << shift);
            sum = (sum & 0xffff) + (sum >> 16);
            sum = (sum & 0xffff) + (sum >> 16);
            bytes[10] = static_cast<uint8_t>(sum >> 8);
            bytes[11] = static_cast<uint8_t>(sum);
        }
        bytes[byte] = value;
        RoceIpHeader ip;
        MakePacket(bytes)->PeekHeader(ip);
        return ip.FindFault();
    };
    EXPECT_EQ(find(1, 0xc2, false), ""); // as it was
    EXPECT_EQ(find(1, 0xc3, true), "");
    EXPECT_EQ(find(1, 0xc3, false), "wrong IP header checksum");
    EXPECT_EQ(find(0, 0x46, true), "not IPv4 without options");
    EXPECT_EQ(find(0, 0x65, true), "not IPv4 without options");
    EXPECT_EQ(find(9, 6, true), "not UDP, or a fragment");
    EXPECT_EQ(find(6, 0x20, true), "not UDP, or a fragment");
    EXPECT_EQ(find(23, 0xb8, false), "UDP destination port 4792, not 4791");
    EXPECT_EQ(find(3, 0x3d, true), "lengths of IP and UDP disagree");
    EXPECT_EQ(find(25, 0x29, false), "lengths of IP and UDP disagree");
}

TEST(BthHeaderTest, IsPrinted)
{
    BthHeader bth;
    bth.SetOpcode(BthOpcode::WRITE_LAST);
    bth.SetDestinationQueuePair(300);
    bth.SetPsn(9);
    bth.SetAckRequest(true);
    AethHeader aeth;
    aeth.SetMessageSequenceNumber(2);
    RethHeader reth;
    reth.SetVirtualAddress(4096);
    reth.SetRemoteKey(1);
    reth.SetDmaLength(5);
    const auto print = [](const Header& header) {
        std::ostringstream text;
        header.Print(text);
        return text.str();
    };
    EXPECT_EQ(print(bth), "WRITE last qp=300 psn=9 ack-request");
    EXPECT_EQ(print(aeth), "ACK syndrome=31 msn=2");
    EXPECT_EQ(print(reth), "address=4096 key=1 length=5");
}
