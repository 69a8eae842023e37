/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-memory.h"

#include "../../model/engine/fabric-simulator-impl.h"
#include "../../model/fabric/fabric-port.h"
#include "../../model/rdma/congestion/dcqcn.h"
#include "../../model/rdma/queue-pair.h"

#include "ns3/cluster-topology.h"
#include "ns3/config.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-switch.h"
#include "ns3/node.h"
#include "ns3/roce-nic.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <string>

using namespace ns3;

namespace
{

constexpr uint64_t RATE_BPS = 100'000'000'000;
constexpr int64_t DELAY_PS = 1'000'000;

/// A core switch, ToRs, and hosts that are dealt out to them.
struct Shape
{
    uint32_t hosts{4000};
    uint32_t tors{100};
    uint32_t nics{1};    ///< of a host
    uint32_t uplinks{1}; ///< of a ToR
};

/// Heap in use [byte].
double
GetHeapBytes()
{
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

/// Heap of a network and its topology [byte].
double
MeasureNetwork(const Shape& shape)
{
    Simulator::SetImplementation(CreateObject<FabricSimulatorImpl>());
    const double before = GetHeapBytes();
    double bytes = 0;
    {
        ClusterTopology topology;
        const uint32_t core = topology.AddSwitch("core");
        std::vector<uint32_t> tors;
        for (uint32_t tor = 0; tor < shape.tors; ++tor)
        {
            tors.push_back(topology.AddSwitch("tor" + std::to_string(tor)));
            for (uint32_t link = 0; link < shape.uplinks; ++link)
            {
                topology.AddLink(tors[tor], core, RATE_BPS, DELAY_PS);
            }
        }
        for (uint32_t i = 0; i < shape.hosts; ++i)
        {
            const uint32_t host = topology.AddHost("host" + std::to_string(i), 1);
            for (uint32_t nic = 0; nic < shape.nics; ++nic)
            {
                topology.AddLink(host, tors[i % 100], RATE_BPS, DELAY_PS);
            }
        }
        FabricHelper network;
        for (const FabricFault& fault : network.Build(topology, 1))
        {
            std::fprintf(stderr, "%s\n", fault.ToSentence().c_str());
            std::exit(1);
        }
        bytes = GetHeapBytes() - before;
        network.Dispose();
        Simulator::Destroy();
    }
    return bytes;
}

} // namespace

std::vector<BenchmarkFigure>
MeasureIdleMemory()
{
    Config::SetDefault("ns3::RoceNic::CongestionControl", StringValue("ns3::Dcqcn"));
    // Enough for the headroom of a thousand ports.
    Config::SetDefault("ns3::FabricSwitch::BufferSize", UintegerValue(1'000'000'000));
    MeasureNetwork(Shape()); // what the first network of a process makes, and keeps
    const double base = MeasureNetwork(Shape());
    // 1,000 more uplinks have 2,000 ports.
    const double switchPort = (MeasureNetwork({4000, 100, 1, 11}) - base) / 2000;
    const double nicPort = (MeasureNetwork({4000, 100, 2, 1}) - base) / 4000 - switchPort;
    const double tor = (MeasureNetwork({4000, 200, 1, 1}) - base) / 100 - 2 * switchPort;
    const double host = (MeasureNetwork({5000, 100, 1, 1}) - base) / 1000 - switchPort - nicPort;
    const auto figure = [](const std::string& name, double bytes) {
        return BenchmarkFigure{name, "B", {bytes}, {}};
    };
    const auto size = [&figure](const std::string& name, std::size_t bytes) {
        return figure("sizeof(" + name + ")", static_cast<double>(bytes));
    };
    return {figure("idle switch port", switchPort),
            figure("idle NIC port", nicPort),
            figure("idle switch", tor),
            figure("idle host", host),
            figure("all of 4,000 hosts", base),
            size("FabricPort", sizeof(FabricPort)),
            size("FabricNetDevice", sizeof(FabricNetDevice)),
            size("RoceNic", sizeof(RoceNic)),
            size("Dcqcn", sizeof(Dcqcn)),
            size("FabricChannel", sizeof(FabricChannel)),
            size("FabricSwitch", sizeof(FabricSwitch)),
            size("Node", sizeof(Node)),
            size("Frame", sizeof(Frame)),
            size("QueuePair", sizeof(QueuePair))};
}
