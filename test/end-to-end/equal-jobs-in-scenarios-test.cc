/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/base/type-family.h"
#include "../fixture/scenario-run-fixture.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Two and three equal jobs on the same link. What an iteration takes must not depend on the digits
/// of the compute time; .ci/equal-jobs has the table over 400 of them.
class EqualJobsInScenariosTest : public ScenarioRunFixture
{
  protected:
    /// Runs n equal jobs that start together. \returns the mean iterations of each, start to start,
    /// in ps, the shortest first
    std::vector<double> RunEqual(uint32_t n, int64_t computePs, const std::string& scheduler)
    {
        std::string scenario = "topology: {type: Star, Hosts: 2, GpusPerHost: 4, NicRate: 10Gb/s}\n"
                               "scheduler: " +
                               scheduler + "\njobs:\n";
        for (uint32_t job = 0; job < n; job++)
        {
            scenario += "  - name: job" + std::to_string(job) +
                        "\n    gpus: 2\n    gpus-per-host: 1\n    hosts: [host0, host1]\n"
                        "    iterations: 8\n    flop: 1e9\n    iteration: [{compute: " +
                        std::to_string(computePs) + "ps}, {all-reduce: {bytes: 1MB}}]\n";
        }
        Run(scenario);
        std::vector<double> means =
            Column("SELECT (MAX(start_ps) - MIN(start_ps)) / (COUNT(*) - 1.0) FROM iteration "
                   "WHERE iteration >= 2 GROUP BY job");
        std::sort(means.begin(), means.end());
        return means;
    }
};

TEST_F(EqualJobsInScenariosTest, TheComputeTimeDecidesNoPolicy)
{
    const std::set<std::string>
        strict{"Crux", "CruxPa", "CruxPsPa", "GpuIntensity", "Las2D", "Sincronia", "Srsf", "Varys"};
    const int64_t times[] = {900'000'007, 933'333'333, 1'000'000'000};
    std::vector<double> alone;
    for (const int64_t computePs : times)
    {
        alone.push_back(RunEqual(1, computePs, "None").front());
    }
    std::vector<std::string> schedulers =
        ListTypeFamily("ns3::CommunicationScheduler", "ns3::", "Scheduler");
    ASSERT_TRUE(std::includes(schedulers.begin(), schedulers.end(), strict.begin(), strict.end()));
    for (const std::string& scheduler : schedulers)
    {
        for (const uint32_t n : {2U, 3U})
        {
            SCOPED_TRACE(scheduler + " " + std::to_string(n));
            std::vector<double> best;
            for (size_t i = 0; i < alone.size(); i++)
            {
                best.push_back(RunEqual(n, times[i], scheduler).front() / alone[i]);
            }
            const auto [least, most] = std::minmax_element(best.begin(), best.end());
            // Sharing or a place of one's own differ by half.
            EXPECT_LT(*most - *least, 0.1);
            if (strict.count(scheduler) > 0)
            {
                EXPECT_LT(*most, 1.02);
            }
        }
    }
}

} // namespace
