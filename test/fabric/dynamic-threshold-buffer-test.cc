/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/switch/dynamic-threshold-buffer.h"

#include "ns3/boolean.h"
#include "ns3/counter-random.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint64_t G = 1'000'000'000;

BufferPort
Port(const std::string& name, uint64_t rate, int64_t delay, uint32_t frame)
{
    BufferPort port;
    port.name = name;
    port.rateBps = rate;
    port.delayPs = delay;
    port.frameBytes = frame;
    return port;
}

/// Two ports of 100 Gb/s without propagation: 2 x 1000 + 84 + ResponseBytes of headroom.
std::vector<BufferPort>
TwoPorts()
{
    return {Port("s.port0", 100 * G, 0, 1000), Port("s.port1", 100 * G, 0, 1000)};
}

/// The rule of the class docstring, summing over all held bytes every time.
class NaiveBuffer
{
  public:
    struct Held
    {
        uint32_t account;
        uint64_t bytes;
        bool inHeadroom;
    };

    NaiveBuffer(uint64_t pool, uint64_t headroom, double alpha, double lossyAlpha, uint64_t offset)
        : m_pool(pool),
          m_headroom(headroom),
          m_alpha(alpha),
          m_lossyAlpha(lossyAlpha),
          m_offset(offset)
    {
    }

    BufferVerdict Admit(uint32_t account, bool lossless, uint64_t bytes)
    {
        double threshold = (lossless ? m_alpha : m_lossyAlpha) * (m_pool - Sum(UINT32_MAX, false));
        if (!IsPaused(account) && Sum(account, false) + bytes <= threshold &&
            Sum(UINT32_MAX, false) + bytes <= m_pool)
        {
            m_held.push_back({account, bytes, false});
            return BufferVerdict::ADMIT;
        }
        if (!lossless || Sum(account, true) + bytes > m_headroom)
        {
            return BufferVerdict::DROP;
        }
        m_held.push_back({account, bytes, true});
        if (IsPaused(account))
        {
            return BufferVerdict::ADMIT;
        }
        m_paused.push_back(account);
        return BufferVerdict::PAUSE;
    }

    void Release(uint32_t account, uint64_t bytes)
    {
        for (bool headroom : {true, false})
        {
            for (Held& held : m_held)
            {
                if (held.account == account && held.inHeadroom == headroom)
                {
                    uint64_t part = std::min(held.bytes, bytes);
                    held.bytes -= part;
                    bytes -= part;
                }
            }
        }
        m_held.erase(std::remove_if(m_held.begin(),
                                    m_held.end(),
                                    [](const Held& held) { return held.bytes == 0; }),
                     m_held.end());
    }

    bool Resume(uint32_t account)
    {
        uint64_t shared = Sum(account, false);
        if (!IsPaused(account) || Sum(account, true) > 0 ||
            (shared > 0 && shared + m_offset > m_alpha * (m_pool - Sum(UINT32_MAX, false))))
        {
            return false;
        }
        m_paused.erase(std::find(m_paused.begin(), m_paused.end(), account));
        return true;
    }

    uint64_t GetUsed() const
    {
        return Sum(UINT32_MAX, false) + Sum(UINT32_MAX, true);
    }

    bool IsPaused(uint32_t account) const
    {
        return std::find(m_paused.begin(), m_paused.end(), account) != m_paused.end();
    }

  private:
    uint64_t Sum(uint32_t account, bool headroom) const
    {
        uint64_t sum = 0;
        for (const Held& held : m_held)
        {
            if ((account == UINT32_MAX || held.account == account) && held.inHeadroom == headroom)
            {
                sum += held.bytes;
            }
        }
        return sum;
    }

    uint64_t m_pool;
    uint64_t m_headroom;
    double m_alpha;
    double m_lossyAlpha;
    uint64_t m_offset;
    std::vector<Held> m_held;
    std::vector<uint32_t> m_paused;
};

} // namespace

