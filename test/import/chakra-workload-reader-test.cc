/* SPDX-License-Identifier: GPL-2.0-only */

// Chakra execution traces and their wire format.

#include "../../model/import/protobuf-fields.h"
#include "../../model/workload/program/imported-program.h"
#include "../fixture/chakra-trace.h"
#include "../fixture/scenario-fixture.h"

#include <cmath>
#include <map>
#include <random>

using namespace ns3;

namespace
{

class ChakraWorkloadReaderTest : public testing::Test
{
  protected:
    /// Reads traces of ranks 0, 1, ...
    ReadResult Read(const std::vector<std::string>& traces,
                    const std::string& groups = "",
                    const std::string& keys = "",
                    const std::string& jobKeys = "")
    {
        const ScenarioFolder folder;
        for (std::size_t rank = 0; rank < traces.size(); rank++)
        {
            folder.Write("t." + std::to_string(rank) + ".et", traces[rank]);
        }
        folder.Write("groups.json", groups);
        folder.Write("a.yaml",
                     "schema: gpu-fabric/1\ntopology: {type: Star, Hosts: 4, GpusPerHost: 8}\n"
                     "jobs: [{name: a, workload: {file: t, format: Chakra" +
                         std::string(groups.empty() ? "" : ", groups: groups.json") + keys +
                         "}, iterations: 1" + jobKeys + "}]\n");
        return ReadScenario(folder, "a.yaml");
    }
};

} // namespace

TEST_F(ChakraWorkloadReaderTest, GroupsMessagesAndOtherNodes)
{
    std::vector<std::string> traces;
    for (uint64_t rank = 0; rank < 4; rank++)
    {
        ChakraTrace trace;
        trace.Add(0, "load", 2).Duration(500); // memory: no time
        trace.Add(1, "host", ChakraTrace::COMP).Duration(50).Number("is_cpu_op", 1, 27);
        trace.Add(2, "comp", ChakraTrace::COMP).Depends({0, 1}).Duration(100 + rank);
        trace.Add(3, "gather", ChakraTrace::COLLECTIVE)
            .Follows(2)
            .Number("comm_type", 2)
            .Number("comm_size", 1000, 13)
            .Text("pg_name", rank % 2 == 0 ? "even" : "odd");
        trace.Add(4, "p2p", rank == 0 ? ChakraTrace::SEND : ChakraTrace::RECEIVE)
            .Depends({3})
            .Number("comm_size", 64)
            .Number(rank == 0 ? "comm_dst" : "comm_src", rank == 0 ? 1 : 0, 7);
        traces.push_back(rank < 2 ? trace.Get()
                                  : ChakraTrace()
                                        .Add(3, "gather", ChakraTrace::COLLECTIVE)
                                        .Number("comm_type", 2)
                                        .Number("comm_size", 1000)
                                        .Text("pg_name", rank % 2 == 0 ? "even" : "odd")
                                        .Get());
    }
    const ReadResult result = Read(traces, R"({"even": [0, 2], "odd": [3, 1]})");
    ASSERT_TRUE(result.scenario) << result.messages;
    const ImportedWorkload& workload = *result.scenario->jobs[0].workload;
    EXPECT_EQ(workload.ranks, 4U);
    EXPECT_EQ(workload.groups, (std::vector<std::vector<uint32_t>>{{0, 1}, {0, 2}, {1, 3}}));
    int64_t computePs = 0;
    for (const ImportedStep& step : workload.programs[1])
    {
        computePs += step.durationPs;
        if (step.kind == ProgramStepKind::ALL_GATHER)
        {
            EXPECT_EQ(step.bytes, 2000U); // comm_size is the input of each of two
        }
    }
    EXPECT_EQ(computePs, 101'000'000); // 101 us of the GPU
    std::string error;
    EXPECT_TRUE(ImportedProgram::Build(result.scenario->jobs[0], error)) << error;
}

