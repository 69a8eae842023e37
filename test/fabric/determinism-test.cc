/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include "ns3/default-simulator-impl.h"

#include <tuple>

namespace ns3
{

class DeterminismTest : public NetworkFixture
{
  protected:
    struct Fingerprint
    {
        uint64_t hash{0};
        uint64_t hops{0};
        uint64_t marks{0};
        uint64_t drops{0};
        uint64_t pauses{0};
        uint64_t naks{0};

        bool operator==(const Fingerprint& other) const
        {
            return hash == other.hash && hops == other.hops && marks == other.marks &&
                   drops == other.drops && pauses == other.pauses && naks == other.naks;
        }
    };

    friend std::ostream& operator<<(std::ostream& os, const Fingerprint& f)
    {
        return os << f.hash << " with " << f.hops << " hops, " << f.marks << " marks, " << f.drops
                  << " drops, " << f.pauses << " pauses, " << f.naks << " NAKs";
    }

    /// Everything that is observed, in the order in which it is observed.
    void Mix(uint64_t value)
    {
        m_hash = MixBits(m_hash * 0x9e3779b97f4a7c15ull + value);
    }

    /// A symmetric all-to-all of 16 hosts, all starting in one picosecond, with DCQCN, PFC, ECN,
    /// ECMP and lossy traffic beside it; full of ties.
    /// \param sorted what nodes are told of is taken in the order of their numbers
    Fingerprint RunAllToAll(Ptr<SimulatorImpl> implementation,
                            bool reverse,
                            uint32_t shift = 0,
                            uint32_t threads = 1,
                            bool sorted = false)
    {
        Clear();
        Start(implementation);
        if (shift > 0)
        {
            EventLane::Get()->SetAttribute("BucketWidthShift", UintegerValue(shift));
        }
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::Dcqcn::Preset", "paper");
        Set("ns3::RoceNic::PathMtu", 1000);
        Set("ns3::RoceNic::RetransmissionTimeout", "200us");
        Set("ns3::RedEcnMarker::Pmax", "0.2");
        Set("ns3::RedEcnMarker::Kmin", 30'000);
        Set("ns3::RedEcnMarker::Kmax", 200'000);
        Set("ns3::FabricSwitch::LosslessMask", 1 << 4 | 1 << 2);
        Set("ns3::FabricSwitch::BufferSize", 1'200'000);
        network.SetReverseNodes(reverse);
        Build(LeafSpine(4, 4, 2, 100 * G, 100 * G, US), 3, threads);
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 16; ++i)
        {
            for (uint32_t j = 1; j < 16; ++j)
            {
                uint8_t priority = j % 3 == 0 ? 0 : j % 3 == 1 ? 4 : 2;
                list.push_back(Flow(i, (i + j) % 16, 60'000, 0, priority));
            }
        }
        Launch(list);
        Simulator::Run();
        EXPECT_EQ(transfers.size(), 240u);
        CheckConservation();
        m_hash = 1;
        if (sorted)
        {
            std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
                return std::tie(a.node, a.timePs, a.link, a.queuePair) <
                       std::tie(b.node, b.timePs, b.link, b.queuePair);
            });
            std::sort(pauses.begin(), pauses.end(), [](const auto& a, const auto& b) {
                return std::tie(a.link, a.priority, a.endPs) <
                       std::tie(b.link, b.priority, b.endPs);
            });
        }
        for (const TransferRecord& transfer : transfers)
        {
            Mix(transfer.queuePair);
            Mix(transfer.startPs);
            Mix(transfer.deliveredPs);
            Mix(transfer.completedPs);
            Mix(transfer.retransmittedBytes);
        }
        for (const FabricEventRecord& event : events)
        {
            Mix(event.timePs);
            Mix(event.link);
            Mix(event.queuePair);
        }
        for (const PauseRecord& pause : pauses)
        {
            Mix(pause.link);
            Mix(pause.startPs);
            Mix(pause.endPs);
            Mix(pause.causedByLink);
        }
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                LinkCounters counters = network.GetFabric()->GetLinkCounters(link, priority);
                Mix(counters.frames);
                Mix(counters.markedFrames);
            }
        }
        return {m_hash,
                GetFabricTotals().hops,
                GetFabricTotals().markedFrames,
                GetFabricTotals().dropped,
                GetFabricTotals().xoff,
                GetRdmaTotals().naks};
    }

  private:
    uint64_t m_hash{1};
};

TEST_F(DeterminismTest, TheSameWhateverRunsIt)
{
    Fingerprint first = RunAllToAll(CreateObject<FabricSimulatorImpl>(), false);
    std::cout << "    " << first << "\n";
    // The run must hold what could differ.
    EXPECT_GT(first.marks, 0u);
    EXPECT_GT(first.drops, 0u);
    EXPECT_GT(first.pauses, 0u);
    EXPECT_GT(first.naks, 0u);
    EXPECT_EQ(RunAllToAll(CreateObject<FabricSimulatorImpl>(), false), first) << "a second time";
    EXPECT_EQ(RunAllToAll(CreateObject<FabricSimulatorImpl>(), true), first) << "nodes in reverse";
    EXPECT_EQ(RunAllToAll(CreateObject<FabricSimulatorImpl>(), false, 4), first) << "narrow";
    EXPECT_EQ(RunAllToAll(CreateObject<FabricSimulatorImpl>(), false, 14), first) << "wide";
    EXPECT_EQ(RunAllToAll(CreateObject<DefaultSimulatorImpl>(), false), first) << "pump";
    EXPECT_EQ(RunAllToAll(CreateObject<DefaultSimulatorImpl>(), true), first) << "pump, reverse";
}

/// With and without optimisation, assertions and sanitizers (`./gpu-fabric test --sanitize` runs
/// this, too), by whichever compiler: the same numbers. What changes them on purpose changes them
/// here.
TEST_F(DeterminismTest, TheSameFromEveryBuild)
{
    Fingerprint run = RunAllToAll(CreateObject<FabricSimulatorImpl>(), false);
    EXPECT_EQ(run, (Fingerprint{5'258'629'071'894'107'539, 61'215, 2'304, 1'369, 113, 83}));
}

TEST_F(DeterminismTest, TheSameInSeveralThreads)
{
    const Fingerprint one = RunAllToAll(CreateObject<FabricSimulatorImpl>(), false, 0, 1, true);
    for (uint32_t threads : {2, 3, 4, 7})
    {
        EXPECT_EQ(RunAllToAll(CreateObject<FabricSimulatorImpl>(), false, 0, threads, true), one);
        ASSERT_NE(network.GetSplit(), nullptr);
        EXPECT_GT(network.GetSplit()->GetBusyWindows(), 0u);
    }
}

} // namespace ns3
