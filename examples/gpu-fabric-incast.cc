/* SPDX-License-Identifier: GPL-2.0-only */

// The network alone: three hosts write a message each to a fourth, through one switch, and share
// its link. Prints the arrival time of each: ./ns3 run gpu-fabric-incast

#include "ns3/cluster-topology.h"
#include "ns3/config.h"
#include "ns3/fabric-helper.h"
#include "ns3/global-value.h"
#include "ns3/rdma-client.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;

namespace
{
constexpr uint32_t SENDERS = 3;
constexpr uint64_t MESSAGE_BYTES = 1'000'000;
constexpr uint64_t RATE_BPS = 100'000'000'000;

/// Prints the completion of messages.
class Printer : public RdmaClient
{
  public:
    void MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag&) override
    {
        std::cout << "queue pair " << queuePair << ": arrived at " << now << " ps\n";
    }

    void MessageCompleted(int64_t, uint32_t, const MessageTag&) override
    {
    }

    void QueuePairFailed(int64_t now, uint32_t queuePair) override
    {
        std::cout << "queue pair " << queuePair << ": failed at " << now << " ps\n";
    }
};

} // namespace

int
main()
{
    Time::SetResolution(Time::PS);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    Config::SetDefault("ns3::RoceNic::CongestionControl", StringValue("ns3::FixedRate"));

    ClusterTopology topology;
    const uint32_t fabricSwitch = topology.AddSwitch("switch");
    for (uint32_t host = 0; host <= SENDERS; ++host)
    {
        const uint32_t node = topology.AddHost("host" + std::to_string(host), 1);
        topology.AddLink(node, fabricSwitch, RATE_BPS, 1'000'000 /* ps */);
    }
    FabricHelper network;
    for (const FabricFault& fault : network.Build(topology, 1))
    {
        std::cerr << fault.ToSentence() << "\n";
        return 1;
    }
    Printer printer;
    for (uint32_t host = 0; host < SENDERS; ++host)
    {
        QueuePairConfig config;
        config.sourceNic = 2 * host; // Link i has ports 2i (host) and 2i + 1.
        config.destinationNic = 2 * SENDERS;
        config.priority = 1;
        config.client = &printer;
        const uint32_t queuePair = network.GetTransport()->CreateQueuePair(0, config);
        network.GetTransport()->Post(0, queuePair, MESSAGE_BYTES, {});
    }
    Simulator::Run();
    network.Dispose();
    Simulator::Destroy();
    return 0;
}
