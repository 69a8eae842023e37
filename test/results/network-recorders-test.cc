/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/event-recorder.h"
#include "../../model/results/link-recorder.h"
#include "../../model/results/result-database.h"
#include "../../model/results/transfer-recorder.h"
#include "../fixture/results-fixture.h"

#include "ns3/boolean.h"

namespace ns3
{
namespace tests
{

/// host0 and host1 on leaf0, at 100 and 200 Gbit/s: links 0 (host0 to leaf0), 1 (back),
/// 2 (host1 to leaf0), 3 (back).
class NetworkRecordersTest : public ResultsFixture
{
  protected:
    static constexpr int64_t US = 1'000'000; ///< [ps]

    void SetUp() override
    {
        ResultsFixture::SetUp();
        const uint32_t host0 = m_topology.AddHost("host0", 8);
        const uint32_t host1 = m_topology.AddHost("host1", 8);
        const uint32_t leaf0 = m_topology.AddSwitch("leaf0");
        m_topology.AddLink(host0, leaf0, 100'000'000'000, 1 * US);
        m_topology.AddLink(host1, leaf0, 200'000'000'000, 1 * US);
        m_database = std::make_unique<ResultDatabase>(Path("out.db"));
    }

    /// A recorder of a run without a network, which tells it what it is to be told.
    template <class T>
    Ptr<T> Make(const std::string& attribute = "", bool value = false)
    {
        Ptr<T> recorder = CreateObject<T>();
        if (!attribute.empty())
        {
            recorder->SetAttribute(attribute, BooleanValue(value));
        }
        RunContext context;
        context.topology = &m_topology;
        context.results = m_database.get();
        recorder->Connect(context);
        return recorder;
    }

    Rows Select(const std::string& sql)
    {
        return Query(m_database->GetHandle(), sql);
    }

    static LinkCounters MakeCounters(uint64_t bytes, int64_t busyPs)
    {
        LinkCounters counters;
        counters.frames = bytes / 1000;
        counters.bytes = bytes;
        counters.busyPs = busyPs;
        return counters;
    }

    static TransferRecord MakeTransfer(uint32_t queuePair, uint32_t job)
    {
        TransferRecord transfer;
        transfer.queuePair = queuePair;
        transfer.job = job;
        transfer.sourceNic = 0;
        transfer.destinationNic = 2;
        transfer.bytes = 10'000;
        transfer.priority = 3;
        transfer.startPs = 1 * US;
        transfer.deliveredPs = 2 * US + US / 2;
        transfer.completedPs = 4 * US;
        transfer.retransmittedBytes = 1'000;
        transfer.deliveredBytes = 10'000;
        return transfer;
    }

    ClusterTopology m_topology;
    std::unique_ptr<ResultDatabase> m_database;
};

TEST_F(NetworkRecordersTest, WritesTheGraph)
{
    Make<LinkRecorder>();
    EXPECT_EQ(Select("SELECT * FROM node"),
              (Rows{"1|0|host0|host|8", "1|1|host1|host|8", "1|2|leaf0|switch|0"}));
    EXPECT_EQ(Select("SELECT * FROM link"),
              (Rows{"1|0|host0-leaf0|0|2|0|100000000000|1000000",
                    "1|1|leaf0-host0|2|0|0|100000000000|1000000",
                    "1|2|host1-leaf0|1|2|0|200000000000|1000000",
                    "1|3|leaf0-host1|2|1|1|200000000000|1000000"}));
}

TEST_F(NetworkRecordersTest, TransfersAreSeenInTheView)
{
    Make<LinkRecorder>(); // the names of nodes
    Ptr<TransferRecorder> recorder = Make<TransferRecorder>();
    // Completed in another order than their queue pairs were made.
    recorder->OnTransfer(MakeTransfer(1, NO_ID));
    TransferRecord unfinished = MakeTransfer(0, NO_ID);
    unfinished.deliveredPs = 0;
    unfinished.completedPs = 0;
    unfinished.deliveredBytes = 4'096;
    recorder->OnTransfer(unfinished);
    EXPECT_EQ(Select("SELECT * FROM v_transfer ORDER BY transfer"),
              (Rows{"1|0|host0|host1|10000|3|1.0|NULL|NULL|1000|NULL|4096",
                    "1|1|host0|host1|10000|3|1.0|2.5|4.0|1000|NULL|10000"}));
}

TEST_F(NetworkRecordersTest, TransfersOfJobsAreWrittenOnDemand)
{
    Ptr<TransferRecorder> recorder = Make<TransferRecorder>();
    recorder->OnTransfer(MakeTransfer(0, 5));
    recorder->OnTransfer(MakeTransfer(1, NO_ID));
    EXPECT_EQ(Select("SELECT queue_pair, job FROM transfer"), Rows{"1|NULL"});
    m_database = std::make_unique<ResultDatabase>(Path("all.db"));
    Ptr<TransferRecorder> all = Make<TransferRecorder>("Jobs", true);
    all->OnTransfer(MakeTransfer(0, 5));
    EXPECT_EQ(Select("SELECT queue_pair, job FROM transfer"), Rows{"0|5"});
}

TEST_F(NetworkRecordersTest, WritesQueuePairsAndTheirChanges)
{
    Ptr<TransferRecorder> recorder = Make<TransferRecorder>();
    recorder->OnQueuePair({4, NO_ID, 2, 0, 1, 50'000, 3, 7});
    EXPECT_EQ(Select("SELECT * FROM queue_pair"), Rows{"1|4|NULL|1|0|1|50000|3|2|0|7"});
    recorder->OnQueuePairChange({4, 9, 50'000, 50'001, 3, 3, 2});
    recorder->OnQueuePairChange({5, 9, 50'000, 50'002, 3, 3, 2});
    recorder->OnQueuePairChange({4, 9, 50'001, 50'001, 3, 6, NO_ID}); // at the same instant
    EXPECT_EQ(Select("SELECT * FROM queue_pair_change"),
              (Rows{"1|4|0|9|50000|50001|3|3|2",
                    "1|4|1|9|50001|50001|3|6|NULL",
                    "1|5|0|9|50000|50002|3|3|2"}));
}

TEST_F(NetworkRecordersTest, WritesPausesAndEvents)
{
    Ptr<EventRecorder> recorder = Make<EventRecorder>();
    recorder->OnPause({1, 3, 10, 20, 3});
    recorder->OnPause({1, 3, 30, 40, NO_ID});
    EXPECT_EQ(Select("SELECT * FROM pause"), (Rows{"1|1|3|10|20|3", "1|1|3|30|40|NULL"}));
    const FabricEventRecord drop{50, "drop", 2, 1, NO_ID, 0, "shared buffer full"};
    recorder->OnEvent(drop);
    recorder->OnEvent(drop); // two frames at one instant
    FabricEventRecord timeout{50, "timeout", NO_ID, NO_ID, 6, 3, ""};
    recorder->OnEvent(timeout);
    timeout.timePs = 60;
    recorder->OnEvent(timeout);
    EXPECT_EQ(Select("SELECT * FROM fabric_event"),
              (Rows{"1|50|-1|0|timeout|NULL|6|3|",
                    "1|50|2|0|drop|1|NULL|0|shared buffer full",
                    "1|50|2|1|drop|1|NULL|0|shared buffer full",
                    "1|60|-1|0|timeout|NULL|6|3|"}));
}

TEST_F(NetworkRecordersTest, LinksOfJobsAreWrittenOnDemand)
{
    Make<LinkRecorder>()->FinishRun(100, {}, {JobLinkCounters()});
    EXPECT_EQ(Select("SELECT COUNT(*) FROM job_link"), Rows{"0"});
}

TEST_F(NetworkRecordersTest, SamplesLeaveZerosOut)
{
    Ptr<LinkRecorder> recorder = Make<LinkRecorder>();
    recorder->SampleLinks(100, {{3, 1, LinkCounters()}, {0, 3, MakeCounters(5'000, 7)}});
    EXPECT_EQ(Select("SELECT * FROM link_sample"), Rows{"1|0|3|100|5|5000|0|0|7|0|0"});
}

TEST_F(NetworkRecordersTest, LinksAreSeenInTheViewOverTheWholeRun)
{
    Ptr<LinkRecorder> recorder = Make<LinkRecorder>();
    LinkCounters marked = MakeCounters(500'000, 40 * US);
    marked.markedFrames = 6;
    marked.pausedPs = 25 * US;
    recorder->FinishRun(100 * US, {{0, 3, marked}, {0, 7, MakeCounters(125'000, 10 * US)}}, {});
    // 625,000 bytes are 5,000,000 bits, of 100e9 bit/s x 100 us = 10,000,000 bits.
    EXPECT_EQ(Select("SELECT * FROM v_link_utilization"),
              (Rows{"1|0|host0-leaf0|100.0|625000|0.5|0.5|6|0.25",
                    "1|1|leaf0-host0|100.0|0|0.0|0.0|0|0.0",
                    "1|2|host1-leaf0|200.0|0|0.0|0.0|0|0.0",
                    "1|3|leaf0-host1|200.0|0|0.0|0.0|0|0.0"}));
}

TEST_F(NetworkRecordersTest, WindowCountsDifferences)
{
    Ptr<LinkRecorder> recorder = Make<LinkRecorder>("JobLinks", true);
    JobLinkCounters inside;
    inside.job = NO_ID;
    inside.link = 2;
    inside.priority = 3;
    inside.bytes = 9;
    JobLinkCounters after = inside;
    after.bytes = 10;
    recorder->OpenWindow(20 * US, {{2, 3, MakeCounters(100'000, 4 * US)}});
    recorder->CloseWindow(60 * US,
                          {{2, 3, MakeCounters(600'000, 24 * US)}, {3, 3, MakeCounters(1'000, 1)}},
                          {inside});
    recorder->FinishRun(100 * US, {{2, 3, MakeCounters(999'000, 40 * US)}}, {after});
    EXPECT_EQ(Select("SELECT * FROM link_window"),
              (Rows{"1|2|3|20000000|60000000|500|500000|0|0|20000000|0",
                    "1|3|3|20000000|60000000|1|1000|0|0|1|0"}));
    // 500,000 bytes are 4,000,000 bits, of 200e9 bit/s x 40 us = 8,000,000 bits.
    EXPECT_EQ(Select("SELECT busy_fraction, utilization FROM v_link_utilization WHERE link = 2"),
              Rows{"0.5|0.5"});
    EXPECT_EQ(Select("SELECT * FROM job_link"), Rows{"1|-1|2|3|9|0|0|0|0|0"});
}

TEST_F(NetworkRecordersTest, WindowThatDoesNotCloseEndsWithTheRun)
{
    Ptr<LinkRecorder> recorder = Make<LinkRecorder>();
    recorder->OpenWindow(20 * US, {{2, 3, MakeCounters(100'000, 4 * US)}});
    recorder->FinishRun(100 * US, {{2, 3, MakeCounters(300'000, 12 * US)}}, {});
    EXPECT_EQ(Select("SELECT start_ps, end_ps, bytes FROM link_window"),
              Rows{"20000000|100000000|200000"});
}

} // namespace tests
} // namespace ns3
