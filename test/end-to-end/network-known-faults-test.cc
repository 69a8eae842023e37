/* SPDX-License-Identifier: GPL-2.0-only */

// Errors of public RoCEv2 models (rocev2.md, section 4) that no test of a single class covers in
// full. doc/validation.rst names the test of each of the sixteen faults.

#include "../../model/fabric/fault-injector.h"
#include "../fixture/network-fixture.h"
#include "../fixture/scenario-run-fixture.h"

namespace ns3
{

/// Marks only the n-th frame that leaves others behind.
class NthMarker : public EcnMarker
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::NthMarker")
                                .SetParent<EcnMarker>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<NthMarker>()
                                .AddAttribute("N",
                                              "The frame that is marked, from 0.",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&NthMarker::m_n),
                                              MakeUintegerChecker<uint64_t>())
                                .HideFromDocumentation();
        return tid;
    }

    uint32_t GetUnmarkedBytes(uint64_t) const override
    {
        return 0;
    }

    uint64_t GetMarkProbability(uint32_t, uint64_t) const override
    {
        return m_seen++ == m_n ? uint64_t{1} << 32 : 0;
    }

  private:
    uint64_t m_n;
    mutable uint64_t m_seen{0};
};

NS_OBJECT_ENSURE_REGISTERED(NthMarker);

class KnownFaultsTest : public NetworkFixture
{
};

// 1. Not the time of a frame but that of all frames counts: whole nanoseconds a frame would make
// 400 Gb/s 1.7 % slower or 3 % faster (21.64 ns for 1082 B), and others by as much.
TEST_F(KnownFaultsTest, ASaturatedLinkHasItsRateToThePicosecond)
{
    for (uint64_t rate : {10, 25, 40, 50, 100, 200, 400, 800})
    {
        for (uint32_t mtu : {256u, 1000u, 1024u, 4096u})
        {
            constexpr int64_t FRAMES = 10'000;
            Set("ns3::RoceNic::PathMtu", mtu);
            Build(Chain(2, rate * G, US));
            Run({Flow(0, 2, uint64_t{FRAMES} * mtu)});
            ASSERT_EQ(transfers.size(), 1u);
            int64_t byte = 8'000 / static_cast<int64_t>(rate);
            // All frames, the largest once more at the second link, and two cables.
            EXPECT_EQ(transfers[0].deliveredPs,
                      (FRAMES * (mtu + 82) + 16 + (mtu + 98)) * byte + 2 * US)
                << rate << " Gb/s, MTU " << mtu;
            Restart();
        }
    }
}

// 2. Whichever frame carries the mark, one that is acknowledged or one that is not: a CNP follows.
// ECT, which all data frames carry, is not CE.
TEST_F(KnownFaultsTest, AMarkOfAnyFrameIsNotified)
{
    constexpr uint64_t FRAMES = 40;
    for (uint64_t n = 0; n < FRAMES; ++n)
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::Dcqcn::Preset", "paper"); // no increase before the last frame
        Set("ns3::RoceNic::AckInterval", 16);
        Set("ns3::FabricSwitch::EcnMarker", "ns3::NthMarker");
        Set("ns3::NthMarker::N", n);
        // The second link has half the rate: all but the first and the last frame are judged, of
        // 38 the last 36 with certainty.
        ClusterTopology graph;
        graph.AddHost("h0", 1);
        uint32_t middle = graph.AddSwitch("s");
        graph.AddHost("h1", 1);
        graph.AddLink(0, middle, 100 * G, US);
        graph.AddLink(middle, 2, 50 * G, US);
        Build(graph);
        Run({Flow(0, 2, FRAMES * 4096)});
        CheckConservation();
        uint64_t marked = GetFabricTotals().markedFrames;
        EXPECT_EQ(marked, n < FRAMES - 2 ? 1u : 0u) << n;
        EXPECT_EQ(GetRdmaTotals().cnps, marked) << n;
        EXPECT_EQ(network.GetTransport()->GetRateController(0).GetRate(1), marked ? 50e9 : 100e9);
        Restart();
    }
}

