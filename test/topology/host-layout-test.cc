/* SPDX-License-Identifier: GPL-2.0-only */

// The interior of hosts as a value: presets, paths, faults, and its place after the network.

#include "ns3/config.h"
#include "ns3/host-model.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;

namespace
{

HostLayout
Make(const std::string& type, const std::map<std::string, std::string>& settings = {})
{
    ObjectFactory factory("ns3::" + type + "Host");
    for (const auto& [name, value] : settings)
    {
        factory.Set(name, StringValue(value));
    }
    return factory.Create<HostModel>()->MakeLayout();
}

/// Rate at which a GPU sends over NVLink, all links together.
uint64_t
GetNvlinkRate(const HostLayout& layout, uint32_t gpu)
{
    uint64_t rate = 0;
    for (const HostLink& link : layout.links)
    {
        rate += link.kind == TopologyLinkKind::NVLINK && (link.partA == gpu || link.partB == gpu)
                    ? link.rateBps
                    : 0;
    }
    return rate;
}

/// Two hosts on a switch.
ClusterTopology
MakePair(uint32_t gpus, uint32_t nics)
{
    ClusterTopology topology;
    topology.AddHost("a", gpus);
    topology.AddHost("b", gpus);
    topology.AddSwitch("s");
    for (uint32_t host = 0; host < 2; host++)
    {
        for (uint32_t nic = 0; nic < nics; nic++)
        {
            topology.AddLink(host, 2, 100'000'000'000, 1'000'000);
        }
    }
    return topology;
}

} // namespace

TEST(HostLayoutTest, PresetsAreValidAndHaveTheirParts)
{
    struct Expected
    {
        const char* type;
        const char* name;
        uint32_t nics;
        uint64_t nvlinkGigabytes; ///< of a GPU in each direction [GB/s]
    };

    // A100: 12 links of 25 GB/s; H100: 18; V100: 6.
    for (const Expected& expected : {Expected{"DgxA100", "dgx-a100", 8, 300},
                                     Expected{"DgxH100", "dgx-h100", 8, 450},
                                     Expected{"CruxTestbed", "crux-testbed", 4, 300},
                                     Expected{"Ndv2", "ndv2", 1, 150}})
    {
        SCOPED_TRACE(expected.type);
        const HostLayout layout = Make(expected.type);
        EXPECT_EQ(layout.Validate(), std::vector<std::string>());
        EXPECT_EQ(layout.name, expected.name);
        EXPECT_EQ(layout.gpus, 8u);
        EXPECT_EQ(layout.nics, expected.nics);
        for (uint32_t gpu = 0; gpu < layout.gpus; gpu++)
        {
            EXPECT_EQ(GetNvlinkRate(layout, gpu), expected.nvlinkGigabytes * 8'000'000'000) << gpu;
        }
    }
}

TEST(HostLayoutTest, AGpuAndItsNicShareAPcieSwitch)
{
    for (const char* type : {"DgxA100", "DgxH100", "CruxTestbed"})
    {
        const HostLayout layout = Make(type);
        for (uint32_t gpu = 0; gpu < layout.gpus; gpu++)
        {
            for (uint32_t nic = 0; nic < layout.nics; nic++)
            {
                const HostRoute route = layout.FindRoute(gpu, layout.GetNicPart(nic));
                ASSERT_EQ(route.paths.size(), 1u);
                const std::size_t hops = route.paths[0].size();
                // A switch: 2 links. Over the root complex: 4; over both: 5.
                const bool near = gpu / 2 == nic * 4 / layout.nics;
                EXPECT_EQ(hops == 2, near) << type << " gpu " << gpu << " nic " << nic;
                EXPECT_LE(hops, 5u);
                EXPECT_LE(
                    layout.FindRoute(gpu, layout.GetNicPart(layout.GetGpuNic(gpu))).paths[0].size(),
                    hops);
            }
        }
    }
}

TEST(HostLayoutTest, Ndv2IsTheMeshOfItsPaper)
{
    const HostLayout layout = Make("Ndv2");
    // Neighbours over NVLink, and those of two links (TACCL's topology file).
    const std::vector<std::set<uint32_t>> neighbours{{1, 2, 3, 4},
                                                     {0, 2, 3, 5},
                                                     {0, 1, 3, 6},
                                                     {0, 1, 2, 7},
                                                     {0, 5, 6, 7},
                                                     {1, 4, 6, 7},
                                                     {2, 4, 5, 7},
                                                     {3, 4, 5, 6}};
    const std::set<std::set<uint32_t>>
        doubled{{0, 1}, {0, 4}, {1, 3}, {2, 3}, {2, 6}, {4, 5}, {5, 7}, {6, 7}};
    for (uint32_t a = 0; a < 8; a++)
    {
        for (uint32_t b = 0; b < 8; b++)
        {
            if (a == b)
            {
                continue;
            }
            const HostRoute route = layout.FindRoute(a, b);
            const bool direct = neighbours[a].count(b) > 0;
            EXPECT_EQ(route.kind, direct ? TopologyLinkKind::NVLINK : TopologyLinkKind::PCIE)
                << a << " " << b;
            ASSERT_EQ(route.paths.size(), 1u);
            if (direct)
            {
                ASSERT_EQ(route.paths[0].size(), 1u);
                const uint64_t links = doubled.count({a, b}) > 0 ? 2 : 1;
                EXPECT_EQ(layout.links[route.paths[0][0] / 2].rateBps, links * 200'000'000'000);
            }
        }
    }
}

TEST(HostLayoutTest, PlanesAreAlternatives)
{
    const HostRoute route = Make("DgxA100").FindRoute(2, 7);
    EXPECT_EQ(route.kind, TopologyLinkKind::NVLINK);
    EXPECT_EQ(route.paths.size(), 6u);
    std::set<uint32_t> ports;
    for (const auto& path : route.paths)
    {
        EXPECT_EQ(path.size(), 2u);
        ports.insert(path.begin(), path.end());
    }
    EXPECT_EQ(ports.size(), 12u); // no link twice
    EXPECT_TRUE(Make("DgxA100").FindRoute(2, 2).paths.empty());
}

TEST(HostLayoutTest, PacketsHaveHeaders)
{
    const HostLayout layout = Make("DgxA100");
    // 65,536 B are 256 packets: PCIe 24 B each, NVLink 16 B.
    EXPECT_EQ(layout.GetWireBytes(TopologyLinkKind::PCIE, 65'536), 65'536u + 256 * 24);
    EXPECT_EQ(layout.GetWireBytes(TopologyLinkKind::NVLINK, 65'536), 65'536u + 256 * 16);
    EXPECT_EQ(layout.GetWireBytes(TopologyLinkKind::PCIE, 1), 25u);
    EXPECT_EQ(layout.GetWireBytes(TopologyLinkKind::PCIE, 257), 257u + 48);
    EXPECT_EQ(layout.GetWireBytes(TopologyLinkKind::PCIE, 0), 0u);
}

TEST(HostLayoutTest, AttributesOverrideTheModel)
{
    const HostLayout layout = Make("DgxA100",
                                   {{"PcieRate", "100Gbps"},
                                    {"NvlinkRate", "600Gbps"},
                                    {"PcieDelay", "7ns"},
                                    {"NvlinkDelay", "9ns"}});
    EXPECT_EQ(GetNvlinkRate(layout, 3), 600'000'000'000u);
    for (const HostLink& link : layout.links)
    {
        const bool sockets = layout.parts[link.partA].kind == TopologyNodeKind::ROOT_COMPLEX;
        const bool nvlink = link.kind == TopologyLinkKind::NVLINK;
        EXPECT_EQ(link.delayPs, nvlink ? 9'000 : 7'000);
        if (!nvlink && !sockets)
        {
            EXPECT_EQ(link.rateBps, 100'000'000'000u);
        }
    }
}

TEST(HostLayoutTest, CustomHostsOfAnyShapeReachAllTheirParts)
{
    for (const char* gpus : {"1", "2", "3", "8", "16"})
    {
        for (const char* nics : {"1", "2", "5"})
        {
            for (const char* switches : {"1", "3", "4"})
            {
                for (const char* nvswitches : {"0", "1", "3"})
                {
                    EXPECT_EQ(Make("Custom",
                                   {{"Gpus", gpus},
                                    {"Nics", nics},
                                    {"PcieSwitches", switches},
                                    {"Nvswitches", nvswitches}})
                                  .Validate(),
                              std::vector<std::string>())
                        << gpus << " " << nics << " " << switches << " " << nvswitches;
                }
            }
        }
    }
}

TEST(HostLayoutTest, FaultsAreNamed)
{
    HostLayout layout = Make("CruxTestbed");
    layout.links[0].rateBps = 0;
    EXPECT_EQ(layout.Validate(),
              (std::vector<std::string>{
                  "the link between gpu0 and pcie0 has a rate of 0 or a negative delay"}));
    layout = Make("CruxTestbed");
    layout.links.erase(layout.links.begin() + 8); // NIC 0
    std::vector<std::string> expected;
    for (uint32_t gpu = 0; gpu < 8; gpu++)
    {
        expected.push_back("no path leads from gpu" + std::to_string(gpu) + " to nic0");
    }
    EXPECT_EQ(layout.Validate(), expected);
    layout = Make("CruxTestbed");
    std::swap(layout.parts[7], layout.parts[8]);
    EXPECT_EQ(layout.Validate(),
              (std::vector<std::string>{"nic0 is out of order: GPUs come first, then NICs",
                                        "gpu7 is out of order: GPUs come first, then NICs"}));
    layout = Make("CruxTestbed");
    layout.parts[1].name = "gpu0";
    EXPECT_EQ(layout.Validate(), (std::vector<std::string>{"two parts are called \"gpu0\""}));
}

TEST(ClusterTopologyInsideTest, IdsOfTheNetworkStay)
{
    const ClusterTopology plain = MakePair(8, 4);
    ClusterTopology topology = MakePair(8, 4);
    ObjectFactory factory("ns3::CruxTestbedHost");
    EXPECT_EQ(factory.Create<HostModel>()->AddTo(topology), std::vector<std::string>());
    EXPECT_TRUE(topology.Validate().empty());
    EXPECT_TRUE(topology.HasInsides());
    EXPECT_FALSE(plain.HasInsides());
    EXPECT_EQ(topology.GetNetworkNodeCount(), plain.GetNodes().size());
    EXPECT_EQ(topology.GetNetworkPortCount(), plain.GetPortCount());
    EXPECT_EQ(plain.GetNetworkPortCount(), plain.GetPortCount());
    for (uint32_t port = 0; port < plain.GetPortCount(); port++)
    {
        EXPECT_EQ(topology.GetPortName(port), plain.GetPortName(port));
        EXPECT_EQ(topology.GetDirectedLinkName(port), plain.GetDirectedLinkName(port));
    }
    EXPECT_EQ(topology.GetGpuCount(), 16u);
    EXPECT_EQ(topology.GetGpuNic(13), plain.GetGpuNic(13));
    // Both hosts share one layout; their parts are their own.
    EXPECT_EQ(topology.GetLayout(0), topology.GetLayout(1));
    EXPECT_EQ(topology.GetLayout(2), nullptr);
    const uint32_t gpu = topology.GetPart(1, 3);
    EXPECT_EQ(topology.GetNodes()[gpu].name, "b.gpu3");
    EXPECT_EQ(topology.GetNodes()[gpu].host, 1u);
    EXPECT_EQ(topology.FindAnyNode("b.gpu3"), gpu);
    EXPECT_EQ(topology.FindNode("b.gpu3"), -1); // no host, no switch
    const int64_t link = topology.FindDirectedLink("b.gpu3-b.pcie1");
    ASSERT_GE(link, topology.GetNetworkPortCount());
    EXPECT_EQ(topology.GetPortNode(static_cast<uint32_t>(link)), gpu);
    // Port 6 of the layout leaves GPU 3.
    EXPECT_EQ(topology.GetInsidePort(1, 6), link);
}

TEST(ClusterTopologyInsideTest, HostsThatDoNotFitAreNamed)
{
    ObjectFactory factory("ns3::DgxA100Host");
    ClusterTopology topology = MakePair(8, 4);
    EXPECT_EQ(factory.Create<HostModel>()->AddTo(topology),
              (std::vector<std::string>{"dgx-a100 has 8 GPUs and 8 NICs, but a has 8 and 4"}));
    EXPECT_FALSE(topology.HasInsides());
}
