/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

#include <fstream>
#include <iterator>

namespace ns3
{

class QueueLengthRecorderTest : public ScenarioRunFixture
{
  protected:
    /// The bytes of the database.
    std::string ReadDatabase() const
    {
        std::ifstream stream(Rows("SELECT file FROM pragma_database_list").at(0), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

TEST_F(QueueLengthRecorderTest, TwoSendersFillTheQueueOfTheirReceiver)
{
    // Without congestion control. Links 1, 3, 5 lead from the switch to host0, host1, host2.
    Run(R"(
topology: {type: Star, Hosts: 3, GpusPerHost: 1, NicRate: 100Gbps, LinkDelay: 1us}
defaults: {ns3::RoceNic::CongestionControl: ns3::FixedRate}
flows: [{from: host0, to: host2, bytes: 1MB}, {from: host1, to: host2, bytes: 1MB}]
record: [{type: QueueLength, Interval: 20us}]
)");
    // Data has the highest lossless priority, 6. A frame is 4096 + 82 bytes on the wire and waits
    // as 4096 + 62. At 20 us the first two have been in the switch since 1 us + 4178 x 8 / 100e9 s
    // = 1.334 us. Since then either sender has brought 18.666 us x 100e9 bit/s / 8 / 4178 = 55.8
    // frames, and as many as one of them brought have left.
    const std::string queue = "SELECT bytes FROM queue_sample WHERE link = 5 AND priority = 6 ";
    EXPECT_NEAR(Real(queue + "AND time_ps = 20000000"), 55.8 * 4158, 4158);
    // In 20 us come and go 20 us x 100e9 / 8 / 4178 = 59.8 frames: while both send, the queue grows
    // by so much; after 1 MB each, 82 us, it shrinks by so much.
    const std::string change =
        "SELECT (SELECT bytes FROM queue_sample AS t WHERE t.link = s.link AND"
        " t.priority = s.priority AND t.time_ps = s.time_ps + 20000000)"
        " - bytes FROM queue_sample AS s WHERE link = 5 AND time_ps = ";
    EXPECT_NEAR(Real(change + "20000000"), 59.8 * 4158, 4158);
    EXPECT_NEAR(Real(change + "140000000"), -59.8 * 4158, 4158);
    // Of all other queues of switches none has ever held anything at an instant of a sample.
    EXPECT_EQ(
        Rows("SELECT DISTINCT s.link FROM queue_sample AS s JOIN link AS l USING (run, link)"
             " JOIN node AS n ON n.run = l.run AND n.node = l.source WHERE n.kind = 'switch'"),
        std::vector<std::string>{"5"});
    // A row only where the length has changed.
    EXPECT_EQ(Rows("SELECT COUNT(*) FROM (SELECT bytes - LAG(bytes, 1, 0) OVER"
                   " (PARTITION BY link, priority ORDER BY time_ps) AS change FROM queue_sample)"
                   " WHERE change = 0"),
              std::vector<std::string>{"0"});
}

TEST_F(QueueLengthRecorderTest, ThreadsWriteTheSameBytes)
{
    const std::string scenario = R"(
topology: {type: LeafSpine, Leaves: 3, Spines: 2, HostsPerLeaf: 2, GpusPerHost: 1, NicsPerHost: 1,
           NicRate: 100Gbps, Uplinks: 2, UplinkRate: 100Gbps, LinkDelay: 1us}
placement: Spread
jobs: [{name: a, gpus: 6, iterations: 3, iteration: [{compute: 50us}, {all-to-all: {bytes: 4MB}}]}]
record: [jobs, {type: QueueLength, Interval: 5us}]
)";
    threads = 1;
    Run(scenario);
    EXPECT_GT(Integer("SELECT COUNT(*) FROM queue_sample AS s JOIN link AS l USING (run, link)"
                      " JOIN node AS n ON n.run = l.run AND n.node = l.source"
                      " WHERE n.kind = 'switch'"),
              10);
    const std::string one = ReadDatabase();
    for (const uint32_t count : {2, 3})
    {
        threads = count;
        Run(scenario);
        EXPECT_EQ(messages, "");
        EXPECT_TRUE(ReadDatabase() == one) << count << " threads";
    }
}

TEST_F(QueueLengthRecorderTest, ScenarioChecksIt)
{
    const std::string start = R"(
topology: {type: Star, Hosts: 2, GpusPerHost: 1, NicRate: 100Gbps, LinkDelay: 1us}
flows: [{from: host0, to: host1, bytes: 1MB}]
)";
    EXPECT_EQ(Try(start + "record: [{type: QueueLength, Interval: 0us}]\n"),
              ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("Interval"), std::string::npos) << messages;
    EXPECT_EQ(Try(start + "record: [{type: QueueLenght}]\n"), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("did you mean \"QueueLength\"?"), std::string::npos) << messages;
    EXPECT_EQ(Try(start + "record: [QueueLength]\n"), ScenarioRunner::OK);
}

} // namespace ns3
