/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/until-jobs.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using Ids = std::vector<uint32_t>;

TEST(UntilJobsTest, OneJobOrAllInstances)
{
    const UntilJobs jobs({"gpt", "bert-0", "bert-1", "bert-large", "a", "b", "c"},
                         {"", "", "", "", "gpt", "bert", "bert-1"});
    EXPECT_EQ(jobs.Get(0), Ids());
    EXPECT_EQ(jobs.Get(4), Ids({0}));
    EXPECT_EQ(jobs.Get(5), Ids({1, 2})); // not bert-large
    EXPECT_EQ(jobs.Get(6), Ids({2}));
    EXPECT_EQ(jobs.FindEndless(), Ids());
}

TEST(UntilJobsTest, AJobOfThatNameComesFirst)
{
    const UntilJobs jobs({"bert", "bert-0", "a"}, {"", "", "bert"});
    EXPECT_EQ(jobs.Get(2), Ids({0}));
}

TEST(UntilJobsTest, UnknownNameGivesNone)
{
    const UntilJobs jobs({"a", "b-", "b"}, {"x", "b-", ""});
    EXPECT_EQ(jobs.Get(0), Ids());
}

TEST(UntilJobsTest, CirclesNeverEnd)
{
    // a and b wait for each other, c for a, d for itself, e ends, f waits for e.
    const UntilJobs jobs({"a", "b", "c", "d", "e", "f"}, {"b", "a", "a", "d", "", "e"});
    EXPECT_EQ(jobs.FindEndless(), Ids({0, 1, 2, 3}));
}

} // namespace
} // namespace ns3
