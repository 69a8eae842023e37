/* SPDX-License-Identifier: GPL-2.0-only */

// Packets in ascii files, and the output of tshark for those in pcap files.

#include "../fixture/pcap-fixture.h"

namespace ns3
{

TEST_F(PcapTest, AsciiFileOfAPort)
{
    BuildAll();
    m_traces.EnableAscii(m_folder.GetPath("ascii"), network.GetDevice(1));
    RunAll();
    std::map<char, uint64_t> count;
    const std::vector<std::string> lines = ReadLines(m_folder.GetPath("ascii-s-0.tr"));
    for (const std::string& line : lines)
    {
        ++count[line.at(0)];
    }
    uint64_t sent = 0;
    uint64_t received = 0;
    for (uint32_t priority = 0; priority < 8; ++priority)
    {
        sent += network.GetFabric()->GetLinkCounters(1, priority).frames;
        received += network.GetFabric()->GetLinkCounters(0, priority).frames;
    }
    EXPECT_EQ(count['+'], sent);
    EXPECT_EQ(count['-'], sent + network.GetFabric()->GetSentPfcFrames(1));
    EXPECT_EQ(count['r'], received);
    EXPECT_EQ(count['d'], 1u);
    // The first is the only frame of host 3: (900 + 62 + 16 + 20) x 80 ps + 1 us.
    EXPECT_EQ(lines.at(0).substr(0, 35), "+ 1.07984e-06 ns3::EthernetHeader (") << lines.at(0);
    for (const char* part : {"length/type=0x800",
                             "source=02:00:0a:00:00:02",
                             "destination=02:00:0a:00:00:01",
                             "ns3::RoceIpHeader (10.0.0.7:",
                             "> 10.0.0.1:4791 dscp=32 ecn=2 ttl=63 id=0 length=960)",
                             "ns3::BthHeader (WRITE only qp=258 psn=0 ack-request)",
                             "ns3::RethHeader (address=0 key=2 length=900)",
                             "Payload (size=900)",
                             "ns3::RoceIcrc (icrc=0x"})
    {
        EXPECT_NE(lines.at(0).find(part), std::string::npos) << part << "\n" << lines.at(0);
    }
}

TEST_F(PcapTest, AsciiFileOfSeveralPorts)
{
    BuildAll();
    AsciiTraceHelper ascii;
    m_traces.EnableAsciiAll(ascii.CreateFileStream(m_folder.GetPath("all.tr")));
    RunAll();
    std::map<std::string, uint64_t> count;
    for (const std::string& line : ReadLines(m_folder.GetPath("all.tr")))
    {
        const std::size_t path = line.find('/');
        ++count[line.substr(0, 2) + line.substr(path, line.find(' ', path) - path)];
    }
    const std::string device = "/$ns3::FabricNetDevice/";
    const uint64_t sent = GetFabricTotals().sent;
    uint64_t hostsSent = 0;
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        hostsSent +=
            count["+ /NodeList/" + std::to_string(host) + "/DeviceList/0" + device + "MacTx"];
    }
    EXPECT_EQ(hostsSent, sent);
    EXPECT_EQ((count["d /NodeList/4/DeviceList/0" + device + "MacTxDrop"]), 1u);
    EXPECT_GT((count["r /NodeList/0/DeviceList/0" + device + "PhyRxEnd"]), 600u);
}

TEST_F(PcapTest, DscpMapOfTheUser)
{
    Set("ns3::Fabric::DscpMap", "0,8,16,24,26,40,46,48");
    Build(Star(2, 100 * G, US));
    network.GetDevice(Nic(0))->TraceConnectWithoutContext("Sniffer",
                                                          MakeCallback(&PcapTest::See, this));
    Run({Flow(0, 1, 100)});
    std::vector<uint8_t> dscps;
    for (const Seen& seen : m_seen)
    {
        Ptr<Packet> packet = seen.packet->Copy();
        RoceIpHeader ip;
        packet->RemoveAtStart(14);
        packet->RemoveHeader(ip);
        dscps.push_back(ip.GetDscp());
    }
    EXPECT_EQ(dscps, (std::vector<uint8_t>{26, 48})); // priorities 4 and 7
    Restart();
    Set("ns3::Fabric::DscpMap", "0,8,16");
    EXPECT_EQ(FindFaults(Star(2, 100 * G, US)),
              std::vector<std::string>{"DscpMap names 3 DSCPs for 8 priorities"});
}

