/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/campaign-database.h"
#include "../../model/results/campaign-table.h"
#include "../fixture/results-fixture.h"

using namespace ns3;
using namespace ns3::tests;

namespace
{

/// A figure of one run: GPU time of its one job within its window [0, 1 s) of 8 GPUs.
struct Sample
{
    std::string scheduler;
    uint64_t seed;
    int64_t computePs; ///< of 8e12
    std::string key{"k"};
};

class ResultsCampaignDatabaseTest : public ResultsFixture
{
  protected:
    /// Writes the database of one run.
    std::string WriteRun(const std::string& name, const Sample& sample)
    {
        const std::string path = Path(name);
        ResultDatabase database(path, true);
        RunRow run;
        run.runId = name;
        run.campaignKey = sample.key;
        run.scheduler = sample.scheduler;
        run.seed = sample.seed;
        run.status = "finished";
        run.measureToPs = 1'000'000'000'000;
        database.Insert(run);
        NodeRow node;
        node.name = "host0";
        node.kind = "host";
        node.gpus = 8;
        database.Insert(node);
        JobRow job;
        job.name = "a";
        job.gpus = 8;
        job.status = "finished";
        job.startPs = 0;
        job.endPs = 1'000'000'000'000;
        database.Insert(job);
        JobWindowRow window;
        window.endPs = 1'000'000'000'000;
        window.allocatedPs = 8'000'000'000'000;
        window.computePs = sample.computePs;
        database.Insert(window);
        // What the window is made of when it is made again: GPU 0 computes, and then waits.
        for (uint32_t gpu = 0; gpu < 8; ++gpu)
        {
            GpuAllocationRecord allocation{};
            allocation.gpu = gpu;
            allocation.endPs = 1'000'000'000'000;
            database.Insert(1, allocation);
            SpanRecord span{};
            span.gpu = gpu;
            span.kind = GpuTimeKind::COMPUTE;
            span.endPs = sample.computePs / 8;
            database.Insert(1, span);
        }
        database.Finish();
        return path;
    }

    /// Merges runs in this order.
    std::string Merge(const std::vector<Sample>& samples)
    {
        const std::string output = Path("campaign.sqlite");
        CampaignDatabase campaign(output);
        uint32_t run = 0;
        for (const Sample& sample : samples)
        {
            ++run;
            campaign.Add(WriteRun("run" + std::to_string(run), sample),
                         run,
                         run,
                         {{"scheduler", sample.scheduler},
                          {"topology.Uplinks", sample.key},
                          {"seed", std::to_string(sample.seed)}});
        }
        EXPECT_TRUE(campaign.Finish().empty());
        return output;
    }

    double Number(const std::string& file, const std::string& sql)
    {
        SQLite::Database database(file);
        SQLite::Statement query(database, sql);
        EXPECT_TRUE(query.executeStep()) << sql;
        EXPECT_FALSE(query.isColumnNull(0)) << sql;
        return query.getColumn(0).getDouble();
    }
};

const char* const UTILIZATION =
    " FROM v_scheduler_comparison WHERE job = '' AND figure = 'gpu_utilization' AND scheduler = ";

} // namespace

TEST_F(ResultsCampaignDatabaseTest, PairedDifferencesAndTheirIntervalsAreThoseByHand)
{
    // Utilisation under None 0.5, 0.6, 0.7 and under B 0.7, 0.7, 0.9 of seeds 1 to 3.
    const std::string file = Merge({{"None", 1, 4'000'000'000'000},
                                    {"None", 2, 4'800'000'000'000},
                                    {"None", 3, 5'600'000'000'000},
                                    {"B", 1, 5'600'000'000'000},
                                    {"B", 2, 5'600'000'000'000},
                                    {"B", 3, 7'200'000'000'000}});
    EXPECT_NEAR(Number(file, std::string("SELECT mean") + UTILIZATION + "'None'"), 0.6, 1e-12);
    EXPECT_NEAR(Number(file, std::string("SELECT mean") + UTILIZATION + "'B'"), 2.3 / 3, 1e-12);
    EXPECT_EQ(Number(file, std::string("SELECT pairs") + UTILIZATION + "'B'"), 3);
    // Differences 0.2, 0.1, 0.2: mean 1/6; squares of (1/30, -2/30, 1/30) sum to 6/900; variance
    // 3/900; half width t(2) sqrt(3/900/3) = 4.302653 / 30 = 0.14342.
    EXPECT_NEAR(Number(file, std::string("SELECT difference") + UTILIZATION + "'B'"),
                1.0 / 6,
                1e-12);
    EXPECT_NEAR(Number(file, std::string("SELECT half_width") + UTILIZATION + "'B'"),
                4.302653 / 30,
                1e-9);
    // Relative: 0.4, 1/6, 2/7: mean 0.284127; deviations 0.115873, -0.117460, 0.001587; squares
    // sum to 0.0272260; half width 4.302653 sqrt(0.0272260 / 2 / 3) = 0.289838.
    EXPECT_NEAR(Number(file, std::string("SELECT relative") + UTILIZATION + "'B'"), 0.284127, 1e-6);
    EXPECT_NEAR(Number(file, std::string("SELECT relative_half_width") + UTILIZATION + "'B'"),
                0.289838,
                2e-6);
    SQLite::Database database(file);
    EXPECT_EQ(
        Query(database, std::string("SELECT difference, half_width") + UTILIZATION + "'None'"),
        (std::vector<std::string>{"NULL|NULL"}));
    EXPECT_EQ(Query(database, std::string("SELECT run, combination, seeds") + UTILIZATION + "'B'"),
              (std::vector<std::string>{"4|topology.Uplinks=k|3"}));
}

