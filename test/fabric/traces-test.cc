/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"
#include "../fixture/raw-fabric-fixture.h"

#include "ns3/fabric-net-device.h"
#include "ns3/node.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A level over time: time [ps], before and after [byte].
using Levels = std::vector<std::tuple<int64_t, uint64_t, uint64_t>>;

/// A sink of levels of all paths.
struct LevelSink
{
    void OnQueue(std::string path, uint32_t before, uint32_t after)
    {
        levels[path].emplace_back(Simulator::Now().GetTimeStep(), before, after);
    }

    void OnBuffer(std::string path, uint64_t before, uint64_t after)
    {
        levels[path].emplace_back(Simulator::Now().GetTimeStep(), before, after);
    }

    std::map<std::string, Levels> levels;
};

/// A sink of frames and pauses.
struct RecordSink
{
    void OnMark(const FabricFrameRecord& record)
    {
        marks.push_back(record);
    }

    void OnDrop(const FabricFrameRecord& record)
    {
        drops.push_back(record);
    }

    void OnPause(const PauseChangeRecord& record)
    {
        pauses.push_back(record);
    }

    std::vector<FabricFrameRecord> marks;
    std::vector<FabricFrameRecord> drops;
    std::vector<PauseChangeRecord> pauses;
};

const std::string PORTS = "/NodeList/*/DeviceList/*/$ns3::FabricNetDevice/";

} // namespace

/// Levels at exact times, of frames that are queued by hand: two hosts send to a third, links of
/// 100 Gb/s (80 ps a byte) and 1 us.
class LevelTracesTest : public RawFabricFixture
{
  protected:
    static constexpr int64_t TIME = 1'020 * 80; ///< of a frame on a wire [ps]
    static constexpr uint32_t BYTES = 1'000;    ///< of a frame without preamble and gap [byte]

    void SetUp() override
    {
        RawFabricFixture::SetUp();
        ClusterTopology graph;
        for (const char* host : {"h0", "h1", "h2"})
        {
            graph.AddHost(host, 1);
        }
        graph.AddSwitch("s");
        for (uint32_t host = 0; host < 3; ++host)
        {
            graph.AddLink(host, 3, 100 * G, US);
        }
        raw = std::make_unique<RawFabric>(graph);
        // Port 5 of the fabric leads from the switch to h2.
        node = CreateObject<Node>();
        device = CreateObject<FabricNetDevice>();
        node->AddDevice(device);
        device->SetPort(raw->fabric, 5);
    }

    void TearDown() override
    {
        device = nullptr;
        node = nullptr;
        raw = nullptr;
        RawFabricFixture::TearDown();
    }

