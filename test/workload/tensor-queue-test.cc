/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/application/tensor-queue.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

TensorPiece
Piece(uint32_t layer, uint32_t piece, uint64_t bytes)
{
    return {layer, 0, layer, piece, bytes};
}

/// Layers of a model whose gradients become ready from the last one on; all in units of the time
/// that one piece takes to send.
struct Instance
{
    std::vector<uint32_t> backward; ///< by layer
    std::vector<uint32_t> forward;  ///< by layer
    std::vector<uint32_t> pieces;   ///< by layer

    /// When gradients are ready, by layer.
    std::vector<uint32_t> GetReady() const
    {
        std::vector<uint32_t> ready(backward.size());
        uint32_t time = 0;
        for (size_t i = ready.size(); i-- > 0;)
        {
            time += backward[i];
            ready[i] = time;
        }
        return ready;
    }

    /// When the next forward pass ends, if tensors have been sent by `sent`.
    uint32_t GetEnd(const std::vector<uint32_t>& sent) const
    {
        uint32_t time = GetReady()[0];
        for (size_t i = 0; i < sent.size(); i++)
        {
            time = std::max(time, sent[i]) + forward[i];
        }
        return time;
    }
};

/// The least end over all orders of pieces, tried one by one.
uint32_t
Search(const Instance& instance,
       std::vector<uint32_t>& left,
       std::vector<uint32_t>& sent,
       uint32_t time)
{
    const std::vector<uint32_t> ready = instance.GetReady();
    uint32_t best = UINT32_MAX;
    bool waits = false;
    bool some = false;
    for (size_t i = 0; i < left.size(); i++)
    {
        waits = waits || left[i] > 0;
        if (left[i] == 0 || ready[i] > time)
        {
            continue;
        }
        some = true;
        left[i]--;
        const uint32_t before = sent[i];
        sent[i] = time + 1;
        best = std::min(best, Search(instance, left, sent, time + 1));
        sent[i] = before;
        left[i]++;
    }
    if (!waits)
    {
        return instance.GetEnd(sent);
    }
    return some ? best : Search(instance, left, sent, time + 1);
}

/// The end with the queue.
uint32_t
GetQueueEnd(const Instance& instance, bool priority)
{
    TensorQueue queue;
    queue.Configure(priority, 1);
    const std::vector<uint32_t> ready = instance.GetReady();
    std::vector<uint32_t> left = instance.pieces;
    std::vector<uint32_t> sent(left.size());
    uint32_t time = 0;
    while (std::any_of(left.begin(), left.end(), [](uint32_t n) { return n > 0; }))
    {
        for (size_t i = left.size(); i-- > 0;)
        {
            for (uint32_t p = 0; ready[i] == time && p < instance.pieces[i]; p++)
            {
                queue.Push(Piece(static_cast<uint32_t>(i), p, 1));
            }
        }
        time++;
        if (const auto piece = queue.Pop())
        {
            EXPECT_FALSE(queue.Pop());
            left[piece->layer]--;
            sent[piece->layer] = time;
            queue.Return(1);
        }
    }
    return instance.GetEnd(sent);
}

} // namespace

TEST(TensorQueueTest, InOrderOfArrivalWithoutPriority)
{
    TensorQueue queue;
    queue.Push(Piece(2, 0, 10));
    queue.Push(Piece(0, 0, 10));
    queue.Push(Piece(1, 0, 10));
    EXPECT_EQ(queue.Pop()->layer, 2u);
    EXPECT_EQ(queue.Pop()->layer, 0u);
    EXPECT_EQ(queue.Pop()->layer, 1u);
    EXPECT_FALSE(queue.Pop());
}

TEST(TensorQueueTest, NearestTheInputFirstWithPriority)
{
    TensorQueue queue;
    queue.Configure(true, 1000);
    queue.Push(Piece(2, 0, 10));
    queue.Push(Piece(2, 1, 10));
    queue.Push(Piece(0, 0, 10));
    EXPECT_EQ(queue.Pop()->layer, 0u);
    queue.Push(Piece(1, 0, 10));
    EXPECT_EQ(queue.Pop()->layer, 1u);
    EXPECT_EQ(queue.Pop()->piece, 0u);
    EXPECT_EQ(queue.Pop()->piece, 1u);
}

// The test is credit > 0: with 25 B of credit, pieces of 10 B are posted until 30 B are.
TEST(TensorQueueTest, CreditIsOvershotByOnePiece)
{
    TensorQueue queue;
    queue.Configure(false, 25);
    for (uint32_t p = 0; p < 10; p++)
    {
        queue.Push(Piece(0, p, 10));
    }
    for (uint64_t posted : {10, 20, 30})
    {
        EXPECT_TRUE(queue.Pop());
        EXPECT_EQ(queue.GetPostedBytes(), posted);
    }
    EXPECT_FALSE(queue.Pop());
    queue.Return(10);
    EXPECT_TRUE(queue.Pop());
    EXPECT_FALSE(queue.Pop());
    EXPECT_EQ(queue.GetMaxPostedBytes(), 30u);
    EXPECT_EQ(queue.GetSize(), 6u);
}

// Pieces of one unit, ready at whole units, with tails: the earliest tail first is optimal, and
// the tails of layers decrease from the input on.
TEST(TensorQueueTest, PriorityIsAsGoodAsTheBestOfAllOrders)
{
    uint32_t better = 0;
    for (uint64_t seed = 0; seed < 300; seed++)
    {
        uint64_t draws = 0;
        const auto draw = [&](uint32_t low, uint32_t high) {
            return low + static_cast<uint32_t>(CounterRandom(seed, 1, draws++) % (high - low + 1));
        };
        Instance instance;
        const uint32_t layers = draw(1, 3);
        for (uint32_t i = 0; i < layers; i++)
        {
            instance.backward.push_back(draw(1, 3));
            instance.forward.push_back(draw(1, 3));
            instance.pieces.push_back(draw(1, 3));
        }
        std::vector<uint32_t> left = instance.pieces;
        std::vector<uint32_t> sent(layers);
        const uint32_t best = Search(instance, left, sent, 0);
        const uint32_t priority = GetQueueEnd(instance, true);
        const uint32_t fifo = GetQueueEnd(instance, false);
        EXPECT_EQ(priority, best) << "seed " << seed;
        EXPECT_LE(priority, fifo) << "seed " << seed;
        better += priority < fifo ? 1 : 0;
    }
    // Else the instances would show nothing.
    EXPECT_GT(better, 50u);
}
