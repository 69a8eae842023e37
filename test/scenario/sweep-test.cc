/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/document/document-text.h"
#include "../../model/scenario/scenario-loader.h"
#include "../../model/scenario/scenario-sweep.h"
#include "../fixture/scenario-fixture.h"

#include <set>

using namespace ns3;

namespace
{

const char* const BASE = "schema: gpu-fabric/1\n"
                         "topology: {type: Star, Hosts: 4, GpusPerHost: 8}\n"
                         "jobs:\n"
                         "  - {name: a, model: bert-large, gpus: 8, iterations: 5}\n"
                         "  - {name: b, model: bert-large, gpus: 8, iterations: 5}\n";

class ScenarioSweepTest : public ::testing::Test
{
  protected:
    /// Reads the sweep of a text; without one the test fails.
    ScenarioSweep Load(const std::string& text)
    {
        const auto root = ScenarioLoader(m_diagnostics).Load(m_folder.Write("a.yaml", text));
        const auto sweep = root ? ScenarioSweep::Read(*root, m_diagnostics) : std::nullopt;
        EXPECT_TRUE(sweep) << Messages();
        return sweep.value_or(ScenarioSweep());
    }

    /// A point, read as a scenario.
    Scenario Read(const std::string& text, std::size_t point)
    {
        Diagnostics diagnostics;
        const auto scenario =
            ScenarioReader(diagnostics).Read(m_folder.Write("a.yaml", text), point);
        std::ostringstream messages;
        diagnostics.Print(messages);
        EXPECT_TRUE(scenario) << messages.str();
        return scenario.value_or(Scenario());
    }

    /// The value at a path of a point's tree.
    std::string Get(const ScenarioSweep& sweep, std::size_t point, const std::string& key)
    {
        const auto tree = sweep.GetTree(point, m_diagnostics);
        const DocumentNode* const node = tree ? tree->Find(key) : nullptr;
        return node == nullptr ? "" : DocumentText::WriteLine(*node);
    }

    std::string Messages() const
    {
        std::ostringstream messages;
        m_diagnostics.Print(messages);
        return messages.str();
    }

    ScenarioFolder m_folder;
    Diagnostics m_diagnostics;
};

} // namespace

TEST_F(ScenarioSweepTest, TheGridIsTheProductTheLastAxisFastestAndSeedsFastestOfAll)
{
    // 2 x 2 x 3 x 2 points. Seeds are written first and vary fastest all the same.
    const ScenarioSweep sweep =
        Load(std::string(BASE) + "sweep:\n"
                                 "  seeds: 3..4\n"
                                 "  scheduler: [None, {type: GpuIntensity, Levels: 4}]\n"
                                 "  set: {topology.Hosts: [4, 8], jobs.a.gpus: [8, 16, 32]}\n");
    ASSERT_EQ(sweep.GetPointCount(), 24u);
    EXPECT_EQ(sweep.GetSeedCount(), 2u);
    EXPECT_EQ(sweep.GetLabel(0), "scheduler=None, topology.Hosts=4, jobs.a.gpus=8, seed=3");
    EXPECT_EQ(sweep.GetLabel(1), "scheduler=None, topology.Hosts=4, jobs.a.gpus=8, seed=4");
    EXPECT_EQ(sweep.GetLabel(2), "scheduler=None, topology.Hosts=4, jobs.a.gpus=16, seed=3");
    EXPECT_EQ(sweep.GetLabel(6), "scheduler=None, topology.Hosts=8, jobs.a.gpus=8, seed=3");
    EXPECT_EQ(sweep.GetLabel(23),
              "scheduler=GpuIntensity Levels=4, topology.Hosts=8, jobs.a.gpus=32, seed=4");
    std::set<std::string> labels;
    for (std::size_t point = 0; point < 24; point++)
    {
        labels.insert(sweep.GetLabel(point));
    }
    EXPECT_EQ(labels.size(), 24u);
}

TEST_F(ScenarioSweepTest, ValuesArePutInAndTheRestStays)
{
    const ScenarioSweep sweep =
        Load(std::string(BASE) + "scheduler: GpuIntensity\n"
                                 "sweep: {set: {jobs.b.gpus: [16], \"jobs[0].iterations\": [7],\n"
                                 "  scheduler.Levels: [3], stop.time: [1s], host.X: [1]}}\n"
                                 "host: dgx-a100\n");
    EXPECT_EQ(Get(sweep, 0, "jobs"),
              "[{name: a, model: bert-large, gpus: 8, iterations: 7}, "
              "{name: b, model: bert-large, gpus: 16, iterations: 5}]");
    EXPECT_EQ(Get(sweep, 0, "topology"), "{type: Star, Hosts: 4, GpusPerHost: 8}");
    // A name becomes a map, and a map at the top need not be there.
    EXPECT_EQ(Get(sweep, 0, "scheduler"), "{type: GpuIntensity, Levels: 3}");
    EXPECT_EQ(Get(sweep, 0, "host"), "{type: dgx-a100, X: 1}");
    EXPECT_EQ(Get(sweep, 0, "stop"), "{time: 1s}");
    EXPECT_EQ(Get(sweep, 0, "sweep"), "");
    EXPECT_EQ(Messages(), "");
}

