/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEST_PCAP_FIXTURE_H
#define GPU_FABRIC_TEST_PCAP_FIXTURE_H

#include "network-fixture.h"
#include "scenario-fixture.h"

#include "ns3/bth-header.h"
#include "ns3/ethernet-header.h"
#include "ns3/fabric-address.h"
#include "ns3/fabric-trace-helper.h"
#include "ns3/frame-codec.h"
#include "ns3/pcap-file.h"
#include "ns3/reth-header.h"
#include "ns3/roce-frame-context.h"
#include "ns3/roce-ip-header.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <set>

namespace ns3
{

/// Packets can be printed only if that is asked for before the first of them is made.
inline const bool g_printing = (Packet::EnablePrinting(), true);

/// The standard output of a command, line by line.
inline std::vector<std::string>
Call(const std::string& command)
{
    std::vector<std::string> lines;
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string line;
    for (int c; pipe && (c = std::fgetc(pipe.get())) != EOF;)
    {
        if (c != '\n')
        {
            line += static_cast<char>(c);
            continue;
        }
        lines.push_back(line);
        line.clear();
    }
    return lines;
}

inline std::vector<std::string>
ReadLines(const std::string& path)
{
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

inline std::string
ToHex(uint32_t value)
{
    char text[16];
    std::snprintf(text, sizeof(text), "0x%08x", value);
    return text;
}

/// Hosts h0 to h3 on a switch with so small a buffer that it pauses them; DCQCN; a frame is lost.
class PcapTest : public NetworkFixture
{
  protected:
    static constexpr uint32_t HOSTS = 4;

    /// A packet that was seen, and the frame that it is.
    struct Seen
    {
        int64_t timePs{0};
        Ptr<const Packet> packet;
        Frame frame;
        uint32_t sender{0}; ///< port that put it on the wire
    };

    /// Builds the network. Links are those of hosts: port 2 i of host i, 2 i + 1 of the switch.
    void BuildAll()
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::RoceNic::PathMtu", 1000);
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Set("ns3::FabricSwitch::BufferSize", 1'000'000);
        Set("ns3::RedEcnMarker::Kmin", 5'000);
        Set("ns3::RedEcnMarker::Kmax", 20'000);
        Build(Star(HOSTS, 100 * G, US));
        uint32_t data = 0;
        GetLossyBuffer("s")->lose = [data](const LossyBuffer::Arrival& arrival) mutable {
            return arrival.bytes > 1000 && ++data == LOST;
        };
    }

    /// Three hosts send to host 0: 301, 301 and 1 frames.
    void RunAll()
    {
        Run({Flow(1, 0, 300'001), Flow(2, 0, 300'002), Flow(3, 0, 900)});
    }

    Seen Decode(int64_t timePs, Ptr<const Packet> packet)
    {
        Seen seen;
        seen.timePs = timePs;
        seen.packet = packet;
        FrameCodec codec(Create<RoceFrameContext>(*network.GetFabric(), *network.GetTransport()));
        EXPECT_EQ(codec.FromPacket(packet, seen.frame), "");
        EthernetHeader ethernet;
        packet->PeekHeader(ethernet);
        seen.sender = static_cast<uint32_t>(FabricAddress::FindPort(ethernet.GetSource()));
        return seen;
    }

    /// The packets of a pcap file, times in nanoseconds.
    std::vector<Seen> Read(const std::string& name)
    {
        std::vector<Seen> packets;
        PcapFile file;
        file.Open(m_folder.GetPath(name), std::ios::in);
        EXPECT_FALSE(file.Fail()) << name;
        EXPECT_EQ(file.GetDataLinkType(), 1u); // Ethernet
        EXPECT_TRUE(file.IsNanoSecMode());
        std::vector<uint8_t> bytes(10'000);
        for (;;)
        {
            uint32_t seconds;
            uint32_t fraction;
            uint32_t included;
            uint32_t original;
            uint32_t length;
            file.Read(bytes.data(),
                      static_cast<uint32_t>(bytes.size()),
                      seconds,
                      fraction,
                      included,
                      original,
                      length);
            if (file.Eof() || file.Fail())
            {
                return packets;
            }
            EXPECT_EQ(included, original);
            packets.push_back(Decode((seconds * 1'000'000'000ll + fraction) * 1000,
                                     Create<Packet>(bytes.data(), included)));
        }
    }

  public:
    // Sinks.
    void See(Ptr<const Packet> packet)
    {
        m_seen.push_back(Decode(Simulator::Now().GetTimeStep(), packet));
    }

    void SeeWithContext(std::string context, Ptr<const Packet> packet)
    {
        m_contexts.insert(context);
        See(packet);
    }

  protected:
    static uint64_t Count(const std::vector<Seen>& packets, FrameKind kind)
    {
        return static_cast<uint64_t>(
            std::count_if(packets.begin(), packets.end(), [kind](const Seen& seen) {
                return seen.frame.kind == kind;
            }));
    }

    /// Packets made in the process so far, and one more.
    static uint64_t CountPackets()
    {
        return Create<Packet>()->GetUid();
    }

    static bool HaveTshark()
    {
        return !Call("tshark --version 2>/dev/null").empty();
    }

    /// What tshark prints of a file.
    std::vector<std::string> Tshark(const std::string& name, const std::string& options) const
    {
        return Call("tshark -r '" + m_folder.GetPath(name) + "' " + options + " 2>/dev/null");
    }

    static constexpr uint32_t LOST = 40; ///< the frame of data that is lost, in order of arrival

    ScenarioFolder m_folder;
    FabricTraceHelper m_traces;
    std::vector<Seen> m_seen;
    std::set<std::string> m_contexts;
};

} // namespace ns3

#endif // GPU_FABRIC_TEST_PCAP_FIXTURE_H
