/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/job-recorder.h"
#include "../fixture/results-two-jobs.h"

namespace ns3
{
namespace tests
{

class JobRecorderTest : public ResultsTwoJobs
{
  protected:
    /// Writes one run of the two jobs and keeps the database open.
    MeasuringWindow Record(const MeasureSpec& measure = {}, const RecordSpec& record = {})
    {
        m_database = std::make_unique<ResultDatabase>(Path("out.db"));
        return WriteRun(*m_database, 1, "Crux", measure, record);
    }

    Rows Select(const std::string& sql)
    {
        return Query(m_database->GetHandle(), sql);
    }

    std::unique_ptr<ResultDatabase> m_database;
};

TEST_F(JobRecorderTest, FindsTheWindow)
{
    const MeasuringWindow window = Record();
    // The second iterations end at 40 ms (a) and 30 ms (b); a ends at 60 ms.
    EXPECT_EQ(window.fromPs, 40 * MS);
    EXPECT_EQ(window.toPs, 60 * MS);
}

TEST_F(JobRecorderTest, AddsUpTheWindow)
{
    Record();
    // a: 2 GPUs x 20 ms; compute 2 x 12; exposed 8 + 6; peer 2; W x 24 / 24.
    // b: 1 GPU x 20 ms; compute 2 x 5; exposed 2 x 4; shift 2 x 1; W x 10 / 5.
    EXPECT_EQ(
        Select("SELECT job, start_ps/1000000000, end_ps/1000000000, allocated_ps/1000000000,"
               " compute_ps/1000000000, exposed_ps/1000000000, peer_wait_ps/1000000000,"
               " shift_ps/1000000000, failed_ps, flops FROM job_window"),
        (Rows{"0|40|60|40|24|14|2|0|0|1000000000000.0", "1|40|60|20|10|8|0|2|0|4000000000000.0"}));
}

TEST_F(JobRecorderTest, CutsSpansAtTheWindow)
{
    MeasureSpec measure;
    measure.fromPs = 45 * MS;
    measure.toPs = 53 * MS;
    Record(measure);
    // a, GPU 0: compute [45, 52), exposed [52, 53). GPU 1: compute [45, 52), peer [52, 53).
    // b: exposed [45, 49), shift [49, 50), compute [50, 53).
    EXPECT_EQ(Select("SELECT job, allocated_ps/1000000000, compute_ps/1000000000,"
                     " exposed_ps/1000000000, peer_wait_ps/1000000000, shift_ps/1000000000"
                     " FROM job_window"),
              (Rows{"0|16|14|1|1|0", "1|8|3|4|0|1"}));
    // No iteration lies in the window: the mean is over all.
    EXPECT_EQ(Select("SELECT job, iteration_ms FROM v_job"), (Rows{"a|20.0", "b|10.0"}));
}

TEST_F(JobRecorderTest, JobsAreSeenInTheView)
{
    Record();
    EXPECT_EQ(Select("SELECT run, job, status, gpus, iterations, iteration_ms FROM v_job"),
              (Rows{"1|a|finished|2|3|20.0", "1|b|finished|1|6|10.0"}));
    // 24 / 40 and 10 / 20; 14 / 40 and 8 / 20.
    EXPECT_EQ(Select("SELECT gpu_utilization, exposed_fraction FROM v_job"),
              (Rows{"0.6|0.35", "0.5|0.4"}));
    // 20 ms / 16 ms, and unknown; 1e12 FLOP / 8 ms, and unknown.
    EXPECT_EQ(Select("SELECT slowdown, intensity FROM v_job"),
              (Rows{"1.25|125000000000000.0", "NULL|NULL"}));
    // 60 - 0 and 70 - 5; 0 - 0 and 10 - 5.
    EXPECT_EQ(Select("SELECT jct_s, wait_s FROM v_job"), (Rows{"0.06|0.0", "0.065|0.005"}));
}

TEST_F(JobRecorderTest, IterationTimeIsOfThoseInsideTheWindow)
{
    ResultDatabase database(Path("out.db"));
    RecordedRun recorder(database, 1, 1, {}, {});
    recorder.AddJob(MakeJob("a", 1, 0));
    const std::vector<int64_t> starts{0, 10, 30, 35, 50, 999}; // [ms]
    for (size_t k = 0; k + 1 < starts.size(); ++k)
    {
        recorder.OnIteration({0, k, starts[k] * MS, starts[k + 1] * MS, 0, 0, 0, 0, 0});
    }
    const auto getMean = [&](int64_t from, int64_t to) {
        RunRow row;
        row.measureFromPs = from * MS;
        row.measureToPs = to * MS;
        database.Insert(row);
        return Query(database.GetHandle(), "SELECT iteration_ms FROM v_job").front();
    };
    EXPECT_EQ(getMean(10, 35), "12.5");  // (20 + 5) / 2
    EXPECT_EQ(getMean(10, 34), "20.0");  // 5 ends after it
    EXPECT_EQ(getMean(11, 35), "5.0");   // 20 starts before it
    EXPECT_EQ(getMean(11, 29), "12.5");  // none: of all but the last, 50 / 4
    EXPECT_EQ(getMean(0, 1000), "12.5"); // the last has no period
}

TEST_F(JobRecorderTest, UnknownFlopAreNotNone)
{
    Record();
    ResultDatabase database(Path("unknown.db"));
    WriteRun(database, 1, "None", {}, {});
    database.Flush();
    const std::string utilization = "SELECT flop_utilization FROM v_cluster_utilization";
    EXPECT_NE(Query(database.GetHandle(), utilization), Rows{"NULL"});
    database.GetHandle().exec("UPDATE job SET w_flop = 0 WHERE name = 'b'");
    EXPECT_EQ(Query(database.GetHandle(), utilization), Rows{"NULL"});
    // A job that computes nothing does no FLOP.
    database.GetHandle().exec("UPDATE job_window SET compute_ps = 0 WHERE job = 1");
    EXPECT_NE(Query(database.GetHandle(), utilization), Rows{"NULL"});
}

TEST_F(JobRecorderTest, ClusterIsSeenInTheView)
{
    Record();
    // (24 + 10) / (40 + 20); (24 + 10) / (4 GPUs x 20);
    // (1e12 + 4e12) / (4 x 312e12 FLOP/s x 0.02 s) = 5 / 24.96.
    EXPECT_EQ(Select("SELECT run, ROUND(gpu_utilization, 9), gpu_utilization_all,"
                     " ROUND(flop_utilization, 9) FROM v_cluster_utilization"),
              (Rows{"1|0.566666667|0.425|0.200320513"}));
}

TEST_F(JobRecorderTest, UtilizationTilesTheLifeOfAJob)
{
    Record();
    const std::string columns = "start_ps/1000000000, end_ps/1000000000, compute_ps/1000000000,"
                                " exposed_ps/1000000000, peer_wait_ps/1000000000,"
                                " shift_ps/1000000000, failed_ps, flops, bytes";
    EXPECT_EQ(Select("SELECT " + columns + " FROM job_utilization WHERE job = 0"),
              (Rows{"0|20|24|14|2|0|0|1000000000000.0|1000",
                    "20|40|24|14|2|0|0|1000000000000.0|1001",
                    "40|60|24|14|2|0|0|1000000000000.0|1002"}));
    EXPECT_EQ(Select("SELECT COUNT(*), MIN(start_ps)/1000000000, MAX(end_ps)/1000000000,"
                     " SUM(end_ps - start_ps)/1000000000, SUM(compute_ps)/1000000000"
                     " FROM job_utilization WHERE job = 1"),
              (Rows{"6|10|70|60|30"}));
}

TEST_F(JobRecorderTest, TimeOutsideIterationsIsARowOfItsOwn)
{
    ResultDatabase database(Path("out.db"));
    RecordedRun recorder(database, 1, 1, {}, {});
    recorder.AddJob(MakeJob("a", 1, 2e12));
    recorder.OnGpuAllocation({0, 0, 0, 50 * MS});
    recorder.OnSpan({0, 0, GpuTimeKind::SHIFT, 0, 10 * MS});
    recorder.OnSpan({0, 0, GpuTimeKind::COMPUTE, 10 * MS, 30 * MS});
    recorder.OnIteration({0, 0, 10 * MS, 30 * MS, 20 * MS, 0, 0, 0, 7});
    // Cut short: half of an iteration's compute time.
    recorder.OnSpan({0, 0, GpuTimeKind::COMPUTE, 30 * MS, 40 * MS});
    recorder.OnSpan({0, 0, GpuTimeKind::FAILED, 40 * MS, 50 * MS});
    recorder.FinishRun(50 * MS);
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT start_ps/1000000000, end_ps/1000000000, compute_ps/1000000000,"
                    " shift_ps/1000000000, failed_ps/1000000000, flops, bytes"
                    " FROM job_utilization"),
              (Rows{"0|10|0|10|0|0.0|0",
                    "10|30|20|0|0|2000000000000.0|7",
                    "30|50|10|0|10|1000000000000.0|0"}));
    EXPECT_EQ(Query(database.GetHandle(), "SELECT status, end_ps FROM job"),
              Rows{"not arrived|NULL"}); // no events said otherwise
}

