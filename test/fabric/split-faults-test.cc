/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/split-network-fixture.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace ns3
{

/// Faults have the same effect in a network split into logical processes as in a whole one.
class FabricSplitFaultsTest : public SplitNetworkFixture
{
  protected:
    struct Outcome
    {
        std::vector<std::string> readings;
        FabricTotals totals;
        std::map<std::string, uint64_t> kinds; ///< of events, drops by their reason
        uint64_t crowded{0};                   ///< events not the first of a node at an instant
        bool split{false};
    };

    uint64_t Random(uint64_t n)
    {
        return CounterRandom(m_number, 17, m_count++) % n;
    }

    template <typename T>
    T Pick(std::initializer_list<T> list)
    {
        return *(list.begin() + Random(list.size()));
    }

    /// An instant of the first 400 us; every second time at a whole 5 us, where others are, too.
    int64_t RandomTime()
    {
        return Random(2) == 0 ? static_cast<int64_t>(Random(80)) * 5 * US
                              : static_cast<int64_t>(Random(400 * US));
    }

    /// Leaves and spines, some hosts with two NICs, some leaves with a cable between them. Every
    /// second network is of equal cables, so that much happens in the same picosecond.
    ClusterTopology RandomGraph()
    {
        const bool equal = Random(2) == 0;
        const auto rate = [&]() {
            return equal ? 100 * G : Pick<uint64_t>({25 * G, 40 * G, 100 * G, 333'333'333'333});
        };
        const auto delay = [&]() {
            return equal ? US : Pick<int64_t>({200'000, 512'345, US, 3 * US});
        };
        ClusterTopology graph;
        const auto leaves = static_cast<uint32_t>(2 + Random(3));
        const auto spines = static_cast<uint32_t>(1 + Random(3));
        const auto hosts = static_cast<uint32_t>(leaves * (1 + Random(3)));
        for (uint32_t i = 0; i < hosts; ++i)
        {
            graph.AddHost("h" + std::to_string(i), 1);
        }
        for (uint32_t i = 0; i < leaves + spines; ++i)
        {
            graph.AddSwitch("s" + std::to_string(i));
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            graph.AddLink(i, hosts + i % leaves, rate(), delay());
            if (Random(4) == 0)
            {
                graph.AddLink(i, hosts + (i + 1) % leaves, rate(), delay());
            }
        }
        for (uint32_t leaf = 0; leaf < leaves; ++leaf)
        {
            for (uint32_t spine = 0; spine < spines; ++spine)
            {
                graph.AddLink(hosts + leaf, hosts + leaves + spine, rate(), delay());
            }
        }
        if (Random(3) == 0)
        {
            graph.AddLink(hosts, hosts + 1, rate(), delay());
        }
        return graph;
    }

    /// Has something begin, and mostly end again before the run does.
    void Between(const std::function<void(int64_t)>& begin, const std::function<void(int64_t)>& end)
    {
        const int64_t from = RandomTime();
        const int64_t to = from + Pick<int64_t>({5 * US, 50 * US, 123'456'789, 400 * US, 100 * MS});
        At(from, [from, begin]() { begin(from); });
        At(to, [to, end]() { end(to); });
    }

    void AddFault()
    {
        Fabric* fabric = PeekPointer(network.GetFabric());
        const auto link = static_cast<uint32_t>(Random(topology.GetPortCount() / 2));
        const auto port = static_cast<uint32_t>(Random(topology.GetPortCount()));
        const auto switches = static_cast<uint32_t>(topology.GetNodes().size() - m_hosts);
        const auto node =
            static_cast<uint32_t>(Random(4) == 0 ? Random(m_hosts) : m_hosts + Random(switches));
        switch (Random(7))
        {
        case 0:
        case 1:
            Between([=](int64_t now) { fabric->SetLinkUp(now, link, false); },
                    [=](int64_t now) { fabric->SetLinkUp(now, link, true); });
            break;
        case 2:
            Between([=](int64_t now) { fabric->SetNodeUp(now, node, false); },
                    [=](int64_t now) { fabric->SetNodeUp(now, node, true); });
            break;
        case 3: {
            const auto slow = Pick<uint64_t>({1 * G, 7 * G, 30 * G});
            Between([=](int64_t now) { fabric->SetLinkRate(now, link, slow); },
                    [=](int64_t now) { fabric->SetLinkRate(now, link, 0); });
            break;
        }
        case 4:
        case 5: {
            const FrameLoss loss{Pick<uint32_t>({0xff, 1}), Pick<double>({0.001, 0.05, 0.5})};
            auto number = std::make_shared<uint32_t>(0);
            Between([=](int64_t) { *number = fabric->AddLoss(port, loss); },
                    [=](int64_t) { fabric->RemoveLoss(*number); });
            break;
        }
        default: {
            const uint32_t nic = Nic(static_cast<uint32_t>(Random(m_hosts)));
            const auto slow = Pick<uint64_t>({1 * G, 10 * G});
            Between([=](int64_t now) { fabric->SetReceiveRate(now, nic, slow); },
                    [=](int64_t now) { fabric->SetReceiveRate(now, nic, 0); });
            break;
        }
        }
    }

    Outcome RunNetwork(uint64_t number, Mode mode, uint32_t parts)
    {
        EndRanks();
        Restart();
        m_number = number;
        m_count = 0;
        Set("ns3::RoceNic::PathMtu", Pick<uint64_t>({1024, 4096}));
        Set("ns3::RoceNic::RetransmissionTimeout", "100us");
        Set("ns3::RoceNic::MaxRetransmissionTimeout", "400us");
        Set("ns3::RoceNic::RetryTimeout", Pick<std::string>({"1ms", "50ms"}));
        Set("ns3::RoceNic::CongestionControl",
            Pick<std::string>({"ns3::Dcqcn", "ns3::FixedRate", "ns3::FixedRate"}));
        Set("ns3::Fabric::ConvergenceTime", Pick<std::string>({"0us", "20us", "60us"}));
        Set("ns3::Fabric::ReceiveBuffer", Pick<uint64_t>({20'000, 200'000}));
        Set("ns3::FabricSwitch::Pfc", Pick<std::string>({"true", "true", "false"}));
        Set("ns3::FabricSwitch::WatchdogDetection", Pick<std::string>({"0us", "25us"}));
        Set("ns3::FabricSwitch::WatchdogRestoration", "60us");
        Set("ns3::FabricSwitch::WatchdogAction", Pick<std::string>({"drop", "forward"}));
        Set("ns3::FabricSwitch::SwitchDelay", Pick<std::string>({"0ns", "0ns", "300ns"}));
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
        const ClusterTopology graph = RandomGraph();
        // The headroom of the port with the most, for each, and a pool.
        uint64_t reserve = 0;
        std::size_t ports = 0;
        for (uint32_t port = 0; port < graph.GetPortCount(); ++port)
        {
            const double flight = 2e-12 * graph.GetPortRate(port) / 8 * graph.GetPortDelay(port);
            reserve = std::max(reserve, static_cast<uint64_t>(flight) + 20'000);
            ports = std::max(ports, graph.GetNodes()[graph.GetPortNode(port)].ports.size());
        }
        Set("ns3::FabricSwitch::BufferSize",
            ports * reserve + Pick<uint64_t>({50'000, 300'000, 2'000'000}));
        m_hosts = 0;
        while (graph.GetNodes()[m_hosts].kind == TopologyNodeKind::HOST)
        {
            ++m_hosts;
        }
        BuildIn(mode, graph, parts);
        network.GetFabric()->EnableAccounting(true);
        Outcome outcome;
        outcome.split = mode == Mode::RANKS || network.GetSplit() != nullptr;
        RecordingClient client;
        for (uint64_t i = 6 + Random(20); i > 0; --i)
        {
            QueuePairConfig config;
            config.sourceNic = Nic(static_cast<uint32_t>(Random(m_hosts)));
            config.destinationNic = Nic(static_cast<uint32_t>(Random(m_hosts)));
            config.priority = Pick<uint8_t>({3, 4});
            config.job = static_cast<uint32_t>(i % 3);
            config.client = &client;
            if (config.sourceNic == config.destinationNic)
            {
                continue;
            }
            const uint32_t queuePair = network.GetTransport()->CreateQueuePair(0, config);
            for (uint64_t k = 1 + Random(3); k > 0; --k)
            {
                const uint64_t bytes = 1 + Random(Pick<uint64_t>({5'000, 300'000, 600'000}));
                At(Pick<int64_t>({0, 100 * US, RandomTime()}),
                   [this, queuePair, bytes]() { Post(queuePair, bytes); });
            }
        }
        for (uint64_t i = 1 + Random(12); i > 0; --i)
        {
            AddFault();
        }
        for (uint64_t i = Random(4); i > 0; --i)
        {
            At(RandomTime(), [this, &outcome]() { outcome.readings.push_back(ReadAll()); });
        }
        Simulator::Stop(PicoSeconds(Pick<int64_t>({300 * US, 5 * MS})));
        Simulator::Run();
        Finish(outcome);
        return outcome;
    }

    /// What there is to be read at the end, with events as EventRecorder numbers them.
    void Finish(Outcome& outcome)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        outcome.readings.push_back(ReadAll());
        outcome.totals = GetFabricTotals();
        const FabricTotals& totals = outcome.totals;
        const FabricAudit audit = network.GetFabric()->GetAudit(now);
        EXPECT_EQ(totals.sent, totals.delivered + totals.dropped + audit.frames) << m_number;
        EXPECT_EQ(totals.xoff, totals.xon + audit.paused) << m_number;
        EXPECT_EQ(audit.bufferUsed, audit.bufferHeld) << m_number;
        std::ostringstream out;
        out << totals.faultDrops << " by faults, " << totals.cutFrames << " cut, "
            << totals.losslessDrops << " lossless, " << totals.refreshes << " refreshes, "
            << EventLane::Get()->GetEventCount() << " events";
        for (const TransferRecord& transfer : transfers)
        {
            out << "\n " << transfer.queuePair << ": " << transfer.message << " delivered "
                << transfer.deliveredPs << " completed " << transfer.completedPs;
        }
        outcome.readings.push_back(out.str());
        std::map<uint32_t, std::pair<int64_t, uint32_t>> last;
        std::map<std::tuple<int64_t, uint32_t, uint32_t>, std::string> rows;
        for (const FabricEventRecord& event : events)
        {
            auto& [time, count] = last.try_emplace(event.node, -1, 0).first->second;
            count = time == event.timePs ? count + 1 : 0;
            time = event.timePs;
            outcome.crowded += count > 0;
            ++outcome.kinds[event.kind == "drop" ? event.detail : event.kind];
            std::ostringstream row;
            row << event.timePs << " node " << event.node << " " << count << ": " << event.kind
                << " " << event.link << "," << event.queuePair << "," << +event.priority << " "
                << event.detail;
            EXPECT_TRUE(rows.emplace(std::tuple(time, event.node, count), row.str()).second)
                << m_number << ": two rows of one number: " << row.str();
        }
        for (const auto& [place, row] : rows)
        {
            outcome.readings.push_back(row);
        }
        network.GetFabric()->FinishPauses(now);
        std::vector<std::string> told;
        for (const PauseRecord& pause : pauses)
        {
            told.push_back("pause " + std::to_string(pause.link) + "," +
                           std::to_string(pause.priority) + " " + std::to_string(pause.startPs) +
                           "-" + std::to_string(pause.endPs) + " " +
                           std::to_string(pause.causedByLink));
        }
        std::sort(told.begin(), told.end());
        outcome.readings.insert(outcome.readings.end(), told.begin(), told.end());
    }

  private:
    uint64_t m_number{0};
    uint64_t m_count{0};
    uint32_t m_hosts{0};
};

TEST_F(FabricSplitFaultsTest, RandomFaultsDoTheSameInParts)
{
    const std::pair<Mode, int> others[] = {{Mode::THREADS, 2},
                                           {Mode::THREADS, 5},
                                           {Mode::RANKS, 3}};
    std::map<std::string, uint32_t> networks;
    uint64_t split = 0;
    for (uint64_t number = 1; number <= 60 && !HasFailure(); ++number)
    {
        const Outcome whole = RunNetwork(number, Mode::WHOLE, 1);
        for (const auto& [mode, parts] : {std::pair{Mode::THREADS, 3}, others[number % 3]})
        {
            const Outcome other = RunNetwork(number, mode, parts);
            EXPECT_EQ(other.readings, whole.readings)
                << "network " << number << " in " << parts
                << (mode == Mode::RANKS ? " ranks" : " threads");
            split += other.split;
        }
        for (const auto& [kind, count] : whole.kinds)
        {
            ++networks[kind.substr(0, 8) == "no route" ? "no route" : kind];
        }
        networks["cut"] += whole.totals.cutFrames > 0;
        networks["lossless"] += whole.totals.losslessDrops > 0;
        networks["paused"] += whole.totals.xoff > 0;
        networks["crowded"] += whole.crowded > 0;
    }
    // They are not tame.
    for (const auto& [kind, count] : networks)
    {
        std::cout << "    " << kind << ": " << count << " networks\n";
    }
    EXPECT_GT(split, 100u);
    for (const char* kind : {"cut",
                             "paused",
                             "crowded",
                             "link down",
                             "switch down",
                             "lost on the wire",
                             "receive buffer full",
                             "no route",
                             "pfc-watchdog",
                             "link-rate",
                             "routes",
                             "failed"})
    {
        EXPECT_GT(networks[kind], 2u) << kind;
    }
}

TEST_F(FabricSplitFaultsTest, LossesOfOneInstantAreToldAsTheWholeTellsThem)
{
    // Four frames cross the spine at the same time and are lost at the ends of four wires, in four
    // parts, whose numbers run against those of the links.
    for (const bool whole : {true, false})
    {
        Restart();
        Build(LeafSpine(4, 1, 1, 100 * G, 100 * G, US), 1, 1);
        std::unique_ptr<FabricSplit> split;
        if (!whole)
        {
            const FabricCut cut(*network.GetFabric(), {0, 0, 0, 0, 3, 2, 1, 0, 1});
            std::vector<std::unique_ptr<LogicalProcess>> others;
            for (uint32_t part = 1; part < cut.count; ++part)
            {
                others.push_back(
                    std::make_unique<LocalLogicalProcess>(*network.GetFabric(), cut, part, true));
            }
            split = std::make_unique<FabricSplit>(network.GetFabric(), cut, std::move(others));
        }
        std::vector<uint32_t> wires;
        for (const char* name : {"spine0-leaf0", "spine0-leaf1", "spine0-leaf2", "spine0-leaf3"})
        {
            wires.push_back(static_cast<uint32_t>(topology.FindDirectedLink(name)));
            network.GetFabric()->AddLoss(wires.back(), {0xff, 1});
        }
        Launch({Flow(0, 1, 1'000), Flow(1, 0, 1'000), Flow(2, 3, 1'000), Flow(3, 2, 1'000)});
        Simulator::Stop(MicroSeconds(50)); // less than the retransmission timeout
        Simulator::Run();
        // 1000 bytes and 98 of headers, preamble and gap at 80 ps, sent thrice; three wires.
        ASSERT_EQ(events.size(), 4u);
        for (uint32_t i = 0; i < 4; ++i)
        {
            EXPECT_EQ(events[i].timePs, events[0].timePs);
            EXPECT_EQ(events[i].link, wires[i]) << i;
            EXPECT_EQ(events[i].node, 8u);
        }
        EXPECT_EQ(events[0].timePs, 3 * (1'098 * 80 + US));
    }
}

TEST_F(FabricSplitFaultsTest, AFallingCableLosesWhatIsBetweenParts)
{
    // 100 Gb/s: the first frame of 4096 bytes ends at 335.52 ns, frame k at k x 334.24 ns later
    // (FabricFaultsTest). The spines' wires are 10 us long: what is on them is on its way from
    // part to part. Frame k leaves the first leaf 1 hop later, plus 10 us and its own time.
    for (const Mode mode : {Mode::WHOLE, Mode::THREADS, Mode::RANKS})
    {
        EndRanks();
        Restart();
        BuildIn(mode, LeafSpine(2, 1, 1, 100 * G, 100 * G, 10 * US), 4);
        const auto up = static_cast<uint32_t>(topology.FindDirectedLink("leaf0-spine0"));
        Launch({Flow(0, 1, 1'000'000)});
        At(25 * US, [this, up]() { network.GetFabric()->SetLinkUp(25 * US, up / 2, false); });
        At(200 * US, [this, up]() { network.GetFabric()->SetLinkUp(200 * US, up / 2, true); });
        Simulator::Stop(MicroSeconds(300));
        Simulator::Run();
        // At the leaf frame 0 is whole at 10.33552 us, frame k at 10.33552 + 0.33424 k. Each is
        // sent at once, its first bit 10 us later at the spine. Received there before 25 us: those
        // that ended before 15 us at the leaf's port: 10.67104 + 0.33424 k < 15: 0 to 12. Begun
        // before 25 us: 10.33552 + 0.33424 k < 25: 0 to 43. The rest of 245 is sent to nobody.
        EXPECT_EQ(GetFabricTotals().cutFrames, 43u - 12);
        EXPECT_EQ(GetFabricTotals().faultDrops, 245u - 13);
        EXPECT_EQ(network.GetFabric()->GetLinkCounters(up, 4).droppedFrames, 245u - 13);
        ASSERT_EQ(events.size(), 3u);
        EXPECT_EQ(events[0].kind, "link-down");
        EXPECT_EQ(events[1].detail, "link down");
        EXPECT_EQ(events[2].detail, "link leaf0-spine0 is up; frames lost meanwhile: 232");
    }
}

} // namespace ns3