TEST_F(ResultsCampaignDatabaseTest, OnePairHasADifferenceButNoInterval)
{
    const std::string file = Merge({{"None", 1, 4'000'000'000'000}, {"B", 1, 6'000'000'000'000}});
    EXPECT_NEAR(Number(file, std::string("SELECT difference") + UTILIZATION + "'B'"), 0.25, 1e-12);
    SQLite::Database database(file);
    EXPECT_EQ(Query(database, std::string("SELECT half_width") + UTILIZATION + "'B'"),
              (std::vector<std::string>{"NULL"}));
}

TEST_F(ResultsCampaignDatabaseTest, OnlyRunsOfTheSameSeedAndCombinationArePaired)
{
    // B lacks seed 1, None seed 3: one pair, seed 2: 0.75 - 0.5. Combination m is another matter.
    const std::string file = Merge({{"None", 1, 2'000'000'000'000},
                                    {"None", 2, 4'000'000'000'000},
                                    {"B", 2, 6'000'000'000'000},
                                    {"B", 3, 8'000'000'000'000},
                                    {"None", 2, 8'000'000'000'000, "m"},
                                    {"B", 2, 4'000'000'000'000, "m"}});
    SQLite::Database database(file);
    EXPECT_EQ(
        Query(database,
              std::string("SELECT combination, seeds, pairs, difference") + UTILIZATION +
                  "'B' ORDER BY run"),
        (std::vector<std::string>{"topology.Uplinks=k|2|1|0.25", "topology.Uplinks=m|1|1|-0.5"}));
}

TEST_F(ResultsCampaignDatabaseTest, PercentilesAreNearestRanks)
{
    // 20 iterations of 1 to 20 ms: the 50th percentile is the 10th, the 95th the 19th, the 99th
    // (19.8 of them) the 20th.
    const std::string path = Path("run1");
    {
        ResultDatabase database(path);
        RunRow run;
        run.runId = "run1";
        run.measureToPs = 1'000'000'000'000;
        database.Insert(run);
        JobRow job;
        job.name = "a";
        database.Insert(job);
        int64_t start = 0;
        for (int64_t i = 0; i < 21; ++i)
        {
            IterationRow row;
            row.iteration = static_cast<uint64_t>(i);
            row.startPs = start;
            // 1 to 20 in another order; the last one has no period and does not count.
            start += (i == 20 ? 99 : i * 7 % 20 + 1) * 1'000'000'000;
            row.endPs = start;
            database.Insert(row);
        }
        database.Finish();
    }
    SQLite::Database database(path);
    EXPECT_EQ(Query(database,
                    "SELECT figure, value FROM v_run_figure WHERE figure LIKE 'iteration_p%' "
                    "AND job = '' ORDER BY figure"),
              (std::vector<std::string>{"iteration_p50_ms|10.0",
                                        "iteration_p95_ms|19.0",
                                        "iteration_p99_ms|20.0"}));
    EXPECT_EQ(Query(database,
                    "SELECT value FROM v_run_figure WHERE figure = 'iteration_ms' AND job = ''"),
              (std::vector<std::string>{"10.5"}));
    EXPECT_EQ(Query(database,
                    "SELECT figure, value FROM v_run_figure WHERE figure LIKE 'iteration_%' "
                    "AND job = 'a' ORDER BY figure"),
              (std::vector<std::string>{"iteration_max_ms|20.0",
                                        "iteration_ms|10.5",
                                        "iteration_p50_ms|10.0",
                                        "iteration_p90_ms|18.0",
                                        "iteration_p99_ms|20.0"}));
}

TEST_F(ResultsCampaignDatabaseTest, AMergedRunIsTheRun)
{
    const std::string file =
        Merge({{"None", 1, 4'000'000'000'000}, {"None", 2, 6'000'000'000'000}});
    SQLite::Database merged(file);
    for (const std::string run : {"1", "2"})
    {
        SQLite::Database single(Path("run" + run));
        for (const std::string view : {"v_job", "v_cluster_utilization", "run", "span", "node"})
        {
            // The number is another one; the rest is the same.
            const auto rest = [&](SQLite::Database& database, const std::string& number) {
                std::vector<std::string> rows =
                    Query(database, "SELECT * FROM " + view + " WHERE run = " + number);
                for (std::string& row : rows)
                {
                    row.erase(0, row.find('|'));
                }
                return rows;
            };
            EXPECT_EQ(rest(merged, run), rest(single, "1")) << view;
            EXPECT_FALSE(rest(single, "1").empty()) << view;
        }
    }
    EXPECT_EQ(
        Query(merged, "SELECT * FROM campaign WHERE run = 2"),
        (std::vector<std::string>{"2|2|scheduler|None", "2|2|seed|2", "2|2|topology.Uplinks|k"}));
}

