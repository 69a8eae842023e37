/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/base/attribute-refusal.h"
#include "../fixture/network-fixture.h"

#include "ns3/names.h"
#include "ns3/packet.h"

namespace ns3
{

namespace
{

/// Initial value of an attribute as text.
std::string
Initial(const std::string& type, const std::string& attribute)
{
    TypeId::AttributeInformation information;
    TypeId tid = TypeId::LookupByName(type);
    return tid.LookupAttributeByName(attribute, &information)
               ? information.originalInitialValue->SerializeToString(information.checker)
               : "no such attribute";
}

} // namespace

class FabricAttributesTest : public NetworkFixture
{
};

TEST_F(FabricAttributesTest, Defaults)
{
    EXPECT_EQ(Initial("ns3::FabricSwitch", "BufferSize"), "0");
    EXPECT_EQ(Initial("ns3::FabricSwitch", "BufferManager"), "ns3::DynamicThresholdBuffer");
    EXPECT_EQ(Initial("ns3::FabricSwitch", "EcnMarker"), "ns3::RedEcnMarker");
    EXPECT_EQ(Initial("ns3::FabricSwitch", "PathSelector"), "ns3::EcmpPathSelector");
    EXPECT_EQ(Initial("ns3::FabricSwitch", "LosslessMask"), "126"); // priorities 1 to 6
    EXPECT_EQ(Initial("ns3::FabricSwitch", "Pfc"), "true");
    EXPECT_EQ(Initial("ns3::FabricSwitch", "MarkAtDequeue"), "true");
    EXPECT_EQ(Initial("ns3::Fabric", "Queues"), "8");
    EXPECT_EQ(Initial("ns3::Fabric", "ControlPriority"), "7");
    EXPECT_EQ(Initial("ns3::Fabric", "PauseQuanta"), "65535");
    EXPECT_EQ(Initial("ns3::Fabric", "PauseRefresh"), "0.5");
    EXPECT_EQ(Initial("ns3::RoceNic", "CongestionControl"), "ns3::Dcqcn");
    EXPECT_EQ(Initial("ns3::RoceNic", "PathMtu"), "4096");
    EXPECT_EQ(Initial("ns3::RoceNic", "AckInterval"), "16");
    EXPECT_EQ(Initial("ns3::RoceNic", "GapBytes"), "20");
    auto nic = CreateObject<RoceNic>();
    // 4.096 us x 2^14, up to 4 s; fails after 30 s.
    EXPECT_EQ(nic->GetRetransmissionTimeout(), 4'096'000ll << 14);
    EXPECT_EQ(nic->GetMaxRetransmissionTimeout(), 4'000 * MS);
    EXPECT_EQ(nic->GetRetryTimeout(), 30'000 * MS);
    EXPECT_EQ(nic->GetFraming().mtu, 4096u);
    EXPECT_EQ(nic->GetFraming().gapBytes, 20u);
}

TEST_F(FabricAttributesTest, EveryAttributeAndTraceSourceHasHelp)
{
    for (const char* type : {"ns3::Fabric",
                             "ns3::FlowletPathSelector",
                             "ns3::FabricSwitch",
                             "ns3::FabricNetDevice",
                             "ns3::FabricChannel",
                             "ns3::DynamicThresholdBuffer",
                             "ns3::RedEcnMarker",
                             "ns3::RoceNic",
                             "ns3::RoceTransport",
                             "ns3::Dcqcn",
                             "ns3::FixedRate"})
    {
        TypeId tid = TypeId::LookupByName(type);
        EXPECT_EQ(tid.GetGroupName(), "GpuFabric");
        for (size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            EXPECT_GT(tid.GetAttribute(i).help.size(), 10u) << tid.GetAttribute(i).name;
        }
        for (size_t i = 0; i < tid.GetTraceSourceN(); ++i)
        {
            EXPECT_GT(tid.GetTraceSource(i).help.size(), 10u);
            EXPECT_FALSE(tid.GetTraceSource(i).callback.empty());
        }
    }
}

TEST_F(FabricAttributesTest, SwitchMakesThePoliciesThatAreNamed)
{
    auto configuration = CreateObject<FabricSwitch>();
    configuration->SetAttribute("BufferManager", StringValue("ns3::LossyBuffer"));
    configuration->MakePolicies();
    EXPECT_TRUE(DynamicCast<LossyBuffer>(configuration->GetBufferManager()));
    EXPECT_TRUE(DynamicCast<RedEcnMarker>(configuration->GetEcnMarker()));
    EXPECT_TRUE(DynamicCast<EcmpPathSelector>(configuration->GetPathSelector()));
    EXPECT_EQ(configuration->GetLosslessMask(), 0x7eu);
    configuration->SetAttribute("Pfc", BooleanValue(false));
    EXPECT_EQ(configuration->GetLosslessMask(), 0u);
    configuration->SetAttribute("MarkAtDequeue", BooleanValue(false));
    EXPECT_FALSE(configuration->IsMarkingAtDequeue());
    configuration->Dispose();
    EXPECT_FALSE(configuration->GetBufferManager());
}

TEST_F(FabricAttributesTest, NicFramingFollowsTheAttributes)
{
    SetPeerFraming(1000);
    auto nic = CreateObject<RoceNic>();
    EXPECT_EQ(nic->GetFraming().GetDataWireBytes(1000, true), 1048u);
    EXPECT_EQ(nic->GetFraming().GetAckWireBytes(), 60u);
    EXPECT_EQ(nic->GetAckInterval(), 1u);
    EXPECT_EQ(nic->GetCongestionControl()->GetInstanceTypeId().GetName(), "ns3::FixedRate");
    nic->Dispose();
}

TEST_F(FabricAttributesTest, LosslessMaskNeverHoldsTheControlPriority)
{
    Set("ns3::FabricSwitch::LosslessMask", 0x3ff);
    Build(Star(2, 100 * G, US));
    EXPECT_EQ(network.GetFabric()->GetLosslessMask(), 0x7fu);
    EXPECT_EQ(network.GetFabric()->GetQueueCount(), 8u);
    EXPECT_EQ(network.GetFabric()->GetControlPriority(), 7u);
    Restart();
    Set("ns3::FabricSwitch::LosslessMask", 0x3ff);
    Set("ns3::Fabric::Queues", 10);
    Set("ns3::Fabric::ControlPriority", 3);
    Build(Star(2, 100 * G, US));
    EXPECT_EQ(network.GetFabric()->GetLosslessMask(), 0x3f7u);
    EXPECT_EQ(network.GetFabric()->GetCnpPriority(), 3u);
    Restart();
    Set("ns3::FabricSwitch::LosslessMask", 0x3ff);
    Set("ns3::Fabric::CnpPriority", 6);
    Build(Star(2, 100 * G, US));
    EXPECT_EQ(network.GetFabric()->GetLosslessMask(), 0x3fu);
    EXPECT_EQ(network.GetFabric()->GetCnpPriority(), 6u);
    EXPECT_EQ(network.GetFabric()->GetControlPriority(), 7u);
}

TEST_F(FabricAttributesTest, TenQueuesCarryTraffic)
{
    Set("ns3::Fabric::Queues", 10);
    Set("ns3::Fabric::ControlPriority", 9);
    Set("ns3::FabricSwitch::LosslessMask", 0x1fe);
    Build(Star(9, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint8_t priority = 1; priority <= 8; ++priority)
    {
        list.push_back(Flow(priority - 1, 8, 1'000'000, 0, priority));
    }
    Run(list);
    ASSERT_EQ(transfers.size(), 8u);
    CheckConservation();
    for (size_t i = 1; i < 8; ++i)
    {
        EXPECT_LT(transfers[i].deliveredPs, transfers[i - 1].deliveredPs);
    }
}

TEST_F(FabricAttributesTest, FaultsOfTheConfigurationAreSentences)
{
    topology = Star(3, 100 * G, US);
    Set("ns3::FabricSwitch::BufferSize", 100'000);
    std::vector<std::string> errors = FindFaults(topology);
    // 25,000 + 3 frames of 4194 + 84 = 37,666 for each of six priorities of a port.
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].find("s: "), std::string::npos) << errors[0];
    EXPECT_NE(errors[0].find("s.port0"), std::string::npos) << errors[0];
    EXPECT_NE(errors[0].find(std::to_string(6 * (25'000 + 3 * 4194 + 84))), std::string::npos)
        << errors[0];
    Restart();
    Set("ns3::Fabric::ControlPriority", 8);
    EXPECT_EQ(FindFaults(topology),
              std::vector<std::string>{"ControlPriority 8 is not one of the 8 queues"});
}

TEST_F(FabricAttributesTest, FaultsHaveKindAndPlace)
{
    topology = Star(3, 100 * G, US);
    Set("ns3::Fabric::ControlPriority", 8);
    Set("ns3::Fabric::DscpMap", "0,8,16");
    std::vector<FabricFault> faults = network.Build(topology, 1);
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0].kind, FabricFaultKind::ATTRIBUTE);
    EXPECT_EQ(faults[0].place.attribute, "DscpMap");
    EXPECT_EQ(faults[0].text, "names 3 DSCPs for 8 priorities");
    EXPECT_EQ(faults[1].place.attribute, "ControlPriority");
    Restart();
    Set("ns3::FabricSwitch::BufferSize", 100'000);
    faults = network.Build(topology, 1);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, FabricFaultKind::SWITCH);
    EXPECT_EQ(faults[0].place.node, "s");
    Restart();
    Set("ns3::Fabric::EgressScheduler", "ns3::DwrrEgress");
    Set("ns3::DwrrEgress::Weights", "9:1");
    faults = network.Build(topology, 1);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, FabricFaultKind::EGRESS);
    EXPECT_EQ(faults[0].place.attribute, "EgressScheduler");
}

TEST_F(FabricAttributesTest, TextsOfAForm)
{
    const auto refuse = [](const std::string& attribute, const std::string& text) {
        AttributeRefusal refusal;
        EXPECT_FALSE(Config::SetDefaultFailSafe(attribute, StringValue(text))) << text;
        return refusal.GetReason();
    };
    EXPECT_EQ(refuse("ns3::Fabric::DscpMap", "0,64"), "\"64\" is no DSCP, an integer from 0 to 63");
    EXPECT_EQ(refuse("ns3::Fabric::DscpMap", "5,6,5"), "DSCP 5 is given to two priorities");
    EXPECT_EQ(refuse("ns3::Fabric::Partition", "leafs"),
              "\"leafs\" is not one of: auto, leaf, pod");
    EXPECT_EQ(refuse("ns3::FabricSwitch::WatchdogAction", "nonsense"),
              "\"nonsense\" is not one of: drop, forward");
    EXPECT_EQ(refuse("ns3::DwrrEgress::Weights", "6:4,5"),
              "\"5\" is not a priority, a colon and a weight");
    EXPECT_EQ(refuse("ns3::DwrrEgress::Weights", "10:1"), "priority 10 is not one of 0 to 9");
}

TEST_F(FabricAttributesTest, MisuseOfTheTransportIsFatal)
{
    Build(Star(2, 100 * G, US));
    RecordingClient client;
    EXPECT_DEATH(Connect(0, 1, &client, 8), "priority 8");
    QueuePairConfig config;
    config.sourceNic = Nic(0);
    config.destinationNic = Nic(0) ^ 1; // a port of the switch
    EXPECT_DEATH(network.GetTransport()->CreateQueuePair(0, config), "two NICs");
    uint32_t queuePair = Connect(0, 1, &client);
    EXPECT_DEATH(Post(queuePair, 0), "at least one byte");
    EXPECT_DEATH(network.GetTransport()->Apply(0, queuePair, 50'000, 8, 0), "priority 8");
    Post(queuePair, 1);
    EXPECT_DEATH(network.GetTransport()->DestroyQueuePair(0, queuePair), "outstanding");
    Restart();
    EXPECT_DEATH(Set("ns3::RoceTransport::ApplyDecision", "tomorrow"),
                 "\"tomorrow\" is not one of: drain, next-message, at-once");
}

TEST_F(FabricAttributesTest, NicsWithoutAPathAreRefused)
{
    ClusterTopology graph;
    uint32_t a = graph.AddHost("a", 2);
    uint32_t b = graph.AddHost("b", 2);
    uint32_t rail0 = graph.AddSwitch("rail0");
    uint32_t rail1 = graph.AddSwitch("rail1");
    graph.AddLink(a, rail0, 100 * G, US);
    graph.AddLink(a, rail1, 100 * G, US);
    graph.AddLink(b, rail0, 100 * G, US);
    graph.AddLink(b, rail1, 100 * G, US);
    Build(graph);
    QueuePairConfig config;
    config.sourceNic = 0;
    config.destinationNic = 4;
    EXPECT_EQ(network.GetTransport()->CreateQueuePair(0, config), 0u);
    config.destinationNic = 6;
    EXPECT_DEATH(network.GetTransport()->CreateQueuePair(0, config),
                 "no path from a.nic0 to b.nic1");
}

TEST_F(FabricAttributesTest, DevicesAreFacadesOfThePorts)
{
    Build(Star(2, 100 * G, 3 * US));
    Run({Flow(0, 1, 100'000)});
    Ptr<Node> host = Names::Find<Node>("h0");
    ASSERT_TRUE(host);
    ASSERT_EQ(host->GetNDevices(), 1u);
    Ptr<NetDevice> device = host->GetDevice(0);
    EXPECT_EQ(device->GetInstanceTypeId().GetName(), "ns3::RoceNic");
    // 24 frames of 4096 and one of 1696, with 82 each and one RETH of 16.
    UintegerValue sent;
    device->GetAttribute("SentBytes", sent);
    EXPECT_EQ(sent.Get(), 100'000u + 25 * 82 + 16);
    EXPECT_EQ(sent.Get(), GetSentBytes(Nic(0)));
    Ptr<Channel> channel = device->GetChannel();
    ASSERT_EQ(channel->GetNDevices(), 2u);
    TimeValue delay;
    channel->GetAttribute("Delay", delay);
    EXPECT_EQ(delay.Get(), MicroSeconds(3));
    EXPECT_EQ(channel->GetDevice(0), device);
    Ptr<Node> middle = Names::Find<Node>("s");
    EXPECT_EQ(channel->GetDevice(1)->GetNode(), middle);
    EXPECT_EQ(middle->GetNDevices(), 2u);
    EXPECT_TRUE(middle->GetObject<FabricSwitch>());
    EXPECT_FALSE(device->Send(Create<Packet>(10), device->GetBroadcast(), 0x800));
    EXPECT_TRUE(device->IsPointToPoint());
}

TEST_F(FabricAttributesTest, ContextIsTheNodeOfTheHandler)
{
    Build(Chain(2, 100 * G, US));
    RecordingClient client;
    std::vector<uint32_t> contexts;
    client.react = [&](const auto&) { contexts.push_back(Simulator::GetContext()); };
    Post(Connect(0, 2, &client), 1000);
    Simulator::Run();
    // Delivered at h1, completed at h0.
    ASSERT_EQ(contexts.size(), 2u);
    EXPECT_EQ(contexts[0], Names::Find<Node>("h1")->GetId());
    EXPECT_EQ(contexts[1], Names::Find<Node>("h0")->GetId());
}

} // namespace ns3
