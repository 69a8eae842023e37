/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/split-network-fixture.h"

#include "ns3/object-factory.h"

#include <algorithm>
#include <map>

namespace ns3
{

/// A network split into logical processes behaves as the whole one does, and can be inspected at
/// any time.
class FabricSplitTest : public SplitNetworkFixture
{
  protected:
    /// Eight hosts to one on another leaf, more at the same time, DCQCN and PFC: read at odd times
    /// and whenever a message is delivered, which is in the middle of an event of a host.
    std::vector<std::string> RunIncast(Mode mode,
                                       uint32_t parts,
                                       int64_t stopPs,
                                       const std::string& type = "ns3::FabricSimulatorImpl")
    {
        EndRanks();
        Clear();
        Start(ObjectFactory(type).Create<SimulatorImpl>());
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::RedEcnMarker::Kmin", 30'000);
        Set("ns3::RedEcnMarker::Kmax", 200'000);
        Set("ns3::FabricSwitch::BufferSize", 1'500'000);
        BuildIn(mode, LeafSpine(4, 4, 2, 100 * G, 100 * G, US), parts);
        network.GetFabric()->EnableAccounting(true);
        std::vector<std::string> readings;
        RecordingClient client;
        client.react = [&](const RecordingClient::Call&) {
            readings.push_back(ReadAll());
            // And in an ordinary event behind the lane events of this instant that have been run.
            Simulator::ScheduleNow(
                +[](FabricSplitTest* test, std::vector<std::string>* to) {
                    to->push_back(test->ReadAll());
                },
                this,
                &readings);
        };
        for (uint32_t i = 1; i < 16; ++i)
        {
            QueuePairConfig config;
            config.sourceNic = Nic(i);
            config.destinationNic = Nic(i < 9 ? 0 : i - 8);
            config.priority = 4;
            config.job = i % 3;
            config.client = &client;
            const uint32_t queuePair = network.GetTransport()->CreateQueuePair(0, config);
            // Half of them in the same picosecond, which is full of ties from then on.
            At(i % 2 == 0 ? 0 : static_cast<int64_t>(i) * 777,
               [this, queuePair]() { Post(queuePair, 150'000); });
        }
        for (int64_t at : {int64_t{1}, 5 * US + 1, 9 * US + 123'457, 33 * US, 70 * US + 999'999})
        {
            At(at, [&]() { readings.push_back(ReadAll()); });
        }
        Simulator::Stop(PicoSeconds(stopPs));
        Simulator::Run();
        readings.push_back(ReadAll());
        const int64_t now = Simulator::Now().GetTimeStep();
        readings.push_back(std::to_string(EventLane::Get()->GetEventCount()) + " events at " +
                           std::to_string(now));
        network.GetFabric()->FinishPauses(now);
        std::map<std::pair<uint32_t, int64_t>, int64_t> told;
        for (const PauseRecord& pause : pauses)
        {
            told[{pause.link, pause.startPs}] = pause.endPs;
        }
        readings.push_back(std::to_string(pauses.size()) + " pauses");
        for (const auto& [start, end] : told)
        {
            readings.back() += " " + std::to_string(start.first) + ":" +
                               std::to_string(start.second) + "-" + std::to_string(end);
        }
        return readings;
    }
};

TEST_F(FabricSplitTest, IsReadAtTheEventThatIsRunning)
{
    for (int64_t stop : {20'000 * US, 41 * US + 5})
    {
        const std::vector<std::string> whole = RunIncast(Mode::WHOLE, 1, stop);
        EXPECT_GT(GetFabricTotals().xoff, 0u);
        EXPECT_GT(GetFabricTotals().markedFrames, 0u);
        for (uint32_t parts : {2, 3, 5})
        {
            EXPECT_EQ(RunIncast(Mode::THREADS, parts, stop), whole) << parts << " threads";
            EXPECT_EQ(RunIncast(Mode::RANKS, parts, stop), whole) << parts << " ranks";
        }
        // Where ordinary events drive the lane, they end the windows, too.
        const std::string plain = "ns3::DefaultSimulatorImpl";
        EXPECT_EQ(RunIncast(Mode::WHOLE, 1, stop, plain), whole);
        EXPECT_EQ(RunIncast(Mode::THREADS, 3, stop, plain), whole);
        EXPECT_EQ(RunIncast(Mode::RANKS, 3, stop, plain), whole);
    }
}

TEST_F(FabricSplitTest, RunsOnAfterAStop)
{
    std::vector<std::string> whole;
    for (Mode mode : {Mode::WHOLE, Mode::THREADS, Mode::RANKS})
    {
        EndRanks();
        Restart();
        BuildIn(mode, LeafSpine(2, 2, 1, 100 * G, 100 * G, US), 3);
        Launch({Flow(0, 2, 400'000), Flow(1, 3, 300'000), Flow(3, 0, 200'000)});
        std::vector<std::string> readings;
        while (transfers.size() < 3 && readings.size() < 100)
        {
            Simulator::Stop(PicoSeconds(3'333'333));
            Simulator::Run();
            readings.push_back(ReadAll());
        }
        EXPECT_EQ(transfers.size(), 3u);
        EXPECT_GT(readings.size(), 10u);
        if (mode == Mode::WHOLE)
        {
            whole = readings;
        }
        EXPECT_EQ(readings, whole);
    }
}

TEST_F(FabricSplitTest, EndsWhenNothingIsLeftAnywhere)
{
    // Without a stop: the last event, at a switch or at a host, is the time of the end.
    int64_t end = 0;
    for (Mode mode : {Mode::WHOLE, Mode::THREADS, Mode::RANKS})
    {
        EndRanks();
        Restart();
        BuildIn(mode, LeafSpine(2, 2, 2, 100 * G, 100 * G, US), 4);
        Run({Flow(0, 2, 123'456), Flow(1, 2, 50'000), Flow(3, 2, 99'999)});
        EXPECT_TRUE(Simulator::IsFinished());
        CheckConservation();
        if (mode == Mode::WHOLE)
        {
            end = Simulator::Now().GetTimeStep();
        }
        EXPECT_EQ(Simulator::Now().GetTimeStep(), end);
    }
}

TEST_F(FabricSplitTest, DeadlocksAreFoundAcrossParts)
{
    // Five switches in a ring, each host to the one after the next, all the same way round (as in
    // FabricGuardTest): found at the same time with the same names.
    std::string found;
    for (Mode mode : {Mode::WHOLE, Mode::THREADS, Mode::RANKS})
    {
        EndRanks();
        Restart();
        Set("ns3::Fabric::DeadlockDetection", "2ms");
        Set("ns3::FabricSwitch::BufferSize", 1'000'000);
        ClusterTopology ring;
        for (uint32_t i = 0; i < 5; ++i)
        {
            ring.AddHost("h" + std::to_string(i), 1);
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            ring.AddSwitch("s" + std::to_string(i));
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            ring.AddLink(i, 5 + i, 100 * G, US);
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            ring.AddLink(5 + i, 5 + (i + 1) % 5, 100 * G, US);
        }
        BuildIn(mode, ring, 4);
        std::string names;
        network.GetFabric()->SetDeadlockCallback([&](int64_t now, const std::string& cycle) {
            names = std::to_string(now) + " " + cycle;
            Simulator::Stop();
        });
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 5; ++i)
        {
            list.push_back(Flow(i, (i + 2) % 5, 20'000'000));
        }
        Launch(list);
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        EXPECT_NE(names, "");
        if (mode == Mode::WHOLE)
        {
            found = names;
        }
        EXPECT_EQ(names, found);
        EXPECT_EQ(std::count_if(events.begin(),
                                events.end(),
                                [](const auto& event) { return event.kind == "deadlock"; }),
                  1);
    }
}

TEST_F(FabricSplitTest, SaysWhyItCannotBe)
{
    network.SetThreads(2);
    EXPECT_TRUE(network.Build(topology = Star(3, 100 * G, 0), 1).empty());
    EXPECT_EQ(network.GetThreadFault(),
              "link h0-s has no delay, without which its ends cannot run at a time");
    EXPECT_EQ(network.GetSplit(), nullptr);

    Restart();
    ClusterTopology pair;
    pair.AddHost("a", 1);
    pair.AddHost("b", 1);
    pair.AddLink(0, 1, 100 * G, US);
    network.SetThreads(2);
    EXPECT_TRUE(network.Build(topology = pair, 1).empty());
    EXPECT_EQ(network.GetThreadFault(), "there is too little that can be dealt out");
}

using FabricSplitDeathTest = FabricSplitTest;

TEST_F(FabricSplitDeathTest, WhatOnlyAWholeNetworkCan)
{
    Build(LeafSpine(2, 2, 1, 100 * G, 100 * G, US), 1, 2);
    Fabric& fabric = *network.GetFabric();
    EXPECT_DEATH(fabric.SetObserver(0, reinterpret_cast<FabricObserver*>(this)),
                 "port h0.nic0 is traced, which one thread can do only");
}

} // namespace ns3
