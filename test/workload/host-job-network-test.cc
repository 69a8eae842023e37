/* SPDX-License-Identifier: GPL-2.0-only */

// Messages from a GPU to one of another host: over PCIe, network, PCIe.

#include "../../model/workload/application/host-job-network.h"
#include "../fixture/network-fixture.h"

#include "ns3/host-model.h"
#include "ns3/object-factory.h"

#include <random>

namespace ns3
{

/// Hosts of 2 GPUs and a NIC on one PCIe switch; a star of 100 Gb/s, PCIe at 200 Gb/s unless the
/// test sets otherwise.
class HostJobNetworkTest : public NetworkFixture
{
  protected:
    static constexpr uint64_t SEGMENT = 65'536;

    void BuildHosts(uint32_t hosts, const std::string& pcieRate = "200Gbps")
    {
        ClusterTopology graph;
        for (uint32_t host = 0; host < hosts; host++)
        {
            graph.AddHost("h" + std::to_string(host), 2);
        }
        graph.AddSwitch("s");
        for (uint32_t host = 0; host < hosts; host++)
        {
            graph.AddLink(host, hosts, 100 * G, US);
        }
        ObjectFactory factory("ns3::CustomHost");
        const std::map<std::string, std::string> settings{{"Gpus", "2"},
                                                          {"Nics", "1"},
                                                          {"PcieSwitches", "1"},
                                                          {"RootComplexes", "1"},
                                                          {"PcieRate", pcieRate},
                                                          {"PcieDelay", "100ns"},
                                                          {"PcieHeader", "0"}};
        for (const auto& [name, value] : settings)
        {
            factory.Set(name, StringValue(value));
        }
        ASSERT_EQ(factory.Create<HostModel>()->AddTo(graph), std::vector<std::string>());
        Build(graph);
        m_network = CreateObject<HostJobNetwork>();
        m_network->Build(PeekPointer(network.GetTransport()),
                         network.GetInterconnect(),
                         network.GetFabric());
    }

    void TearDown() override
    {
        m_network = nullptr;
        NetworkFixture::TearDown();
    }

    /// Queue pair from GPU to GPU (2 a host).
    uint32_t Connect(uint32_t from, uint32_t to, uint8_t priority = 6)
    {
        QueuePairConfig config;
        config.sourceGpu = from;
        config.destinationGpu = to;
        config.sourceNic = topology.GetGpuNic(from);
        config.destinationNic = topology.GetGpuNic(to);
        config.job = 0;
        config.priority = priority;
        config.client = &m_client;
        return m_network->CreateQueuePair(0, config);
    }

    void PostAt(int64_t at, uint32_t queuePair, uint64_t bytes, uint32_t step = 0)
    {
        Simulator::Schedule(PicoSeconds(at), [=]() {
            m_network->Post(at, queuePair, bytes, {0, 0, step});
        });
    }

    int64_t GetTime(char kind, uint32_t queuePair) const
    {
        int64_t time = -1;
        for (const RecordingClient::Call& call : m_client.calls)
        {
            time = call.kind == kind && call.queuePair == queuePair ? call.timePs : time;
        }
        return time;
    }

    /// When the message of so many bytes alone would be at the NIC, by the transport alone [ps].
    int64_t GetNetworkTime(uint64_t bytes)
    {
        const RoceFraming framing = network.GetTransport()->GetFraming(Nic(0));
        const int64_t frame = 80 * framing.GetMaxWireBytes();
        // Store and forward: the last frame is the largest but for a rest.
        return static_cast<int64_t>(80 * framing.GetMessageWireBytes(bytes)) + frame + 2 * US;
    }

