/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/engine/parallel/window-worker.h"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

using namespace ns3;

TEST(WindowWorkerTest, DoesEachPieceOnceAndInOrder)
{
    // Neither side locks: what was written before Start() is seen by the work, and the reverse.
    uint64_t input = 0;
    uint64_t sum = 0;
    WindowWorker worker([&]() { sum += input; });
    uint64_t expected = 0;
    for (uint64_t i = 1; i <= 20'000; ++i)
    {
        input = i;
        worker.Start();
        worker.Wait();
        expected += i;
        ASSERT_EQ(sum, expected);
    }
}

TEST(WindowWorkerTest, WaitsForNothingWhereNothingWasStarted)
{
    WindowWorker worker([]() { FAIL(); });
    worker.Wait();
    worker.Wait();
}

TEST(WindowWorkerTest, WakesUp)
{
    uint32_t done = 0;
    WindowWorker worker([&]() { ++done; });
    for (uint32_t i = 1; i <= 5; ++i)
    {
        // Long after it has lost its patience.
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        worker.Start();
        worker.Wait();
        ASSERT_EQ(done, i);
    }
}

TEST(WindowWorkerTest, ManyWorkAtATime)
{
    constexpr uint32_t WORKERS = 5;
    std::vector<uint64_t> counts(WORKERS);
    std::vector<std::unique_ptr<WindowWorker>> workers;
    for (uint32_t i = 0; i < WORKERS; ++i)
    {
        workers.push_back(std::make_unique<WindowWorker>([&counts, i]() { counts[i] += i; }));
    }
    for (uint32_t round = 1; round <= 200; ++round)
    {
        for (auto& worker : workers)
        {
            worker->Start();
        }
        for (auto& worker : workers)
        {
            worker->Wait();
        }
    }
    for (uint32_t i = 0; i < WORKERS; ++i)
    {
        EXPECT_EQ(counts[i], 200 * i);
    }
}

TEST(WindowWorkerTest, FinishesWhatWasStarted)
{
    for (uint32_t i = 0; i < 100; ++i)
    {
        bool done = false;
        {
            WindowWorker worker([&]() { done = true; });
            worker.Start();
        }
        ASSERT_TRUE(done);
        // And may go without ever having worked.
        WindowWorker idle([]() {});
    }
}
