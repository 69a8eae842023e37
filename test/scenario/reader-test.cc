/* SPDX-License-Identifier: GPL-2.0-only */

#include "../fixture/peer-workloads.h"
#include "../fixture/scenario-fixture.h"

using namespace ns3;

namespace
{

const char* const STAR = "schema: gpu-fabric/1\n"
                         "topology: {type: Star, Hosts: 4, GpusPerHost: 8}\n";

/// Reads a text that must be valid.
Scenario
Read(const std::string& text)
{
    const ScenarioFolder folder;
    folder.Write("a.yaml", text);
    ReadResult result = ReadScenario(folder, "a.yaml");
    EXPECT_EQ(result.messages, "");
    return result.scenario.value_or(Scenario());
}

/// The messages of a text that must be invalid, without lines and carets.
std::string
ReadWrong(const std::string& text)
{
    const ScenarioFolder folder;
    folder.Write("a.yaml", text);
    std::istringstream messages(ReadScenario(folder, "a.yaml").messages);
    std::string result;
    for (std::string line; std::getline(messages, line);)
    {
        result += line[0] == ' ' ? "" : line + "\n";
    }
    return result;
}

} // namespace

TEST(ScenarioReaderTest, LocalGpus)
{
    const Scenario scenario = Read(std::string(STAR) + R"(jobs:
  - {name: named, iteration: [{compute: 1ms}], iterations: 1, hosts: [host0, host2],
     local-gpus: [7, 1, 4]}
  - {name: free, count: 2, iteration: [{compute: 1ms}], iterations: 1, gpus: 4, local-gpus: [0, 2]}
  - {name: whole, iteration: [{compute: 1ms}], iterations: 1, gpus: 4}
)");
    ASSERT_EQ(scenario.jobs.size(), 4U);
    EXPECT_EQ(scenario.jobs[0].gpus, 6U);
    EXPECT_EQ(scenario.jobs[0].gpusPerHost, 3U);
    EXPECT_EQ(scenario.jobs[0].localGpus, (std::vector<uint32_t>{1, 4, 7}));
    EXPECT_EQ(scenario.jobs[2].gpus, 4U);
    EXPECT_EQ(scenario.jobs[2].gpusPerHost, 2U);
    EXPECT_EQ(scenario.jobs[2].localGpus, (std::vector<uint32_t>{0, 2}));
    EXPECT_TRUE(scenario.jobs[3].localGpus.empty());
}

