/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/scenario-run-fixture.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/communication-scheduler.h"
#include "ns3/object-factory.h"

namespace ns3
{
namespace
{

constexpr int64_t MS = 1'000'000'000;

/// Jobs that all send 1 MB from host0 to host1 at 8 Gb/s, which takes 1 ms.
class SrsfSchedulerTest : public testing::Test
{
  protected:
    JobView& Add(uint32_t gpus, int64_t arrivalPs)
    {
        JobView& job =
            m_view.jobs.emplace_back(MakeJob(static_cast<uint32_t>(m_view.jobs.size()), 1, 9 * MS));
        AddFlow(m_topology, job, "host0", "host1", 1'000'000);
        job.gpus = gpus;
        job.arrivalPs = arrivalPs;
        return job;
    }

    std::vector<uint32_t> GetLevels(const std::string& type, const std::string& order = "")
    {
        ObjectFactory factory(type);
        if (!order.empty())
        {
            factory.Set("Order", StringValue(order));
        }
        m_decision = factory.Create<CommunicationScheduler>()->Decide(m_view);
        EXPECT_EQ(m_decision.Validate(m_view), "");
        std::vector<uint32_t> levels;
        for (const JobDecision& job : m_decision.jobs)
        {
            levels.push_back(job.level);
        }
        return levels;
    }

    const ClusterTopology m_topology = MakeLeafSpine(1, 2, 8, 1, 8'000'000'000, 8'000'000'000);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle, 8);
    ScheduleDecision m_decision;
};

TEST_F(SrsfSchedulerTest, LeastGpusTimesIterationsTimesLengthGoesFirst)
{
    const std::vector<std::tuple<uint32_t, uint64_t, int64_t>> jobs{
        {2, 10, 100 * MS}, // 2 x 10 x 100 ms = 2.0 s
        {4, 3, 100 * MS},  // 1.2 s
        {8, 1, 200 * MS},  // 1.6 s: the fewest iterations, the shortest time left
        {1, 180, 10 * MS}, // 1.8 s: the fewest GPUs
    };
    for (const auto& [gpus, iterations, lengthPs] : jobs)
    {
        JobView& job = Add(gpus, 0);
        job.service.remainingIterations = iterations;
        job.service.iterationPs = lengthPs;
    }
    Add(2, 0).service.remainingPs = 700 * MS; // 1.4 s
    // In ms left: 1.2 (job 1), 1.4 (4), 1.6 (2), 1.8 (3), 2.0 (0).
    const std::vector<uint32_t> levels{4, 0, 2, 3, 1};
    EXPECT_EQ(GetLevels("ns3::SrsfScheduler"), levels);
    EXPECT_EQ(
        m_decision.jobs[1].inputs.substr(0, 84),
        R"({"gpus":4,"remaining_iterations":3,"iteration_s":0.1,"remaining_gpu_s":1.2,"rank":0,)");
    EXPECT_NE(m_decision.jobs[1].reason.find("rank 1 of 5 by remaining service"),
              std::string::npos);
    EXPECT_EQ(GetLevels("ns3::ComposedScheduler", "ns3::SrsfOrder"), levels);
}

// Before an iteration has ended its length is C + t = 9 + 1 ms, here of 8 Gb/s and 1 MB.
TEST_F(SrsfSchedulerTest, LengthsAreEstimatedAtFirst)
{
    Add(1, 0).service.remainingIterations = 10; // 100 ms
    JobView& measured = Add(1, 0);
    measured.service.remainingIterations = 11;
    measured.service.iterationPs = 9 * MS; // 99 ms
    EXPECT_EQ(GetLevels("ns3::SrsfScheduler"), (std::vector<uint32_t>{1, 0}));
    measured.service.iterationPs = 0; // 110 ms
    EXPECT_EQ(GetLevels("ns3::SrsfScheduler"), (std::vector<uint32_t>{0, 1}));
}

TEST_F(SrsfSchedulerTest, TiesGoByArrivalThenByJob)
{
    for (const int64_t arrivalPs : {5, 3, 3, 4})
    {
        Add(1, arrivalPs).service.remainingIterations = 10;
    }
    EXPECT_EQ(GetLevels("ns3::SrsfScheduler"), (std::vector<uint32_t>{3, 0, 1, 2}));
}

TEST_F(SrsfSchedulerTest, JobsWithoutAKnownEndGoLast)
{
    Add(1, 2);
    Add(1, 1);
    Add(8, 9).service.remainingIterations = 1'000'000;
    EXPECT_EQ(GetLevels("ns3::SrsfScheduler"), (std::vector<uint32_t>{2, 1, 0}));
    EXPECT_EQ(m_decision.jobs[0].fallbacks,
              std::vector<std::string>{
                  "the remaining service of 2 jobs is not known: they go last, by arrival"});
}

/// Two jobs on one link, a of 12 iterations of 0.2 D of compute and D of communication.
class SrsfInScenarioTest : public SharedLinkFixture
{
  protected:
    double RunWith(const std::string& scheduler,
                   uint64_t iterationsOfB,
                   double arrivalOfB,
                   uint64_t iterationsOfA = 12)
    {
        constexpr uint64_t BYTES = 5'000'000;
        m_d = m_d > 0 ? m_d : MeasureSolo({"a", 5e9, BYTES});
        const Pair a{"a", 0.2 * m_d, BYTES, 1e9, 0, iterationsOfA};
        const Pair b{"b", 0.2 * m_d, BYTES, 1e9, arrivalOfB * m_d, iterationsOfB};
        Run(Network() + "jobs:\n" + Job(a) + Job(b) + "scheduler: " + scheduler + "\n");
        return (Real("SELECT end_ps FROM job WHERE name = 'b'") - arrivalOfB * m_d) / m_d;
    }

