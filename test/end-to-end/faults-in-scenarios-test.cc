/* SPDX-License-Identifier: GPL-2.0-only */

// Faults of scenarios with jobs: what the run reports about them, and that its accounts balance
// whatever the order of events.

#include "../fixture/scenario-run-fixture.h"

#include "ns3/counter-random.h"

namespace ns3
{

/// 16 hosts of two GPUs and one NIC under four leaves, two spines.
class FaultsInScenariosTest : public ScenarioRunFixture
{
  protected:
    static std::string Cluster()
    {
        return R"(
topology: {type: LeafSpine, Leaves: 4, Spines: 2, HostsPerLeaf: 4, GpusPerHost: 2, NicsPerHost: 1,
           NicRate: 100Gbps, Uplinks: 2, UplinkRate: 200Gbps, LinkDelay: 1us}
defaults:
  ns3::FabricSwitch::BufferSize: 8MB
  ns3::RoceNic::RetransmissionTimeout: 500us
  ns3::RoceNic::MaxRetransmissionTimeout: 2ms
  ns3::RoceNic::RetryTimeout: 4ms
  ns3::Fabric::ConvergenceTime: 1ms
  ns3::Fabric::DeadlockDetection: 1ms
  ns3::FabricSwitch::WatchdogDetection: 2ms
  ns3::FabricSwitch::WatchdogRestoration: 1ms
)";
    }

    static std::string Job(const std::string& name, const std::string& more, int iterations = 4)
    {
        return "  - {name: " + name + ", " + more + ", iterations: " + std::to_string(iterations) +
               ", iteration: [{compute: 200us}, {all-reduce: {bytes: 2MB}}]}\n";
    }

    std::string GetStatus(const std::string& job) const
    {
        return Rows("SELECT status FROM job WHERE name = '" + job + "'").at(0);
    }

    std::string GetReason(const std::string& job) const
    {
        return Rows("SELECT detail FROM job_event JOIN job USING (run, job) WHERE kind = 'failed' "
                    "AND name = '" +
                    job + "'")
            .at(0);
    }
};

TEST_F(FaultsInScenariosTest, AJobOnAHostThatFailsFailsAtOnceAndItsGpusAreFailed)
{
    Run(Cluster() + "jobs:\n" + Job("a", "gpus: 8, hosts: [host0, host1, host4, host5]") +
        Job("b", "gpus: 4, hosts: [host2, host3]") +
        Job("c", "gpus: 4, hosts: [host0, host1], arrival: 100us") +
        "faults:\n  - {at: 500us, host: host0, action: down, for: 5ms}\n");
    EXPECT_EQ(GetStatus("a"), "failed");
    EXPECT_EQ(GetReason("a"), "host host0 is down");
    EXPECT_EQ(Integer("SELECT time_ps FROM job_event WHERE kind = 'failed'"), 500'000'000);
    EXPECT_NE(messages.find("job a has failed at 500000000 ps: host host0 is down"),
              std::string::npos)
        << messages;
    EXPECT_EQ(GetStatus("b"), "finished");
    // c waits for host0: it is back at 5.5 ms, known a microsecond later.
    EXPECT_EQ(GetStatus("c"), "finished");
    EXPECT_EQ(Integer("SELECT time_ps FROM job_event JOIN job USING (run, job) "
                      "WHERE name = 'c' AND kind = 'placed'"),
              5'501'000'000);
    // Two GPUs from 0.5 to 5.5 ms.
    EXPECT_EQ(Rows("SELECT gpu, start_ps, end_ps FROM gpu_failure ORDER BY gpu"),
              (std::vector<std::string>{"0|500000000|5500000000", "1|500000000|5500000000"}));
}

TEST_F(FaultsInScenariosTest, AJobThatWaitsForAHostThatWillNotBeBackFails)
{
    Run(Cluster() + "jobs:\n" + Job("a", "gpus: 4, hosts: [host0, host1]") +
        Job("b", "gpus: 4, hosts: [host0, host1], arrival: 100us") +
        Job("c", "gpus: 4, hosts: [host2, host3], arrival: 200us") +
        "faults:\n  - {at: 500us, host: host1, action: down}\n");
    EXPECT_EQ(GetReason("a"), "host host1 is down");
    EXPECT_EQ(GetReason("b"), "does not fit without host1, down");
    EXPECT_EQ(GetStatus("c"), "finished");
    EXPECT_EQ(Rows("SELECT status FROM run"), std::vector<std::string>{"finished"});
}

TEST_F(FaultsInScenariosTest, AHostThatFailsBetweenPlacementAndStart)
{
    Run(Cluster() + "jobs:\n" + Job("a", "gpus: 4, hosts: [host0, host1], arrival: 100us") +
        Job("b", "gpus: 4, hosts: [host2, host3], arrival: 100us") +
        "faults:\n  - {at: 100500ns, host: host1, action: down, for: 1ms}\n");
    EXPECT_EQ(GetReason("a"), "host host1 is down");
    EXPECT_EQ(GetStatus("b"), "finished");
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM gpu_allocation JOIN job USING (run, job) "
                      "WHERE name = 'a'"),
              0);
}

