/* SPDX-License-Identifier: GPL-2.0-only */

// Data inside hosts: times in closed form, sharing, priorities, credits, conservation.

#include "../../model/fabric/host-interconnect.h"
#include "../fixture/network-fixture.h"

#include "ns3/host-model.h"
#include "ns3/object-factory.h"

#include <random>

namespace ns3
{

/// Two hosts of 4 GPUs and 2 NICs on 2 PCIe switches of 1 B/ns with headers of 0; 3 NVSwitches of
/// 1 B/ns in all.
class HostInterconnectTest : public NetworkFixture, public HostChannelClient
{
  protected:
    struct Arrival
    {
        int64_t timePs;
        uint32_t channel;
        HostSegment segment;
    };

    static constexpr int64_t DELAY = 100'000;     ///< of a link [ps]
    static constexpr int64_t SEGMENT = 4'000'000; ///< of 4,000 B on PCIe [ps]

    void BuildHosts(std::map<std::string, std::string> settings = {})
    {
        Set("ns3::HostInterconnect::SegmentBytes", 4'000);
        settings.insert({{"Gpus", "4"},
                         {"Nics", "2"},
                         {"PcieSwitches", "2"},
                         {"Nvswitches", "3"},
                         {"PcieRate", "8Gbps"},
                         {"NvlinkRate", "24Gbps"},
                         {"PcieDelay", "100ns"},
                         {"NvlinkDelay", "100ns"},
                         {"PcieHeader", "0"},
                         {"NvlinkHeader", "0"}});
        ClusterTopology graph;
        graph.AddHost("a", 4);
        graph.AddHost("b", 4);
        graph.AddSwitch("s");
        for (uint32_t port = 0; port < 4; port++)
        {
            graph.AddLink(port / 2, 2, 100 * G, US);
        }
        ObjectFactory factory("ns3::CustomHost");
        for (const auto& [name, value] : settings)
        {
            factory.Set(name, StringValue(value));
        }
        ASSERT_EQ(factory.Create<HostModel>()->AddTo(graph), std::vector<std::string>());
        Build(graph);
        m_inside = network.GetInterconnect();
    }

    uint32_t Part(const std::string& name) const
    {
        return static_cast<uint32_t>(topology.FindAnyNode(name));
    }

    uint32_t Open(const std::string& from,
                  const std::string& to,
                  uint8_t priority = 4,
                  uint32_t window = 8,
                  bool returns = false)
    {
        return m_inside->OpenChannel(0, Part(from), Part(to), priority, window, this, returns);
    }

    void PostAt(int64_t at, uint32_t channel, uint64_t bytes, uint64_t tag = 0)
    {
        Simulator::Schedule(PicoSeconds(at), [=]() { m_inside->Post(at, channel, bytes, tag); });
    }

    void SegmentArrived(int64_t now, uint32_t channel, const HostSegment& segment) override
    {
        EXPECT_EQ(now, Simulator::Now().GetTimeStep());
        m_arrivals.push_back({now, channel, segment});
        if (m_react)
        {
            m_react(m_arrivals.back());
        }
    }

    /// When the last segment of a channel arrived.
    int64_t GetEnd(uint32_t channel) const
    {
        int64_t end = -1;
        for (const Arrival& arrival : m_arrivals)
        {
            end = arrival.channel == channel ? arrival.timePs : end;
        }
        return end;
    }

    uint64_t GetBytes(uint32_t channel) const
    {
        uint64_t bytes = 0;
        for (const Arrival& arrival : m_arrivals)
        {
            bytes += arrival.channel == channel ? arrival.segment.bytes : 0;
        }
        return bytes;
    }

    void CheckTotals()
    {
        const HostTotals& totals = m_inside->GetTotals();
        EXPECT_EQ(totals.postedBytes,
                  totals.arrivedBytes + totals.abandonedBytes + m_inside->GetBytesUnderWay());
    }

    /// At the end.
    void CheckInside()
    {
        CheckConservation();
        CheckTotals();
    }

    Ptr<HostInterconnect> m_inside;
    std::vector<Arrival> m_arrivals;
    std::function<void(const Arrival&)> m_react;
};

TEST_F(HostInterconnectTest, OneSegmentTakesEachLinkInTurn)
{
    BuildHosts();
    // GPU 0 and NIC 0 share a switch: 2 x (4 us + 100 ns). NIC 1 hangs on the other one, below the
    // other root complex: 5 links, the one between the root complexes at 3 x 252.061538 Gb/s.
    const uint32_t near = Open("a.gpu0", "a.nic0");
    const uint32_t far = Open("b.gpu0", "b.nic1");
    PostAt(0, near, 4'000);
    PostAt(0, far, 4'000);
    Simulator::Run();
    EXPECT_EQ(GetEnd(near), 2 * (SEGMENT + DELAY));
    EXPECT_NEAR(static_cast<double>(GetEnd(far)),
                4 * SEGMENT + 5 * DELAY + 32'000e12 / (3 * 252'061'538'000.0),
                2.0);
    CheckInside();
}

TEST_F(HostInterconnectTest, SegmentsFollowEachOther)
{
    BuildHosts();
    // 10 segments and one of 500 B over two links of the same rate: store and forward.
    const uint32_t channel = Open("a.gpu0", "a.nic0");
    PostAt(0, channel, 40'500, 7);
    Simulator::Run();
    EXPECT_EQ(m_arrivals.size(), 11u);
    EXPECT_EQ(m_arrivals[0].timePs, 2 * (SEGMENT + DELAY));
    EXPECT_EQ(m_arrivals[9].timePs, 11 * SEGMENT + 2 * DELAY);
    EXPECT_EQ(GetEnd(channel), 11 * SEGMENT + 500'000 + 2 * DELAY);
    for (std::size_t i = 0; i < 11; i++)
    {
        EXPECT_EQ(m_arrivals[i].segment.last, i == 10);
        EXPECT_EQ(m_arrivals[i].segment.tag, 7u);
        EXPECT_EQ(m_arrivals[i].segment.bytes, i == 10 ? 500u : 4'000u);
    }
    CheckInside();
}

TEST_F(HostInterconnectTest, AWindowOfOneIsStopAndWait)
{
    BuildHosts();
    const uint32_t channel = Open("a.gpu0", "a.nic0", 4, 1);
    PostAt(0, channel, 40'000);
    Simulator::Run();
    EXPECT_EQ(GetEnd(channel), 10 * 2 * (SEGMENT + DELAY));
}

TEST_F(HostInterconnectTest, CreditsThatTheClientReturnsHoldBack)
{
    BuildHosts();
    const uint32_t channel = Open("a.gpu0", "a.nic0", 4, 3, true);
    m_react = [this](const Arrival& arrival) {
        Simulator::Schedule(PicoSeconds(US), [=]() {
            m_inside->ReturnCredit(arrival.timePs + US, arrival.channel);
        });
    };
    PostAt(0, channel, 36'000);
    Simulator::Run();
    // Segment k + 3 starts when k has been 2 (t + d) + 1 us under way: periods of three.
    const int64_t first = 2 * (SEGMENT + DELAY);
    ASSERT_EQ(m_arrivals.size(), 9u);
    for (int64_t k = 0; k < 9; k++)
    {
        // The link is busy for 3 segments (12 us), the first credit is back after 9.2 us.
        EXPECT_EQ(m_arrivals[k].timePs, first + k * SEGMENT) << k;
    }
    m_arrivals.clear();
    // Two credits: 8 us of sending, back after 9.2 us.
    const uint32_t slow = Open("a.gpu2", "a.nic1", 4, 2, true);
    const int64_t start = Simulator::Now().GetTimeStep();
    Simulator::Schedule(Seconds(0), [=]() { m_inside->Post(start, slow, 24'000, 0); });
    Simulator::Run();
    ASSERT_EQ(m_arrivals.size(), 6u);
    for (int64_t k = 0; k < 6; k++)
    {
        EXPECT_EQ(m_arrivals[k].timePs - start, first + k / 2 * (first + US) + k % 2 * SEGMENT)
            << k;
    }
}

TEST_F(HostInterconnectTest, PlanesCarryTogether)
{
    BuildHosts();
    // 3 planes of 1 B/ns each: 30 segments in the time of 10, and one more for the switch.
    const uint32_t channel = Open("a.gpu0", "a.gpu3", 4, 9);
    PostAt(0, channel, 120'000);
    Simulator::Run();
    EXPECT_EQ(GetEnd(channel), 11 * SEGMENT + 2 * DELAY);
    EXPECT_EQ(GetBytes(channel), 120'000u);
    CheckInside();
}

TEST_F(HostInterconnectTest, TheDefaultWindowFillsNvlinkOfEveryPreset)
{
    for (const char* type : {"DgxA100", "DgxH100", "CruxTestbed", "Ndv2"})
    {
        SCOPED_TRACE(type);
        Restart();
        m_arrivals.clear();
        ObjectFactory factory("ns3::" + std::string(type) + "Host");
        const Ptr<HostModel> model = factory.Create<HostModel>();
        const HostLayout layout = model->MakeLayout();
        ClusterTopology graph;
        graph.AddHost("a", layout.gpus);
        graph.AddSwitch("s");
        for (uint32_t nic = 0; nic < layout.nics; nic++)
        {
            graph.AddLink(0, 1, 100 * G, US);
        }
        ASSERT_EQ(model->AddTo(graph), std::vector<std::string>());
        Build(graph);
        m_inside = network.GetInterconnect();
        const uint32_t channel = Open("a.gpu0", "a.gpu1", 4, m_inside->GetWindow());
        const uint64_t bytes = 64'000'000;
        PostAt(0, channel, bytes);
        Simulator::Run();
        double rate = 0; // of the links to the other GPU, 256 of 272 bytes payload [bit/s]
        for (const HostLink& link : layout.links)
        {
            const bool towards = link.kind == TopologyLinkKind::NVLINK && link.partA == 0 &&
                                 (link.partB == 1 || link.partB >= layout.gpus);
            rate += towards ? static_cast<double>(link.rateBps) * 256 / 272 : 0;
        }
        const double expected = bytes * 8e12 / rate;
        EXPECT_NEAR(static_cast<double>(GetEnd(channel)), expected, 0.02 * expected);
    }
}

TEST_F(HostInterconnectTest, MessagesArriveInOrderOverPlanes)
{
    BuildHosts();
    const uint32_t channel = Open("a.gpu0", "a.gpu3");
    const uint32_t other = Open("a.gpu1", "a.gpu3", 5);
    std::mt19937 random(3);
    std::vector<uint64_t> sizes;
    for (uint64_t tag = 0; tag < 200; tag++)
    {
        sizes.push_back(1 + random() % 15'000);
        PostAt(static_cast<int64_t>(random() % 100) * 1000, channel, sizes.back(), tag);
        PostAt(static_cast<int64_t>(random() % 100) * 1000, other, 1 + random() % 9'000, 0);
    }
    Simulator::Run();
    // Messages were posted in some order; each comes whole, one behind the other.
    std::map<uint64_t, uint64_t> bytes;
    uint64_t current = UINT64_MAX;
    for (const Arrival& arrival : m_arrivals)
    {
        if (arrival.channel != channel)
        {
            continue;
        }
        EXPECT_TRUE(current == UINT64_MAX || current == arrival.segment.tag);
        current = arrival.segment.last ? UINT64_MAX : arrival.segment.tag;
        bytes[arrival.segment.tag] += arrival.segment.bytes;
    }
    ASSERT_EQ(bytes.size(), 200u);
    for (uint64_t tag = 0; tag < 200; tag++)
    {
        EXPECT_EQ(bytes[tag], sizes[tag]);
    }
    CheckInside();
}

TEST_F(HostInterconnectTest, TwoGpusShareThePcieLinkOfTheirNic)
{
    BuildHosts();
    // Each 40 segments to NIC 0 at once: 80 segments on its link, half each at any time.
    const uint32_t a = Open("a.gpu0", "a.nic0");
    const uint32_t b = Open("a.gpu1", "a.nic0");
    PostAt(0, a, 160'000);
    PostAt(0, b, 160'000);
    uint64_t bytesAtHalf[2] = {0, 0};
    Simulator::Schedule(PicoSeconds(41 * SEGMENT + 2 * DELAY), [&]() {
        bytesAtHalf[0] = GetBytes(a);
        bytesAtHalf[1] = GetBytes(b);
    });
    Simulator::Run();
    EXPECT_EQ(std::max(GetEnd(a), GetEnd(b)), 81 * SEGMENT + 2 * DELAY);
    EXPECT_NEAR(bytesAtHalf[0], bytesAtHalf[1], 8'000);
    CheckInside();
}

TEST_F(HostInterconnectTest, TheHigherPriorityTakesItsSoloTimeAndASegmentAHop)
{
    BuildHosts();
    const uint32_t low = Open("a.gpu0", "a.nic0", 1);
    const uint32_t high = Open("a.gpu1", "a.nic0", 6);
    PostAt(0, low, 400'000);
    PostAt(50 * US, high, 80'000);
    Simulator::Run();
    const int64_t solo = 21 * SEGMENT + 2 * DELAY;
    EXPECT_GE(GetEnd(high) - 50 * US, solo);
    EXPECT_LE(GetEnd(high) - 50 * US, solo + 2 * SEGMENT);
    // The link never idles: all 120 segments, and the way to it.
    EXPECT_EQ(GetEnd(low), 121 * SEGMENT + 2 * DELAY);
    CheckInside();
}

TEST_F(HostInterconnectTest, PriorityOfWhatComesMayChange)
{
    BuildHosts();
    const uint32_t a = Open("a.gpu0", "a.nic0", 1, 2);
    const uint32_t b = Open("a.gpu1", "a.nic0", 3, 2);
    PostAt(0, a, 400'000);
    PostAt(0, b, 400'000);
    Simulator::Schedule(PicoSeconds(100 * US), [this, a]() { m_inside->SetPriority(a, 5); });
    Simulator::Run();
    EXPECT_LT(GetEnd(a), GetEnd(b));
}

TEST_F(HostInterconnectTest, ClosedChannelsForgetAndAreUsedAgain)
{
    BuildHosts();
    const uint32_t first = Open("a.gpu0", "a.nic0");
    PostAt(0, first, 400'000);
    uint32_t second = first;
    Simulator::Schedule(PicoSeconds(20 * US), [&]() {
        m_inside->CloseChannel(first);
        second = Open("a.gpu0", "a.nic0");
        m_inside->Post(20 * US, second, 8'000, 5);
    });
    Simulator::Run();
    // Its segments are still on their way when the second is opened.
    EXPECT_NE(second, first);
    EXPECT_EQ(GetBytes(second), 8'000u);
    EXPECT_LT(GetBytes(first), 40'000u);
    CheckInside();
    EXPECT_EQ(Open("a.gpu0", "a.nic0"), first);
}

TEST_F(HostInterconnectTest, TheClientMayCloseAndOpenWhenASegmentArrives)
{
    BuildHosts();
    uint32_t current = Open("a.gpu0", "a.gpu3");
    uint32_t rounds = 0;
    m_react = [&](const Arrival& arrival) {
        if (arrival.segment.last && rounds++ < 20)
        {
            m_inside->CloseChannel(arrival.channel);
            current = Open("a.gpu0", "a.gpu3");
            m_inside->Post(arrival.timePs, current, 30'000, rounds);
        }
    };
    PostAt(0, current, 30'000);
    Simulator::Run();
    EXPECT_EQ(rounds, 21u);
    EXPECT_EQ(m_inside->GetTotals().arrivedBytes, 21u * 30'000);
    CheckInside();
}

TEST_F(HostInterconnectTest, BytesAreCountedByJobAndLink)
{
    BuildHosts({{"PcieHeader", "24"}});
    network.GetFabric()->EnableAccounting(true);
    const uint32_t channel = m_inside->OpenChannel(5, Part("a.gpu0"), Part("a.nic0"), 2, 8, this);
    PostAt(0, channel, 10'000);
    Simulator::Run();
    // 4,000, 4,000 and 2,000 B: 16, 16 and 8 packets of 256 B, a header of 24 B each.
    uint32_t links = 0;
    for (const JobLinkCounters& counters : network.GetFabric()->GetJobLinkCounters())
    {
        EXPECT_EQ(counters.job, 5u);
        EXPECT_EQ(counters.priority, 2u);
        EXPECT_EQ(counters.bytes, 10'000u + 40 * 24);
        EXPECT_EQ(counters.frames, 3u);
        links++;
    }
    EXPECT_EQ(links, 2u);
}

TEST_F(HostInterconnectTest, RandomTrafficLosesNothing)
{
    for (uint32_t seed = 1; seed <= 20; seed++)
    {
        SCOPED_TRACE(seed);
        Restart();
        m_arrivals.clear();
        BuildHosts();
        std::mt19937 random(seed);
        std::map<uint32_t, uint64_t> posted;
        std::vector<uint32_t> channels;
        const std::vector<std::string> parts{"gpu0", "gpu1", "gpu2", "gpu3", "nic0", "nic1"};
        for (uint32_t i = 0; i < 12; i++)
        {
            const std::string host = random() % 2 ? "a." : "b.";
            const uint32_t from = random() % 6;
            const uint32_t to = (from + 1 + random() % 5) % 6;
            if (from >= 4 && to >= 4)
            {
                continue;
            }
            channels.push_back(
                Open(host + parts[from], host + parts[to], random() % 7, 1 + random() % 9));
        }
        for (uint32_t i = 0; i < 100; i++)
        {
            const uint32_t channel = channels[random() % channels.size()];
            const uint64_t bytes = 1 + random() % 50'000;
            posted[channel] += bytes;
            PostAt(random() % 1'000'000'000, channel, bytes, i);
        }
        // A look in the middle: conservation holds at any time.
        Simulator::Schedule(PicoSeconds(random() % 1'000'000'000), [this]() { CheckTotals(); });
        Simulator::Run();
        for (const auto& [channel, bytes] : posted)
        {
            EXPECT_EQ(GetBytes(channel), bytes);
        }
        CheckInside();
        EXPECT_EQ(m_inside->GetBytesUnderWay(), 0u);
    }
}

TEST_F(HostInterconnectTest, ADegradedLinkIsSlower)
{
    BuildHosts();
    const auto link = static_cast<uint32_t>(topology.FindDirectedLink("a.gpu0-a.pcie0"));
    network.GetFabric()->SetLinkRate(0, link / 2, 4'000'000'000);
    const uint32_t channel = Open("a.gpu0", "a.nic0");
    PostAt(0, channel, 40'000);
    Simulator::Run();
    EXPECT_EQ(GetEnd(channel), 10 * 2 * SEGMENT + SEGMENT + 2 * DELAY);
}

} // namespace ns3
