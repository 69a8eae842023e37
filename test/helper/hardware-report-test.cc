/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/hardware-report.h"
#include "../fixture/scenario-fixture.h"

#include <SQLiteCpp/Database.h>
#include <fstream>
#include <sstream>

using namespace ns3;

namespace
{

/// A run whose collectives take these times [us].
HardwareReport::Runner
Times(const std::vector<double>& times, std::string* scenario = nullptr)
{
    return [=](const std::string& file, const std::string& database) {
        if (scenario != nullptr)
        {
            std::ifstream stream(file);
            std::ostringstream text;
            text << stream.rdbuf();
            *scenario = text.str();
        }
        SQLite::Database results(database, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        results.exec("CREATE TABLE collective (collective, last_post_ps, end_ps)");
        for (size_t i = 0; i < times.size(); i++)
        {
            results.exec("INSERT INTO collective VALUES (" + std::to_string(i) + ", 1000000, " +
                         std::to_string(1'000'000 + static_cast<int64_t>(times[i] * 1e6)) + ")");
        }
        return 0;
    };
}

class HardwareReportTest : public ::testing::Test
{
  protected:
    int Run(const HardwareReport::Runner& runner, const std::vector<std::string>& only = {})
    {
        out.str("");
        err.str("");
        return HardwareReport(runner, out, err).Run(folder.GetPath(""), only, true);
    }

    ScenarioFolder folder;
    std::ostringstream out;
    std::ostringstream err;
};

} // namespace

TEST_F(HardwareReportTest, ErrorsAreThoseOfTimeAndOfBandwidth)
{
    folder.Write("a.csv",
                 "# hosts\n# operation: all-reduce\n# bounds: 11 21 30\nsize_bytes,time_us,x\n"
                 "1024,10,0\n1048576,100,1\n67108864,1000,50\n");
    folder.Write("b.csv", "# others\n# spread of: a\n1024,12,0\n");
    std::string scenario;
    EXPECT_EQ(Run(Times({11, 80, 800}, &scenario)), HardwareReport::OK) << err.str();
    EXPECT_NE(scenario.find("- all-reduce: {bytes: 67108864B}"), std::string::npos) << scenario;
    const std::string text = out.str();
    EXPECT_NE(text.find("10.0      +10.0        20.0         11"), std::string::npos) << text;
    EXPECT_NE(text.find("20.0      -20.0"), std::string::npos) << text;
    EXPECT_NE(text.find("25.0      +25.0"), std::string::npos) << text; // 1000 / 800
    EXPECT_EQ(text.find("BEYOND"), std::string::npos) << text;
    EXPECT_EQ(Run(Times({11, 80, 700})), HardwareReport::BEYOND);
    EXPECT_NE(out.str().find("BEYOND"), std::string::npos) << out.str();
}

TEST_F(HardwareReportTest, WrongFilesAreSaid)
{
    const auto expect = [this](const std::string& text, const std::string& message) {
        folder.Write("a.csv", text);
        EXPECT_EQ(Run(Times({1})), HardwareReport::BAD_INPUT);
        EXPECT_NE(err.str().find(message), std::string::npos) << err.str();
    };
    expect("# x\n1024,10,0\n", "has no line \"# operation: all-reduce\"");
    expect("# x\n# operation: all-reduce\n", "has no measurement");
    expect("# x\n# operation: all-reduce\n1024;10\n", "a.csv:3: wants size_bytes,time_us");
    expect("# x\n# operation: all-reduce\n1024,-10,0\n", "a.csv:3: wants size_bytes,time_us");
    expect("# x\n# bounds: 1 2\n1024,10,0\n", "a.csv:2: bounds wants three numbers");
    expect("# x\n# operation: all-reduce\n1024,10,0\n2048,10,0\n", "1 of 2 collectives");
    EXPECT_EQ(Run(Times({1}), {"none"}), HardwareReport::BAD_INPUT);
    EXPECT_NE(err.str().find("no measurement is called none; there are: a"), std::string::npos);
}
