/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/pfc-state.h"

#include <gtest/gtest.h>

namespace ns3
{

TEST(PfcStateTest, StatesAreApart)
{
    PfcState book;
    book.Resize(100);
    EXPECT_EQ(book.GetTotal(99, 3), 0);
    book.Get(99, 3).totalPs = 7;
    book.Get(0, 3).totalPs = 8;
    book.Get(99, 4).totalPs = 9;
    EXPECT_EQ(book.GetTotal(99, 3), 7);
    EXPECT_EQ(book.GetTotal(0, 3), 8);
    EXPECT_EQ(book.GetTotal(99, 4), 9);
    EXPECT_EQ(book.GetTotal(0, 4), 0);
    EXPECT_EQ(book.GetTotal(50, 3), 0);
    EXPECT_EQ(book.Get(50, MAX_QUEUES - 1).sentCause, NO_ID);
    EXPECT_EQ(book.Get(50, 0).causedByLink, NO_ID);
}

TEST(PfcStateTest, AnotherBuildForgets)
{
    // The book of a port that has never been paused reads as zero after the ports are set up anew.
    PfcState book;
    book.Resize(2);
    book.Get(1, 1).totalPs = 5;
    book.Resize(2);
    EXPECT_EQ(book.GetTotal(1, 1), 0);
}

} // namespace ns3
