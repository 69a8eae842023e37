/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/job-continuation.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

TEST(JobContinuationTest, FailsForGoodUnlessItIsRestarted)
{
    JobContinuation job(false, 0);
    EXPECT_EQ(job.GetStarts(), 0U);
    job.Start(10, 0);
    EXPECT_FALSE(job.Fail(20, true, 5));
    EXPECT_FALSE(job.WaitsAgain());
    EXPECT_EQ(job.GetStarts(), 1U);
}

TEST(JobContinuationTest, DurationCountsRunningTimeOnly)
{
    JobContinuation job(true, 100);
    EXPECT_EQ(job.GetDurationLeft(), 100);
    job.Start(1000, 0);
    EXPECT_TRUE(job.Fail(1030, true, 1));
    EXPECT_TRUE(job.WaitsAgain());
    EXPECT_EQ(job.GetDurationLeft(), 70);  // 100 - 30
    EXPECT_TRUE(job.Fail(1500, false, 1)); // it lost GPUs that it had not used
    EXPECT_EQ(job.GetDurationLeft(), 70);
    job.Start(2000, 1);
    EXPECT_FALSE(job.WaitsAgain());
    EXPECT_TRUE(job.Fail(2070, true, 2)); // as its time is over: something is left to end with
    EXPECT_EQ(job.GetDurationLeft(), 1);
}

TEST(JobContinuationTest, GivesUpAfterStartsWithoutAnIteration)
{
    JobContinuation job(true, 0);
    uint64_t ended = 0;
    for (uint32_t start = 0; start < 10; start++)
    {
        job.Start(start * 100, ended);
        EXPECT_TRUE(job.Fail(start * 100 + 50, true, ++ended)); // it gets on
    }
    for (uint32_t start = 1; start < JobContinuation::MAX_IDLE_STARTS; start++)
    {
        job.Start(start * 100, ended);
        EXPECT_TRUE(job.Fail(start * 100 + 50, true, ended));
    }
    job.Start(5000, ended);
    EXPECT_FALSE(job.Fail(5050, true, ended));
}

TEST(JobContinuationTest, ExecutedTimeAddsUpOverStarts)
{
    JobContinuation continuation(true, 0);
    EXPECT_EQ(continuation.GetFirstStart(), -1);
    EXPECT_EQ(continuation.GetExecuted(5), 0);
    continuation.Start(10, 0);
    EXPECT_EQ(continuation.GetExecuted(15), 15 - 10);
    continuation.End(20);
    EXPECT_EQ(continuation.GetExecuted(90), 20 - 10);
    continuation.Start(100, 3);
    EXPECT_EQ(continuation.GetExecuted(107), 20 - 10 + 107 - 100);
    EXPECT_EQ(continuation.GetFirstStart(), 10);
    EXPECT_EQ(continuation.GetLastStart(), 100);
}

} // namespace
} // namespace ns3
