/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/import/import-graph.h"
#include "../../model/workload/program/imported-program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

using Kind = ImportOperation::Kind;

class ImportGraphTest : public testing::Test
{
  protected:
    static ImportOperation Compute(int64_t durationPs, std::vector<uint32_t> dependencies = {})
    {
        ImportOperation operation;
        operation.label = "compute";
        operation.durationPs = durationPs;
        operation.dependencies = std::move(dependencies);
        return operation;
    }

    static ImportOperation Message(Kind kind,
                                   uint32_t peer,
                                   uint64_t tag,
                                   std::vector<uint32_t> dependencies = {},
                                   uint64_t bytes = 10)
    {
        ImportOperation operation = Compute(0, std::move(dependencies));
        operation.label = kind == Kind::SEND ? "send" : "receive";
        operation.kind = kind;
        operation.peer = peer;
        operation.tag = tag;
        operation.bytes = bytes;
        return operation;
    }

    std::optional<ImportedWorkload> Build(ImportGraph& graph)
    {
        return graph.Build();
    }

    ImportGraph Make(uint32_t ranks)
    {
        return {ranks, [this](uint32_t rank, uint32_t operation, const std::string& what) {
                    errors.push_back(std::to_string(rank) + "." + std::to_string(operation) + " " +
                                     what);
                }};
    }

    /// The faults of the program that a workload makes.
    static std::string GetFault(const ImportedWorkload& workload)
    {
        JobSpec job;
        job.gpus = workload.ranks;
        job.workload = std::make_shared<const ImportedWorkload>(workload);
        std::string error;
        ImportedProgram::Build(job, error);
        return error;
    }

    std::vector<std::string> errors;
};

TEST_F(ImportGraphTest, ComputationsAreOrderedByWhenTheyCanRun)
{
    // Listed the other way round: the third waits for nothing, the first for the second.
    ImportGraph graph = Make(1);
    graph.ranks[0] = {Compute(5, {1}), Compute(7), Compute(3)};
    const auto workload = Build(graph);
    ASSERT_TRUE(workload);
    const std::vector<ImportedStep>& steps = workload->programs[0];
    ASSERT_EQ(steps.size(), 4U);
    EXPECT_EQ(steps[0].label, "start");
    EXPECT_EQ(steps[1].durationPs, 7);
    EXPECT_EQ(steps[2].durationPs, 3);
    EXPECT_EQ(steps[3].durationPs, 5);
    EXPECT_EQ(steps[3].dependencies, (std::vector<std::pair<uint32_t, bool>>{{1, false}}));
    // The next iteration begins after the steps that nothing waits for.
    EXPECT_EQ(steps[0].dependencies,
              (std::vector<std::pair<uint32_t, bool>>{{2, true}, {3, true}}));
    EXPECT_EQ(GetFault(*workload), "");
}

TEST_F(ImportGraphTest, MessagesMeetByTagInTheirOrder)
{
    ImportGraph graph = Make(2);
    graph.ranks[0] = {Message(Kind::SEND, 1, 1), Message(Kind::SEND, 1, 2)};
    graph.ranks[1] = {Message(Kind::RECEIVE, 0, 2), Message(Kind::RECEIVE, 0, 1)};
    const auto workload = Build(graph);
    ASSERT_TRUE(workload);
    // Of each tag a group of its own, so that neither waits for the other.
    EXPECT_EQ(workload->groups, (std::vector<std::vector<uint32_t>>{{0, 1}, {0, 1}}));
    for (uint32_t rank = 0; rank < 2; rank++)
    {
        for (uint32_t step = 1; step < 3; step++)
        {
            EXPECT_EQ(workload->programs[rank][step].kind, ProgramStepKind::SEND);
            EXPECT_EQ(workload->programs[rank][step].root, 0U); // the sender
        }
    }
    EXPECT_EQ(GetFault(*workload), "");
}

TEST_F(ImportGraphTest, ExchangesNeedNoOrderOfSendAndReceive)
{
    ImportGraph graph = Make(2);
    graph.ranks[0] = {Message(Kind::SEND, 1, 0), Message(Kind::RECEIVE, 1, 0), Compute(1, {0, 1})};
    graph.ranks[1] = {Message(Kind::RECEIVE, 0, 0), Message(Kind::SEND, 0, 0), Compute(1, {0, 1})};
    const auto workload = Build(graph);
    ASSERT_TRUE(workload);
    EXPECT_EQ(GetFault(*workload), "");
    // Each after the other on both sides: no order.
    graph.ranks[0][1].dependencies = {0};
    graph.ranks[1][0].dependencies = {1};
    EXPECT_FALSE(Build(graph));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].substr(0, 20), "1.1 waits for itself"); // one of the circle
}

TEST_F(ImportGraphTest, EagerSendersDoNotWait)
{
    // Each sends, computes, then receives, all one after the other.
    ImportGraph graph = Make(2);
    for (uint32_t rank = 0; rank < 2; rank++)
    {
        graph.ranks[rank] = {Compute(9),
                             Message(Kind::SEND, 1 - rank, 0, {0}),
                             Compute(1, {1}),
                             Message(Kind::RECEIVE, 1 - rank, 0, {2})};
    }
    EXPECT_FALSE(Build(graph)); // rendezvous
    graph.eagerBytes = 9;
    EXPECT_FALSE(Build(graph)); // the messages have 10 bytes
    graph.eagerBytes = 10;
    const auto workload = Build(graph);
    ASSERT_TRUE(workload) << errors.back();
    EXPECT_EQ(GetFault(*workload), "");
    EXPECT_EQ(workload->depths, (std::vector<uint32_t>{UINT32_MAX, UINT32_MAX}));
    const std::vector<ImportedStep>& steps = workload->programs[0];
    for (const ImportedStep& step : steps)
    {
        if (step.durationPs == 1)
        {
            // What follows the send waits for what the send waits for.
            ASSERT_EQ(step.dependencies.size(), 1U);
            EXPECT_EQ(steps[step.dependencies[0].first].durationPs, 9);
        }
    }
    // An iteration ends with its messages: both sends and the receptions.
    EXPECT_EQ(steps[0].dependencies.size(), 2U);
}

