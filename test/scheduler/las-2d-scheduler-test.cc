/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/attribute-refusal-fixture.h"
#include "../fixture/scenario-run-fixture.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/communication-scheduler.h"
#include "ns3/object-factory.h"

namespace ns3
{
namespace
{

constexpr int64_t MS = 1'000'000'000;

/// Jobs that all send from host0 to host1, in queues with the thresholds 1 s and 10 s.
class Las2DSchedulerTest : public testing::Test
{
  protected:
    JobView& Add(uint32_t gpus, int64_t executedPs, int64_t startPs)
    {
        JobView& job =
            m_view.jobs.emplace_back(MakeJob(static_cast<uint32_t>(m_view.jobs.size()), 1, 9 * MS));
        AddFlow(m_topology, job, "host0", "host1", 1'000'000);
        job.gpus = gpus;
        job.service.executedPs = executedPs;
        job.service.startPs = startPs;
        return job;
    }

    std::vector<uint32_t> GetLevels()
    {
        ObjectFactory factory("ns3::Las2DScheduler");
        factory.Set("Thresholds", StringValue("1s, 10s"));
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

// Tiresias, section 3.2.3: queue i has the jobs whose attained service, GPUs times executed time,
// is in [threshold i - 1, threshold i).
TEST_F(Las2DSchedulerTest, QueuesAreByGpusTimesExecutedTime)
{
    Add(8, 1250 * MS, 0); // 10 s: the last queue, though it has run for the shortest time
    Add(1, 9999 * MS, 0); // 9.999 s: the second
    Add(4, 250 * MS - MS / 1000, 40); // just below 1 s: the first
    Add(4, 250 * MS - 1, 50);         // 1 s but for rounding: the second, started later than job 1
    EXPECT_EQ(GetLevels(), (std::vector<uint32_t>{3, 1, 0, 2}));
    const std::vector<std::string> queues{R"("queue":2)",
                                          R"("queue":1)",
                                          R"("queue":0)",
                                          R"("queue":1)"};
    for (uint32_t job = 0; job < queues.size(); job++)
    {
        EXPECT_NE(m_decision.jobs[job].inputs.find(queues[job]), std::string::npos) << job;
    }
    EXPECT_EQ(m_decision.jobs[0].inputs.substr(0, 58),
              R"({"gpus":8,"attained_gpu_s":10,"queue":2,"start_s":0,"rank")");
}

// Three GPUs for a third of a second, in whole picoseconds: the job has attained 1 s.
TEST_F(Las2DSchedulerTest, AThresholdIsReachedButForRounding)
{
    Add(3, 333'333'333'333, 0);
    Add(1, 900 * MS, 50);
    EXPECT_EQ(GetLevels(), (std::vector<uint32_t>{1, 0}));
    EXPECT_NE(m_decision.jobs[0].inputs.find(R"("queue":1)"), std::string::npos);
}

// In one queue the job that started first goes first, whatever it has attained.
TEST_F(Las2DSchedulerTest, AQueueIsFirstComeFirstServed)
{
    Add(1, 1 * MS, 30);
    Add(1, 900 * MS, 10);
    Add(1, 0, -1).arrivalPs = 20; // starts now, at 35
    m_view.nowPs = 35;
    EXPECT_EQ(GetLevels(), (std::vector<uint32_t>{1, 0, 2}));
}

TEST_F(Las2DSchedulerTest, TiesGoByArrivalThenByJob)
{
    for (const int64_t arrivalPs : {5, 3, 3, 4})
    {
        Add(1, 0, 100).arrivalPs = arrivalPs;
    }
    EXPECT_EQ(GetLevels(), (std::vector<uint32_t>{3, 0, 1, 2}));
}

TEST_F(Las2DSchedulerTest, WrongThresholdsAreRefusedWhenSet)
{
    const std::string wants = "; wants GPU times like \"3250s, 7200s\"";
    const auto refusal = [](const std::string& text) {
        return GetRefusal("ns3::Las2DOrder", "Thresholds", text);
    };
    EXPECT_EQ(refusal("1s, 10s"), "accepted");
    EXPECT_EQ(refusal(""), "accepted"); // one queue
    EXPECT_EQ(refusal("1s, 1s"), "thresholds are positive and ascend" + wants);
    EXPECT_EQ(refusal("0s"), "thresholds are positive and ascend" + wants);
    EXPECT_EQ(refusal("1s,"), "the list ends with a comma" + wants);
    for (const char* text : {"fast", "1", "1s,,2s", "1s 2s", ","})
    {
        const std::string why = refusal(text);
        EXPECT_NE(why, "accepted") << text;
        EXPECT_NE(why.find(wants), std::string::npos) << text;
    }
}

class Las2DInScenarioTest : public SharedLinkFixture
{
};

// Demotion at 2 GPUs x 4 D. a starts at 0 and is demoted at 4 D; b comes at 6 D and goes first, is
// demoted at 10 D, and then a does again, as it started first.
TEST_F(Las2DInScenarioTest, JobsAreDemotedAsTheyAreServed)
{
    constexpr uint64_t BYTES = 5'000'000;
    const double d = MeasureSolo({"a", 5e9, BYTES});
    const Pair a{"a", 0.2 * d, BYTES, 1e9, 0};
    const Pair b{"b", 0.2 * d, BYTES, 1e9, 6 * d};
    RunPair(a,
            b,
            "{type: Las2D, Thresholds: " + Ps(8 * d) + ", Period: " + Ps(0.25 * d) + "}",
            14 * d);
    for (const auto& [job, levels] : std::vector<std::pair<std::string, std::vector<std::string>>>{
             {"a", {"level 0", "level 1", "level 0"}},
             {"b", {"level 0", "level 1"}}})
    {
        const std::string all = "SELECT d.value, d.time_ps FROM decision AS d JOIN job USING (run, "
                                "job) WHERE kind = 'priority' AND name = '" +
                                job + "' ORDER BY decision";
        std::vector<std::string> changes;
        std::vector<double> times;
        for (const std::string& row : Rows(all))
        {
            const std::string level = row.substr(0, row.find('|'));
            if (changes.empty() || changes.back() != level)
            {
                changes.push_back(level);
                times.push_back(std::stod(row.substr(row.find('|') + 1)) / d);
            }
        }
        EXPECT_EQ(changes, levels) << job;
        EXPECT_GE(times.back(), 10) << job;
        EXPECT_LE(times.back(), 10.26) << job;
    }
}

} // namespace
} // namespace ns3
