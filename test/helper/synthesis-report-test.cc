/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/collective-report.h"
#include "../../helper/app/synthesis-report.h"
#include "../fixture/taccl-fixture.h"

#include <filesystem>
#include <sstream>

using namespace ns3;

namespace
{

class SynthesisReportTest : public testing::Test
{
  protected:
    SynthesisReportTest()
    {
        m_settings.topology = m_folder.Write("t.json", TACCL_NDV2);
        m_settings.sketch = m_folder.Write("s.json", TACCL_NDV2_PAIR);
        m_settings.solver = "none";
    }

    int Run()
    {
        m_out.str("");
        m_err.str("");
        return SynthesisReport(m_out, m_err).Run(m_settings);
    }

    const ScenarioFolder m_folder;
    SynthesisReport::Settings m_settings;
    std::ostringstream m_out;
    std::ostringstream m_err;
};

} // namespace

TEST_F(SynthesisReportTest, SaysWhatItMakesAndWritesIt)
{
    m_settings.output = m_folder.GetPath("f.xml");
    EXPECT_EQ(Run(), SynthesisReport::OK);
    EXPECT_EQ(m_err.str(), "gpu-fabric: greedy: no MILP solver is to be used\n");
    const std::string out = m_out.str();
    for (const char* row : {"collective      all-gather\n",
                            "ranks           16\n",
                            "chunks          16 of 1048576 B\n",
                            "routing         860.800 us relaxed (greedy)\n",
                            "lower bound     911.600 us\n"})
    {
        EXPECT_NE(out.find(row), std::string::npos) << out;
    }
    EXPECT_EQ(CollectiveReport(m_out, m_err).Run(m_settings.output, true), CollectiveReport::OK)
        << m_err.str();

    // Half the size: 2.6 + 8 x 52.5 + (0.3 + 11.5) + (0.3 + 23) = 457.7 us.
    m_settings.size = "8MiB";
    m_settings.collective = "all-gather";
    EXPECT_EQ(Run(), SynthesisReport::OK);
    EXPECT_NE(m_out.str().find("lower bound     457.700 us\n"), std::string::npos) << m_out.str();

    m_settings.output = m_folder.GetPath("none/f.xml");
    EXPECT_EQ(Run(), SynthesisReport::WRITE_FAILED);
    EXPECT_NE(m_err.str().find("cannot write " + m_settings.output), std::string::npos);
}

TEST_F(SynthesisReportTest, SaysAllThatIsWrong)
{
    m_settings.topology = "";
    m_settings.collective = "allgater";
    m_settings.size = "8";
    m_settings.timeLimit = "1ms";
    m_settings.solver = "cbx";
    m_settings.paths = "set";
    EXPECT_EQ(Run(), SynthesisReport::BAD_INPUT);
    EXPECT_EQ(m_out.str(), "");
    const std::string err = m_err.str();
    for (const char* text : {"a topology is needed: --topology=FILE.json\n",
                             "--collective: unknown collective \"allgater\", did you mean "
                             "\"allgather\"?",
                             "--size: ",
                             "--time-limit: is too short\n",
                             "--solver: unknown solver \"cbx\", did you mean \"cbc\"?",
                             "--paths: unknown choice \"set\", did you mean \"sets\"?"})
    {
        EXPECT_NE(err.find(text), std::string::npos) << text << "\n" << err;
    }
}

TEST_F(SynthesisReportTest, SaysWhereAFileIsWrong)
{
    m_settings.sketch = m_folder.Write("bad.json", "{nnodes: 2,\n nodes: 3}");
    EXPECT_EQ(Run(), SynthesisReport::BAD_INPUT);
    EXPECT_EQ(m_err.str().find(m_settings.sketch + ":2:2: unknown key \"nodes\""), 0u)
        << m_err.str();
    m_settings.sketch = m_folder.Write(
        "bent.json",
        "{nnodes: 1, intranode_sketch: {strategy: none}, symmetry_offsets: [[1, 8]], "
        "hyperparameters: {input_chunkup: 1}}");
    EXPECT_EQ(Run(), SynthesisReport::BAD_INPUT);
    EXPECT_NE(
        m_err.str().find("symmetry_offsets [1, 8] makes the link from rank 0 to 1 one from 1 to 2"),
        std::string::npos)
        << m_err.str();
}
