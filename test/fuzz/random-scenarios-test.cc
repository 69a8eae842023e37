/* SPDX-License-Identifier: GPL-2.0-only */

// Whatever a scenario says, the program ends with an exit status and a message, never by a signal:
// what passes the check runs to its end, and what does not is refused before.
//
// GPU_FABRIC_FUZZ=SEED,COUNT runs so many more, from another seed; GPU_FABRIC_FUZZ_KEEP=FOLDER
// keeps the scenarios that fail.

#include "../fixture/program-fixture.h"
#include "../fixture/random-scenario.h"

#include <cstdlib>
#include <sys/resource.h>

using namespace ns3;

namespace
{

class RandomScenarioTest : public ProgramFixture
{
  protected:
    /// CPU time after which a run is taken for a long one, not a wrong one [s].
    static constexpr rlim_t LIMIT_S = 5;

    /// Some values of attributes multiply the work: not a fault, but few should.
    uint32_t m_long{0};
    uint32_t m_good{0};
    uint32_t m_refused{0};

    /// \returns (first seed, count)
    static std::pair<uint32_t, uint32_t> GetPlan(uint32_t seed, uint32_t count)
    {
        if (const char* const plan = std::getenv("GPU_FABRIC_FUZZ"))
        {
            char* rest = nullptr;
            seed = static_cast<uint32_t>(std::strtoul(plan, &rest, 10));
            count =
                *rest == ',' ? static_cast<uint32_t>(std::strtoul(rest + 1, nullptr, 10)) : count;
        }
        return {seed, count};
    }

    ProgramResult RunLimited(const std::vector<std::string>& arguments) const
    {
        return Run(arguments, []() {
            const rlimit limits{LIMIT_S, LIMIT_S + 5};
            setrlimit(RLIMIT_CPU, &limits);
            const rlimit none{0, 0};
            setrlimit(RLIMIT_CORE, &none);
        });
    }

    void Try(const std::string& text, uint32_t seed)
    {
        const std::string file = Write("random.yaml", text);
        const ProgramResult result = RunLimited({file, "--out=out.sqlite", "--overwrite"});
        bool good = true;
        if (result.status == -SIGXCPU || result.status == -SIGKILL)
        {
            ++m_long;
        }
        else if (result.status == 2)
        {
            ++m_refused;
            // What is refused is refused by the check, with a message.
            good = !result.err.empty() && RunLimited({file, "--check"}).status == 2;
        }
        else
        {
            ++m_good;
            good = result.status == 0;
        }
        EXPECT_TRUE(good) << "seed " << seed << ": status " << result.status << "\n"
                          << result.err << text;
        const char* const folder = std::getenv("GPU_FABRIC_FUZZ_KEEP");
        if (folder != nullptr && (!good || result.status != 0))
        {
            std::ofstream(std::string(folder) + "/" + std::to_string(seed) + ".yaml") << text;
            std::ofstream(std::string(folder) + "/" + std::to_string(seed) + ".err")
                << result.status << "\n"
                << result.err;
        }
    }
};

} // namespace

TEST_F(RandomScenarioTest, RunToTheirEnds)
{
    const auto [first, count] = GetPlan(1, 100);
    for (uint32_t seed = first; seed < first + count; ++seed)
    {
        Try(RandomScenario(seed, 0).Write(), seed);
    }
    EXPECT_GT(m_good, count / 2) << m_refused << " refused, " << m_long << " long";
    EXPECT_LE(m_long, count / 20);
    RecordProperty("run", std::to_string(m_good));
    RecordProperty("refused", std::to_string(m_refused));
}

TEST_F(RandomScenarioTest, AnyAttributes)
{
    const auto [first, count] = GetPlan(1001, 100);
    for (uint32_t seed = first; seed < first + count; ++seed)
    {
        Try(RandomScenario(seed, 1 + seed % 6).Write(), seed);
    }
    RecordProperty("run", std::to_string(m_good));
    RecordProperty("refused", std::to_string(m_refused));
}

TEST_F(RandomScenarioTest, Mutations)
{
    const auto [first, count] = GetPlan(2001, 100);
    for (uint32_t seed = first; seed < first + count; ++seed)
    {
        RandomScenario random(seed, 0);
        Try(random.Mutate(random.Write()), seed);
    }
    RecordProperty("run", std::to_string(m_good));
    RecordProperty("refused", std::to_string(m_refused));
}
