/* SPDX-License-Identifier: GPL-2.0-only */

// What a file that extends another takes over, changes and removes.

#include "../fixture/scenario-fixture.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Reads variants of one file.
class ExtendsTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        m_folder.Write("base.yaml",
                       "schema: gpu-fabric/1\n"
                       "topology: {type: LeafSpine, Leaves: 4, Spines: 2, Uplinks: 4}\n"
                       "measure: {warmup: 5}\n"
                       "defaults: {ns3::RedEcnMarker::Kmin: 5kB, ns3::RedEcnMarker::Kmax: 10kB}\n"
                       "jobs:\n"
                       "  - {name: gpt, model: x, gpus: 8, iterations: 1}\n"
                       "  - {name: bert, count: 2, model: y, gpus: 4, iterations: 3}\n"
                       "flows: [{from: host0, to: host1, bytes: 1MB}]\n"
                       "faults: [{at: 1ms, link: leaf0-spine0, action: down, for: 20ms}]\n");
    }

    ReadResult Read(const std::string& variant, const std::string& base = "base.yaml")
    {
        m_folder.Write("a.yaml", "schema: gpu-fabric/1\nextends: " + base + "\n" + variant);
        return ReadScenario(m_folder, "a.yaml");
    }

    static std::vector<std::string> GetJobs(const ReadResult& result)
    {
        std::vector<std::string> jobs;
        for (const JobSpec& job : result.scenario ? result.scenario->jobs : std::vector<JobSpec>())
        {
            jobs.push_back(job.name + " " + std::to_string(job.gpus) + " " +
                           std::to_string(job.iterations) + " " + job.model);
        }
        return jobs;
    }

    using Jobs = std::vector<std::string>;

    ScenarioFolder m_folder;
};

} // namespace

TEST_F(ExtendsTest, AnEmptyListOrNoValueRemovesWhatIsInherited)
{
    const ReadResult all = Read("");
    ASSERT_TRUE(all.scenario) << all.messages;
    EXPECT_EQ(all.scenario->faults.size(), 1U);
    EXPECT_EQ(all.scenario->flows.size(), 1U);
    EXPECT_EQ(all.scenario->defaults.size(), 2U);
    for (const char* nothing : {"[]", "~", "null", ""})
    {
        const std::string value = nothing;
        const ReadResult faults = Read("faults: " + value + "\n");
        ASSERT_TRUE(faults.scenario) << faults.messages;
        EXPECT_EQ(faults.scenario->faults.size(), 0U);
        EXPECT_EQ(faults.scenario->flows.size(), 1U);
        const ReadResult flows = Read("flows: " + value + "\nmeasure: " + value + "\n");
        ASSERT_TRUE(flows.scenario) << flows.messages;
        EXPECT_EQ(flows.scenario->flows.size(), 0U);
        EXPECT_EQ(flows.scenario->measure.warmup, 2U); // the default
        const ReadResult jobs = Read("jobs: " + value + "\n");
        ASSERT_TRUE(jobs.scenario) << jobs.messages;
        EXPECT_EQ(jobs.scenario->jobs.size(), 0U);
    }
    // Inside a block: the attribute has its default again.
    const ReadResult inner =
        Read("topology: {Uplinks: ~}\ndefaults: {ns3::RedEcnMarker::Kmin: ~}\n");
    ASSERT_TRUE(inner.scenario) << inner.messages;
    ASSERT_EQ(inner.scenario->defaults.size(), 1U);
    EXPECT_EQ(inner.scenario->defaults[0].name, "ns3::RedEcnMarker::Kmax");
    EXPECT_EQ(inner.scenario->topology.attributes.size(), 2U);
    // Nothing to remove: no faults need no other file, any other key is told.
    m_folder.Write("b.yaml",
                   "schema: gpu-fabric/1\ntopology: Star\nfaults: []\n"
                   "flows: [{from: host0, to: host1, bytes: 1MB}]\n");
    EXPECT_EQ(ReadScenario(m_folder, "b.yaml").messages, "");
    EXPECT_NE(Read("fault: ~\n").messages.find("unknown key \"fault\", did you mean \"faults\"?"),
              std::string::npos);
}

TEST_F(ExtendsTest, JobsChangeByName)
{
    EXPECT_EQ(GetJobs(Read("")), (Jobs{"gpt 8 1 x", "bert-0 4 3 y", "bert-1 4 3 y"}));
    EXPECT_EQ(GetJobs(Read("jobs: {bert: {iterations: 7}}\n")),
              (Jobs{"gpt 8 1 x", "bert-0 4 7 y", "bert-1 4 7 y"}));
    EXPECT_EQ(GetJobs(Read("jobs: {gpt: ~, bert: {count: ~}}\n")), (Jobs{"bert 4 3 y"}));
    EXPECT_EQ(GetJobs(Read("jobs: {gpt: ~, bert: ~}\n")), Jobs());
    EXPECT_EQ(GetJobs(Read("jobs:\n  new: {model: z, gpus: 2, iterations: 5}\n  gpt:\n")),
              (Jobs{"bert-0 4 3 y", "bert-1 4 3 y", "new 2 5 z"}));
    EXPECT_EQ(GetJobs(Read("jobs: {gpt: {name: other}}\n")),
              (Jobs{"other 8 1 x", "bert-0 4 3 y", "bert-1 4 3 y"}));
    // A list still takes the place of all.
    EXPECT_EQ(GetJobs(Read("jobs: [{name: a, model: x, gpus: 1, iterations: 1}]\n")),
              (Jobs{"a 1 1 x"}));
    // Two files, each of which changes.
    m_folder.Write("middle.yaml",
                   "schema: gpu-fabric/1\nextends: base.yaml\njobs: {bert: {gpus: 2}}\n");
    EXPECT_EQ(GetJobs(Read("jobs: {bert: {count: 1}, gpt: ~}\n", "middle.yaml")),
              (Jobs{"bert 2 3 y"}));
}

TEST_F(ExtendsTest, FaultsOfChangedJobsAreShownWhereTheyAreWritten)
{
    EXPECT_EQ(Read("jobs: {gtp: ~}\n").messages,
              "a.yaml:3:8: jobs: unknown job \"gtp\", did you mean \"gpt\"? Valid jobs: bert, gpt\n"
              " 3 | jobs: {gtp: ~}\n"
              "   |        ^\n");
    EXPECT_NE(Read("jobs: {gtp: {iterations: 3}}\n").messages.find("a.yaml:3:"), std::string::npos);
    EXPECT_NE(Read("jobs: {gpt: {gpus: 9999}}\n").messages.find("a.yaml:3:20: jobs[0].gpus"),
              std::string::npos);
}