    /// At 0, each of two hosts queues frames for the third.
    void SendTwoToOne(uint32_t frames)
    {
        Simulator::ScheduleNow([this, frames]() {
            for (uint32_t i = 0; i < frames; ++i)
            {
                raw->Send("h0", "h2", 1'020, i);
                raw->Send("h1", "h2", 1'020, i);
            }
        });
    }

    void Connect(const std::string& path)
    {
        Config::Connect(path, MakeCallback(&LevelSink::OnQueue, &sink));
    }

    std::unique_ptr<RawFabric> raw;
    Ptr<Node> node;
    Ptr<FabricNetDevice> device;
    LevelSink sink;
};

TEST_F(LevelTracesTest, QueueOfTwoToOne)
{
    Connect("/NodeList/0/DeviceList/0/$ns3::FabricNetDevice/QueueList/*/Bytes");
    SendTwoToOne(3);
    Simulator::Run();
    ASSERT_EQ(raw->arrivals.size(), 6u);
    // Frame i of each host arrives at T = (i + 1) x TIME + 1 us; one of them leaves at once, or
    // takes the place of the one that ends then. Of 2 that arrive 1 leaves in the time of one.
    const int64_t first = TIME + US;
    const Levels expected{{first, 0, BYTES},
                          {first + TIME, BYTES, 2 * BYTES},
                          {first + TIME, 2 * BYTES, 3 * BYTES},
                          {first + TIME, 3 * BYTES, 2 * BYTES},
                          {first + 2 * TIME, 2 * BYTES, 3 * BYTES},
                          {first + 2 * TIME, 3 * BYTES, 4 * BYTES},
                          {first + 2 * TIME, 4 * BYTES, 3 * BYTES},
                          {first + 3 * TIME, 3 * BYTES, 2 * BYTES},
                          {first + 4 * TIME, 2 * BYTES, 1 * BYTES},
                          {first + 5 * TIME, 1 * BYTES, 0}};
    ASSERT_EQ(sink.levels.size(), 1u);
    EXPECT_EQ(sink.levels.begin()->first,
              "/NodeList/0/DeviceList/0/$ns3::FabricNetDevice/QueueList/4/Bytes");
    EXPECT_EQ(sink.levels.begin()->second, expected);
}

TEST_F(LevelTracesTest, BufferOfTwoToOneToTheEndOfEachTransmission)
{
    const Ptr<FabricSwitch> configuration =
        raw->fabric->GetPipeline().GetNetwork().switches[0].configuration;
    configuration->TraceConnect("BufferBytes", "s", MakeCallback(&LevelSink::OnBuffer, &sink));
    SendTwoToOne(2);
    Simulator::Run();
    ASSERT_EQ(raw->arrivals.size(), 4u);
    // In the buffer from the arrival until the transmission has ended, also that of the last frame,
    // behind which nothing waits.
    const int64_t first = TIME + US;
    const Levels expected{{first, 0, BYTES},
                          {first, BYTES, 2 * BYTES},
                          {first + TIME, 2 * BYTES, BYTES},
                          {first + TIME, BYTES, 2 * BYTES},
                          {first + TIME, 2 * BYTES, 3 * BYTES},
                          {first + 2 * TIME, 3 * BYTES, 2 * BYTES},
                          {first + 3 * TIME, 2 * BYTES, BYTES},
                          {first + 4 * TIME, BYTES, 0}};
    EXPECT_EQ(sink.levels["s"], expected);
}

TEST_F(LevelTracesTest, ConnectedLateAndDisconnected)
{
    const std::string queue = "/NodeList/0/DeviceList/0/$ns3::FabricNetDevice/QueueList/4/Bytes";
    const Ptr<FabricSwitch> configuration =
        raw->fabric->GetPipeline().GetNetwork().switches[0].configuration;
    const int64_t first = TIME + US;
    SendTwoToOne(2);
    // In the middle of the third of four transmissions: one frame waits, two are in the buffer.
    Simulator::Schedule(PicoSeconds(first + 2 * TIME + TIME / 2), [&]() {
        Connect(queue);
        configuration->TraceConnect("BufferBytes", "s", MakeCallback(&LevelSink::OnBuffer, &sink));
    });
    Simulator::Schedule(PicoSeconds(first + 3 * TIME + TIME / 2), [&]() {
        Config::Disconnect(queue, MakeCallback(&LevelSink::OnQueue, &sink));
        configuration->TraceDisconnect("BufferBytes",
                                       "s",
                                       MakeCallback(&LevelSink::OnBuffer, &sink));
        for (const FabricPort& port : raw->fabric->GetPipeline().GetNetwork().ports)
        {
            EXPECT_EQ(port.impaired, 0);
        }
    });
    Simulator::Run();
    EXPECT_EQ(sink.levels[queue], (Levels{{first + 3 * TIME, BYTES, 0}}));
    EXPECT_EQ(sink.levels["s"], (Levels{{first + 3 * TIME, 2 * BYTES, BYTES}}));
}

TEST_F(LevelTracesTest, SwitchDelayCountsInTheBufferOnly)
{
    TearDown();
    Config::SetDefault("ns3::FabricSwitch::SwitchDelay", StringValue("3us"));
    SetUp();
    const Ptr<FabricSwitch> configuration =
        raw->fabric->GetPipeline().GetNetwork().switches[0].configuration;
    configuration->TraceConnect("BufferBytes", "s", MakeCallback(&LevelSink::OnBuffer, &sink));
    SendTwoToOne(1);
    Simulator::Run();
    const int64_t first = TIME + US;
    const Levels expected{{first, 0, BYTES},
                          {first, BYTES, 2 * BYTES},
                          {first + 3 * US + TIME, 2 * BYTES, BYTES},
                          {first + 3 * US + 2 * TIME, BYTES, 0}};
    EXPECT_EQ(sink.levels["s"], expected);
}

/// Records of networks with a transport, through Config paths.
class NetworkTracesTest : public NetworkFixture
{
  protected:
    void ConnectRecords()
    {
        Config::ConnectWithoutContext(PORTS + "EcnMark", MakeCallback(&RecordSink::OnMark, &sink));
        Config::ConnectWithoutContext(PORTS + "Drop", MakeCallback(&RecordSink::OnDrop, &sink));
        Config::ConnectWithoutContext(PORTS + "Pause", MakeCallback(&RecordSink::OnPause, &sink));
    }

    std::vector<PlainFlow> MakeIncast(uint32_t senders, uint64_t bytes)
    {
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < senders; ++i)
        {
            list.push_back(Flow(i, senders, bytes));
        }
        return list;
    }

    /// Begins and ends as connected are those of the records of pauses.
    void CheckPauses() const
    {
        using Change = std::tuple<int64_t, uint32_t, uint8_t, bool, uint32_t>;
        std::vector<Change> expected;
        for (const PauseRecord& record : pauses)
        {
            expected.emplace_back(record.startPs,
                                  record.link,
                                  record.priority,
                                  true,
                                  record.causedByLink);
            expected.emplace_back(record.endPs,
                                  record.link,
                                  record.priority,
                                  false,
                                  record.causedByLink);
        }
        std::vector<Change> found;
        for (const PauseChangeRecord& record : sink.pauses)
        {
            found.emplace_back(record.timePs,
                               record.link,
                               record.priority,
                               record.paused,
                               record.causedByLink);
        }
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
    }

    RecordSink sink;
    LevelSink levels;
};

TEST_F(NetworkTracesTest, MarksAreTheCounters)
{
    for (const char* atDequeue : {"true", "false"})
    {
        Set("ns3::FabricSwitch::MarkAtDequeue", atDequeue);
        Build(LeafSpine(2, 3, 1, 100 * G, 100 * G, US), 1, 1);
        ConnectRecords();
        Run({Flow(0, 5, 2'000'000), Flow(1, 5, 2'000'000), Flow(2, 5, 2'000'000)});
        EXPECT_GT(sink.marks.size(), 100u);
        EXPECT_EQ(sink.marks.size(), GetFabricTotals().markedFrames);
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> counts;
        for (const FabricFrameRecord& record : sink.marks)
        {
            ++counts[{record.link, record.priority}];
        }
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                EXPECT_EQ((counts[{link, priority}]),
                          network.GetFabric()->GetLinkCounters(link, priority).markedFrames);
            }
        }
        sink = RecordSink();
        Restart();
    }
}

