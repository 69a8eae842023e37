/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/run-command.h"
#include "../fixture/scenario-fixture.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fstream>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

const char* const NETWORK = "schema: gpu-fabric/1\n"
                            "topology: {type: Star, Hosts: 2, NicRate: 100Gbps, LinkDelay: 1us}\n"
                            "jobs:\n"
                            "  - {name: a, hosts: [host0, host1], iterations: 3,\n"
                            "     iteration: [{compute: 10us}, {all-reduce: {bytes: 100kB}}]}\n";

const char* const SWEEP = "sweep: {set: {jobs.a.iterations: [3, 4]}, seeds: 1..2}\n";

/// Runs gpu-fabric-run's command line within this process. It runs no sweep, as the runs of a sweep
/// are processes of the program.
class HelperRunCommandTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        m_plain = m_folder.Write("plain.yaml", NETWORK);
        m_swept = m_folder.Write("swept.yaml", std::string(NETWORK) + SWEEP);
        m_output = m_folder.GetPath("out.sqlite");
    }

    void TearDown() override
    {
        Config::Reset();
        RngSeedManager::SetRun(1);
    }

    int Run(std::vector<std::string> arguments)
    {
        arguments.insert(arguments.begin(), "gpu-fabric-run");
        arguments.push_back("--out=" + m_output);
        std::vector<char*> argv;
        for (std::string& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        std::ostringstream out;
        std::ostringstream err;
        const int status =
            RunCommand("gpu-fabric-run", out, err).Run(static_cast<int>(argv.size()), argv.data());
        m_out = out.str();
        m_err = err.str();
        return status;
    }

    /// Expects that the arguments are refused without a trace. \returns the message
    std::string Refuse(const std::vector<std::string>& arguments)
    {
        EXPECT_EQ(Run(arguments), 2) << m_err;
        EXPECT_EQ(m_out, "");
        EXPECT_FALSE(std::filesystem::exists(m_output));
        return m_err;
    }

    int64_t Query(const std::string& sql) const
    {
        SQLite::Database database(m_output);
        return database.execAndGet(sql).getInt64();
    }

    ScenarioFolder m_folder;
    std::string m_plain;
    std::string m_swept;
    std::string m_output;
    std::string m_out;
    std::string m_err;
};

} // namespace

TEST_F(HelperRunCommandTest, NoScenario)
{
    const std::string needed = "gpu-fabric: a scenario file is needed: --scenario=FILE\n";
    EXPECT_EQ(Refuse({}), needed);
    EXPECT_EQ(Refuse({"--sweep"}), needed);
    EXPECT_EQ(Refuse({"--check"}), needed);
    EXPECT_EQ(Refuse({"--point=0"}), needed);
}

TEST_F(HelperRunCommandTest, Points)
{
    EXPECT_EQ(Refuse({m_swept, "--point=0"}), "gpu-fabric: --point: points are numbered from 1\n");
    EXPECT_EQ(Refuse({m_swept, "--point=0", "--sweep"}),
              "gpu-fabric: --point: points are numbered from 1\n");
    EXPECT_EQ(Refuse({m_swept, "--point=1", "--sweep"}),
              "gpu-fabric: --sweep runs all points, --point one: give one of them\n");
    // 2 values, 2 seeds.
    EXPECT_EQ(Refuse({m_swept, "--point=5"}),
              m_swept +
                  ":6:8: sweep: there is no point 5: they are numbered 1 to 4\n"
                  " 6 | " +
                  SWEEP + "   |        ^\n");
    EXPECT_EQ(Refuse({m_plain, "--point=1"}),
              m_plain + ": there is no sweep, and so no point of it\n");
}

TEST_F(HelperRunCommandTest, SeedsOfASweep)
{
    const std::string fault = "gpu-fabric: --seed: the seeds of a sweep are those of its points\n";
    EXPECT_EQ(Refuse({m_swept, "--point=1", "--seed=0"}), fault);
    EXPECT_EQ(Refuse({m_swept, "--point=1", "--RngRun=3"}), fault);
    EXPECT_EQ(Refuse({m_swept, "--sweep", "--RngRun=3"}), fault);
    // A check of a file with a sweep is one of the sweep.
    EXPECT_EQ(Refuse({m_swept, "--check", "--seed=3"}), fault);
    EXPECT_EQ(Run({m_plain, "--check", "--seed=3"}), 0) << m_err;
}