// 14. Whatever loses a frame: it is counted at its link, and is an event.
TEST_F(KnownFaultsTest, NoDropIsSilent)
{
    for (const char* cause : {"buffer", "wire", "receiver", "cable"})
    {
        const std::string name = cause;
        Set("ns3::RoceNic::RetransmissionTimeout", "200us");
        Set("ns3::Fabric::ReceiveBuffer", 20'000);
        if (name == "buffer")
        {
            Set("ns3::FabricSwitch::Pfc", "false");
            Set("ns3::FabricSwitch::BufferSize", 100'000);
        }
        Build(Star(4, 100 * G, US));
        uint32_t port = Nic(3) ^ 1;
        FaultSpec fault;
        fault.links = {port / 2};
        fault.ports = {port};
        fault.end = PicoSeconds(MS);
        fault.probability = 0.1;
        fault.action = FaultAction::LOSE;
        if (name == "receiver")
        {
            fault.action = FaultAction::SLOW;
            fault.kind = FaultTarget::NIC;
            fault.ports = {port ^ 1};
            fault.rate = BitRate(G);
        }
        else if (name != "wire")
        {
            fault.action = FaultAction::DOWN;
            fault.at = PicoSeconds(20 * US);
        }
        FaultInjector injector;
        if (name != "buffer")
        {
            injector.Start(network.GetFabric(), {fault});
        }
        Run({Flow(0, 3, 1'000'000), Flow(1, 3, 1'000'000), Flow(2, 3, 1'000'000)});
        EXPECT_EQ(transfers.size(), 3u) << cause;
        EXPECT_GT(GetFabricTotals().dropped, 5u) << cause;
        uint64_t atLinks = 0;
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                atLinks += network.GetFabric()->GetLinkCounters(link, priority).droppedFrames;
            }
        }
        EXPECT_EQ(atLinks, GetFabricTotals().dropped) << cause;
        if (name == "buffer" || name == "wire")
        {
            EXPECT_EQ(CountEvents("drop"), GetFabricTotals().dropped) << cause;
        }
        else
        {
            // The first of each queue pair; of a cable, its return tells how many there were.
            EXPECT_GE(CountEvents("drop"), 3u) << cause;
        }
        if (name == "cable")
        {
            auto up = std::find_if(events.begin(), events.end(), [](const auto& event) {
                return event.kind == "link-up";
            });
            ASSERT_NE(up, events.end());
            EXPECT_EQ(up->detail,
                      "link h3-s is up; frames lost meanwhile: " +
                          std::to_string(GetFabricTotals().dropped));
        }
        Restart();
    }
}

// A loss of `data` takes all that carries or asks for data: WRITE, SEND, READ requests and READ
// responses; that of other kinds, none of these.
TEST_F(KnownFaultsTest, LossOfDataConcernsReadsToo)
{
    // Directions of a READ from 0: the request goes to the host, the response comes from it.
    for (bool request : {true, false})
    {
        for (const std::vector<LostFrames>& frames : {std::vector<LostFrames>{LostFrames::DATA},
                                                      std::vector<LostFrames>{LostFrames::PAUSE,
                                                                              LostFrames::ACK,
                                                                              LostFrames::CNP,
                                                                              LostFrames::NAK}})
        {
            Set("ns3::RoceNic::RetransmissionTimeout", "100us");
            Build(Chain(2, 100 * G, US));
            FaultSpec fault;
            fault.action = FaultAction::LOSE;
            fault.ports = {request ? Nic(0) ^ 1 : Nic(0)};
            fault.end = PicoSeconds(50 * US);
            fault.frames = frames;
            fault.probability = 1;
            FaultInjector injector;
            injector.Start(network.GetFabric(), {fault});
            RecordingClient client;
            uint32_t queuePair = Connect(0, 2, &client);
            At(US, [&]() {
                network.GetTransport()->Post(US,
                                             queuePair,
                                             20'000,
                                             MessageTag(),
                                             RdmaOperation::READ);
            });
            Simulator::Run();
            CheckConservation();
            EXPECT_EQ(client.GetSteps('c').size(), 1u);
            EXPECT_EQ(GetRdmaTotals().timeouts, frames.size() == 1 ? 1u : 0u)
                << request << frames.size();
            EXPECT_EQ(GetFabricTotals().dropped, frames.size() != 1 ? 0u : request ? 1u : 5u);
            Restart();
        }
    }
}

