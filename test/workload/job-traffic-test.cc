/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/application/job-traffic.h"
#include "../fixture/scenario-fixture.h"

#include "ns3/cluster-topology.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

/// Two hosts of 4 GPUs and 2 NICs on a switch.
ClusterTopology
MakeTopology()
{
    ClusterTopology topology;
    const uint32_t leaf = topology.AddSwitch("leaf0");
    for (const char* name : {"host0", "host1"})
    {
        const uint32_t host = topology.AddHost(name, 4);
        topology.AddLink(host, leaf, 100'000'000'000, 1'000'000);
        topology.AddLink(host, leaf, 50'000'000'000, 1'000'000);
    }
    return topology;
}

/// One collective on all ranks.
IterationProgram
MakeProgram(uint32_t ranks, const std::string& algorithm, CollectiveOperation operation)
{
    IterationProgram program;
    program.ranks = ranks;
    CommunicatorSpec spec;
    spec.ranks.resize(ranks);
    std::iota(spec.ranks.begin(), spec.ranks.end(), 0);
    spec.algorithm = algorithm;
    program.communicators.push_back(spec);
    ProgramStep step;
    step.compute = false;
    step.operation = operation;
    step.bytes = 8000;
    program.programs.push_back({{step}});
    program.rankProgram.assign(ranks, 0);
    return program;
}

} // namespace

TEST(JobTrafficTest, NoOtherAlgorithmStandsInWhereAPlacementDoesNotSuit)
{
    const ClusterTopology topology = MakeTopology();
    const IterationProgram program =
        MakeProgram(4, "Hierarchical", CollectiveOperation::ALL_REDUCE);
    const auto build = [&](const std::vector<uint32_t>& gpus) {
        std::vector<std::string> faults;
        const JobTraffic traffic = JobTraffic::Build(program, gpus, topology, faults);
        EXPECT_TRUE(faults.empty());
        return traffic;
    };
    EXPECT_EQ(JobTraffic::GetFault(program, {0, 1, 4, 5}, topology), "");
    const JobTraffic even = build({0, 1, 4, 5});
    EXPECT_EQ(even.impossible, "");
    EXPECT_EQ(even.communicators[0]
                  .plans.Find({CollectiveOperation::ALL_REDUCE, 8000, 0, {}})
                  ->GetSchedule()
                  .algorithm,
              "Hierarchical");
    EXPECT_EQ(JobTraffic::GetFault(program, {0, 1, 2, 4}, topology),
              "Hierarchical needs as many GPUs on every host, not 3 on the first and 1 on host 2 "
              "of 2; for this all-reduce there are: Auto Direct HalvingDoubling Nccl Ring Tree");
    // The job fails with that when it starts.
    EXPECT_EQ(build({0, 1, 2, 4}).impossible,
              JobTraffic::GetFault(program, {0, 1, 2, 4}, topology));
}

TEST(JobTrafficTest, FaultsOfAlgorithmsAreSaid)
{
    const ClusterTopology topology = MakeTopology();
    IterationProgram program = MakeProgram(2, "Ring", CollectiveOperation::ALL_TO_ALL);
    std::vector<std::string> faults;
    JobTraffic::Build(program, {0, 4}, topology, faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(
        faults[0],
        "Ring cannot do all-to-all; for this all-to-all there are: Auto Direct Nccl Pairwise");
    program.communicators[0].algorithm = "Bush";
    EXPECT_EQ(JobTraffic::GetFault(program, {0, 4}, topology),
              "no collective algorithm is called Bush");
    program.communicators[0].algorithm = "Direct";
    EXPECT_EQ(JobTraffic::GetFault(program, {0, 4}, topology), "");
    program.communicators[0].algorithmAttributes = {{"Pieces", "4"}};
    EXPECT_EQ(JobTraffic::GetFault(program, {0, 4}, topology),
              "the collective algorithm Direct takes no Pieces of 4");
}

TEST(JobTrafficTest, WhatTakesLongIsMadeOnce)
{
    const ScenarioFolder folder;
    const ClusterTopology topology = MakeTopology();
    IterationProgram program = MakeProgram(8, "Taccl", CollectiveOperation::ALL_GATHER);
    program.communicators[0].algorithmAttributes = {
        {"Topology",
         folder.Write("t.json",
                      "{gpus_per_node: 4, nics_per_node: 2, remote_alpha: 1, remote_beta: 10, "
                      "node_betas_list: [1], node_invbws_list: [1]}")},
        {"Sketch",
         folder.Write("s.json",
                      "{nnodes: 2, intranode_sketch: {strategy: none}, internode_sketch: "
                      "{strategy: relay, internode_conn: {1: [0], 3: [2]}}, hyperparameters: "
                      "{input_chunkup: 1}}")},
        {"Solver", "none"}};
    CollectivePlanCache kept;
    const auto build = [&](const std::vector<uint32_t>& gpus, CollectivePlanCache* cache) {
        std::vector<std::string> faults;
        JobTraffic traffic = JobTraffic::Build(program, gpus, topology, faults, cache);
        EXPECT_TRUE(faults.empty());
        return traffic;
    };
    const auto getPlan = [](const JobTraffic& traffic) {
        return traffic.communicators[0].plans.Find({CollectiveOperation::ALL_GATHER, 8000, 0, {}});
    };
    const std::vector<uint32_t> gpus{0, 1, 2, 3, 4, 5, 6, 7};
    const JobTraffic first = build(gpus, &kept);
    const JobTraffic second = build(gpus, &kept);
    EXPECT_EQ(getPlan(first), getPlan(second));
    EXPECT_NE(getPlan(first), getPlan(build(gpus, nullptr)));
    for (const JobTraffic* traffic : {&first, &second})
    {
        ASSERT_EQ(traffic->fallbacks.size(), 1u);
        EXPECT_EQ(traffic->fallbacks[0].algorithm, "ns3::TacclCollective");
        EXPECT_EQ(traffic->fallbacks[0].reason,
                  "a greedy all-gather of Taccl: no MILP solver is to be used");
        // Senders 1 and 3 are on NICs 0 and 1, and so are their channels.
        ASSERT_EQ(traffic->flows.size(), 4u);
        for (const JobFlow& flow : traffic->flows)
        {
            EXPECT_EQ(flow.channel, flow.sourceRank % 4 / 2);
            EXPECT_EQ(flow.destinationRank % 4, flow.sourceRank % 4 - 1);
        }
    }
    // Where it cannot run, that is said each time.
    program = MakeProgram(4, "Taccl", CollectiveOperation::ALL_GATHER);
    program.communicators[0].algorithmAttributes = {{"Topology", folder.GetPath("t.json")},
                                                    {"Sketch", folder.GetPath("s.json")}};
    for (int time = 0; time < 2; time++)
    {
        EXPECT_NE(build({0, 1, 2, 3}, &kept).impossible.find("is for 2 hosts of 4 GPUs"),
                  std::string::npos);
    }
}

TEST(JobTrafficTest, RailsAreChannelsAndRatesAreKnown)
{
    // GPUs 0 and 1 on NIC 0, GPUs 2 and 3 on NIC 1: the ring over the hosts of each local GPU uses
    // its NIC, though one channel is asked for.
    const ClusterTopology topology = MakeTopology();
    IterationProgram program = MakeProgram(8, "Hierarchical", CollectiveOperation::ALL_REDUCE);
    program.communicators[0].channels = 1;
    std::vector<std::string> faults;
    const JobTraffic traffic =
        JobTraffic::Build(program, {0, 1, 2, 3, 4, 5, 6, 7}, topology, faults);
    EXPECT_TRUE(faults.empty());
    EXPECT_EQ(traffic.communicators[0].channels, 2u);
    EXPECT_EQ(traffic.communicators[0].layout.nicRateBps, 50'000'000'000u);
    ASSERT_EQ(traffic.flows.size(), 8u);
    for (const JobFlow& flow : traffic.flows)
    {
        EXPECT_EQ(flow.channel, flow.sourceRank % 4 / 2);
        // 2 (h-1)/h S/g = 8000 / 4
        EXPECT_EQ(flow.payloadBytes, 2000u);
    }
}
