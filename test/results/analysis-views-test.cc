/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/result-database.h"
#include "../fixture/results-fixture.h"
#include "../fixture/scenario-run-fixture.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The views of distributions and contention on handmade rows.
class AnalysisSchemaTest : public tests::ResultsFixture
{
  protected:
    using Strings = std::vector<std::string>;

    void SetUp() override
    {
        tests::ResultsFixture::SetUp();
        m_database = std::make_unique<ResultDatabase>(Path("out.db"));
    }

    void TearDown() override
    {
        m_database.reset();
        tests::ResultsFixture::TearDown();
    }

    /// A run with a measuring window [ms].
    void InsertRun(int64_t fromMs, int64_t toMs)
    {
        RunRow run;
        run.runId = "run";
        run.measureFromPs = fromMs * MS;
        run.measureToPs = toMs * MS;
        m_database->Insert(run);
    }

    void InsertJob(uint32_t job, const std::string& name)
    {
        JobRow row;
        row.job = job;
        row.name = name;
        m_database->Insert(row);
    }

    /// Iterations of these lengths [ms], one after the other from 0.
    void InsertIterations(uint32_t job, const std::vector<int64_t>& lengths)
    {
        int64_t now = 0;
        for (size_t i = 0; i < lengths.size(); ++i)
        {
            IterationRow row;
            row.job = job;
            row.iteration = i;
            row.startPs = now;
            now += lengths[i] * MS;
            row.endPs = now;
            m_database->Insert(row);
        }
    }

    void InsertCollective(uint32_t job, uint32_t number, int64_t posted, int64_t end)
    {
        CollectiveRecord record;
        record.job = job;
        record.communicator = 0;
        record.collective = number;
        record.operation = "all-reduce";
        record.algorithm = "Ring";
        record.firstPostPs = posted - 1;
        record.lastPostPs = posted;
        record.endPs = end;
        m_database->Insert(1, record);
    }

    void InsertBytes(uint32_t job, uint32_t link, uint8_t priority, uint64_t bytes)
    {
        JobLinkCounters counters;
        counters.job = job;
        counters.link = link;
        counters.priority = priority;
        counters.bytes = bytes;
        m_database->Insert(1, counters);
    }

    void InsertTransfer(uint32_t message,
                        uint32_t job,
                        uint8_t priority,
                        int64_t startUs,
                        int64_t us)
    {
        TransferRecord record;
        record.queuePair = job == NO_ID ? 9 : job;
        record.message = message;
        record.job = job;
        record.priority = priority;
        record.startPs = startUs * US;
        record.completedPs = us < 0 ? 0 : (startUs + us) * US;
        m_database->Insert(1, TransferRow{record, 0, 1});
    }

    Strings Select(const std::string& sql)
    {
        return Query(m_database->GetHandle(), sql);
    }

    static constexpr int64_t US = 1'000'000;     ///< [ps]
    static constexpr int64_t MS = 1'000'000'000; ///< [ps]

    std::unique_ptr<ResultDatabase> m_database;
};

// 20 iterations of 1 to 20 ms: the 50th percentile is the 10th, the 90th the 18th, the 99th (19.8
// of them) the 20th. The last one ends when all is drained, and counts only where it is the only
// one.
TEST_F(AnalysisSchemaTest, PercentilesAreNearestRanks)
{
    InsertRun(0, 1000);
    InsertJob(0, "a");
    InsertJob(1, "b");
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < 20; ++i)
    {
        lengths.push_back(i * 7 % 20 + 1); // 1 to 20 in another order
    }
    lengths.push_back(100);
    InsertIterations(0, lengths);
    InsertIterations(1, {5});
    EXPECT_EQ(Select("SELECT * FROM v_iteration_percentile ORDER BY job"),
              (Strings{"1|a|20|10.0|18.0|20.0|20.0|0", "1|b|1|5.0|5.0|5.0|5.0|0"}));
}

// Only what starts and ends in the window [10, 40) ms: 20 and 5 ms, while one of 30 ms only starts
// in it; of a job that has nothing there, all but the last.
TEST_F(AnalysisSchemaTest, PercentilesAreThoseOfTheWindow)
{
    InsertRun(10, 40);
    InsertJob(0, "a");
    InsertJob(1, "b");
    InsertIterations(0, {10, 20, 5, 30}); // 0, 10, 30, 35 to 65
    InsertIterations(1, {100, 200, 1});
    EXPECT_EQ(Select("SELECT * FROM v_iteration_percentile ORDER BY job"),
              (Strings{"1|a|2|5.0|20.0|20.0|20.0|1", "1|b|2|100.0|200.0|200.0|200.0|0"}));
}

