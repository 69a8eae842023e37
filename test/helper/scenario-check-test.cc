/* SPDX-License-Identifier: GPL-2.0-only */

// What is found before a run: buffers, times that defeat each other, the examples of the manual.

#include "../../model/fabric/switch/threshold-buffer.h"
#include "../../model/rdma/wire/roce-framing.h"
#include "../fixture/scenario-run-fixture.h"

#include "ns3/fabric-helper.h"
#include "ns3/fabric-switch.h"

using namespace ns3;

namespace
{

/// A job on a few GPUs.
const char* const JOB =
    "jobs: [{name: j, gpus: 8, iterations: 1, iteration: [{all-reduce: {bytes: 1MB}}]}]\n";

class ScenarioCheckTest : public ScenarioRunFixture
{
  protected:
    /// Checks a scenario as --check does. \returns the exit status
    int Check(const std::string& scenario)
    {
        ScenarioRunnerOptions options;
        options.scenario =
            m_checks.Write("scenario.yaml", "schema: gpu-fabric/1\nname: test\n" + scenario);
        options.check = true;
        std::ostringstream out;
        std::ostringstream err;
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        const int status = ScenarioRunner(out, err).Run(options);
        messages = err.str();
        Simulator::Destroy();
        Config::Reset();
        return status;
    }

    std::size_t CountLines(const std::string& part) const
    {
        std::istringstream text(messages);
        std::size_t count = 0;
        for (std::string line; std::getline(text, line);)
        {
            count += line.find(part) != std::string::npos ? 1 : 0;
        }
        return count;
    }

    ScenarioFolder m_checks;
};

} // namespace

TEST_F(ScenarioCheckTest, OrdinaryClustersFitTheirDefaultBuffers)
{
    for (const char* topology : {"Lingjun", // the 847 hosts of the dataset
                                 "{type: LeafSpine, Leaves: 2, Spines: 4, HostsPerLeaf: 32, "
                                 "NicRate: 400Gbps, Uplinks: 16, "
                                 "UplinkRate: 400Gbps}", // a leaf of 48 ports
                                 "{type: RailOptimized, Groups: 4, HostsPerGroup: 32, NicRate: "
                                 "400Gbps, Spines: 8, Uplinks: "
                                 "16, UplinkRate: 400Gbps}", // 1,024 GPUs
                                 "{type: Star, Hosts: 301, NicRate: 100Gbps}",
                                 "{type: Star, Hosts: 1000, NicRate: 10Gbps}",
                                 "{type: Star, Hosts: 128, NicRate: 400Gbps}",
                                 "{type: FatTree, K: 8, NicRate: 800Gbps}"})
    {
        EXPECT_EQ(Check("topology: " + std::string(topology) + "\n" + JOB), ScenarioRunner::OK)
            << topology << "\n"
            << messages;
        EXPECT_EQ(messages, "");
    }
}