    std::vector<std::string> GetLevels() const
    {
        return Rows("SELECT name, \"trigger\", value FROM decision JOIN job USING (run, job) "
                    "WHERE kind = 'priority' ORDER BY decision");
    }

    double m_d{0};
};

// The short job runs as if it were alone, 3 x 1.2 D; under fair sharing both communicate for 2 D.
TEST_F(SrsfInScenarioTest, TheShortJobGoesFirst)
{
    EXPECT_NEAR(RunWith("None", 3, 0), 3 * 2.2, 0.2);
    EXPECT_NEAR(RunWith("Srsf", 3, 0), 3 * 1.2, 0.1);
    EXPECT_EQ(GetLevels(),
              (std::vector<std::string>{"a|arrival|level 1",
                                        "b|arrival|level 0",
                                        "a|departure|level 0"}));
    EXPECT_EQ(Rows("SELECT json_extract(inputs, '$.gpus'), json_extract(inputs, "
                   "'$.remaining_iterations') FROM decision JOIN job USING (run, job) WHERE kind = "
                   "'priority' AND name = 'b'"),
              std::vector<std::string>{"2|3"});
}

// b asks for 5 iterations; when it arrives a has ended 10 of 12, which have taken 1.2 D each.
TEST_F(SrsfInScenarioTest, WhatIsLeftCountsNotWhatWas)
{
    RunWith("Srsf", 5, 10.5 * 1.2);
    EXPECT_EQ(GetLevels()[1], "a|arrival|level 0");
    EXPECT_EQ(GetLevels()[2], "b|arrival|level 1");
    const std::string ofA = "FROM decision JOIN job USING (run, job) WHERE kind = 'priority' AND "
                            "name = 'a' ORDER BY decision LIMIT 1 OFFSET 1";
    EXPECT_EQ(Rows("SELECT json_extract(inputs, '$.remaining_iterations') " + ofA),
              std::vector<std::string>{"2"});
    EXPECT_NEAR(
        Rows("SELECT json_extract(inputs, '$.iteration_s') * 1e12 " + ofA).empty()
            ? 0
            : std::stod(Rows("SELECT json_extract(inputs, '$.iteration_s') * 1e12 " + ofA)[0]) /
                  m_d,
        1.2,
        0.01);
}

} // namespace
} // namespace ns3
