/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NETWORK_FIXTURE_H
#define GPU_FABRIC_NETWORK_FIXTURE_H

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/dynamic-threshold-buffer.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/object-factory.h"
#include "ns3/plain-flows.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// A shared buffer that loses chosen frames: what a lossy cable does, at the only place where a
/// frame can be refused.
class LossyBuffer : public DynamicThresholdBuffer
{
  public:
    /// What is known of an arriving frame.
    struct Arrival
    {
        uint32_t ingress;
        uint32_t egress;
        uint32_t priority;
        uint32_t bytes; ///< with FCS, without preamble and gap
    };

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::LossyBuffer")
                                .SetParent<DynamicThresholdBuffer>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<LossyBuffer>()
                                .HideFromDocumentation();
        return tid;
    }

    BufferVerdict Admit(uint32_t ingress,
                        uint32_t egress,
                        uint32_t priority,
                        uint32_t bytes,
                        bool certain) override
    {
        // After UNCERTAIN the same frame is judged again.
        if (!m_again && lose && lose({ingress, egress, priority, bytes}))
        {
            return BufferVerdict::DROP;
        }
        BufferVerdict verdict =
            DynamicThresholdBuffer::Admit(ingress, egress, priority, bytes, certain);
        m_again = verdict == BufferVerdict::UNCERTAIN;
        return verdict;
    }

    std::function<bool(const Arrival&)> lose; ///< called once a frame

  private:
    bool m_again{false};
};

NS_OBJECT_ENSURE_REGISTERED(LossyBuffer);

/// A client that remembers what it is told, and may act on it.
class RecordingClient : public RdmaClient
{
  public:
    struct Call
    {
        char kind; ///< 'd'elivered, 'c'ompleted, 'f'ailed
        int64_t timePs;
        uint32_t queuePair;
        uint32_t step;
    };

    void MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag& tag) override
    {
        Add({'d', now, queuePair, tag.step});
    }

    void MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag& tag) override
    {
        Add({'c', now, queuePair, tag.step});
    }

    void QueuePairFailed(int64_t now, uint32_t queuePair) override
    {
        Add({'f', now, queuePair, 0});
    }

    /// Steps of the calls of one kind, in order.
    std::vector<uint32_t> GetSteps(char kind) const
    {
        std::vector<uint32_t> steps;
        for (const Call& call : calls)
        {
            if (call.kind == kind)
            {
                steps.push_back(call.step);
            }
        }
        return steps;
    }

    std::vector<Call> calls;
    std::function<void(const Call&)> react;

  private:
    void Add(const Call& call)
    {
        calls.push_back(call);
        if (react)
        {
            react(call);
        }
    }
};

/// Threads that simulate the networks of tests: GPU_FABRIC_TEST_THREADS in the environment, or 1.
/// With more, each window of each part is another thread's, however little there is to do.
inline uint32_t
GetTestThreads()
{
    const char* threads = std::getenv("GPU_FABRIC_TEST_THREADS");
    return threads ? static_cast<uint32_t>(std::atoi(threads)) : 1;
}

/// A network with plain flows; each test chooses topology, defaults and flows.
class NetworkFixture : public ::testing::Test
{
  protected:
    static constexpr uint64_t G = 1'000'000'000; ///< [bit/s]
    static constexpr int64_t US = 1'000'000;     ///< [ps]
    static constexpr int64_t MS = 1'000'000'000; ///< [ps]

    void SetUp() override
    {
        Start(CreateObject<FabricSimulatorImpl>());
    }

    void TearDown() override
    {
        Clear();
    }

    /// Starts afresh under an implementation of the simulator.
    void Start(Ptr<SimulatorImpl> implementation)
    {
        Simulator::Destroy();
        Simulator::SetImplementation(implementation);
        Set("ns3::RoceNic::CongestionControl", "ns3::FixedRate");
    }

    /// Ends the run and forgets all of it, attribute defaults included.
    void Clear()
    {
        if (flows)
        {
            flows->Dispose();
        }
        flows = nullptr;
        network.Dispose();
        network = FabricHelper();
        Config::Reset();
        Simulator::Destroy();
        transfers.clear();
        events.clear();
        changes.clear();
        pauses.clear();
    }

    void Restart()
    {
        Clear();
        SetUp();
    }

    static void Set(const std::string& attribute, const std::string& value)
    {
        Config::SetDefault(attribute, StringValue(value));
    }

    static void Set(const std::string& attribute, uint64_t value)
    {
        Config::SetDefault(attribute, StringValue(std::to_string(value)));
    }