TEST_F(ChakraWorkloadReaderTest, TheDefaultGroupIsAllRanks)
{
    const auto read = [this](const std::string& name, const std::string& groups) {
        const std::string trace = ChakraTrace()
                                      .Add(0, "c", ChakraTrace::COLLECTIVE)
                                      .Number("comm_type", 2)
                                      .Number("comm_size", 5)
                                      .Text("pg_name", name)
                                      .Get();
        return Read({trace, trace, trace}, groups);
    };
    // PyTorch's default process group is "0"; some converters write numbers as floating-point ones.
    for (const char* name : {"", "0", "0.0"})
    {
        const ReadResult result = read(name, "{x: [0, 1]}");
        ASSERT_TRUE(result.scenario) << name << result.messages;
        const ImportedWorkload& workload = *result.scenario->jobs[0].workload;
        uint64_t gathered = 0;
        for (const ImportedStep& step : workload.programs[0])
        {
            gathered += step.kind == ProgramStepKind::ALL_GATHER ? step.bytes : 0;
        }
        EXPECT_EQ(gathered, 15u) << name; // from three ranks
    }
    // If the file of groups says what it is, it is that; so is any other number.
    for (const auto& [name, groups] : {std::make_pair("0", "{0: [0, 1, 2]}"),
                                       std::make_pair("0.0", "{0: [0, 1, 2]}"),
                                       std::make_pair("7.0", "{7: [0, 1, 2]}")})
    {
        EXPECT_TRUE(read(name, groups).scenario) << name;
    }
    EXPECT_FALSE(read("0", "{0: [0, 1]}").scenario); // rank 2 is not in it
    EXPECT_NE(read("1.0", "{0: [0, 1, 2]}").messages.find("unknown group \"1.0\""),
              std::string::npos);
}

TEST_F(ChakraWorkloadReaderTest, FaultsOfGroupsAndFiles)
{
    const std::string trace = ChakraTrace()
                                  .Add(0, "c", ChakraTrace::COLLECTIVE)
                                  .Number("comm_size", 5)
                                  .Text("pg_name", "x")
                                  .Get();
    EXPECT_EQ(Read({trace}, "[1]").messages.substr(0, 56),
              "groups.json:1:1: wants lists of ranks by name of a group");
    EXPECT_NE(Read({trace}, "{x: [1]}").messages.find("groups.json:1:6: a rank \"1\""),
              std::string::npos);
    EXPECT_NE(Read({trace}, "{x: [0, 0]}").messages.find("a rank is there twice"),
              std::string::npos);
    EXPECT_NE(Read({trace}, "{y: [0]}").messages.find("unknown group \"x\""), std::string::npos);
    EXPECT_NE(Read({"\x1f\x8b zip"}).messages.find("compressed"), std::string::npos);
    EXPECT_NE(Read({""}).messages.find("the trace has no nodes"), std::string::npos);
    EXPECT_NE(Read({ChakraTrace().Add(1, "a", 4).Add(1, "b", 4).Get()})
                  .messages.find("node 1 (b): the id is there twice"),
              std::string::npos);
    EXPECT_NE(Read({ChakraTrace().Add(1, "a", 2).Get()}).messages.find("nothing in the trace"),
              std::string::npos);
}

/// Kernels of every form that traces have, in random order, with all that is expected of them.
class RandomKernels
{
  public:
    explicit RandomKernels(uint32_t seed, bool complete)
    {
        std::mt19937 random(seed);
        for (uint64_t id = 1; id <= 40; id++)
        {
            const uint64_t operations = random() % 2 == 0 ? 0 : 1'000'000'000ULL * (random() % 900);
            const uint64_t bytes = 1 + random() % 1'000'000'000;
            trace.Add(id, "k", ChakraTrace::COMP);
            // All read in order, whatever their times.
            trace.Depends({id - 1});
            switch (random() % (complete ? 3 : 6))
            {
            case 0:
                trace.Duration(id);
                timesPs.push_back(static_cast<int64_t>(id) * 1'000'000);
                given++;
                break;
            case 1:
                trace.Number("num_ops", operations).Number("tensor_size", bytes, 13);
                // A100, fp16: 0.61 of 312 TFLOP/s, 0.79 of 2.039 TB/s.
                timesPs.push_back(
                    std::llround(1e12 * std::max(static_cast<double>(operations) / (312e12 * 0.61),
                                                 static_cast<double>(bytes) / (2.039e12 * 0.79))));
                estimated++;
                break;
            case 2: // of the CPU
                trace.Number("is_cpu_op", 1, 27);
                timesPs.push_back(0);
                skipped++;
                break;
            case 3:
                trace.Number("num_ops", operations);
                lackBytes++;
                break;
            case 4:
                trace.Number("tensor_size", bytes);
                lackOperations++;
                break;
            case 5:
                lackBoth++;
                break;
            }
        }
    }

