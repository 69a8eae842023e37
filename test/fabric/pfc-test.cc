/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <set>

namespace ns3
{

class FabricPfcTest : public NetworkFixture
{
  protected:
    /// Two senders into one port of a star, one of a higher priority: the other is paused for as
    /// long as that takes.
    void StarveLow(uint64_t high = 50'000'000)
    {
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4 | 1 << 5);
        Set("ns3::FabricSwitch::BufferSize", 1'000'000);
        Build(Star(3, 100 * G, US));
        Run({Flow(0, 2, 2'000'000, 0, 4), Flow(1, 2, high, 0, 5)});
    }

    /// What the trace says, summed by link and priority.
    std::map<std::pair<uint32_t, uint32_t>, int64_t> SumPauses() const
    {
        std::map<std::pair<uint32_t, uint32_t>, int64_t> sums;
        for (const PauseRecord& pause : pauses)
        {
            sums[{pause.link, pause.priority}] += pause.endPs - pause.startPs;
        }
        return sums;
    }

    void CheckPauseSums()
    {
        auto sums = SumPauses();
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                EXPECT_EQ(network.GetFabric()->GetLinkCounters(link, priority).pausedPs,
                          (sums[{link, priority}]));
            }
        }
    }

    std::vector<PlainFlow> Incast(uint32_t senders, uint64_t bytes, uint8_t priority = 4)
    {
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < senders; ++i)
        {
            list.push_back(Flow(i, senders, bytes, 0, priority));
        }
        return list;
    }
};

TEST_F(FabricPfcTest, AnIncastPausesAndResumesWithoutLoss)
{
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
    Set("ns3::FabricSwitch::BufferSize", 2'000'000);
    Build(Star(9, 100 * G, US));
    Run(Incast(8, 3'000'000));
    EXPECT_EQ(transfers.size(), 8u);
    CheckConservation();
    CheckPauseSums();
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    EXPECT_EQ(GetFabricTotals().xoff, GetFabricTotals().xon);
    EXPECT_EQ(GetFabricTotals().xoff, pauses.size());
    EXPECT_EQ(GetRdmaTotals().retransmittedBytes, 0u);
    // Every pause is of a host's cable and priority 4, and was caused by the receiver's.
    uint64_t sent = 0;
    for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
    {
        sent += network.GetFabric()->GetSentPfcFrames(link);
        EXPECT_GE(network.GetFabric()->GetSentPfcFrames(link),
                  network.GetFabric()->GetSentPauses(link));
    }
    EXPECT_EQ(sent, GetFabricTotals().pfcFrames);
    for (const PauseRecord& pause : pauses)
    {
        EXPECT_EQ(pause.priority, 4);
        EXPECT_LT(pause.link, 16u);
        EXPECT_EQ(pause.link % 2, 0u);
        EXPECT_EQ(pause.causedByLink, Nic(8) ^ 1);
        EXPECT_GT(pause.endPs, pause.startPs);
    }
    // The receiver's cable is never idle from the first frame on.
    int64_t serialised = static_cast<int64_t>(network.GetFabric()->GetWireTime(
        Nic(8) ^ 1,
        network.GetFabric()->GetLinkCounters(Nic(8) ^ 1, 4).bytes));
    EXPECT_NEAR(GetLastDelivery(), serialised + 2 * US + 4194 * 80, 1000);
    // Per-sender fair: all end within the last per cent.
    for (const auto& transfer : transfers)
    {
        EXPECT_GT(transfer.deliveredPs, 0.97 * serialised);
    }
}

