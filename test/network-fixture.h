/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NETWORK_FIXTURE_H
#define GPU_FABRIC_NETWORK_FIXTURE_H

#include "ns3/config.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/object-factory.h"
#include "ns3/plain-flows.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

/// A network with plain flows; each test chooses topology, defaults and flows.
class NetworkFixture : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        Simulator::Destroy();
        Simulator::SetImplementation(CreateObject<FabricSimulatorImpl>());
        Config::SetDefault("ns3::RoceNic::CongestionControl", StringValue("ns3::FixedRate"));
    }

    void TearDown() override
    {
        if (flows)
        {
            flows->Dispose();
        }
        flows = nullptr;
        network.Dispose();
        Config::Reset();
        Simulator::Destroy();
    }

    /// Two hosts, each with its own switch, and hops - 2 ... in a row: hops links in all.
    static ClusterTopology Chain(uint32_t hops, uint64_t rate, int64_t delay)
    {
        ClusterTopology topology;
        uint32_t previous = topology.AddHost("h0", 1);
        for (uint32_t i = 1; i < hops; ++i)
        {
            uint32_t node = topology.AddSwitch("s" + std::to_string(i));
            topology.AddLink(previous, node, rate, delay);
            previous = node;
        }
        uint32_t last = topology.AddHost("h1", 1);
        topology.AddLink(previous, last, rate, delay);
        return topology;
    }

    static ClusterTopology Star(uint32_t hosts, uint64_t rate, int64_t delay)
    {
        ClusterTopology topology;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddHost("h" + std::to_string(i), 1);
        }
        uint32_t node = topology.AddSwitch("s");
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddLink(i, node, rate, delay);
        }
        return topology;
    }

    void Build(const ClusterTopology& graph, uint64_t seed = 1)
    {
        topology = graph;
        std::vector<std::string> errors = network.Build(topology, seed);
        ASSERT_TRUE(errors.empty()) << errors[0];
        network.GetTransport()->TraceConnectWithoutContext(
            "Transfer",
            MakeCallback(&NetworkFixture::OnTransfer, this));
    }

    /// NIC 0 of a host.
    uint32_t Nic(uint32_t host) const
    {
        return topology.GetNodes()[host].ports[0];
    }

    PlainFlow Flow(uint32_t from, uint32_t to, uint64_t bytes, int64_t at = 0, uint8_t priority = 4)
    {
        return {Nic(from), Nic(to), bytes, at, priority};
    }

    void Run(const std::vector<PlainFlow>& list)
    {
        flows = CreateObject<PlainFlows>();
        flows->Start(network.GetTransport(), list, {});
        Simulator::Run();
        std::sort(transfers.begin(), transfers.end(), [](const auto& a, const auto& b) {
            return a.queuePair < b.queuePair;
        });
    }

    void OnTransfer(const TransferRecord& record)
    {
        transfers.push_back(record);
    }

    /// What must hold whenever the network has drained.
    void CheckConservation()
    {
        const FabricTotals& fabric = network.GetFabric()->GetTotals();
        const RdmaTotals& rdma = network.GetTransport()->GetTotals();
        EXPECT_EQ(fabric.sent, fabric.delivered + fabric.dropped);
        EXPECT_EQ(network.GetFabric()->GetFrames().GetInUse(), 0u);
        EXPECT_EQ(rdma.postedBytes, rdma.deliveredBytes);
        EXPECT_EQ(rdma.postedBytes, rdma.completedBytes);
        EXPECT_EQ(fabric.xoff, fabric.xon);
        for (uint32_t i = 0; i < network.GetFabric()->GetRouting().GetSwitchCount(); ++i)
        {
            EXPECT_EQ(network.GetFabric()->GetBufferUsed(INT64_MAX, i), 0u);
        }
    }

    ClusterTopology topology;
    FabricHelper network;
    Ptr<PlainFlows> flows;
    std::vector<TransferRecord> transfers;
};

} // namespace ns3

#endif // GPU_FABRIC_NETWORK_FIXTURE_H