// A frame names its job with 16 bits: the last of the 65,535 jobs that a scenario may have.
TEST_F(KnownFaultsTest, TheLastJobIsCountedAsItself)
{
    Build(Chain(2, 100 * G, US));
    network.GetFabric()->EnableAccounting(true);
    RecordingClient client;
    QueuePairConfig config;
    config.sourceNic = Nic(0);
    config.destinationNic = Nic(2);
    config.job = 65'534;
    config.client = &client;
    uint32_t queuePair = network.GetTransport()->CreateQueuePair(0, config);
    Post(queuePair, 10'000);
    Simulator::Run();
    CheckConservation();
    std::vector<JobLinkCounters> counters = network.GetFabric()->GetJobLinkCounters();
    ASSERT_EQ(counters.size(), 4u); // data and acknowledgements on two links
    for (const JobLinkCounters& counter : counters)
    {
        EXPECT_EQ(counter.job, 65'534u);
    }
    config.job = 65'535;
    EXPECT_DEATH(network.GetTransport()->CreateQueuePair(0, config), "16 bits");
}

// Where several faults degrade one cable, the lowest rate holds, whichever comes or goes first.
TEST_F(KnownFaultsTest, TheLowestOfSeveralRatesHolds)
{
    Build(Chain(1, 100 * G, US));
    const auto degrade = [](int64_t at, int64_t end, uint64_t rate) {
        FaultSpec fault;
        fault.action = FaultAction::DEGRADED;
        fault.links = {0};
        fault.at = PicoSeconds(at);
        fault.end = PicoSeconds(end);
        fault.rate = BitRate(rate);
        return fault;
    };
    FaultInjector injector;
    injector.Start(network.GetFabric(),
                   {degrade(1 * MS, 5 * MS, 50 * G),   // the longest
                    degrade(2 * MS, 3 * MS, 10 * G),   // lower, within it
                    degrade(4 * MS, 6 * MS, 25 * G)}); // lower, beyond its end
    const std::vector<std::pair<int64_t, uint64_t>> expected = {{0, 100},
                                                                {1 * MS, 50},
                                                                {2 * MS, 10},
                                                                {3 * MS, 50},
                                                                {4 * MS, 25},
                                                                {5 * MS, 25},
                                                                {6 * MS, 100}};
    for (const auto& step : expected)
    {
        At(step.first + MS / 2, [&]() {
            for (uint32_t port : {0u, 1u})
            {
                EXPECT_EQ(network.GetFabric()->GetWireTime(port, 1000),
                          static_cast<int64_t>(8'000'000 / step.second))
                    << step.first;
            }
        });
    }
    Simulator::Run();
}

// ns-3's view of a cable follows the faults, and tells those who ask.
TEST_F(KnownFaultsTest, DevicesKnowTheStateOfTheirCable)
{
    Build(Star(3, 100 * G, US));
    std::vector<std::string> calls;
    std::vector<Ptr<NetDevice>> devices;
    for (uint32_t port = 0; port < topology.GetPortCount(); ++port)
    {
        const TopologyNode& node = topology.GetNodes()[topology.GetPortNode(port)];
        auto local = static_cast<uint32_t>(std::find(node.ports.begin(), node.ports.end(), port) -
                                           node.ports.begin());
        devices.push_back(network.GetNode(topology.GetPortNode(port))->GetDevice(local));
        Ptr<NetDevice> device = devices.back();
        EXPECT_TRUE(device->IsLinkUp());
        std::function<void()> note = [&calls, port, device]() {
            calls.push_back(std::to_string(port) + (device->IsLinkUp() ? " up" : " down"));
        };
        device->AddLinkChangeCallback(Callback<void>(note));
    }
    const auto set = [this](uint32_t link, bool up) {
        network.GetFabric()->SetLinkUp(Simulator::Now().GetTimeStep(), link, up);
    };
    set(1, false);
    EXPECT_EQ(calls, (std::vector<std::string>{"2 down", "3 down"}));
    // Down for two reasons: a change when the last is gone.
    set(1, false);
    set(1, true);
    EXPECT_EQ(calls.size(), 2u);
    set(1, true);
    EXPECT_EQ(calls.back(), "3 up");
    calls.clear();
    auto hub = static_cast<uint32_t>(topology.FindNode("s"));
    network.GetFabric()->SetNodeUp(Simulator::Now().GetTimeStep(), hub, false);
    EXPECT_EQ(calls.size(), 6u);
    for (const auto& device : devices)
    {
        EXPECT_FALSE(device->IsLinkUp());
        device->Dispose();
    }
    network.GetFabric()->SetNodeUp(Simulator::Now().GetTimeStep(), hub, true);
    EXPECT_EQ(calls.size(), 6u);
}

/// Faults of what stands above the network.
class KnownFaultsOfJobsTest : public SharedLinkFixture
{
  protected:
    void RunJobs(uint64_t bytes, uint32_t bucket)
    {
        std::string jobs;
        for (const char* name : {"a", "b"})
        {
            std::string job = Job({name, 1 * MS, bytes, 1e9, 0, 4});
            std::string step = "{all-reduce: {bytes: " + std::to_string(bytes) + "B}}";
            std::string steps;
            for (uint64_t left = bytes; left > 0; left -= bucket)
            {
                steps += (steps.empty() ? "" : ", ") + std::string("{all-reduce: {bytes: ") +
                         std::to_string(bucket) + "B}}";
            }
            job.replace(job.find(step), step.size(), steps);
            jobs += job;
        }
        Run(Network() + "  ns3::FabricSwitch::BufferSize: 1MB\njobs:\n" + jobs +
            "record: [jobs, collectives, transfers, events]\n");
    }
};

// 11. A queue pair a (channel, sender, receiver), however many messages; its congestion state is
// kept (DcqcnNetworkTest.StateOutlivesAMessageAndRecoversWhenIdle).
TEST_F(KnownFaultsOfJobsTest, QueuePairsAreKeptFromMessageToMessage)
{
    for (uint32_t bucket : {4'000'000, 500'000})
    {
        RunJobs(4'000'000, bucket);
        // Two jobs, two ranks that send to each other, one channel.
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM queue_pair"), 4);
        // An all-reduce of two is two messages of each rank.
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM transfer"), 4 * 2 * 4 * (4'000'000 / bucket));
        EXPECT_EQ(Integer("SELECT COUNT(DISTINCT queue_pair) FROM transfer"), 4);
    }
}

// 13. A collective ends when its last byte has been delivered, and not before.
TEST_F(KnownFaultsOfJobsTest, ACollectiveIsAsLongAsItsLastTransfer)
{
    RunJobs(4'000'000, 500'000);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM collective"), 2 * 4 * 8);
    EXPECT_EQ(
        Integer("SELECT COUNT(*) FROM collective AS c WHERE end_ps < (SELECT MAX(delivered_ps) "
                "FROM transfer AS t WHERE t.run = c.run AND t.job = c.job AND t.communicator = "
                "c.communicator AND t.collective = c.collective)"),
        0);
    // Nor long after it: the last acknowledgement.
    EXPECT_EQ(
        Integer("SELECT COUNT(*) FROM collective AS c WHERE end_ps > (SELECT MAX(completed_ps) "
                "FROM transfer AS t WHERE t.run = c.run AND t.job = c.job AND t.communicator = "
                "c.communicator AND t.collective = c.collective)"),
        0);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM iteration AS i WHERE end_ps < (SELECT MAX(end_ps) FROM "
                      "collective AS c WHERE c.run = i.run AND c.job = i.job AND c.iteration = "
                      "i.iteration)"),
              0);
}

} // namespace ns3