TEST_F(HelperRunCommandTest, NumberOfThreads)
{
    const std::string fault =
        "gpu-fabric: --threads: a network can be simulated by 1 to 64 threads, or auto\n";
    EXPECT_EQ(Refuse({m_plain, "--threads=0"}), fault);
    EXPECT_EQ(Refuse({m_plain, "--threads=65"}), fault);
    EXPECT_EQ(Refuse({m_swept, "--sweep", "--threads=2"}),
              "gpu-fabric: --threads: the points of a sweep are processes, as many at a time as "
              "--jobs says\n");
    EXPECT_EQ(Run({m_plain, "--threads=2", "--quiet"}), 0) << m_err;
    EXPECT_EQ(m_err, "");
}

TEST_F(HelperRunCommandTest, Jobs)
{
    const std::string fault = "gpu-fabric: --jobs: from 1 to 1024 processes can run at a time\n";
    EXPECT_EQ(Refuse({m_swept, "--sweep", "--jobs=0"}), fault);
    EXPECT_EQ(Refuse({m_swept, "--check", "--jobs=1025"}), fault);
    EXPECT_EQ(Run({m_swept, "--check", "--jobs=1024"}), 0) << m_err;
    EXPECT_EQ(m_out.find("4 points, 0 of them finished\n"), 0u) << m_out;
}

TEST_F(HelperRunCommandTest, OptionsOfCompareAlone)
{
    for (const std::string name : {"axis", "figure", "job"})
    {
        EXPECT_EQ(Refuse({m_plain, "--" + name + "=x"}),
                  "gpu-fabric: --" + name + ": goes with --compare=DATABASE only\n");
    }
    EXPECT_EQ(Refuse({"--compare=" + m_folder.GetPath("none.sqlite"), "--job=a"}),
              "gpu-fabric: --job: goes with --figure=NAME, the figure of that job\n");
}

TEST_F(HelperRunCommandTest, WhatCannotBeCompared)
{
    const std::string none = m_folder.GetPath("none.sqlite");
    EXPECT_EQ(Refuse({"--compare=" + none}),
              "gpu-fabric: " + none + ": unable to open database file\n");
    EXPECT_EQ(Refuse({"--compare=" + m_plain}),
              "gpu-fabric: " + m_plain + ": file is not a database\n");

    ASSERT_EQ(Run({m_plain, "--quiet"}), 0) << m_err;
    const std::string database = m_folder.GetPath("plain.sqlite");
    std::filesystem::rename(m_output, database);
    EXPECT_EQ(Refuse({"--compare=" + database, "--axis=placement"}),
              "gpu-fabric: " + database +
                  ": no axis \"placement\" in this database; it has no sweep\n");
    EXPECT_EQ(Refuse({"--compare=" + database, "--figure=speed"}),
              "gpu-fabric: " + database +
                  ": no figure \"speed\" of all jobs in this database; see v_run_figure\n");
    EXPECT_EQ(Refuse({"--compare=" + database, "--figure=iteration_ms", "--job=b"}),
              "gpu-fabric: " + database +
                  ": no figure \"iteration_ms\" of a job \"b\" in this database; see "
                  "v_run_figure\n");
    EXPECT_EQ(Run({"--compare=" + database, "--figure=iteration_ms", "--job=a"}), 0) << m_err;
    EXPECT_NE(m_out.find("None"), std::string::npos) << m_out;
    EXPECT_EQ(m_err, "");
}

// What runs is what was asked for: the point's iterations and seed, or the seed of the command
// line, which --seed gives before --RngRun.
TEST_F(HelperRunCommandTest, PointAndSeed)
{
    // The last axis varies fastest: (3, seed 1), (3, 2), (4, 1), (4, 2).
    ASSERT_EQ(Run({m_swept, "--quiet", "--point=4"}), 0) << m_err;
    EXPECT_EQ(Query("SELECT seed FROM run"), 2);
    EXPECT_EQ(Query("SELECT MAX(iterations) FROM v_job"), 4);
    ASSERT_EQ(Run({m_plain, "--quiet", "--overwrite", "--RngRun=5"}), 0) << m_err;
    EXPECT_EQ(Query("SELECT seed FROM run"), 5);
    ASSERT_EQ(Run({m_plain, "--quiet", "--overwrite", "--RngRun=5", "--seed=7"}), 0) << m_err;
    EXPECT_EQ(Query("SELECT seed FROM run"), 7);
    EXPECT_EQ(m_out + m_err, "");
}

TEST_F(HelperRunCommandTest, OutputThatExists)
{
    std::ofstream(m_output) << "kept";
    EXPECT_EQ(Run({m_plain}), 2);
    EXPECT_EQ(m_err.find("gpu-fabric: " + m_output), 0u) << m_err;
    EXPECT_EQ(m_out, "");
    std::string text;
    std::ifstream(m_output) >> text;
    EXPECT_EQ(text, "kept");
}