TEST_F(JobRecorderTest, GpuTimeAddsUp)
{
    Record();
    // 4 GPUs x 80 ms; one row, as no GPU differs.
    EXPECT_EQ(Select("SELECT run, name, expected, actual FROM invariant"),
              Rows{"1|gpu_time_ps|320000000000|320000000000"});
}

TEST_F(JobRecorderTest, PlantedGapIsFound)
{
    m_database = std::make_unique<ResultDatabase>(Path("out.db"));
    RecordedRun recorder(*m_database, 1, 2, {}, {});
    recorder.AddJob(MakeJob("a", 2, 0));
    recorder.OnGpuAllocation({0, 0, 0, 100});
    recorder.OnGpuAllocation({1, 0, 0, 100});
    recorder.OnSpan({0, 0, GpuTimeKind::COMPUTE, 0, 100});
    recorder.OnSpan({0, 1, GpuTimeKind::COMPUTE, 0, 40});
    recorder.OnSpan({0, 1, GpuTimeKind::PEER_WAIT, 41, 100});
    recorder.FinishRun(100);
    const std::vector<InvariantRow> violated = m_database->Finish();
    ASSERT_EQ(violated.size(), 2U);
    EXPECT_EQ(violated[0].name, "gpu_time_ps");
    EXPECT_EQ(violated[0].expected, 200);
    EXPECT_EQ(violated[0].actual, 199);
    EXPECT_EQ(violated[1].name, "gpu_time_ps gpu1");
    EXPECT_EQ(violated[1].expected, 100);
    EXPECT_EQ(violated[1].actual, 99);
}

