/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/link-recorder.h"
#include "../../model/results/run-figures.h"
#include "../../model/results/run-table.h"
#include "../../model/results/transfer-recorder.h"
#include "../fixture/results-two-jobs.h"

#include <sstream>

namespace ns3
{
namespace tests
{

class RunTableTest : public ResultsTwoJobs
{
  protected:
    std::string Print() const
    {
        std::ostringstream text;
        RunTable(Path("out.db")).Print(text);
        return text.str();
    }

    static LinkRow MakeLink(uint32_t run, uint32_t link, const std::string& name)
    {
        LinkRow row;
        row.run = run;
        row.link = link;
        row.name = name;
        row.rateBps = 200'000'000'000;
        return row;
    }

    static LinkWindowRow MakeLoad(uint32_t run, uint32_t link, uint64_t bytes)
    {
        LinkWindowRow row;
        row.run = run;
        row.link = link;
        row.priority = 3;
        row.startPs = 40 * MS;
        row.endPs = 60 * MS;
        row.bytes = bytes;
        row.markedFrames = 12'345;
        row.pausedPs = 1 * MS;
        return row;
    }

    static void WriteFlows(ResultDatabase& database, uint32_t run, uint32_t flows, int64_t slow)
    {
        ClusterTopology topology;
        const uint32_t host0 = topology.AddHost("host0", 0);
        const uint32_t host1 = topology.AddHost("host1", 0);
        topology.AddLink(host0, host1, 100'000'000'000, 1'000'000);
        RunContext context;
        context.run = run;
        context.topology = &topology;
        context.results = &database;
        Ptr<LinkRecorder> links = CreateObject<LinkRecorder>();
        links->Connect(context);
        Ptr<TransferRecorder> transfers = CreateObject<TransferRecorder>();
        transfers->Connect(context);
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            TransferRecord transfer;
            transfer.queuePair = flow;
            transfer.sourceNic = 0;
            transfer.destinationNic = 1;
            transfer.bytes = 1'000'000;
            transfer.priority = 3;
            transfer.startPs = flow * int64_t{1'000'000};
            if (flow + 1 < flows) // the last one is under way
            {
                transfer.completedPs = transfer.startPs + slow * (flow + 1) * 80'500'000;
            }
            transfer.deliveredBytes = flow + 1 < flows ? transfer.bytes : 4096;
            transfer.retransmittedBytes = flow == 1 ? 4096 : 0;
            transfers->OnTransfer(transfer);
        }
        links->FinishRun(2'000'000'000, {}, {});
        RunRow row;
        row.run = run;
        row.scenario = "flows";
        row.scheduler = slow == 1 ? "None" : "Crux";
        row.placement = "Consolidate";
        row.status = "stopped";
        row.endPs = 2'000'000'000;
        row.events = 999;
        row.measureToPs = row.endPs;
        database.Insert(row);
    }
};

TEST_F(RunTableTest, OneRun)
{
    ResultDatabase database(Path("out.db"));
    WriteRun(database, 1, "Crux", {}, {});
    database.Insert(MakeLink(1, 0, "leaf0-spine0"));
    database.Insert(MakeLink(1, 1, "spine0-leaf0"));
    database.Insert(MakeLink(1, 2, "leaf0-spine1")); // idle
    // 200e9 bit/s x 20 ms are 500,000,000 bytes.
    database.Insert(MakeLoad(1, 0, 250'000'000));
    database.Insert(MakeLoad(1, 1, 400'000'000));
    database.Finish();
    EXPECT_EQ(Print(), R"(two-jobs: scheduler Crux, placement Consolidate, seed 1
80.000 ms simulated, 1,234,567 events
Measured: 40.000 ms to 60.000 ms (from the end of 2 iterations of all measured jobs to the end of a)

Jobs
  job  GPUs  iterations  iteration [ms]  mean of                          GPU utilization [%]  exposed [%]  slowdown  JCT [ms]  status
  ---  ----  ----------  --------------  -------------------------------  -------------------  -----------  --------  --------  --------
  a       2           3          20.000  0..1, +- 0.0 % (none in window)                 60.0         35.0     1.250    60.000  finished
  b       1           6          10.000  3..4, +- 0.0 % (few)                            50.0         40.0         -    65.000  finished
  Too few iterations for their mean to be known to 5 %: see (few), (none in window)

Cluster
  figure                             [%]
  -------------------------------  -----
  GPU utilization, allocated GPUs  56.67
  GPU utilization, all GPUs        42.50
  FLOP utilization, all GPUs       20.03

Busiest links
  link          rate [Gbit/s]  utilization [%]  marked frames  paused [%]
  ------------  -------------  ---------------  -------------  ----------
  spine0-leaf0            200             80.0         12,345         5.0
  leaf0-spine0            200             50.0         12,345         5.0
)");
}

TEST_F(RunTableTest, RunsSideBySide)
{
    ResultDatabase database(Path("out.db"));
    WriteRun(database, 1, "None", {}, {});
    MeasureSpec measure;
    measure.from = PicoSeconds(40 * MS);
    measure.to = PicoSeconds(45 * MS);
    WriteRun(database, 2, "Crux", measure, {});
    database.Insert(MakeLink(1, 0, "leaf0-spine0"));
    database.Insert(MakeLink(2, 0, "leaf0-spine0"));
    database.Insert(MakeLoad(1, 0, 250'000'000));
    database.Insert(MakeLoad(2, 0, 400'000'000));
    database.Finish();
    // Run 2, [40, 45) ms: both compute all the time. All GPUs: 3 of 4. FLOP: a does 10/24 of 1e12,
    // b 5/5 of 2e12; of 4 x 312e12 FLOP/s x 5 ms = 6.24e12.
    EXPECT_EQ(Print(), R"(two-jobs: 2 runs

  run  scheduler  placement    seed  simulated     events  status
  ---  ---------  -----------  ----  ---------  ---------  --------
    1  None       Consolidate     1  80.000 ms  1,234,567  finished
    2  Crux       Consolidate     1  80.000 ms  1,234,567  finished

Measured under None: 40.000 ms to 60.000 ms (from the end of 2 iterations of all measured jobs to
  the end of a)
Measured under Crux: 40.000 ms to 45.000 ms (from the given time to the given time)

Iteration time [ms]
  job    None    Crux  change [%]
  ---  ------  ------  ----------
  a    20.000  20.000         0.0
  b    10.000  10.000         0.0

Iterations that it is the mean of, and its 95 % interval
  job  None                             Crux
  ---  -------------------------------  -------------------------------
  a    0..1, +- 0.0 % (none in window)  0..1, +- 0.0 % (none in window)
  b    3..4, +- 0.0 % (few)             0..4, +- 0.0 % (none in window)

GPU utilization of the job [%]
  job  None   Crux  change [points]
  ---  ----  -----  ---------------
  a    60.0  100.0            +40.0
  b    50.0  100.0            +50.0

Exposed communication of the job [% of GPU time]
  job  None  Crux  change [points]
  ---  ----  ----  ---------------
  a    35.0   0.0            -35.0
  b    40.0   0.0            -40.0

Slowdown against the job alone
  job   None   Crux  change [%]
  ---  -----  -----  ----------
  a    1.250  1.250         0.0
  b        -      -           -

Job completion time [ms]
  job    None    Crux  change [%]
  ---  ------  ------  ----------
  a    60.000  60.000         0.0
  b    65.000  65.000         0.0
  Too few iterations for their mean to be known to 5 %: see (few), (none in window)

Cluster [%]
  figure                            None    Crux  change [points]
  -------------------------------  -----  ------  ---------------
  GPU utilization, allocated GPUs  56.67  100.00           +43.33
  GPU utilization, all GPUs        42.50   75.00           +32.50
  FLOP utilization, all GPUs       20.03   38.73           +18.70

Busiest links [% of rate]
  link          None  Crux  change [points]
  ------------  ----  ----  ---------------
  leaf0-spine0  50.0  80.0            +30.0
)");
}

TEST_F(RunTableTest, EachRunSaysHowItsWindowCameAbout)
{
    ResultDatabase database(Path("out.db"));
    MeasureSpec never;
    never.warmup = 100;
    WriteRun(database, 1, "None", {}, {});
    WriteRun(database, 2, "Crux", never, {});
    RunFigures::UnifyMeasuringWindows(database, {1, 2});
    database.Finish();
    const std::string text = Print();
    EXPECT_NE(text.find(R"(
Measured under None: 40.000 ms to 60.000 ms (common to the runs compared, each from the end of 2
  iterations of all measured jobs to the end of a)
Measured under Crux: 40.000 ms to 60.000 ms (common to the runs compared; of this one alone, the
  whole run: not all measured jobs finished 100 iterations)
)"),
              std::string::npos)
        << text;
}

TEST_F(RunTableTest, Flows)
{
    ResultDatabase database(Path("out.db"));
    WriteFlows(database, 1, 23, 1);
    database.Finish();
    // The k-th of 22 takes 80.5 k us, one more longer: the median of 23 is 80.5 x 12.
    EXPECT_EQ(Print(), R"(flows: scheduler None, placement Consolidate, seed 1
2.000 ms simulated, 999 events, stopped

Transfers of plain flows, time from posting to the acknowledgement
  run   posted  completed  min [us]  median [us]  max [us]  retransmitted [byte]
  ----  ------  ---------  --------  -----------  --------  --------------------
  None      23         22    80.500      966.000         -                 4,096
  1 not completed, which take longer than all others (-)

  transfer  source  destination  size [byte]  priority  start [us]  completion [us]  delivered [byte]
  --------  ------  -----------  -----------  --------  ----------  ---------------  ----------------
         0  host0   host1          1,000,000         3       0.000           80.500         1,000,000
         1  host0   host1          1,000,000         3       1.000          161.000         1,000,000
         2  host0   host1          1,000,000         3       2.000          241.500         1,000,000
         3  host0   host1          1,000,000         3       3.000          322.000         1,000,000
         4  host0   host1          1,000,000         3       4.000          402.500         1,000,000
         5  host0   host1          1,000,000         3       5.000          483.000         1,000,000
         6  host0   host1          1,000,000         3       6.000          563.500         1,000,000
         7  host0   host1          1,000,000         3       7.000          644.000         1,000,000
         8  host0   host1          1,000,000         3       8.000          724.500         1,000,000
         9  host0   host1          1,000,000         3       9.000          805.000         1,000,000
        10  host0   host1          1,000,000         3      10.000          885.500         1,000,000
        11  host0   host1          1,000,000         3      11.000          966.000         1,000,000
        12  host0   host1          1,000,000         3      12.000         1046.500         1,000,000
        13  host0   host1          1,000,000         3      13.000         1127.000         1,000,000
        14  host0   host1          1,000,000         3      14.000         1207.500         1,000,000
        15  host0   host1          1,000,000         3      15.000         1288.000         1,000,000
        16  host0   host1          1,000,000         3      16.000         1368.500         1,000,000
        17  host0   host1          1,000,000         3      17.000         1449.000         1,000,000
        18  host0   host1          1,000,000         3      18.000         1529.500         1,000,000
        19  host0   host1          1,000,000         3      19.000         1610.000         1,000,000
  and 3 more (view v_transfer)
)");
}

TEST_F(RunTableTest, FlowsSideBySide)
{
    ResultDatabase database(Path("out.db"));
    WriteFlows(database, 1, 3, 1);
    WriteFlows(database, 2, 3, 2);
    database.Finish();
    EXPECT_EQ(Print(), R"(flows: 2 runs

  run  scheduler  placement    seed  simulated  events  status
  ---  ---------  -----------  ----  ---------  ------  -------
    1  None       Consolidate     1   2.000 ms     999  stopped
    2  Crux       Consolidate     1   2.000 ms     999  stopped

Transfers of plain flows, time from posting to the acknowledgement
  run   posted  completed  min [us]  median [us]  max [us]  retransmitted [byte]
  ----  ------  ---------  --------  -----------  --------  --------------------
  None       3          2    80.500      161.000         -                 4,096
  Crux       3          2   161.000      322.000         -                 4,096
  2 not completed, which take longer than all others (-)

  transfer  source  destination  size [byte]  priority  start [us]  None [us]  Crux [us]
  --------  ------  -----------  -----------  --------  ----------  ---------  ---------
         0  host0   host1          1,000,000         3       0.000     80.500    161.000
         1  host0   host1          1,000,000         3       1.000    161.000    322.000
         2  host0   host1          1,000,000         3       2.000          -          -
)");
}

TEST_F(RunTableTest, SchedulersOfOneNameAreNumbered)
{
    ResultDatabase database(Path("out.db"));
    WriteFlows(database, 1, 2, 1);
    WriteFlows(database, 2, 2, 2);
    WriteFlows(database, 3, 2, 3);
    database.Flush();
    database.GetHandle().exec("UPDATE run SET variant = 'PriorityLevels=4' WHERE run = 2;"
                              "UPDATE run SET variant = 'PriorityLevels=8' WHERE run = 3;");
    database.Finish();
    EXPECT_EQ(Print(), R"(flows: 3 runs

  run  scheduler  placement    seed  simulated  events  status   attributes
  ---  ---------  -----------  ----  ---------  ------  -------  ----------------
    1  None       Consolidate     1   2.000 ms     999  stopped
    2  Crux       Consolidate     1   2.000 ms     999  stopped  PriorityLevels=4
    3  Crux       Consolidate     1   2.000 ms     999  stopped  PriorityLevels=8

Transfers of plain flows, time from posting to the acknowledgement
  run      posted  completed  min [us]  median [us]  max [us]  retransmitted [byte]
  -------  ------  ---------  --------  -----------  --------  --------------------
  None          2          1    80.500            -         -                 4,096
  Crux #2       2          1   161.000            -         -                 4,096
  Crux #3       2          1   241.500            -         -                 4,096
  3 not completed, which take longer than all others (-)

  transfer  source  destination  size [byte]  priority  start [us]  None [us]  Crux #2 [us]  Crux #3 [us]
  --------  ------  -----------  -----------  --------  ----------  ---------  ------------  ------------
         0  host0   host1          1,000,000         3       0.000     80.500       161.000       241.500
         1  host0   host1          1,000,000         3       1.000          -             -             -
)");
}

TEST_F(RunTableTest, TransfersOfJobsAreCountedOnly)
{
    ResultDatabase database(Path("out.db"));
    WriteFlows(database, 1, 2, 1);
    WriteFlows(database, 2, 0, 2);
    JobRow job;
    job.run = 1;
    job.name = "a";
    job.status = "finished";
    database.Insert(job);
    TransferRecord transfer;
    transfer.job = 0;
    transfer.bytes = 5000;
    for (transfer.queuePair = 10; transfer.queuePair < 1244; ++transfer.queuePair)
    {
        transfer.completedPs = transfer.queuePair == 10 ? 1 : 0;
        database.Insert(1, TransferRow{transfer, 0, 1});
    }
    database.Finish();
    const std::string text = Print();
    EXPECT_NE(text.find("\nTransfers of jobs: 1,234 under None, 1,233 not completed, 0 under Crux "
                        "(view v_transfer)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n  None       2          1    80.500            -         - "),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("5,000"), std::string::npos) << text;
}

TEST_F(RunTableTest, ViolatedInvariantsAreLoud)
{
    ResultDatabase database(Path("out.db"));
    WriteFlows(database, 1, 0, 1);
    database.InsertInvariant(1, "frames", 1'000, 999);
    database.Finish();
    EXPECT_EQ(Print(), R"(flows: scheduler None, placement Consolidate, seed 1
2.000 ms simulated, 999 events, stopped

VIOLATED INVARIANTS: do not use these results
  run  invariant  expected  actual
  ---  ---------  --------  ------
    1  frames        1,000     999
)");
}

TEST_F(RunTableTest, UnreadableDatabaseIsAnError)
{
    EXPECT_THROW(RunTable(Path("none.db")), std::runtime_error);
    WriteBytes(Path("text.db"), "not a database, but longer than the header of one.............");
    EXPECT_THROW(RunTable(Path("text.db")), std::runtime_error);
}

} // namespace tests
} // namespace ns3
