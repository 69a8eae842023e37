/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/result-database.h"
#include "../../model/results/run-log.h"
#include "../fixture/results-fixture.h"

#include <sstream>

namespace ns3
{
namespace tests
{

class RunLogTest : public ResultsFixture
{
  protected:
    /// The lines without rates, those of times without their numbers and ends.
    static std::string RemoveTimes(const std::string& text)
    {
        std::istringstream lines(text);
        std::string rest;
        for (std::string line; std::getline(lines, line);)
        {
            const std::string key = line.substr(0, line.find(' ') + 1);
            if (key == "wall_s " || key == "cpu_s ")
            {
                EXPECT_GE(std::stod(line.substr(key.size())), 0);
                rest += key == "wall_s " ? key : key + "\n";
            }
            else if (key == "peak_memory_bytes ")
            {
                EXPECT_GT(std::stod(line.substr(key.size())), 1e6); // of any program
                EXPECT_LT(std::stod(line.substr(key.size())), 1e12);
                rest += key + "\n";
            }
            else if (line.find("_per_cpu_s") == std::string::npos)
            {
                rest += line + "\n";
            }
        }
        return rest;
    }
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
    EXPECT_EQ(RemoveTimes(text),
              "gpu-fabric 0.1.0\n"
              "\n[run 1, None]\nwall_s cpu_s \nevents 1000\npacket_hops 300\n"
              "\n[run 2, Crux]\nwall_s cpu_s \nevents 2000\npacket_hops 700\n"
              "\n[program]\ncpu_s \npeak_memory_bytes \n");
}

TEST_F(RunLogTest, FailedWriteIsAnError)
{
    EXPECT_THROW(RunLog("0.1.0").Write(Path("none/out.db")), ResultWriteError);
}

} // namespace tests
} // namespace ns3
