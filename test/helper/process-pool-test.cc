/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/process-pool.h"
#include "../fixture/scenario-fixture.h"

#include <csignal>
#include <map>
#include <sys/stat.h>

using namespace ns3;

namespace
{

class HelperProcessPoolTest : public ::testing::Test
{
  protected:
    /// A shell that runs this.
    ProcessPool::Task Shell(const std::string& script) const
    {
        return {{"/bin/sh", "-c", script}, m_folder.GetPath("stderr")};
    }

    /// Runs tasks and keeps their statuses. \returns the signal
    int Run(uint32_t parallel, const std::vector<ProcessPool::Task>& tasks)
    {
        statuses.clear();
        return ProcessPool(parallel).Run(tasks, [this](size_t task, int status) {
            EXPECT_EQ(statuses.count(task), 0u);
            statuses[task] = status;
        });
    }

    std::map<size_t, int> statuses;
    ScenarioFolder m_folder;
};

using Statuses = std::map<size_t, int>;

} // namespace

TEST_F(HelperProcessPoolTest, EachEndsOnceWithItsStatus)
{
    EXPECT_EQ(Run(2, {Shell("exit 0"), Shell("exit 3"), Shell("kill -9 $$"), Shell("true")}), 0);
    EXPECT_EQ(statuses, (Statuses{{0, 0}, {1, 3}, {2, -SIGKILL}, {3, 0}}));
}

TEST_F(HelperProcessPoolTest, StatusesAreKnownWhereTheCallerIgnoresChildren)
{
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(Run(1, {Shell("exit 5")}), 0);
    EXPECT_EQ(statuses, (Statuses{{0, 5}}));
    EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN); // as it was
}

TEST_F(HelperProcessPoolTest, StandardErrorGoesToTheFile)
{
    EXPECT_EQ(Run(1, {Shell("echo lost; echo kept >&2")}), 0);
    std::ifstream file(m_folder.GetPath("stderr"));
    std::string text;
    std::getline(file, text, '\0');
    EXPECT_EQ(text, "kept\n");
}

TEST_F(HelperProcessPoolTest, AProgramThatIsNotThereFails)
{
    EXPECT_EQ(Run(1, {{{m_folder.GetPath("none")}, m_folder.GetPath("stderr")}}), 0);
    EXPECT_EQ(statuses, (Statuses{{0, 127}}));
}

TEST_F(HelperProcessPoolTest, TwoRunAtATimeAndNoMore)
{
    // The first ends only when the second reads what it writes: they run at a time. All note when
    // they begin and end, in lines that are written as a whole.
    const std::string fifo = m_folder.GetPath("fifo");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    const std::string log = m_folder.GetPath("log");
    const auto noted = [&log](const std::string& script) {
        return "echo + >>" + log + "; " + script + "; echo - >>" + log;
    };
    std::vector<ProcessPool::Task> tasks{Shell(noted("echo x >" + fifo)),
                                         Shell(noted("read x <" + fifo))};
    for (int i = 0; i < 8; ++i)
    {
        tasks.push_back(Shell(noted("true")));
    }
    EXPECT_EQ(Run(2, tasks), 0);
    std::ifstream file(log);
    int running = 0;
    int most = 0;
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines)
    {
        running += line == "+" ? 1 : -1;
        most = std::max(most, running);
    }
    EXPECT_EQ(lines, 20);
    EXPECT_EQ(running, 0);
    EXPECT_EQ(most, 2);
}

TEST_F(HelperProcessPoolTest, ASignalIsHandedOnAndNothingMoreStarts)
{
    const std::string other = m_folder.GetPath("other");
    EXPECT_EQ(Run(1, {Shell("kill -INT $PPID; exec sleep 60"), Shell("touch " + other)}), SIGINT);
    EXPECT_EQ(statuses, (Statuses{{0, -SIGINT}}));
    EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(HelperProcessPoolTest, ASecondSignalKills)
{
    // It ignores both.
    EXPECT_EQ(Run(1, {Shell("trap '' INT TERM; kill -INT $PPID; kill -TERM $PPID; exec sleep 60")}),
              SIGTERM);
    EXPECT_EQ(statuses, (Statuses{{0, -SIGKILL}}));
}
