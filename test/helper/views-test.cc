/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"

using namespace ns3;

namespace
{

/*
 * A run small enough to compute by hand: two hosts with a GPU each on one switch, 100 Gb/s (80 ps
 * per byte), 1 us per link; one job of two iterations of 100 us and an all-reduce of 80 kB, and a
 * transfer of 1,000 B when the job has ended.
 *
 * The job arrives at 10 us, is placed, and starts at 11 us. It computes to 111 us. The all-reduce
 * is two messages of 40,000 B each way: 10 frames of at most 4096, wire 40,000 + 10 x 82 + 16 =
 * 40,836 B, ACK 86 B.
 */
class HelperViewsTest : public ScenarioRunFixture
{
  protected:
    using Strings = std::vector<std::string>;

    void SetUp() override
    {
        Run(R"(
topology: {type: Star, Hosts: 2, NicRate: 100Gbps, LinkDelay: 1us}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
measure: {from: 0us, to: 1s}
record: [jobs, collectives, transfers, events]
jobs:
  - name: job
    hosts: [host0, host1]
    iterations: 2
    flop: 1e12
    arrival: 10us
    iteration: [{compute: 100us}, {all-reduce: {bytes: 80kB}}]
flows: [{from: host0, to: host1, bytes: 1000B, at: 300us, priority: 2}]
)");
    }

