/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/application/training-job.h"
#include "../fixture/byte-scheduler-example.h"
#include "../fixture/scenario-run-fixture.h"

#include "ns3/fabric-helper.h"

using namespace ns3;

namespace
{

/// ByteScheduler on the packet network, MTU 4096, no congestion control.
class ByteSchedulerInPacketsTest : public ScenarioRunFixture
{
  protected:
    /// A model on eight hosts of one NIC on a switch: whole tensors as they come, or by layer in
    /// pieces of 4 MB, one posted at a time, or as written.
    static std::string Ring(const std::string& job,
                            const std::string& rate,
                            const std::string& credit = "CreditSize: 4MB")
    {
        return "topology: {type: Star, Hosts: 8, Rate: " + rate +
               ", LinkDelay: 1us}\n"
               "defaults: {\"ns3::RoceNic::CongestionControl\": \"ns3::FixedRate\"}\n"
               "record: [jobs, collectives]\n"
               "jobs:\n"
               "  - {name: job, gpus: 8, iterations: 3, " +
               job +
               "}\n"
               "compare:\n"
               "  - {type: ByteScheduler, PartitionSize: 1TB, CreditSize: 1TB, Priority: false}\n"
               "  - {type: ByteScheduler, PartitionSize: 4MB, " +
               credit + "}\n";
    }

    /// Of a run [ms].
    double PeriodMs(uint32_t run) const
    {
        // Iteration 0 has no forward pass that waits.
        return Real("SELECT (MAX(start_ps) - MIN(start_ps)) / (COUNT(*) - 1) FROM iteration "
                    "WHERE iteration >= 1 AND run = " +
                    std::to_string(run)) /
               MS;
    }
};

/// Runs the example on a worker and a server of one NIC each, and measures units.
class ByteSchedulerExampleInPacketsTest : public ::testing::Test
{
  protected:
    static constexpr uint64_t UNIT = 8'000'000; ///< [byte]
    /// 8 MB on the wire at 100 Gb/s, 82 bytes with each 4,096 [ps]
    static constexpr double UNIT_PS = 8e6 * (4096 + 82) / 4096 * 80;

    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    double GetUnits(const TensorSchedule& schedule)
    {
        Simulator::Destroy();
        Config::Reset();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        Config::SetDefault("ns3::RoceNic::CongestionControl", StringValue("ns3::FixedRate"));
        ClusterTopology topology;
        const uint32_t hub = topology.AddSwitch("leaf0");
        for (const char* name : {"worker", "server"})
        {
            topology.AddLink(topology.AddHost(name, 1), hub, 100'000'000'000, 1'000'000);
        }
        std::vector<int64_t> starts;
        FabricHelper helper;
        EXPECT_TRUE(helper.Build(topology, 1).empty());
        {
            JobEnvironment environment(topology, *helper.GetTransport(), 1);
            environment.defaultPriority = 6;
            JobSpec spec;
            spec.name = "example";
            spec.iterations = 4;
            const Ptr<TrainingJob> job = CreateObject<TrainingJob>();
            const auto faults = job->Configure(
                &environment,
                0,
                spec,
                std::make_shared<const IterationProgram>(
                    MakeByteSchedulerExample(UNIT, static_cast<int64_t>(2 * UNIT_PS))),
                {0, 1});
            EXPECT_TRUE(faults.empty());
            m_spans.clear();
            job->TraceConnectWithoutContext(
                "Span",
                MakeCallback(&ByteSchedulerExampleInPacketsTest::TakeSpan, this));
            job->SetTensorSchedule(schedule);
            job->Start(0, 0, 0);
            Simulator::Run();
            EXPECT_EQ(job->GetStatus(), TrainingJob::Status::FINISHED);
            EXPECT_TRUE(job->Release(Simulator::Now().GetTimeStep()));
            job->Dispose();
        }
        helper.Dispose();
        // Of the worker's six passes the first.
        return static_cast<double>(m_spans.at(18) - m_spans.at(12)) / UNIT_PS;
    }

    void TakeSpan(const SpanRecord& span)
    {
        if (span.gpu == 0 && span.kind == GpuTimeKind::COMPUTE)
        {
            m_spans.push_back(span.startPs);
        }
    }

    std::vector<int64_t> m_spans; ///< starts of passes of the worker [ps]
};

} // namespace

// C17, 26 and 18 units. A unit is 0.65 ms; what the network adds to it (2 us of links, an ACK to
// return the credit, 2 us between worker and server) is under 3 %.
TEST_F(ByteSchedulerExampleInPacketsTest, TwentySixAndEighteenUnits)
{
    const double fifo = GetUnits(TensorSchedule());
    EXPECT_NEAR(fifo, 26, 0.03 * 26);
    const double priority = GetUnits({UNIT, UNIT, true, 1'000'000, 1});
    EXPECT_NEAR(priority, 18, 0.03 * 18);
    EXPECT_NEAR(fifo / priority, 1.444, 0.03 * 1.444);
    RecordProperty("measured_units", std::to_string(fifo) + " " + std::to_string(priority));
}

// experiments.md predicts 424.3 and 324.5 ms: with 82 bytes around each 4,096, and ACKs.
TEST_F(ByteSchedulerInPacketsTest, Vgg16)
{
    Run(Ring("model: vgg-16, compute: 324.5ms", "25Gbps"));
    EXPECT_NEAR(PeriodMs(1), 424.3, 0.03 * 424.3);
    EXPECT_NEAR(PeriodMs(2), 324.5, 0.03 * 324.5);
    RecordProperty("measured_ms", std::to_string(PeriodMs(1)) + " " + std::to_string(PeriodMs(2)));
    // Both carry the same: 14 x 553.4 MB / 8 an iteration.
    EXPECT_EQ(Rows("SELECT DISTINCT bytes FROM iteration").size(), 1u);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM (SELECT run, iteration, SUM(bytes) AS b FROM "
                      "collective GROUP BY run, iteration) WHERE b <> 138357544 * 4"),
              0);
}

