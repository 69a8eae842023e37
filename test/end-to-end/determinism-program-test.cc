/* SPDX-License-Identifier: GPL-2.0-only */

// The same scenario, seed and build give the same database, byte for byte: in another process,
// without address space randomisation, under ns-3's own engine, and with the nodes created in
// reverse order.

#include "../fixture/program-fixture.h"

#include <sys/personality.h>

using namespace ns3;

namespace
{

class ProgramDeterminismTest : public ProgramFixture
{
  protected:
    /// Runs a scenario again in other circumstances and compares the files.
    void ExpectSameBytes(const std::string& name,
                         const std::vector<std::string>& arguments,
                         const std::function<void()>& atStart = nullptr)
    {
        const std::string output = name + ".sqlite";
        Simulate(output, arguments, atStart);
        // Not EXPECT_EQ, which would print them.
        EXPECT_TRUE(Read(output) == Read("first.sqlite")) << name << ": " << Compare(output);
    }

    void Simulate(const std::string& output,
                  const std::vector<std::string>& arguments = {},
                  const std::function<void()>& atStart = nullptr)
    {
        std::vector<std::string> words{"--scenario=scenario.yaml", "--quiet", "--out=" + output};
        words.insert(words.end(), arguments.begin(), arguments.end());
        const ProgramResult result = Run(words, atStart);
        ASSERT_EQ(result.status, 0) << result.err;
    }

    /// Tables whose rows are not those of the first run, "" if there are none. Parameters and what
    /// is derived from them are left out.
    std::string Compare(const std::string& output) const
    {
        SQLite::Database database(Path("first.sqlite"));
        SQLite::Statement attach(database, "ATTACH ? AS other");
        attach.bind(1, Path(output));
        attach.exec();
        std::string different;
        int tables = 0;
        SQLite::Statement query(database,
                                "SELECT name FROM main.sqlite_schema WHERE type = 'table'");
        while (query.executeStep())
        {
            const std::string table = query.getColumn(0).getString();
            if (table == "parameter")
            {
                continue;
            }
            ++tables;
            const std::string columns =
                table == "run" ? "run, scenario, scenario_text, scheduler, placement, variant, "
                                 "seed, mode, status, end_ps, events, measure_from_ps, "
                                 "measure_to_ps, measure_note, peak_flops_per_gpu"
                               : "*";
            const std::string here = "SELECT " + columns + " FROM main." + table;
            const std::string there = "SELECT " + columns + " FROM other." + table;
            SQLite::Statement count(database,
                                    "SELECT (SELECT COUNT(*) FROM (" + here + " EXCEPT " + there +
                                        ")) + (SELECT COUNT(*) FROM (" + there + " EXCEPT " + here +
                                        "))");
            count.executeStep();
            if (count.getColumn(0).getInt64() != 0)
            {
                different += " " + table + " in " + count.getColumn(0).getString() + " rows";
            }
        }
        EXPECT_GT(tables, 10);
        return different;
    }

    void RunAll()
    {
        ASSERT_NO_FATAL_FAILURE(Simulate("first.sqlite"));
        ExpectSameBytes("again", {});
        ExpectSameBytes("reverse", {"--reverse-nodes"});
        ExpectSameBytes("default", {"--SimulatorImplementationType=ns3::DefaultSimulatorImpl"});
        // The bucket's width is a parameter, so that the files differ, but in that alone. At 2^0 ps
        // nearly all events are beyond the horizon, at 2^14 many share a bucket.
        for (const std::string shift : {"0", "14"})
        {
            const std::string output = "width" + shift + ".sqlite";
            Simulate(output, {"--ns3::EventLane::BucketWidthShift=" + shift});
            EXPECT_EQ(Compare(output), "") << "BucketWidthShift " << shift;
            EXPECT_EQ(Query(output,
                            "SELECT value || ' ' || origin FROM parameter "
                            "WHERE name = 'ns3::EventLane::BucketWidthShift'"),
                      shift + " command line");
        }
        if (personality(ADDR_NO_RANDOMIZE) < 0)
        {
            GTEST_SKIP() << "addresses cannot be fixed here";
        }
        personality(0);
        ExpectSameBytes("fixed", {}, []() { personality(ADDR_NO_RANDOMIZE); });
    }
};

} // namespace

