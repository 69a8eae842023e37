/* SPDX-License-Identifier: GPL-2.0-only */

// Packet-hops per CPU second of the peers' workloads, and of a chain of ns-3's own
// PointToPointNetDevices in the same process: the ratio does not depend on the machine.

#include "ns3/cluster-topology.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/event-lane.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/plain-flows.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace ns3;

namespace
{

double
GetCpuSeconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Figures
{
    double seconds{0};
    double hops{0};
    double events{0};
    double medianUs{0};
};

/// T16 of peers.md: 16 hosts at 100G under 4 leaves, one spine with 400G links of 1 us.
ClusterTopology
MakeT16()
{
    ClusterTopology topology;
    for (uint32_t i = 0; i < 16; ++i)
    {
        topology.AddHost("n" + std::to_string(i), 1);
    }
    for (uint32_t i = 16; i < 21; ++i)
    {
        topology.AddSwitch("n" + std::to_string(i));
    }
    for (uint32_t i = 0; i < 16; ++i)
    {
        topology.AddLink(i, 16 + i / 4, 100'000'000'000, 1'000'000);
    }
    for (uint32_t i = 16; i < 20; ++i)
    {
        topology.AddLink(i, 20, 400'000'000'000, 1'000'000);
    }
    return topology;
}

void
SetPeerParameters()
{
    Config::SetDefault("ns3::RoceNic::CongestionControl", StringValue("ns3::Dcqcn"));
    Config::SetDefault("ns3::Dcqcn::Preset", StringValue("hpcc"));
    Config::SetDefault("ns3::RoceNic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::RoceNic::AckInterval", UintegerValue(1));
}

Figures
RunFlows(const ClusterTopology& topology, bool allToAll)
{
    Simulator::SetImplementation(CreateObject<FabricSimulatorImpl>());
    FabricHelper network;
    network.Build(topology, 1);
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 16; ++i)
    {
        for (uint32_t j = 0; j < 16; ++j)
        {
            bool wanted = allToAll ? i != j : j == (i + 4) % 16;
            if (wanted)
            {
                list.push_back({topology.GetNodes()[i].ports[0],
                                topology.GetNodes()[j].ports[0],
                                allToAll ? 4'000'000u : 64'000'000u,
                                1'000'000'000,
                                4});
            }
        }
    }
    Ptr<PlainFlows> flows = CreateObject<PlainFlows>();
    std::vector<double> ends;
    network.GetTransport()->TraceConnectWithoutContext(
        "Transfer",
        Callback<void, const TransferRecord&>([&ends](const TransferRecord& record) {
            ends.push_back(static_cast<double>(record.completedPs - record.startPs) * 1e-6);
        }));
    flows->Start(network.GetTransport(), list, {});
    Figures figures;
    double start = GetCpuSeconds();
    Simulator::Run();
    figures.seconds = GetCpuSeconds() - start;
    figures.hops = static_cast<double>(network.GetFabric()->GetTotals().hops);
    figures.events = static_cast<double>(EventLane::Get()->GetEventCount());
    std::sort(ends.begin(), ends.end());
    figures.medianUs = ends.empty() ? 0 : ends[ends.size() / 2];
    flows->Dispose();
    network.Dispose();
    Simulator::Destroy();
    return figures;
}

/// A packet every serialisation time over a chain of four point-to-point links, no stack.
class Relay
{
  public:
    bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&)
    {
        ++hops;
        if (next)
        {
            next->Send(packet->Copy(), next->GetBroadcast(), protocol);
        }
        return true;
    }

    Ptr<NetDevice> next;
    static inline uint64_t hops = 0;
};

Figures
RunPointToPoint()
{
    constexpr uint32_t LINKS = 4;
    constexpr uint32_t PACKETS = 250'000;
    Relay::hops = 0;
    std::vector<Ptr<Node>> nodes;
    std::vector<Relay> relays(LINKS + 1);
    for (uint32_t i = 0; i <= LINKS; ++i)
    {
        nodes.push_back(CreateObject<Node>());
    }
    Ptr<NetDevice> first;
    for (uint32_t i = 0; i < LINKS; ++i)
    {
        Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(MicroSeconds(1)));
        for (uint32_t end = 0; end < 2; ++end)
        {
            Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
            device->SetDataRate(DataRate("100Gbps"));
            device->SetAddress(Mac48Address::Allocate());
            device->SetQueue(CreateObject<DropTailQueue<Packet>>());
            nodes[i + end]->AddDevice(device);
            device->Attach(channel);
            if (end == 0 && i == 0)
            {
                first = device;
            }
            else if (end == 0)
            {
                relays[i].next = device;
            }
            else
            {
                device->SetReceiveCallback(MakeCallback(&Relay::Receive, &relays[i + 1]));
            }
        }
    }
    Ptr<Packet> packet = Create<Packet>(1000);
    for (uint32_t i = 0; i < PACKETS; ++i)
    {
        Simulator::Schedule(NanoSeconds(90) * i, [first, packet]() {
            first->Send(packet->Copy(), first->GetBroadcast(), 0x800);
        });
    }
    Figures figures;
    double start = GetCpuSeconds();
    Simulator::Run();
    figures.seconds = GetCpuSeconds() - start;
    figures.hops = static_cast<double>(Relay::hops);
    Simulator::Destroy();
    return figures;
}

double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    int runs = argc > 1 ? std::atoi(argv[1]) : 5;
    SetPeerParameters();
    ClusterTopology topology = MakeT16();
    const char* names[] = {"perm16 on T16", "a2a16 on T16", "PointToPointNetDevice chain"};
    std::vector<double> rates[3];
    Figures last[3];
    for (int run = 0; run < runs; ++run)
    {
        for (int i = 0; i < 3; ++i)
        {
            last[i] = i < 2 ? RunFlows(topology, i == 1) : RunPointToPoint();
            rates[i].push_back(last[i].hops / last[i].seconds * 1e-6);
        }
    }
    double reference = Median(rates[2]);
    std::printf("%-28s %14s %12s %12s %14s %8s\n",
                "workload",
                "packet-hops",
                "events/hop",
                "median us",
                "Mhops/CPU-s",
                "ratio");
    for (int i = 0; i < 3; ++i)
    {
        std::printf("%-28s %14.0f %12.3f %12.3f %14.3f %8.2f\n",
                    names[i],
                    last[i].hops,
                    i < 2 ? last[i].events / last[i].hops : 0.0,
                    last[i].medianUs,
                    Median(rates[i]),
                    Median(rates[i]) / reference);
    }
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("peak memory %.1f MB; medians of %d runs, interleaved\n",
                static_cast<double>(usage.ru_maxrss) / 1024,
                runs);
    return 0;
}
