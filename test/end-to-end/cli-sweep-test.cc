/* SPDX-License-Identifier: GPL-2.0-only */

// gpu-fabric-run --sweep: points run as processes, one database has all, and it does not depend on
// what ran when.

#include "../fixture/program-fixture.h"

#include <chrono>
#include <set>
#include <thread>

using namespace ns3;

namespace
{

const char* const JOBS = R"(schema: gpu-fabric/1
name: small
topology: {type: LeafSpine, Leaves: 2, Spines: 2, HostsPerLeaf: 2, GpusPerHost: 2, NicsPerHost: 1,
           NicRate: 100Gbps, Uplinks: 2, UplinkRate: 100Gbps, LinkDelay: 1us}
jobs:
  - {name: a, gpus: 2, hosts: [host0, host2], gpus-per-host: 1, iterations: 5,
     arrival: {uniform: [0us, 900us]}, iteration: [{compute: 1ms}, {all-reduce: {bytes: 4MB}}]}
  - {name: b, gpus: 2, hosts: [host1, host3], gpus-per-host: 1, iterations: 5,
     arrival: {uniform: [0us, 900us]}, iteration: [{compute: 1ms}, {all-reduce: {bytes: 6MB}}]}
)";

const char* const SWEEP = R"(sweep:
  scheduler: [None, {type: GpuIntensity, SelectPaths: true}]
  set: {topology.UplinkRate: [100Gbps, 50Gbps]}
  seeds: 1..2
)";

class ProgramSweepTest : public ProgramFixture
{
  protected:
    void SetUp() override
    {
        ProgramFixture::SetUp();
        Write("small.yaml", std::string(JOBS) + SWEEP);
    }

    ProgramResult Sweep(const std::string& folder, std::vector<std::string> more = {}) const
    {
        more.insert(more.begin(), {"--sweep", "--scenario=small.yaml", "--out=" + folder});
        return Run(more);
    }

    /// Names of the finished runs in a folder.
    std::set<std::string> ListRuns(const std::string& folder) const
    {
        std::set<std::string> names;
        std::error_code ignored;
        for (const auto& entry :
             std::filesystem::directory_iterator(Path(folder + "/runs"), ignored))
        {
            if (entry.path().extension() == ".sqlite")
            {
                names.insert(entry.path().string());
            }
        }
        return names;
    }

    /// All rows of a query.
    std::vector<std::string> Rows(const std::string& file, const std::string& sql) const
    {
        SQLite::Database database(Path(file));
        SQLite::Statement query(database, sql);
        std::vector<std::string> rows;
        while (query.executeStep())
        {
            std::string row;
            for (int column = 0; column < query.getColumnCount(); ++column)
            {
                row += query.getColumn(column).getString() + "|";
            }
            rows.push_back(row);
        }
        return rows;
    }
};

} // namespace

