/* SPDX-License-Identifier: GPL-2.0-only */

// Packets in the trace sources of ports and in pcap files.

#include "../fixture/pcap-fixture.h"

namespace ns3
{

TEST_F(PcapTest, EveryFrameIsInTheFilesOfBothEnds)
{
    BuildAll();
    m_traces.EnablePcapAll(m_folder.GetPath("all"));
    RunAll();
    EXPECT_TRUE(m_traces.ClosePcap());
    CheckConservation();
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        const std::string number = std::to_string(host);
        const uint32_t near = 2 * host;
        std::vector<Seen> atHost = Read("all-h" + number + "-0.pcap");
        std::vector<Seen> atSwitch = Read("all-s-" + number + ".pcap");
        EXPECT_EQ(atHost.size(), atSwitch.size());
        // Frames of the host's link, and of the way back.
        for (const uint32_t port : {near, near + 1})
        {
            for (const auto* packets : {&atHost, &atSwitch})
            {
                uint64_t bytes = 0;
                uint64_t pauses = 0;
                for (const Seen& seen : *packets)
                {
                    EXPECT_EQ(seen.sender / 2, host);
                    const bool pfc = seen.frame.kind == FrameKind::PFC;
                    pauses += seen.sender == port && pfc;
                    bytes += seen.sender == port && !pfc ? seen.frame.wireBytes : 0;
                }
                EXPECT_EQ(bytes, GetSentBytes(port));
                EXPECT_EQ(pauses, network.GetFabric()->GetSentPfcFrames(port));
            }
        }
        // What one end sends the other receives a transmission and 1 us later.
        std::vector<const Seen*> sent;
        std::vector<const Seen*> received;
        for (const Seen& seen : atHost)
        {
            if (seen.sender == near)
            {
                sent.push_back(&seen);
            }
        }
        for (const Seen& seen : atSwitch)
        {
            if (seen.sender == near)
            {
                received.push_back(&seen);
            }
        }
        ASSERT_EQ(sent.size(), received.size());
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            EXPECT_EQ(sent[i]->frame.psn, received[i]->frame.psn);
            // 0.08 ns a byte at 100 Gb/s; both times are cut to nanoseconds.
            const int64_t transmission = sent[i]->frame.wireBytes * 80;
            EXPECT_NEAR(received[i]->timePs - sent[i]->timePs, transmission + US, 1000);
        }
        for (const auto* packets : {&atHost, &atSwitch})
        {
            EXPECT_TRUE(std::is_sorted(packets->begin(), packets->end(), [](auto& a, auto& b) {
                return a.timePs < b.timePs;
            }));
        }
    }
}