TEST_F(JobRecorderTest, PlantedOverlapIsFoundThoughAGapHidesIt)
{
    m_database = std::make_unique<ResultDatabase>(Path("out.db"));
    RecordedRun recorder(*m_database, 1, 2, {}, {});
    recorder.AddJob(MakeJob("a", 2, 0));
    recorder.OnGpuAllocation({0, 0, 0, 100});
    recorder.OnGpuAllocation({1, 0, 0, 100});
    recorder.OnSpan({0, 0, GpuTimeKind::COMPUTE, 0, 60});
    recorder.OnSpan({0, 0, GpuTimeKind::PEER_WAIT, 55, 100}); // 5 too many
    recorder.OnSpan({0, 1, GpuTimeKind::COMPUTE, 0, 95});     // 5 too few
    recorder.FinishRun(100);
    const std::vector<InvariantRow> violated = m_database->Finish();
    ASSERT_EQ(violated.size(), 2U); // the total is 200
    EXPECT_EQ(violated[0].name, "gpu_time_ps gpu0");
    EXPECT_EQ(violated[0].actual, 95);
    EXPECT_EQ(violated[1].name, "gpu_time_ps gpu1");
    EXPECT_EQ(violated[1].actual, 95);
}

TEST_F(JobRecorderTest, GpuThatIsHeldWithoutASpanIsFound)
{
    m_database = std::make_unique<ResultDatabase>(Path("out.db"));
    RecordedRun recorder(*m_database, 1, 3, {}, {});
    recorder.AddJob(MakeJob("a", 1, 0));
    recorder.OnGpuAllocation({2, 0, 10, 30});
    recorder.FinishRun(100);
    const std::vector<InvariantRow> violated = m_database->Finish();
    ASSERT_EQ(violated.size(), 2U);
    EXPECT_EQ(violated[0].actual, 280); // 100 + 100 + 10 + 70
    EXPECT_EQ(violated[1].name, "gpu_time_ps gpu2");
    EXPECT_EQ(violated[1].actual, 80);
}

