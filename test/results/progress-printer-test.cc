/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/progress-printer.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3
{
namespace tests
{

class ProgressPrinterTest : public testing::Test
{
  protected:
    ProgressPrinter MakePrinter(bool terminal, const std::string& label = "")
    {
        return ProgressPrinter(m_text, terminal, label, [this] { return m_nowS; });
    }

    /// What has been printed since the last call.
    std::string Take()
    {
        const std::string text = m_text.str();
        m_text.str("");
        return text;
    }

    double m_nowS{100}; ///< the wall clock [s]
    std::ostringstream m_text;
};

TEST_F(ProgressPrinterTest, LineHoldsTimeIterationsRateAndTimeLeft)
{
    RunProgress progress;
    progress.simulatedPs = 12'300'000'000;
    progress.events = 3'000'000;
    progress.jobs = {{"gpt", 3, 20}, {"bert-0", 7, 0}};
    // 3 of 20 in 2 s: the other 17 take 2 x 17 / 3 = 11.3 s.
    EXPECT_EQ(ProgressPrinter::Format(progress, 2, 79),
              "12.30 ms  gpt 3/20  bert-0 7  1.5M events/s  ETA 0:11");
}

TEST_F(ProgressPrinterTest, ManyJobsAreAddedUp)
{
    RunProgress progress;
    progress.simulatedPs = 2'000'000'000'000;
    progress.events = 5'000;
    for (int job = 0; job < 30; ++job)
    {
        progress.jobs.push_back({"job-" + std::to_string(job), 2, 10});
    }
    // 60 of 300 in 1000 s: 4000 s more.
    EXPECT_EQ(ProgressPrinter::Format(progress, 1000, 79),
              "2.000 s  60/300 iterations of 30 jobs  5 events/s  ETA 1:06:40");
}

TEST_F(ProgressPrinterTest, PacketHopsCountIfTheirNumberIsKnown)
{
    RunProgress progress;
    progress.simulatedPs = 250'000'000;
    progress.events = 20'000;
    progress.hops = 10'000;
    progress.expectedHops = 100'000;
    // A tenth in 2 s: 18 s are left.
    EXPECT_EQ(ProgressPrinter::Format(progress, 2, 79), "250.0 us  10k events/s  ETA 0:18");
    // The run ends there at the latest: half of it is over.
    progress.stopPs = 500'000'000;
    EXPECT_EQ(ProgressPrinter::Format(progress, 2, 79), "250.0 us  10k events/s  ETA 0:02");
    // It ends there and not before.
    progress.untilStop = true;
    progress.hops = 90'000;
    EXPECT_EQ(ProgressPrinter::Format(progress, 2, 79), "250.0 us  10k events/s  ETA 0:02");
    // An estimate that was too low, and iterations that correct it: of 10 between 2 and 3 are done.
    progress.untilStop = false;
    progress.stopPs = 0;
    progress.hops = 120'000;
    EXPECT_EQ(ProgressPrinter::Format(progress, 100, 79), "250.0 us  200 events/s  ETA 0:01");
    progress.jobs = {{"a", 2, 10}};
    EXPECT_EQ(ProgressPrinter::Format(progress, 30, 79),
              "250.0 us  a 2/10  667 events/s  ETA 1:10");
    progress.hops = 1'000;
    EXPECT_EQ(ProgressPrinter::Format(progress, 30, 79),
              "250.0 us  a 2/10  667 events/s  ETA 2:00");
}

TEST_F(ProgressPrinterTest, WithoutJobsTheStopTimeCounts)
{
    RunProgress progress;
    progress.simulatedPs = 250'000'000;
    progress.stopPs = 1'000'000'000;
    progress.events = 20'000;
    EXPECT_EQ(ProgressPrinter::Format(progress, 2, 79), "250.0 us  10k events/s  ETA 0:06");
    progress.stopPs = 0; // nothing to tell the time left from
    EXPECT_EQ(ProgressPrinter::Format(progress, 2, 79), "250.0 us  10k events/s");
}

TEST_F(ProgressPrinterTest, TerminalLineIsRewrittenEvery200Ms)
{
    ProgressPrinter printer = MakePrinter(true, "Crux");
    RunProgress progress;
    progress.simulatedPs = 1'000'000;
    m_nowS = 100.1;
    EXPECT_FALSE(printer.IsDue());
    printer.Update(progress);
    EXPECT_EQ(Take(), "");
    m_nowS = 100.25;
    EXPECT_TRUE(printer.IsDue());
    printer.Update(progress);
    EXPECT_EQ(Take(), "\rCrux: 1.0 us  0 events/s");
    EXPECT_FALSE(printer.IsDue());
    m_nowS = 101;
    progress.simulatedPs = 0;
    printer.Update(progress);
    EXPECT_EQ(Take(), "\rCrux: 0.0 us  0 events/s");
    printer.Finish();
    EXPECT_EQ(Take(), "\r" + std::string(24, ' ') + "\r");
    printer.Finish();
    EXPECT_EQ(Take(), "");
}

TEST_F(ProgressPrinterTest, ShorterTerminalLineCoversALongerOne)
{
    ProgressPrinter printer = MakePrinter(true);
    RunProgress progress;
    progress.simulatedPs = 123'400'000;
    m_nowS = 101;
    printer.Update(progress);
    EXPECT_EQ(Take(), "\r123.4 us  0 events/s");
    progress.simulatedPs = 1'000'000'000;
    m_nowS = 102;
    printer.Update(progress);
    EXPECT_EQ(Take(), "\r1.00 ms  0 events/s ");
}

TEST_F(ProgressPrinterTest, TerminalLineDoesNotWrap)
{
    ProgressPrinter printer = MakePrinter(true, std::string(100, 'x'));
    m_nowS = 101;
    printer.Update({});
    EXPECT_EQ(Take().size(), 80U); // the carriage return and 79 characters
}

TEST_F(ProgressPrinterTest, ElsewhereALineEvery5S)
{
    ProgressPrinter printer = MakePrinter(false);
    m_nowS = 104.9;
    printer.Update({});
    EXPECT_EQ(Take(), "");
    m_nowS = 105;
    printer.Update({});
    EXPECT_EQ(Take(), "0.0 us  0 events/s\n");
    printer.Finish();
    EXPECT_EQ(Take(), "");
}

} // namespace tests
} // namespace ns3
