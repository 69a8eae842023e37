/* SPDX-License-Identifier: GPL-2.0-only */

// SimAI workload text: groups and order. Input that it rejects is in test/invalid.

#include "../../model/workload/program/imported-program.h"
#include "../fixture/scenario-fixture.h"

using namespace ns3;

namespace
{

class SimAIWorkloadReaderTest : public testing::Test
{
  protected:
    /// Reads a workload; the test fails where there is none.
    ImportedWorkload Read(const std::string& header,
                          const std::string& layers,
                          const std::string& keys = "")
    {
        const ScenarioFolder folder;
        folder.Write("w.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD " + header + "\n" + layers);
        folder.Write("a.yaml",
                     "schema: gpu-fabric/1\ntopology: {type: Star, Hosts: 32, GpusPerHost: 8}\n"
                     "jobs: [{name: a, workload: {file: w.txt, format: SimAI}, iterations: 1" +
                         keys + "}]\n");
        const ReadResult result = ReadScenario(folder, "a.yaml");
        messages = result.messages;
        EXPECT_TRUE(result.scenario) << messages;
        if (!result.scenario)
        {
            return {};
        }
        std::string error;
        EXPECT_TRUE(ImportedProgram::Build(result.scenario->jobs[0], error)) << error;
        EXPECT_EQ(result.scenario->jobs[0].gpus, result.scenario->jobs[0].workload->ranks);
        return *result.scenario->jobs[0].workload;
    }

    /// "kind label deps": of the steps of a rank.
    static std::vector<std::string> Steps(const ImportedWorkload& workload)
    {
        std::vector<std::string> lines;
        for (const ImportedStep& step : workload.programs.at(0))
        {
            std::string line = step.label;
            for (const auto& [on, carry] : step.dependencies)
            {
                line += (carry ? " <" : " ") + std::to_string(on);
            }
            lines.push_back(line);
        }
        return lines;
    }

    std::string messages;
};

} // namespace

TEST_F(SimAIWorkloadReaderTest, TheJobMayGiveTheNumberOfRanks)
{
    const std::string layer = "1\na -1 1 ALLREDUCE 10 1 NONE 0 1 BROADCAST 30 1\n";
    for (const uint32_t gpus : {4, 8, 32})
    {
        const ImportedWorkload workload = Read("model_parallel_NPU_group: 2 ep: 1 pp: 1",
                                               layer,
                                               ", gpus: " + std::to_string(gpus));
        EXPECT_EQ(workload.ranks, gpus);
        EXPECT_EQ(workload.groups.size(), gpus / 2 + 2); // tensor groups, and two of replicas
        EXPECT_EQ(workload.programs[0].back().kind, ProgramStepKind::BROADCAST);
        EXPECT_EQ(workload.programs[0].back().root, 0U);
    }
}

TEST_F(SimAIWorkloadReaderTest, GroupsOfTheHeader)
{
    // 32 ranks: 2 stages of 8 replicas of 2 ranks; 4 replicas share the experts.
    const ImportedWorkload workload =
        Read("model_parallel_NPU_group: 2 ep: 4 pp: 2 vpp: 1 ga: 8 all_gpus: 32 checkpoints: 0 "
             "checkpoint_initiates: 0 pp_comm: 8388608.0",
             "4\n"
             "tp -1 1 ALLREDUCE 10 1 NONE 0 1 NONE 0 100\n"
             "dp -1 1 NONE 0 1 NONE 0 1 REDUCESCATTER 20 100\n"
             "ep -1 1 ALLTOALL_EP 30 1 NONE 0 1 NONE 0 100\n"
             "same -1 1 NONE 0 1 NONE 0 1 ALLGATHER_DP_EP 40 100\n");
    EXPECT_EQ(workload.ranks, 32U);
    EXPECT_EQ(workload.gradientBytes, 20U);
    EXPECT_EQ(workload.programs.size(), 1U);
    // 16 pairs, 2 x 2 of 8 replicas, 8 of 4, 16 of 2.
    EXPECT_EQ(workload.groups.size(), 16U + 4U + 8U + 16U);
    const auto group = [&workload](uint32_t rank, uint32_t slot) {
        return workload.groups[workload.rankGroups[rank][slot]];
    };
    const std::vector<uint32_t> pair{0, 1};
    EXPECT_EQ(group(1, 0), pair);
    EXPECT_EQ(group(1, 1), (std::vector<uint32_t>{1, 3, 5, 7, 9, 11, 13, 15}));
    EXPECT_EQ(group(1, 2), (std::vector<uint32_t>{1, 3, 5, 7}));
    EXPECT_EQ(group(1, 3), (std::vector<uint32_t>{1, 9}));
    EXPECT_EQ(group(31, 1), (std::vector<uint32_t>{17, 19, 21, 23, 25, 27, 29, 31}));
    EXPECT_EQ(group(31, 3), (std::vector<uint32_t>{23, 31}));
    EXPECT_NE(messages.find("warning: the file does not tell the transfers between its 2 pipeline "
                            "stages"),
              std::string::npos);
}

TEST_F(SimAIWorkloadReaderTest, OrderOfPasses)
{
    const ImportedWorkload workload =
        Read("model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 4",
             "2\n"
             "a -1 1000 ALLGATHER 10 2000 REDUCESCATTER 20 3000 ALLREDUCE 30 100\n"
             "b -1 4000 NONE 0 5000 ALLREDUCE 0 6000 ALLREDUCE 50 100\n");
    EXPECT_EQ(
        Steps(workload),
        (std::vector<std::string>{// Waits for its weights' reduction and the last input gradients.
                                  "a forward <9 <7",
                                  "a forward all-gather 0",
                                  "b forward 1 <5",
                                  "b input gradients 2",
                                  "b weight gradients 3",
                                  "b weight gradients all-reduce 4",
                                  "a input gradients 4", // not for b's reduction
                                  "a input gradients reduce-scatter 6",
                                  "a weight gradients 6", // while the one before goes on
                                  "a weight gradients all-reduce 8"}));
    EXPECT_EQ(workload.programs[0][4].durationPs, 6'000'000); // 6000 ns
    EXPECT_EQ(workload.gradientBytes, 80U);
}

TEST_F(SimAIWorkloadReaderTest, CommunicationOfOneRankIsNone)
{
    const ImportedWorkload workload = Read("model_parallel_NPU_group: 1 ep: 1 pp: 1 all_gpus: 1",
                                           "1\na -1 0 ALLREDUCE 10 0 NONE 0 7 ALLREDUCE 30 1\n");
    EXPECT_EQ(Steps(workload), (std::vector<std::string>{"a forward", "a weight gradients 0"}));
    EXPECT_TRUE(workload.groups.empty());
}