TEST_F(ProgramSweepTest, TheSameBytesForAnyNumberOfProcesses)
{
    ProgramResult result = Sweep("one", {"--jobs=1"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("topology.UplinkRate=50Gbps: 2 seeds"), std::string::npos)
        << result.out;
    EXPECT_NE(result.err.find("gpu-fabric: 8 of 8 points, scheduler=GpuIntensity "
                              "SelectPaths=true, topology.UplinkRate=50Gbps, seed=2; took"),
              std::string::npos)
        << result.err;
    result = Sweep("two", {"--jobs=2", "--quiet"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    EXPECT_TRUE(Read("one/campaign.sqlite") == Read("two/campaign.sqlite"));
    // In the order of the grid.
    EXPECT_EQ(
        Rows("one/campaign.sqlite", "SELECT run, scheduler, seed FROM run WHERE run IN (1, 2, 8)"),
        (std::vector<std::string>{"1|None|1|", "2|None|2|", "8|GpuIntensity|2|"}));
    EXPECT_EQ(Query("one/campaign.sqlite", "SELECT COUNT(DISTINCT run_id) FROM run"), "8");
    // 100G and 50G are not compared with each other: two keys.
    EXPECT_EQ(Query("one/campaign.sqlite", "SELECT COUNT(DISTINCT campaign_key) FROM run"), "2");
    EXPECT_EQ(Query("one/campaign.sqlite", "SELECT COUNT(*) FROM campaign"), "24"); // 8 x 3 axes
}

TEST_F(ProgramSweepTest, WhatHasBeenRunIsNotRunAgain)
{
    ASSERT_EQ(Sweep("all", {"--quiet"}).status, 0);
    const std::string whole = Read("all/campaign.sqlite");
    const std::set<std::string> runs = ListRuns("all");
    ASSERT_EQ(runs.size(), 8u);
    // Half of them are lost, one is no database.
    size_t number = 0;
    std::map<std::string, std::filesystem::file_time_type> kept;
    for (const std::string& run : runs)
    {
        if (number % 2 == 0)
        {
            std::filesystem::remove(run);
        }
        else if (number == 1)
        {
            std::ofstream(run) << "no database";
        }
        else
        {
            kept[run] = std::filesystem::last_write_time(run);
        }
        ++number;
    }
    std::filesystem::remove(Path("all/campaign.sqlite"));
    const ProgramResult result = Sweep("all");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("8 points, 3 of them finished before"), std::string::npos)
        << result.err;
    EXPECT_TRUE(Read("all/campaign.sqlite") == whole);
    for (const auto& [run, time] : kept)
    {
        EXPECT_EQ(std::filesystem::last_write_time(run), time) << run;
    }
    // More points: only they are run.
    std::string text = std::string(JOBS) + SWEEP;
    text.replace(text.find("1..2"), 4, "1..3");
    Write("small.yaml", text);
    EXPECT_NE(Sweep("all").err.find("12 points, 8 of them finished before"), std::string::npos);
    // Another scenario: all are.
    text.replace(text.find("4MB"), 3, "5MB");
    Write("small.yaml", text);
    EXPECT_NE(Sweep("all").err.find("12 points, 0 of them finished before"), std::string::npos);
    EXPECT_NE(Sweep("all", {"--overwrite"}).err.find("12 points, 0 of them finished before"),
              std::string::npos);
}

TEST_F(ProgramSweepTest, WhatAnotherProgramHasRunIsRunAgain)
{
    const std::string text = std::string(JOBS) + "sweep: {seeds: 1..2}\n";
    Write("small.yaml", text);
    std::filesystem::copy_file(m_program, Path("program"));
    m_program = Path("program");
    ASSERT_EQ(Sweep("all", {"--quiet"}).status, 0);
    const std::string whole = Read("all/campaign.sqlite");
    EXPECT_NE(Sweep("all").err.find("2 points, 2 of them finished before\ngpu-fabric: results of"),
              std::string::npos);
    // What a new build does to it, without a build.
    std::ofstream(m_program, std::ios::app) << "more";
    const ProgramResult check = Sweep("all", {"--check"});
    EXPECT_NE(check.out.find("to be run again, as the program has changed: all/runs/"),
              std::string::npos)
        << check.out;
    ProgramResult result = Sweep("all");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("gpu-fabric: 2 points, 0 of them finished before\n"
                              "gpu-fabric: 2 points are run again: the program has changed\n"),
              std::string::npos)
        << result.err;
    EXPECT_NE(Sweep("all").err.find("2 points, 2 of them finished before"), std::string::npos);
    // Which program has made them is not a result.
    EXPECT_TRUE(Read("all/campaign.sqlite") == whole);
    // Nor is it said of results that a release without such notes has made.
    for (const std::string& run : ListRuns("all"))
    {
        std::filesystem::remove(run.substr(0, run.rfind('.')) + ".made-by");
    }
    EXPECT_NE(Sweep("all").err.find("run again: it is not known which program made their results"),
              std::string::npos);
    // ns-3 takes defaults from the environment.
    result = Run({"--sweep", "--scenario=small.yaml", "--out=all"},
                 []() { setenv("NS_ATTRIBUTE_DEFAULT", "ns3::UniformRandomVariable::Max=2", 1); });
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("run again: NS_ATTRIBUTE_DEFAULT has changed"), std::string::npos)
        << result.err;
}