// Jobs a and b are in an iteration when the run ends, which began in the window of a.
TEST_F(AnalysisSchemaTest, IterationsCutByTheEndAreCounted)
{
    InsertRun(10, 40);
    for (uint32_t job = 0; job < 2; ++job)
    {
        JobRow row;
        row.job = job;
        row.name = job == 0 ? "a" : "b";
        row.openIterationPs = (job == 0 ? 35 : 300) * MS;
        m_database->Insert(row);
    }
    InsertIterations(0, {10, 20, 5});
    InsertIterations(1, {100, 200});
    EXPECT_EQ(Select("SELECT job, iterations, censored FROM v_iteration_percentile ORDER BY job"),
              (Strings{"a|1|1", "b|1|1"}));
}

// Means 10 and 100 ms, standard deviations 2 and 1 ms: 95 % intervals of +- 4.302653 s / sqrt(3).
// c has two iterations, too few whatever their spread; d none in the window; e only one at all.
TEST_F(AnalysisSchemaTest, MeansHaveIntervals)
{
    InsertRun(10, 1000);
    for (uint32_t job = 0; job < 5; ++job)
    {
        InsertJob(job, std::string(1, static_cast<char>('a' + job)));
    }
    InsertIterations(0, {10, 10, 12, 8, 99});
    InsertIterations(1, {10, 100, 101, 99, 3});
    InsertIterations(2, {10, 100, 100, 3});
    InsertIterations(3, {5, 2000, 2000, 2000, 3});
    InsertIterations(4, {7});
    const std::string columns =
        "job, first_iteration, last_iteration, iterations, within, mean_ms, "
        "ROUND(half_width, 6), enough";
    EXPECT_EQ(Select("SELECT " + columns + " FROM v_iteration_interval ORDER BY job"),
              (Strings{"a|1|3|3|1|10.0|0.496828|0",
                       "b|1|3|3|1|100.0|0.024841|1",
                       "c|1|2|2|1|100.0|0.0|0",
                       "d|0|3|4|0|1501.25|1.057282|0",
                       "e|0|0|1|0|7.0|NULL|0"}));
    // v_job has the same means.
    EXPECT_EQ(Select("SELECT iteration_ms FROM v_job ORDER BY job"),
              (Strings{"10.0", "100.0", "100.0", "1501.25", "7.0"}));
}

// A row that stands for nine iterations counts as nine: of 9 x 10 ms and 1 x 30 ms the 90th
// percentile is 10.
TEST_F(AnalysisSchemaTest, PercentilesCountEachIteration)
{
    InsertRun(0, 1000);
    InsertJob(0, "a");
    IterationRow row;
    row.count = 9;
    row.endPs = 90 * MS;
    m_database->Insert(row);
    row.iteration = 9;
    row.count = 1;
    row.startPs = 90 * MS;
    row.endPs = 120 * MS;
    m_database->Insert(row);
    row.iteration = 10;
    row.startPs = 120 * MS;
    row.endPs = 500 * MS;
    m_database->Insert(row);
    EXPECT_EQ(Select("SELECT * FROM v_iteration_percentile"),
              Strings{"1|a|10|10.0|10.0|30.0|30.0|0"});
}

// Job a communicates in [0, 10) and [20, 30), b in [5, 15) (two collectives that overlap, one
// within the other) and [22, 24): 20 and 12 ps, 5 + 2 together. Of a's 1086 bytes 7/20 were sent
// then, of b's 600 bytes 7/12: the lesser is 350. c communicates while no other does. d, of which
// no collective is recorded, is bound by its bytes; e is on another link.
TEST_F(AnalysisSchemaTest, ContentionIsWhatWasSentTogether)
{
    InsertRun(0, 1000);
    for (uint32_t job = 0; job < 5; ++job)
    {
        InsertJob(job, std::string(1, static_cast<char>('a' + job)));
    }
    for (uint32_t link = 0; link < 2; ++link)
    {
        LinkRow row;
        row.link = link;
        row.name = "link" + std::to_string(link);
        m_database->Insert(row);
    }
    InsertCollective(0, 0, 0, 10);
    InsertCollective(0, 1, 20, 30);
    InsertCollective(1, 0, 5, 15);
    InsertCollective(1, 1, 7, 9);
    InsertCollective(1, 2, 22, 24);
    InsertCollective(2, 0, 15, 20);
    InsertCollective(4, 0, 0, 30);
    InsertCollective(2, 1, -1, -1); // under way when the run ends
    InsertBytes(0, 0, 6, 1000);
    InsertBytes(0, 0, 7, 86);
    InsertBytes(1, 0, 6, 600);
    InsertBytes(2, 0, 6, 5000);
    InsertBytes(3, 0, 6, 70);
    InsertBytes(4, 1, 6, 900);
    EXPECT_EQ(Select("SELECT * FROM v_contention ORDER BY job_a, job_b"),
              (Strings{"1|link0|a|b|350",
                       "1|link0|a|c|0",
                       "1|link0|a|d|70",
                       "1|link0|b|c|0",
                       "1|link0|b|d|70",
                       "1|link0|c|d|70"}));
}