// 197.6 and 154.7 ms.
TEST_F(ByteSchedulerInPacketsTest, ResNet50)
{
    Run(Ring("model: resnet-50, compute: 154.6ms", "10Gbps"));
    EXPECT_NEAR(PeriodMs(1), 197.6, 0.03 * 197.6);
    EXPECT_NEAR(PeriodMs(2), 154.7, 0.03 * 154.7);
    RecordProperty("measured_ms", std::to_string(PeriodMs(1)) + " " + std::to_string(PeriodMs(2)));
}

// 499.1 and 415.0 ms, here at a quarter of the size: latencies, which are not scaled, count for
// four. Two pieces at a time hide those of their steps. The embedding, 127 MB, is the first layer.
TEST_F(ByteSchedulerInPacketsTest, BertLarge)
{
    Run(Ring("model: bert-large, sequence: 128, compute: 285.7ms, scale: 1/4",
             "50Gbps",
             "CreditSize: 8MB, Streams: 2"));
    EXPECT_NEAR(4 * PeriodMs(1), 499.1, 0.03 * 499.1);
    EXPECT_NEAR(4 * PeriodMs(2), 415.0, 0.03 * 415.0);
    RecordProperty("measured_ms",
                   std::to_string(4 * PeriodMs(1)) + " " + std::to_string(4 * PeriodMs(2)));
}

// VGG-16 at an eighth of its size on four workers at 10 Gb/s, with a server beside each.
//
// Whole tensors as they come: the three other copies of the 411 MB of the first fully connected
// layer are pushed to its server, then pulled from it, 2 x 3 x 411.06 MB x (4178/4096) x 8 / 10G =
// 2012.6 ms at full size. Its gradient comes after 2 ms, but behind the 84 MB of the two layers
// before it, 68 ms, whose pulls take their part of the links again: up to 10 % more.
// Pieces on all servers: a NIC carries 2 x 3/4 x 553.4 MB a direction, 677.3 ms, twice the compute
// time, which it hides but for the first gradient and the first layers: up to 5 % more.
TEST_F(ByteSchedulerInPacketsTest, ParameterServersAsTensorsAreDivided)
{
    Run(R"(
topology: {type: Star, Hosts: 4, Rate: 10Gbps, LinkDelay: 1us}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
jobs:
  - {name: job, model: vgg-16, compute: 324.5ms, gpus: 4, parameter-servers: 4, iterations: 4, scale: 1/8}
compare:
  - {type: ByteScheduler, PartitionSize: 1TB, CreditSize: 1TB, Priority: false, ServerPlacement: whole}
  - ByteScheduler
)");
    const double whole = 8 * PeriodMs(1);
    const double pieces = 8 * PeriodMs(2);
    EXPECT_GT(whole, 2012.6);
    EXPECT_LT(whole, 1.1 * 2012.6);
    EXPECT_GT(pieces, 677.3);
    EXPECT_LT(pieces, 1.05 * 677.3);
    EXPECT_EQ(Integer("SELECT COUNT(*) FROM (SELECT run, iteration, op, SUM(bytes) AS b FROM "
                      "collective GROUP BY run, iteration, op) WHERE b <> 138357544 * 4 / 8"),
              0);
    RecordProperty("measured_ms", std::to_string(whole) + " " + std::to_string(pieces));
}