TEST_F(ImportGraphTest, EagerMessagesOfATagStayInOrder)
{
    // The first is received late; sizes tell which is which.
    std::mt19937 random(11);
    for (int round = 0; round < 100; round++)
    {
        ImportGraph graph = Make(2);
        graph.eagerBytes = 500; // some are rendezvous
        std::vector<uint64_t> sizes;
        for (uint32_t i = 0; i < 8; i++)
        {
            sizes.push_back(1 + random() % 1000);
            for (uint32_t rank = 0; rank < 2; rank++)
            {
                std::vector<ImportOperation>& own = graph.ranks[rank];
                own.push_back(Compute(random() % 100));
                own.push_back(Message(rank == 0 ? Kind::SEND : Kind::RECEIVE,
                                      1 - rank,
                                      0,
                                      {static_cast<uint32_t>(own.size() - 1)},
                                      sizes.back()));
            }
        }
        const auto workload = Build(graph);
        ASSERT_TRUE(workload) << errors.back();
        EXPECT_EQ(GetFault(*workload), "");
        const bool eager =
            std::any_of(sizes.begin(), sizes.end(), [](uint64_t size) { return size <= 500; });
        if (!eager)
        {
            continue;
        }
        for (uint32_t rank = 0; rank < 2; rank++)
        {
            std::vector<uint64_t> order;
            for (const ImportedStep& step : workload->programs[rank])
            {
                if (step.kind == ProgramStepKind::SEND)
                {
                    order.push_back(step.bytes);
                }
            }
            EXPECT_EQ(order, sizes);
        }
    }
}

TEST_F(ImportGraphTest, CollectivesMeetByTheirPlaceInTheGroup)
{
    ImportGraph graph = Make(3);
    graph.groups = {{0, 2}, {0, 1, 2}};
    ImportOperation reduce = Compute(0);
    reduce.kind = Kind::COLLECTIVE;
    reduce.collective = ProgramStepKind::ALL_REDUCE;
    reduce.bytes = 100;
    ImportOperation all = reduce;
    all.group = 1;
    all.collective = ProgramStepKind::BROADCAST;
    graph.ranks[0] = {reduce, all, reduce};
    graph.ranks[1] = {all};
    graph.ranks[2] = {all, reduce, reduce};
    const auto workload = Build(graph);
    ASSERT_TRUE(workload);
    EXPECT_EQ(workload->groups.size(), 2U);
    EXPECT_EQ(GetFault(*workload), "");
    graph.ranks[2][2].bytes = 200;
    EXPECT_FALSE(Build(graph));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0], "2.2 all-reduce of 200 bytes meets all-reduce of 100 bytes of rank 0");
    graph.ranks[2].pop_back();
    EXPECT_FALSE(Build(graph));
    EXPECT_EQ(errors.back(), "0.2 rank 0 takes part in 2 collectives of the group, rank 2 in 1");
    graph.ranks[1].push_back(reduce);
    EXPECT_FALSE(Build(graph));
    EXPECT_EQ(errors.back(), "1.1 rank 1 is not of the group");
}

TEST_F(ImportGraphTest, RandomGraphsWithAnOrderMakeProgramsThatRun)
{
    // Operations are drawn in an order that they can run in, then listed in another.
    std::mt19937 random(5);
    for (int round = 0; round < 200; round++)
    {
        const uint32_t count = 2 + random() % 4;
        ImportGraph graph = Make(count);
        graph.eagerBytes = round % 2 == 0 ? 0 : 10; // all or none
        for (int i = 0; i < 30; i++)
        {
            const uint32_t rank = random() % count;
            const auto depend = [&](uint32_t of) {
                std::vector<uint32_t> dependencies;
                for (uint32_t on = 0; on < graph.ranks[of].size(); on++)
                {
                    if (random() % 4 == 0)
                    {
                        dependencies.push_back(on);
                    }
                }
                return dependencies;
            };
            if (random() % 2 == 0)
            {
                graph.ranks[rank].push_back(Compute(random() % 100, depend(rank)));
                continue;
            }
            const uint32_t peer = (rank + 1 + random() % (count - 1)) % count;
            const uint64_t tag = 100 + i; // one message each, so that any order of listing is right
            graph.ranks[rank].push_back(Message(Kind::SEND, peer, tag, depend(rank)));
            graph.ranks[peer].push_back(Message(Kind::RECEIVE, rank, tag, depend(peer)));
        }
        for (std::vector<ImportOperation>& operations : graph.ranks)
        {
            std::vector<uint32_t> place(operations.size());
            for (uint32_t i = 0; i < place.size(); i++)
            {
                place[i] = i;
            }
            std::shuffle(place.begin(), place.end(), random);
            std::vector<ImportOperation> moved(operations.size());
            for (uint32_t i = 0; i < place.size(); i++)
            {
                moved[place[i]] = operations[i];
                for (uint32_t& on : moved[place[i]].dependencies)
                {
                    on = place[on];
                }
            }
            operations = std::move(moved);
        }
        const auto workload = Build(graph);
        ASSERT_TRUE(workload) << "round " << round << ": " << errors.back();
        EXPECT_EQ(GetFault(*workload), "") << "round " << round;
    }
}

} // namespace
} // namespace ns3