TEST_F(JobRecorderTest, NetworkCountsAreThoseOfTheIteration)
{
    ResultDatabase database(Path("out.db"));
    JobSources sources;
    RunContext context = sources.MakeContext();
    context.results = &database;
    Ptr<JobRecorder> recorder = CreateObject<JobRecorder>();
    recorder->Connect(context);
    JobRecorder::Traffic counts;
    recorder->SetTrafficSource([&](uint32_t) { return counts; });
    counts = {5, 100};
    sources.m_iteration({0, 0, 0, 10, 0, 0, 0, 0, 0});
    counts = {12, 100};
    sources.m_iteration({0, 1, 10, 20, 0, 0, 0, 0, 0});
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT iteration, marked_frames, retransmitted_bytes FROM iteration"),
              (Rows{"0|5|100", "1|7|0"}));
}

TEST_F(JobRecorderTest, IterationsAreCountedWhateverIsRecorded)
{
    ResultDatabase database(Path("out.db"));
    RecordSpec record;
    record.jobs = false;
    RecordedRun recorder(database, 1, 1, {}, record);
    recorder.AddJob(MakeJob("a", 1, 0));
    recorder.OnIteration({0, 0, 0, 10, 0, 0, 0, 0, 0});
    recorder.OnIteration({0, 1, 10, 20, 0, 0, 0, 0, 0});
    EXPECT_EQ(recorder.GetJobLog().GetIterations(0), 2U);
}

TEST_F(JobRecorderTest, UncountedIsNullNotZero)
{
    Record();
    EXPECT_EQ(Select("SELECT DISTINCT marked_frames, retransmitted_bytes FROM iteration"),
              Rows{"NULL|NULL"});
}

TEST_F(JobRecorderTest, EventsSetTheRowOfTheJob)
{
    ResultDatabase database(Path("out.db"));
    RecordedRun recorder(database, 1, 1, {}, {});
    recorder.AddJob(MakeJob("a", 1, 0));
    const auto row = [&] {
        return Query(database.GetHandle(), "SELECT status, arrival_ps, start_ps, end_ps FROM job")
            .front();
    };
    EXPECT_EQ(row(), "not arrived|0|NULL|NULL");
    recorder.OnJobEvent({0, 5, "arrived", ""});
    EXPECT_EQ(row(), "waiting|5|NULL|NULL");
    recorder.OnJobEvent({0, 7, "placed", "host0"});
    recorder.OnJobEvent({0, 7, "started", ""});
    EXPECT_EQ(row(), "running|5|7|NULL");
    recorder.OnJobEvent({0, 8, "failed", ""});
    EXPECT_EQ(row(), "failed|5|7|NULL");
    recorder.OnJobEvent({0, 9, "restarted", ""});
    recorder.OnJobEvent({0, 9, "started", ""});
    EXPECT_EQ(row(), "running|5|7|NULL");
    recorder.OnJobEvent({0, 20, "finished", ""});
    EXPECT_EQ(row(), "finished|5|7|20");
    // In the order they came, also those of one instant.
    EXPECT_EQ(Query(database.GetHandle(), "SELECT kind FROM job_event WHERE time_ps = 7"),
              (Rows{"placed", "started"}));
    recorder.GetJobLog().GetJob(0).soloIterationPs = 3;
    recorder.FinishRun(20);
    EXPECT_EQ(Query(database.GetHandle(), "SELECT solo_iteration_ps FROM job"), Rows{"3"});
}

TEST_F(JobRecorderTest, RecordDecidesWhatIsWritten)
{
    RecordSpec record;
    record.jobs = false;
    record.collectives = false;
    Record({}, record);
    EXPECT_EQ(Select("SELECT (SELECT COUNT(*) FROM span), (SELECT COUNT(*) FROM iteration),"
                     " (SELECT COUNT(*) FROM job_utilization), (SELECT COUNT(*) FROM job_window),"
                     " (SELECT COUNT(*) FROM gpu_allocation), (SELECT COUNT(*) FROM collective),"
                     " (SELECT COUNT(*) FROM job), (SELECT COUNT(*) FROM decision)"),
              Rows{"0|0|0|0|0|0|2|1"});
}