TEST_F(FabricPfcTest, HeadroomHoldsWhateverComes)
{
    // The worst for headroom: a small pool that all exhaust together, frames larger than the
    // response, and every port sending largest frames of its own when it is to send a pause.
    uint64_t pausesSeen = 0;
    for (uint32_t mtu : {256u, 1000u, 4096u, 9000u, 65'536u})
    {
        for (int64_t delay : {int64_t{0}, int64_t{1'000}, US, 10 * US})
        {
            for (uint64_t pool : {1'000, 50'000, 400'000})
            {
                const uint32_t hosts = 12;
                Set("ns3::RoceNic::PathMtu", mtu);
                Set("ns3::FabricSwitch::LosslessMask", 1 << 3 | 1 << 4);
                uint64_t frame = (mtu + 3) / 4 * 4 + 98;
                uint64_t flight = 2 * 100 * delay / 8'000;
                uint64_t reserve = flight + 2 * frame + 84 + std::max<uint64_t>(3840, frame);
                Set("ns3::FabricSwitch::BufferSize", hosts * 2 * reserve + pool);
                Build(Star(hosts, 100 * G, delay));
                std::vector<PlainFlow> list;
                uint64_t bytes = mtu < 1000 ? 200'000 : mtu > 10'000 ? 2'000'000 : 500'000;
                for (uint32_t i = 0; i < hosts; ++i)
                {
                    // All send to hosts 0 and 1, which send to all, at odd times.
                    for (uint32_t target : {0u, 1u})
                    {
                        if (i != target)
                        {
                            list.push_back(Flow(i, target, bytes, i * 7'777, 3 + target));
                            list.push_back(Flow(target, i, bytes, i * 5'555, 4 - target));
                        }
                    }
                }
                Run(list);
                EXPECT_EQ(GetFabricTotals().dropped, 0u)
                    << "MTU " << mtu << ", delay " << delay << " ps, pool " << pool;
                EXPECT_EQ(transfers.size(), list.size());
                CheckConservation();
                pausesSeen += GetFabricTotals().xoff;
                Restart();
            }
        }
    }
    EXPECT_GT(pausesSeen, 10'000u);
}

TEST_F(FabricPfcTest, SeventeenHostsAndBuffersFrom1To8MB)
{
    // 16 x 10 MB to one receiver: 16 done, no drops, as many resumes as pauses.
    for (uint64_t buffer : {1'000'000, 4'000'000, 8'000'000})
    {
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
        Set("ns3::FabricSwitch::BufferSize", buffer);
        Build(Star(17, 100 * G, 1'000)); // links of 1 ns
        Run(Incast(16, 10'000'000));
        EXPECT_EQ(transfers.size(), 16u);
        EXPECT_EQ(GetFabricTotals().dropped, 0u);
        EXPECT_GT(GetFabricTotals().xoff, 0u);
        EXPECT_LE(network.GetFabric()->GetBufferPeak(0), buffer);
        CheckConservation();
        CheckPauseSums();
        Restart();
    }
}

TEST_F(FabricPfcTest, AFrameInTransmissionFinishesAndNoMoreFollow)
{
    // The same run twice: the first tells when the pause is in force, the second looks.
    StarveLow();
    ASSERT_FALSE(pauses.empty());
    std::vector<PauseRecord> first = pauses;
    Restart();
    uint32_t link = first[0].link;
    ASSERT_EQ(first[0].priority, 4);
    std::vector<uint64_t> frames;
    // An ordinary event runs before what the network does at that time.
    for (int64_t at : {first[0].startPs + 1, first[0].endPs, first[0].endPs + 1 + 4194 * 80})
    {
        At(at,
           [&, link]() { frames.push_back(network.GetFabric()->GetLinkCounters(link, 4).frames); });
    }
    StarveLow();
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[1], frames[0]);
    EXPECT_GT(frames[2], frames[1]);
    EXPECT_EQ(pauses[0].startPs, first[0].startPs);
    CheckConservation();
}

TEST_F(FabricPfcTest, ALongPauseIsRefreshedBeforeItExpires)
{
    // 1000 quanta are 64,000 bytes: 5.12 us at 100 Gb/s. The pause lasts 4 ms without a gap.
    for (const char* refresh : {"0.5", "0.99"})
    {
        Set("ns3::Fabric::PauseQuanta", 1'000);
        Set("ns3::Fabric::PauseRefresh", refresh);
        StarveLow();
        CheckConservation();
        CheckPauseSums();
        ASSERT_EQ(transfers.size(), 2u);
        EXPECT_EQ(GetFabricTotals().dropped, 0u);
        std::vector<PauseRecord> ofLow;
        for (const PauseRecord& pause : pauses)
        {
            if (pause.link == Nic(0))
            {
                ofLow.push_back(pause);
            }
        }
        ASSERT_GE(ofLow.size(), 1u);
        // The first one lasts until the other flow has ended.
        EXPECT_LT(ofLow[0].startPs, 100 * US);
        EXPECT_GT(ofLow[0].endPs, 4 * MS);
        // Half of it later; or as late as a frame of 4194 B and a pause frame of 84 B allow.
        double period = std::min(std::stod(refresh) * 64'000, 64'000.0 - 4194 - 84) * 80;
        double expected = (ofLow[0].endPs - ofLow[0].startPs) / period;
        EXPECT_NEAR(GetFabricTotals().refreshes, expected, 0.01 * expected + 2) << refresh;
        // Refreshes are neither transitions nor pauses of their own.
        EXPECT_LT(GetFabricTotals().xoff, 20u);
        Restart();
    }
}

TEST_F(FabricPfcTest, ARefreshIsNeverLateHoweverShortThePause)
{
    // A refresh has to wait for frames of up to 4194 B that our own side is sending, 336 ns; it is
    // due so much earlier that no pause runs out. 67 quanta are the least: 4288 B for a frame and a
    // pause frame of 84 B.
    for (uint32_t quanta : {67u, 100u, 1'000u})
    {
        Set("ns3::Fabric::PauseQuanta", quanta);
        Set("ns3::Fabric::PauseRefresh", "0.99");
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4 | 1 << 5);
        Set("ns3::FabricSwitch::BufferSize", 1'000'000);
        Build(Star(3, 100 * G, US));
        Run({Flow(0, 2, 2'000'000, 0, 4),
             Flow(1, 2, 20'000'000, 0, 5),
             Flow(1, 0, 20'000'000, 0, 5)});
        EXPECT_EQ(transfers.size(), 3u);
        CheckConservation();
        CheckPauseSums();
        // One that ran out would begin again, without a transition.
        EXPECT_LE(pauses.size(), GetFabricTotals().xoff) << quanta;
        EXPECT_GT(pauses.size(), 10u);
        EXPECT_GT(GetFabricTotals().refreshes, 10u);
        EXPECT_EQ(GetFabricTotals().dropped, 0u);
        Restart();
    }
}

TEST_F(FabricPfcTest, APauseTooShortToBeRefreshedIsRefused)
{
    Set("ns3::Fabric::PauseQuanta", 66);
    EXPECT_EQ(
        FindFaults(Star(2, G, US)),
        std::vector<std::string>{
            "PauseQuanta 66: a pause would be over before it can be sent again behind a frame "
            "of 4194 B; at least 67 are needed"});
}

TEST_F(FabricPfcTest, APauseWithoutAResumeExpires)
{
    // Of a host that is paused, all that the switch has to say from then on is lost, the resume
    // too. 65535 quanta of 512 bits are 3.355, 0.3355 and 0.0839 ms at 10, 100 and 400 Gb/s.
    for (uint64_t rate : {10, 100, 400})
    {
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
        Set("ns3::FabricSwitch::BufferSize", 1'000'000);
        Build(Star(3, rate * G, US));
        int64_t since = -1;
        std::function<void()> look = [&]() {
            int64_t now = Simulator::Now().GetTimeStep();
            if (network.GetFabric()->GetPaused(now, Nic(0)) >> 4 & 1)
            {
                since = now;
                network.GetFabric()->AddLoss(Nic(0) ^ 1,
                                             {1u << static_cast<uint32_t>(FrameKind::PFC), 1});
                return;
            }
            Simulator::Schedule(NanoSeconds(100), look);
        };
        Simulator::Schedule(NanoSeconds(0), look);
        Run({Flow(0, 2, 10'000'000, 0, 4), Flow(1, 2, 10'000'000, 0, 4)});
        EXPECT_EQ(transfers.size(), 2u);
        auto paused = std::find_if(pauses.begin(), pauses.end(), [&](const auto& pause) {
            return pause.link == Nic(0) && pause.startPs <= since && pause.endPs > since;
        });
        ASSERT_NE(paused, pauses.end());
        EXPECT_EQ(paused->endPs - paused->startPs,
                  static_cast<int64_t>(uint64_t{65'535} * 512 * 1'000 / rate));
        Restart();
    }
}

TEST_F(FabricPfcTest, PausesCascadeAndNameTheirCause)
{
    // h0 - s0 - s1 - h1, and h2 at s1 sends to h1, too: s1 pauses s0, and s0 then h0.
    ClusterTopology graph;
    uint32_t h0 = graph.AddHost("h0", 1);
    uint32_t h1 = graph.AddHost("h1", 1);
    uint32_t h2 = graph.AddHost("h2", 1);
    uint32_t s0 = graph.AddSwitch("s0");
    uint32_t s1 = graph.AddSwitch("s1");
    graph.AddLink(h0, s0, 100 * G, US); // 0, 1
    graph.AddLink(s0, s1, 100 * G, US); // 2, 3
    graph.AddLink(s1, h1, 100 * G, US); // 4, 5
    graph.AddLink(h2, s1, 100 * G, US); // 6, 7
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    Build(graph);
    Run({Flow(0, 1, 10'000'000), Flow(2, 1, 10'000'000)});
    CheckConservation();
    CheckPauseSums();
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    std::map<uint32_t, std::set<uint32_t>> causes;
    std::map<uint32_t, int64_t> first;
    for (const PauseRecord& pause : pauses)
    {
        causes[pause.link].insert(pause.causedByLink);
        first.emplace(pause.link, pause.startPs);
    }
    EXPECT_EQ(causes.size(), 3u);
    EXPECT_EQ(causes[2], (std::set<uint32_t>{4})); // s0 to s1, because of s1 to h1
    EXPECT_EQ(causes[6], (std::set<uint32_t>{4}));
    EXPECT_EQ(causes[0], (std::set<uint32_t>{2})); // h0 to s0, because of s0 to s1
    EXPECT_GT(first[0], first[2]);
    // The fair half each: both senders share the port of h1.
    EXPECT_NEAR(transfers[0].deliveredPs, transfers[1].deliveredPs, 0.03 * GetLastDelivery());
}

TEST_F(FabricPfcTest, OtherPrioritiesArePassedBy)
{
    // Priority 4 of h0's cable is paused nearly all the time. A flow of a higher and one of a lower
    // priority that leave by the same cable to an idle host take the time they take alone.
    ClusterTopology graph = Star(4, 100 * G, US);
    auto run = [&](bool congested, uint8_t priority) {
        Set("ns3::FabricSwitch::LosslessMask", 1 << 3 | 1 << 4 | 1 << 5);
        Set("ns3::FabricSwitch::BufferSize", 1'500'000);
        Build(graph);
        std::vector<PlainFlow> list = {Flow(0, 3, 1'000'000, 200 * US, priority)};
        if (congested)
        {
            list.push_back(Flow(0, 2, 2'000'000, 0, 4));
            list.push_back(Flow(1, 2, 50'000'000, 0, 6));
        }
        Run(list);
        CheckConservation();
        int64_t time = 0;
        for (const auto& transfer : transfers)
        {
            if (transfer.destinationNic == Nic(3))
            {
                time = transfer.deliveredPs - transfer.startPs;
            }
        }
        Restart();
        return time;
    };
    for (uint8_t priority : {uint8_t{3}, uint8_t{5}})
    {
        int64_t alone = run(false, priority);
        int64_t beside = run(true, priority);
        EXPECT_GE(beside, alone);
        EXPECT_LE(beside, alone + 4194 * 80) << +priority;
    }
    // Of the same priority it would wait for the end of the pause.
    EXPECT_GT(run(true, 4), 3 * MS);
}

TEST_F(FabricPfcTest, PauseFramesDoNotWaitForQueues)
{
    // The receiver of the incast sends to the senders, so that the ports that have to send pause
    // frames have queues of their own; the pauses come in time nevertheless.
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4 | 1 << 6);
    Set("ns3::FabricSwitch::BufferSize", 1'500'000);
    Build(Star(5, 100 * G, US));
    std::vector<PlainFlow> list = Incast(4, 3'000'000);
    for (uint32_t i = 0; i < 4; ++i)
    {
        list.push_back(Flow((i + 1) % 4, i, 3'000'000, 0, 6));
    }
    Run(list);
    EXPECT_EQ(transfers.size(), 8u);
    EXPECT_EQ(GetFabricTotals().dropped, 0u);
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    CheckConservation();
    CheckPauseSums();
}

TEST_F(FabricPfcTest, TheLastTransmissionOfAPausedAccountResumesIt)
{
    // Pool 8,000 B: a share of 1,000. A frame of 878 B to the slow host 1 is in transmission, with
    // nothing behind it, when one of 178 B to host 2 passes the threshold. When that has left, the
    // slow one still holds the account above its resume level; its end must be noticed, or host 0
    // would stay paused for ever.
    ClusterTopology graph;
    for (uint32_t i = 0; i < 3; ++i)
    {
        graph.AddHost("h" + std::to_string(i), 1);
    }
    uint32_t s = graph.AddSwitch("s");
    graph.AddLink(0, s, 100 * G, 0);
    graph.AddLink(1, s, 10 * G, 0);
    graph.AddLink(2, s, 100 * G, 0);
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
    Set("ns3::RoceNic::PathMtu", 1000);
    // 2 frames of 1098 B, 84 B and 3840 B for each of the three ports.
    Set("ns3::FabricSwitch::BufferSize", 3 * (2 * 1098 + 84 + 3840) + 8'000);
    Build(graph);
    Run({Flow(0, 1, 800, 0), Flow(0, 2, 100, 0), Flow(0, 2, 100'000, 5 * US)});
    EXPECT_EQ(transfers.size(), 3u);
    CheckConservation();
    ASSERT_GE(pauses.size(), 1u);
    // The slow frame starts after (878 + 20) x 80 ps and takes 898 x 800 ps; the resume is told by
    // a pause frame of 84 B.
    EXPECT_EQ(pauses[0].link, Nic(0));
    EXPECT_EQ(pauses[0].endPs, 898 * 80 + 898 * 800 + 84 * 80);
}

TEST_F(FabricPfcTest, AResumeKnowsOfAllThatHasLeft)
{
    // Frames of ten other hosts have left the switch with nothing behind them, which nobody has had
    // to look at yet. They must not hold back a resume: the pauses are those of a run in which
    // somebody looks all the time.
    std::vector<std::vector<PauseRecord>> runs;
    for (bool look : {false, true})
    {
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4);
        Set("ns3::RoceNic::PathMtu", 1000);
        Set("ns3::FabricSwitch::BufferSize", 25 * (2 * 1098 + 84 + 3840) + 100'000);
        Build(Star(25, 100 * G, 0));
        std::vector<PlainFlow> list;
        // Two into one at first, so that they are paused; then the ten while they are.
        list.push_back(Flow(20, 22, 30'000));
        list.push_back(Flow(21, 22, 30'000));
        list.push_back(Flow(23, 22, 30'000));
        for (uint32_t i = 0; i < 10; ++i)
        {
            list.push_back(Flow(i, 10 + i, 1'000, 2 * US + 1'000 * i));
        }
        for (int64_t at = 0; look && at < 10 * US; at += 1'000)
        {
            At(at,
               [this]() { network.GetFabric()->GetBufferUsed(Simulator::Now().GetTimeStep(), 0); });
        }
        Run(list);
        EXPECT_EQ(transfers.size(), 13u);
        CheckConservation();
        EXPECT_GT(pauses.size(), 1u);
        runs.push_back(pauses);
        Restart();
    }
    ASSERT_EQ(runs[0].size(), runs[1].size());
    for (size_t i = 0; i < runs[0].size(); ++i)
    {
        EXPECT_EQ(runs[0][i].link, runs[1][i].link) << i;
        EXPECT_EQ(runs[0][i].startPs, runs[1][i].startPs) << i;
        EXPECT_EQ(runs[0][i].endPs, runs[1][i].endPs) << i;
    }
}

TEST_F(FabricPfcTest, WithPfcOffNothingPauses)
{
    Set("ns3::FabricSwitch::Pfc", "false");
    Set("ns3::FabricSwitch::BufferSize", 500'000);
    Set("ns3::RoceNic::RetransmissionTimeout", "500us");
    Build(Star(5, 100 * G, US));
    Run(Incast(4, 1'000'000));
    EXPECT_EQ(transfers.size(), 4u);
    EXPECT_EQ(GetFabricTotals().xoff, 0u);
    EXPECT_EQ(GetFabricTotals().pfcFrames, 0u);
    EXPECT_GT(GetFabricTotals().dropped, 0u);
    EXPECT_TRUE(pauses.empty());
    CheckConservation();
}

TEST_F(FabricPfcTest, APauseInForceAtTheEndIsReported)
{
    Set("ns3::FabricSwitch::LosslessMask", 1 << 4 | 1 << 5);
    Set("ns3::FabricSwitch::BufferSize", 1'000'000);
    Build(Star(3, 100 * G, US));
    Launch({Flow(0, 2, 2'000'000, 0, 4), Flow(1, 2, 50'000'000, 0, 5)});
    Simulator::Stop(MilliSeconds(1));
    Simulator::Run();
    EXPECT_EQ(network.GetFabric()->GetPaused(MS, Nic(0)), 1u << 4);
    size_t before = pauses.size();
    network.GetFabric()->FinishPauses(MS);
    ASSERT_EQ(pauses.size(), before + 1);
    EXPECT_EQ(pauses.back().link, Nic(0));
    EXPECT_EQ(pauses.back().endPs, MS);
    CheckPauseSums();
    EXPECT_GT(network.GetFabric()->GetBufferUsed(MS, 0), 0u);
}

} // namespace ns3
