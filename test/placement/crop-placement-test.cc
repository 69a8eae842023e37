/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/placement/crop/crop-placement.h"
#include "../../model/placement/free-hosts.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/counter-random.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

/// Jobs that compute for 10 ms and then send around a ring of their hosts; some are running.
class RingJobs : public JobOracle
{
  public:
    RingJobs(const ClusterTopology& topology, const PathOracle& paths, uint64_t bytes)
        : m_topology(topology),
          m_paths(paths),
          m_bytes(bytes)
    {
    }

    JobView GetJobOn(uint32_t job, const std::vector<uint32_t>& gpus) const override
    {
        JobView view = MakeJob(job, 1, 10'000'000'000);
        AddRing(m_topology, view, gpus, m_bytes);
        for (FlowView& flow : view.flows)
        {
            flow.path = m_paths.GetPaths(flow.sourceNic, flow.destinationNic).at(0);
        }
        return view;
    }

    std::vector<JobView> GetPlacedJobs() const override
    {
        return m_placed;
    }

    std::vector<JobView> m_placed;

  private:
    const ClusterTopology& m_topology;
    const PathOracle& m_paths;
    uint64_t m_bytes;
};

/// Three leaves of two hosts with 8 GPUs; links of 10 Gb/s, 12.5 MB in 10 ms.
class CropPlacementTest : public testing::Test
{
  protected:
    PlacementView GetView() const
    {
        return {&m_topology, std::vector<uint8_t>(m_topology.GetGpuCount(), 1), &m_jobs};
    }

    std::set<uint32_t> GetHosts(const Placement& placement) const
    {
        std::set<uint32_t> hosts;
        for (const uint32_t gpu : placement.gpus)
        {
            hosts.insert(m_topology.GetGpuHost(gpu));
        }
        return hosts;
    }

