/* SPDX-License-Identifier: GPL-2.0-only */

// Encoding and decoding of frames.

#include "../../model/rdma/wire/aeth-header.h"
#include "../../model/rdma/wire/bth-header.h"
#include "../../model/rdma/wire/frame-codec.h"
#include "../../model/rdma/wire/reth-header.h"
#include "../../model/rdma/wire/roce-framing.h"
#include "../../model/rdma/wire/roce-icrc.h"
#include "../../model/rdma/wire/roce-ip-header.h"
#include "../fixture/frame-bytes.h"

#include "ns3/crc32.h"
#include "ns3/ethernet-header.h"
#include "ns3/packet.h"
#include "ns3/path-selector.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Properties that a network would supply, fixed.
class FixedContext : public FrameContext
{
  public:
    FixedContext()
    {
        EXPECT_EQ(m_dscps.Parse("0,8,16,24,32,40,48,56,60,62", 10), "");
    }

    RdmaMemory GetMemory(const Frame& frame) const override
    {
        return {0x1122334455, frame.payload};
    }

    uint32_t GetMessageSequenceNumber(const Frame&) const override
    {
        return 7;
    }

    /// A NAK of go-back-N has no payload, one of selective repeat the PSN that was received.
    bool IsSelective(const Frame& frame) const override
    {
        return frame.payload != 0;
    }

    uint16_t GetPauseQuanta() const override
    {
        return 0xffff;
    }

    uint32_t GetGapBytes() const override
    {
        return 20;
    }

    const DscpMap& GetDscpMap() const override
    {
        return m_dscps;
    }

  private:
    DscpMap m_dscps;
};

class FrameCodecTest : public testing::Test
{
  protected:
    /// A frame as the transport makes it, and as FromPacket gives it back.
    Frame Make(FrameKind kind, uint32_t payload = 0, uint8_t flags = 0)
    {
        const bool data = kind == FrameKind::DATA || kind == FrameKind::READ_REQUEST;
        Frame frame{};
        frame.next = NO_FRAME;
        frame.kind = kind;
        frame.source = data ? 0 : 2;
        frame.destination = data ? 2 : 0;
        frame.queuePair = 1;
        frame.udpSourcePort = 0xc001;
        frame.psn = kind == FrameKind::CNP ? 0 : 0xabcdef;
        frame.payload = payload;
        frame.priority = data ? 6 : 7;
        frame.flags = flags;
        Complete(frame);
        return frame;
    }

    Frame MakePfc(uint32_t enabled, uint32_t paused, uint32_t port)
    {
        Frame frame{};
        frame.next = NO_FRAME;
        frame.kind = FrameKind::PFC;
        frame.source = port;
        frame.destination = port ^ 1;
        frame.psn = enabled;
        frame.payload = paused;
        frame.wireBytes = 84;
        return frame;
    }

    /// What follows from the other fields.
    void Complete(Frame& frame)
    {
        frame.flowHash = HashFiveTuple(frame.source, frame.destination, frame.udpSourcePort);
        switch (frame.kind)
        {
        case FrameKind::DATA:
            frame.wireBytes =
                m_framing.GetDataWireBytes(frame.flags & FRAME_READ   ? RdmaOperation::READ
                                           : frame.flags & FRAME_SEND ? RdmaOperation::SEND
                                                                      : RdmaOperation::WRITE,
                                           frame.payload,
                                           frame.flags & FRAME_FIRST,
                                           frame.flags & FRAME_LAST);
            break;
        case FrameKind::READ_REQUEST:
            frame.wireBytes = m_framing.GetReadRequestWireBytes();
            break;
        case FrameKind::CNP:
            frame.wireBytes = m_framing.GetCnpWireBytes();
            break;
        default:
            frame.wireBytes = m_framing.GetAckWireBytes();
        }
    }

