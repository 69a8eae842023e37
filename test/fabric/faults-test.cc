/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/fault-injector.h"
#include "../fixture/network-fixture.h"

namespace ns3
{

/// Faults of cables, switches and NICs, by the schedule of a scenario.
class FabricFaultsTest : public NetworkFixture
{
  protected:
    /// A data frame of 4096 bytes on the wire (rocev2.md, section 1) [byte].
    static constexpr uint64_t FRAME = 4178;

    void SetUp() override
    {
        NetworkFixture::SetUp();
        Set("ns3::RoceNic::RetransmissionTimeout", "1ms");
        Set("ns3::RoceNic::RetryTimeout", "40ms");
        Set("ns3::Fabric::ConvergenceTime", "2ms");
    }

    FaultSpec Fault(FaultAction action, uint32_t port, int64_t at, int64_t duration = 0)
    {
        FaultSpec fault;
        fault.action = action;
        fault.links = {port / 2};
        fault.ports = {port, port ^ 1};
        fault.at = PicoSeconds(at);
        if (duration > 0)
        {
            fault.end = PicoSeconds(at + duration);
        }
        return fault;
    }

    FaultSpec NodeFault(FaultTarget kind, const std::string& name, int64_t at, int64_t time)
    {
        FaultSpec fault = Fault(FaultAction::DOWN, 0, at, time);
        fault.kind = kind;
        fault.target = name;
        fault.node = static_cast<uint32_t>(topology.FindNode(name));
        return fault;
    }

    FaultSpec Loss(uint32_t port, double probability)
    {
        FaultSpec fault = Fault(FaultAction::LOSE, port, 0);
        fault.probability = probability;
        return fault;
    }

    uint32_t Link(const std::string& name) const
    {
        return static_cast<uint32_t>(topology.FindDirectedLink(name));
    }

    void RunFaulty(const std::vector<PlainFlow>& list, const std::vector<FaultSpec>& faults)
    {
        injector.Start(network.GetFabric(), faults);
        Run(list);
    }

    std::vector<std::string> GetDetails(const std::string& kind) const
    {
        std::vector<std::string> details;
        for (const auto& event : events)
        {
            if (event.kind == kind)
            {
                details.push_back(event.detail);
            }
        }
        return details;
    }