TEST_F(ResultsCampaignDatabaseTest, WhatIsNoResultIsRefused)
{
    WriteBytes(Path("text"), "no database");
    EXPECT_EQ(CampaignDatabase::ReadRunId(Path("text")), "");
    EXPECT_EQ(CampaignDatabase::ReadRunId(Path("nothing")), "");
    WriteRun("run1", {"None", 1, 0});
    EXPECT_EQ(CampaignDatabase::ReadRunId(Path("run1")), "run1");
    CampaignDatabase campaign(Path("campaign.sqlite"));
    EXPECT_THROW(campaign.Add(Path("text"), 1, 1, {}), ResultWriteError);
}

TEST_F(ResultsCampaignDatabaseTest, TheTableShowsMeansAndDifferences)
{
    const std::string file = Merge({{"None", 1, 4'000'000'000'000},
                                    {"None", 2, 4'800'000'000'000},
                                    {"B", 1, 5'600'000'000'000},
                                    {"B", 2, 5'600'000'000'000}});
    std::ostringstream text;
    CampaignTable(file).Print("scheduler", text);
    EXPECT_NE(text.str().find("topology.Uplinks=k: 2 seeds\n"), std::string::npos) << text.str();
    // Differences 20 and 10 points: 15 +- 12.706 x 7.0711 / sqrt(2) = 63.53.
    EXPECT_NE(text.str().find(" 55.00   70.00   +15.00 +- 63.53"), std::string::npos) << text.str();
}

TEST_F(ResultsCampaignDatabaseTest, AnyAxisIsComparedWithItsFirstValue)
{
    // Utilisation with 4 uplinks 0.5 and 0.6, with 8 0.7 and 0.7 under None; 0.8 and 0.9, 0.9 and
    // 0.9 under B.
    const std::string file = Merge({{"None", 1, 4'000'000'000'000, "4"},
                                    {"None", 2, 4'800'000'000'000, "4"},
                                    {"B", 1, 6'400'000'000'000, "4"},
                                    {"B", 2, 7'200'000'000'000, "4"},
                                    {"None", 1, 5'600'000'000'000, "8"},
                                    {"None", 2, 5'600'000'000'000, "8"},
                                    {"B", 1, 7'200'000'000'000, "8"},
                                    {"B", 2, 7'200'000'000'000, "8"}});
    SQLite::Database database(file);
    EXPECT_EQ(Query(database,
                    "SELECT combination, value, run, seeds, round(mean, 9), pairs, "
                    "round(difference, 9) FROM v_axis_comparison "
                    "WHERE axis = 'topology.Uplinks' AND job = '' AND figure = 'gpu_utilization'"),
              (std::vector<std::string>{"scheduler=None|4|1|2|0.55|0|NULL",
                                        "scheduler=B|4|3|2|0.85|0|NULL",
                                        "scheduler=None|8|5|2|0.7|2|0.15",
                                        "scheduler=B|8|7|2|0.9|2|0.05"}));
    // The axis of schedulers is v_scheduler_comparison.
    EXPECT_EQ(Query(database,
                    "SELECT COUNT(*) FROM v_axis_comparison AS a JOIN v_scheduler_comparison AS s "
                    "ON s.run = a.run AND s.job = a.job AND s.figure = a.figure "
                    "AND s.mean = a.mean AND s.difference IS a.difference "
                    "AND s.half_width IS a.half_width WHERE a.axis = 'scheduler'"),
              Query(database, "SELECT COUNT(*) FROM v_scheduler_comparison"));
    std::ostringstream text;
    CampaignTable(file).PrintFigure("topology.Uplinks", "gpu_utilization", "", text);
    EXPECT_NE(text.str().find("GPU utilization [%]\n"), std::string::npos) << text.str();
    // Differences 20 and 10 points, as above.
    EXPECT_NE(text.str().find("scheduler=None      2  55.00  70.00  +15.00 +- 63.53"),
              std::string::npos)
        << text.str();
    EXPECT_THROW(CampaignTable(file).Print("topology.Downlinks", text), std::runtime_error);
    EXPECT_THROW(CampaignTable(file).PrintFigure("scheduler", "gpus", "", text),
                 std::runtime_error);
    EXPECT_THROW(CampaignTable(file).PrintFigure("scheduler", "iteration_ms", "x", text),
                 std::runtime_error);
}