    ChakraTrace trace = ChakraTrace().Add(0, "load", 2);
    std::vector<int64_t> timesPs;
    uint64_t given{0};
    uint64_t estimated{0};
    uint64_t skipped{0};
    uint64_t lackBytes{0};
    uint64_t lackOperations{0};
    uint64_t lackBoth{0};
};

TEST_F(ChakraWorkloadReaderTest, KernelsWithoutADurationAreEstimated)
{
    for (uint32_t seed = 0; seed < 20; seed++)
    {
        const RandomKernels kernels(seed, true);
        const ReadResult result = Read({kernels.trace.Get()});
        ASSERT_TRUE(result.scenario) << result.messages;
        std::string error;
        const auto program = ImportedProgram::Build(result.scenario->jobs[0], error);
        ASSERT_TRUE(program) << error;
        std::vector<int64_t> timesPs;
        for (const ProgramStep& step : program->programs[0].steps)
        {
            if (step.label == "k")
            {
                timesPs.push_back(step.durationPs);
            }
        }
        EXPECT_EQ(timesPs, kernels.timesPs);
        std::map<std::string, ImportCount> counts;
        for (const ImportCount& count : result.scenario->imports)
        {
            EXPECT_EQ(count.source.substr(0, 7), "Chakra ");
            counts[count.what] = count;
        }
        EXPECT_EQ(counts["compute nodes of the GPU"].read, kernels.given);
        EXPECT_EQ(counts["compute nodes of the GPU"].estimated, kernels.estimated);
        EXPECT_EQ(counts["compute nodes of the CPU"].skipped, kernels.skipped);
        EXPECT_EQ(counts["nodes of other types"].skipped, 1U);
    }
}

TEST_F(ChakraWorkloadReaderTest, KernelsWithoutATimeAreRefusedWithTheirNumbers)
{
    for (uint32_t seed = 0; seed < 20; seed++)
    {
        const RandomKernels kernels(seed, false);
        const uint64_t missing = kernels.lackBytes + kernels.lackOperations + kernels.lackBoth;
        ASSERT_GT(missing, 0U);
        const auto lack = [](uint64_t count, const std::string& what) {
            return std::to_string(count) + (count == 1 ? " lacks " : " lack ") + what;
        };
        const std::string trace = kernels.trace.Get();
        const std::string messages = Read({trace}).messages;
        EXPECT_NE(messages.find("this is the first of " + std::to_string(missing) + " of " +
                                std::to_string(40 - kernels.skipped) + " compute nodes"),
                  std::string::npos)
            << messages;
        for (const auto& [count, what] : {std::make_pair(kernels.lackBytes, "tensor_size;"),
                                          std::make_pair(kernels.lackOperations, "num_ops,"),
                                          std::make_pair(kernels.lackBoth, "num_ops and tensor")})
        {
            // In the order "num_ops, num_ops and tensor_size, tensor_size".
            EXPECT_EQ(messages.find(lack(count, what)) == std::string::npos, count == 0)
                << messages;
        }
        const ReadResult untimed = Read({trace}, "", ", untimed-compute: 2us");
        ASSERT_TRUE(untimed.scenario) << untimed.messages;
        EXPECT_EQ(untimed.scenario->imports[1].estimated, kernels.estimated + missing);
    }
}

