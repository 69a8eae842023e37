/* SPDX-License-Identifier: GPL-2.0-only */

// What has not ended when the run does is in the results, too.

#include "../fixture/scenario-run-fixture.h"

namespace ns3
{

class UnfinishedInScenariosTest : public ScenarioRunFixture
{
  protected:
    static std::string Star(uint32_t hosts, const std::string& defaults = "")
    {
        return "topology: {type: Star, Hosts: " + std::to_string(hosts) +
               ", Rate: 10Gbps, LinkDelay: 1us}\ndefaults:\n  ns3::RoceNic::CongestionControl: "
               "ns3::FixedRate\n" +
               defaults;
    }

    /// Every message posted is a row, and what the rows say was posted and delivered is what the
    /// transport counted.
    void ExpectAllPosted()
    {
        EXPECT_EQ(Integer("SELECT COALESCE(SUM(bytes), 0) FROM transfer"),
                  Integer("SELECT expected FROM invariant WHERE name = 'payload_delivered'"));
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM transfer WHERE delivered_bytes > bytes "
                          "OR (completed_ps IS NOT NULL AND delivered_bytes <> bytes) "
                          "OR (delivered_ps IS NOT NULL AND delivered_bytes <> bytes)"),
                  0);
    }
};

TEST_F(UnfinishedInScenariosTest, DeliveredBytesOfAFlowThatIsCutOff)
{
    // Frame k of 4096 B has arrived when the first, of 4194 B on the wire, has been stored by the
    // switch and k frames have been sent again: 800 ps a byte, two cables of 1 us.
    const auto arrival = [](int64_t frame) { return 800 * (4194 + 4178 * frame + 16) + 2'000'000; };
    for (int64_t frames : {0, 1, 2, 7, 99, 243})
    {
        for (int64_t offset : {1, 3'000'000})
        {
            Run(Star(2) + "flows: [{from: host0, to: host1, bytes: 1MB}]\nstop: {time: " +
                Ps(static_cast<double>((frames == 0 ? 0 : arrival(frames)) + offset)) + "}\n");
            EXPECT_EQ(
                Rows("SELECT bytes, delivered_bytes, delivered_ps, completed_ps FROM transfer"),
                std::vector<std::string>{"1000000|" + std::to_string(frames * 4096) + "|NULL|NULL"})
                << frames << " frames, " << offset;
            ExpectAllPosted();
        }
    }
}

TEST_F(UnfinishedInScenariosTest, EveryMessageOfJobsAndFlowsIsARow)
{
    for (const std::string delays : {"",
                                     "  ns3::RoceNic::PostDelay: 7us\n  "
                                     "ns3::RoceNic::CompletionDelay: 9us\n"})
    {
        const std::string scenario =
            Star(4, delays) +
            "jobs:\n  - {name: a, hosts: [host0, host1, host2, host3], iterations: 4, iteration: "
            "[{compute: 100us}, {all-reduce: {bytes: 400KB}}]}\nrecord: [transfers]\nflows:\n"
            "  - {from: host0, to: host1, bytes: 300KB, at: 150us}\n"
            "  - {from: host1, to: host2, bytes: 300KB, at: 900us}\n";
        for (int time = 37; time < 1'500; time += 97)
        {
            Run(scenario + "stop: {when: time, time: " + std::to_string(time) + "us}\n");
            ExpectAllPosted();
        }
        EXPECT_GT(Integer("SELECT COUNT(*) FROM transfer WHERE completed_ps IS NOT NULL"), 0);
    }
}

TEST_F(UnfinishedInScenariosTest, AMessageOfAFailedQueuePairIsARow)
{
    Run(Star(3, "  ns3::RoceNic::RetryTimeout: 20ms\n") +
        "flows:\n  - {from: host0, to: host1, bytes: 10MB}\n  - {from: host2, to: host1, bytes: "
        "1KB}\n"
        "faults: [{at: 1ms, host: host1, action: down}]\nstop: {time: 900ms}\n");
    EXPECT_EQ(Rows("SELECT bytes, completed_ps IS NULL FROM transfer ORDER BY bytes"),
              (std::vector<std::string>{"1000|0", "10000000|1"}));
    ExpectAllPosted();
}

TEST_F(UnfinishedInScenariosTest, PercentilesCountWhatIsUnfinished)
{
    // Three of four have ended: the median is that of the second, the 99th percentile is not known.
    Run(Star(5) + "flows:\n  - {from: host0, to: host4, bytes: 1KB}\n"
                  "  - {from: host1, to: host4, bytes: 1KB, at: 100us}\n"
                  "  - {from: host2, to: host4, bytes: 2KB, at: 200us}\n"
                  "  - {from: host3, to: host4, bytes: 1TB, at: 300us}\nstop: {time: 1ms}\n");
    EXPECT_EQ(Rows("SELECT figure, ROUND(value, 3) FROM v_run_figure WHERE job = '' AND "
                   "(figure LIKE 'fct_p%' OR figure = 'unfinished_flows') ORDER BY figure"),
              (std::vector<std::string>{
                  "fct_p50_us|" + Rows("SELECT ROUND(completed_us - start_us, 3) FROM v_transfer "
                                       "WHERE bytes = 1000 LIMIT 1")[0],
                  "unfinished_flows|1.0"}));
    EXPECT_EQ(Rows("SELECT MAX(fraction), MAX(censored) FROM v_transfer_cdf"),
              std::vector<std::string>{"0.75|1"});
}

TEST_F(UnfinishedInScenariosTest, DropsAreOfTheirPriority)
{
    // Priorities 3 and 4 are lossless; 1 and 2 are not, and find the buffer full.
    Run("topology: {type: Star, Hosts: 5, Rate: 100Gbps, LinkDelay: 1us}\ndefaults:\n"
        "  ns3::RoceNic::CongestionControl: ns3::FixedRate\n"
        "  ns3::FabricSwitch::LosslessMask: 24\n  ns3::RoceNic::LossRecovery: irn\n"
        "  ns3::Fabric::EgressScheduler: ns3::DwrrEgress\n"
        "  ns3::DwrrEgress::Weights: \"4:1,3:1,2:1,1:1\"\n"
        "  ns3::FabricSwitch::BufferSize: 8MB\nrecord: [events]\nflows:\n"
        "  - {from: host1, to: host0, bytes: 8MB, priority: 3}\n"
        "  - {from: host2, to: host0, bytes: 8MB, priority: 4}\n"
        "  - {from: host3, to: host0, bytes: 8MB, priority: 1}\n"
        "  - {from: host4, to: host0, bytes: 8MB, priority: 2}\nstop: {time: 200ms}\n");
    const std::vector<std::string> events =
        Rows("SELECT priority, COUNT(*) FROM fabric_event WHERE kind = 'drop' GROUP BY priority");
    EXPECT_EQ(events.size(), 2u);
    EXPECT_EQ(Rows("SELECT priority, SUM(dropped_frames) AS n FROM link_window GROUP BY priority "
                   "HAVING n > 0"),
              events);
}

} // namespace ns3