    // A message: 40,836 x 80 ps = 3.26688 us on the first link; its first frame, of 4096 + 82 + 16
    // = 4194 B, 0.33552 us, is stored and forwarded, and the others follow it without a gap; 2 us:
    // 5.6024 us. Both ways at once. In the second message the ACK of the first goes ahead, 86 x
    // 80 ps = 0.00688 us: of the highest priority, it is the first frame on either link.
    static constexpr double MESSAGE = 3.26688 + 0.33552 + 2;
    static constexpr double ACK = 0.00688;
    // The ACK, alone, over two links.
    static constexpr double ACK_WAY = 2 * (1 + ACK);
    // From the last post to the last ACK.
    static constexpr double ALL_REDUCE = MESSAGE + (ACK + MESSAGE) + ACK_WAY;
};

TEST_F(HelperViewsTest, Transfers)
{
    // From host0: two messages an iteration, then the flow. A frame of 1,000 B is on the wire with
    // 62 + 16 + 20 more: 1,098 x 80 ps = 0.08784 us on each link.
    double second = 11 + 100 + ALL_REDUCE + 100;
    std::vector<std::vector<double>> expected{
        {111, MESSAGE},
        {111 + MESSAGE, ACK + MESSAGE},
        {second, MESSAGE},
        {second + MESSAGE, ACK + MESSAGE},
        {300, 2 * (0.08784 + 1)},
    };
    std::string view = " FROM v_transfer WHERE source = 'host0' ORDER BY start_us";
    std::vector<double> start = Column("SELECT start_us" + view);
    std::vector<double> delivered = Column("SELECT delivered_us - start_us" + view);
    std::vector<double> completed = Column("SELECT completed_us - delivered_us" + view);
    ASSERT_EQ(start.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_NEAR(start[i], expected[i][0], 1e-6) << i;
        EXPECT_NEAR(delivered[i], expected[i][1], 1e-6) << i;
    }
    // Nothing is in the way of the ACK of the last message of an all-reduce, and of the flow's.
    EXPECT_NEAR(completed[1], ACK_WAY, 1e-6);
    EXPECT_NEAR(completed[4], ACK_WAY, 1e-6);
    EXPECT_EQ(Rows("SELECT source, destination, priority, COUNT(*), SUM(bytes), "
                   "SUM(retransmitted_bytes) FROM v_transfer GROUP BY 1, 2, 3"),
              (Strings{"host0|host1|2|1|1000|0",
                       "host0|host1|6|4|160000|0",
                       "host1|host0|6|4|160000|0"}));
}

TEST_F(HelperViewsTest, Jobs)
{
    double iteration = 100 + ALL_REDUCE;
    EXPECT_NEAR(Real("SELECT iteration_ms FROM v_job"), iteration / 1000, 1e-9);
    EXPECT_EQ(Rows("SELECT job, status, gpus, iterations, slowdown FROM v_job"),
              Strings{"job|finished|2|2|NULL"});
    // It waits 1 us for its start, in which it has its GPUs.
    EXPECT_NEAR(Real("SELECT wait_s FROM v_job"), 1e-6, 1e-15);
    EXPECT_NEAR(Real("SELECT jct_s FROM v_job"), (1 + 2 * iteration) / 1e6, 1e-12);
    EXPECT_NEAR(Real("SELECT gpu_utilization FROM v_job"), 200 / (1 + 2 * iteration), 1e-9);
    EXPECT_NEAR(Real("SELECT exposed_fraction FROM v_job"),
                2 * ALL_REDUCE / (1 + 2 * iteration),
                1e-9);
    // W / t, where t is two messages and two ACKs on a link.
    EXPECT_NEAR(Real("SELECT intensity FROM v_job"), 1e12 / (2 * 40'922 * 80e-12), 1e3);
    // 80 kB x 8 x 2 x 1/2 in that time.
    EXPECT_NEAR(Real("SELECT bus_bandwidth_bps FROM collective"),
                80e3 * 8 / (ALL_REDUCE * 1e-6),
                1e3);
}

TEST_F(HelperViewsTest, Links)
{
    // The run ends when the flow is acknowledged.
    double elapsed = 300 + 2 * (0.08784 + 1) + ACK_WAY;
    EXPECT_NEAR(Real("SELECT end_ps / 1e6 FROM run"), elapsed, 1e-6);
    // Of host0: four messages, four ACKs, the flow. The other way: an ACK more.
    uint64_t there = 4 * (40'836 + 86) + 1'098;
    uint64_t back = 4 * (40'836 + 86) + 86;
    EXPECT_EQ(Rows("SELECT name, bytes, rate_gbps, marked_frames, paused_fraction "
                   "FROM v_link_utilization"),
              (Strings{"host0-switch0|" + std::to_string(there) + "|100.0|0|0.0",
                       "switch0-host0|" + std::to_string(back) + "|100.0|0|0.0",
                       "host1-switch0|" + std::to_string(back) + "|100.0|0|0.0",
                       "switch0-host1|" + std::to_string(there) + "|100.0|0|0.0"}));
    for (const std::string figure : {"utilization", "busy_fraction"})
    {
        std::vector<double> values = Column("SELECT " + figure + " FROM v_link_utilization");
        ASSERT_EQ(values.size(), 4u);
        EXPECT_NEAR(values[0], static_cast<double>(there) * 80e-6 / elapsed, 1e-9);
        EXPECT_NEAR(values[1], static_cast<double>(back) * 80e-6 / elapsed, 1e-9);
        EXPECT_NEAR(values[3], static_cast<double>(there) * 80e-6 / elapsed, 1e-9);
    }
}

TEST_F(HelperViewsTest, Cluster)
{
    double elapsed = 300 + 2 * (0.08784 + 1) + ACK_WAY;
    double allocated = 1 + 2 * (100 + ALL_REDUCE);
    EXPECT_NEAR(Real("SELECT gpu_utilization FROM v_cluster_utilization"), 200 / allocated, 1e-9);
    EXPECT_NEAR(Real("SELECT gpu_utilization_all FROM v_cluster_utilization"), 200 / elapsed, 1e-9);
    // 2 x 1 TFLOP on 2 GPUs of 312 TFLOP/s.
    EXPECT_NEAR(Real("SELECT flop_utilization FROM v_cluster_utilization"),
                2e12 / (312e12 * 2 * elapsed * 1e-6),
                1e-9);
}

} // namespace
