/* SPDX-License-Identifier: GPL-2.0-only */

// Jobs imported from files of other programs run exactly like the same jobs written out in a
// scenario.

#include "../fixture/chakra-trace.h"
#include "../fixture/scenario-run-fixture.h"

namespace ns3
{
namespace
{

/// Writes files that scenarios import, and runs jobs on two hosts of one GPU.
class ImportedJobTest : public SharedLinkFixture
{
  protected:
    /// The path of a new file.
    std::string Write(const std::string& name, const std::string& text)
    {
        return m_files.Write(name, text);
    }

    void RunJob(const std::string& keys, const std::string& more = "")
    {
        Run(Network() + "jobs: [{name: a, hosts: [a0, a1], " + keys + "}]\n" + more);
    }

    /// Starts and ends of all iterations [ps].
    std::vector<std::string> Iterations() const
    {
        return Rows("SELECT iteration, start_ps, end_ps, bytes FROM iteration ORDER BY 1");
    }

  private:
    ScenarioFolder m_files;
};

TEST_F(ImportedJobTest, SimAIReducesWeightGradientsBehindTheirComputation)
{
    // Forward 1 ms, input gradients 0.5 ms, weight gradients 1.5 ms, then the reduction, for which
    // the next forward pass waits.
    const std::string file =
        Write("w.txt",
              "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 "
              "ga: 1 all_gpus: 2 checkpoints: 0 checkpoint_initiates: 0\n1\n"
              "layer -1 1000000 NONE 0 500000 NONE 0 1500000 ALLREDUCE 1000000 100\n");
    RunJob("iterations: 3, workload: {file: " + file + ", format: SimAI}");
    const std::vector<std::string> imported = Iterations();
    EXPECT_EQ(imported.size(), 3U);
    EXPECT_EQ(Rows("SELECT model, gradient_bytes FROM job"),
              std::vector<std::string>{"SimAI " + file + "|1000000"});
    RunJob("iterations: 3, iteration: [{compute: 3ms}, {all-reduce: {bytes: 1MB}}]");
    EXPECT_EQ(imported, Iterations());
}

TEST_F(ImportedJobTest, SimAIOverlapsReductionsWithTheBackwardPass)
{
    // Two layers. Backward, the second's weight gradients are ready 2 ms after the forward pass of
    // 2 ms; their reduction of 1 MB (1 MB x 2 x 1/2 at 10 Gb/s, over 0.8 ms) overlaps the first
    // layer's 2 ms. Only the first layer's reduction is exposed.
    const auto write = [this](const char* second) {
        return Write("w.txt",
                     std::string("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 "
                                 "ep: 1 pp: 1 all_gpus: 2\n2\n"
                                 "l0 -1 1000000 NONE 0 1000000 NONE 0 1000000 ALLREDUCE 1000000 "
                                 "1\nl1 -1 1000000 NONE 0 1000000 NONE 0 1000000 ") +
                         second + " 1\n");
    };
    RunJob("iterations: 3, workload: {file: " + write("ALLREDUCE 1000000") + ", format: SimAI}");
    const double both = Period("a", 0);
    RunJob("iterations: 3, workload: {file: " + write("NONE 0") + ", format: SimAI}");
    EXPECT_EQ(both, Period("a", 0));
    EXPECT_GT(both, 6.8 * MS); // 6 ms and the exposed reduction
    EXPECT_LT(both, 7.0 * MS);
}

TEST_F(ImportedJobTest, ChakraTracesOfTwoRanks)
{
    // 2 ms of computation and an all-reduce, ids not in order.
    for (int rank = 0; rank < 2; rank++)
    {
        ChakraTrace trace;
        trace.Add(7, "comp", ChakraTrace::COMP).Duration(2000);
        trace.Add(3, "reduce", ChakraTrace::COLLECTIVE)
            .Depends({7})
            .Number("comm_type", 0)
            .Number("comm_size", 1'000'000);
        Write("t." + std::to_string(rank) + ".et", trace.Get());
    }
    const std::string prefix = Write("t", "");
    RunJob("iterations: 3, workload: {file: " + prefix + ", format: Chakra}");
    const std::vector<std::string> imported = Iterations();
    RunJob("iterations: 3, iteration: [{compute: 2ms}, {all-reduce: {bytes: 1MB}}]");
    EXPECT_EQ(imported, Iterations());
}

TEST_F(ImportedJobTest, GoalMessageTakesTheTimeOfAPlainTransfer)
{
    const std::string file = Write("g.goal",
                                   "num_ranks 2\n"
                                   "rank 0 { l0: calc 1000\n l1: send 500000b to 1 tag 3\n"
                                   " l1 requires l0\n}\n"
                                   "rank 1 { l0: recv 500000b from 0 tag 3 }\n");
    RunJob("iterations: 2, workload: {file: " + file + ", format: Goal}");
    EXPECT_EQ(Rows("SELECT op, bytes FROM collective ORDER BY collective"),
              (std::vector<std::string>{"send-receive|500000", "send-receive|500000"}));
    const int64_t message = Integer("SELECT end_ps - last_post_ps FROM collective");
    // Rank 0 sends 1 us after rank 1 expects it.
    EXPECT_EQ(Integer("SELECT last_post_ps - first_post_ps FROM collective"), 1'000'000);
    Run(Network() + "flows: [{from: a0, to: a1, bytes: 500000B, at: 0s}]\n");
    EXPECT_EQ(message, Integer("SELECT completed_ps - start_ps FROM transfer"));
}

TEST_F(ImportedJobTest, GoalRingTakesTheTimeOfARing)
{
    // An all-reduce of n parts on n ranks: in each of 2 (n - 1) steps a rank passes a part on once
    // it has received it.
    for (const int ranks : {2, 5, 8})
    {
        const uint64_t part = 65536;
        std::ostringstream goal;
        goal << "num_ranks " << ranks << "\n";
        for (int rank = 0; rank < ranks; rank++)
        {
            goal << "rank " << rank << " {\n";
            for (int step = 0; step < 2 * (ranks - 1); step++)
            {
                goal << "s" << step << ": send " << part << "b to " << (rank + 1) % ranks << "\n";
                goal << "r" << step << ": recv " << part << "b from " << (rank + ranks - 1) % ranks
                     << "\n";
                if (step > 0)
                {
                    goal << "s" << step << " requires r" << step - 1 << "\n";
                }
            }
            goal << "}\n";
        }
        const std::string file = Write("ring.goal", goal.str());
        const std::string network = "topology: {type: Star, Hosts: " + std::to_string(ranks) +
                                    ", GpusPerHost: 1, Rate: 100Gbps, LinkDelay: 500ns}\n";
        const auto end = [&](const std::string& keys) {
            Run(network + "jobs: [{name: a, iterations: 1, " + keys + "}]\n");
            return Integer("SELECT MAX(end_ps) FROM iteration");
        };
        const std::string workload = "workload: {file: " + file + ", format: Goal";
        const int64_t eager = end(workload + "}");
        EXPECT_EQ(
            Rows("SELECT what, read, skipped, estimated FROM import_summary ORDER BY 1"),
            (std::vector<std::string>{"recv|" + std::to_string(ranks * 2 * (ranks - 1)) + "|0|0",
                                      "send|" + std::to_string(ranks * 2 * (ranks - 1)) + "|0|0"}));
        const int64_t ring = end("gpus: " + std::to_string(ranks) +
                                 ", channels: 1, collective: Ring, iteration: "
                                 "[{all-reduce: {bytes: " +
                                 std::to_string(part * ranks) + "B}}]");
        EXPECT_EQ(eager, ring) << ranks;
        // With rendezvous each message also waits for the acknowledgement of the one before.
        EXPECT_GT(end(workload + ", eager-limit: 65535B}"), ring) << ranks;
    }
}

TEST_F(ImportedJobTest, TwoRanksMaySendBeforeTheyReceive)
{
    const std::string file = Write("g.goal",
                                   "num_ranks 2\n"
                                   "rank 0 { s: send 64b to 1 tag 1\n r: recv 64b from 1 tag 2\n"
                                   " r requires s }\n"
                                   "rank 1 { s: send 64b to 0 tag 2\n r: recv 64b from 0 tag 1\n"
                                   " r requires s }\n");
    RunJob("iterations: 3, workload: {file: " + file + ", format: Goal}");
    EXPECT_EQ(Iterations().size(), 3U);
    EXPECT_NE(Try(Network() + "jobs: [{name: a, hosts: [a0, a1], iterations: 3, workload: {file: " +
                  file + ", format: Goal, eager-limit: 63B}}]\n"),
              ScenarioRunner::OK);
    EXPECT_NE(messages.find("waits for itself"), std::string::npos);
}

TEST_F(ImportedJobTest, ScaleDividesTimesAndBytes)
{
    const std::string file = Write("g.goal",
                                   "num_ranks 2\n"
                                   "rank 0 { l0: calc 8000000\n l1: send 800000b to 1\n"
                                   " l1 requires l0 }\nrank 1 { recv 800000b from 0 }\n");
    RunJob("iterations: 2, scale: 1/8, workload: {file: " + file + ", format: Goal}");
    EXPECT_EQ(Integer("SELECT bytes FROM collective"), 100'000);
    EXPECT_EQ(Integer("SELECT compute_ps FROM iteration"), 1'000'000'000); // 8 ms / 8
}

TEST_F(ImportedJobTest, MuriJobIsThatOfItsMeasuredTimes)
{
    const std::string trace =
        Write("trace.csv",
              "job_id,num_gpu,submit_time,iterations,model_name,batch_size,iteration_time,"
              "resource_time_2\n0,2,500,20,m,4,5,2\n");
    Run(Network() + "jobs: {file: " + trace +
        ", format: Muri, gpus-per-host: 1, time-scale: 1/4, models: {m: {gradient-bytes: 1MB}}}\n");
    // The hosts are left to the placement: a0 and b0, under the left switch.
    const std::vector<std::string> imported = Iterations();
    EXPECT_EQ(imported.size(), 5U); // 20 / 4
    EXPECT_EQ(Rows("SELECT name, model, gpus FROM job"), std::vector<std::string>{"job-0|m|2"});
    Run(Network() + "jobs: [{name: a, gpus: 2, gpus-per-host: 1, iterations: 5, iteration: "
                    "[{compute: 3ms}, {all-reduce: {bytes: 1MB}}]}]\n");
    EXPECT_EQ(imported, Iterations());
}

TEST_F(ImportedJobTest, DurationEndsWithTheIterationThatRuns)
{
    // Iterations of 1 ms without communication, from 1 us (the control latency) on: the fourth has
    // begun 3.5 ms later.
    Run(Network() + "jobs: [{name: a, gpus: 1, duration: 3.5ms, iteration: [{compute: 1ms}]}]\n");
    EXPECT_EQ(Rows("SELECT COUNT(*), MAX(end_ps) FROM iteration"),
              std::vector<std::string>{"4|4001000000"});
    EXPECT_EQ(Rows("SELECT status FROM job"), std::vector<std::string>{"finished"});
}

TEST_F(ImportedJobTest, RestartGoesOnAfterTheLastFinishedIteration)
{
    const std::string keys = "iterations: 12, compute-jitter: {cv: 10%}, iteration: "
                             "[{compute: 1ms}, {all-reduce: {bytes: 100kB}}]";
    RunJob(keys);
    const std::string query = "SELECT iteration, compute_ps FROM iteration ORDER BY 1";
    const std::vector<std::string> whole = Rows(query);
    ASSERT_EQ(whole.size(), 12U);
    const std::string faults = "faults: [{at: 5ms, host: a1, action: down, for: 3ms}]\n";
    RunJob(keys + ", restart: true", faults);
    // Every iteration once, with the random factors of the run without a fault.
    EXPECT_EQ(Rows(query), whole);
    EXPECT_EQ(Rows("SELECT kind FROM job_event ORDER BY event"),
              (std::vector<std::string>{"arrived",
                                        "placed",
                                        "started",
                                        "interrupted",
                                        "placed",
                                        "restarted",
                                        "finished"}));
    EXPECT_EQ(Rows("SELECT status FROM job"), std::vector<std::string>{"finished"});
    EXPECT_NE(messages.find("been interrupted"), std::string::npos);
    // It waits for the host: 5 ms + 3 ms + the control latency until the placement.
    EXPECT_EQ(Integer("SELECT time_ps FROM job_event WHERE kind = 'placed' ORDER BY event DESC"),
              8'001'000'000);
    // Collectives are counted on.
    EXPECT_EQ(Rows("SELECT COUNT(*) - COUNT(DISTINCT collective) FROM collective"),
              std::vector<std::string>{"0"});
    // Without the key it fails.
    RunJob(keys, faults);
    EXPECT_EQ(Rows("SELECT status FROM job"), std::vector<std::string>{"failed"});
    EXPECT_LT(Integer("SELECT COUNT(*) FROM iteration"), 6);
}

} // namespace
} // namespace ns3