    const ClusterTopology m_topology = MakeLeafSpine(3, 2, 8, 1, 10'000'000'000, 10'000'000'000);
    const FakePathOracle m_oracle{m_topology};
    RingJobs m_jobs{m_topology, m_oracle, 12'500'000};
    Ptr<CropPlacement> m_crop = CreateObject<CropPlacement>();
};

TEST_F(CropPlacementTest, ValueOfACandidate)
{
    const std::vector<Placement> ranked = m_crop->Rank(GetView(), {0, 16});
    // Two hosts under one leaf: 10 ms of compute and 10 ms of traffic: 16 / 2 GPUs compute. One
    // failure of two hosts and a leaf, 1 % each: 16 x 0.97. 8 + 0.1 x 15.52 = 9.552.
    EXPECT_NE(ranked.at(0).inputs.find("\"throughput\":8,"), std::string::npos) << ranked[0].inputs;
    EXPECT_NE(ranked[0].inputs.find("\"value\":9.552"), std::string::npos) << ranked[0].inputs;
    EXPECT_EQ(ranked[0].reason.rfind("CROP (a reconstruction): ", 0), 0U);
    EXPECT_EQ(GetHosts(ranked[0]).size(), 2U);
    // On one host nothing is sent: 8 + 0.1 x 8 x 0.98.
    EXPECT_NE(m_crop->Rank(GetView(), {0, 8}).at(0).inputs.find("\"value\":8.784"),
              std::string::npos);
}

TEST_F(CropPlacementTest, WhatRunsLeavesLess)
{
    // A job on host0 and host1 sends half of the time: 5 Gb/s are left of their links, so that two
    // hosts of another leaf are better, though these have free GPUs, too.
    std::vector<uint32_t> gpus{0, 8};
    m_jobs.m_placed.push_back(m_jobs.GetJobOn(7, gpus));
    PlacementView view = GetView();
    for (const uint32_t gpu : gpus)
    {
        view.gpuFree[gpu] = 0;
    }
    const std::vector<Placement> ranked = m_crop->Rank(view, {0, 14});
    EXPECT_EQ(GetHosts(ranked.at(0)), (std::set<uint32_t>{2, 3}));
    // 12.5 MB at 5 Gb/s: 20 ms, a third computes.
    for (const Placement& placement : ranked)
    {
        if (GetHosts(placement) == std::set<uint32_t>{0, 1})
        {
            EXPECT_NE(placement.inputs.find("\"communication_s\":0.02,"), std::string::npos);
        }
    }
}

// A rank's traffic meets that of a running job: its value is what is left of the link.
TEST_F(CropPlacementTest, TheValueFallsWithTheLoadOfTheLinks)
{
    const auto getValue = [this](const std::set<uint32_t>& hosts) {
        for (const Placement& placement : m_crop->Rank(GetView(), {0, 14}))
        {
            if (GetHosts(placement) == hosts)
            {
                const size_t begin = placement.inputs.find("\"value\":") + 8;
                return std::stod(placement.inputs.substr(begin));
            }
        }
        return 0.0;
    };
    const double idle = getValue({0, 1});
    ASSERT_GT(idle, 0);
    EXPECT_NEAR(getValue({2, 3}), idle, 1e-9);
    m_jobs.m_placed.push_back(m_jobs.GetJobOn(7, {0, 8}));
    EXPECT_NEAR(getValue({2, 3}), idle, 1e-9);
    // 10 ms of compute and 20 instead of 10 ms of traffic: a third of the GPUs instead of a half.
    EXPECT_NEAR(idle - getValue({0, 1}), 14 * (1.0 / 2 - 1.0 / 3), 0.01);
}

TEST_F(CropPlacementTest, JobsThatArriveTogetherGetAHostEach)
{
    for (const char* algorithm : {"enumerated-greedy", "lazy-greedy", "continuous-greedy"})
    {
        SCOPED_TRACE(algorithm);
        m_crop->SetAttribute("Algorithm", StringValue(algorithm));
        const std::vector<Placement> placements =
            m_crop->PlaceTogether(GetView(), {{0, 8}, {1, 8}, {2, 8}, {3, 8}, {4, 8}, {5, 8}});
        std::set<uint32_t> hosts;
        for (const Placement& placement : placements)
        {
            const std::set<uint32_t> own = GetHosts(placement);
            EXPECT_EQ(own.size(), 1U);
            hosts.insert(own.begin(), own.end());
        }
        EXPECT_EQ(hosts.size(), 6U);
    }
}

TEST_F(CropPlacementTest, AsMuchAsFitsOnFreeGpusOnly)
{
    uint32_t waiting = 0;
    for (uint32_t number = 0; number < 120; number++)
    {
        SCOPED_TRACE(number);
        auto random = [number, count = uint64_t{0}](uint32_t bound) mutable {
            return static_cast<uint32_t>(CounterRandom(4, number, count++) % bound);
        };
        m_crop->SetAttribute(
            "Algorithm",
            StringValue(number % 2 == 0 ? "enumerated-greedy" : "continuous-greedy"));
        PlacementView view = GetView();
        const uint32_t busy = random(7);
        for (uint8_t& free : view.gpuFree)
        {
            free = random(8) >= busy;
        }
        std::vector<PlacementRequest> requests;
        for (uint32_t job = 0; job < 1 + random(5); job++)
        {
            requests.push_back({job, 1 + random(16)});
            if (random(3) == 0)
            {
                requests.back() = {job, 4, 2, {}, {random(4), 4 + random(4)}};
            }
        }
        const std::vector<Placement> placements = m_crop->PlaceTogether(view, requests);
        ASSERT_EQ(placements.size(), requests.size());
        PlacementView left = view;
        for (size_t i = 0; i < requests.size(); i++)
        {
            const std::vector<uint8_t> usable = FreeHosts::GetUsable(view, requests[i]);
            ASSERT_TRUE(placements[i].gpus.empty() ||
                        placements[i].gpus.size() == requests[i].gpus);
            for (const uint32_t gpu : placements[i].gpus)
            {
                ASSERT_TRUE(usable[gpu]);
                ASSERT_TRUE(left.gpuFree[gpu]); // by no other job
                left.gpuFree[gpu] = 0;
            }
        }
        for (size_t i = 0; i < requests.size(); i++)
        {
            if (placements[i].gpus.empty())
            {
                waiting++;
                ASSERT_TRUE(m_crop->Rank(left, requests[i]).empty());
            }
        }
        const std::vector<Placement> again = m_crop->PlaceTogether(view, requests);
        for (size_t i = 0; i < requests.size(); i++)
        {
            ASSERT_EQ(again[i].gpus, placements[i].gpus);
        }
    }
    EXPECT_GT(waiting, 20U);
}

} // namespace
} // namespace ns3