    RecordingClient m_client;
    Ptr<HostJobNetwork> m_network;
};

TEST_F(HostJobNetworkTest, OneSegmentPassesTheStagesInTurn)
{
    BuildHosts(2);
    const uint32_t queuePair = Connect(0, 2);
    PostAt(0, queuePair, SEGMENT, 3);
    Simulator::Run();
    // Two PCIe links of 200 Gb/s on either side: 4 x (65,536 x 40 ps + 100 ns).
    const int64_t pcie = 4 * (static_cast<int64_t>(SEGMENT) * 40 + 100'000);
    EXPECT_NEAR(GetTime('d', queuePair), pcie + GetNetworkTime(SEGMENT), 2'000);
    ASSERT_EQ(m_client.calls.size(), 2u);
    // The NIC acknowledges before the GPU has it all.
    EXPECT_EQ(m_client.calls[0].kind, 'c');
    EXPECT_EQ(m_client.calls[1].step, 3u);
    CheckConservation();
}

TEST_F(HostJobNetworkTest, StagesOverlap)
{
    BuildHosts(2);
    const uint32_t queuePair = Connect(0, 2);
    const uint64_t segments = 100;
    PostAt(0, queuePair, segments * SEGMENT);
    Simulator::Run();
    // The network at 100 Gb/s is the slowest: all segments there, one through the PCIe links.
    const int64_t pcie = 4 * (static_cast<int64_t>(SEGMENT) * 40 + 100'000);
    const int64_t wire =
        80 * static_cast<int64_t>(
                 network.GetTransport()->GetFraming(Nic(0)).GetMessageWireBytes(SEGMENT));
    const int64_t expected = pcie + GetNetworkTime(SEGMENT) + (segments - 1) * wire;
    EXPECT_NEAR(GetTime('d', queuePair), expected, 0.001 * expected);
    // One call each, however many segments.
    EXPECT_EQ(m_client.calls.size(), 2u);
    CheckConservation();
}

TEST_F(HostJobNetworkTest, ASlowPcieLinkOfTheReceiverHoldsBackTheSender)
{
    // PCIe at 50 Gb/s: half the network. What waits in the receiving NIC is at most the buffer.
    Set("ns3::HostJobNetwork::BufferBytes", 8 * SEGMENT);
    BuildHosts(2, "50Gbps");
    const uint32_t queuePair = Connect(0, 2);
    PostAt(0, queuePair, 100 * SEGMENT);
    const auto link = static_cast<uint32_t>(topology.FindDirectedLink("h1.nic0-h1.pcie0"));
    uint64_t peak = 0;
    for (int64_t at = 0; at < 1100 * US; at += US)
    {
        Simulator::Schedule(PicoSeconds(at), [&]() {
            uint64_t queued = 0;
            for (uint32_t priority = 0; priority < 8; priority++)
            {
                queued += network.GetFabric()->GetLinkCounters(link, priority).queueBytes;
            }
            peak = std::max(peak, queued);
        });
    }
    Simulator::Run();
    EXPECT_LE(peak, 8 * SEGMENT);
    // 100 segments at 160 ps a byte, over 4 links and the network one after the other.
    const double expected = 103.0 * SEGMENT * 160 + GetNetworkTime(SEGMENT) + 400'000;
    EXPECT_NEAR(static_cast<double>(GetTime('d', queuePair)), expected, 0.01 * expected);
    CheckConservation();
}

TEST_F(HostJobNetworkTest, ReceiversOfOneNicShareItsPcieLink)
{
    // Two hosts send to the two GPUs of a third: 2 x 100 Gb/s meet at the NIC's 100 Gb/s.
    BuildHosts(3);
    const uint32_t a = Connect(0, 4);
    const uint32_t b = Connect(2, 5);
    PostAt(0, a, 64 * SEGMENT);
    PostAt(0, b, 64 * SEGMENT);
    Simulator::Run();
    const double wire =
        80.0 * network.GetTransport()->GetFraming(Nic(0)).GetMessageWireBytes(SEGMENT);
    EXPECT_GT(std::min(GetTime('d', a), GetTime('d', b)), 120 * wire);
    EXPECT_LT(std::max(GetTime('d', a), GetTime('d', b)), 135 * wire);
    CheckConservation();
}

TEST_F(HostJobNetworkTest, PriorityHoldsInTheHostToo)
{
    // Both GPUs of a host send by its NIC, whose PCIe link is the bottleneck.
    BuildHosts(3, "50Gbps");
    const uint32_t low = Connect(0, 2, 1);
    const uint32_t high = Connect(1, 4, 6);
    PostAt(0, low, 100 * SEGMENT);
    PostAt(100 * US, high, 20 * SEGMENT);
    Simulator::Run();
    const double segment = SEGMENT * 160;
    // Solo: 20 segments and 3 links more, the network; at most 2 segments of the other one before.
    const double solo = 23 * segment + GetNetworkTime(SEGMENT) + 400'000;
    EXPECT_GE(GetTime('d', high) - 100 * US, 0.99 * solo);
    EXPECT_LE(GetTime('d', high) - 100 * US, solo + 2.1 * segment);
    CheckConservation();
}

TEST_F(HostJobNetworkTest, MessagesOfAnySizeComeInOrder)
{
    BuildHosts(4, "75Gbps");
    std::mt19937 random(5);
    std::vector<uint32_t> pairs;
    for (uint32_t i = 0; i < 10; i++)
    {
        const uint32_t from = random() % 8;
        pairs.push_back(Connect(from,
                                (from + 2 + random() % 4) % 8 / 2 != from / 2
                                    ? (from + 2 + random() % 4) % 8
                                    : (from + 4) % 8,
                                1 + random() % 6));
    }
    std::vector<uint32_t> posted(10);
    for (uint32_t i = 0; i < 300; i++)
    {
        const uint32_t pair = random() % 10;
        PostAt(i * US, pairs[pair], 1 + random() % 200'000, posted[pair]++);
    }
    Simulator::Run();
    for (const char kind : {'d', 'c'})
    {
        std::map<uint32_t, uint32_t> next;
        for (const RecordingClient::Call& call : m_client.calls)
        {
            if (call.kind == kind)
            {
                EXPECT_EQ(call.step, next[call.queuePair]++);
            }
        }
        for (uint32_t i = 0; i < 10; i++)
        {
            EXPECT_EQ(next[pairs[i]], posted[i]) << kind;
        }
    }
    CheckConservation();
    EXPECT_EQ(network.GetInterconnect()->GetBytesUnderWay(), 0u);
}

TEST_F(HostJobNetworkTest, PairsMayEndWhileCreditsAreOnTheirWay)
{
    BuildHosts(2);
    const uint32_t first = Connect(0, 2);
    uint32_t second = 0;
    m_client.react = [&](const RecordingClient::Call& call) {
        if (call.kind == 'd' && call.queuePair == first && second == 0)
        {
            // Acknowledged, so nothing is outstanding; the last credit is not yet back.
            second = Connect(1, 3);
            Simulator::ScheduleNow([&]() {
                m_network->DestroyQueuePair(Simulator::Now().GetTimeStep(), first);
                m_network->Post(Simulator::Now().GetTimeStep(), second, 3 * SEGMENT, {0, 0, 9});
            });
        }
    };
    PostAt(0, first, 5 * SEGMENT);
    Simulator::Run();
    EXPECT_GT(GetTime('d', second), GetTime('d', first));
    CheckConservation();
}

} // namespace ns3
