/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/measuring-window.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace tests
{

class MeasuringWindowTest : public testing::Test
{
  protected:
    /// Two jobs whose k-th iterations end at 10 k and 15 k, and which end at 100 and 120.
    static MeasuringWindow Run(const MeasureSpec& measure, int64_t endPs = 120)
    {
        MeasuringWindowFinder finder(measure);
        finder.AddJob(0, "gpt");
        finder.AddJob(1, "bert-0");
        for (int64_t time = 1; time <= std::min<int64_t>(endPs, 120); ++time)
        {
            if (time <= 100 && time % 10 == 0)
            {
                finder.IterationEnded(0, static_cast<uint64_t>(time / 10), time);
            }
            if (time % 15 == 0)
            {
                finder.IterationEnded(1, static_cast<uint64_t>(time / 15), time);
            }
            if (time == 100)
            {
                finder.JobEnded(0, time);
            }
            if (time == 120)
            {
                finder.JobEnded(1, time);
            }
        }
        return finder.GetWindow(endPs);
    }
};

TEST_F(MeasuringWindowTest, LastsFromTheWarmUpOfAllToTheFirstEnd)
{
    const MeasuringWindow window = Run({});
    EXPECT_EQ(window.fromPs, 30); // 2 x 15, the slower one
    EXPECT_EQ(window.toPs, 100);  // gpt
    EXPECT_EQ(window.note, "from the end of 2 iterations of all measured jobs to the end of gpt");
}

TEST_F(MeasuringWindowTest, WaitsForProfilesWhereJobsAreMeasured)
{
    for (const uint64_t warmup : {uint64_t{0}, uint64_t{2}})
    {
        MeasureSpec measure;
        measure.warmup = warmup;
        MeasuringWindowFinder finder(measure);
        finder.SetProfiles(true);
        finder.AddJob(0, "gpt");
        finder.AddJob(1, "bert");
        finder.JobProfiled(0, 5);
        finder.IterationEnded(0, 1, 10);
        finder.IterationEnded(0, 2, 20);
        finder.IterationEnded(1, 1, 15);
        finder.IterationEnded(1, 2, 30);
        finder.JobProfiled(1, 47);
        finder.JobProfiled(0, 60); // again, after a failure
        finder.JobEnded(0, 100);
        const MeasuringWindow window = finder.GetWindow(120);
        EXPECT_EQ(window.fromPs, 47) << warmup;
        EXPECT_EQ(window.toPs, 100) << warmup;
    }
    MeasuringWindowFinder finder({});
    finder.SetProfiles(true);
    finder.AddJob(0, "gpt");
    finder.IterationEnded(0, 2, 20);
    finder.JobEnded(0, 30); // never measured
    EXPECT_EQ(finder.GetWindow(40).fromPs, 0);
    EXPECT_EQ(finder.GetWindow(40).note,
              "the whole run: not all measured jobs finished 2 iterations and their profiles");
}

TEST_F(MeasuringWindowTest, LooksAtTheListedJobsAlone)
{
    MeasureSpec measure;
    measure.warmup = 3;
    measure.jobs = {"gpt"};
    const MeasuringWindow gpt = Run(measure);
    EXPECT_EQ(gpt.fromPs, 30); // 3 x 10
    EXPECT_EQ(gpt.toPs, 100);
    measure.jobs = {"bert"}; // the jobs of a count
    const MeasuringWindow bert = Run(measure);
    EXPECT_EQ(bert.fromPs, 45); // 3 x 15
    EXPECT_EQ(bert.toPs, 120);
}

TEST_F(MeasuringWindowTest, GivenTimesOverride)
{
    MeasureSpec measure;
    measure.from = PicoSeconds(5);
    EXPECT_EQ(Run(measure).fromPs, 5);
    EXPECT_EQ(Run(measure).toPs, 100);
    measure.to = PicoSeconds(60);
    EXPECT_EQ(Run(measure).toPs, 60);
    measure.from.reset();
    EXPECT_EQ(Run(measure).fromPs, 30);
    measure.to = PicoSeconds(500); // beyond the end
    EXPECT_EQ(Run(measure).toPs, 120);
}

TEST_F(MeasuringWindowTest, NoWarmUpStartsAtZero)
{
    MeasureSpec measure;
    measure.warmup = 0;
    EXPECT_EQ(Run(measure).fromPs, 0);
    EXPECT_EQ(Run(measure).toPs, 100);
}

TEST_F(MeasuringWindowTest, EndOfTheRunClosesIt)
{
    const MeasuringWindow window = Run({}, 70);
    EXPECT_EQ(window.fromPs, 30);
    EXPECT_EQ(window.toPs, 70);
}

TEST_F(MeasuringWindowTest, EmptyWindowIsTheWholeRunAndSaysSo)
{
    MeasureSpec measure;
    measure.warmup = 8; // bert's eighth ends at 120, after gpt's end at 100
    const MeasuringWindow empty = Run(measure);
    EXPECT_EQ(empty.fromPs, 0);
    EXPECT_EQ(empty.toPs, 120);
    EXPECT_EQ(empty.note,
              "the whole run: the window from the end of 8 iterations of all measured jobs to the "
              "end of gpt is empty");

    measure.warmup = 9; // never
    const MeasuringWindow never = Run(measure);
    EXPECT_EQ(never.fromPs, 0);
    EXPECT_EQ(never.toPs, 120);
    EXPECT_EQ(never.note, "the whole run: not all measured jobs finished 9 iterations");

    EXPECT_EQ(MeasuringWindowFinder(MeasureSpec()).GetWindow(50).toPs, 50);
    EXPECT_EQ(MeasuringWindowFinder(MeasureSpec()).GetWindow(50).note, "the whole run: no jobs");
}

TEST_F(MeasuringWindowTest, CallsBackAtTheInstants)
{
    std::vector<int64_t> calls;
    MeasuringWindowFinder finder{MeasureSpec()};
    finder.AddJob(0, "a");
    finder.AddJob(1, "b");
    finder.SetCallbacks([&](int64_t now) { calls.push_back(now); },
                        [&](int64_t now) { calls.push_back(-now); });
    finder.IterationEnded(0, 1, 10);
    finder.IterationEnded(0, 2, 20);
    finder.IterationEnded(1, 2, 25);
    finder.IterationEnded(1, 3, 30);
    finder.JobEnded(1, 40);
    finder.JobEnded(0, 50);
    EXPECT_EQ(calls, (std::vector<int64_t>{25, -40}));
}

TEST_F(MeasuringWindowTest, EmptyWindowIsNotAnnounced)
{
    std::vector<int64_t> calls;
    MeasuringWindowFinder finder{MeasureSpec()};
    finder.AddJob(0, "a");
    finder.AddJob(1, "b");
    finder.SetCallbacks([&](int64_t now) { calls.push_back(now); },
                        [&](int64_t now) { calls.push_back(-now); });
    finder.IterationEnded(0, 2, 20);
    finder.JobEnded(0, 22);
    finder.IterationEnded(1, 2, 25);
    finder.JobEnded(1, 40);
    EXPECT_TRUE(calls.empty());
}

} // namespace tests
} // namespace ns3