    Frame MakeRandom(std::mt19937_64& random)
    {
        const auto draw = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
        const auto kind = static_cast<FrameKind>(draw(6));
        if (kind == FrameKind::PFC)
        {
            const uint32_t enabled = 1 + draw(255);
            return MakePfc(enabled, enabled & draw(256), draw(FabricPorts()));
        }
        Frame frame = Make(kind);
        frame.source = draw(FabricPorts());
        frame.destination = draw(FabricPorts());
        frame.queuePair = draw((1 << 24) - 256);
        frame.udpSourcePort = static_cast<uint16_t>(draw(65'536));
        frame.psn = draw(1 << 24);
        frame.priority = static_cast<uint8_t>(draw(10));
        const uint8_t ecn[] = {0, FRAME_ECT, FRAME_ECT | FRAME_CE};
        frame.flags = ecn[draw(3)];
        if (kind == FrameKind::DATA)
        {
            frame.payload = 1 + draw(draw(2) ? 64 : 4096);
            const uint8_t operation[] = {0, FRAME_SEND, FRAME_READ};
            frame.flags |= operation[draw(3)] | draw(4) * FRAME_FIRST;
            // The last frame asks in any case, a response to a READ never.
            const bool mayAsk = !(frame.flags & (FRAME_LAST | FRAME_READ));
            frame.flags |= mayAsk && draw(2) ? FRAME_ACK_REQUEST : 0;
        }
        else if (kind == FrameKind::NAK)
        {
            frame.payload = draw(2) * draw(1 << 24);
        }
        else if (kind == FrameKind::READ_REQUEST)
        {
            frame.payload = 1 + draw(1u << 31);
        }
        Complete(frame);
        return frame;
    }

    static constexpr uint32_t FabricPorts()
    {
        return (1 << 24) - 2;
    }

    std::string ToHexWithFcs(const Frame& frame, uint32_t port, uint32_t hops)
    {
        return ToHex(GetBytes(*m_codec.ToPacket(frame, port, hops, true)));
    }

    /// Fails the test unless both are the same frame.
    static void ExpectEqual(const Frame& read, const Frame& frame)
    {
        EXPECT_EQ(read.kind, frame.kind);
        EXPECT_EQ(read.psn, frame.psn);
        EXPECT_EQ(read.payload, frame.payload);
        EXPECT_EQ(read.wireBytes, frame.wireBytes);
        EXPECT_EQ(read.source, frame.source);
        EXPECT_EQ(read.destination, frame.destination);
        EXPECT_EQ(read.queuePair, frame.queuePair);
        EXPECT_EQ(read.udpSourcePort, frame.udpSourcePort);
        EXPECT_EQ(read.flowHash, frame.flowHash);
        EXPECT_EQ(read.priority, frame.priority);
        EXPECT_EQ(read.flags, frame.flags);
    }

    /// One frame of each kind, and of each opcode of a WRITE, with payloads that need no pad and
    /// such that do.
    std::vector<Frame> MakeAll()
    {
        return {Make(FrameKind::DATA, 5, FRAME_ECT | FRAME_FIRST | FRAME_LAST),
                Make(FrameKind::DATA, 64, FRAME_ECT | FRAME_CE | FRAME_FIRST),
                Make(FrameKind::DATA, 64, 0),
                Make(FrameKind::DATA, 6, FRAME_ECT | FRAME_LAST),
                Make(FrameKind::ACK),
                Make(FrameKind::NAK),
                Make(FrameKind::NAK, 0xfffff0),
                Make(FrameKind::CNP),
                Make(FrameKind::READ_REQUEST, 1'000'000),
                Make(FrameKind::DATA, 7, FRAME_SEND | FRAME_FIRST | FRAME_LAST),
                Make(FrameKind::DATA, 8, FRAME_SEND | FRAME_ACK_REQUEST),
                Make(FrameKind::DATA, 9, FRAME_READ | FRAME_FIRST),
                Make(FrameKind::DATA, 12, FRAME_READ),
                Make(FrameKind::DATA, 1, FRAME_READ | FRAME_LAST),
                MakePfc(0x18, 0x08, 1)};
    }

    RoceFraming m_framing;
    FrameCodec m_codec{Create<FixedContext>()};
};

} // namespace

// Wire of port 0 to port 1. Checksums were computed apart, with Python's zlib.
TEST_F(FrameCodecTest, WritesAWrite)
{
    EXPECT_EQ(
        ToHexWithFcs(Make(FrameKind::DATA, 5, FRAME_ECT | FRAME_FIRST | FRAME_LAST), 0, 0),
        "02000a00000202000a0000010800"             // to port 1, from port 0, IPv4
        "45c20044cdef4000401157f40a0000010a000003" // DSCP 48, ECT; 28 + 12 + 16 + 5 + 3 + 4 = 68
        "c00112b700300000"
        "0a70ffff0000010180abcdef"         // WRITE only, pad 3; queue pair 256 + 1; ACK, PSN
        "00000011223344550000000100000005" // address, key, length
        "0000000000000000"                 // payload and pad
        "53ba7848"                         // ICRC
        "80bff58c");                       // FCS
}

// The way back, on its second wire: port 1 to port 0.
TEST_F(FrameCodecTest, WritesControlFrames)
{
    EXPECT_EQ(ToHexWithFcs(Make(FrameKind::ACK), 1, 1),
              "02000a00000102000a0000020800"
              "45e00030cdef40003f1158ea0a0000030a000001" // DSCP 56; TTL 63
              "c00112b7001c0000"
              "1140ffff0000010100abcdef"
              "1f000007" // no credit limit, 7 messages
              "56655914"
              "6aa73d63");
    EXPECT_EQ(ToHexWithFcs(Make(FrameKind::NAK), 1, 1),
              "02000a00000102000a0000020800"
              "45e00030cdef40003f1158ea0a0000030a000001"
              "c00112b7001c0000"
              "1140ffff0000010100abcdef"
              "60000007" // PSN sequence error
              "9cd50527"
              "6aa73d63"); // as before: ICRC and FCS are the same CRC
    EXPECT_EQ(ToHexWithFcs(Make(FrameKind::CNP), 1, 1),
              "02000a00000102000a0000020800"
              "45e0003c000040003f1126ce0a0000030a000001"
              "c00112b700280000"
              "8100ffff4000010100000000" // BECN
              "00000000000000000000000000000000"
              "1e94aae4"
              "201f451d");
    EXPECT_EQ(ToHexWithFcs(MakePfc(0x18, 0x08, 1), 1, 0),
              "0180c200000102000a0000028808"
              "01010018"                         // classes 3 and 4
              "000000000000ffff0000000000000000" // pause 3, resume 4
              "0000000000000000000000000000000000000000000000000000"
              "02abb508");
}

TEST_F(FrameCodecTest, SizesAreThoseOfTheSimulation)
{
    // rocev2.md, section 1: bytes with FCS.
    const std::pair<Frame, uint32_t> sizes[] = {
        {Make(FrameKind::DATA, 1000), 1062},
        {Make(FrameKind::DATA, 1024), 1086},
        {Make(FrameKind::DATA, 4096, FRAME_LAST), 4158},
        {Make(FrameKind::DATA, 4096, FRAME_FIRST), 4174},
        {Make(FrameKind::DATA, 4096, FRAME_FIRST | FRAME_LAST), 4174},
        {Make(FrameKind::ACK), 66},
        {Make(FrameKind::NAK), 66},
        {Make(FrameKind::CNP), 78},
        {Make(FrameKind::READ_REQUEST, 65'536), 78},
        {Make(FrameKind::DATA, 1000, FRAME_SEND | FRAME_FIRST), 1062},
        {Make(FrameKind::DATA, 1000, FRAME_READ | FRAME_FIRST), 1066},
        {Make(FrameKind::DATA, 1000, FRAME_READ), 1062},
        {Make(FrameKind::DATA, 1000, FRAME_READ | FRAME_LAST), 1066},
        {MakePfc(8, 8, 0), 64}};
    for (const auto& [frame, size] : sizes)
    {
        EXPECT_EQ(m_codec.ToPacket(frame, 0, 0, true)->GetSize(), size);
        EXPECT_EQ(m_codec.ToPacket(frame, 0, 0, false)->GetSize(), size - 4);
        EXPECT_EQ(frame.wireBytes, size + 20);
    }
}

TEST_F(FrameCodecTest, OpcodesFollowThePlaceInTheMessage)
{
    const std::pair<uint8_t, uint8_t> opcodes[] = {{FRAME_FIRST, 0x06},
                                                   {0, 0x07},
                                                   {FRAME_LAST, 0x08},
                                                   {FRAME_FIRST | FRAME_LAST, 0x0a},
                                                   {FRAME_SEND | FRAME_FIRST, 0x00},
                                                   {FRAME_SEND, 0x01},
                                                   {FRAME_SEND | FRAME_LAST, 0x02},
                                                   {FRAME_SEND | FRAME_FIRST | FRAME_LAST, 0x04},
                                                   {FRAME_READ | FRAME_FIRST, 0x0d},
                                                   {FRAME_READ, 0x0e},
                                                   {FRAME_READ | FRAME_LAST, 0x0f},
                                                   {FRAME_READ | FRAME_FIRST | FRAME_LAST, 0x10}};
    for (const auto& [flags, opcode] : opcodes)
    {
        const Bytes bytes =
            GetBytes(*m_codec.ToPacket(Make(FrameKind::DATA, 64, flags), 0, 0, false));
        EXPECT_EQ(bytes[14 + 28], opcode);
    }
}

TEST_F(FrameCodecTest, EcnAndTtl)
{
    const std::pair<uint8_t, uint8_t> fields[] = {{0, 0},
                                                  {FRAME_ECT, 2},
                                                  {FRAME_ECT | FRAME_CE, 3}};
    for (const auto& [flags, ecn] : fields)
    {
        Ptr<Packet> packet = m_codec.ToPacket(Make(FrameKind::DATA, 64, flags), 0, 3, false);
        EthernetHeader ethernet;
        RoceIpHeader ip;
        packet->RemoveHeader(ethernet);
        packet->RemoveHeader(ip);
        EXPECT_EQ(ip.GetEcn(), ecn);
        EXPECT_EQ(ip.GetTtl(), 61); // 64 less three wires
    }
    // Not-ECT, ECT(0), CE and, from others, ECT(1).
    Bytes bytes = GetBytes(*m_codec.ToPacket(Make(FrameKind::DATA, 64, FRAME_ECT), 0, 0, false));
    bytes[15] -= 1; // type of service: ECN 2 becomes 1
    bytes[25] += 1; // checksum, low byte; no carry
    Frame frame;
    EXPECT_EQ(m_codec.FromPacket(MakePacket(bytes), frame), "");
    EXPECT_EQ(frame.flags, FRAME_ECT);
}

TEST_F(FrameCodecTest, ChecksumsAreThoseOfAnotherImplementation)
{
    std::mt19937_64 random(5);
    for (int i = 0; i < 200; ++i)
    {
        const Frame frame = MakeRandom(random);
        Bytes bytes = GetBytes(*m_codec.ToPacket(frame, 0, 0, true));
        const auto read = [&](std::size_t at) {
            return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 |
                   static_cast<uint32_t>(bytes[at + 3]) << 24;
        };
        const std::size_t end = bytes.size() - 4;
        EXPECT_EQ(read(end), Crc32(Bytes(bytes.begin(), bytes.end() - 4)));
        if (frame.kind == FrameKind::PFC)
        {
            continue;
        }
        // Eight bytes FF for the Ethernet header, then up to the ICRC.
        Bytes covered(bytes.begin() + 6, bytes.end() - 8);
        std::fill(covered.begin(), covered.begin() + 8, 0xff);
        for (const std::size_t field : {1, 8, 10, 11, 26, 27, 32})
        {
            covered[8 + field] = 0xff;
        }
        EXPECT_EQ(read(end - 4), Crc32(covered));
    }
}

TEST_F(FrameCodecTest, GivesEveryFrameBack)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000 && !HasFailure(); ++i)
    {
        const Frame frame = MakeRandom(random);
        const bool pfc = frame.kind == FrameKind::PFC;
        // PFC is told by the port at the near end of the wire.
        const auto port = pfc ? frame.source : static_cast<uint32_t>(random() % FabricPorts());
        Frame read;
        ASSERT_EQ(m_codec.FromPacket(m_codec.ToPacket(frame, port, i % 70, i % 2), read), "");
        ExpectEqual(read, frame);
    }
}

TEST_F(FrameCodecTest, WrapsAt24Bits)
{
    for (const uint32_t psn : {0u, 1u, 0x7fffffu, 0x800000u, 0xffffffu})
    {
        for (const uint32_t queuePair : {0u, (1u << 24) - 257})
        {
            Frame frame = Make(FrameKind::DATA, 64);
            frame.psn = psn;
            frame.queuePair = queuePair;
            Frame read;
            ASSERT_EQ(m_codec.FromPacket(m_codec.ToPacket(frame, 0, 0, false), read), "");
            ExpectEqual(read, frame);
        }
    }
    // The number after the last is the first again: 0 and 1 stay those of management.
    Frame frame = Make(FrameKind::DATA, 64);
    frame.queuePair = (1 << 24) - 256;
    Frame read;
    ASSERT_EQ(m_codec.FromPacket(m_codec.ToPacket(frame, 0, 0, false), read), "");
    EXPECT_EQ(read.queuePair, 0u);
}

TEST_F(FrameCodecTest, RefusesWhatIsCutShort)
{
    for (const Frame& frame : MakeAll())
    {
        const Bytes whole = GetBytes(*m_codec.ToPacket(frame, 1, 0, true));
        for (std::size_t size = 0; size < whole.size(); ++size)
        {
            Frame read;
            const std::string fault = m_codec.FromPacket(
                MakePacket(Bytes(whole.begin(), whole.begin() + static_cast<int64_t>(size))),
                read);
            // Only the FCS may be missing.
            EXPECT_EQ(fault.empty(), size == whole.size() - 4) << size;
        }
        Bytes longer = whole;
        longer.push_back(0);
        Frame read;
        EXPECT_NE(m_codec.FromPacket(MakePacket(longer), read), "");
    }
}

TEST_F(FrameCodecTest, SeesEveryWrongBitByTheFcs)
{
    for (const Frame& frame : MakeAll())
    {
        const Bytes whole = GetBytes(*m_codec.ToPacket(frame, 1, 0, true));
        for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit)
        {
            Bytes wrong = whole;
            wrong[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            Frame read;
            EXPECT_NE(m_codec.FromPacket(MakePacket(wrong), read), "") << "bit " << bit;
        }
    }
}

TEST_F(FrameCodecTest, SeesEveryWrongBitByTheIcrc)
{
    for (const Frame& frame : MakeAll())
    {
        if (frame.kind == FrameKind::PFC)
        {
            continue;
        }
        const Bytes whole = GetBytes(*m_codec.ToPacket(frame, 1, 0, false));
        for (std::size_t bit = 8 * 14; bit < 8 * whole.size(); ++bit)
        {
            // Covered by neither checksum: that of UDP, and FECN, BECN and reserved bits of BTH.
            const std::size_t byte = bit / 8 - 14;
            const bool open = byte == 26 || byte == 27 || byte == 32;
            Bytes wrong = whole;
            wrong[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
            Frame read;
            EXPECT_EQ(m_codec.FromPacket(MakePacket(wrong), read).empty(), open) << "bit " << bit;
        }
    }
}

TEST_F(FrameCodecTest, RefusesWhatTheSimulationHasNot)
{
    // A change that is covered by the ICRC, with the ICRC made right again.
    const auto fault = [&](const Frame& frame, std::size_t byte, uint8_t value) {
        Bytes bytes = GetBytes(*m_codec.ToPacket(frame, 1, 0, false));
        bytes[byte] = value;
        const std::size_t end = bytes.size() - 4;
        const uint32_t icrc = RoceIcrc::Compute(bytes.data() + 14, static_cast<uint32_t>(end - 14));
        for (std::size_t i = 0; i < 4; ++i)
        {
            bytes[end + i] = static_cast<uint8_t>(icrc >> 8 * i);
        }
        Frame read;
        return m_codec.FromPacket(MakePacket(bytes), read);
    };
    const Frame write = Make(FrameKind::DATA, 5, FRAME_FIRST | FRAME_LAST);
    const Frame ack = Make(FrameKind::ACK);
    constexpr std::size_t BTH = 14 + 28;
    EXPECT_EQ(fault(write, BTH, 0x0a), "");           // as it was
    EXPECT_EQ(fault(write, BTH, 0x03), "opcode 3");   // SEND last with immediate
    EXPECT_EQ(fault(write, BTH, 0x64), "opcode 100"); // of unreliable datagrams
    EXPECT_EQ(fault(ack, BTH, 0x0a), "too short for opcode 10");
    EXPECT_EQ(fault(ack, BTH, 0x81), "wrong length for opcode 129");
    EXPECT_EQ(fault(ack, BTH, 0x10), "wrong length for opcode 16"); // a response with nothing
    EXPECT_EQ(fault(Make(FrameKind::DATA, 5, FRAME_READ | FRAME_LAST), BTH + 12, 0x60),
              "syndrome 96");
    EXPECT_EQ(fault(ack, BTH + 12, 0x21), "syndrome 33"); // RNR NAK
    EXPECT_EQ(fault(ack, BTH + 12, 0x62), "syndrome 98"); // remote access error
    EXPECT_EQ(fault(ack, BTH + 12, 0x00), "");            // an ACK with credits
    EXPECT_EQ(fault(ack, BTH + 6, 0), "an address, DSCP or queue pair of nobody");
    EXPECT_EQ(fault(write, 12, 0x86), "neither IPv4 nor MAC control");
    Frame last = Make(FrameKind::DATA, 4, FRAME_LAST);
    EXPECT_EQ(fault(last, BTH + 1, 0x70), ""); // one byte and a pad of three
}

TEST_F(FrameCodecTest, ReadsAnything)
{
    std::mt19937_64 random(2);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i)
    {
        // Headers that are right as far as they go lead deeper than noise alone.
        Bytes bytes = GetBytes(*m_codec.ToPacket(MakeRandom(random), 0, 0, i % 2));
        bytes.resize(std::min<std::size_t>(bytes.size(), 200));
        const std::size_t from = random() % bytes.size();
        for (std::size_t at = from; at < bytes.size(); ++at)
        {
            bytes[at] = static_cast<uint8_t>(random());
        }
        Frame read;
        if (m_codec.FromPacket(MakePacket(bytes), read).empty())
        {
            // The time and pad of a PFC frame may be anything, and noise may say what was there.
            ++accepted;
            Frame again;
            ASSERT_EQ(m_codec.FromPacket(m_codec.ToPacket(read, read.source, 0, false), again), "");
            ExpectEqual(again, read);
        }
    }
    EXPECT_LT(accepted, 4'000); // a sixth of the frames is PFC
}

TEST_F(FrameCodecTest, LargestPayload)
{
    const Frame frame = Make(FrameKind::DATA, FrameCodec::MAX_PAYLOAD, FRAME_FIRST);
    Frame read;
    ASSERT_EQ(m_codec.FromPacket(m_codec.ToPacket(frame, 0, 0, true), read), "");
    ExpectEqual(read, frame);
}