// Times of 1, 2, 2 and 4 us, and one that is not acknowledged, which takes longer; each job and
// priority is a class of its own.
TEST_F(AnalysisSchemaTest, TransfersByJobAndPriority)
{
    InsertRun(0, 1000);
    InsertJob(0, "a");
    InsertTransfer(0, 0, 6, 10, 2);
    InsertTransfer(1, 0, 6, 20, 1);
    InsertTransfer(2, 0, 6, 30, 4);
    InsertTransfer(3, 0, 6, 40, 2);
    InsertTransfer(4, 0, 5, 50, 9);
    InsertTransfer(5, 0, 6, 60, -1);
    InsertTransfer(0, NO_ID, 6, 70, 8);
    EXPECT_EQ(Select("SELECT * FROM v_transfer_cdf ORDER BY job, priority, value_us"),
              (Strings{"1|NULL|6|8.0|1.0|0",
                       "1|a|5|9.0|1.0|0",
                       "1|a|6|1.0|0.2|1",
                       "1|a|6|2.0|0.6|1",
                       "1|a|6|4.0|0.8|1"}));
}

TEST_F(AnalysisSchemaTest, ViewsHaveTheirColumns)
{
    const auto columns = [this](const std::string& view) {
        return Select("SELECT group_concat(name, ' ') FROM pragma_table_info('" + view + "')");
    };
    EXPECT_EQ(columns("v_measured_iteration"),
              Strings{"run job iteration count start_ps end_ps ps bytes marked_frames within"});
    EXPECT_EQ(columns("v_iteration_percentile"),
              Strings{"run job iterations p50_ms p90_ms p99_ms max_ms censored"});
    EXPECT_EQ(columns("v_contention"), Strings{"run link job_a job_b overlap_bytes"});
    EXPECT_EQ(columns("v_transfer_cdf"), Strings{"run job priority value_us fraction censored"});
}

/// The same of runs.
class AnalysisOfRunsTest : public SharedLinkFixture
{
};

// Two equal jobs that begin together always meet: all that they send (their acknowledgements, too)
// overlaps. An all-reduce later they never do. Computing takes as long as the all-reduce alone.
TEST_F(AnalysisOfRunsTest, JobsMeetOrTakeTurns)
{
    constexpr uint64_t BYTES = 2'000'000;
    const double d = MeasureSolo({"a", 1 * MS, BYTES});
    // One ACK beyond those of the jobs' own data: 2 messages an iteration, 10 iterations.
    const double bytes = 10 * 2 * static_cast<double>(WireBytes(BYTES / 2) + AckBytes(BYTES / 2));
    for (const double offset : {0.0, 1.0})
    {
        Run(Network() + "measure: {from: 0us, to: 1s}\nrecord: [jobs, collectives, transfers]\n" +
            "jobs:\n" + Job({"a", d, BYTES, 1e9, 0, 10}) +
            Job({"b", d, BYTES, 1e9, offset * d * 1.001, 10}));
        EXPECT_EQ(Rows("SELECT job_a, job_b FROM v_contention WHERE link = 'left-right'"),
                  std::vector<std::string>{"a|b"});
        const double overlap =
            Real("SELECT overlap_bytes FROM v_contention WHERE link = 'left-right'");
        EXPECT_NEAR(overlap / bytes, 1 - offset, 0.01) << offset;
        // Start to start, (C + 2 D) together and (C + D) in turns, each iteration the same.
        for (const std::string column : {"p50_ms", "p90_ms", "p99_ms", "max_ms"})
        {
            EXPECT_NEAR(Real("SELECT " + column + " FROM v_iteration_percentile") * MS / d,
                        3 - offset,
                        0.02)
                << column << " " << offset;
        }
        // Each job's two messages both ways, in ten iterations; half of D each alone, D together.
        EXPECT_EQ(Rows("SELECT job, priority, MAX(fraction) FROM v_transfer_cdf GROUP BY job"),
                  (std::vector<std::string>{"a|6|1.0", "b|6|1.0"}));
        EXPECT_NEAR(Real("SELECT value_us FROM v_transfer_cdf WHERE job = 'a' AND fraction >= 0.5 "
                         "ORDER BY value_us") *
                        US / d,
                    offset > 0 ? 0.5 : 1,
                    0.02);
    }
}

} // namespace