TEST_F(PcapTest, PacketsAreWhatTheTransportDoes)
{
    BuildAll();
    m_traces.EnablePcap(m_folder.GetPath("nic"), network.GetDevice(Nic(0)), true);
    m_traces.EnablePcap(m_folder.GetPath("nic"), 2, 0); // node 2, device 0
    RunAll();
    m_traces.ClosePcap();
    const RdmaTotals& totals = GetRdmaTotals();
    ASSERT_GT(totals.cnps, 0u);
    ASSERT_GT(totals.naks, 0u);
    std::vector<Seen> packets = Read("nic-h0-0.pcap");
    EXPECT_EQ(Count(packets, FrameKind::ACK), totals.acks);
    EXPECT_EQ(Count(packets, FrameKind::NAK), totals.naks);
    EXPECT_EQ(Count(packets, FrameKind::CNP), totals.cnps);
    uint64_t marked = 0;
    std::set<uint32_t> lengths;
    uint32_t messages = 0;
    for (const Seen& seen : packets)
    {
        Ptr<Packet> packet = seen.packet->Copy();
        EthernetHeader ethernet;
        RoceIpHeader ip;
        BthHeader bth;
        packet->RemoveHeader(ethernet);
        packet->RemoveHeader(ip);
        packet->RemoveHeader(bth);
        // By IP from NIC to NIC, by Ethernet over the last or the first wire.
        const bool data = seen.frame.kind == FrameKind::DATA;
        EXPECT_EQ(data ? ip.GetDestination() : ip.GetSource(), Ipv4Address("10.0.0.1"));
        EXPECT_EQ(ip.GetTtl(), data ? 63 : 64);
        EXPECT_EQ(ip.GetDscp(), data ? 32 : 56); // 8 times the priority, 4 or 7
        EXPECT_EQ(ip.GetUdpSourcePort(),
                  network.GetTransport()->GetDefaultUdpSourcePort(seen.frame.queuePair));
        EXPECT_EQ(bth.GetDestinationQueuePair(), 256 + seen.frame.queuePair);
        if (data)
        {
            marked += seen.frame.flags & FRAME_CE ? 1 : 0;
            messages += seen.frame.flags & FRAME_LAST ? 1 : 0;
        }
        if (data && seen.frame.flags & FRAME_FIRST)
        {
            RethHeader reth;
            packet->RemoveHeader(reth);
            EXPECT_EQ(reth.GetVirtualAddress(), 0u);
            EXPECT_EQ(reth.GetRemoteKey(), seen.frame.queuePair);
            lengths.insert(reth.GetDmaLength());
        }
    }
    // All marks are made on the way to host 0.
    EXPECT_EQ(marked, GetFabricTotals().markedFrames);
    EXPECT_EQ(lengths, (std::set<uint32_t>{900, 300'001, 300'002}));
    EXPECT_GE(messages, 3u);

    std::vector<Seen> sender = Read("nic-h2-0.pcap");
    uint64_t paused = 0;
    uint64_t resumed = 0;
    for (const Seen& seen : sender)
    {
        if (seen.frame.kind == FrameKind::PFC)
        {
            EXPECT_EQ(seen.sender, 5u); // the switch
            EXPECT_EQ(seen.frame.psn, 1u << 4);
            paused += seen.frame.payload != 0;
            resumed += seen.frame.payload == 0;
        }
        else if (seen.frame.kind == FrameKind::DATA)
        {
            EXPECT_EQ(seen.frame.flags & (FRAME_ECT | FRAME_CE), FRAME_ECT);
        }
    }
    EXPECT_EQ(paused, network.GetFabric()->GetSentPauses(5));
    EXPECT_GT(paused, 0u);
    EXPECT_GT(resumed, 0u);
}

TEST_F(PcapTest, MessagesHaveAddressesOneBehindTheOther)
{
    Set("ns3::RoceNic::PathMtu", 1000);
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    uint32_t queuePair = Connect(0, 1, &client);
    network.GetDevice(Nic(0))->TraceConnectWithoutContext("Sniffer",
                                                          MakeCallback(&PcapTest::See, this));
    Post(queuePair, 2500); // frames 0 to 2
    Post(queuePair, 1000); // frame 3
    Post(queuePair, 1);    // frame 4
    Simulator::Run();
    std::vector<uint64_t> addresses;
    std::vector<uint32_t> lengths;
    for (const Seen& seen : m_seen)
    {
        if (seen.frame.kind == FrameKind::DATA && seen.frame.flags & FRAME_FIRST)
        {
            RethHeader reth;
            Ptr<Packet> packet = seen.packet->Copy();
            packet->RemoveAtStart(14 + RoceIpHeader::SIZE + BthHeader::SIZE);
            packet->RemoveHeader(reth);
            addresses.push_back(reth.GetVirtualAddress());
            lengths.push_back(reth.GetDmaLength());
        }
    }
    EXPECT_EQ(addresses, (std::vector<uint64_t>{0, 3000, 4000}));
    EXPECT_EQ(lengths, (std::vector<uint32_t>{2500, 1000, 1}));
    // One ACK at the end of each message: 1, 2 and 3 are complete.
    std::vector<uint8_t> numbers;
    for (const Seen& seen : m_seen)
    {
        if (seen.frame.kind == FrameKind::ACK)
        {
            std::vector<uint8_t> bytes(seen.packet->GetSize());
            seen.packet->CopyData(bytes.data(), seen.packet->GetSize());
            numbers.push_back(bytes.at(14 + RoceIpHeader::SIZE + BthHeader::SIZE + 3));
        }
    }
    EXPECT_EQ(numbers, (std::vector<uint8_t>{1, 2, 3}));
}

