/* SPDX-License-Identifier: GPL-2.0-only */

// Properties that hold for any input: reading terminates, and gives either a scenario or an error.
// The seeds are fixed, so that a failure can be reproduced.

#include "../fixture/scenario-fixture.h"

#include <random>

using namespace ns3;

namespace
{

const char* const VALID = R"(schema: gpu-fabric/1
name: base
seed: 7
stop: {when: all-jobs-done, time: 10s}
measure: {from: 1s, to: 2s, warmup: 3, jobs: [gpt, bert]}
topology: {type: LeafSpine, Leaves: 2, Spines: 2, HostsPerLeaf: 3, Uplinks: 4, NicRate: 200Gbps}
bottleneck: leaf0-spine0
defaults:
  ns3::RedEcnMarker::Kmin: 400kB
  ns3::RedEcnMarker::Pmax: 0.1
jobs:
  - &gpt {name: gpt, model: gpt3, gpus: 16, hosts: [host0, host1], iterations: 20, scale: 1/8}
  - {name: bert, count: 2, model: bert, gpus-per-host: 4, hosts: [[host2, host3], [host4, host5]],
     until: gpt, arrival: {uniform: [0ms, 152ms]}, compute-jitter: {cv: 1%}, bucket: 25MB}
  - {name: custom, gpus: 8, iterations: 4, iteration: [{compute: 5ms}, {all-reduce: {bytes: 1MiB}}]}
flows: [{from: host0, to: host5.nic0, bytes: 10MB, at: 1ms, priority: 3}]
placement: {type: Consolidate}
compare: [None, {type: GpuIntensity, Levels: 4}]
record: [jobs, {links: {interval: 100us}}]
)";

/// Reads a text and checks that it gives a scenario or an error; ReadScenario checks that it is not
/// both.
bool
IsAccepted(const ScenarioFolder& folder, const std::string& text)
{
    folder.Write("a.yaml", text);
    const ReadResult result = ReadScenario(folder, "a.yaml");
    EXPECT_EQ(result.messages.empty(), result.scenario.has_value()) << text;
    return result.scenario.has_value();
}

} // namespace

TEST(ScenarioMutationTest, TheTextItselfIsRight)
{
    const ScenarioFolder folder;
    folder.Write("a.yaml", VALID);
    EXPECT_EQ(ReadScenario(folder, "a.yaml").messages, "");
}

TEST(ScenarioMutationTest, RandomBytes)
{
    const ScenarioFolder folder;
    const std::string valid = VALID;
    std::mt19937 random(1);
    int accepted = 0;
    for (int run = 0; run < 1500; run++)
    {
        std::string text = valid;
        const unsigned changes = 1 + random() % 4;
        for (unsigned i = 0; i < changes; i++)
        {
            const std::size_t at = random() % text.size();
            switch (random() % 4)
            {
            case 0:
                text[at] = static_cast<char>(random() % 256);
                break;
            case 1:
                text.erase(at, 1 + random() % 3);
                break;
            case 2: {
                static const std::string special = "{}[]:,&*!|>'\"%@`#-? \n\t0.e";
                text.insert(at, 1, special[random() % special.size()]);
                break;
            }
            default:
                text[at] = valid[random() % valid.size()];
                break;
            }
        }
        accepted += IsAccepted(folder, text) ? 1 : 0;
    }
    // Some changes are harmless (names, comments, numbers); most are not.
    EXPECT_GT(accepted, 0);
    EXPECT_LT(accepted, 750);
}

TEST(ScenarioMutationTest, PiecesMovedAndRepeated)
{
    const ScenarioFolder folder;
    const std::string valid = VALID;
    std::mt19937 random(2);
    for (int run = 0; run < 500; run++)
    {
        const std::size_t from = random() % valid.size();
        const std::string piece = valid.substr(from, 1 + random() % 60);
        std::string text = valid;
        const unsigned times = 1 + random() % 3;
        for (unsigned i = 0; i < times; i++)
        {
            text.insert(random() % text.size(), piece);
        }
        IsAccepted(folder, text);
    }
}

TEST(ScenarioMutationTest, CutAnywhere)
{
    const ScenarioFolder folder;
    const std::string valid = VALID;
    for (std::size_t size = 0; size < valid.size(); size += 3)
    {
        IsAccepted(folder, valid.substr(0, size));
    }
}

TEST(ScenarioMutationTest, ValuesOfOtherKinds)
{
    // Each scalar after a colon in turn becomes something else.
    const ScenarioFolder folder;
    const std::string valid = VALID;
    for (const char* value : {"~",
                              "[]",
                              "{}",
                              "-1",
                              "1e999",
                              "nan",
                              "\"\"",
                              "[[[1]]]",
                              "{a: {b: c}}",
                              "*gpt",
                              "18446744073709551616",
                              "0x10",
                              "yes"})
    {
        for (auto at = valid.find(": "); at != std::string::npos; at = valid.find(": ", at + 1))
        {
            const auto end = valid.find_first_of(",}]\n", at);
            IsAccepted(folder, valid.substr(0, at + 2) + value + valid.substr(end));
        }
    }
}

TEST(ScenarioMutationTest, RandomHpccFiles)
{
    const ScenarioFolder folder;
    const std::string topology =
        "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 1Gbps 1us 0\n";
    const std::string flows = "2\n0 1 3 100 64000000 0.001\n1 2 0 100 1 0\n";
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: t.hpcc}\n"
                 "flows: [{file: f.flow, format: Hpcc}]\n");
    std::mt19937 random(3);
    for (int run = 0; run < 600; run++)
    {
        std::string texts[] = {topology, flows};
        std::string& text = texts[run % 2];
        for (unsigned i = 0; i < 1 + random() % 3; i++)
        {
            const std::size_t at = random() % text.size();
            text[at] = random() % 3 == 0 ? static_cast<char>(random() % 256)
                                         : "0123456789 \n.-e"[random() % 15];
        }
        folder.Write("t.hpcc", texts[0]);
        folder.Write("f.flow", texts[1]);
        const ReadResult result = ReadScenario(folder, "a.yaml");
        EXPECT_EQ(result.messages.empty(), result.scenario.has_value()) << text;
    }
}
