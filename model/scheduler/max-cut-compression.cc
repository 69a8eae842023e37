/* SPDX-License-Identifier: GPL-2.0-only */
#include "contention-graph.h"
#include "decision-json.h"

#include "ns3/counter-random.h"
#include "ns3/level-compression.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MaxCutCompression");

namespace
{

/// Whether two ascending lists have a common element.
bool
Meet(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() && j != b.end())
    {
        if (*i == *j)
        {
            return true;
        }
        *i < *j ? ++i : ++j;
    }
    return false;
}

} // namespace

/**
 * Priority compression of Crux (SIGCOMM 2024, section 4.3, Algorithm 1): jobs that share a link are
 * joined by an edge from the one that goes first, weighted with its GPU intensity; among
 * random topological orders, the one with the best split into K runs is taken. The random numbers
 * are a stream of the run's seed, the same at each decision.
 */
class MaxCutCompression : public LevelCompression
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::MaxCutCompression")
                .SetParent<LevelCompression>()
                .SetGroupName("GpuFabric")
                .AddConstructor<MaxCutCompression>()
                .AddAttribute("Orders",
                              "Random topological orders tried (Crux, SIGCOMM 2024, section 4.3: "
                              "m = 10).",
                              UintegerValue(10),
                              MakeUintegerAccessor(&MaxCutCompression::m_orders),
                              MakeUintegerChecker<uint32_t>(1, 100000));
        return tid;
    }

    CompressedLevels Compress(const std::vector<CompressibleJob>& jobs,
                              uint32_t levels,
                              uint64_t seed) const override
    {
        NS_LOG_FUNCTION(this << jobs.size() << levels << seed);
        const auto n = static_cast<uint32_t>(jobs.size());
        ContentionGraph graph(n);
        std::vector<uint32_t> met(n, 0);
        for (uint32_t a = 0; a < n; a++)
        {
            for (uint32_t b = a + 1; b < n; b++)
            {
                // Of jobs with equal priorities the first goes first, too: two jobs that take turns
                // gain from any order.
                if (Meet(jobs[a].links, jobs[b].links))
                {
                    graph.AddEdge(a, b, jobs[a].weight);
                    met[a]++;
                    met[b]++;
                }
            }
        }
        const uint64_t stream = HashName("priority-compression");
        const auto [byNode, cut] = graph.Compress(levels, m_orders, [seed, stream](uint64_t count) {
            return CounterRandom(seed, stream, count);
        });
        CompressedLevels result;
        for (uint32_t a = 0; a < n; a++)
        {
            CompressedJob& job = result.jobs.emplace_back();
            job.level = byNode[a];
            DecisionJson behind;
            double lost = 0;
            for (const auto& [to, weight] : graph.GetSuccessors(a))
            {
                behind.Add("job " + std::to_string(jobs[to].job), byNode[to]);
                lost += byNode[to] == byNode[a] ? weight : 0;
            }
            job.inputs = DecisionJson()
                             .Add("level", job.level)
                             .Add("weight", jobs[a].weight)
                             .AddObject("levels_of_those_behind", behind)
                             .Add("lost", lost)
                             .Add("cut", cut)
                             .Add("cut_of_all_levels", graph.GetWeight())
                             .Add("orders", m_orders)
                             .Get();
            job.reason = met[a] == 0 ? "it meets no other job on a link"
                                     : "the greatest cut found of the contention graph";
        }
        return result;
    }

  private:
    uint32_t m_orders{10};
};

NS_OBJECT_ENSURE_REGISTERED(MaxCutCompression);

} // namespace ns3