TEST_F(PcapTest, TtlFallsByOneAtEachSwitch)
{
    Build(Chain(4, 100 * G, US));
    for (uint32_t port = 0; port < 8; ++port)
    {
        network.GetDevice(port)->TraceConnectWithoutContext("PhyTxBegin",
                                                            MakeCallback(&PcapTest::See, this));
    }
    Run({Flow(0, topology.GetNodes().size() - 1, 100)});
    std::vector<uint8_t> ttls;
    for (const Seen& seen : m_seen)
    {
        Ptr<Packet> packet = seen.packet->Copy();
        RoceIpHeader ip;
        packet->RemoveAtStart(14);
        packet->RemoveHeader(ip);
        ttls.push_back(ip.GetTtl());
    }
    // The frame over four wires, its acknowledgement over the same back.
    EXPECT_EQ(ttls, (std::vector<uint8_t>{64, 63, 62, 61, 64, 63, 62, 61}));
}

TEST_F(PcapTest, ConfigPathsAndNames)
{
    BuildAll();
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::RoceNic/PromiscSniffer",
                                  MakeCallback(&PcapTest::See, this));
    Config::Connect("/Names/s/DeviceList/0/$ns3::FabricNetDevice/MacTx",
                    MakeCallback(&PcapTest::SeeWithContext, this));
    RunAll();
    uint64_t frames = 0;
    for (uint32_t priority = 0; priority < 8; ++priority)
    {
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            for (const uint32_t link : {2 * host, 2 * host + 1})
            {
                frames += network.GetFabric()->GetLinkCounters(link, priority).frames;
            }
        }
        // Once more those that the switch sends to host 0: MacTx is not told of PFC.
        frames += network.GetFabric()->GetLinkCounters(1, priority).frames;
    }
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        frames += network.GetFabric()->GetSentPfcFrames(2 * host + 1);
    }
    EXPECT_EQ(m_seen.size(), frames);
    EXPECT_EQ(m_contexts,
              (std::set<std::string>{"/Names/s/DeviceList/0/$ns3::FabricNetDevice/MacTx"}));
}

TEST_F(PcapTest, SinksMayComeAndGo)
{
    BuildAll();
    Ptr<FabricNetDevice> nic = network.GetDevice(Nic(0));
    At(10 * US, [this, nic]() {
        nic->TraceConnectWithoutContext("Sniffer", MakeCallback(&PcapTest::See, this));
    });
    At(20 * US, [this, nic]() {
        nic->TraceDisconnectWithoutContext("Sniffer", MakeCallback(&PcapTest::See, this));
    });
    RunAll();
    ASSERT_FALSE(m_seen.empty());
    EXPECT_GE(m_seen.front().timePs, 10 * US);
    EXPECT_LT(m_seen.back().timePs, 20 * US);
    // 10 us of a link at 100 Gb/s carry 125,000 bytes: 115 frames of 1082 and what goes back.
    EXPECT_NEAR(Count(m_seen, FrameKind::DATA), 115, 3);
}

TEST_F(PcapTest, NoPacketIsMadeForNobody)
{
    BuildAll();
    uint64_t before = CountPackets();
    RunAll();
    EXPECT_EQ(CountPackets() - before, 1u);

    Restart();
    BuildAll();
    // One trace source of one port: a packet for each of its events, and none for others.
    uint64_t received = 0;
    network.GetDevice(Nic(3))->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>([&received](Ptr<const Packet>) { ++received; }));
    before = CountPackets();
    RunAll();
    EXPECT_EQ(CountPackets() - before, 1 + received);
    EXPECT_EQ(received, 1u); // the acknowledgement of its only frame
}