    FaultInjector injector;
};

TEST_F(FabricFaultsTest, AFallingLinkLosesWhatIsOnItsWire)
{
    // 100 Gb/s: a frame takes 334.24 ns, the first 335.52 ns, and is 10 us under way.
    Build(Chain(2, 100 * G, 10 * US));
    RunFaulty({Flow(0, 2, 1'000'000)},
              {Fault(FaultAction::DOWN, Link("h0-s1"), 20 * US, 100 * US)});
    // On the wire at 20 us: begun before, and ended after 10 us: frames 29 to 59 (frame k ends at
    // 335.52 + k x 334.24 ns; 28: 9.694 us, 29: 10.028 us, 58: 19.721 us, 59: 20.056 us).
    // Nothing has been acknowledged: the first ACK could be back at 30 us.
    EXPECT_EQ(GetFabricTotals().cutFrames, 59u - 29 + 1);
    // The rest of the 245 frames is sent into the dead cable, and so is the ACK of the first 16.
    EXPECT_EQ(GetFabricTotals().faultDrops, 245u - 29 + 1);
    // An event for each direction, not for each frame.
    EXPECT_EQ(GetDetails("drop"), (std::vector<std::string>{"link down", "link down"}));
    EXPECT_EQ(GetDetails("link-up"),
              std::vector<std::string>{"link h0-s1 is up; frames lost meanwhile: 217"});
    // One RTO later all is sent again.
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_GT(transfers[0].completedPs, 1 * MS);
    EXPECT_LT(transfers[0].completedPs, 1 * MS + 200 * US);
    CheckConservation();
}

TEST_F(FabricFaultsTest, TrafficReturnsByAnotherPathAfterConvergence)
{
    Build(LeafSpine(2, 1, 2, 10 * G, 10 * G, US));
    const uint32_t up0 = Link("leaf0-spine0");
    const uint32_t up1 = Link("leaf0-spine1");
    RunFaulty({Flow(0, 1, 10'000'000)}, {});
    const uint32_t used = GetSentBytes(up0) > 0 ? up0 : up1;
    const uint32_t other = used == up0 ? up1 : up0;
    ASSERT_EQ(GetSentBytes(other), 0u);
    const int64_t alone = transfers.at(0).completedPs;
    Restart();

    Build(LeafSpine(2, 1, 2, 10 * G, 10 * G, US));
    RunFaulty({Flow(0, 1, 10'000'000)}, {Fault(FaultAction::DOWN, used, 1 * MS)});
    // 8.4 ms of work; down from 1 to 3 ms. Timeouts double: 1, 2, 4 ms: the second one, at 2 + 2
    // ms or a little later, is the first after convergence.
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_GT(GetSentBytes(other), 8'000'000u);
    EXPECT_GT(transfers[0].completedPs, alone + 2 * MS);
    EXPECT_LT(transfers[0].completedPs, alone + 4 * MS);
    EXPECT_EQ(GetDetails("routes"), std::vector<std::string>{"routes avoid 1 link"});
    EXPECT_EQ(CountEvents("drop"), 1u);
    CheckConservation();
}

TEST_F(FabricFaultsTest, RoutesReturnWithTheLink)
{
    Build(LeafSpine(2, 1, 2, 10 * G, 10 * G, US));
    injector.Start(network.GetFabric(),
                   {Fault(FaultAction::DOWN, Link("leaf0-spine0"), 1 * MS, 5 * MS)});
    std::vector<size_t> paths;
    for (const int64_t at : {2 * MS, 4 * MS, 7 * MS, 9 * MS})
    {
        At(at, [&]() {
            paths.push_back(network.GetFabric()->GetLiveRouting().GetPaths(Nic(0), Nic(1)).size());
        });
    }
    Run({});
    // Down from 1 to 6 ms; known from 3 to 8 ms.
    EXPECT_EQ(paths, (std::vector<size_t>{2, 1, 1, 2}));
    EXPECT_EQ(network.GetFabric()->GetRouting().GetPaths(Nic(0), Nic(1)).size(), 2u);
}

TEST_F(FabricFaultsTest, WithoutAnyPathTheQueuePairFailsAndSaysWhy)
{
    Build(LeafSpine(2, 1, 1, 10 * G, 10 * G, US));
    RunFaulty({Flow(0, 1, 10'000'000)}, {Fault(FaultAction::DOWN, Link("leaf0-spine0"), 1 * MS)});
    EXPECT_EQ(transfers.size(), 0u);
    EXPECT_EQ(flows->GetFailed(), 1u);
    EXPECT_EQ(CountEvents("failed"), 1u);
    EXPECT_EQ(GetDetails("drop"), (std::vector<std::string>{"link down", "no route to h1.nic0"}));
    CheckConservation(false);
}

TEST_F(FabricFaultsTest, ADeadLinkToTheReceiverDropsThere)
{
    // The last switch has the destination attached, whatever its cable does.
    Build(Chain(2, 10 * G, US));
    RunFaulty({Flow(0, 2, 1'000'000)}, {Fault(FaultAction::DOWN, Link("s1-h1"), 0)});
    EXPECT_EQ(flows->GetFailed(), 1u);
    EXPECT_EQ(GetDetails("drop"), std::vector<std::string>{"link down"});
    CheckConservation(false);
}

TEST_F(FabricFaultsTest, ADegradedLinkTakesTheTimeOfItsRate)
{
    Build(Chain(2, 100 * G, US));
    FaultSpec fault = Fault(FaultAction::DEGRADED, Link("h0-s1"), 0, 100 * MS);
    fault.rate = BitRate(10 * G);
    RunFaulty({Flow(0, 2, 4'096'000)}, {fault});
    // 1000 frames at 10 Gb/s, 16 bytes more in the first; then 1 us, the last frame at 100 Gb/s
    // and 1 us.
    const int64_t sent = (1000 * FRAME + 16) * 800;
    EXPECT_EQ(transfers.at(0).deliveredPs, sent + US + static_cast<int64_t>(FRAME) * 80 + US);
    // The counters know how long it took, though the link is back to its rate.
    LinkCounters counters = network.GetFabric()->GetLinkCounters(Link("h0-s1"), 4);
    EXPECT_EQ(counters.busyPs, sent);
    CheckConservation();
}

TEST_F(FabricFaultsTest, AFlappingLinkIsDownForItsDuty)
{
    Build(Chain(2, 10 * G, US));
    FaultSpec fault = Fault(FaultAction::FLAPPING, Link("h0-s1"), 1 * MS, 10 * MS);
    fault.period = PicoSeconds(2 * MS);
    fault.down = PicoSeconds(MS / 2);
    std::vector<bool> up;
    for (int64_t at = MS + 1; at < 12 * MS; at += MS / 2)
    {
        At(at, [&]() { up.push_back(network.GetFabric()->IsLinkUp(Link("h0-s1") / 2)); });
    }
    RunFaulty({Flow(0, 2, 20'000'000)}, {fault});
    ASSERT_EQ(up.size(), 22u);
    for (size_t i = 0; i < up.size(); ++i)
    {
        EXPECT_EQ(up[i], i >= 20 || i % 4 != 0) << i;
    }
    EXPECT_EQ(CountEvents("link-down"), 5u);
    EXPECT_EQ(transfers.size(), 1u);
    CheckConservation();
}

TEST_F(FabricFaultsTest, PausesOfADeadPeerEndAndAreToldAnewWhenItIsBack)
{
    // 4 to 1: h0 to h3 are paused by the switch, whose egress to h4 is full.
    Set("ns3::FabricSwitch::BufferSize", 2'000'000);
    Set("ns3::DynamicThresholdBuffer::Alpha", "0.02");
    Build(Star(5, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 4; ++i)
    {
        list.push_back(Flow(i, 4, 10'000'000));
    }
    // A pause of 335 us, repeated after half of that.
    int64_t pausedAt = -1;
    for (int64_t at = 100 * US; at < 600 * US; at += US)
    {
        At(at, [this, at, &pausedAt]() {
            if (pausedAt < 0 && network.GetFabric()->GetPaused(at, Nic(0)))
            {
                pausedAt = at;
                network.GetFabric()->SetLinkUp(at, Nic(0) / 2, false);
                EXPECT_EQ(network.GetFabric()->GetPaused(at, Nic(0)), 0u);
            }
        });
    }
    At(700 * US, [this]() { network.GetFabric()->SetLinkUp(700 * US, Nic(0) / 2, true); });
    Run(list);
    EXPECT_GE(pausedAt, 100 * US);
    EXPECT_EQ(transfers.size(), 4u);
    EXPECT_EQ(GetFabricTotals().losslessDrops, 0u);
    CheckConservation();
}

TEST_F(FabricFaultsTest, ASwitchLosesWhatItHolds)
{
    Build(LeafSpine(2, 4, 2, 10 * G, 10 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 4; ++i)
    {
        list.push_back(Flow(i, 4 + i, 2'000'000));
    }
    injector.Start(network.GetFabric(),
                   {NodeFault(FaultTarget::SWITCH, "spine0", 500 * US, 5 * MS)});
    At(500 * US + 1, [this]() {
        EXPECT_EQ(network.GetFabric()->GetBufferUsed(600 * US, 2), 0u); // spine0
    });
    Run(list);
    EXPECT_EQ(transfers.size(), 4u);
    EXPECT_EQ(CountEvents("node-down"), 1u);
    EXPECT_EQ(CountEvents("link-down"), 2u);
    EXPECT_EQ(GetDetails("routes"),
              (std::vector<std::string>{"routes avoid 2 links", "routes avoid 0 links"}));
    CheckConservation();
}

TEST_F(FabricFaultsTest, LostSmallMessagesCostOneTimeoutEach)
{
    // Fault 4 of public models: 200 messages of 1000 B, 1 % loss on each of two links, both ways.
    Build(Chain(2, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint32_t i = 0; i < 200; ++i)
    {
        list.push_back(Flow(0, 2, 1000, static_cast<int64_t>(i) * 10 * US));
    }
    RunFaulty(list, {Loss(Link("h0-s1"), 0.01), Loss(Link("s1-h1"), 0.01)});
    ASSERT_EQ(transfers.size(), 200u);
    uint64_t late = 0;
    for (const auto& transfer : transfers)
    {
        const int64_t time = transfer.completedPs - transfer.startPs;
        // Two links of 1 us each way and less than 1 us of bytes.
        const int64_t rto = 1 * MS;
        if (time > 6 * US)
        {
            ++late;
            EXPECT_GE(time, rto);
            EXPECT_LT(time % rto, 10 * US) << "a whole number of timeouts: 1, 1 + 2, 1 + 2 + 4 ms";
        }
    }
    // Each is lost with 1 - 0.99^4 = 3.9 %: 7.9 of 200, standard deviation 2.8.
    EXPECT_GE(late, 2u);
    EXPECT_LE(late, 17u);
    EXPECT_EQ(GetFabricTotals().faultDrops, CountEvents("drop"));
    CheckConservation();
}

TEST_F(FabricFaultsTest, LosslessFabricWithLossOfAllKindsOfFramesFinishes)
{
    // Fault 7 of public models: 0.1 % of all frames, pauses and resumes among them.
    Set("ns3::FabricSwitch::BufferSize", 3'000'000);
    Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
    Build(Star(9, 100 * G, US));
    std::vector<PlainFlow> list;
    std::vector<FaultSpec> faults;
    for (uint32_t i = 0; i < 8; ++i)
    {
        list.push_back(Flow(i, 8, 5'000'000));
    }
    for (uint32_t i = 0; i < 9; ++i)
    {
        faults.push_back(Loss(Nic(i), 0.001));
    }
    RunFaulty(list, faults);
    EXPECT_EQ(transfers.size(), 8u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    EXPECT_GT(GetFabricTotals().faultDrops, 10u);
    EXPECT_EQ(GetFabricTotals().losslessDrops, 0u); // none that a cable is not to blame for
    CheckConservation();
}

TEST_F(FabricFaultsTest, OnlyTheNamedKindsOfFramesAreLost)
{
    Build(Chain(2, 100 * G, US));
    FaultSpec acks = Loss(Link("s1-h0"), 1.0);
    acks.ports = {Link("s1-h0")};
    acks.frames = {LostFrames::ACK};
    acks.end = PicoSeconds(MS / 2);
    RunFaulty({Flow(0, 2, 4096 * 32)}, {acks});
    // 32 frames and an ACK for each 16: both are lost, and all frames arrive.
    EXPECT_EQ(GetFabricTotals().faultDrops, 2u);
    EXPECT_EQ(GetDetails("drop"),
              (std::vector<std::string>{"lost on the wire", "lost on the wire"}));
    EXPECT_EQ(transfers.size(), 1u);
    EXPECT_EQ(CountEvents("timeout"), 1u);
    CheckConservation();
}

TEST_F(FabricFaultsTest, LossOfALinkDoesNotDependOnOthers)
{
    std::vector<uint64_t> dropped;
    for (const bool more : {false, true})
    {
        Build(Chain(3, 100 * G, US));
        std::vector<FaultSpec> faults;
        if (more)
        {
            FaultSpec cnps = Loss(Link("s2-h1"), 1.0); // no such frames with FixedRate
            cnps.frames = {LostFrames::CNP};
            faults.push_back(cnps);
        }
        faults.push_back(Loss(Link("s1-s2"), 0.01));
        RunFaulty({Flow(0, 3, 4'096'000)}, faults);
        dropped.push_back(GetFabricTotals().dropped);
        EXPECT_EQ(transfers.size(), 1u);
        Restart();
    }
    EXPECT_GT(dropped[0], 0u);
    EXPECT_EQ(dropped[0], dropped[1]);
}

TEST_F(FabricFaultsTest, ASlowReceiverPausesItsSwitch)
{
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    Build(Chain(2, 100 * G, US));
    FaultSpec fault = Fault(FaultAction::SLOW, Link("h1-s1"), 0, 100 * MS);
    fault.kind = FaultTarget::NIC;
    fault.rate = BitRate(10 * G);
    RunFaulty({Flow(0, 2, 4'096'000)}, {fault});
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    // 1000 frames at 10 Gb/s, 16 bytes more in the first, which waits for nothing: two links of
    // 1 us and two transmissions at 100 Gb/s before.
    const int64_t taken = (1000 * FRAME + 16) * 800;
    EXPECT_EQ(transfers.at(0).deliveredPs,
              2 * (US + static_cast<int64_t>(FRAME + 16) * 80) + taken);
    // The receiver's link was paused by the NIC itself, the other one for the receiver's.
    bool receiver = false;
    bool sender = false;
    for (const PauseRecord& pause : pauses)
    {
        receiver = receiver || (pause.link == Link("s1-h1") && pause.causedByLink == NO_ID);
        sender = sender || (pause.link == Link("h0-s1") && pause.causedByLink == Link("s1-h1"));
    }
    EXPECT_TRUE(receiver);
    EXPECT_TRUE(sender);
    CheckConservation();
}

TEST_F(FabricFaultsTest, ASlowReceiverTakesAllAtItsEnd)
{
    Build(Chain(2, 100 * G, US));
    FaultSpec fault = Fault(FaultAction::SLOW, Link("h1-s1"), 0, 1 * MS);
    fault.kind = FaultTarget::NIC;
    fault.rate = BitRate(1'000'000); // 33 ms a frame
    RunFaulty({Flow(0, 2, 409'600)}, {fault});
    EXPECT_GE(transfers.at(0).deliveredPs, 1 * MS);
    EXPECT_LT(transfers.at(0).deliveredPs, 1 * MS + 100 * US);
    CheckConservation();
}

} // namespace ns3