TEST_F(NetworkTracesTest, DropsAreTheCounters)
{
    // By the buffer.
    Set("ns3::FabricSwitch::Pfc", "false");
    Set("ns3::FabricSwitch::BufferSize", 200'000);
    Build(Star(5, 100 * G, US), 1, 1);
    ConnectRecords();
    Run(MakeIncast(4, 1'000'000));
    EXPECT_GT(sink.drops.size(), 10u);
    EXPECT_EQ(sink.drops.size(), GetFabricTotals().dropped);
    EXPECT_TRUE(sink.pauses.empty());
    sink = RecordSink();

    // On a cable that goes down under way, in the queues of a switch, and at a port without cable.
    Restart();
    Build(Star(5, 100 * G, US), 1, 1);
    ConnectRecords();
    At(20 * US, [&]() { network.GetFabric()->SetNodeUp(20 * US, 5, false); });
    At(90 * MS, [&]() { network.GetFabric()->SetNodeUp(90 * MS, 5, true); });
    Run(MakeIncast(4, 1'000'000));
    ASSERT_EQ(transfers.size(), 4u);
    EXPECT_GT(GetFabricTotals().cutFrames, 0u);
    EXPECT_EQ(sink.drops.size(), GetFabricTotals().dropped);
    std::map<uint32_t, uint64_t> counts;
    for (const FabricFrameRecord& record : sink.drops)
    {
        ++counts[record.link];
    }
    for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
    {
        uint64_t counted = 0;
        for (uint32_t priority = 0; priority < network.GetFabric()->GetQueueCount(); ++priority)
        {
            counted += network.GetFabric()->GetLinkCounters(link, priority).droppedFrames;
        }
        EXPECT_EQ(counts[link], counted);
    }
}

TEST_F(NetworkTracesTest, PausesBeginAndEndAsRecorded)
{
    Set("ns3::FabricSwitch::BufferSize", 2'000'000);
    Build(LeafSpine(2, 4, 1, 100 * G, 400 * G, US), 1, 1);
    ConnectRecords();
    Run({Flow(0, 7, 4'000'000), Flow(1, 7, 4'000'000), Flow(2, 7, 4'000'000), Flow(4, 7, 400'000)});
    network.GetFabric()->FinishPauses(Simulator::Now().GetTimeStep());
    EXPECT_GT(pauses.size(), 10u);
    EXPECT_EQ(sink.pauses.size(), 2 * pauses.size());
    CheckPauses();
    // In the order of time at a port, and in turn.
    std::map<std::pair<uint32_t, uint8_t>, PauseChangeRecord> last;
    for (const PauseChangeRecord& record : sink.pauses)
    {
        PauseChangeRecord& before = last[{record.link, record.priority}];
        EXPECT_NE(before.paused, record.paused);
        EXPECT_LE(before.timePs, record.timePs);
        before = record;
    }
}

TEST_F(NetworkTracesTest, SinksChangeNothing)
{
    using Transfer = std::tuple<uint32_t, int64_t, int64_t>;
    std::vector<Transfer> found[2];
    uint64_t peaks[2];
    uint64_t laneEvents[2];
    for (const bool traced : {false, true})
    {
        Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
        Set("ns3::FabricSwitch::BufferSize", 2'500'000);
        Build(LeafSpine(2, 4, 2, 100 * G, 100 * G, US), 3, 1);
        if (traced)
        {
            ConnectRecords();
            Config::Connect(PORTS + "QueueList/*/Bytes",
                            MakeCallback(&LevelSink::OnQueue, &levels));
            Config::Connect("/NodeList/*/$ns3::FabricSwitch/BufferBytes",
                            MakeCallback(&LevelSink::OnBuffer, &levels));
        }
        std::vector<PlainFlow> list;
        for (uint32_t i = 0; i < 8; ++i)
        {
            list.push_back(Flow(i, (i + 3) % 8, 500'000 + i * 1'000, i * US, 3 + i % 3));
            list.push_back(Flow(i, i == 7 ? 6 : 7, 700'000, 5 * US, 4));
        }
        Run(list);
        for (const TransferRecord& transfer : transfers)
        {
            found[traced].emplace_back(transfer.queuePair,
                                       transfer.deliveredPs,
                                       transfer.completedPs);
        }
        peaks[traced] = network.GetFabric()->GetBufferPeak(0);
        const EventLane::KindCounts counts =
            EventLane::Get()->GetCounts(network.GetFabric()->GetLaneClass());
        laneEvents[traced] = 0;
        for (const uint64_t count : counts)
        {
            laneEvents[traced] += count;
        }
        CheckConservation();
        Restart();
    }
    EXPECT_EQ(found[0].size(), 16u);
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(peaks[0], peaks[1]);
    EXPECT_EQ(laneEvents[0], laneEvents[1]);
    // Each level continues where it was, and all are empty in the end.
    EXPECT_GT(levels.levels.size(), 20u);
    for (const auto& [path, list] : levels.levels)
    {
        uint64_t bytes = 0;
        int64_t time = 0;
        for (const auto& [at, before, after] : list)
        {
            ASSERT_EQ(before, bytes) << path;
            ASSERT_NE(before, after) << path;
            ASSERT_LE(time, at) << path;
            bytes = after;
            time = at;
        }
        EXPECT_EQ(bytes, 0u) << path;
    }
}

TEST_F(NetworkTracesTest, BuffersOfASwitchThatFailsAreEmptied)
{
    Build(Star(5, 100 * G, US), 1, 1);
    Config::Connect("/NodeList/*/$ns3::FabricSwitch/BufferBytes",
                    MakeCallback(&LevelSink::OnBuffer, &levels));
    Config::Connect(PORTS + "QueueList/4/Bytes", MakeCallback(&LevelSink::OnQueue, &levels));
    At(20 * US, [&]() { network.GetFabric()->SetNodeUp(20 * US, 5, false); });
    At(21 * US, [&]() {
        const Levels& buffer = levels.levels["/NodeList/5/$ns3::FabricSwitch/BufferBytes"];
        ASSERT_FALSE(buffer.empty());
        EXPECT_EQ(std::get<2>(buffer.back()), 0u);
        EXPECT_EQ(std::get<2>(buffer.back()), network.GetFabric()->GetBufferUsed(21 * US, 0));
        const Levels& queue =
            levels.levels["/NodeList/5/DeviceList/4/$ns3::FabricNetDevice/QueueList/4/Bytes"];
        ASSERT_FALSE(queue.empty());
        EXPECT_EQ(std::get<2>(queue.back()), 0u);
    });
    At(30 * US, [&]() { Simulator::Stop(); });
    Run(MakeIncast(4, 1'000'000));
}

TEST_F(NetworkTracesTest, FabricAndTransportAreOnPaths)
{
    struct Counter
    {
        void OnEvent(std::string path, const FabricEventRecord& /* record */)
        {
            ++counts[path];
        }

        void OnMessage(std::string path, const MessageRecord& /* record */)
        {
            ++counts[path];
        }

        std::map<std::string, uint32_t> counts;
    } counter;

    Build(Star(3, 100 * G, US));
    Config::Connect("/FabricList/0/Event", MakeCallback(&Counter::OnEvent, &counter));
    Config::Connect("/FabricList/*/Transport/Posted", MakeCallback(&Counter::OnMessage, &counter));
    Config::Connect("/FabricList/*/Transport/$ns3::RoceTransport/Delivered",
                    MakeCallback(&Counter::OnMessage, &counter));
    EXPECT_FALSE(
        Config::ConnectFailSafe("/FabricList/1/Event", MakeCallback(&Counter::OnEvent, &counter)));
    At(0, [&]() { network.GetFabric()->ReportFault(0, "test", 0, NO_ID, "a test"); });
    Run({Flow(0, 1, 1'000), Flow(1, 2, 1'000)});
    EXPECT_EQ(counter.counts["/FabricList/0/Event"], 1u);
    EXPECT_EQ(counter.counts["/FabricList/0/Transport/Posted"], 2u);
    EXPECT_EQ(counter.counts["/FabricList/0/Transport/$ns3::RoceTransport/Delivered"], 2u);
    // Until it is disposed of.
    flows->Dispose();
    flows = nullptr;
    network.Dispose();
    EXPECT_FALSE(
        Config::ConnectFailSafe("/FabricList/*/Event", MakeCallback(&Counter::OnEvent, &counter)));
}

using NetworkTracesDeathTest = NetworkTracesTest;

TEST_F(NetworkTracesDeathTest, AreNotForSeveralThreads)
{
    Build(LeafSpine(2, 2, 1, 100 * G, 100 * G, US), 1, 2);
    ASSERT_NE(network.GetSplit(), nullptr);
    EXPECT_DEATH(Config::Connect("/NodeList/*/$ns3::FabricSwitch/BufferBytes",
                                 MakeCallback(&LevelSink::OnBuffer, &levels)),
                 "the buffer of leaf0 is traced, which one thread can do only");
    EXPECT_DEATH(ConnectRecords(), "port .* is traced, which one thread can do only");
}

TEST_F(LevelTracesTest, ATracedFabricIsNotSplit)
{
    const Ptr<FabricSwitch> configuration =
        raw->fabric->GetPipeline().GetNetwork().switches[0].configuration;
    configuration->TraceConnect("BufferBytes", "s", MakeCallback(&LevelSink::OnBuffer, &sink));
    const FabricCut cut(*raw->fabric, {0, 0, 0, 1});
    EXPECT_EQ(FabricSplit::FindFault(*raw->fabric, cut),
              "the buffer of s is traced, which one thread can do only: do not split the network");
}

} // namespace ns3
