/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/result-database.h"
#include "../fixture/results-fixture.h"

#include <algorithm>
#include <functional>
#include <random>

namespace ns3
{
namespace tests
{

class ResultDatabaseTest : public ResultsFixture
{
  protected:
    static std::string GetColumns(SQLite::Database& database, const std::string& table)
    {
        std::string columns;
        for (const std::string& name :
             Query(database, "SELECT name FROM pragma_table_info('" + table + "')"))
        {
            columns += (columns.empty() ? "" : " ") + name;
        }
        return columns;
    }

    static SpanRecord MakeSpan(uint32_t index)
    {
        SpanRecord span;
        span.job = index % 3;
        span.gpu = index % 8;
        span.kind = index % 2 == 0 ? GpuTimeKind::COMPUTE : GpuTimeKind::EXPOSED_COMMUNICATION;
        span.startPs = int64_t{1'000'000} * index;
        span.endPs = span.startPs + 1'000 + index;
        return span;
    }

    /// Writes the same content in an order that depends on the seed.
    void WriteShuffled(const std::string& output, uint32_t seed, uint32_t batchRows)
    {
        ResultDatabase database(output, false, batchRows);
        std::vector<std::function<void()>> inserts;
        for (uint32_t run = 1; run <= 2; ++run)
        {
            inserts.emplace_back([&database, run] {
                RunRow row;
                row.run = run;
                row.scenarioText = std::string(5'000, 'x'); // more than a page
                database.Insert(row);
            });
            for (uint32_t index = 0; index < 20'000; ++index)
            {
                inserts.emplace_back(
                    [&database, run, index] { database.Insert(run, MakeSpan(index)); });
            }
            for (uint32_t index = 0; index < 500; ++index)
            {
                inserts.emplace_back([&database, run, index] {
                    database.Insert(JobUtilizationRow{run,
                                                      index % 5,
                                                      index * int64_t{10},
                                                      0,
                                                      1,
                                                      2,
                                                      3,
                                                      4,
                                                      5,
                                                      index / 3.0,
                                                      7});
                    DecisionRecord decision;
                    decision.decision = index;
                    decision.inputs = R"({"k": 1})";
                    database.Insert(run, decision);
                });
            }
        }
        std::shuffle(inserts.begin(), inserts.end(), std::mt19937(seed));
        for (const auto& insert : inserts)
        {
            insert();
        }
        EXPECT_TRUE(database.Finish().empty());
    }
};

TEST_F(ResultDatabaseTest, TablesHaveTheirColumns)
{
    const std::vector<std::pair<std::string, std::string>> expected{
        {"run",
         "run run_id campaign_key scenario scenario_text scheduler placement variant seed versions "
         "mode status end_ps events measure_from_ps measure_to_ps measure_note peak_flops_per_gpu"},
        {"parameter", "run name value origin"},
        {"node", "run node name kind gpus"},
        {"link", "run link name source destination source_port rate_bps delay_ps"},
        {"job",
         "run job name model gpus batch scale w_flop gradient_bytes solo_iteration_ps comm_ps "
         "arrival_ps start_ps end_ps status open_iteration_ps"},
        {"job_event", "run job event time_ps kind detail"},
        {"gpu_allocation", "run gpu job start_ps end_ps"},
        {"gpu_failure", "run gpu start_ps end_ps"},
        {"iteration",
         "run job iteration count start_ps end_ps compute_ps exposed_ps peer_wait_ps shift_ps "
         "bytes "
         "marked_frames retransmitted_bytes extrapolated"},
        {"span", "run job gpu kind start_ps end_ps"},
        {"job_utilization",
         "run job start_ps end_ps compute_ps exposed_ps peer_wait_ps shift_ps failed_ps flops "
         "bytes"},
        {"job_window",
         "run job start_ps end_ps allocated_ps compute_ps exposed_ps peer_wait_ps shift_ps "
         "failed_ps flops"},
        {"collective",
         "run job communicator collective iteration op algorithm protocol bytes channels ranks "
         "first_post_ps last_post_ps end_ps bus_bandwidth_bps"},
        {"transfer",
         "run queue_pair message job communicator collective step channel source destination "
         "source_nic destination_nic bytes priority start_ps delivered_ps completed_ps "
         "retransmitted_bytes delivered_bytes"},
        {"queue_pair",
         "run queue_pair job source destination channel udp_source_port priority source_nic "
         "destination_nic created_ps"},
        {"queue_pair_change",
         "run queue_pair change time_ps old new old_priority new_priority decision"},
        {"job_link", "run job link priority bytes frames marked_frames busy_ps queue_ps paused_ps"},
        {"link_sample",
         "run link priority time_ps frames bytes marked_frames dropped_frames busy_ps paused_ps "
         "queue_bytes"},
        {"link_window",
         "run link priority start_ps end_ps frames bytes marked_frames dropped_frames busy_ps "
         "paused_ps"},
        {"pause", "run link priority start_ps end_ps caused_by_link"},
        {"fabric_event", "run time_ps node event kind link queue_pair priority detail"},
        {"decision", "run decision time_ps scheduler trigger job kind value inputs reason"},
        {"invariant", "run name expected actual"},
        {"import_summary", "run source what read skipped estimated"},
        {"bottleneck",
         "run job link iteration_ps carried_ps done_flop carried_flop bound_flop note"},
        {"campaign", "run point axis value"},
    };
    ResultDatabase database(Path("out.db"));
    for (const auto& [table, columns] : expected)
    {
        EXPECT_EQ(GetColumns(database.GetHandle(), table), columns) << table;
    }
    EXPECT_EQ(
        Query(database.GetHandle(), "SELECT COUNT(*) FROM pragma_table_list WHERE strict = 1"),
        Rows{std::to_string(expected.size())});
    EXPECT_EQ(Query(database.GetHandle(), "SELECT COUNT(*) FROM pragma_table_list WHERE wr = 1"),
              Rows{std::to_string(expected.size())});
}

TEST_F(ResultDatabaseTest, ViewsHaveTheirColumns)
{
    ResultDatabase database(Path("out.db"));
    EXPECT_EQ(GetColumns(database.GetHandle(), "v_job"),
              "run job status gpus iterations iteration_ms gpu_utilization exposed_fraction "
              "slowdown intensity jct_s wait_s");
    EXPECT_EQ(GetColumns(database.GetHandle(), "v_cluster_utilization"),
              "run gpu_utilization gpu_utilization_all flop_utilization");
    EXPECT_EQ(GetColumns(database.GetHandle(), "v_transfer"),
              "run transfer source destination bytes priority start_us delivered_us completed_us "
              "retransmitted_bytes job delivered_bytes");
    EXPECT_EQ(GetColumns(database.GetHandle(), "v_link_utilization"),
              "run link name rate_gbps bytes busy_fraction utilization marked_frames "
              "paused_fraction");
    EXPECT_EQ(GetColumns(database.GetHandle(), "v_bottleneck"),
              "run link jobs done_flop carried_flop bound_flop jobs_outside busy_fraction");
    EXPECT_EQ(GetColumns(database.GetHandle(), "v_run_figure"), "run job figure value");
    EXPECT_EQ(
        GetColumns(database.GetHandle(), "v_scheduler_comparison"),
        "run combination scheduler job figure seeds mean pairs difference half_width relative "
        "relative_half_width");
}

TEST_F(ResultDatabaseTest, EqualContentGivesEqualBytes)
{
    WriteShuffled(Path("a.db"), 1, 10'000);
    WriteShuffled(Path("b.db"), 2, 7);
    WriteShuffled(Path("c.db"), 3, 1'000'000);
    const std::string a = ReadBytes(Path("a.db"));
    // 40,000 spans of at least 30 bytes.
    EXPECT_GT(a.size(), 1'200'000U);
    EXPECT_TRUE(a == ReadBytes(Path("b.db")));
    EXPECT_TRUE(a == ReadBytes(Path("c.db")));
}

TEST_F(ResultDatabaseTest, ReplacedRowsLeaveNoTrace)
{
    const auto write = [&](const std::string& output, bool twice) {
        ResultDatabase database(output, false, 1);
        RunRow row;
        if (twice)
        {
            row.status = "running";
            row.scenarioText = std::string(20'000, 'y');
            database.Insert(row);
        }
        row.status = "finished";
        row.scenarioText = "text";
        database.Insert(row);
        database.Finish();
    };
    write(Path("once.db"), false);
    write(Path("twice.db"), true);
    EXPECT_TRUE(ReadBytes(Path("once.db")) == ReadBytes(Path("twice.db")));
}

TEST_F(ResultDatabaseTest, OutputIsAnOrdinaryDatabase)
{
    ResultDatabase database(Path("out.db"));
    database.Insert(RunRow());
    database.Finish();
    EXPECT_EQ(Query(Path("out.db"), "PRAGMA application_id"), Rows{"1735423334"}); // 0x67707566
    EXPECT_EQ(Query(Path("out.db"), "PRAGMA user_version"), Rows{"1"});
    EXPECT_EQ(Query(Path("out.db"), "PRAGMA page_size"), Rows{"4096"});
    EXPECT_EQ(Query(Path("out.db"), "PRAGMA encoding"), Rows{"UTF-8"});
    EXPECT_EQ(Query(Path("out.db"), "PRAGMA journal_mode"), Rows{"delete"});
    EXPECT_EQ(Query(Path("out.db"), "PRAGMA integrity_check"), Rows{"ok"});
    // Nothing but the output is left.
    size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(m_folder))
    {
        ++files;
    }
    EXPECT_EQ(files, 1U);
}

TEST_F(ResultDatabaseTest, RefusesAnExistingOutput)
{
    WriteBytes(Path("out.db"), "old");
    EXPECT_TRUE(ResultDatabase::Exists(Path("out.db")));
    EXPECT_FALSE(ResultDatabase::Exists(Path("other.db")));
    EXPECT_THROW(ResultDatabase database(Path("out.db")), ResultExistsError);
    EXPECT_EQ(ReadBytes(Path("out.db")), "old");
    EXPECT_FALSE(std::filesystem::exists(Path("out.db.partial")));
}

TEST_F(ResultDatabaseTest, OverwritesOnlyWhenFinished)
{
    WriteBytes(Path("out.db"), "old");
    ResultDatabase database(Path("out.db"), true);
    database.Insert(RunRow());
    database.Flush();
    EXPECT_EQ(ReadBytes(Path("out.db")), "old");
    database.Finish();
    EXPECT_EQ(Query(Path("out.db"), "SELECT COUNT(*) FROM run"), Rows{"1"});
}

TEST_F(ResultDatabaseTest, RefusesAnOutputThatAppearsDuringTheRun)
{
    ResultDatabase database(Path("out.db"));
    database.Insert(RunRow());
    WriteBytes(Path("out.db"), "other");
    EXPECT_THROW(database.Finish(), ResultWriteError);
    EXPECT_EQ(ReadBytes(Path("out.db")), "other");
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM run"), Rows{"1"});
    EXPECT_FALSE(std::filesystem::exists(Path("out.db.partial.vacuum")));
}

TEST_F(ResultDatabaseTest, RefusesASecondWriter)
{
    ResultDatabase first(Path("out.db"));
    first.Insert(RunRow());
    first.Flush();
    EXPECT_THROW(ResultDatabase second(Path("out.db"), true), ResultExistsError);
    first.Finish();
    EXPECT_EQ(Query(Path("out.db"), "SELECT COUNT(*) FROM run"), Rows{"1"});
}

TEST_F(ResultDatabaseTest, PartialFileIsReadableDuringTheRun)
{
    ResultDatabase database(Path("out.db"), false, 3);
    for (uint32_t index = 0; index < 7; ++index)
    {
        database.Insert(1, MakeSpan(index));
    }
    // Two batches of three; the seventh row is not committed.
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM span"), Rows{"6"});
    database.Flush();
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM span"), Rows{"7"});
    // A reader in the middle of a query stops neither rows nor Finish().
    SQLite::Database reader(Path("out.db.partial"), SQLite::OPEN_READONLY);
    SQLite::Statement query(reader, "SELECT gpu FROM span");
    ASSERT_TRUE(query.executeStep());
    database.Insert(1, MakeSpan(7));
    database.Finish();
    EXPECT_EQ(Query(Path("out.db"), "SELECT COUNT(*) FROM span"), Rows{"8"});
}

TEST_F(ResultDatabaseTest, AbandonedPartialFileStays)
{
    {
        ResultDatabase database(Path("out.db"));
        database.Insert(1, MakeSpan(0));
        database.Flush();
        database.Insert(1, MakeSpan(1)); // not committed
    }
    EXPECT_FALSE(std::filesystem::exists(Path("out.db")));
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM span"), Rows{"1"});
    // The next run of the same output begins anew.
    ResultDatabase database(Path("out.db"));
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM span"), Rows{"0"});
}

TEST_F(ResultDatabaseTest, DiscardRemovesThePartialFile)
{
    WriteBytes(Path("out.db"), "old");
    ResultDatabase database(Path("out.db"), true);
    database.Insert(1, MakeSpan(0));
    database.Flush();
    database.Discard();
    EXPECT_EQ(ReadBytes(Path("out.db")), "old");
    EXPECT_FALSE(std::filesystem::exists(Path("out.db.partial")));
    EXPECT_FALSE(std::filesystem::exists(Path("out.db.partial-wal")));
    EXPECT_FALSE(std::filesystem::exists(Path("out.db.partial-shm")));
}

TEST_F(ResultDatabaseTest, FullDiskIsAnErrorAndLeavesTheOldOutput)
{
    WriteBytes(Path("out.db"), "old");
    ResultDatabase database(Path("out.db"), true, 100);
    database.Insert(RunRow());
    database.Flush();
    const auto pages = Query(database.GetHandle(), "PRAGMA page_count");
    database.GetHandle().exec("PRAGMA max_page_count = " + pages.front());
    const auto fill = [&] {
        for (uint32_t index = 0; index < 100'000; ++index)
        {
            database.Insert(1, MakeSpan(index));
        }
    };
    EXPECT_THROW(fill(), ResultWriteError);
    // Nothing succeeds after a lost row, or the output would lack it.
    EXPECT_THROW(database.Insert(RunRow()), ResultWriteError);
    EXPECT_THROW(database.Finish(), ResultWriteError);
    EXPECT_EQ(ReadBytes(Path("out.db")), "old");
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM run"), Rows{"1"});
}

TEST_F(ResultDatabaseTest, UnwritableFolderIsAnError)
{
    EXPECT_THROW(ResultDatabase database(Path("none/out.db")), ResultWriteError);
    std::filesystem::create_directory(Path("folder"));
    EXPECT_THROW(ResultDatabase database(Path("folder"), true), ResultWriteError);
}

TEST_F(ResultDatabaseTest, FailedRenameLeavesThePartialFile)
{
    ResultDatabase database(Path("out.db"), true);
    database.Insert(RunRow());
    // A folder that is not empty cannot be replaced by a file.
    std::filesystem::create_directories(Path("out.db/inside"));
    EXPECT_THROW(database.Finish(), ResultWriteError);
    EXPECT_EQ(Query(Path("out.db.partial"), "SELECT COUNT(*) FROM run"), Rows{"1"});
    EXPECT_FALSE(std::filesystem::exists(Path("out.db.partial.vacuum")));
}

TEST_F(ResultDatabaseTest, RowOfAKeyThatIsThereIsAnError)
{
    ResultDatabase database(Path("out.db"));
    database.Insert(1, MakeSpan(0));
    EXPECT_THROW(database.Insert(1, MakeSpan(0)), ResultWriteError);
}

TEST_F(ResultDatabaseTest, FinishReturnsViolatedInvariants)
{
    ResultDatabase database(Path("out.db"));
    database.InsertInvariant(1, "frames", 10, 10);
    database.InsertInvariant(2, "frames", 10, 9);
    database.InsertInvariant(1, "bytes", 5, 6);
    const std::vector<InvariantRow> violated = database.Finish();
    ASSERT_EQ(violated.size(), 2U);
    EXPECT_EQ(violated[0].run, 1U);
    EXPECT_EQ(violated[0].name, "bytes");
    EXPECT_EQ(violated[0].expected, 5);
    EXPECT_EQ(violated[0].actual, 6);
    EXPECT_EQ(violated[1].run, 2U);
    // The output is there all the same, to be looked into.
    EXPECT_EQ(Query(Path("out.db"), "SELECT COUNT(*) FROM invariant"), Rows{"3"});
}

TEST_F(ResultDatabaseTest, NamesThatLookLikeUrisAreFiles)
{
    const std::filesystem::path here = std::filesystem::current_path();
    std::filesystem::current_path(m_folder);
    ResultDatabase database("file:out.db?mode=memory");
    database.Insert(RunRow());
    database.Finish();
    std::filesystem::current_path(here);
    EXPECT_TRUE(std::filesystem::exists(Path("file:out.db?mode=memory")));
}

} // namespace tests
} // namespace ns3