TEST_F(JobRecorderTest, CollectivesAndDecisionsAreWritten)
{
    Record();
    EXPECT_EQ(Select("SELECT * FROM collective"),
              Rows{"1|0|0|3|1|all-reduce|Ring|Simple|1000|2|2|100|120|200|8000"});
    EXPECT_EQ(Select("SELECT * FROM decision"),
              Rows{"1|0|5|ns3::CruxScheduler|arrival|1|priority|level 0|{\"k\":1}|because"});
}

TEST_F(JobRecorderTest, ComparedRunsShareTheWindow)
{
    ResultDatabase database(Path("out.db"));
    MeasureSpec early;
    early.fromPs = 20 * MS;
    early.toPs = 50 * MS;
    WriteRun(database, 1, "None", early, {});
    WriteRun(database, 2, "Crux", {}, {}); // [40, 60)
    RunFigures::UnifyMeasuringWindows(database, {1, 2});
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT measure_from_ps/1000000000, measure_to_ps/1000000000 FROM run"),
              (Rows{"40|50", "40|50"}));
    // a: 2 x 10 ms, of which compute 2 x 10; b: 10 ms, of which compute 5.
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT run, job, allocated_ps/1000000000, compute_ps/1000000000"
                    " FROM job_window"),
              (Rows{"1|0|20|20", "1|1|10|5", "2|0|20|20", "2|1|10|5"}));
}

TEST_F(JobRecorderTest, AWindowInCommonIsNotCalledTheWholeRun)
{
    ResultDatabase database(Path("out.db"));
    MeasureSpec never;
    never.warmup = 100;
    WriteRun(database, 1, "None", never, {}); // [0, 80), as no job is warm
    WriteRun(database, 2, "Crux", {}, {});    // [40, 60)
    RunFigures::UnifyMeasuringWindows(database, {1, 2});
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT measure_from_ps/1000000000, measure_to_ps/1000000000, measure_note "
                    "FROM run"),
              (Rows{"40|60|common to the runs compared; of this one alone, the whole run: not all "
                    "measured jobs finished 100 iterations",
                    "40|60|common to the runs compared, each from the end of 2 iterations of all "
                    "measured jobs to the end of a"}));
}

TEST_F(JobRecorderTest, CollectivesUnderWayAreRowsWithoutAnEnd)
{
    ResultDatabase database(Path("out.db"));
    RecordedRun recorder(database, 1, 1, {}, {});
    recorder.AddJob(MakeJob("a", 1, 0));
    const CollectiveRecord start{0, 0, 3, 1, "all-reduce", "Ring", 1000, 2, 2, 100, -1, -1, 0, ""};
    CollectiveRecord other = start;
    other.collective = 4;
    other.firstPostPs = 150;
    recorder.OnCollectiveStart(start);
    recorder.OnCollectiveStart(other);
    recorder.OnCollective(
        {0, 0, 3, 1, "all-reduce", "Ring", 1000, 2, 2, 100, 120, 200, 8000, "Simple"});
    recorder.FinishRun(300);
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT collective, op, bytes, first_post_ps, last_post_ps, end_ps, "
                    "bus_bandwidth_bps FROM collective"),
              (Rows{"3|all-reduce|1000|100|120|200|8000", "4|all-reduce|1000|150|NULL|NULL|NULL"}));
}

TEST_F(JobRecorderTest, ComparedRunsWithoutACommonWindowKeepTheirs)
{
    ResultDatabase database(Path("out.db"));
    MeasureSpec early;
    early.fromPs = 0;
    early.toPs = 30 * MS;
    WriteRun(database, 1, "None", early, {});
    WriteRun(database, 2, "Crux", {}, {}); // [40, 60)
    RunFigures::UnifyMeasuringWindows(database, {1, 2});
    EXPECT_EQ(Query(database.GetHandle(),
                    "SELECT measure_from_ps/1000000000, measure_to_ps/1000000000,"
                    " measure_note LIKE '%no window in common%' FROM run"),
              (Rows{"0|30|1", "40|60|1"}));
}

} // namespace tests
} // namespace ns3
