/* SPDX-License-Identifier: GPL-2.0-only */

// Placements that are equally good: rounding does not choose one of them.

#include "../../model/placement/crop/crop-problem.h"
#include "../../model/placement/placement-candidates.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/double.h"
#include "ns3/string.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

/// Jobs that compute for k steps and then send bytes in proportion around a ring of their hosts:
/// the same jobs in another unit of time. Two of them run.
class ScaledJobs : public JobOracle
{
  public:
    ScaledJobs(const ClusterTopology& topology,
               const PathOracle& paths,
               uint64_t k,
               uint64_t bytes = 21'000)
        : m_topology(topology),
          m_paths(paths),
          m_k(k),
          m_bytes(bytes)
    {
    }

    JobView GetJobOn(uint32_t job, const std::vector<uint32_t>& gpus) const override
    {
        // 21,000 bytes at 8 Gbit/s: 21 us.
        JobView view = MakeJob(job, 1, static_cast<int64_t>(m_k) * 30'000'000);
        AddRing(m_topology, view, gpus, m_k * (job == 7 ? 12'000 : m_bytes));
        for (FlowView& flow : view.flows)
        {
            flow.path = m_paths.GetPaths(flow.sourceNic, flow.destinationNic).at(0);
        }
        return view;
    }

    std::vector<JobView> GetPlacedJobs() const override
    {
        return {GetJobOn(7, {0, 16, 32}), GetJobOn(8, {1, 17, 33, 49})};
    }

  private:
    const ClusterTopology& m_topology;
    const PathOracle& m_paths;
    uint64_t m_k;
    uint64_t m_bytes; ///< of a flow and step
};

/// Four leaves of two hosts with 8 GPUs and one spine.
class EqualPlacementsTest : public testing::Test
{
  protected:
    std::vector<Placement> Rank(const PlacementPolicy& placement, const JobOracle& jobs) const
    {
        PlacementView view{&m_topology, std::vector<uint8_t>(m_topology.GetGpuCount(), 1), &jobs};
        for (const uint32_t gpu : {0, 16, 32, 1, 17, 33, 49})
        {
            view.gpuFree[gpu] = 0;
        }
        return placement.Rank(view, {1, 12, 4});
    }

    const ClusterTopology m_topology = MakeLeafSpine(4, 2, 8, 1, 8'000'000'000, 7'000'000'000);
    const FakePathOracle m_oracle{m_topology};
};

TEST_F(EqualPlacementsTest, TheOrderDoesNotDependOnTheUnitOfTime)
{
    for (const char* name : {"Cassini", "Crop", "Tiresias"})
    {
        const Ptr<PlacementPolicy> placement = PlacementCandidates::Make(name);
        const auto rank = [&](uint64_t k) {
            std::vector<std::vector<uint32_t>> ranked;
            for (const Placement& candidate : Rank(*placement, ScaledJobs(m_topology, m_oracle, k)))
            {
                ranked.push_back(candidate.gpus);
            }
            return ranked;
        };
        const auto first = rank(1000);
        EXPECT_GT(first.size(), 0U);
        // CASSINI solves the circles of every candidate.
        for (uint64_t k = 1; k < (std::string(name) == "Cassini" ? 20 : 400); k++)
        {
            ASSERT_EQ(rank(1000 + k * k * 17 + k), first) << name << " " << k;
        }
    }
}

// Links that share the same jobs have the same score, however many of them a candidate has: of
// equal candidates the base's order decides.
TEST_F(EqualPlacementsTest, CassiniKeepsTheOrderOfEqualCandidates)
{
    const Ptr<PlacementPolicy> placement = PlacementCandidates::Make("Cassini");
    const auto read = [](const Placement& candidate, const std::string& name) {
        const std::string key = "\"" + name + "\":";
        return std::strtod(candidate.inputs.c_str() + candidate.inputs.find(key) + key.size(),
                           nullptr);
    };
    uint32_t equal = 0;
    for (uint64_t bytes = 20'000; bytes < 40'000; bytes += 503)
    {
        const ScaledJobs jobs(m_topology, m_oracle, 1000, bytes);
        const std::vector<Placement> ranked = Rank(*placement, jobs);
        for (size_t i = 1; i < ranked.size(); i++)
        {
            if (read(ranked[i - 1], "loop") == read(ranked[i], "loop") &&
                std::abs(read(ranked[i - 1], "score") - read(ranked[i], "score")) < 1e-9)
            {
                equal++;
                ASSERT_LT(read(ranked[i - 1], "candidate"), read(ranked[i], "candidate")) << bytes;
            }
        }
    }
    EXPECT_GT(equal, 40U);
}

// 21,000 k bytes at 8 Gbit/s are 0.7 of 30 us k, and no more than the threshold says.
TEST_F(EqualPlacementsTest, AsMuchTrafficAsTheThresholdIsLittle)
{
    const Ptr<PlacementPolicy> placement = PlacementCandidates::Make("Tiresias");
    placement->SetAttribute("Skew", StringValue("traffic"));
    placement->SetAttribute("Threshold", DoubleValue(0.7));
    const auto rank = [&](uint64_t k) {
        const ScaledJobs jobs(m_topology, m_oracle, k);
        PlacementView view{&m_topology, std::vector<uint8_t>(m_topology.GetGpuCount(), 1), &jobs};
        return placement->Rank(view, {1, 12}).at(0).reason;
    };
    for (uint64_t k = 1; k < 400; k++)
    {
        ASSERT_EQ(rank(1000 + k * k * 17 + k).rfind("little traffic", 0), 0U) << k;
    }
    placement->SetAttribute("Threshold", DoubleValue(0.6999));
    EXPECT_EQ(rank(1000).rfind("much traffic", 0), 0U);
}

/// Three jobs of which each may have one of three GPUs, in one of two domains; all are worth v, but
/// for rounding.
CropProblem
MakeEqual(double v, bool rounding)
{
    std::vector<CropProblem::Candidate> candidates;
    for (uint32_t job = 0; job < 3; job++)
    {
        for (uint32_t gpu = 0; gpu < 3; gpu++)
        {
            candidates.push_back({job, v, {gpu}, {gpu % 2}});
            v = rounding ? std::nextafter(v, 2 * v) : v;
        }
    }
    return {candidates, 0.01 * v};
}

TEST(EqualCandidatesTest, TheFirstIsTaken)
{
    for (uint32_t k = 0; k < 400; k++)
    {
        const double v = 0.1 + k * k * 0.0123;
        const CropProblem even = MakeEqual(v, false);
        const CropProblem odd = MakeEqual(v, true);
        ASSERT_EQ(odd.GetLazyGreedy(), MakeEqual(1, false).GetLazyGreedy()) << v;
        ASSERT_EQ(even.GetLazyGreedy(), odd.GetLazyGreedy()) << v;
        ASSERT_EQ(odd.GetEnumeratedGreedy(64), MakeEqual(1, false).GetEnumeratedGreedy(64)) << v;
        ASSERT_EQ(even.GetEnumeratedGreedy(64), odd.GetEnumeratedGreedy(64)) << v;
        if (k < 40)
        {
            ASSERT_EQ(odd.GetContinuousGreedy(10), MakeEqual(1, false).GetContinuousGreedy(10))
                << v;
        }
    }
}

} // namespace
} // namespace ns3
