/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/counter-random.h"
#include "ns3/default-simulator-impl.h"

namespace ns3
{

/// Random small networks with random traffic: properties that always hold.
class RandomStressTest : public NetworkFixture
{
  protected:
    /// What a network of a number did.
    struct Outcome
    {
        uint64_t hash{1};
        uint64_t drops{0};
        uint64_t pauses{0};
        uint64_t marks{0};
        uint64_t timeouts{0};
        uint64_t changes{0};
        uint64_t events{0};
        bool split{false};
        size_t finished{0};
        size_t expected{0};
    };

    uint64_t Random(uint64_t n)
    {
        return CounterRandom(m_network, 99, m_count++) % n;
    }

    template <typename T>
    T Pick(std::initializer_list<T> list)
    {
        return *(list.begin() + Random(list.size()));
    }

    uint64_t RandomRate()
    {
        return Pick<uint64_t>({10 * G, 25 * G, 40 * G, 100 * G, 200 * G, 400 * G, 333'333'333'333});
    }

    int64_t RandomDelay()
    {
        return std::max(m_leastDelay, Pick<int64_t>({0, 1'000, 123'456, US, 5 * US}));
    }

    /// A tree of switches with parallel links; with more edges, and so cycles, where no pause can
    /// close one to a deadlock.
    ClusterTopology RandomGraph(bool cycles)
    {
        ClusterTopology graph;
        auto switches = static_cast<uint32_t>(2 + Random(5));
        auto hosts = static_cast<uint32_t>(2 + Random(9));
        for (uint32_t i = 0; i < hosts; ++i)
        {
            graph.AddHost("h" + std::to_string(i), 1);
        }
        for (uint32_t i = 0; i < switches; ++i)
        {
            graph.AddSwitch("s" + std::to_string(i));
        }
        auto connect = [&](uint32_t a, uint32_t b) {
            uint64_t rate = RandomRate();
            int64_t delay = RandomDelay();
            for (uint64_t k = 1 + Random(3); k > 0; --k)
            {
                graph.AddLink(a, b, rate, delay);
            }
        };
        for (uint32_t i = 1; i < switches; ++i)
        {
            connect(hosts + static_cast<uint32_t>(Random(i)), hosts + i);
        }
        for (uint64_t extra = cycles ? Random(4) : 0; extra > 0; --extra)
        {
            auto a = static_cast<uint32_t>(Random(switches));
            auto b = static_cast<uint32_t>(Random(switches));
            if (a != b)
            {
                connect(hosts + a, hosts + b);
            }
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            for (uint64_t k = 1 + Random(2); k > 0; --k)
            {
                graph.AddLink(i,
                              hosts + static_cast<uint32_t>(Random(switches)),
                              RandomRate(),
                              RandomDelay());
            }
        }
        return graph;
    }

    void CheckInvariants()
    {
        int64_t now = Simulator::Now().GetTimeStep();
        const FabricAudit audit = network.GetFabric()->GetAudit(now);
        const FabricTotals totals = GetFabricTotals();
        EXPECT_EQ(totals.sent, totals.delivered + totals.dropped + audit.frames);
        EXPECT_EQ(audit.framesInUse, audit.frames + audit.pfcFrames);
        EXPECT_EQ(totals.xoff, totals.xon + audit.paused);
        EXPECT_EQ(audit.bufferUsed, audit.bufferHeld);
    }

    Outcome RunNetwork(uint64_t number,
                       Ptr<SimulatorImpl> implementation,
                       bool observe,
                       uint32_t threads = GetTestThreads())
    {
        Clear();
        m_network = number;
        m_count = 0;
        Start(implementation);
        bool lossless = Random(2);
        uint64_t loss = Random(3) == 0 ? Pick<uint64_t>({50, 500}) : 0;
        auto mtu = Pick<uint64_t>({256, 1000, 1024, 4096, 9000});
        Set("ns3::RoceNic::PathMtu", mtu);
        Set("ns3::RoceNic::AckInterval", Pick<uint64_t>({1, 4, 16}));
        Set("ns3::RoceNic::RetransmissionTimeout", "300us");
        Set("ns3::RoceNic::MaxRetransmissionTimeout", "2ms");
        Set("ns3::RoceNic::CongestionControl",
            Pick<std::string>({"ns3::Dcqcn", "ns3::Dcqcn", "ns3::FixedRate"}));
        Set("ns3::Dcqcn::Preset", Pick<std::string>({"paper", "hpcc"}));
        Set("ns3::FixedRate::Rate", Pick<std::string>({"0bps", "7Gbps", "90Gbps"}));
        Set("ns3::RedEcnMarker::Kmin", Pick<uint64_t>({1'000, 20'000, 400'000}));
        Set("ns3::RedEcnMarker::Kmax", Pick<uint64_t>({30'000, 500'000}));
        Set("ns3::FabricSwitch::MarkAtDequeue", Pick<std::string>({"true", "false"}));
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Set("ns3::FabricSwitch::Pfc", lossless ? "true" : "false");
        Set("ns3::FabricSwitch::LosslessMask", 1 << 3 | 1 << 4);
        Set("ns3::DynamicThresholdBuffer::Alpha", Pick<std::string>({"0.125", "1", "8"}));
        Set("ns3::RoceTransport::ApplyDecision",
            Pick<std::string>({"drain", "next-message", "at-once"}));
        ClusterTopology graph = RandomGraph(!lossless);
        // The largest number of ports times the headroom of two priorities, and a random pool.
        uint64_t pool = Pick<uint64_t>({20'000, 200'000, 2'000'000});
        uint64_t buffer = pool;
        for (const TopologyNode& node : graph.GetNodes())
        {
            uint64_t reserve = pool;
            for (uint32_t port : node.ports)
            {
                double flight = 2e-12 * graph.GetPortRate(port) / 8 * graph.GetPortDelay(port);
                reserve += 2 * static_cast<uint64_t>(flight + 3 * (mtu + 102) + 5'000);
            }
            buffer = std::max(buffer, reserve);
        }
        Set("ns3::FabricSwitch::BufferSize", buffer);
        Build(graph, number, threads);
        if (loss > 0)
        {
            for (uint32_t node = 0; node < graph.GetNodes().size(); ++node)
            {
                if (graph.GetNodes()[node].kind == TopologyNodeKind::SWITCH)
                {
                    GetLossyBuffer(graph.GetNodes()[node].name)->lose =
                        [loss, number, node, count = uint64_t{0}](const auto&) mutable {
                            return CounterRandom(number, node, count++) % loss == 0;
                        };
                }
            }
        }

        RecordingClient client;
        std::vector<uint32_t> queuePairs;
        uint32_t hosts = 0;
        while (graph.GetNodes()[hosts].kind == TopologyNodeKind::HOST)
        {
            ++hosts;
        }
        auto randomNic = [&]() {
            const auto& ports = graph.GetNodes()[Random(hosts)].ports;
            return ports[Random(ports.size())];
        };
        Outcome outcome;
        for (uint64_t i = 2 + Random(14); i > 0; --i)
        {
            QueuePairConfig config;
            config.sourceNic = randomNic();
            config.destinationNic = randomNic();
            config.priority = Pick<uint8_t>({0, 2, 3, 4, 6});
            config.client = &client;
            uint32_t queuePair = network.GetTransport()->CreateQueuePair(0, config);
            for (uint64_t k = 1 + Random(4); k > 0; --k)
            {
                ++outcome.expected;
                uint64_t bytes = 1 + Random(Pick<uint64_t>({100, 20'000, 300'000}));
                At(Pick<int64_t>({0, 0, 10 * US, static_cast<int64_t>(Random(100 * US))}),
                   [this, queuePair, bytes]() { Post(queuePair, bytes); });
            }
            if (Random(3) == 0)
            {
                auto port = static_cast<uint16_t>(50'000 + Random(1'000));
                auto priority = Pick<uint8_t>({1, 3, 4, 5});
                At(static_cast<int64_t>(Random(80 * US)), [this, queuePair, port, priority]() {
                    network.GetTransport()->Apply(Simulator::Now().GetTimeStep(),
                                                  queuePair,
                                                  port,
                                                  priority,
                                                  0);
                });
            }
        }
        // The same numbers are drawn whether or not somebody looks; looking changes nothing.
        for (int i = 0; i < 30; ++i)
        {
            auto at = static_cast<int64_t>(Random(200 * US));
            if (observe)
            {
                At(at, [this]() { CheckInvariants(); });
            }
        }
        // Long before the end all is quiet.
        uint64_t eventsBefore = 0;
        At(10'000 * MS, [&]() { eventsBefore = EventLane::Get()->GetEventCount(); });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        EXPECT_EQ(EventLane::Get()->GetEventCount(), eventsBefore) << "network " << number;
        CheckConservation();
        for (const auto& transfer : transfers)
        {
            for (uint64_t value : {uint64_t{transfer.queuePair},
                                   transfer.message,
                                   static_cast<uint64_t>(transfer.deliveredPs),
                                   static_cast<uint64_t>(transfer.completedPs)})
            {
                outcome.hash = MixBits(outcome.hash * 0x9e3779b97f4a7c15ull + value);
            }
        }
        // The order in which nodes are told of is nobody's business.
        for (const PauseRecord& pause : pauses)
        {
            outcome.hash +=
                MixBits(static_cast<uint64_t>(pause.startPs) * 31 + pause.endPs) * (pause.link + 1);
        }
        for (const FabricEventRecord& event : events)
        {
            outcome.hash +=
                MixBits(static_cast<uint64_t>(event.timePs) * 31 + event.link) * (event.node + 2);
        }
        for (uint32_t link = 0; link < graph.GetPortCount(); ++link)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                LinkCounters counters = network.GetFabric()->GetLinkCounters(link, priority);
                for (uint64_t value : {counters.bytes,
                                       counters.markedFrames,
                                       counters.droppedFrames,
                                       static_cast<uint64_t>(counters.pausedPs)})
                {
                    outcome.hash = MixBits(outcome.hash * 0x9e3779b97f4a7c15ull + value);
                }
            }
        }
        outcome.events = EventLane::Get()->GetEventCount();
        outcome.split = network.GetSplit() != nullptr;
        outcome.finished = transfers.size();
        outcome.drops = GetFabricTotals().dropped;
        outcome.pauses = GetFabricTotals().xoff;
        outcome.marks = GetFabricTotals().markedFrames;
        outcome.timeouts = GetRdmaTotals().timeouts;
        outcome.changes = changes.size();
        if (lossless && loss == 0)
        {
            // Only the priorities without PFC may lose.
            for (const FabricEventRecord& event : events)
            {
                EXPECT_FALSE(event.kind == "drop" && (event.priority == 3 || event.priority == 4))
                    << "network " << number;
            }
        }
        return outcome;
    }

    int64_t m_leastDelay{0}; ///< of a cable [ps]

  private:
    uint64_t m_network{0};
    uint64_t m_count{0};
};

TEST_F(RandomStressTest, AHundredNetworks)
{
    Outcome sum;
    for (uint64_t number = 1; number <= 100; ++number)
    {
        Outcome outcome = RunNetwork(number, CreateObject<FabricSimulatorImpl>(), true);
        EXPECT_EQ(outcome.finished, outcome.expected) << "network " << number;
        sum.drops += outcome.drops > 0;
        sum.pauses += outcome.pauses > 0;
        sum.marks += outcome.marks > 0;
        sum.timeouts += outcome.timeouts > 0;
        sum.changes += outcome.changes > 0;
        if (HasFailure())
        {
            break;
        }
    }
    // They are not tame.
    std::cout << "    of 100 networks " << sum.drops << " had drops, " << sum.pauses << " pauses, "
              << sum.marks << " marks, " << sum.timeouts << " timeouts, " << sum.changes
              << " changes of path or priority\n";
    EXPECT_GT(sum.drops, 20u);
    EXPECT_GT(sum.pauses, 10u);
    EXPECT_GT(sum.marks, 20u);
    EXPECT_GT(sum.timeouts, 10u);
    EXPECT_GT(sum.changes, 20u);
}

TEST_F(RandomStressTest, NobodyIsDisturbedByBeingLookedAt)
{
    // Nor by another engine.
    for (uint64_t number = 101; number <= 130; ++number)
    {
        uint64_t plain = RunNetwork(number, CreateObject<FabricSimulatorImpl>(), false).hash;
        EXPECT_EQ(RunNetwork(number, CreateObject<FabricSimulatorImpl>(), true).hash, plain)
            << number;
        EXPECT_EQ(RunNetwork(number, CreateObject<DefaultSimulatorImpl>(), false).hash, plain)
            << number;
    }
}

TEST_F(RandomStressTest, SeveralThreadsDoTheSame)
{
    // Looked at in the middle of it, too, which brings all parts to the instant.
    m_leastDelay = 1'000;
    uint32_t split = 0;
    for (uint64_t number = 201; number <= 250; ++number)
    {
        const Outcome one = RunNetwork(number, CreateObject<FabricSimulatorImpl>(), false, 1);
        for (uint32_t threads : {2, 5})
        {
            for (bool observe : {false, true})
            {
                const Outcome several =
                    RunNetwork(number, CreateObject<FabricSimulatorImpl>(), observe, threads);
                EXPECT_EQ(several.hash, one.hash) << number << " in " << threads << " threads";
                EXPECT_EQ(several.events, one.events) << number;
                split += several.split;
            }
        }
    }
    EXPECT_GT(split, 150u);
}

} // namespace ns3