TEST_F(PcapTest, LookingChangesNothing)
{
    const auto run = [this](bool look) {
        Restart();
        BuildAll();
        if (look)
        {
            m_traces.EnablePcapAll(m_folder.GetPath("look"));
        }
        RunAll();
        std::vector<int64_t> result{Simulator::Now().GetTimeStep(),
                                    static_cast<int64_t>(Simulator::GetEventCount()),
                                    static_cast<int64_t>(GetFabricTotals().markedFrames)};
        for (const TransferRecord& transfer : transfers)
        {
            result.push_back(transfer.completedPs);
        }
        for (const PauseRecord& pause : pauses)
        {
            result.push_back(pause.endPs);
        }
        m_traces.ClosePcap();
        return result;
    };
    const std::vector<int64_t> unseen = run(false);
    EXPECT_GT(unseen.size(), 6u);
    EXPECT_EQ(run(true), unseen);
}

TEST_F(PcapTest, TheLostFrameIsToldOf)
{
    BuildAll();
    network.GetDevice(1)->TraceConnectWithoutContext("MacTxDrop",
                                                     MakeCallback(&PcapTest::See, this));
    RunAll();
    ASSERT_EQ(m_seen.size(), 1u);
    EXPECT_EQ(m_seen[0].frame.kind, FrameKind::DATA);
    EXPECT_EQ(GetFabricTotals().dropped, 1u);
    EXPECT_EQ(CountEvents("drop"), 1u);
}