TEST_F(ProgramSweepTest, AProgramThatIsReplacedDuringASweepDoesNotMixResults)
{
    std::filesystem::copy_file(m_program, Path("program"));
    std::filesystem::copy_file(m_program, Path("new"));
    std::ofstream(Path("new"), std::ios::app) << "more";
    m_program = Path("program");
    const pid_t child = Start({"--sweep", "--scenario=small.yaml", "--out=all", "--jobs=1"});
    while (ListRuns("all").empty())
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::filesystem::rename(Path("new"), Path("program"));
    const ProgramResult result = Wait(child);
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.err.find("the program or one of its libraries has been replaced while the "
                              "sweep ran"),
              std::string::npos)
        << result.err;
    // The first results are those of the old program.
    const ProgramResult again = Sweep("all");
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_NE(again.err.find("run again: the program has changed"), std::string::npos) << again.err;
}

TEST_F(ProgramSweepTest, TheContentOfInputFilesCounts)
{
    const std::string text = "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: fabric}\n"
                             "flows: [{from: n0, to: n1, bytes: 1MB}]\n";
    const auto fabric = [](const std::string& delay) {
        return "3 1 2\n2\n0 2 100Gbps " + delay + " 0\n1 2 100Gbps 1us 0\n";
    };
    Write("fabric", fabric("1us"));
    Write("small.yaml", text + "sweep: {seeds: 1..2}\n");
    ProgramResult result = Sweep("all");
    ASSERT_EQ(result.status, 0) << result.err;
    Write("one.yaml", text);
    ASSERT_EQ(Run({"--scenario=one.yaml", "--out=one.sqlite", "--quiet"}).status, 0);
    Write("fabric", fabric("2us"));
    EXPECT_NE(Sweep("all").err.find("2 points, 0 of them finished before"), std::string::npos);
    ASSERT_EQ(Run({"--scenario=one.yaml", "--out=two.sqlite", "--quiet"}).status, 0);
    EXPECT_NE(Query("one.sqlite", "SELECT run_id FROM run"),
              Query("two.sqlite", "SELECT run_id FROM run"));
}

TEST_F(ProgramSweepTest, AttributesOfNs3AndItsGlobalValuesCount)
{
    Write("small.yaml", std::string(JOBS) + "sweep: {seeds: 1..2}\n");
    ASSERT_EQ(Sweep("all", {"--quiet"}).status, 0);
    for (const std::string option : {"--ns3::UniformRandomVariable::Max=2", "--RngSeed=7"})
    {
        // The points know it too: a run without it has another run id, and is refused.
        const ProgramResult result = Sweep("all", {option});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_NE(result.err.find("2 points, 0 of them finished before"), std::string::npos)
            << result.err;
        EXPECT_NE(Sweep("all", {option}).err.find("2 points, 2 of them finished before"),
                  std::string::npos);
    }
    EXPECT_EQ(Sweep("all", {"--ns3::UniformRandomVariable::Max=2"}).status, 0);
    EXPECT_EQ(Query("all/campaign.sqlite",
                    "SELECT COUNT(*) FROM parameter WHERE value = '2' AND origin = 'command line' "
                    "AND name = 'ns3::UniformRandomVariable::Max'"),
              "2");
}

TEST_F(ProgramSweepTest, AnInterruptedSweepGoesOn)
{
    ASSERT_EQ(Sweep("whole", {"--quiet"}).status, 0);
    const pid_t child = Start({"--sweep", "--scenario=small.yaml", "--out=cut", "--jobs=1"});
    while (ListRuns("cut").empty())
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    kill(child, SIGINT);
    const ProgramResult result = Wait(child);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_NE(result.err.find("interrupted; the same command goes on from here"),
              std::string::npos);
    EXPECT_FALSE(Exists("cut/campaign.sqlite"));
    const size_t before = ListRuns("cut").size();
    EXPECT_GE(before, 1u);
    EXPECT_LT(before, 8u);
    const ProgramResult rest = Sweep("cut");
    EXPECT_EQ(rest.status, 0) << rest.err;
    EXPECT_NE(rest.err.find("8 points, " + std::to_string(before) + " of them finished before"),
              std::string::npos)
        << rest.err;
    EXPECT_TRUE(Read("cut/campaign.sqlite") == Read("whole/campaign.sqlite"));
}