TEST_F(ScenarioSweepTest, SchedulersOfTheSweepReplaceThoseOfTheScenario)
{
    const ScenarioSweep sweep = Load(std::string(BASE) + "compare: [None, GpuIntensity]\n"
                                                         "sweep: {scheduler: [GpuIntensity]}\n");
    EXPECT_EQ(Get(sweep, 0, "compare"), "");
    EXPECT_EQ(Get(sweep, 0, "scheduler"), "GpuIntensity");
}

TEST_F(ScenarioSweepTest, AnInheritedSweepIsAppliedToWhatInheritsIt)
{
    m_folder.Write("base.yaml", std::string(BASE) + "sweep: {set: {topology.Hosts: [4, 8]}}\n");
    const std::string text = "schema: gpu-fabric/1\nextends: base.yaml\nname: mine\n";
    EXPECT_EQ(Read(text, 1).graph.GetGpuCount(), 64u); // 8 hosts of 8
    EXPECT_EQ(Read(text, 1).name, "mine");
    EXPECT_EQ(Read(text, 1).text.find("extends"), std::string::npos);
}

TEST_F(ScenarioSweepTest, WhatIsWrongWithAValueIsSaidWhereItIsWritten)
{
    m_folder.Write("a.yaml", std::string(BASE) + "sweep:\n  set:\n    topology.Hosts: [4, x]\n");
    // The second value of line 8: column 25.
    const std::string messages = ReadScenario(m_folder, "a.yaml").messages;
    EXPECT_EQ(messages.substr(0, messages.find('\n')).find("a.yaml:8:25: topology.Hosts: "), 0u)
        << messages;
    EXPECT_NE(messages.find(": in point 2 (topology.Hosts=x)\n"), std::string::npos) << messages;
}

TEST_F(ScenarioSweepTest, WhatIsWrongWithAllPointsIsSaidOnce)
{
    m_folder.Write("a.yaml",
                   std::string(BASE) + "sed: 1\nsweep: {set: {topology.Hosts: [4, 8]}}\n");
    const std::string messages = ReadScenario(m_folder, "a.yaml").messages;
    EXPECT_EQ(messages.find("a.yaml:6:1: unknown key \"sed\", did you mean \"seed\"?"), 0u)
        << messages;
    EXPECT_EQ(messages.find("in point"), std::string::npos) << messages;
    EXPECT_EQ(messages.find("sed", messages.find("\n 6 | sed: 1") + 8), std::string::npos)
        << messages;
}

TEST_F(ScenarioSweepTest, TheTextOfAPointIsAScenarioThatGivesTheSame)
{
    const std::string text = std::string(BASE) + "name: \"null\"\n"
                                                 "sweep: {set: {topology.Hosts: [4, 8]}}\n";
    const Scenario point = Read(text, 1);
    EXPECT_EQ(point.graph.GetGpuCount(), 64u);
    Diagnostics diagnostics;
    const auto again = ScenarioReader(diagnostics).Read(m_folder.Write("again.yaml", point.text));
    ASSERT_TRUE(again) << point.text;
    EXPECT_EQ(again->graph.GetGpuCount(), 64u);
    EXPECT_EQ(again->name, "null"); // not nothing: it has kept its quotes
    EXPECT_EQ(again->jobs.size(), 2u);
}

TEST_F(ScenarioSweepTest, TheCommonTextIsThatOfThePointsThatAreCompared)
{
    const std::string sweep = "sweep: {scheduler: [None, GpuIntensity], "
                              "set: {topology.Hosts: [4, 8]}, seeds: [1, 2]}\n";
    // scheduler x hosts x seed: points 0, 1, 4 and 5 have 4 hosts.
    const std::string text = BASE + sweep;
    const std::string common = Read(text, 0).commonText;
    EXPECT_EQ(Read(text, 1).commonText, common);
    EXPECT_EQ(Read(text, 4).commonText, common);
    EXPECT_EQ(Read(text, 5).commonText, common);
    EXPECT_NE(Read(text, 2).commonText, common);
    EXPECT_NE(Read(text, 0).text, Read(text, 1).text);
    // Neither comments nor more points make other runs of the old ones.
    const std::string more = "# a comment\n" + std::string(BASE) +
                             "sweep: {scheduler: [None, GpuIntensity], "
                             "set: {topology.Hosts: [4, 8, 16]}, seeds: 1..9}\n";
    EXPECT_EQ(Read(more, 0).commonText, common);
    EXPECT_EQ(Read(more, 0).text, Read(text, 0).text);
}

TEST_F(ScenarioSweepTest, FilesThatAScenarioNamesArePartOfItsText)
{
    m_folder.Write("topo.txt", "1");
    const std::string text = std::string(BASE) + "name: topo.txt\nsweep: {seeds: 1..2}\n";
    const std::string before = Read(text, 0).commonText;
    EXPECT_EQ(Read(text, 0).commonText, before);
    m_folder.Write("topo.txt", "2");
    EXPECT_NE(Read(text, 0).commonText, before);
}

TEST_F(ScenarioSweepTest, APointThatIsNotThere)
{
    const auto read = [this](const std::string& text, uint64_t point) {
        Diagnostics diagnostics;
        EXPECT_FALSE(ScenarioReader(diagnostics).Read(m_folder.Write("a.yaml", text), point));
        return diagnostics.GetErrors().at(0);
    };
    EXPECT_NE(read(std::string(BASE) + "sweep: {seeds: 1..2}\n", 2)
                  .find("there is no point 3: they are numbered 1 to 2"),
              std::string::npos);
    EXPECT_NE(read(BASE, 0).find("there is no sweep"), std::string::npos);
}