TEST_F(PcapTest, FramesLostOnACable)
{
    Build(Star(2, 100 * G, US));
    for (const char* source : {"PhyRxDrop", "MacTxDrop", "PhyRxEnd"})
    {
        network.GetDevice(1)->TraceConnectWithoutContext(source,
                                                         MakeCallback(&PcapTest::See, this));
    }
    const int64_t frame = 4178 * 80;
    Launch({Flow(0, 1, 12 * 4096)});
    At(8 * frame + US + frame / 2,
       [this]() { network.GetFabric()->SetLinkUp(Simulator::Now().GetTimeStep(), 0, false); });
    Simulator::Stop(PicoSeconds(MS));
    Simulator::Run();
    // A cable of 1 us holds 1 us / 334.24 ns = 2.99 frames, so three and the one in transmission;
    // what is sent after that is lost at once, and only the sender's port is told.
    std::vector<uint32_t> psns;
    for (const Seen& seen : m_seen)
    {
        psns.push_back(seen.frame.psn);
        EXPECT_EQ(seen.sender, 0u);
    }
    EXPECT_EQ(psns, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(GetFabricTotals().cutFrames, 4u);
}

TEST_F(PcapTest, OtherOperations)
{
    Set("ns3::RoceNic::PathMtu", 1000);
    Build(Star(2, 100 * G, US));
    m_traces.EnablePcap(m_folder.GetPath("op"), network.GetDevice(Nic(0)), true);
    RecordingClient client;
    MessageTag tag;
    uint32_t send = Connect(0, 1, &client);
    uint32_t read = Connect(0, 1, &client);
    network.GetTransport()->Post(0, send, 2500, tag, RdmaOperation::SEND);
    network.GetTransport()->Post(0, send, 999, tag, RdmaOperation::SEND);
    network.GetTransport()->Post(0, read, 2500, tag, RdmaOperation::READ);
    At(100 * US,
       [&]() { network.GetTransport()->Post(100 * US, read, 999, tag, RdmaOperation::READ); });
    Simulator::Run();
    m_traces.ClosePcap();
    std::map<uint32_t, std::vector<int>> opcodes; // by queue pair
    for (const Seen& seen : Read("op-h0-0.pcap"))
    {
        Ptr<Packet> packet = seen.packet->Copy();
        BthHeader bth;
        packet->RemoveAtStart(14 + RoceIpHeader::SIZE);
        packet->RemoveHeader(bth);
        opcodes[seen.frame.queuePair].push_back(bth.GetOpcode());
        if (seen.frame.kind == FrameKind::READ_REQUEST)
        {
            RethHeader reth;
            packet->RemoveHeader(reth);
            // The first READ takes frames 0 to 2, so the second begins at 3.
            EXPECT_EQ(reth.GetDmaLength(), seen.frame.psn == 0 ? 2500u : 999u);
            EXPECT_EQ(reth.GetVirtualAddress(), seen.frame.psn == 0 ? 0u : 3000u);
        }
    }
    // SEND first, middle, last and only, two acknowledgements.
    EXPECT_EQ(opcodes[send], (std::vector<int>{0, 1, 2, 4, 0x11, 0x11}));
    // READ request, response first, middle and last; request, response only.
    EXPECT_EQ(opcodes[read], (std::vector<int>{0x0c, 0x0d, 0x0e, 0x0f, 0x0c, 0x10}));
    if (HaveTshark())
    {
        EXPECT_EQ(Tshark("op-h0-0.pcap", "-Y '_ws.malformed || _ws.expert'"),
                  std::vector<std::string>());
        EXPECT_EQ(Tshark("op-h0-0.pcap", "-Y 'infiniband.reth.dmalen == 2500'").size(), 1u);
        EXPECT_EQ(Tshark("op-h0-0.pcap", "-Y infiniband.aeth").size(), 2u + 3u);
    }
}

TEST_F(PcapTest, SelectiveRepeatNamesWhatItHas)
{
    Set("ns3::RoceNic::LossRecovery", "irn");
    BuildAll();
    network.GetDevice(Nic(0))->TraceConnectWithoutContext("Sniffer",
                                                          MakeCallback(&PcapTest::See, this));
    RunAll();
    uint64_t naks = 0;
    for (const Seen& seen : m_seen)
    {
        if (seen.frame.kind == FrameKind::NAK)
        {
            ++naks;
            EXPECT_GT(seen.frame.payload, seen.frame.psn);
        }
    }
    EXPECT_EQ(naks, GetRdmaTotals().naks);
    EXPECT_GT(naks, 0u);
}

TEST_F(PcapTest, FrameCheckSequenceOnRequest)
{
    Set("ns3::FabricNetDevice::TraceFcs", "true");
    BuildAll();
    m_traces.EnablePcap(m_folder.GetPath("fcs.pcap"), network.GetDevice(Nic(1)), false, true);
    RunAll();
    m_traces.ClosePcap();
    for (const Seen& seen : Read("fcs.pcap"))
    {
        EXPECT_EQ(seen.packet->GetSize() + 20, seen.frame.wireBytes);
    }
}

TEST_F(PcapTest, ForcedSizesAreNotSeen)
{
    SetPeerFraming(1000);
    Build(Star(2, 100 * G, US));
    network.GetDevice(Nic(0))->TraceConnectWithoutContext("Sniffer",
                                                          MakeCallback(&PcapTest::See, this));
    RoceFraming framing = network.GetTransport()->GetFraming(Nic(0));
    EXPECT_TRUE(FabricTraceHelper::IsForced(framing));
    EXPECT_FALSE(FabricTraceHelper::IsForced({}));
    Run({Flow(0, 1, 2000)});
    std::vector<uint32_t> sizes;
    for (const Seen& seen : m_seen)
    {
        sizes.push_back(seen.packet->GetSize());
    }
    // Without FCS: WRITE first 1078 - 4, WRITE last 1062 - 4, two acknowledgements 66 - 4.
    EXPECT_EQ(sizes, (std::vector<uint32_t>{1074, 1058, 62, 62}));
    EXPECT_EQ(GetSentBytes(Nic(0)), 2 * 1048u); // as the simulation counts
}

TEST_F(PcapTest, PayloadsTooLargeForIpAreRefused)
{
    EXPECT_EQ(FabricTraceHelper::FindFault({65'472}), "");
    EXPECT_EQ(FabricTraceHelper::FindFault({65'473}),
              "a frame with PathMtu = 65473 bytes is no IP packet: with packets it is at most "
              "65472");
    Set("ns3::RoceNic::PathMtu", 65'536);
    Build(Star(2, 100 * G, US));
    EXPECT_DEATH(m_traces.EnablePcapAll(m_folder.GetPath("large")), "no IP packet");
}

} // namespace ns3
