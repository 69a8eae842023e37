/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/deadlock-detector.h"

#include <gtest/gtest.h>

namespace ns3
{

using Queue = DeadlockDetector::Queue;

TEST(DeadlockDetectorTest, ATreeOfPausesIsNone)
{
    DeadlockDetector detector;
    detector.Add({1, 4}, {{2, 4}});
    detector.Add({2, 4}, {{3, 4}}); // 3 can send
    EXPECT_TRUE(detector.FindCycle().empty());
}

TEST(DeadlockDetectorTest, ACycleBeginsWithItsSmallestQueue)
{
    DeadlockDetector detector;
    detector.Add({9, 4}, {{3, 4}});
    detector.Add({3, 4}, {{5, 4}});
    detector.Add({5, 4}, {{9, 4}});
    detector.Add({1, 4}, {{5, 4}}); // waits for the cycle, is no part of it
    EXPECT_EQ(detector.FindCycle(), (std::vector<Queue>{{3, 4}, {5, 4}, {9, 4}}));
}

TEST(DeadlockDetectorTest, AnAccountThatDrainsOneWayIsNotStuck)
{
    DeadlockDetector detector;
    detector.Add({1, 4}, {{2, 4}, {7, 4}}); // 7 can send
    detector.Add({2, 4}, {{1, 4}});
    EXPECT_TRUE(detector.FindCycle().empty());
}

TEST(DeadlockDetectorTest, WaitingForNothingIsNotStuck)
{
    DeadlockDetector detector;
    detector.Add({1, 4}, {}); // a NIC paused it, or the account is empty by now
    EXPECT_TRUE(detector.FindCycle().empty());
}

TEST(DeadlockDetectorTest, PrioritiesAreQueuesOfTheirOwn)
{
    DeadlockDetector detector;
    detector.Add({1, 4}, {{2, 4}});
    detector.Add({2, 4}, {{1, 3}});
    EXPECT_TRUE(detector.FindCycle().empty());
    detector.Add({1, 3}, {{1, 4}});
    EXPECT_EQ(detector.FindCycle(), (std::vector<Queue>{{1, 3}, {1, 4}, {2, 4}}));
}

} // namespace ns3
