/* SPDX-License-Identifier: GPL-2.0-only */

// GOAL schedules. More rejected input is in test/invalid.

#include "../fixture/scenario-fixture.h"

using namespace ns3;

namespace
{

ReadResult
ReadGoal(const std::string& text)
{
    const ScenarioFolder folder;
    folder.Write("g.goal", text);
    folder.Write("a.yaml",
                 "schema: gpu-fabric/1\ntopology: {type: Star, Hosts: 4, GpusPerHost: 8}\n"
                 "jobs: [{name: a, workload: {file: g.goal, format: Goal}, iterations: 1}]\n");
    return ReadScenario(folder, "a.yaml");
}

/// The operations of a rank: "label after labels", in order.
std::vector<std::string>
GetSteps(const ReadResult& result, uint32_t rank)
{
    std::vector<std::string> lines;
    const std::vector<ImportedStep>& steps = result.scenario->jobs[0].workload->programs[rank];
    for (std::size_t i = 1; i < steps.size(); i++)
    {
        std::string line = steps[i].label;
        for (const auto& [on, carry] : steps[i].dependencies)
        {
            line += " " + steps[on].label;
        }
        lines.push_back(line);
    }
    return lines;
}

} // namespace

TEST(GoalWorkloadReaderTest, OperationsDependenciesAndComments)
{
    const ReadResult result = ReadGoal("// a comment\nnum_ranks 3\r\n\r\n"
                                       "rank 0 {\n"
                                       "  l1: calc 2000 cpu 0 /* ns */\n"
                                       "  l2: send 10b to 1 tag 5 cpu 3 nic 1\n"
                                       "  l2 requires l1\n"
                                       "  calc 7\n"
                                       "}\n/* no\n rank 9 { */\n"
                                       "rank 1 { r: recv 10 b from 0 tag 5 }\n");
    ASSERT_TRUE(result.scenario) << result.messages;
    const ImportedWorkload& workload = *result.scenario->jobs[0].workload;
    EXPECT_EQ(workload.ranks, 3U);
    EXPECT_EQ(GetSteps(result, 0), (std::vector<std::string>{"l1 start", "calc start", "l2 l1"}));
    EXPECT_EQ(workload.programs[0][1].durationPs, 2'000'000); // 2000 ns
    EXPECT_EQ(GetSteps(result, 1), (std::vector<std::string>{"r start"}));
    EXPECT_EQ(workload.programs[1][1].bytes, 10U);
    EXPECT_TRUE(GetSteps(result, 2).empty());
}

TEST(GoalWorkloadReaderTest, StartDependenciesAreThoseOfWhatHasStarted)
{
    const ReadResult result = ReadGoal("num_ranks 1\nrank 0 {\n"
                                       "a: calc 10\nb: calc 20\nc: calc 30\nd: calc 40\n"
                                       "b requires a\nc irequires b\nd irequires c\n}\n");
    ASSERT_TRUE(result.scenario) << result.messages;
    EXPECT_EQ(GetSteps(result, 0), (std::vector<std::string>{"a start", "b a", "c a", "d a"}));
}

TEST(GoalWorkloadReaderTest, Refuses)
{
    const auto error = [](const std::string& text) {
        const ReadResult result = ReadGoal(text);
        EXPECT_FALSE(result.scenario) << text;
        return result.messages.substr(0, result.messages.find('\n'));
    };
    EXPECT_EQ(error(""), "g.goal: num_ranks is missing");
    EXPECT_EQ(error("rank 0 {\n}\n"), "g.goal:1:1: the file must begin with num_ranks");
    EXPECT_EQ(error("num_ranks 0\n"), "g.goal:1:1: num_ranks must be at least 1");
    EXPECT_EQ(error("num_ranks 1\nrank 1 {\n}\n"),
              "g.goal:2:6: the rank \"1\" is out of range: a whole number from 0 to 0 is wanted");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\n"),
              "g.goal: the file ends within the braces of a rank");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\n}\n"), "g.goal: nothing in the file takes time");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n"),
              "g.goal:4:1: rank 0 is there twice");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\na: clac 5\n}\n"),
              "g.goal:3:4: unknown operation \"clac\", did you mean \"calc\"? Valid operations: "
              "calc, recv, send");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\na: calc 5 cpu 1\n}\n"),
              "g.goal:3:11: a rank has one stream of computations, cpu 0");
    EXPECT_EQ(error("num_ranks 2\nrank 0 {\na: recv 5b from -1\n}\n"),
              "g.goal:3:1: messages from any rank are not supported");
    EXPECT_EQ(error("num_ranks 2\nrank 0 {\na: send 5b from 1\n}\n"),
              "g.goal:3:12: \"to\" is wanted, not \"from\"");
    EXPECT_EQ(error("num_ranks 2\nrank 0 {\na: send 5b to 7\n}\n"),
              "g.goal:3:1: there is no rank 7: ranks are 0 to 1");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\na: calc 5\na: calc 5\n}\n"),
              "g.goal:4:1: label \"a\" is there twice in rank 0");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\na: calc 5\na requires a\n}\n"),
              "g.goal:4:1: an operation requires itself");
    EXPECT_EQ(error("num_ranks 1\nrank 0 {\na: calc\n}\n"),
              "g.goal:3:8: the line ends where the time of calc [ns] is wanted");
}