TEST_F(ScenarioCheckTest, SmallBuffersAreToldOnceWithWaysOut)
{
    // A switch of 48 ports needs 48 x 112,666 B of headroom for each priority: 5.4 MB.
    const std::string topology = "topology: {type: RailOptimized, Groups: 4, HostsPerGroup: 32, "
                                 "NicRate: 400Gbps, Spines: 8, "
                                 "Uplinks: 16, UplinkRate: 400Gbps}\n";
    EXPECT_EQ(Check(topology + JOB + "defaults: {ns3::FabricSwitch::BufferSize: 5MB}\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_EQ(CountLines("headroom"), 1U) << messages;
    EXPECT_NE(messages.find("40 switches, the first rail0: the headroom of the ports up to "
                            "rail0.port44 takes 5069970 B"),
              std::string::npos)
        << messages;
    for (const char* way : {"BufferSize of 0B", "HeadroomPool", "LosslessMask"})
    {
        EXPECT_NE(messages.find(way), std::string::npos) << messages;
    }
    // The ways out are ways out.
    for (const char* setting : {"ns3::FabricSwitch::BufferSize: 0B",
                                "ns3::FabricSwitch::BufferSize: 5MB, "
                                "ns3::DynamicThresholdBuffer::HeadroomPool: 1MB",
                                "ns3::FabricSwitch::BufferSize: 5MB, "
                                "ns3::FabricSwitch::LosslessMask: 0"})
    {
        EXPECT_EQ(Check(topology + JOB + "defaults: {" + setting + "}\n"), ScenarioRunner::OK)
            << messages;
    }
}

TEST_F(ScenarioCheckTest, HeadroomIsForThePrioritiesOfTheRunWhereItDoesNotFitForAll)
{
    // 8 ports x (3 x 4,174 + 84 + 25,000) = 300,848 B a priority, and 2 MB: room for six
    // priorities, but 1.5 MB for four only.
    const std::string star = "topology: {type: Star, Hosts: 8, NicRate: 100Gbps}\n";
    const auto buffer = [](const std::string& size) {
        return "defaults: {ns3::FabricSwitch::BufferSize: " + size + "}\n";
    };
    const std::string flow = "flows: [{from: host0, to: host1, bytes: 1MB, priority: 3}]\n";
    EXPECT_EQ(Check(star + JOB + buffer("1500kB")), ScenarioRunner::OK) << messages;
    EXPECT_EQ(Check(star + JOB + flow + buffer("1500kB")), ScenarioRunner::OK) << messages;
    EXPECT_EQ(Check(star + JOB + flow + buffer("400kB")), ScenarioRunner::BAD_INPUT);
    EXPECT_EQ(Check(star + JOB + buffer("400kB")), ScenarioRunner::OK) << messages;
    // A scheduler gives jobs any level, under each of the schedulers that are compared.
    EXPECT_EQ(Check(star + JOB + buffer("1500kB") + "scheduler: GpuIntensity\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_EQ(Check(star + JOB + buffer("1500kB") + "compare: [None, GpuIntensity]\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_EQ(Check(star + JOB + buffer("2MB") + "compare: [None, GpuIntensity]\n"),
              ScenarioRunner::OK)
        << messages;
}

TEST_F(ScenarioCheckTest, OnlyUsedPrioritiesGetHeadroom)
{
    const ClusterTopology topology = [] {
        ClusterTopology star;
        const uint32_t host = star.AddHost("a", 1);
        const uint32_t other = star.AddHost("b", 1);
        const uint32_t center = star.AddSwitch("s");
        star.AddLink(host, center, 100'000'000'000, 0);
        star.AddLink(other, center, 100'000'000'000, 0);
        return star;
    }();
    // By default, and wherever all fit, each of priorities 1 to 6 has it.
    for (const auto& [size, priorities] : {std::make_pair("1MB", 6), std::make_pair("100kB", 2)})
    {
        Config::SetDefault("ns3::FabricSwitch::BufferSize", StringValue(size));
        FabricHelper network;
        network.SetUsedPriorities(1u << 3); // and 6, that of data
        EXPECT_TRUE(network.Build(topology, 1).empty());
        const auto buffer = DynamicCast<ThresholdBuffer>(
            network.GetNode(2)->GetObject<FabricSwitch>()->GetBufferManager());
        const uint32_t frame = network.GetTransport()->GetFraming(0).GetMaxWireBytes();
        EXPECT_EQ(buffer->GetHeadroomSize(), priorities * 2 * (3 * frame + 84));
        network.Dispose();
        Simulator::Destroy();
    }
}

TEST_F(ScenarioCheckTest, ATimeoutBelowTheRoundTripIsToldBeforeTheRun)
{
    // Two links of 10 us: 40 us of propagation, and at 100 Gb/s 2 x 4,178 B and 2 x 86 B, 0.68 us.
    // With 16 frames an acknowledgement, 15 frames more: 15 x 0.33 = 5 us.
    const std::string star =
        "topology: {type: Star, Hosts: 4, NicRate: 100Gbps, LinkDelay: 10us}\n";
    const auto timeout = [](const std::string& time) {
        return "defaults: {ns3::RoceNic::RetransmissionTimeout: " + time + "}\n";
    };
    const std::string flow = "flows: [{from: host0, to: host1, bytes: 4kB}]\n";
    EXPECT_EQ(Check(star + flow), ScenarioRunner::OK);
    EXPECT_EQ(messages, "");
    EXPECT_EQ(Check(star + flow + timeout("41us")), ScenarioRunner::OK);
    EXPECT_EQ(messages, "");
    EXPECT_EQ(Check(star + flow + timeout("40us")), ScenarioRunner::OK);
    EXPECT_NE(messages.find("warning: flows: the flow from host0 to host1 has an RTT of 40.6"),
              std::string::npos)
        << messages;
    EXPECT_NE(messages.find("above the RTO of 40 us (ns3::RoceNic::RetransmissionTimeout)"),
              std::string::npos)
        << messages;
    // A long flow is acknowledged every 16 frames; the size of a frame counts.
    const std::string longFlow = "flows: [{from: host0, to: host1, bytes: 1MB}]\n";
    EXPECT_EQ(Check(star + longFlow + timeout("45us")), ScenarioRunner::OK);
    EXPECT_NE(messages.find("has an RTT of 45.6"), std::string::npos) << messages;
    EXPECT_EQ(Check(star + longFlow + timeout("46us")), ScenarioRunner::OK);
    EXPECT_EQ(messages, "");
    // Switches take time in both directions.
    EXPECT_EQ(Check(star + flow +
                    "defaults: {ns3::RoceNic::RetransmissionTimeout: 42us, "
                    "ns3::FabricSwitch::SwitchDelay: 1us}\n"),
              ScenarioRunner::OK);
    EXPECT_NE(messages.find("has an RTT of 42.6"), std::string::npos) << messages;
    // IRN has its own, of 100 us.
    const std::string far = "topology: {type: Star, Hosts: 4, NicRate: 100Gbps, LinkDelay: 25us}\n";
    EXPECT_EQ(Check(far + flow + "defaults: {ns3::RoceNic::LossRecovery: irn}\n"),
              ScenarioRunner::OK);
    EXPECT_NE(messages.find("RTO of 100 us (ns3::RoceNic::IrnTimeoutLow)"), std::string::npos)
        << messages;
    // Jobs: the longest path.
    EXPECT_EQ(Check("topology: {type: LeafSpine, Leaves: 2, Spines: 1, Uplinks: 1, LinkDelay: "
                    "10us}\n" +
                    std::string(JOB) + timeout("50us")),
              ScenarioRunner::OK);
    EXPECT_EQ(CountLines("warning: jobs: from host0.nic0 to "), 1U) << messages;
    EXPECT_EQ(CountLines("which jobs can use, the RTT is 8"), 1U) << messages;
}

TEST_F(ScenarioCheckTest, ParametersForAnotherRateAreTold)
{
    const auto check = [this](const std::string& rate, const std::string& defaults) {
        EXPECT_EQ(Check("topology: {type: Star, Hosts: 4, NicRate: " + rate +
                        "}\nflows: [{from: host0, to: host1, bytes: 4kB}]\ndefaults: {" + defaults +
                        "}\n"),
                  ScenarioRunner::OK)
            << messages;
        return CountLines("warning: defaults: ");
    };
    const std::string paper = "ns3::Dcqcn::Preset: paper";
    EXPECT_EQ(check("400Gbps", paper), 1U);
    EXPECT_NE(messages.find("scenario.yaml:5:"), std::string::npos) << messages;
    EXPECT_NE(messages.find("preset paper of ns3::Dcqcn is meant for NICs of 40 Gb/s, and "
                            "host0.nic0 has 400 Gb/s"),
              std::string::npos)
        << messages;
    // Up to twice the rate, and down to half of it.
    EXPECT_EQ(check("80Gbps", paper), 0U);
    EXPECT_EQ(check("81Gbps", paper), 1U);
    EXPECT_EQ(check("20Gbps", paper), 0U);
    EXPECT_EQ(check("19Gbps", paper), 1U);
    // Who sets the increase has chosen it for the rate.
    EXPECT_EQ(check("400Gbps", paper + ", ns3::Dcqcn::AdditiveIncrease: 400Mbps"), 0U);
    EXPECT_EQ(check("400Gbps", "ns3::Dcqcn::Preset: connectx"), 1U);
    EXPECT_NE(messages.find("meant for NICs of 25 Gb/s to 100 Gb/s"), std::string::npos);
    EXPECT_EQ(check("50Gbps", "ns3::Dcqcn::Preset: connectx"), 0U);
    EXPECT_EQ(check("100Gbps", "ns3::RoceNic::CongestionControl: ns3::Timely"), 1U);
    EXPECT_NE(messages.find("ns3::Timely as in its paper is meant for NICs of 10 Gb/s, and "
                            "host0.nic0 has 100 Gb/s"),
              std::string::npos)
        << messages;
    // Those that fit every rate, and a preset that nobody uses.
    for (const char* rate : {"1Gbps", "25Gbps", "800Gbps"})
    {
        EXPECT_EQ(check(rate, "ns3::Dcqcn::Preset: scaled"), 0U);
        EXPECT_EQ(check(rate, "ns3::Dcqcn::Preset: hpcc"), 0U);
        EXPECT_EQ(check(rate, paper + ", ns3::RoceNic::CongestionControl: ns3::FixedRate"), 0U);
    }
}

TEST_F(ScenarioCheckTest, AnOutageShorterThanTheConvergenceTimeIsTold)
{
    const auto check = [this](const std::string& fault, const std::string& more = "") {
        EXPECT_EQ(Check("topology: {type: LeafSpine, Leaves: 2, Spines: 2, Uplinks: 2}\n" +
                        std::string(JOB) + "faults: [" + fault + "]\n" + more),
                  ScenarioRunner::OK)
            << messages;
        return CountLines("warning: faults[0]: ");
    };
    EXPECT_EQ(check("{at: 20ms, link: leaf0-spine1, action: down, for: 5ms}"), 1U);
    EXPECT_NE(messages.find("leaf0-spine1 is down for 5000 us, but switches send by other routes "
                            "only after 10000 us (ns3::Fabric::ConvergenceTime)"),
              std::string::npos)
        << messages;
    EXPECT_EQ(check("{at: 20ms, link: leaf0-spine1, action: down, for: 10ms}"), 0U);
    EXPECT_EQ(check("{at: 20ms, link: leaf0-spine1, action: down}"), 0U);
    EXPECT_EQ(check("{at: 20ms, switch: spine1, action: down, for: 9ms}"), 1U);
    EXPECT_EQ(check("{at: 20ms, switch: spine1, action: down}, "
                    "{at: 27ms, switch: spine1, action: up}"),
              1U);
    EXPECT_NE(messages.find("spine1 is down for 7000 us"), std::string::npos) << messages;
    EXPECT_EQ(check("{at: 20ms, switch: spine1, action: down}, "
                    "{at: 30ms, switch: spine1, action: up}"),
              0U);
    EXPECT_EQ(check("{at: 20ms, host: host3, action: down, for: 5ms}"), 0U); // nothing to reroute
    EXPECT_EQ(
        check("{at: 20ms, link: leaf0-spine1, action: flapping, period: 10ms, duty: 50%, for: "
              "40ms}"),
        1U);
    EXPECT_EQ(check("{at: 20ms, link: leaf0-spine1, action: degraded, rate: 1Gbps, for: 5ms}"), 0U);
    EXPECT_EQ(check("{at: 20ms, link: leaf0-spine1, action: down, for: 5ms}",
                    "defaults: {ns3::Fabric::ConvergenceTime: 1ms}\n"),
              0U);
}

// What --check accepts runs.
TEST_F(ScenarioCheckTest, InputsThatWouldEndTheProgramAreRefused)
{
    m_checks.Write("one.hpcc", "1 0 0\n");
    m_checks.Write("slash.graphml",
                   R"(<graphml><key id="k" for="node" attr.name="kind"/>
<key id="r" for="edge" attr.name="rate"><default>1Gbps</default></key>
<key id="d" for="edge" attr.name="delay"><default>1us</default></key>
<graph><node id="a"><data key="k">host</data></node>
<node id="/NodeList/0"><data key="k">host</data></node>
<edge source="a" target="/NodeList/0"/></graph></graphml>)");
    const auto link = [](const std::string& delay) {
        return "topology: {type: Explicit, nodes: [{name: a}, {name: b}], links: [{between: [a, "
               "b], "
               "rate: 1Gbps, delay: " +
               delay + "}]}\nflows: [{from: a, to: b, bytes: 1kB}]\n";
    };
    const std::string star = "topology: {type: Star, Hosts: 2}\n";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"topology: {type: Hpcc, File: one.hpcc, GpusPerHost: 8}\n" + std::string(JOB),
         "host n0 has no link"},
        {"topology: {type: GraphMl, File: slash.graphml}\nstop: {time: 1s}\n",
         "node \"/NodeList/0\" has a \"/\" in its name"},
        {link("1001s"), "link a-b has a delay of more than 1000 s"},
        {star + "flows: [{from: host0, to: host1, bytes: 1kB, priority: 6}]\n"
                "defaults: {ns3::Fabric::Queues: 4, ns3::Fabric::ControlPriority: 3}\n",
         "the flow has priority 6, but ports have only 4 queues"},
        {star + std::string("flows: [{from: host0, to: host1, bytes: 1kB}]\nfaults: "
                            "[{at: 0s, link: host0-switch0, action: flapping, "
                            "period: 2ps, for: 1s}]\n"),
         "the link would go down more than 1000000 times"}};
    for (const auto& [scenario, message] : cases)
    {
        EXPECT_EQ(Check(scenario), ScenarioRunner::BAD_INPUT) << scenario;
        EXPECT_NE(messages.find(message), std::string::npos) << messages;
    }
    EXPECT_EQ(Check(link("1000s")), ScenarioRunner::OK) << messages;
}

TEST_F(ScenarioCheckTest, ServersOfSimaiRun)
{
    // Two servers of two GPUs, each with an NVSwitch (4, 5), and one switch (6).
    m_checks.Write("t.topo",
                   "7 2 2 1 8 A100\n4 5 6\n"
                   "0 4 2880Gbps 0.000025ms 0\n0 6 200Gbps 0.0005ms 0\n"
                   "1 4 2880Gbps 0.000025ms 0\n1 6 200Gbps 0.0005ms 0\n"
                   "2 5 2880Gbps 0.000025ms 0\n2 6 200Gbps 0.0005ms 0\n"
                   "3 5 2880Gbps 0.000025ms 0\n3 6 200Gbps 0.0005ms 0\n");
    const std::string text =
        "topology: {type: Hpcc, File: " + m_checks.GetPath("t.topo") + "}\n" +
        "jobs: [{name: j, gpus: 4, iterations: 2, iteration: [{all-reduce: {bytes: 16MB}}]}]\n";
    Run(text);
    EXPECT_EQ(messages, "");
    EXPECT_EQ(Rows("SELECT status FROM job"), std::vector<std::string>{"finished"});
    // Beside them no model of a host.
    EXPECT_EQ(Check(text + "host: dgx-a100\n"), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("the topology says itself what is inside its hosts"), std::string::npos)
        << messages;
}

// The example of an explicit topology in doc/scenario.rst.
TEST_F(ScenarioCheckTest, TheExplicitTopologyOfTheManualRuns)
{
    std::ifstream page(std::filesystem::path(GetTestFolder()) / "../doc/scenario.rst");
    if (!page)
    {
        GTEST_SKIP() << "doc/scenario.rst is not here";
    }
    std::string example;
    bool inside = false;
    for (std::string line; std::getline(page, line);)
    {
        inside = inside ? line.empty() || line[0] == ' ' : line == "   name: explicit";
        if (inside && line != "   name: explicit" && line.size() > 3)
        {
            example += line.substr(3) + "\n";
        }
    }
    ASSERT_NE(example.find("type: Explicit"), std::string::npos);
    Run(example);
    EXPECT_EQ(messages, "");
    EXPECT_EQ(Rows("SELECT COUNT(*) FROM node"), std::vector<std::string>{"5"});
    EXPECT_EQ(Rows("SELECT COUNT(*) FROM link"), std::vector<std::string>{"10"});
}
