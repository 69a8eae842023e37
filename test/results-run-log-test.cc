/* SPDX-License-Identifier: GPL-2.0-only */
#include "results-fixture.h"

#include "ns3/result-database.h"
#include "ns3/run-log.h"

#include <regex>

namespace ns3
{
namespace tests
{

class RunLogTest : public ResultsFixture
{
};

TEST_F(RunLogTest, HoldsFactsOfEachRun)
{
    RunLog log("0.1.0");
    log.StartRun("run 1, None");
    log.EndRun(1000, 300);
    log.StartRun("run 2, Crux");
    log.EndRun(2000, 700);
    log.Write(Path("out.db"));
    const std::string text = ReadBytes(Path("out.db.log"));
    EXPECT_EQ(text, log.GetText());
    const std::regex format("gpu-fabric 0\\.1\\.0\n"
                            "\n\\[run 1, None\\]\nwall_s \\d+\\.\\d{3}\ncpu_s \\d+\\.\\d{3}\n"
                            "events 1000\npacket_hops 300\n"
                            "(events_per_cpu_s \\d+\npacket_hops_per_cpu_s \\d+\n)?"
                            "\n\\[run 2, Crux\\]\nwall_s \\d+\\.\\d{3}\ncpu_s \\d+\\.\\d{3}\n"
                            "events 2000\npacket_hops 700\n"
                            "(events_per_cpu_s \\d+\npacket_hops_per_cpu_s \\d+\n)?");
    EXPECT_TRUE(std::regex_match(text, format)) << text;
}

TEST_F(RunLogTest, FailedWriteIsAnError)
{
    EXPECT_THROW(RunLog("0.1.0").Write(Path("none/out.db")), ResultWriteError);
}

} // namespace tests
} // namespace ns3