TEST(ScenarioReaderTest, ReadsEveryKey)
{
    const Scenario scenario = Read(R"(schema: gpu-fabric/1
name: two-jobs
seed: 7
stop: {when: all-jobs-done, time: 10s}
measure: {from: 1s, to: 2s, warmup: 3, jobs: [gpt, bert]}
topology:
  type: LeafSpine
  Leaves: 2
  Spines: 2
  HostsPerLeaf: 6
  GpusPerHost: 8
  NicsPerHost: 4
  NicRate: 200Gbps
  Uplinks: 8
  UplinkRate: 0.2Tbps
  LinkDelay: 0.5us
bottleneck: leaf0-spine0#2
defaults:
  ns3::RedEcnMarker::Kmin: 400kB
  ns3::RedEcnMarker::ReferenceRate: 100Gbps
  ns3::RedEcnMarker::Pmax: 0.1
  ns3::RedEcnMarker::Enabled: false
jobs:
  - {name: gpt, model: gpt3-24l-1024h, gpus: 32, hosts: [host0, host1, host6, host7],
     batch-per-gpu: 2, gradients: fp32, overlap: none, channels: 4, iterations: 20, scale: 1/8}
  - {name: bert, count: 3, model: bert-large, sequence: 512, batch-per-gpu: 32, gradients: fp16,
     bucket: 25MB, gpus-per-host: 4, hosts: [[host2, host8], [host3, host9], [host4, host10]],
     until: gpt, arrival: {uniform: [0ms, 152ms]},
     compute-jitter: {cv: 1%, distribution: Lognormal, scope: job}, compute: 127ms}
  - {name: custom, arrival: 100ms, gpus: 8, iterations: 4, flop: 10e9, barrier: false,
     deadline: 250ms,
     iteration: [{compute: 5ms}, {all-reduce: {bytes: 64MiB}}, {all-gather: {bytes: 1kB}},
                 {reduce-scatter: {bytes: 2kB}}]}
flows:
  - {from: host0, to: host5.nic3, bytes: 10MB, at: 1ms, priority: 3}
  - {from: host1, to: host0, bytes: 1B}
placement: {type: Consolidate}
compare: [None, {type: GpuIntensity, Levels: 4}]
record: [jobs, transfers, {links: {interval: 100us}}]
)");
    EXPECT_EQ(scenario.name, "two-jobs");
    EXPECT_EQ(scenario.seed, 7U);
    EXPECT_EQ(scenario.stopWhen, StopCondition::ALL_JOBS_DONE);
    EXPECT_EQ(scenario.stopPs, 10'000'000'000'000);
    EXPECT_EQ(scenario.measure.from, PicoSeconds(1'000'000'000'000));
    EXPECT_EQ(scenario.measure.to, PicoSeconds(2'000'000'000'000));
    EXPECT_EQ(scenario.measure.warmup, 3U);
    EXPECT_EQ(scenario.measure.jobs,
              (std::vector<std::string>{"gpt", "bert-0", "bert-1", "bert-2"}));
    EXPECT_EQ(scenario.topology.typeId, "ns3::LeafSpineTopology");
    EXPECT_EQ(scenario.graph.GetGpuCount(), 96U);
    // 12 hosts x 4 NICs + 2 leaves x 8 uplinks
    EXPECT_EQ(scenario.graph.GetLinks().size(), 64U);
    EXPECT_EQ(scenario.graph.GetLinks().back().rateBps, 200'000'000'000U);
    EXPECT_EQ(scenario.graph.GetLinks().back().delayPs, 500'000);
    EXPECT_EQ(scenario.bottleneck, "leaf0-spine0#2");

    ASSERT_EQ(scenario.defaults.size(), 4U);
    EXPECT_EQ(scenario.defaults[0].name, "ns3::RedEcnMarker::Kmin");
    EXPECT_EQ(scenario.defaults[0].value, "400000");
    EXPECT_EQ(scenario.defaults[0].mark.line, 19);
    EXPECT_EQ(scenario.defaults[1].value, "100Gbps");
    EXPECT_EQ(scenario.defaults[2].value, "0.1");
    EXPECT_EQ(scenario.defaults[3].value, "false");

    ASSERT_EQ(scenario.jobs.size(), 5U);
    const JobSpec& gpt = scenario.jobs[0];
    EXPECT_EQ(gpt.name, "gpt");
    EXPECT_EQ(gpt.path, "jobs[0]");
    EXPECT_EQ(gpt.model, "gpt3-24l-1024h");
    EXPECT_EQ(gpt.gpus, 32U);
    EXPECT_EQ(gpt.hosts, (std::vector<std::string>{"host0", "host1", "host6", "host7"}));
    EXPECT_EQ(gpt.gpusPerHost, 0U); // all 8 of each
    EXPECT_EQ(gpt.batchPerGpu, 2U);
    EXPECT_EQ(gpt.gradients, GradientFormat::FP32);
    EXPECT_EQ(gpt.overlap, GradientOverlap::NONE);
    EXPECT_EQ(gpt.channels, 4U);
    EXPECT_EQ(gpt.iterations, 20U);
    EXPECT_EQ(gpt.scale.numerator, 1U);
    EXPECT_EQ(gpt.scale.denominator, 8U);
    EXPECT_EQ(gpt.arrival.high.GetPicoSeconds(), 0);
    EXPECT_TRUE(gpt.barrier);
    EXPECT_EQ(gpt.GetMark("gpus").line, 24);
    EXPECT_EQ(gpt.GetMark("gpus").column, 46);
    EXPECT_EQ(gpt.GetMark("bucket").column, 5); // not written: the job

    for (int i = 0; i < 3; i++)
    {
        const JobSpec& bert = scenario.jobs[1 + i];
        EXPECT_EQ(bert.name, "bert-" + std::to_string(i));
        EXPECT_EQ(bert.path, "jobs[1]");
        EXPECT_EQ(bert.gpus, 8U); // 2 hosts x 4
        EXPECT_EQ(bert.gpusPerHost, 4U);
        EXPECT_EQ(bert.hosts,
                  (std::vector<std::string>{"host" + std::to_string(2 + i),
                                            "host" + std::to_string(8 + i)}));
        EXPECT_EQ(bert.until, "gpt");
        EXPECT_EQ(bert.iterations, 0U);
        EXPECT_EQ(bert.sequence, 512U);
        EXPECT_EQ(bert.bucket.Get(), 25'000'000U);
        EXPECT_EQ(bert.arrival.low.GetPicoSeconds(), 0);
        EXPECT_EQ(bert.arrival.high.GetPicoSeconds(), 152'000'000'000);
        EXPECT_EQ(bert.jitterCv, 0.01);
        EXPECT_EQ(bert.jitterScope, JitterScope::JOB);
        EXPECT_EQ(bert.compute, MilliSeconds(127));
    }

    const JobSpec& custom = scenario.jobs[4];
    EXPECT_EQ(custom.arrival.low.GetPicoSeconds(), 100'000'000'000);
    EXPECT_EQ(custom.arrival.high.GetPicoSeconds(), 100'000'000'000);
    EXPECT_FALSE(custom.barrier);
    EXPECT_EQ(custom.deadline.GetPicoSeconds(), 250'000'000'000);
    EXPECT_EQ(scenario.jobs[1].deadline.GetPicoSeconds(), 0);
    EXPECT_EQ(custom.flopPerIteration, 10e9);
    ASSERT_EQ(custom.iteration.size(), 4U);
    EXPECT_EQ(custom.iteration[0].kind, ProgramStepKind::COMPUTE);
    EXPECT_EQ(custom.iteration[0].duration.GetPicoSeconds(), 5'000'000'000);
    EXPECT_EQ(custom.iteration[1].kind, ProgramStepKind::ALL_REDUCE);
    EXPECT_EQ(custom.iteration[1].bytes.Get(), 64U << 20);
    EXPECT_EQ(custom.iteration[2].kind, ProgramStepKind::ALL_GATHER);
    EXPECT_EQ(custom.iteration[3].bytes.Get(), 2000U);

    ASSERT_EQ(scenario.flows.size(), 2U);
    EXPECT_EQ(scenario.flows[0].from, "host0");
    EXPECT_EQ(scenario.flows[0].to, "host5.nic3");
    EXPECT_EQ(scenario.flows[0].bytes, ByteSize(10'000'000));
    EXPECT_EQ(scenario.flows[0].at, PicoSeconds(1'000'000'000));
    EXPECT_EQ(scenario.flows[0].priority, 3);
    EXPECT_EQ(scenario.flows[1].priority, -1);

    EXPECT_EQ(scenario.placement.typeId, "ns3::ConsolidatePlacement");
    ASSERT_EQ(scenario.schedulers.size(), 2U);
    EXPECT_EQ(scenario.schedulers[0].typeName, "None");
    EXPECT_EQ(scenario.schedulers[0].typeId, "ns3::NoneScheduler");
    EXPECT_EQ(scenario.schedulers[1].typeId, "ns3::GpuIntensityScheduler");
    ASSERT_EQ(scenario.schedulers[1].attributes.size(), 1U);
    EXPECT_EQ(scenario.schedulers[1].attributes[0].value, "4");
    EXPECT_TRUE(scenario.record.jobs);
    EXPECT_TRUE(scenario.record.transfers);
    EXPECT_FALSE(scenario.record.collectives);
    EXPECT_FALSE(scenario.record.events);
    EXPECT_EQ(scenario.record.linkInterval, PicoSeconds(100'000'000));
}

TEST(ScenarioReaderTest, ModelsAndParallelism)
{
    const ScenarioFolder folder;
    folder.Write("a.yaml", R"(schema: gpu-fabric/1
topology: {type: Star, Hosts: 4, GpusPerHost: 8}
jobs:
  - name: moe
    model: {type: MixtureOfExperts, Layers: 4, Experts: 16}
    gpus: 32
    gpu: H100
    precision: tf32
    recompute: full
    iterations: 2
    parallelism: {data: 4, tensor: 2, pipeline: 4, expert: 2, zero: 1, microbatches: 8,
                  micro-batch: 2, interleave: 2, order: tp-pp-dp, scatter-gather: false}
  - {name: ps, model: vgg-16, gpus: 4, parameter-servers: 2, iterations: 2}
  - name: steps
    gpus: 4
    iterations: 2
    iteration:
      - {send: {bytes: 3MB, from: 1, to: 2}}
      - {broadcast: {bytes: 2MB, root: 3}}
      - {reduce: {bytes: 1MB}}
      - {all-to-all: {bytes: 4MB}}
)");
    const ReadResult result = ReadScenario(folder, "a.yaml");
    ASSERT_TRUE(result.scenario) << result.messages;
    const JobSpec& moe = result.scenario->jobs[0];
    EXPECT_EQ(moe.model, "MixtureOfExperts");
    ASSERT_TRUE(moe.modelType);
    EXPECT_EQ(moe.modelType->typeId, "ns3::MixtureOfExpertsModel");
    ASSERT_EQ(moe.modelType->attributes.size(), 2U);
    EXPECT_EQ(moe.modelType->attributes[1].name, "Experts");
    EXPECT_EQ(moe.modelType->attributes[1].value, "16");
    EXPECT_EQ(moe.gpuType, GpuType::H100);
    EXPECT_EQ(moe.precision, Precision::TF32);
    EXPECT_EQ(moe.recompute, Recompute::FULL);
    EXPECT_EQ(moe.parallelism.data, 4U);
    EXPECT_EQ(moe.parallelism.tensor, 2U);
    EXPECT_EQ(moe.parallelism.pipeline, 4U);
    EXPECT_EQ(moe.parallelism.expert, 2U);
    EXPECT_EQ(moe.parallelism.zero, 1U);
    EXPECT_EQ(moe.parallelism.microbatches, 8U);
    EXPECT_EQ(moe.parallelism.microBatch, 2U);
    EXPECT_EQ(moe.parallelism.interleave, 2U);
    EXPECT_EQ(moe.parallelism.order, RankOrder::TENSOR_PIPELINE_DATA);
    EXPECT_FALSE(moe.parallelism.scatterGather);
    EXPECT_TRUE(moe.parallelism.written);
    EXPECT_EQ(moe.GetMark("parallelism.zero").line, 11);

    const JobSpec& ps = result.scenario->jobs[1];
    EXPECT_FALSE(ps.modelType);
    EXPECT_EQ(ps.parameterServers, 2U);
    EXPECT_EQ(ps.gpuType, GpuType::A100);
    EXPECT_FALSE(ps.parallelism.written);
    EXPECT_TRUE(ps.parallelism.scatterGather);

    const std::vector<ProgramStepSpec>& steps = result.scenario->jobs[2].iteration;
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0].kind, ProgramStepKind::SEND);
    EXPECT_EQ(steps[0].bytes.Get(), 3'000'000U);
    EXPECT_EQ(steps[0].root, 1U);
    EXPECT_EQ(steps[0].to, 2U);
    EXPECT_EQ(steps[1].root, 3U);
    EXPECT_EQ(steps[2].root, 0U);
    EXPECT_EQ(steps[3].kind, ProgramStepKind::ALL_TO_ALL);
}

TEST(ScenarioReaderTest, Defaults)
{
    const Scenario scenario =
        Read(std::string(STAR) + "jobs: [{name: a, model: x, gpus: 1, iterations: 1}]\n");
    EXPECT_EQ(scenario.name, "a"); // of a.yaml
    EXPECT_EQ(scenario.seed, 1U);
    EXPECT_EQ(scenario.stopWhen, StopCondition::ALL_JOBS_DONE);
    EXPECT_EQ(scenario.stopPs, 0);
    EXPECT_EQ(scenario.measure.warmup, 2U);
    EXPECT_EQ(scenario.placement.typeId, "ns3::ConsolidatePlacement");
    ASSERT_EQ(scenario.schedulers.size(), 1U);
    EXPECT_EQ(scenario.schedulers[0].typeId, "ns3::NoneScheduler");
    EXPECT_TRUE(scenario.record.collectives);
    EXPECT_EQ(scenario.jobs[0].bucket.Get(), 26'214'400U);
    EXPECT_EQ(scenario.jobs[0].overlap, GradientOverlap::BACKWARD);
    EXPECT_EQ(scenario.jobs[0].jitterScope, JitterScope::RANK);
}

TEST(ScenarioReaderTest, FlowsAloneAreAScenario)
{
    const Scenario scenario =
        Read(std::string(STAR) + "flows: [{from: host0, to: host1, bytes: 1MB}]\n");
    EXPECT_TRUE(scenario.jobs.empty());
    EXPECT_EQ(scenario.flows.size(), 1U);
    EXPECT_EQ(Read(std::string(STAR) + "flows: [{from: host0, to: host1, bytes: 1MB}]\n"
                                       "stop: {when: time, time: 1s}\n")
                  .stopWhen,
              StopCondition::TIME);
}

TEST(ScenarioReaderTest, GpusAreCompletedFromHosts)
{
    const Scenario scenario = Read(std::string(STAR) + R"(
jobs:
  - {name: all, model: x, hosts: [host0, host1], iterations: 1}
  - {name: half, model: x, gpus: 8, hosts: [host0, host1], iterations: 1}
  - {name: two, model: x, gpus-per-host: 2, hosts: [host0, host1, host2], iterations: 1}
  - {name: free, model: x, gpus: 12, gpus-per-host: 4, iterations: 1}
)");
    EXPECT_EQ(scenario.jobs[0].gpus, 16U);
    EXPECT_EQ(scenario.jobs[0].gpusPerHost, 0U);
    EXPECT_EQ(scenario.jobs[1].gpusPerHost, 4U);
    EXPECT_EQ(scenario.jobs[2].gpus, 6U);
    EXPECT_EQ(scenario.jobs[3].gpusPerHost, 4U);
}

TEST(ScenarioReaderTest, CountExpandsNamesAndHosts)
{
    const Scenario scenario = Read(std::string(STAR) + R"(
measure: {jobs: [a, b-1]}
jobs:
  - {name: a, count: 1, model: x, gpus: 8, iterations: 1}
  - {name: b, count: 2, model: x, hosts: [host0], iterations: 1}
  - {name: c, count: 2, model: x, hosts: [[host0, host1], [host2, host3]], until: b}
  - {name: d, model: x, gpus: 1, until: b-0}
)");
    std::vector<std::string> names;
    for (const JobSpec& job : scenario.jobs)
    {
        names.push_back(job.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a", "b-0", "b-1", "c-0", "c-1", "d"}));
    EXPECT_EQ(scenario.jobs[2].hosts, std::vector<std::string>{"host0"}); // one list for all
    EXPECT_EQ(scenario.jobs[4].hosts, (std::vector<std::string>{"host2", "host3"}));
    EXPECT_EQ(scenario.jobs[3].until, "b");
    EXPECT_EQ(scenario.jobs[5].until, "b-0");
    EXPECT_EQ(scenario.measure.jobs, (std::vector<std::string>{"a", "b-1"}));
}

TEST(ScenarioReaderTest, ExtendsInheritsMapsAndReplacesTheRest)
{
    const ScenarioFolder folder;
    const std::string base = "schema: gpu-fabric/1\n"
                             "name: base\n"
                             "seed: 3\n"
                             "topology: {type: LeafSpine, Leaves: 4, Spines: 2}\n"
                             "scheduler: None\n"
                             "jobs: [{name: a, model: x, gpus: 8, iterations: 1}]\n";
    folder.Write("base.yaml", base);
    const std::string variant = "schema: gpu-fabric/1\n"
                                "extends: ../base.yaml\n"
                                "name: variant\n"
                                "topology: {Leaves: 3}\n"
                                "compare: [None, GpuIntensity]\n"
                                "jobs: [{name: b, model: x, gpus: 4, iterations: 2}]\n";
    folder.Write("sub/variant.yaml", variant);
    const ReadResult result = ReadScenario(folder, "sub/variant.yaml");
    ASSERT_EQ(result.messages, "");
    const Scenario& scenario = *result.scenario;
    EXPECT_EQ(scenario.name, "variant");
    EXPECT_EQ(scenario.seed, 3U);
    // 3 leaves x (4 hosts + 2 uplinks); Leaves is replaced, type and Spines are inherited.
    EXPECT_EQ(scenario.graph.GetLinks().size(), 18U);
    ASSERT_EQ(scenario.jobs.size(), 1U);
    EXPECT_EQ(scenario.jobs[0].name, "b");
    EXPECT_EQ(scenario.schedulers.size(), 2U); // compare takes the place of scheduler
    // As it is written, whatever the folder from which it is read.
    EXPECT_EQ(scenario.text, variant + "\n# extends: ../base.yaml\n" + base);

    // Another type leaves nothing of the old block.
    folder.Write("star.yaml",
                 "schema: gpu-fabric/1\nextends: base.yaml\ntopology: {type: Star, Hosts: 2}\n"
                 "jobs: [{name: b, model: x, gpus: 2, iterations: 2}]\n");
    const ReadResult star = ReadScenario(folder, "star.yaml");
    ASSERT_EQ(star.messages, "");
    EXPECT_EQ(star.scenario->graph.GetLinks().size(), 2U);
}

TEST(ScenarioReaderTest, ErrorsOfAnExtendedFileAreShownThere)
{
    const ScenarioFolder folder;
    folder.Write("base.yaml", std::string(STAR) + "seed: x\n");
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\nextends: base.yaml\n"
                 "jobs: [{name: a, model: x, gpus: 99, iterations: 1}]\n");
    EXPECT_EQ(ReadScenario(folder, "a.yaml").messages,
              "a.yaml:3:34: jobs[0].gpus: 99 GPUs are asked for, the cluster has 32\n"
              " 3 | jobs: [{name: a, model: x, gpus: 99, iterations: 1}]\n"
              "   |                                  ^\n"
              "base.yaml:3:7: seed: \"x\" is not a whole number of 0 or more\n"
              " 3 | seed: x\n"
              "   |       ^\n");
}

TEST(ScenarioReaderTest, ALongChainOfExtendsEnds)
{
    const ScenarioFolder folder;
    for (int i = 0; i < 40; i++)
    {
        folder.Write(std::to_string(i) + ".yaml",
                     "schema: gpu-fabric/1\nextends: " + std::to_string(i + 1) + ".yaml\n");
    }
    EXPECT_NE(ReadScenario(folder, "0.yaml").messages.find("more than 16 files extend each other"),
              std::string::npos);
}

TEST(ScenarioReaderTest, HpccTopologyAndFlows)
{
    const ScenarioFolder folder;
    folder.Write("data/t.hpcc",
                 "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 1Gbps 1us 0\n");
    folder.Write("data/f.flow",
                 "3\n0 1 3 100 64000000 0.001\n1 2 0 100 1 0\n\n2 0 6 100 5 1.000000000001\n\n"
                 "first line: flow number\n");
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: data/t.hpcc}\n"
                 "flows:\n  - {file: data/f.flow, format: Hpcc}\n"
                 "  - {from: n0, to: n1, bytes: 1kB}\n");
    const ReadResult result = ReadScenario(folder, "a.yaml");
    ASSERT_EQ(result.messages, "");
    const std::vector<FlowSpec>& flows = result.scenario->flows;
    ASSERT_EQ(flows.size(), 4U);
    EXPECT_EQ(flows[0].from, "n0");
    EXPECT_EQ(flows[0].to, "n1");
    EXPECT_EQ(flows[0].bytes, ByteSize(64'000'000));
    EXPECT_EQ(flows[0].at, PicoSeconds(1'000'000'000));
    EXPECT_EQ(flows[0].priority, 4); // 7 - 3
    EXPECT_EQ(flows[1].priority, 7); // group 0 is served first
    EXPECT_EQ(flows[2].priority, 1); // 7 - 6
    EXPECT_EQ(flows[2].at, PicoSeconds(1'000'000'000'001));
    EXPECT_EQ(flows[2].mark.line, 5);
    EXPECT_EQ(flows[3].bytes, ByteSize(1000));
}

TEST(ScenarioReaderTest, MoreFlowsThanTheFirstLineSaysAreLeftOut)
{
    // As in the sample of HPCC, whose simulator reads as many as the first line says.
    const ScenarioFolder folder;
    folder.Write("t.hpcc", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: t.hpcc}\n"
                 "flows: [{file: f.flow, format: Hpcc}]\n");
    for (int said = 1; said <= 4; said++)
    {
        std::string text = std::to_string(said) + "\n";
        for (int i = 0; i < 3; i++)
        {
            text += "0 1 3 100 " + std::to_string(1'000 + i) + " 0.001\n";
        }
        folder.Write("f.flow", text + "\nsrc dst pg port size start\n");
        const ReadResult result = ReadScenario(folder, "a.yaml");
        const std::string line = std::to_string(said + 2);
        if (said < 3)
        {
            ASSERT_TRUE(result.scenario) << result.messages;
            EXPECT_EQ(result.scenario->flows.size(), static_cast<std::size_t>(said));
            EXPECT_EQ(result.messages.substr(0, result.messages.find('\n')),
                      "f.flow:" + line + ":1: warning: there are more flows than the " +
                          std::to_string(said) + " of the first line, which are read");
        }
        else
        {
            EXPECT_EQ(result.messages.empty(), said == 3) << result.messages;
        }
    }
}

TEST(ScenarioReaderTest, TheOldSpellingOfAFlowFormatIsReadWithAWarning)
{
    const ScenarioFolder folder;
    folder.Write("t.hpcc", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    folder.Write("f.flow", "1\n0 1 3 100 1000 0\n");
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: t.hpcc}\n"
                 "flows: [{file: f.flow, format: hpcc}]\n");
    const ReadResult result = ReadScenario(folder, "a.yaml");
    ASSERT_TRUE(result.scenario) << result.messages;
    EXPECT_EQ(result.messages.substr(0, result.messages.find('\n')),
              "a.yaml:3:32: warning: flows[0].format: this spelling is deprecated, write Hpcc");
}

TEST(ScenarioReaderTest, ManyErrorsOfAFlowFileAreCut)
{
    const ScenarioFolder folder;
    std::string flows = "1000\n";
    for (int i = 0; i < 1000; i++)
    {
        flows += "0 9 3 100 1000 0\n";
    }
    folder.Write("f.flow", flows);
    folder.Write("a.yaml", std::string(STAR) + "flows: [{file: f.flow, format: Hpcc}]\n");
    const std::string messages = ReadScenario(folder, "a.yaml").messages;
    EXPECT_NE(messages.find("more than 19 errors: the rest of the file was not read"),
              std::string::npos);
    EXPECT_LT(messages.size(), 4000U);
}

TEST(ScenarioReaderTest, ExplicitTopology)
{
    const Scenario scenario = Read(R"(schema: gpu-fabric/1
topology:
  type: Explicit
  nodes: [{name: h0, gpus: 8}, {name: s0, kind: switch}, {name: h1}]
  links:
    - {between: [h0, s0], rate: 100Gbps, delay: 1us, count: 2}
    - {between: [s0, h1], rate: 25Gbps, delay: 0ps}
flows: [{from: h0.nic1, to: h1, bytes: 1MB}]
)");
    EXPECT_EQ(scenario.topology.typeName, "Explicit");
    ASSERT_EQ(scenario.graph.GetNodes().size(), 3U);
    EXPECT_EQ(scenario.graph.GetGpuCount(), 9U); // 8 + the default of 1
    ASSERT_EQ(scenario.graph.GetLinks().size(), 3U);
    EXPECT_EQ(scenario.graph.GetDirectedLinkName(2), "h0-s0#2");
    EXPECT_EQ(scenario.graph.GetDirectedLinkName(5), "h1-s0");
    EXPECT_EQ(scenario.graph.GetPortRate(4), 25'000'000'000U);
}

TEST(ScenarioReaderTest, ExplicitTopologyFaults)
{
    EXPECT_EQ(ReadWrong("schema: gpu-fabric/1\n"
                        "topology: {type: Explicit, nodes: [{name: a}, {name: a}, {name: s, kind: "
                        "switch, gpus: 1}, {kind: host}], links: []}\n"
                        "stop: {time: 1s}\n"),
              "a.yaml:2:54: topology.nodes[1].name: a node \"a\" exists already\n"
              "a.yaml:2:88: topology.nodes[2].gpus: a switch has no GPUs\n"
              "a.yaml:2:92: topology.nodes[3]: name is missing\n"
              "a.yaml:2:114: topology.links: is an empty list\n");
    EXPECT_EQ(ReadWrong("schema: gpu-fabric/1\ntopology: Explicit\nstop: {time: 1s}\n"),
              "a.yaml:2:11: topology: wants a map of keys (links, nodes, type), not a single "
              "value\n");
}

TEST(ScenarioReaderTest, ModelsAreCheckedByTheHook)
{
    const ScenarioFolder folder;
    folder.Write("a.yaml",
                 std::string(STAR) +
                     "jobs:\n  - {name: a, count: 2, model: bert, gpus: 1, "
                     "iterations: 1}\n"
                     "  - {name: b, model: gpt, sequence: 99, gpus: 1, iterations: 1}\n"
                     "  - {name: c, iteration: [{compute: 1s}], gpus: 1, iterations: 1}\n"
                     "  - {name: d, model: gpt, gpus: 1}\n");
    std::vector<std::string> asked;
    const ReadResult result =
        ReadScenario(folder, "a.yaml", [&asked](const JobSpec& job, std::string& key) {
            asked.push_back(job.name);
            key = job.model == "gpt" ? "sequence" : "model";
            return std::string(job.model.empty() ? "" : "is bad");
        });
    EXPECT_EQ(asked, (std::vector<std::string>{"a-0", "b", "c"})); // d is wrong in itself
    EXPECT_EQ(result.messages,
              "a.yaml:4:32: jobs[0].model: is bad\n"
              " 4 |   - {name: a, count: 2, model: bert, gpus: 1, iterations: 1}\n"
              "   |                                ^\n"
              "a.yaml:5:37: jobs[1].sequence: is bad\n"
              " 5 |   - {name: b, model: gpt, sequence: 99, gpus: 1, iterations: 1}\n"
              "   |                                     ^\n"
              "a.yaml:7:5: jobs[3]: none of iterations, until and duration is given: write one\n"
              " 7 |   - {name: d, model: gpt, gpus: 1}\n"
              "   |     ^\n");
}

TEST(ScenarioReaderTest, AttributesAreRewrittenWhereNs3WouldMisread)
{
    const Scenario scenario = Read("schema: gpu-fabric/1\n"
                                   "topology: {type: Star, NicRate: 0.1Tb/s, LinkDelay: 1.5us}\n"
                                   "flows: [{from: host0, to: host1, bytes: 1MB}]\n");
    ASSERT_EQ(scenario.topology.attributes.size(), 2U);
    EXPECT_EQ(scenario.topology.attributes[0].value, "100000000000bps");
    EXPECT_EQ(scenario.topology.attributes[1].value, "1500000ps");
    EXPECT_EQ(scenario.graph.GetLinks()[0].delayPs, 1'500'000);
    EXPECT_EQ(scenario.graph.GetLinks()[0].rateBps, 100'000'000'000U);
}

TEST(ScenarioReaderTest, AttributesOfOtherModulesAreCheckedToo)
{
    EXPECT_EQ(ReadWrong(std::string(STAR) + "stop: {time: 1s}\ndefaults:\n"
                                            "  ns3::SimpleNetDevice::DataRate: fast\n"
                                            "  ns3::SimpleNetDevice::TxQueue: ns3::Foo\n"
                                            "  ns3::Node::Id: 3\n"
                                            "  ns3::SimpleNetDevice::: 3\n"),
              "a.yaml:5:35: defaults.ns3::SimpleNetDevice::DataRate: \"fast\" is not a rate: write "
              "a rate such as 100Gbps (units: bps, kbps, Mbps, Gbps, Tbps, Gb/s, GB/s)\n"
              "a.yaml:6:34: defaults.ns3::SimpleNetDevice::TxQueue: an attribute of type "
              "ns3::PointerValue cannot be set in a scenario\n"
              "a.yaml:7:3: defaults.ns3::Node::Id: this attribute cannot be given a default\n"
              "a.yaml:8:3: defaults: \"ns3::SimpleNetDevice::\" does not name an attribute: write "
              "ns3::Class::Attribute\n");
}

TEST(ScenarioReaderTest, WordsOfTheHelpSayWhatAnAttributeTakes)
{
    // "[byte]", "[bit/s]", "One of: paper, hpcc.", a type of the family of the default.
    EXPECT_EQ(
        ReadWrong(std::string(STAR) + "stop: {time: 1s}\ndefaults:\n"
                                      "  ns3::RoceNic::PathMtu: 100kB\n"
                                      "  ns3::RedEcnMarker::ReferenceRate: 100\n"
                                      "  ns3::Dcqcn::Preset: papers\n"
                                      "  ns3::FabricSwitch::BufferManager: ns3::Node\n"),
        "a.yaml:5:26: defaults.ns3::RoceNic::PathMtu: \"100kB\" is out of range: from 64 to "
        "65536 bytes is wanted\n"
        "a.yaml:6:37: defaults.ns3::RedEcnMarker::ReferenceRate: \"100\" has no unit: write a "
        "rate such as 100Gbps (units: bps, kbps, Mbps, Gbps, Tbps, Gb/s, GB/s)\n"
        "a.yaml:7:23: defaults.ns3::Dcqcn::Preset: unknown value \"papers\", did you mean "
        "\"paper\"? Valid values: connectx, hpcc, hpcc-i, paper, scaled\n"
        "a.yaml:8:37: defaults.ns3::FabricSwitch::BufferManager: unknown type \"ns3::Node\"; "
        "valid types: ns3::DynamicThresholdBuffer, ns3::StaticThresholdBuffer\n");
}

TEST(ScenarioReaderTest, PeerWorkloadsAreRead)
{
    // Sample files of the field; not part of the project.
    const std::string path = GetPeerWorkloads();
    if (!std::filesystem::is_directory(path))
    {
        GTEST_SKIP() << "the peers' workloads are not here";
    }
    const ScenarioFolder scenarios;
    for (const auto& [topology, flows, count] : {std::make_tuple("T16", "perm16", 16),
                                                 std::make_tuple("T16", "a2a16", 240),
                                                 std::make_tuple("T16E", "inc15", 15),
                                                 std::make_tuple("S17", "inc16", 16),
                                                 std::make_tuple("T32", "perm32", 32),
                                                 std::make_tuple("S3", "two", 2)})
    {
        scenarios.Write("a.yaml",
                        "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: " + path + "/" +
                            topology + ".hpcc}\nflows: [{file: " + path + "/" + flows +
                            ".flow, format: Hpcc}]\n");
        const ReadResult result = ReadScenario(scenarios, "a.yaml");
        ASSERT_EQ(result.messages, "") << topology;
        EXPECT_EQ(result.scenario->flows.size(), static_cast<std::size_t>(count));
    }
}