    /// The framing of the peers' simulators (peers.md): 48 bytes of header, ACKs of 60, no gap.
    static void SetPeerFraming(uint32_t payload)
    {
        Set("ns3::RoceNic::PathMtu", payload);
        Set("ns3::RoceNic::AckInterval", 1);
        Set("ns3::RoceNic::HeaderBytes", 48);
        Set("ns3::RoceNic::AckBytes", 60);
        Set("ns3::RoceNic::GapBytes", uint64_t{0});
    }

    /// Two hosts, each with its own switch, and hops - 2 ... in a row: hops links in all.
    static ClusterTopology Chain(uint32_t hops, uint64_t rate, int64_t delay)
    {
        ClusterTopology topology;
        uint32_t previous = topology.AddHost("h0", 1);
        for (uint32_t i = 1; i < hops; ++i)
        {
            uint32_t node = topology.AddSwitch("s" + std::to_string(i));
            topology.AddLink(previous, node, rate, delay);
            previous = node;
        }
        uint32_t last = topology.AddHost("h1", 1);
        topology.AddLink(previous, last, rate, delay);
        return topology;
    }

    static ClusterTopology Star(uint32_t hosts, uint64_t rate, int64_t delay)
    {
        ClusterTopology topology;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddHost("h" + std::to_string(i), 1);
        }
        uint32_t node = topology.AddSwitch("s");
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddLink(i, node, rate, delay);
        }
        return topology;
    }

    /// Hosts first, then leaves and spines; links host by host, then leaf by leaf, spine by spine.
    static ClusterTopology LeafSpine(uint32_t leaves,
                                     uint32_t hostsPerLeaf,
                                     uint32_t spines,
                                     uint64_t rate,
                                     uint64_t upRate,
                                     int64_t delay,
                                     uint32_t parallel = 1)
    {
        ClusterTopology topology;
        uint32_t hosts = leaves * hostsPerLeaf;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddHost("h" + std::to_string(i), 1);
        }
        for (uint32_t i = 0; i < leaves; ++i)
        {
            topology.AddSwitch("leaf" + std::to_string(i));
        }
        for (uint32_t i = 0; i < spines; ++i)
        {
            topology.AddSwitch("spine" + std::to_string(i));
        }
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddLink(i, hosts + i / hostsPerLeaf, rate, delay);
        }
        for (uint32_t leaf = 0; leaf < leaves; ++leaf)
        {
            for (uint32_t spine = 0; spine < spines; ++spine)
            {
                for (uint32_t k = 0; k < parallel; ++k)
                {
                    topology.AddLink(hosts + leaf, hosts + leaves + spine, upRate, delay);
                }
            }
        }
        return topology;
    }

    /// Builds the network; a test ends here if the configuration is at fault.
    void Build(const ClusterTopology& graph, uint64_t seed = 1, uint32_t threads = GetTestThreads())
    {
        topology = graph;
        network.SetThreads(threads, 0);
        std::vector<std::string> errors = network.Build(topology, seed);
        ASSERT_TRUE(errors.empty()) << errors[0];
        network.GetTransport()->TraceConnectWithoutContext(
            "Transfer",
            MakeCallback(&NetworkFixture::OnTransfer, this));
        network.GetTransport()->TraceConnectWithoutContext(
            "Event",
            MakeCallback(&NetworkFixture::OnEvent, this));
        network.GetTransport()->TraceConnectWithoutContext(
            "QueuePairChange",
            MakeCallback(&NetworkFixture::OnChange, this));
        network.GetFabric()->TraceConnectWithoutContext(
            "Event",
            MakeCallback(&NetworkFixture::OnEvent, this));
        network.GetFabric()->TraceConnectWithoutContext(
            "Pause",
            MakeCallback(&NetworkFixture::OnPause, this));
    }

    /// The buffer of a switch, where LossyBuffer is the default.
    Ptr<LossyBuffer> GetLossyBuffer(const std::string& name) const
    {
        auto node = static_cast<uint32_t>(topology.FindNode(name));
        return DynamicCast<LossyBuffer>(
            network.GetNode(node)->GetObject<FabricSwitch>()->GetBufferManager());
    }

    /// NIC 0 of a host.
    uint32_t Nic(uint32_t host) const
    {
        return topology.GetNodes()[host].ports[0];
    }

    PlainFlow Flow(uint32_t from, uint32_t to, uint64_t bytes, int64_t at = 0, uint8_t priority = 4)
    {
        return {Nic(from), Nic(to), bytes, at, priority};
    }

    /// Schedules flows; their queue pairs are numbered in the order of their times.
    void Launch(const std::vector<PlainFlow>& list)
    {
        flows = CreateObject<PlainFlows>();
        // A network that hangs fails its test, rather than the test program its time.
        EventId watchdog = Simulator::Schedule(Seconds(10), []() { Simulator::Stop(); });
        flows->Start(network.GetTransport(), list, [watchdog](int64_t) {
            Simulator::Remove(watchdog);
        });
    }

    void Run(const std::vector<PlainFlow>& list)
    {
        Launch(list);
        Simulator::Run();
        std::sort(transfers.begin(), transfers.end(), [](const auto& a, const auto& b) {
            return a.queuePair < b.queuePair;
        });
    }

    /// A queue pair between hosts, with a client of the test.
    uint32_t Connect(uint32_t from,
                     uint32_t to,
                     RdmaClient* client,
                     uint8_t priority = 4,
                     uint16_t udpSourcePort = 0)
    {
        QueuePairConfig config;
        config.sourceNic = Nic(from);
        config.destinationNic = Nic(to);
        config.priority = priority;
        config.udpSourcePort = udpSourcePort;
        config.client = client;
        return network.GetTransport()->CreateQueuePair(Simulator::Now().GetTimeStep(), config);
    }

    void Post(uint32_t queuePair, uint64_t bytes, uint32_t step = 0)
    {
        MessageTag tag;
        tag.step = step;
        network.GetTransport()->Post(Simulator::Now().GetTimeStep(), queuePair, bytes, tag);
    }

    /// Runs a function at a time [ps], before what the network does then.
    static void At(int64_t time, std::function<void()> action)
    {
        Simulator::Schedule(PicoSeconds(time) - Simulator::Now(), [action]() { action(); });
    }

    /// Bytes that have left on a directed link, of all priorities [byte].
    uint64_t GetSentBytes(uint32_t link) const
    {
        uint64_t bytes = 0;
        for (uint32_t priority = 0; priority < network.GetFabric()->GetQueueCount(); ++priority)
        {
            bytes += network.GetFabric()->GetLinkCounters(link, priority).bytes;
        }
        return bytes;
    }

    uint64_t CountEvents(const std::string& kind) const
    {
        return std::count_if(events.begin(), events.end(), [&](const auto& event) {
            return event.kind == kind;
        });
    }

    int64_t GetLastDelivery() const
    {
        int64_t last = 0;
        for (const auto& transfer : transfers)
        {
            last = std::max(last, transfer.deliveredPs);
        }
        return last;
    }

    FabricTotals GetFabricTotals() const
    {
        return network.GetFabric()->GetTotals();
    }

    const RdmaTotals& GetRdmaTotals() const
    {
        return network.GetTransport()->GetTotals();
    }

    /// What must hold whenever the network has drained.
    void CheckConservation(bool complete = true)
    {
        const FabricTotals fabric = GetFabricTotals();
        const RdmaTotals& rdma = GetRdmaTotals();
        EXPECT_EQ(fabric.sent, fabric.delivered + fabric.dropped);
        EXPECT_EQ(network.GetFabric()->GetAudit(Simulator::Now().GetTimeStep()).framesInUse, 0u);
        if (complete)
        {
            EXPECT_EQ(rdma.postedBytes, rdma.deliveredBytes);
            EXPECT_EQ(rdma.postedBytes, rdma.completedBytes);
        }
        EXPECT_EQ(fabric.xoff, fabric.xon);
        for (uint32_t i = 0; i < network.GetFabric()->GetRouting().GetSwitchCount(); ++i)
        {
            EXPECT_EQ(network.GetFabric()->GetBufferUsed(INT64_MAX, i), 0u);
        }
        // Hops are frames counted when their transmission starts.
        uint64_t frames = 0;
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            for (uint32_t priority = 0; priority < network.GetFabric()->GetQueueCount(); ++priority)
            {
                LinkCounters counters = network.GetFabric()->GetLinkCounters(link, priority);
                frames += counters.frames;
                EXPECT_EQ(counters.queueBytes, 0u);
            }
        }
        EXPECT_EQ(frames, fabric.hops + fabric.cutFrames);
    }

    void OnTransfer(const TransferRecord& record)
    {
        transfers.push_back(record);
    }

    void OnEvent(const FabricEventRecord& record)
    {
        events.push_back(record);
    }

    void OnChange(const QueuePairChangeRecord& record)
    {
        changes.push_back(record);
    }

    void OnPause(const PauseRecord& record)
    {
        pauses.push_back(record);
    }

    ClusterTopology topology;
    FabricHelper network;
    Ptr<PlainFlows> flows;
    std::vector<TransferRecord> transfers;
    std::vector<FabricEventRecord> events;
    std::vector<QueuePairChangeRecord> changes;
    std::vector<PauseRecord> pauses;
};

} // namespace ns3

#endif // GPU_FABRIC_NETWORK_FIXTURE_H
