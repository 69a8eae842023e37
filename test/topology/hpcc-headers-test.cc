/* SPDX-License-Identifier: GPL-2.0-only */

// The first lines of HPCC's topology text and of its descendants, in generated files of each form.

#include "../fixture/topology-fixture.h"

#include "ns3/host-model.h"

using namespace ns3;
using namespace topology_test;

namespace
{

/// A file as SimAI's generator writes it: GPUs, then NVSwitches, ASWs and PSWs.
struct SimaiFile
{
    uint32_t servers{2};
    uint32_t gpus{8};       ///< of a server
    uint32_t nvswitches{1}; ///< of a server
    uint32_t tors{1};       ///< links of a GPU to ASWs
    bool rails{true};       ///< GPU g of every server on the same ASWs
    uint32_t spines{2};
    std::string type{"H100"};

    uint32_t GetGpus() const
    {
        return servers * gpus;
    }

    uint32_t GetAsws() const
    {
        return (rails ? gpus : 1) * tors;
    }

    uint32_t GetFirstAsw() const
    {
        return GetGpus() + servers * nvswitches;
    }

    uint32_t GetLinks() const
    {
        return GetGpus() * (nvswitches + tors) + GetAsws() * spines;
    }

    std::string MakeText() const
    {
        const uint32_t nodes = GetFirstAsw() + GetAsws() + spines;
        std::string text = std::to_string(nodes) + " " + std::to_string(gpus) + " " +
                           std::to_string(servers * nvswitches) + " " +
                           std::to_string(GetAsws() + spines) + " " + std::to_string(GetLinks()) +
                           " " + type + "\n";
        for (uint32_t id = GetGpus(); id < nodes; id++)
        {
            text += std::to_string(id) + " ";
        }
        text += "\n";
        const auto link = [&text](uint32_t a, uint32_t b, const std::string& rest) {
            text += std::to_string(a) + " " + std::to_string(b) + " " + rest + " 0\n";
        };
        for (uint32_t gpu = 0; gpu < GetGpus(); gpu++)
        {
            for (uint32_t i = 0; i < nvswitches; i++)
            {
                link(gpu, GetGpus() + gpu / gpus * nvswitches + i, "2880Gbps 0.000025ms");
            }
            for (uint32_t i = 0; i < tors; i++)
            {
                link(gpu, GetFirstAsw() + (rails ? gpu % gpus * tors : 0) + i, "200Gbps 0.0005ms");
            }
        }
        for (uint32_t asw = 0; asw < GetAsws(); asw++)
        {
            for (uint32_t spine = 0; spine < spines; spine++)
            {
                link(GetFirstAsw() + asw, GetFirstAsw() + GetAsws() + spine, "400Gbps 0.0005ms");
            }
        }
        return text;
    }
};

/// The faults of a file, without its name.
std::vector<std::string>
FindFaults(const ScenarioFolder& folder, const std::string& text)
{
    const std::string file = folder.Write("t.topo", text);
    std::vector<std::string> faults = GenerateBad("Hpcc", {{"File", file}});
    for (std::string& fault : faults)
    {
        EXPECT_EQ(fault.substr(0, file.size() + 1), file + ":");
        fault.erase(0, file.size() + 1);
    }
    return faults;
}

} // namespace