TEST_F(ProgramSweepTest, AFailureIsListedAndTheOthersAreKept)
{
    const ProgramResult check = Sweep("some", {"--check"});
    ASSERT_EQ(check.status, 0) << check.err;
    EXPECT_EQ(check.out.find("8 points, 0 of them finished\n"), 0u) << check.out;
    // A folder where the third point's result goes.
    const std::string line = check.out.substr(check.out.find("\n      3  ") + 1);
    const size_t at = line.find("some/runs/");
    ASSERT_LT(at, line.find('\n')) << check.out;
    const std::string run = line.substr(at, line.find(".sqlite") - at);
    std::filesystem::create_directories(Path(run + ".new/full"));
    const ProgramResult result = Sweep("some", {"--jobs=2"});
    EXPECT_EQ(result.status, 1) << result.err;
    EXPECT_NE(result.err.find("gpu-fabric: results of 7 of 8 points are in some/campaign.sqlite"),
              std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("gpu-fabric: point 3 (scheduler=None, topology.UplinkRate=50Gbps, "
                              "seed=1) failed: exit status 4: gpu-fabric: " +
                              run + ".new: is a folder"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(Query("some/campaign.sqlite", "SELECT COUNT(*) FROM run"), "7");
    // It is run again, and all is well.
    std::filesystem::remove_all(Path(run + ".new"));
    EXPECT_EQ(Sweep("some").status, 0);
    EXPECT_EQ(Query("some/campaign.sqlite", "SELECT COUNT(*) FROM run"), "8");
}

TEST_F(ProgramSweepTest, ItsRunsAreThoseOfCompare)
{
    ASSERT_EQ(Sweep("all", {"--quiet"}).status, 0);
    Write("compare.yaml",
          std::string(JOBS) +
              "seed: 2\ncompare: [None, {type: GpuIntensity, SelectPaths: true}]\n");
    ASSERT_EQ(Run({"--scenario=compare.yaml", "--out=two.sqlite", "--quiet"}).status, 0);
    // Runs 2 and 6 of the grid: 100 Gb/s, seed 2, under each scheduler, with one window for both.
    for (const auto& [run, point] : {std::make_pair("1", "2"), std::make_pair("2", "6")})
    {
        for (const std::string columns :
             {"job, iterations, iteration_ms, gpu_utilization, jct_s FROM v_job",
              "gpu_utilization, flop_utilization FROM v_cluster_utilization",
              "measure_from_ps, measure_to_ps, end_ps, events FROM run",
              "figure, value FROM v_run_figure"})
        {
            const auto rows = Rows("two.sqlite", "SELECT " + columns + " WHERE run = " + run);
            EXPECT_FALSE(rows.empty()) << columns;
            EXPECT_EQ(Rows("all/campaign.sqlite", "SELECT " + columns + " WHERE run = " + point),
                      rows)
                << columns;
        }
    }
    // The view says of `compare` what it says of the sweep, without seeds to make an interval of.
    const ProgramResult result = Run({"--compare=two.sqlite"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.out.find("All runs: 1 seed\n"), std::string::npos) << result.out;
    EXPECT_EQ(Run({"--compare=all/campaign.sqlite"}).out, Sweep("all").out);
    EXPECT_EQ(Run({"--compare=small.yaml"}).status, 2);
}

TEST_F(ProgramSweepTest, OnePointIsThatOfTheSweep)
{
    ASSERT_EQ(Sweep("all", {"--quiet"}).status, 0);
    ASSERT_EQ(Run({"--scenario=small.yaml", "--point=3", "--out=three.sqlite", "--quiet"}).status,
              0);
    EXPECT_EQ(Rows("three.sqlite", "SELECT run_id, scheduler, seed FROM run"),
              Rows("all/campaign.sqlite", "SELECT run_id, scheduler, seed FROM run WHERE run = 3"));
    // Made elsewhere and put in its place, it has been run.
    const std::string id = Query("three.sqlite", "SELECT run_id FROM run");
    for (const std::string ending : {".sqlite", ".made-by"})
    {
        std::filesystem::rename(Path("three" + ending), Path("all/runs/" + id + ending));
    }
    EXPECT_NE(Sweep("all").err.find("8 points, 8 of them finished before"), std::string::npos);
}

TEST_F(ProgramSweepTest, SoloRunsGiveSlowdownsAndAreMadeOnce)
{
    ASSERT_EQ(Sweep("solo", {"--solo", "--quiet", "--jobs=1"}).status, 0);
    EXPECT_EQ(Query("solo/campaign.sqlite", "SELECT COUNT(solo_iteration_ps) FROM job"), "16");
    // Two jobs, two rates, two seeds; both schedulers use the same.
    size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Path("solo/solo")))
    {
        files += entry.is_regular_file() ? 1 : 0;
    }
    EXPECT_EQ(files, 8u);
    EXPECT_EQ(Query("solo/campaign.sqlite",
                    "SELECT COUNT(*) FROM v_scheduler_comparison WHERE figure = 'slowdown' "
                    "AND job = '' AND mean >= 0.99 AND mean < 4"),
              "4");
    // Other runs than those without.
    EXPECT_NE(Sweep("solo").err.find("8 points, 0 of them finished before"), std::string::npos);
}

TEST_F(ProgramSweepTest, AttributesOfTheCommandLineReachThePoints)
{
    ASSERT_EQ(Sweep("small", {"--quiet", "--ns3::RoceNic::PathMtu=1024"}).status, 0);
    EXPECT_EQ(Query("small/campaign.sqlite",
                    "SELECT COUNT(*) FROM parameter WHERE name = 'ns3::RoceNic::PathMtu' "
                    "AND value = '1024' AND origin = 'command line'"),
              "8");
}

TEST_F(ProgramSweepTest, DefaultsOfAPointDoNotReachTheNext)
{
    Write("small.yaml",
          std::string(JOBS) + "sweep: {set: {defaults.ns3::RoceNic::PathMtu: [1024B, 4096B], "
                              "defaults.ns3::RoceNic::AckInterval: [1, 4]}}\n");
    ASSERT_EQ(Sweep("defaults").status, 0);
    EXPECT_EQ(Rows("defaults/campaign.sqlite",
                   "SELECT run, value, origin FROM parameter "
                   "WHERE name = 'ns3::RoceNic::PathMtu' ORDER BY run"),
              (std::vector<std::string>{"1|1024|scenario|",
                                        "2|1024|scenario|",
                                        "3|4096|scenario|",
                                        "4|4096|scenario|"}));
}

TEST_F(ProgramSweepTest, WrongUseIsSaid)
{
    EXPECT_EQ(Sweep("a", {"--point=1"}).err,
              "gpu-fabric: --sweep runs all points, --point one: give one of them\n");
    EXPECT_EQ(Sweep("a", {"--seed=1"}).err,
              "gpu-fabric: --seed: the seeds of a sweep are those of its points\n");
    for (const std::string jobs : {"0", "1025", "4294967297"})
    {
        EXPECT_EQ(Sweep("a", {"--jobs=" + jobs}).err,
                  "gpu-fabric: --jobs: from 1 to 1024 processes can run at a time\n");
    }
    EXPECT_EQ(Run({"--scenario=small.yaml", "--point=0"}).status, 2);
    ProgramResult result = Run({"--scenario=small.yaml"});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("sweep: is not one run but 8"), std::string::npos) << result.err;
    Write("small.yaml", JOBS);
    result = Sweep("a");
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "small.yaml: sweep: is missing: there is nothing to vary\n");
    EXPECT_FALSE(Exists("a"));
    // What only the built network shows: names the point.
    Write("small.yaml", std::string(JOBS) + "sweep: {set: {jobs.a.gpus-per-host: [1, 3]}}\n");
    result = Sweep("a");
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("in point 2 (jobs.a.gpus-per-host=3)"), std::string::npos)
        << result.err;
    // Two paths to one key: both points have the last value.
    Write("small.yaml",
          std::string(JOBS) +
              "sweep: {set: {jobs.a.iterations: [4, 5], \"jobs[0].iterations\": [6]}}\n");
    EXPECT_EQ(Sweep("a").err,
              "small.yaml: sweep: points 1 and 2 are the same run: do two paths lead to one "
              "key?\n");
    Write("small.yaml", std::string(JOBS) + "sweep: {set: {jobs.a.gpus-per-host: [1, 3]}}\n");
    // The check of a scenario is that of its points.
    EXPECT_EQ(Run({"--scenario=small.yaml", "--check"}).status, 2);
}