TEST(DynamicThresholdBufferTest, HeadroomOfTheStandard)
{
    // 2 x rate x propagation / 8 + 2 frames + pause frame 84 + response 3840. The published figures
    // take a frame as payload and headers with FCS (4096 + 62), without preamble and gap.
    struct Row
    {
        uint64_t rate;
        int64_t delay;
        uint32_t frame;
        uint64_t expected;
    };

    const Row rows[] = {
        {200 * G, 1'000'000, 4158, 50'000 + 2 * 4158 + 84 + 3840},
        {200 * G, 1'000'000, 4158, 62'240},
        {400 * G, 1'000'000, 4158, 112'240},
        {100 * G, 1'000'000, 1000, 30'924},  // 30.9 KB
        {200 * G, 1'000'000, 1000, 55'924},  // 55.9 KB
        {400 * G, 1'000'000, 1000, 105'924}, // 105.9 KB
        {100 * G, 0, 9018, 2 * 9018 + 84 + 3840},
        {100 * G, 1, 1000, 1 + 2 * 1000 + 84 + 3840}, // rounded up
        {1600 * G,
         1'000'000'000'000,
         1000,
         400'000'000'000 + 2 * 1000 + 3924} // 1 s: beyond 64 bits
    };
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    for (const Row& row : rows)
    {
        EXPECT_EQ(buffer->GetHeadroom(Port("p", row.rate, row.delay, row.frame)), row.expected);
    }
    // 48 ports of 200 Gb/s with 8 priorities take 23.9 MB, 64 of 400 Gb/s 57.5 MB.
    EXPECT_NEAR(48 * 8 * 62'240, 23.9e6, 0.05e6);
    EXPECT_NEAR(64 * 8 * 112'240, 57.5e6, 0.05e6);
    // The rule of thumb: both MTUs + 3840 B + 130 B for each 100 m (0.5 us) and Gb/s; 125 B are the
    // cable itself.
    for (uint64_t rate : {100, 400})
    {
        for (uint64_t metres : {100, 300, 1'000})
        {
            double rule = 2 * 4158 + 3840 + 130.0 * (metres / 100) * rate;
            auto headroom = buffer->GetHeadroom(
                Port("p", rate * G, static_cast<int64_t>(metres) * 5'000, 4158));
            EXPECT_NEAR(static_cast<double>(headroom), rule, 0.04 * rule) << rate << " " << metres;
        }
    }
    buffer->SetAttribute("ResponseBytes", UintegerValue(0));
    EXPECT_EQ(buffer->GetHeadroom(Port("p", 100 * G, 0, 1000)), 2 * 1000u + 84u);
}

TEST(DynamicThresholdBufferTest, SharedPoolIsTheRest)
{
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    // Priorities 1 and 2 of two ports: four accounts with 2000 + 84 + 3840 = 5924 each.
    EXPECT_EQ(buffer->Configure(100'000, TwoPorts(), 8, 0b110), "");
    EXPECT_EQ(buffer->GetSharedSize(), 100'000u - 4 * 5924u);
    EXPECT_EQ(buffer->Configure(100'000, TwoPorts(), 8, 0), "");
    EXPECT_EQ(buffer->GetSharedSize(), 100'000u);
    buffer->SetAttribute("Headroom", BooleanValue(false));
    EXPECT_EQ(buffer->Configure(100'000, TwoPorts(), 8, 0b110), "");
    EXPECT_EQ(buffer->GetSharedSize(), 100'000u);
}

TEST(DynamicThresholdBufferTest, RoomForTheFrameThatPausesToo)
{
    // A frame larger than the response: behind the one that passes the threshold, one waits for the
    // end of our own transmission and one is finished by the peer. All three need room.
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    const uint32_t frame = 9000;
    EXPECT_EQ(buffer->Configure(100'000, {Port("a", 100 * G, 0, frame)}, 1, 1), "");
    EXPECT_EQ(buffer->GetHeadroom(Port("a", 100 * G, 0, frame)), 2 * 9000u + 84 + 3840);
    EXPECT_EQ(buffer->GetReserve(Port("a", 100 * G, 0, frame)), 3 * 9000u + 84);
    EXPECT_EQ(buffer->GetSharedSize(), 100'000u - (3 * 9000u + 84));
    BufferVerdict verdict = BufferVerdict::ADMIT;
    while (verdict == BufferVerdict::ADMIT)
    {
        verdict = buffer->Admit(0, 0, 0, frame, true);
    }
    EXPECT_EQ(verdict, BufferVerdict::PAUSE);
    EXPECT_EQ(buffer->Admit(0, 0, 0, frame, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 0, 0, frame, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 0, 0, frame, true), BufferVerdict::DROP);
}

TEST(DynamicThresholdBufferTest, RefusesWhatDoesNotFitAndNamesThePort)
{
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    std::vector<BufferPort> ports = {Port("leaf0.port0", 100 * G, 0, 1000),
                                     Port("leaf0.port1", 100 * G, 0, 1000),
                                     Port("leaf0.port2", 100 * G, 0, 1000)};
    // 5924 a port: two fit into 12,000 B, three do not.
    std::string error = buffer->Configure(12'000, ports, 8, 0b10);
    EXPECT_NE(error.find("leaf0.port2"), std::string::npos) << error;
    EXPECT_NE(error.find("17772 B"), std::string::npos) << error;
    EXPECT_NE(error.find("5924 B"), std::string::npos) << error;
    EXPECT_NE(error.find("12000 B"), std::string::npos) << error;
    // Exactly the headroom leaves nothing to share.
    EXPECT_NE(buffer->Configure(3 * 5924, ports, 8, 0b10), "");
    EXPECT_EQ(buffer->Configure(3 * 5924 + 1, ports, 8, 0b10), "");
    EXPECT_EQ(buffer->GetSharedSize(), 1u);
}

TEST(DynamicThresholdBufferTest, AdmissionTable)
{
    // Pool 10,000, Alpha 1/2, headroom 5924. Priority 1 is lossless, 0 is not; LossyAlpha 1.
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    buffer->SetAttribute("Alpha", DoubleValue(0.5));
    buffer->SetAttribute("ResumeOffset", UintegerValue(500));
    ASSERT_EQ(buffer->Configure(10'000 + 2 * 5924, TwoPorts(), 2, 0b10), "");
    ASSERT_EQ(buffer->GetSharedSize(), 10'000u);

    struct Row
    {
        char action; ///< 'a'dmit, 'r'elease, r'e'sume
        uint32_t ingress;
        uint32_t priority;
        uint32_t bytes;
        int expected; ///< verdict, or whether it resumed
        uint64_t used;
    };

    const int admit = static_cast<int>(BufferVerdict::ADMIT);
    const int pause = static_cast<int>(BufferVerdict::PAUSE);
    const int drop = static_cast<int>(BufferVerdict::DROP);
    const Row rows[] = {
        {'a', 0, 1, 3000, admit, 3000}, // 3000 <= (10000 - 0) / 2
        {'a', 1, 1, 3500, admit, 6500}, // 3500 <= (10000 - 3000) / 2, just
        {'a', 1, 1, 1, pause, 6501},    // 3501 > (10000 - 6500) / 2: headroom
        {'a', 1, 1, 5923, admit, 12424}, {'a', 1, 1, 1, drop, 12424}, // headroom full
        {'a', 1, 0, 3500, admit, 15924},                              // lossy: 3500 <= 10000 - 6500
        {'a', 1, 0, 1, drop, 15924},                                  // pool full
        {'a', 0, 1, 1, pause, 15925},                                 // 3001 > 0
        {'e', 0, 1, 0, 0, 15925},                                     // headroom holds a byte
        {'r', 1, 0, 3500, 0, 12425},     {'r', 0, 1, 1, 0, 12424},    // takes it from headroom
        {'e', 0, 1, 0, 0, 12424},       // 3000 + 500 > (10000 - 6500) / 2
        {'r', 1, 1, 5924, 0, 6500},     // headroom of the other
        {'e', 1, 1, 0, 0, 6500},        // 3500 + 500 > 1750
        {'r', 0, 1, 1500, 0, 5000},     //
        {'e', 0, 1, 0, 1, 5000},        // 1500 + 500 <= (10000 - 5000) / 2
        {'e', 0, 1, 0, 0, 5000},        // not paused any more
        {'e', 1, 1, 0, 0, 5000},        // 3500 + 500 > 2500
        {'r', 0, 1, 1500, 0, 3500},     //
        {'e', 1, 1, 0, 0, 3500},        // 4000 > 3250
        {'r', 1, 1, 500, 0, 3000},      //
        {'e', 1, 1, 0, 1, 3000},        // 3500 <= 3500
        {'a', 0, 1, 3500, admit, 6500}, // 3500 <= 3500
        {'r', 0, 1, 3500, 0, 3000},      {'r', 1, 1, 3000, 0, 0},
    };
    for (size_t i = 0; i < std::size(rows); ++i)
    {
        const Row& row = rows[i];
        if (row.action == 'a')
        {
            BufferVerdict verdict = buffer->Admit(row.ingress, 0, row.priority, row.bytes, true);
            EXPECT_EQ(static_cast<int>(verdict), row.expected) << "row " << i;
        }
        else if (row.action == 'r')
        {
            buffer->Release(row.ingress, row.priority, row.bytes);
        }
        else
        {
            EXPECT_EQ(buffer->Resume(row.ingress, row.priority), row.expected == 1) << "row " << i;
        }
        EXPECT_EQ(buffer->GetUsedBytes(), row.used) << "row " << i;
    }
    EXPECT_EQ(buffer->GetPeakBytes(), 15'925u);
}

TEST(DynamicThresholdBufferTest, AnEmptyAccountResumesWhateverTheOffset)
{
    // Alpha x pool is less than ResumeOffset: were it not for the emptiness, nobody would wake it.
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    ASSERT_EQ(buffer->Configure(5924 + 8000, {TwoPorts()[0]}, 1, 1), "");
    EXPECT_EQ(buffer->Admit(0, 0, 0, 1000, true), BufferVerdict::ADMIT); // 8000 / 8
    EXPECT_EQ(buffer->Admit(0, 0, 0, 1000, true), BufferVerdict::PAUSE);
    buffer->Release(0, 0, 1000);
    EXPECT_FALSE(buffer->Resume(0, 0)); // 1000 + 3000 > 875
    buffer->Release(0, 0, 1000);
    EXPECT_TRUE(buffer->Resume(0, 0));
}

TEST(DynamicThresholdBufferTest, WithoutHeadroomALosslessClassTakesThePoolAndThenDrops)
{
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    buffer->SetAttribute("Headroom", BooleanValue(false));
    ASSERT_EQ(buffer->Configure(8000, TwoPorts(), 2, 0b10), "");
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, true), BufferVerdict::PAUSE);
    EXPECT_EQ(buffer->Admit(0, 1, 1, 6000, true), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->GetUsedBytes(), 8000u);
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1, true), BufferVerdict::DROP);
    EXPECT_EQ(buffer->Admit(1, 1, 1, 1, true), BufferVerdict::DROP);
    buffer->Release(0, 1, 8000);
    EXPECT_TRUE(buffer->Resume(0, 1));
    EXPECT_EQ(buffer->GetUsedBytes(), 0u);
}

TEST(DynamicThresholdBufferTest, UncertainOnlyWhereItMatters)
{
    auto buffer = CreateObject<DynamicThresholdBuffer>();
    ASSERT_EQ(buffer->Configure(8000 + 2 * 5924, TwoPorts(), 2, 0b10), "");
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, false), BufferVerdict::ADMIT);
    // Would pause.
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, false), BufferVerdict::UNCERTAIN);
    EXPECT_EQ(buffer->GetUsedBytes(), 1000u);
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, true), BufferVerdict::PAUSE);
    // Paused already, with room in its headroom: no other account matters.
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, false), BufferVerdict::ADMIT);
    EXPECT_EQ(buffer->Admit(0, 1, 1, 3924, false), BufferVerdict::ADMIT);
    // Would drop.
    EXPECT_EQ(buffer->Admit(0, 1, 1, 1000, false), BufferVerdict::UNCERTAIN);
    EXPECT_EQ(buffer->Admit(1, 1, 0, 7001, false), BufferVerdict::UNCERTAIN);
    EXPECT_EQ(buffer->Admit(1, 1, 0, 7001, true), BufferVerdict::DROP);
}

TEST(DynamicThresholdBufferTest, RandomSequencesAgreeWithANaiveReference)
{
    uint64_t verdicts[3] = {0, 0, 0};
    uint64_t resumes = 0;
    for (uint64_t run = 0; run < 40; ++run)
    {
        uint64_t count = 0;
        auto random = [&](uint64_t n) { return CounterRandom(7, run, count++) % n; };
        const double alphas[] = {0.125, 0.5, 1.0, 2.0};
        double alpha = alphas[random(4)];
        double lossyAlpha = alphas[random(4)];
        uint64_t offset = random(2) * 3000;
        auto buffer = CreateObject<DynamicThresholdBuffer>();
        buffer->SetAttribute("Alpha", DoubleValue(alpha));
        buffer->SetAttribute("LossyAlpha", DoubleValue(lossyAlpha));
        buffer->SetAttribute("ResumeOffset", UintegerValue(offset));
        const uint32_t ports = 4;
        const uint32_t priorities = 3;
        const uint32_t mask = 0b110;
        uint64_t pool = 5'000 + random(60'000);
        std::vector<BufferPort> list(ports, Port("p", 100 * G, 0, 1500));
        ASSERT_EQ(buffer->Configure(pool + 8 * 6924, list, priorities, mask), "");
        NaiveBuffer naive(pool, 6924, alpha, lossyAlpha, offset);
        std::vector<std::deque<uint32_t>> held(ports * priorities);
        for (int step = 0; step < 3000; ++step)
        {
            auto ingress = static_cast<uint32_t>(random(ports));
            auto priority = static_cast<uint32_t>(random(priorities));
            uint32_t account = ingress * priorities + priority;
            // Phases of filling and of draining.
            if (random(100) < (step / 300 % 2 ? 30u : 65u))
            {
                auto bytes = static_cast<uint32_t>(64 + random(1436));
                BufferVerdict verdict = buffer->Admit(ingress, 0, priority, bytes, true);
                ASSERT_EQ(verdict, naive.Admit(account, mask >> priority & 1, bytes));
                ++verdicts[static_cast<int>(verdict)];
                if (verdict != BufferVerdict::DROP)
                {
                    held[account].push_back(bytes);
                }
            }
            else if (!held[account].empty())
            {
                buffer->Release(ingress, priority, held[account].front());
                naive.Release(account, held[account].front());
                held[account].pop_front();
                bool resumed = buffer->Resume(ingress, priority);
                ASSERT_EQ(resumed, naive.Resume(account));
                resumes += resumed;
            }
            ASSERT_EQ(buffer->GetUsedBytes(), naive.GetUsed());
        }
    }
    // The sequences reach every verdict.
    EXPECT_GT(verdicts[0], 1000u);
    EXPECT_GT(verdicts[1], 100u);
    EXPECT_GT(verdicts[2], 100u);
    EXPECT_GT(resumes, 100u);
}

TEST(DynamicThresholdBufferTest, LateReleasesDecideAlike)
{
    // As the fabric does: what an account that is not paused has sent is released late, all of it
    // whenever the buffer is uncertain. Every verdict must be that of prompt releases.
    uint64_t uncertain = 0;
    uint64_t pauses = 0;
    for (uint64_t run = 0; run < 20; ++run)
    {
        uint64_t count = 0;
        auto random = [&](uint64_t n) { return CounterRandom(8, run, count++) % n; };
        const uint32_t ports = 4;
        const uint32_t priorities = 2;
        const uint32_t accounts = ports * priorities;
        std::vector<BufferPort> list(ports, Port("p", 100 * G, 0, 1500));
        uint64_t size = 4 * 6924 + 20'000 + random(50'000);
        auto prompt = CreateObject<DynamicThresholdBuffer>();
        auto late = CreateObject<DynamicThresholdBuffer>();
        ASSERT_EQ(prompt->Configure(size, list, priorities, 0b10), "");
        ASSERT_EQ(late->Configure(size, list, priorities, 0b10), "");
        std::vector<std::deque<uint32_t>> held(accounts);
        std::vector<uint64_t> owed(accounts, 0);
        std::vector<bool> paused(accounts, false);
        auto settle = [&](uint32_t account) {
            late->Release(account / priorities,
                          account % priorities,
                          static_cast<uint32_t>(owed[account]));
            owed[account] = 0;
        };
        auto settleAll = [&]() {
            for (uint32_t account = 0; account < accounts; ++account)
            {
                settle(account);
            }
        };
        for (int step = 0; step < 4000; ++step)
        {
            auto account = static_cast<uint32_t>(random(accounts));
            uint32_t ingress = account / priorities;
            uint32_t priority = account % priorities;
            if (random(100) < (step / 300 % 2 ? 35u : 65u))
            {
                auto bytes = static_cast<uint32_t>(64 + random(1436));
                BufferVerdict expected = prompt->Admit(ingress, 0, priority, bytes, true);
                bool certain = std::accumulate(owed.begin(), owed.end(), uint64_t{0}) == 0;
                BufferVerdict verdict = late->Admit(ingress, 0, priority, bytes, certain);
                if (verdict == BufferVerdict::UNCERTAIN)
                {
                    ++uncertain;
                    settleAll();
                    verdict = late->Admit(ingress, 0, priority, bytes, true);
                }
                ASSERT_EQ(verdict, expected);
                if (verdict != BufferVerdict::DROP)
                {
                    held[account].push_back(bytes);
                }
                if (verdict == BufferVerdict::PAUSE)
                {
                    ++pauses;
                    paused[account] = true;
                    settle(account);
                }
            }
            else if (!held[account].empty())
            {
                prompt->Release(ingress, priority, held[account].front());
                owed[account] += held[account].front();
                held[account].pop_front();
                if (paused[account])
                {
                    settle(account);
                    bool expected = prompt->Resume(ingress, priority);
                    bool resumed = late->Resume(ingress, priority);
                    if (!resumed)
                    {
                        settleAll();
                        resumed = late->Resume(ingress, priority);
                    }
                    ASSERT_EQ(resumed, expected);
                    paused[account] = !resumed;
                }
            }
        }
        settleAll();
        EXPECT_EQ(late->GetUsedBytes(), prompt->GetUsedBytes());
        EXPECT_GE(late->GetPeakBytes(), prompt->GetPeakBytes());
    }
    EXPECT_GT(uncertain, 100u);
    EXPECT_GT(pauses, 100u);
}

} // namespace ns3