TEST(HpccHeadersTest, ServersOfSimaiAreHosts)
{
    const ScenarioFolder folder;
    int read = 0;
    for (const SimaiFile& file : {SimaiFile{},
                                  SimaiFile{16, 8, 1, 1, true, 4, "A100"},
                                  SimaiFile{4, 8, 1, 2, true, 3, "H800"},
                                  SimaiFile{8, 8, 1, 1, false, 2, "H20"},
                                  SimaiFile{8, 4, 1, 2, false, 2, "A800"},
                                  SimaiFile{3, 2, 6, 1, true, 1, "A100"},
                                  SimaiFile{4, 1, 1, 1, true, 1, "NONE"},
                                  SimaiFile{2, 8, 0, 1, true, 2, "4090"}})
    {
        const ClusterTopology topology =
            GenerateGood("Hpcc", {{"File", folder.Write("t.topo", file.MakeText())}});
        ASSERT_EQ(CountNodes(topology, "host"), file.servers);
        EXPECT_EQ(CountNodes(topology, "n"), file.GetAsws() + file.spines);
        EXPECT_EQ(topology.GetGpuCount(), file.GetGpus());
        EXPECT_EQ(topology.GetNetworkPortCount(),
                  2 * (file.GetGpus() * file.tors + file.GetAsws() * file.spines));
        for (uint32_t gpu = 0; gpu < file.GetGpus(); gpu++)
        {
            // GPU g's own NIC, on the first ASW that the file joins it to.
            const uint32_t nic = topology.GetGpuNic(gpu);
            const uint32_t peer = topology.GetPortNode(ClusterTopology::GetPeerPort(nic));
            EXPECT_EQ(topology.GetNodes()[peer].name,
                      "n" + std::to_string(file.GetFirstAsw() +
                                           (file.rails ? gpu % file.gpus * file.tors : 0)));
            EXPECT_EQ(topology.GetPortRate(nic), 200'000'000'000U);
            EXPECT_EQ(topology.GetPortDelay(nic), 500'000);
        }
        const HostLayout& layout = *topology.GetLayout(FindNode(topology, "host0"));
        EXPECT_TRUE(layout.Validate().empty());
        EXPECT_EQ(layout.gpus, file.gpus);
        EXPECT_EQ(layout.nics, file.gpus * file.tors);
        if (file.gpus > 1)
        {
            const HostRoute route = layout.FindRoute(0, 1);
            EXPECT_EQ(route.kind,
                      file.nvswitches > 0 ? TopologyLinkKind::NVLINK : TopologyLinkKind::PCIE);
            EXPECT_EQ(route.paths.size(), std::max(file.nvswitches, 1U)); // one by each NVSwitch
            const HostLink& first = layout.links[route.paths[0][0] / 2];
            EXPECT_EQ(first.rateBps, (file.nvswitches > 0 ? 2'880 : 200) * 1'000'000'000ULL);
            EXPECT_EQ(first.delayPs, file.nvswitches > 0 ? 25'000 : 500'000);
        }
        read++;
    }
    EXPECT_EQ(read, 8);
}

TEST(HpccHeadersTest, AHostModelDoesNotFitBesideSimaisServers)
{
    const ScenarioFolder folder;
    ClusterTopology topology =
        GenerateGood("Hpcc", {{"File", folder.Write("t.topo", SimaiFile{}.MakeText())}});
    const auto model = ObjectFactory("ns3::DgxH100Host").Create<HostModel>();
    EXPECT_EQ(model->AddTo(topology),
              std::vector<std::string>{
                  "the topology says itself what is inside its hosts: leave host out"});
}

TEST(HpccHeadersTest, FaultsOfSimaisServersNameThem)
{
    using Faults = std::vector<std::string>;
    const ScenarioFolder folder;
    // 4 GPUs, 2 a server; NVSwitches 4 and 5, switch 6.
    const auto faults = [&folder](const std::string& links, int count) {
        return FindFaults(folder, "7 2 2 1 " + std::to_string(count) + " A100\n4 5 6\n" + links);
    };
    const std::string nics = "0 6 1Gbps 1us 0\n1 6 1Gbps 1us 0\n2 6 1Gbps 1us 0\n3 6 1Gbps 1us 0\n";
    EXPECT_EQ(faults(nics, 4), Faults());
    EXPECT_EQ(faults(nics + "0 4 1Gbps 1us 0\n4 2 1Gbps 1us 0\n", 6),
              Faults{"8:1: NVSwitch 4 joins GPUs of servers 0 and 1: NVLink between servers is not "
                     "supported"});
    EXPECT_EQ(faults(nics + "0 1 1Gbps 1us 0\n", 5), Faults()); // a direct NVLink
    EXPECT_EQ(faults(nics + "1 2 1Gbps 1us 0\n", 5),
              Faults{"7:1: a link joins GPUs of two servers: they are joined by switches"});
    EXPECT_EQ(faults(nics + "4 6 1Gbps 1us 0\n", 5),
              Faults{"7:1: a link joins an NVSwitch to a switch: GPUs have NICs for that"});
    EXPECT_EQ(faults(nics.substr(0, 48), 3),
              Faults{"1:1: GPUs of server 1 have 1 and 0 links to switches: each of a server's "
                     "must have as many, and at least one"});
    EXPECT_EQ(FindFaults(folder, "7 3 2 1 0 A100\n4 5 6\n"),
              Faults{"1:1: the 4 GPUs (nodes that are no switches) are no multiple of the 3 of a "
                     "server"});
    EXPECT_EQ(FindFaults(folder, "7 2 5 3 0 A100\n4 5 6\n"),
              Faults{"1:7: there are 5 NVSwitches and 3 switches, but only 7 nodes"});
    EXPECT_EQ(FindFaults(folder, "7 0 2 1 0 A100\n"),
              Faults{"1:3: number of GPUs per server \"0\" is out of range: a whole number from 1 "
                     "to 1024 is wanted"});
}

TEST(HpccHeadersTest, DatacenterFormsAndPlainRates)
{
    const ScenarioFolder folder;
    // Nodes, switches, ToRs, links, and in the second form the rates of hosts and of other links;
    // blank lines after the header, and rates as Python prints them.
    for (const std::string& header :
         {std::string("7 3 2 6\n"), std::string("7 3 2 6 25000000000 100000000000\n\n\n")})
    {
        for (const std::string& zeros : {std::string(), std::string(".0")})
        {
            std::string text = header + "4 5 6 \n";
            for (const char* link : {"0 4", "1 4", "2 5", "3 5"})
            {
                text += std::string(link) + " 25000000000" + zeros + " 1us 0\n";
            }
            text += "4 6 100000000000" + zeros + " 5us 0\n5 6 100Gbps 5us 0";
            const ClusterTopology topology =
                GenerateGood("Hpcc", {{"File", folder.Write("t.topo", text)}});
            ASSERT_EQ(topology.GetLinks().size(), 6U);
            EXPECT_EQ(topology.GetNodes()[6].kind, TopologyNodeKind::SWITCH);
            EXPECT_EQ(topology.GetGpuCount(), 4U);
            EXPECT_EQ(topology.GetLinks()[0].rateBps, 25'000'000'000U);
            EXPECT_EQ(topology.GetLinks()[4].rateBps, 100'000'000'000U);
            EXPECT_EQ(topology.GetLinks()[5].rateBps, 100'000'000'000U);
        }
    }
    // 100 without a unit would be 100 bit/s, which nobody means.
    EXPECT_EQ(FindFaults(folder, "3 1 2\n2\n0 2 100 1us 0\n1 2 1000000 1us 0\n"),
              std::vector<std::string>{
                  "3:5: \"100\" has no unit: write a rate such as 100Gbps (units: bps, kbps, Mbps, "
                  "Gbps, Tbps, Gb/s, GB/s)"});
    EXPECT_EQ(FindFaults(folder, "7 3 4 6\n"),
              std::vector<std::string>{"1:5: number of ToR switches \"4\" is out of range: a whole "
                                       "number from 0 to 3 is wanted"});
    EXPECT_EQ(FindFaults(folder, "7 3 2 6 1\n").size(), 1U);
}

TEST(HpccHeadersTest, HostsThatWouldForwardAreRefused)
{
    // n1 lies between n0 and n2, which HPCC's routes would not use either: its hosts do not
    // forward.
    const ScenarioFolder folder;
    const ClusterTopology topology = [&folder] {
        std::vector<std::string> errors;
        const std::string text = "4 1 3\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n1 2 1Gbps 1us 0\n";
        return Generate("Hpcc", {{"File", folder.Write("t.topo", text)}}, errors);
    }();
    const std::vector<TopologyFault> faults = topology.Validate();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].text, "host n2 cannot be reached from n0 (hosts do not forward)");
}

// An absurd number in a first line costs no more than its file.
TEST(HpccHeadersTest, LargeNumbersAreToldInTime)
{
    const ScenarioFolder folder;
    folder.Write("t.topo", "365536 1 1\n0\n1 0 100Gbps 1us 0\n");
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: t.topo}\nstop: {time: 1s}\n");
    const std::string messages = ReadScenario(folder, "a.yaml").messages;
    EXPECT_LT(messages.size(), 20'000U);
    EXPECT_NE(messages.find("host n2 has no link"), std::string::npos);
    EXPECT_NE(messages.find("and 365514 more errors\n"), std::string::npos) << messages;

    // As many lines that are wrong.
    std::string text = "3 1 100000\n2\n";
    for (int i = 0; i < 100'000; i++)
    {
        text += "0 2 fast 1us 0\n";
    }
    folder.Write("t.topo", text);
    const std::string lines = ReadScenario(folder, "a.yaml").messages;
    EXPECT_NE(lines.find("and 99980 more errors\n"), std::string::npos);
}

TEST(HpccHeadersTest, NodesWithTooManyPortsAreRefused)
{
    ClusterTopology topology;
    const uint32_t hub = topology.AddSwitch("hub");
    for (uint32_t i = 0; i <= ClusterTopology::MAX_PORTS; i++)
    {
        topology.AddLink(topology.AddHost("h" + std::to_string(i), 0), hub, 1, 0);
    }
    const std::vector<TopologyFault> faults = topology.Validate();
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].text, "node hub has 65537 ports: at most 65536 are supported");
}
