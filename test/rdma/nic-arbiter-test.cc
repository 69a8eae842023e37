/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/rdma/nic-arbiter.h"

#include "ns3/counter-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <list>
#include <vector>

namespace ns3
{

class NicArbiterTest : public ::testing::Test
{
  protected:
    static constexpr uint32_t ALL = 0x3ff;
    static constexpr uint32_t NONE = UINT32_MAX;

    uint32_t Make(uint8_t priority, int64_t nextTime = 0)
    {
        const uint32_t id = queuePairs.Create();
        queuePairs[id]->priority = priority;
        queuePairs[id]->nextTime = nextTime;
        return id;
    }

    void Add(int64_t now, uint32_t id)
    {
        arbiter.Add(now, id, queuePairs);
    }

    uint32_t Take(int64_t now, uint32_t allowed = ALL)
    {
        return arbiter.Take(now, allowed, queuePairs);
    }

    NicArbiter::QueuePairs queuePairs;
    NicArbiter arbiter;
};

TEST_F(NicArbiterTest, StrictPriority)
{
    uint32_t low = Make(1);
    uint32_t high = Make(6);
    uint32_t middle = Make(3);
    for (uint32_t id : {low, high, middle})
    {
        Add(0, id);
        EXPECT_EQ(queuePairs[id]->place, ArbiterPlace::READY);
    }
    EXPECT_EQ(Take(0), high);
    EXPECT_EQ(queuePairs[high]->place, ArbiterPlace::IDLE);
    EXPECT_EQ(Take(0), middle);
    Add(0, high);
    EXPECT_EQ(Take(0), high);
    EXPECT_EQ(Take(0), low);
    EXPECT_EQ(Take(0), NONE);
    EXPECT_EQ(arbiter.GetNextTime(), INT64_MAX);
}

TEST_F(NicArbiterTest, AllowedPrioritiesOnly)
{
    uint32_t low = Make(1);
    uint32_t high = Make(6);
    Add(0, low);
    Add(0, high);
    EXPECT_EQ(Take(0, ALL & ~(1u << 6)), low);
    EXPECT_EQ(Take(0, ALL & ~(1u << 6)), NONE);
    EXPECT_EQ(Take(0, 1u << 6), high);
}

TEST_F(NicArbiterTest, RoundRobinWithinAPriority)
{
    std::vector<uint32_t> ids;
    for (int i = 0; i < 5; ++i)
    {
        ids.push_back(Make(4));
        Add(0, ids.back());
    }
    for (int round = 0; round < 3; ++round)
    {
        for (uint32_t id : ids)
        {
            ASSERT_EQ(Take(0), id);
            Add(0, id);
        }
    }
    // A newcomer waits for one round.
    uint32_t late = Make(4);
    Add(0, late);
    for (uint32_t id : ids)
    {
        ASSERT_EQ(Take(0), id);
    }
    EXPECT_EQ(Take(0), late);
}

TEST_F(NicArbiterTest, Pacing)
{
    uint32_t a = Make(4, 100);
    uint32_t b = Make(6, 200);
    uint32_t c = Make(4, 100);
    for (uint32_t id : {c, b, a})
    {
        Add(0, id);
        EXPECT_EQ(queuePairs[id]->place, ArbiterPlace::PACED);
    }
    EXPECT_EQ(arbiter.GetNextTime(), 100);
    EXPECT_EQ(Take(99), NONE);
    // Both at 100, the lower id first.
    EXPECT_EQ(Take(100), a);
    EXPECT_EQ(arbiter.GetNextTime(), 200);
    // One that is due late comes before the lower priority that has waited longer.
    EXPECT_EQ(Take(200), b);
    EXPECT_EQ(Take(200), c);
    EXPECT_EQ(arbiter.GetNextTime(), INT64_MAX);
}

TEST_F(NicArbiterTest, RemoveFromARing)
{
    for (uint32_t removed = 0; removed < 4; ++removed)
    {
        queuePairs.Clear();
        arbiter = NicArbiter();
        for (int i = 0; i < 4; ++i)
        {
            Add(0, Make(4));
        }
        arbiter.Remove(removed, queuePairs);
        EXPECT_EQ(queuePairs[removed]->place, ArbiterPlace::IDLE);
        queuePairs.Destroy(removed);
        Add(0, Make(4));
        for (uint32_t id = 0; id < 5; ++id)
        {
            if (id != removed)
            {
                EXPECT_EQ(Take(0), id);
            }
        }
        EXPECT_EQ(Take(0), NONE);
    }
    // The only one.
    queuePairs.Clear();
    arbiter = NicArbiter();
    Add(0, Make(4));
    arbiter.Remove(0, queuePairs);
    EXPECT_EQ(Take(0), NONE);
    // One that is in neither.
    arbiter.Remove(0, queuePairs);
    Add(0, 0);
    EXPECT_EQ(Take(0), 0u);
}

TEST_F(NicArbiterTest, RemoveFromTheHeap)
{
    for (int i = 0; i < 10; ++i)
    {
        Add(0, Make(4, 100 + 10 * (i * 7 % 10)));
    }
    arbiter.Remove(0, queuePairs); // due at 100
    EXPECT_EQ(arbiter.GetNextTime(), 110);
    arbiter.Remove(9, queuePairs); // 63 % 10 = 3: due at 130
    queuePairs.Destroy(0);
    queuePairs.Destroy(9);
    std::vector<int64_t> times;
    while (arbiter.GetNextTime() != INT64_MAX)
    {
        int64_t now = arbiter.GetNextTime();
        ASSERT_NE(Take(now), NONE);
        times.push_back(now);
    }
    EXPECT_EQ(times, (std::vector<int64_t>{110, 120, 140, 150, 160, 170, 180, 190}));
}

TEST_F(NicArbiterTest, RandomSequencesAgreeWithANaiveReference)
{
    // A list of (time, id) in the order of arrival; what is due enters its ring in order of time.
    struct Waiting
    {
        int64_t time;
        uint32_t id;
    };

    std::vector<Waiting> paced;
    std::vector<std::list<uint32_t>> rings(8);
    uint64_t count = 0;
    auto random = [&](uint64_t n) { return CounterRandom(5, 5, count++) % n; };
    for (int i = 0; i < 60; ++i)
    {
        Make(static_cast<uint8_t>(random(8)));
    }
    int64_t now = 0;
    for (int step = 0; step < 30'000; ++step)
    {
        now += static_cast<int64_t>(random(20));
        auto id = static_cast<uint32_t>(random(60));
        QueuePair& queuePair = *queuePairs[id];
        uint64_t action = random(10);
        if (action < 5)
        {
            if (queuePair.place == ArbiterPlace::IDLE)
            {
                queuePair.nextTime = now + static_cast<int64_t>(random(2) * random(200));
                if (queuePair.nextTime <= now)
                {
                    rings[queuePair.priority].push_back(id);
                }
                else
                {
                    paced.push_back({queuePair.nextTime, id});
                }
                Add(now, id);
            }
        }
        else if (action < 6)
        {
            arbiter.Remove(id, queuePairs);
            rings[queuePair.priority].remove(id);
            paced.erase(std::remove_if(paced.begin(),
                                       paced.end(),
                                       [id](const Waiting& w) { return w.id == id; }),
                        paced.end());
            queuePair.priority = static_cast<uint8_t>(random(8));
        }
        else
        {
            auto allowed = static_cast<uint32_t>(random(256));
            std::sort(paced.begin(), paced.end(), [](const Waiting& a, const Waiting& b) {
                return a.time != b.time ? a.time < b.time : a.id < b.id;
            });
            while (!paced.empty() && paced[0].time <= now)
            {
                rings[queuePairs[paced[0].id]->priority].push_back(paced[0].id);
                paced.erase(paced.begin());
            }
            uint32_t expected = NONE;
            for (int priority = 7; priority >= 0 && expected == NONE; --priority)
            {
                if ((allowed >> priority & 1) && !rings[priority].empty())
                {
                    expected = rings[priority].front();
                    rings[priority].pop_front();
                }
            }
            ASSERT_EQ(Take(now, allowed), expected) << "step " << step;
        }
    }
}

} // namespace ns3
