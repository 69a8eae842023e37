/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/collective-report.h"
#include "../../model/collective/algorithms/direct-collective.h"
#include "../../model/collective/msccl/msccl-exporter.h"
#include "../fixture/scenario-fixture.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

class CollectiveReportTest : public testing::Test
{
  protected:
    int Run(const std::string& text, bool check)
    {
        std::ofstream(m_file) << text;
        m_out.str("");
        m_err.str("");
        return CollectiveReport(m_out, m_err).Run(m_file, check);
    }

    static std::string MakeOneStep()
    {
        CollectiveLayout layout;
        layout.ranks.resize(4);
        return MscclExporter(DirectCollective().Build(CollectiveOperation::ALL_REDUCE, layout, 2))
            .Export()
            .ToXml();
    }

    const ScenarioFolder m_folder;
    const std::string m_file = m_folder.GetPath("report.xml");
    std::ostringstream m_out;
    std::ostringstream m_err;
};

} // namespace

TEST_F(CollectiveReportTest, DescribesAFile)
{
    // One step, 4 ranks, 2 chunks: each sends the whole buffer to 3 others.
    EXPECT_EQ(Run(MakeOneStep(), false), 0);
    EXPECT_EQ(m_err.str(), "");
    EXPECT_EQ(m_out.str(),
              "name            Direct\n"
              "collective      all-reduce\n"
              "protocol        Simple\n"
              "buffers         in place\n"
              "sizes           0 B and more\n"
              "ranks           4\n"
              "chunks          2\n"
              "channels        2\n"
              "messages        24\n"
              "egress a GPU    6 chunks, 3.000 buffers\n"
              "most on a link  2 chunks\n"
              "makespan        2 chunk times\n"
              "(A link of its own for each ordered pair of GPUs, one chunk a chunk time.)\n");
    EXPECT_EQ(Run(MakeOneStep(), true), 0);
    EXPECT_EQ(m_out.str() + m_err.str(), "");
}

TEST_F(CollectiveReportTest, SaysWhereAFileIsWrong)
{
    std::string text = MakeOneStep();
    const size_t at = text.find("type=\"re\"");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 9, "type=\"rx\"");
    const auto line = std::count(text.begin(), text.begin() + static_cast<int64_t>(at), '\n') + 1;
    for (bool check : {false, true})
    {
        EXPECT_EQ(Run(text, check), 2);
        EXPECT_EQ(m_out.str(), "");
        EXPECT_EQ(m_err.str().find(m_file + ":" + std::to_string(line) +
                                   ":7: unknown type \"rx\"; valid types: cpy, nop,"),
                  0u)
            << m_err.str();
    }
    EXPECT_EQ(CollectiveReport(m_out, m_err).Run("none.xml", false), 2);
    EXPECT_NE(m_err.str().find("none.xml: no such file\n"), std::string::npos);
}