TEST_F(FaultsInScenariosTest, AJobWithoutAPathFailsAndSaysWhichQueuePair)
{
    Run(Cluster() + "jobs:\n" + Job("a", "gpus: 4, hosts: [host0, host4]") +
        Job("b", "gpus: 4, hosts: [host1, host2]") +
        "faults:\n  - {at: 1ms, nic: host4.nic0, action: down}\n");
    EXPECT_EQ(GetStatus("a"), "failed");
    EXPECT_NE(GetReason("a").find("queue pair"), std::string::npos) << GetReason("a");
    EXPECT_EQ(GetStatus("b"), "finished");
    EXPECT_GE(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'drop' "
                      "AND detail = 'link down'"),
              1);
}

TEST_F(FaultsInScenariosTest, ALinkThatReturnsOnlyDelaysAJob)
{
    Run(Cluster() + "jobs:\n" + Job("a", "gpus: 8, hosts: [host0, host4, host8, host12]", 20) +
        "faults:\n  - {at: 1ms, link: leaf0-spine0, action: down, for: 2ms}\n"
        "  - {at: 4ms, switch: spine1, action: down, for: 2ms}\n"
        "  - {at: 7ms, link: leaf1-spine0, action: flapping, period: 500us, for: 2ms}\n");
    EXPECT_EQ(GetStatus("a"), "finished");
    EXPECT_GE(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'link-down'"), 5);
}

TEST_F(FaultsInScenariosTest, ADeadlockStopsTheRunAndNamesTheCycle)
{
    std::string scenario = "topology:\n  type: Explicit\n  nodes:\n";
    std::string links = "  links:\n";
    std::string flows = "flows:\n";
    for (int i = 0; i < 5; ++i)
    {
        const std::string host = "h" + std::to_string(i);
        const std::string node = "s" + std::to_string(i);
        const std::string next = "s" + std::to_string((i + 1) % 5);
        scenario += "    - {name: " + host + "}\n    - {name: " + node + ", kind: switch}\n";
        links += "    - {between: [" + host + ", " + node + "], rate: 100Gbps, delay: 1us}\n";
        links += "    - {between: [" + node + ", " + next + "], rate: 100Gbps, delay: 1us}\n";
        flows += "  - {from: " + host + ", to: h" + std::to_string((i + 2) % 5) + ", bytes: 9MB}\n";
    }
    ASSERT_EQ(Try(scenario + links +
                  "defaults:\n  ns3::FabricSwitch::BufferSize: 1MB\n"
                  "  ns3::RoceNic::CongestionControl: ns3::FixedRate\n" +
                  flows),
              ScenarioRunner::OK)
        << messages;
    EXPECT_EQ(Rows("SELECT status FROM run"), std::vector<std::string>{"stopped"});
    const std::string cycle = Rows("SELECT detail FROM fabric_event WHERE kind = 'deadlock'").at(0);
    EXPECT_NE(cycle.find("s0-s1 p6 -> s1-s2 p6 -> s2-s3 p6 -> s3-s4 p6 -> s4-s0 p6"),
              std::string::npos)
        << cycle;
    EXPECT_NE(messages.find("PFC deadlock"), std::string::npos);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM invariant WHERE expected <> actual"), 0);
}

// --- random schedules ---

/// Draws of one schedule, by counter.
class Draws
{
  public:
    explicit Draws(uint64_t schedule)
        : m_schedule(schedule)
    {
    }

    uint64_t operator()(uint64_t count)
    {
        return CounterRandom(2026, m_schedule, m_next++) % count;
    }

    std::string Us(uint64_t low, uint64_t high)
    {
        return std::to_string(low + (*this)(high - low + 1)) + "us";
    }

  private:
    uint64_t m_schedule;
    uint64_t m_next{0};
};

class RandomFaultsTest : public FaultsInScenariosTest, public ::testing::WithParamInterface<int>
{
  protected:
    /// One to six faults within the first 4 ms, no two on one target.
    static std::string GetFaults(Draws& draw)
    {
        std::string faults;
        const uint64_t count = 1 + draw(6);
        for (uint64_t k = 0; k < count; ++k)
        {
            const std::string at = draw.Us(1, 4000);
            const std::string length = draw(4) > 0 ? ", for: " + draw.Us(1, 4000) : "";
            // Each fault has a cable, a switch and two hosts of its own.
            const std::string link =
                "leaf" + std::to_string(k % 4) + "-spine" + std::to_string(k / 4);
            const std::string host = "host" + std::to_string(2 * k + draw(2));
            faults += "  - {";
            switch (draw(9))
            {
            case 0:
            case 1:
                faults += "at: " + at + ", link: " + link + ", action: down" + length;
                break;
            case 2:
                faults += "at: " + at + ", link: " + link +
                          ", action: degraded, rate: " + std::to_string(1 + draw(99)) + "Gbps" +
                          length;
                break;
            case 3:
                faults += "at: " + at + ", link: " + link +
                          ", action: flapping, period: " + draw.Us(10, 1000) +
                          ", for: " + draw.Us(1000, 4000) +
                          ", duty: " + std::to_string(10 + draw(80)) + "%";
                break;
            case 4:
                faults += "at: " + at + ", switch: " +
                          (k < 2 ? "spine" + std::to_string(k) : "leaf" + std::to_string(k % 4)) +
                          ", action: down" + length;
                break;
            case 5:
                faults += "at: " + at + ", nic: " + host + ".nic0, action: down" + length;
                break;
            case 6:
                faults += "at: " + at + ", nic: " + host +
                          ".nic0, action: slow, rate: " + std::to_string(1 + draw(40)) + "Gbps" +
                          length;
                break;
            case 7:
                faults += "at: " + at + ", host: " + host + ", action: down" + length;
                break;
            default:
                faults += std::string("link: \"*\", action: lose, probability: ") +
                          (draw(2) > 0 ? "0.1%" : "1%") +
                          (draw(2) > 0 ? "" : ", frames: [pause, ack, cnp, nak]") +
                          ", to: " + draw.Us(1000, 6000);
            }
            faults += "}\n";
        }
        return faults;
    }
};

TEST_P(RandomFaultsTest, NoneHangsNoneCrashesAndAllIsAccountedFor)
{
    for (int k = 0; k < 20; ++k)
    {
        const int schedule = 20 * GetParam() + k;
        Draws draw(schedule);
        const std::string scenario =
            Cluster() + "seed: " + std::to_string(schedule + 1) + "\njobs:\n" +
            Job("a", "gpus: 8, hosts: [host0, host4, host8, host12]", 12) +
            Job("b", "gpus: 8, hosts: [host1, host5, host9, host13]", 12) +
            Job("c", "gpus: 12, arrival: " + draw.Us(0, 2000), 8) +
            Job("d", "gpus: 8, arrival: " + draw.Us(0, 2000), 8) +
            "flows:\n  - {from: host2, to: host15, bytes: 4MB, priority: 3}\n"
            "  - {from: host3, to: host15, bytes: 4MB, at: 500us, priority: 3}\n"
            "  - {from: host7, to: host15, bytes: 4MB, at: 700us, priority: 3}\n"
            "stop: {when: all-jobs-done, time: 200ms}\nfaults:\n" +
            GetFaults(draw);
        Run(scenario);
        ASSERT_FALSE(HasFatalFailure()) << "schedule " << schedule << scenario;
        // Bounded: nothing is left when the retries are over, long before the time given. A
        // deadlock would end it, too, and be reported.
        EXPECT_LT(Integer("SELECT end_ps FROM run"), 100'000'000'000) << schedule << scenario;
        if (Rows("SELECT status FROM run").at(0) == "stopped")
        {
            EXPECT_EQ(Integer("SELECT COUNT(*) FROM fabric_event WHERE kind = 'deadlock'"), 1)
                << schedule << scenario;
            continue;
        }
        // Each job has finished, or it says why not.
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM job WHERE status = 'finished'") +
                      Integer("SELECT COUNT(*) FROM job_event WHERE kind = 'failed' "
                              "AND detail <> ''"),
                  4)
            << schedule << scenario;
        // Each flow is a row, and has finished, or its queue pair has failed.
        EXPECT_EQ(Integer("SELECT COUNT(*) FROM transfer WHERE job IS NULL"), 3)
            << schedule << scenario;
        EXPECT_EQ(Integer("SELECT COUNT(completed_ps) FROM transfer WHERE job IS NULL") +
                      Integer("SELECT COUNT(*) FROM fabric_event JOIN queue_pair "
                              "USING (run, queue_pair) WHERE kind = 'failed' AND job IS NULL"),
                  3)
            << schedule << scenario;
    }
}

INSTANTIATE_TEST_SUITE_P(Schedules, RandomFaultsTest, ::testing::Range(0, 10));

} // namespace ns3