TEST_F(ChakraWorkloadReaderTest, TheGpuIsThatOfTheJob)
{
    const std::string trace = ChakraTrace()
                                  .Add(1, "k", ChakraTrace::COMP)
                                  .Number("num_ops", 1'000'000'000'000)
                                  .Number("tensor_size", 1)
                                  .Get();
    const auto time = [this, &trace](const std::string& keys) {
        const ReadResult result = Read({trace}, "", "", keys);
        std::string error = result.messages;
        const auto program = result.scenario
                                 ? ImportedProgram::Build(result.scenario->jobs[0], error)
                                 : std::nullopt;
        EXPECT_TRUE(program) << error;
        return program ? program->GetComputePs(0) : 0;
    };
    EXPECT_EQ(time(""), std::llround(1e24 / (312e12 * 0.61)));
    EXPECT_EQ(time(", gpu: H100"), std::llround(1e24 / (989.4e12 * 0.61)));
    EXPECT_EQ(time(", gpu: V100, precision: fp32"), std::llround(1e24 / (15.7e12 * 0.92)));
    EXPECT_NE(Read({trace}, "", "", ", gpu: V100, precision: tf32")
                  .messages.find("GPU V100 does not support tf32"),
              std::string::npos);
    // It would say nothing of a trace with all times.
    const std::string timed = ChakraTrace().Add(1, "k", ChakraTrace::COMP).Duration(5).Get();
    EXPECT_NE(Read({timed}, "", "", ", gpu: H100").messages.find("jobs[0].gpu: goes with model"),
              std::string::npos);
}

TEST_F(ChakraWorkloadReaderTest, BrokenBytesAreRefusedNotRead)
{
    const std::string good = ChakraTrace()
                                 .Add(0, "comp", ChakraTrace::COMP)
                                 .Duration(100)
                                 .Add(1, "reduce", ChakraTrace::COLLECTIVE)
                                 .Depends({0})
                                 .Number("comm_size", 1000)
                                 .Get();
    ASSERT_TRUE(Read({good}).scenario);
    for (std::size_t size = 0; size < good.size(); size++)
    {
        // Cut between messages it may be a trace; never a crash.
        Read({good.substr(0, size)});
    }
    std::mt19937 random(3);
    for (int round = 0; round < 150; round++)
    {
        std::string bytes = good;
        bytes[random() % bytes.size()] = static_cast<char>(random());
        bytes[random() % bytes.size()] = static_cast<char>(random());
        const ReadResult result = Read({bytes});
        EXPECT_EQ(result.scenario.has_value(), result.messages.empty());
    }
}

TEST(ProtobufFieldsTest, WireFormat)
{
    // Examples of the encoding guide: 150 in field 1, "testing" in field 2.
    const std::string bytes =
        "\x08\x96\x01\x12\x07testing" +
        std::string("\x1d\x04\x03\x02\x01\x21\x08\x07\x06\x05\x04\x03\x02\x01");
    ProtobufFields fields(bytes);
    ASSERT_TRUE(fields.Next());
    EXPECT_EQ(fields.GetField(), 1U);
    EXPECT_EQ(fields.GetNumber(), 150U);
    ASSERT_TRUE(fields.Next());
    EXPECT_EQ(fields.GetField(), 2U);
    EXPECT_EQ(fields.GetBytes(), "testing");
    ASSERT_TRUE(fields.Next());
    EXPECT_EQ(fields.GetWire(), ProtobufFields::Wire::FIXED32);
    EXPECT_EQ(fields.GetNumber(), 0x01020304U);
    ASSERT_TRUE(fields.Next());
    EXPECT_EQ(fields.GetNumber(), 0x0102030405060708U);
    EXPECT_FALSE(fields.Next());
    EXPECT_FALSE(fields.IsBroken());
    for (const char* wrong : {"\x08",
                              "\x08\x96",
                              "\x12\x07test",
                              "\x0b\x01",
                              "\x1d\x04\x03",
                              "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"})
    {
        ProtobufFields broken(wrong);
        EXPECT_FALSE(broken.Next());
        EXPECT_TRUE(broken.IsBroken()) << wrong;
    }
    ProtobufFields zero(std::string_view("\x00\x01", 2)); // there is no field 0
    EXPECT_FALSE(zero.Next());
    EXPECT_TRUE(zero.IsBroken());
}
