/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-chain.h"

#include "benchmark-figure.h"

#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"

#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t LINKS = 4;
constexpr uint32_t PACKETS = 250'000;

/// Hands what one device receives to the next one.
struct Relay
{
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
    uint64_t hops{0};
};

/// Sends a packet, and the next one 90 ns later: no more events are pending than in a run of
/// ns-3's applications.
struct Source
{
    void Send()
    {
        device->Send(packet->Copy(), device->GetBroadcast(), 0x800);
        if (++sent < PACKETS)
        {
            Simulator::Schedule(NanoSeconds(90), &Source::Send, this);
        }
    }

    Ptr<NetDevice> device;
    Ptr<Packet> packet{Create<Packet>(1000)};
    uint32_t sent{0};
};

} // namespace

double
RunPointToPointChain()
{
    std::vector<Ptr<Node>> nodes;
    std::vector<Relay> relays(LINKS + 1);
    Source source;
    for (uint32_t i = 0; i <= LINKS; ++i)
    {
        nodes.push_back(CreateObject<Node>());
    }
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
            if (end == 1)
            {
                device->SetReceiveCallback(MakeCallback(&Relay::Receive, &relays[i + 1]));
            }
            else if (i == 0)
            {
                source.device = device;
            }
            else
            {
                relays[i].next = device;
            }
        }
    }
    Simulator::ScheduleNow(&Source::Send, &source);
    const double start = GetCpuSeconds();
    Simulator::Run();
    const double seconds = GetCpuSeconds() - start;
    Simulator::Destroy();
    uint64_t hops = 0;
    for (const Relay& relay : relays)
    {
        hops += relay.hops;
    }
    return static_cast<double>(hops) / seconds * 1e-6;
}