// 16 hosts that send to each other at the same picosecond, so that ties are everywhere; the
// buffers are small enough for pauses and the thresholds low enough for marks.
TEST_F(ProgramDeterminismTest, SymmetricAllToAll)
{
    std::string scenario = "schema: gpu-fabric/1\n"
                           "name: all-to-all\n"
                           "stop: {when: all-jobs-done, time: 100ms}\n"
                           "topology: {type: LeafSpine, Leaves: 4, Spines: 2, HostsPerLeaf: 4, "
                           "GpusPerHost: 1, NicsPerHost: 1, NicRate: 100Gbps, Uplinks: 2, "
                           "UplinkRate: 100Gbps, LinkDelay: 1us}\n"
                           "defaults:\n"
                           "  ns3::FabricSwitch::BufferSize: 1600kB\n"
                           "  ns3::RedEcnMarker::Kmin: 20kB\n"
                           "  ns3::RedEcnMarker::Kmax: 100kB\n"
                           "  ns3::RoceNic::CongestionControl: ns3::Dcqcn\n"
                           "record: [transfers, events, {links: {interval: 50us}}]\n"
                           "flows:\n";
    for (int from = 0; from < 16; ++from)
    {
        for (int to = 0; to < 16; ++to)
        {
            if (from != to)
            {
                scenario += "  - {from: host" + std::to_string(from) + ", to: host" +
                            std::to_string(to) + ", bytes: 200kB, at: 10us}\n";
            }
        }
    }
    Write("scenario.yaml", scenario);
    RunAll();
    // Otherwise it proves little.
    const auto count = [this](const std::string& sql) {
        return std::stoll(Query("first.sqlite", sql));
    };
    EXPECT_EQ(count("SELECT COUNT(*) FROM transfer WHERE completed_ps IS NOT NULL"), 240);
    EXPECT_GT(count("SELECT COUNT(*) FROM pause"), 100);
    EXPECT_GT(count("SELECT SUM(marked_frames) FROM link_window"), 100);
    // Marks become CNPs and change rates.
    Simulate("other.sqlite", {"--ns3::RoceNic::CongestionControl=ns3::FixedRate"});
    EXPECT_NE(Query("other.sqlite", "SELECT end_ps FROM run"),
              Query("first.sqlite", "SELECT end_ps FROM run"));
}

// The quickstart with fewer iterations, a sixteenth of each.
TEST_F(ProgramDeterminismTest, Quickstart)
{
    const std::string scenario = ReadText(GetProjectFolder("scenarios/quickstart.yaml"));
    std::string shorter;
    std::istringstream lines(scenario);
    for (std::string line; std::getline(lines, line);)
    {
        const size_t key = line.find("iterations:");
        shorter += key == std::string::npos
                       ? line
                       : line.substr(0, key) + "iterations: 3\n    scale: 1/16";
        shorter += "\n";
    }
    ASSERT_NE(shorter.find("scale"), std::string::npos);
    Write("scenario.yaml", shorter);
    RunAll();
    EXPECT_EQ(Query("first.sqlite", "SELECT COUNT(*) FROM run WHERE status = 'finished'"), "2");
}

// The inside of hosts, several parallelisms, algorithms that send to many at once, a job that a
// failed host interrupts, and a network that loses frames.
TEST_F(ProgramDeterminismTest, HostsAndFailures)
{
    Write(
        "scenario.yaml",
        "schema: gpu-fabric/1\n"
        "name: hosts\n"
        "stop: {time: 40ms}\n"
        "topology: {type: LeafSpine, Leaves: 2, Spines: 2, HostsPerLeaf: 2, GpusPerHost: 8, "
        "NicsPerHost: 4, NicRate: 100Gbps, Uplinks: 4, UplinkRate: 100Gbps}\n"
        "host: crux-testbed\n"
        "jobs:\n"
        "  - {name: a, model: gpt2-small, gpus: 16, gpus-per-host: 4, iterations: 3, scale: 1/64, "
        "parallelism: {tensor: 2, pipeline: 2, data: 4, microbatches: 4}}\n"
        "  - {name: b, gpus: 8, gpus-per-host: 4, iterations: 20, collective: Auto, iteration: "
        "[{compute: 100us}, {all-to-all: {bytes: 4MB}}, {all-reduce: {bytes: 1MB}}]}\n"
        "  - {name: c, gpus: 8, gpus-per-host: 4, iterations: 20, restart: true, iteration: "
        "[{compute: 100us}, {all-reduce: {bytes: 4MB}}]}\n"
        "faults:\n"
        "  - {at: 2ms, host: host3, action: down, for: 1ms}\n"
        "  - {from: 0ms, to: 20ms, link: \"*\", action: lose, probability: 0.01%}\n"
        "record: [jobs, collectives, transfers, events, {links: {interval: 100us}}]\n");
    RunAll();
    EXPECT_NE(Query("first.sqlite", "SELECT COUNT(*) FROM job_event WHERE kind = 'interrupted'"),
              "0");
    EXPECT_NE(Query("first.sqlite",
                    "SELECT COUNT(*) FROM link NATURAL JOIN job_link WHERE name LIKE "
                    "'%nvswitch%' AND bytes > 0"),
              "0");
}

// Ranks tell each other of gradients and pieces: a ring whose order rank 0 decides and whose sizes
// are searched for, and servers that all workers push to at the same instants.
TEST_F(ProgramDeterminismTest, TensorsByPriority)
{
    Write(
        "scenario.yaml",
        "schema: gpu-fabric/1\n"
        "name: tensors\n"
        "topology: {type: Star, Hosts: 4, GpusPerHost: 2, NicRate: 100Gbps, LinkDelay: 1us}\n"
        "jobs:\n"
        "  - {name: ring, model: resnet-50, compute: 6ms, gpus: 4, gpus-per-host: 1, scale: 1/32, "
        "iterations: 16}\n"
        "  - {name: servers, model: resnet-50, compute: 6ms, gpus: 4, gpus-per-host: 1, scale: "
        "1/32, iterations: 8, parameter-servers: 3}\n"
        "scheduler: {type: ByteScheduler, Tune: true, SamplingIterations: 3, RandomSamples: 2, "
        "SearchSteps: 2, Period: 50us}\n");
    RunAll();
    EXPECT_GT(
        std::stoi(Query("first.sqlite", "SELECT COUNT(*) FROM decision WHERE kind = 'partition'")),
        6);
}
