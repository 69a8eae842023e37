/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/queue-pair.h"

#include "ns3/counter-random.h"

#include <deque>
#include <gtest/gtest.h>

namespace ns3
{

namespace
{

RdmaMessage
Message(uint64_t number)
{
    RdmaMessage message;
    message.number = number;
    message.bytes = number * 10 + 1;
    return message;
}

} // namespace

TEST(MessageQueueTest, FirstInFirstOut)
{
    MessageQueue queue;
    EXPECT_TRUE(queue.IsEmpty());
    queue.Push(Message(0));
    queue.Push(Message(1));
    EXPECT_FALSE(queue.IsEmpty());
    EXPECT_EQ(queue.Front().number, 0u);
    EXPECT_EQ(queue.Back().number, 1u);
    EXPECT_EQ(queue.Get(1).bytes, 11u);
    queue.Pop();
    EXPECT_EQ(queue.Front().number, 1u);
    EXPECT_EQ(queue.Get(1).number, 1u);
    queue.Pop();
    EXPECT_TRUE(queue.IsEmpty());
    // Numbers go on where they were.
    queue.Push(Message(2));
    EXPECT_EQ(queue.Get(2).number, 2u);
}

TEST(MessageQueueTest, LongSequencesAgreeWithADeque)
{
    MessageQueue queue;
    std::deque<RdmaMessage> reference;
    uint64_t next = 0;
    for (uint64_t i = 0; i < 20'000; ++i)
    {
        // Long phases of growth and of shrinking, so that the head is cut off at many sizes.
        if (reference.empty() || CounterRandom(3, 1, i) % 100 < (i / 700 % 2 ? 40u : 70u))
        {
            queue.Push(Message(next));
            reference.push_back(Message(next));
            ++next;
        }
        else
        {
            queue.Pop();
            reference.pop_front();
        }
        ASSERT_EQ(queue.IsEmpty(), reference.empty());
        if (!reference.empty())
        {
            ASSERT_EQ(queue.Front().number, reference.front().number);
            ASSERT_EQ(queue.Back().number, reference.back().number);
            uint64_t number = reference.front().number + i % reference.size();
            ASSERT_EQ(queue.Get(number).number, number);
            ASSERT_EQ(queue.Get(number).bytes, number * 10 + 1);
        }
    }
}

} // namespace ns3