TEST_F(PcapTest, TsharkFindsNoFault)
{
    if (!HaveTshark())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    Set("ns3::FabricNetDevice::TraceFcs", "true");
    BuildAll();
    m_traces.EnablePcapAll(m_folder.GetPath("t"));
    RunAll();
    m_traces.ClosePcap();
    for (const std::string name : {"t-h0-0.pcap", "t-h1-0.pcap", "t-h3-0.pcap", "t-s-2.pcap"})
    {
        SCOPED_TRACE(name);
        const std::vector<Seen> packets = Read(name);
        const std::string check = "-o ip.check_checksum:TRUE -o eth.fcs:Always "
                                  "-o eth.check_fcs:TRUE ";
        EXPECT_EQ(Tshark(name, check + "-Y '_ws.malformed || _ws.expert'"),
                  std::vector<std::string>());
        // Status 1 is good.
        EXPECT_EQ(Tshark(name, check + "-Y 'eth.fcs.status == 1'").size(), packets.size());
        EXPECT_EQ(Tshark(name, check + "-Y 'ip.checksum.status == 1'").size(),
                  packets.size() - Count(packets, FrameKind::PFC));
    }
}

TEST_F(PcapTest, TsharkSeesTheFields)
{
    if (!HaveTshark())
    {
        GTEST_SKIP() << "tshark is not installed";
    }
    BuildAll();
    m_traces.EnablePcapAll(m_folder.GetPath("t"));
    RunAll();
    m_traces.ClosePcap();
    for (const std::string name : {"t-h0-0.pcap", "t-h2-0.pcap"})
    {
        SCOPED_TRACE(name);
        const std::vector<Seen> packets = Read(name);
        const std::vector<std::string> lines = Tshark(
            name,
            "-T fields -E separator=' ' -e _ws.col.Protocol -e ip.src -e ip.dst -e ip.dsfield.dscp "
            "-e ip.dsfield.ecn -e udp.dstport -e infiniband.bth.opcode -e infiniband.bth.destqp "
            "-e infiniband.bth.psn -e infiniband.aeth.syndrome -e infiniband.reth.dmalen "
            "-e infiniband.invariant.crc -e macc.opcode -e macc.cbfc.enbv");
        ASSERT_EQ(lines.size(), packets.size());
        for (std::size_t i = 0; i < packets.size(); ++i)
        {
            const Frame& frame = packets[i].frame;
            std::ostringstream expected;
            if (frame.kind == FrameKind::PFC)
            {
                expected << "MAC CTRL            0x0101 0x0010";
                EXPECT_EQ(lines[i], expected.str());
                continue;
            }
            Ptr<Packet> packet = packets[i].packet->Copy();
            BthHeader bth;
            packet->RemoveAtStart(14 + RoceIpHeader::SIZE);
            packet->RemoveHeader(bth);
            std::vector<uint8_t> rest(packet->GetSize());
            packet->CopyData(rest.data(), packet->GetSize());
            expected << "RRoCE " << FabricAddress::GetIpv4(frame.source) << " "
                     << FabricAddress::GetIpv4(frame.destination) << " " << 8 * frame.priority
                     << " "
                     << (frame.flags & FRAME_CE    ? 3
                         : frame.flags & FRAME_ECT ? 2
                                                   : 0)
                     << " 4791 " << +bth.GetOpcode() << " "
                     << ToHex(256 + frame.queuePair).erase(2, 2) << " " << frame.psn << " ";
            if (bth.GetOpcode() == 0x11)
            {
                expected << (frame.kind == FrameKind::ACK ? 0x1f : 0x60);
            }
            expected << " ";
            if (frame.flags & FRAME_FIRST)
            {
                expected << (frame.queuePair == 2 ? 900 : 300'001 + frame.queuePair);
            }
            expected << " ";
            if (bth.GetOpcode() != 0x81) // of which it knows no header
            {
                const std::size_t end = rest.size() - 4;
                expected << ToHex(static_cast<uint32_t>(rest[end]) << 24 | rest[end + 1] << 16 |
                                  rest[end + 2] << 8 | rest[end + 3]);
            }
            expected << "  ";
            EXPECT_EQ(lines[i], expected.str());
        }
        EXPECT_EQ(Tshark(name, "-Y 'infiniband.bth.opcode == 129'").size(),
                  Count(packets, FrameKind::CNP));
        EXPECT_EQ(Tshark(name, "-Y macc").size(), Count(packets, FrameKind::PFC));
    }
}

} // namespace ns3