// What is decided is written down; a job that it cannot be done for runs as under None, and the
// user is told.
TEST_F(ByteSchedulerInPacketsTest, DecisionsAreRecorded)
{
    const std::string jobs = R"(
topology: {type: Star, Hosts: 4, GpusPerHost: 2, Rate: 100Gbps}
jobs:
  - {name: ring, model: resnet-50, compute: 2ms, gpus: 2, gpus-per-host: 1, iterations: 3, scale: 1/8}
  - {name: servers, model: resnet-50, compute: 2ms, gpus: 2, gpus-per-host: 1, iterations: 3, scale: 1/8, gradients: fp16, parameter-servers: 2}
  - {name: explicit, gpus: 2, gpus-per-host: 1, iterations: 3, iteration: [{compute: 1ms}, {all-reduce: {bytes: 1MB}}]}
  - {name: sharded, model: resnet-50, compute: 2ms, gpus: 2, gpus-per-host: 1, iterations: 3, scale: 1/8, parallelism: {zero: 1}}
)";
    Run(jobs + "scheduler: ByteScheduler\n");
    EXPECT_EQ(
        Rows("SELECT name, value FROM decision JOIN job USING (run, job) WHERE kind = "
             "'partition' ORDER BY decision"),
        (std::vector<std::string>{"ring|partition 32000000 B, credit 64000000 B, by layer",
                                  "servers|partition 2000000 B, credit 8000000 B, by layer"}));
    EXPECT_EQ(Rows("SELECT name, reason FROM decision JOIN job USING (run, job) WHERE kind = "
                   "'fallback' ORDER BY decision"),
              (std::vector<std::string>{
                  "explicit|ByteScheduler does not schedule its gradients: its iteration is given "
                  "step by step",
                  "sharded|ByteScheduler does not schedule its gradients: it is not plain data "
                  "parallelism"}));
    EXPECT_NE(messages.find("job explicit: ByteScheduler does not schedule its gradients"),
              std::string::npos)
        << messages;
    EXPECT_EQ(Rows("SELECT DISTINCT json_extract(inputs, '$.mode') FROM decision WHERE kind = "
                   "'partition' ORDER BY 1"),
              (std::vector<std::string>{"all-reduce", "parameter-servers"}));
    // Pushes and pulls are rows of collectives.
    EXPECT_EQ(Rows("SELECT DISTINCT op, algorithm FROM collective JOIN job USING (run, job) WHERE "
                   "name = 'servers' ORDER BY 1"),
              (std::vector<std::string>{"broadcast|ParameterServer", "reduce|ParameterServer"}));
    const auto others = Rows(
        "SELECT name, iteration, iteration.end_ps - iteration.start_ps FROM iteration JOIN job "
        "USING (run, job) WHERE name IN ('explicit', 'sharded')");
    EXPECT_EQ(others.size(), 6u);
    Run(jobs + "scheduler: None\n");
    EXPECT_EQ(
        Rows(
            "SELECT name, iteration, iteration.end_ps - iteration.start_ps FROM iteration JOIN job "
            "USING (run, job) WHERE name IN ('explicit', 'sharded')"),
        others);
}

// A search of 3 random samples and 2 steps, each of 3 iterations, then the best.
TEST_F(ByteSchedulerInPacketsTest, SizesAreSearchedForWhileTheJobRuns)
{
    Run(R"(
topology: {type: Star, Hosts: 4, Rate: 100Gbps}
defaults: {"ns3::RoceNic::CongestionControl": "ns3::FixedRate"}
jobs:
  - {name: job, model: vgg-16, compute: 64ms, gpus: 4, iterations: 30, scale: 1/64}
scheduler: {type: ByteScheduler, Tune: true, SamplingIterations: 3, RandomSamples: 3, SearchSteps: 2, Period: 100us}
)");
    const auto triggers = Rows("SELECT \"trigger\", reason FROM decision WHERE kind = 'partition' "
                               "ORDER BY decision");
    ASSERT_GE(triggers.size(), 5u);
    EXPECT_EQ(triggers[0], "arrival|a sample of the search at random sizes");
    EXPECT_EQ(triggers[2], "period|a sample of the search at random sizes");
    EXPECT_EQ(triggers[3],
              "period|a sample of the search where it expects the largest improvement");
    EXPECT_LE(triggers.size(), 6u);
    // The last decision is the sizes of a sample, unless the last sample was the best.
    EXPECT_EQ(Integer("SELECT COUNT(DISTINCT value) FROM decision WHERE kind = 'partition'"), 5);
    // In parameters: 2 to 32 million, 4 to 64 million.
    EXPECT_EQ(
        Integer("SELECT COUNT(*) FROM decision WHERE kind = 'partition' AND "
                "(json_extract(inputs, '$.partition_bytes') NOT BETWEEN 8000000 AND 128000000 "
                "OR json_extract(inputs, '$.credit_bytes') NOT BETWEEN 16000000 AND "
                "256000000)"),
        0);
}
