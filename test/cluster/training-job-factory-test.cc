/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/cluster-manager.h"
#include "../../model/cluster/training-job-factory.h"
#include "../../model/placement/consolidate-placement.h"
#include "../../model/scheduler/crux/gpu-intensity-scheduler.h"
#include "../../model/workload/application/job-environment.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/config.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace ns3
{
namespace
{

constexpr int64_t US = 1'000'000; // [ps]

/// Queue pairs that take 1 ns per byte, one message after the other, without contention.
class FakeNetwork : public RdmaVerbs
{
  public:
    uint32_t CreateQueuePair(int64_t now, const QueuePairConfig& config) override
    {
        m_clients.push_back(config.client);
        m_freePs.push_back(0);
        Write(now,
              "job " + std::to_string(config.job) + " opens",
              config.udpSourcePort,
              config.priority);
        return static_cast<uint32_t>(m_clients.size() - 1);
    }

    void DestroyQueuePair(int64_t now, uint32_t queuePair) override
    {
        m_log.push_back(std::to_string(now / US) + "us closes " + std::to_string(queuePair));
    }

    void Abort(uint32_t /* queuePair */) override
    {
    }

    void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) override
    {
        int64_t& freePs = m_freePs[queuePair];
        freePs = std::max(freePs, now) + static_cast<int64_t>(bytes) * 1000;
        Simulator::Schedule(PicoSeconds(freePs - now), [this, queuePair, tag, endPs = freePs] {
            m_clients[queuePair]->MessageDelivered(endPs, queuePair, tag);
            m_clients[queuePair]->MessageCompleted(endPs, queuePair, tag);
        });
    }

    void Apply(int64_t now,
               uint32_t queuePair,
               uint16_t udpSourcePort,
               uint8_t priority,
               uint32_t decision) override
    {
        Write(now,
              "decision " + std::to_string(decision) + " for " + std::to_string(queuePair),
              udpSourcePort,
              priority);
    }

    std::vector<std::string> m_log;

  private:
    void Write(int64_t now, const std::string& what, uint16_t udpSourcePort, uint8_t priority)
    {
        EXPECT_GE(udpSourcePort, 49152);
        m_log.push_back(std::to_string(now / US) + "us " + what + ", priority " +
                        std::to_string(priority));
    }

    std::vector<RdmaClient*> m_clients;
    std::vector<int64_t> m_freePs;
};

/// 100 us of compute, then an all-reduce of 80 KB, over two ranks.
IterationProgram
MakeProgram(double flop)
{
    IterationProgram program;
    program.ranks = 2;
    program.communicators = {{{0, 1}, 0, "Ring", {}}};
    program.flopPerIteration = flop;
    ProgramStep compute;
    compute.durationPs = 100 * US;
    compute.dependencies = {{1, true}};
    ProgramStep reduce;
    reduce.compute = false;
    reduce.bytes = 80'000;
    reduce.dependencies = {{0, false}};
    program.programs = {{{compute, reduce}}};
    program.rankProgram = {0, 0};
    return program;
}

/// What comes by Config paths.
struct Paths
{
    void Event(std::string path, const JobEventRecord& record)
    {
        lines.push_back(path + " " + record.kind);
    }

    void Iteration(std::string path, const IterationRecord& record)
    {
        lines.push_back(path + " " + std::to_string(record.iteration));
    }

    void CollectiveStart(const CollectiveRecord& record)
    {
        starts.push_back(record);
    }

    void Collective(const CollectiveRecord& record)
    {
        ends.push_back(record);
    }

    std::vector<std::string>& lines;
    std::vector<CollectiveRecord>& starts;
    std::vector<CollectiveRecord>& ends;
};

class TrainingJobFactoryTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_environment = std::make_unique<JobEnvironment>(m_topology, m_network, 1);
        m_manager = CreateObject<ClusterManager>();
        m_manager->SetCluster(m_topology, m_oracle);
        m_manager->GetControl().SetScheduler(CreateObject<GpuIntensityScheduler>());
        m_manager->SetPlacement(CreateObject<ConsolidatePlacement>());
        m_manager->TraceConnectWithoutContext("JobEvent",
                                              MakeCallback(&TrainingJobFactoryTest::Event, this));
        m_manager->TraceConnectWithoutContext(
            "Decision",
            MakeCallback(&TrainingJobFactoryTest::Decision, this));
    }

    void TearDown() override
    {
        m_manager->Dispose();
        m_environment.reset();
        Simulator::Destroy();
    }

    /// Makes jobs with a given program.
    const TrainingJobFactory& MakeFactory(const IterationProgram& program)
    {
        TrainingJobFactory::Setup setup;
        setup.environment = m_environment.get();
        setup.getProgram = [program](const JobSpec& /* spec */) {
            return std::make_shared<const IterationProgram>(program);
        };
        setup.dataWireBytes = [](uint64_t bytes) { return bytes + 1000; };
        setup.ackWireBytes = [](uint64_t /* bytes */) { return uint64_t{64}; };
        return m_factories.emplace_back(setup);
    }

    void Add(const std::string& name,
             double flop,
             int64_t arrivalPs,
             uint64_t iterations,
             const std::string& until = "")
    {
        JobSpec& spec = m_specs.emplace_back();
        spec.name = name;
        spec.gpus = 2;
        spec.arrival = {PicoSeconds(arrivalPs), PicoSeconds(arrivalPs)};
        spec.iterations = iterations;
        spec.until = until;
        m_manager->AddJob(spec, MakeFactory(MakeProgram(flop)));
        m_names.push_back(name);
    }

    void Event(const JobEventRecord& record)
    {
        m_events.push_back(std::to_string(record.timePs / US) + "us " + m_names[record.job] + " " +
                           record.kind);
    }

    void Decision(const DecisionRecord& record)
    {
        m_decisions.push_back(record);
    }

    // Four hosts of one GPU, two under each leaf.
    const ClusterTopology m_topology = MakeLeafSpine(2, 2, 1, 2, 100'000'000'000, 100'000'000'000);
    const FakePathOracle m_oracle{m_topology};
    FakeNetwork m_network;
    std::unique_ptr<JobEnvironment> m_environment;
    std::deque<JobSpec> m_specs;
    std::deque<TrainingJobFactory> m_factories;
    Ptr<ClusterManager> m_manager;
    std::vector<std::string> m_names;
    std::vector<std::string> m_events;
    std::vector<DecisionRecord> m_decisions;
};

TEST_F(TrainingJobFactoryTest, DemandIsInWireBytes)
{
    JobSpec spec;
    spec.name = "a";
    spec.iterations = 1;
    const PlacedJob placed = MakeFactory(MakeProgram(5e12)).Make(0, spec, {0, 2}, {});
    placed.ranks->Dispose();
    const JobView& demand = placed.demand;
    EXPECT_EQ(demand.flop, 5e12);
    EXPECT_EQ(demand.computePs, 100 * US);
    EXPECT_EQ(demand.communicationStart, 1);
    // Each rank sends 2 (n - 1) / n S = 80 KB in 2 messages of 40 KB.
    ASSERT_EQ(demand.flows.size(), 2U);
    for (uint32_t i = 0; i < 2; i++)
    {
        EXPECT_EQ(demand.flows[i].flow, i);
        EXPECT_EQ(demand.flows[i].wireBytes, 82'000U);
        EXPECT_EQ(demand.flows[i].ackWireBytes, 128U);
    }
    EXPECT_EQ(demand.flows[0].sourceNic, GetNic(m_topology, "host0"));
    EXPECT_EQ(demand.flows[0].destinationNic, GetNic(m_topology, "host2"));
    EXPECT_EQ(demand.flows[1].sourceNic, GetNic(m_topology, "host2"));
    EXPECT_EQ(demand.communicationStart, 1);
}

TEST_F(TrainingJobFactoryTest, EstimateIsTheDemandOfAPlacement)
{
    JobSpec spec;
    spec.name = "a";
    spec.iterations = 1;
    const TrainingJobFactory& factory = MakeFactory(MakeProgram(5e12));
    const JobView estimate = factory.Estimate(spec, {0, 3});
    const PlacedJob placed = factory.Make(0, spec, {0, 3}, {});
    placed.ranks->Dispose();
    const JobView& demand = placed.demand;
    EXPECT_EQ(estimate.flop, demand.flop);
    EXPECT_EQ(estimate.computePs, demand.computePs);
    EXPECT_EQ(estimate.communicationStart, demand.communicationStart);
    ASSERT_EQ(estimate.flows.size(), demand.flows.size());
    for (size_t i = 0; i < demand.flows.size(); i++)
    {
        EXPECT_EQ(estimate.flows[i].sourceNic, demand.flows[i].sourceNic);
        EXPECT_EQ(estimate.flows[i].destinationNic, demand.flows[i].destinationNic);
        EXPECT_EQ(estimate.flows[i].wireBytes, demand.flows[i].wireBytes);
    }
    EXPECT_NE(estimate.flows[0].destinationNic,
              factory.Estimate(spec, {0, 2}).flows[0].destinationNic);
}

TEST_F(TrainingJobFactoryTest, CommunicationStartsWithTheFirstCollective)
{
    JobSpec spec;
    spec.name = "a";
    spec.iterations = 1;
    // 100 us, then an all-reduce during 300 us of further compute.
    IterationProgram program = MakeProgram(1);
    ProgramStep more;
    more.durationPs = 300 * US;
    more.dependencies = {{0, false}};
    program.programs[0].steps.push_back(more);
    const JobView demand = MakeFactory(program).Estimate(spec, {0, 2});
    EXPECT_EQ(demand.computePs, 400 * US);
    EXPECT_DOUBLE_EQ(demand.communicationStart, 0.25);
}

TEST_F(TrainingJobFactoryTest, IterationStartWithShifts)
{
    JobSpec spec;
    spec.name = "a";
    spec.iterations = 3;
    const Ptr<JobRanks> job = MakeFactory(MakeProgram(5e12)).Make(0, spec, {0, 2}, {}).ranks;
    JobUpdate first;
    first.start = true;
    first.flows = {{0, 50'000, 6, 0}, {1, 50'001, 6, 0}};
    first.shiftPs = 5 * US;
    JobUpdate second;
    second.shiftPs = 7 * US;
    std::vector<int64_t> starts;
    const auto look = [&job, &starts] { starts.push_back(job->GetIterationStartPs() / US); };
    job->Apply(0, first);
    job->Start(0, 0, 0);
    look();
    Simulator::Schedule(MicroSeconds(10), look);
    Simulator::Schedule(MicroSeconds(50), [&job, &look, &second] {
        job->Apply(50 * US, second);
        look();
    });
    // An iteration takes 180 us: the next one would start at 185 us, and starts at 192 us.
    Simulator::Schedule(MicroSeconds(188), look);
    Simulator::Schedule(MicroSeconds(200), look);
    Simulator::Schedule(MicroSeconds(400), look);
    Simulator::Run();
    EXPECT_EQ(starts, (std::vector<int64_t>{5, 5, 12, 12, 192, 372}));
    EXPECT_TRUE(job->Release(Simulator::Now().GetPicoSeconds()));
    job->Dispose();
}

TEST_F(TrainingJobFactoryTest, JobsRunAndAreOrdered)
{
    // An iteration takes 100 us of compute and 2 messages of 40 us.
    Add("a", 1e9, 0, 3);
    Add("b", 2e9, 200 * US, 1);
    m_manager->Start();
    Simulator::Run();
    EXPECT_TRUE(m_manager->IsDone());
    EXPECT_EQ(m_events,
              (std::vector<std::string>{"0us a arrived",
                                        "0us a placed",
                                        "1us a started",
                                        "200us b arrived",
                                        "200us b placed",
                                        "201us b started",
                                        "381us b finished",
                                        "541us a finished"}));
    // Records: 0 placement and 1 priority of a; 2 placement of b, 3 and 4 priorities; 5 priority.
    EXPECT_EQ(m_network.m_log,
              (std::vector<std::string>{"1us job 0 opens, priority 6",
                                        "1us job 0 opens, priority 6",
                                        "201us decision 3 for 0, priority 5",
                                        "201us decision 3 for 1, priority 5",
                                        "201us job 1 opens, priority 6",
                                        "201us job 1 opens, priority 6",
                                        "382us closes 2",
                                        "382us closes 3",
                                        "383us decision 5 for 0, priority 6",
                                        "383us decision 5 for 1, priority 6",
                                        "542us closes 0",
                                        "542us closes 1"}));
    ASSERT_EQ(m_decisions.size(), 6U);
    EXPECT_EQ(m_manager->GetJobView(0).communicationStart, 1);
    // 82,128 bytes on host0-leaf0 (its data and the acknowledgements of the other's).
    EXPECT_NE(m_decisions[1].inputs.find(R"("bytes":164000,)"), std::string::npos);
    EXPECT_NE(m_decisions[1].inputs.find(R"("host0-leaf0":{"bytes":82128,)"), std::string::npos);
}

TEST_F(TrainingJobFactoryTest, JobsExistFromPlacementToRelease)
{
    // Fifty jobs that each need all four GPUs.
    IterationProgram program = MakeProgram(1);
    program.ranks = 4;
    program.communicators[0].ranks = {0, 1, 2, 3};
    program.rankProgram = {0, 0, 0, 0};
    const TrainingJobFactory& factory = MakeFactory(program);
    for (uint32_t i = 0; i < 50; i++)
    {
        JobSpec& spec = m_specs.emplace_back();
        spec.name = "job-" + std::to_string(i);
        spec.gpus = 4;
        spec.gpusPerHost = 1;
        spec.iterations = 1;
        m_names.push_back(spec.name);
        m_manager->AddJob(spec, factory);
    }
    uint32_t most = 0;
    const auto count = [&] {
        uint32_t exist = 0;
        for (uint32_t i = 0; i < 50; i++)
        {
            exist += m_manager->GetJob(i)->GetRanks() ? 1 : 0;
        }
        most = std::max(most, exist);
        return exist;
    };
    for (int i = 1; i < 100; i++)
    {
        Simulator::Schedule(MicroSeconds(i * 100), count);
    }
    m_manager->Start();
    EXPECT_EQ(count(), 0U);
    Simulator::Run();
    EXPECT_TRUE(m_manager->IsDone());
    EXPECT_EQ(most, 1U);
    EXPECT_EQ(count(), 0U);
    EXPECT_EQ(std::count_if(m_events.begin(),
                            m_events.end(),
                            [](const std::string& event) {
                                return event.find("finished") != std::string::npos;
                            }),
              50);
}

// What happens to any job of any cluster, before it has GPUs: recorders connect once.
TEST_F(TrainingJobFactoryTest, TracesAreOnConfigPaths)
{
    Add("a", 1e12, 0, 3);
    Add("b", 2e12, 10 * US, 2);
    std::vector<std::string> lines;
    std::vector<CollectiveRecord> starts;
    std::vector<CollectiveRecord> ends;
    Paths paths{lines, starts, ends};
    Config::Connect("/ClusterList/0/JobList/*/Event", MakeCallback(&Paths::Event, &paths));
    Config::Connect("/ClusterList/*/JobList/1/Iteration", MakeCallback(&Paths::Iteration, &paths));
    Config::ConnectWithoutContext("/ClusterList/0/JobList/0/CollectiveStart",
                                  MakeCallback(&Paths::CollectiveStart, &paths));
    Config::ConnectWithoutContext("/ClusterList/0/JobList/0/Collective",
                                  MakeCallback(&Paths::Collective, &paths));
    m_manager->Start();
    Simulator::Run();
    const auto count = [&lines](const std::string& line) {
        return std::count(lines.begin(), lines.end(), line);
    };
    EXPECT_EQ(count("/ClusterList/0/JobList/0/Event arrived"), 1);
    EXPECT_EQ(count("/ClusterList/0/JobList/1/Event finished"), 1);
    EXPECT_EQ(count("/ClusterList/0/JobList/1/Iteration 0"), 1);
    EXPECT_EQ(count("/ClusterList/0/JobList/1/Iteration 1"), 1);
    ASSERT_EQ(starts.size(), 3U); // an all-reduce an iteration
    ASSERT_EQ(ends.size(), 3U);
    for (uint32_t i = 0; i < 3; i++)
    {
        EXPECT_EQ(starts[i].collective, i);
        EXPECT_EQ(starts[i].iteration, i);
        EXPECT_EQ(starts[i].operation, "all-reduce");
        EXPECT_EQ(starts[i].bytes, 80'000U);
        EXPECT_EQ(starts[i].firstPostPs, ends[i].firstPostPs);
        EXPECT_EQ(starts[i].endPs, -1);
        EXPECT_GT(ends[i].endPs, ends[i].firstPostPs);
    }
    m_manager->Dispose();
    EXPECT_FALSE(Config::ConnectFailSafe("/ClusterList/0/JobList/*/Event",
                                         MakeCallback(&Paths::Event, &paths)));
}

TEST_F(TrainingJobFactoryTest, UntilAnotherEnds)
{
    Add("a", 1e9, 0, 2);
    Add("b", 2e9, 0, 0, "a");
    m_manager->Start();
    Simulator::Run();
    // a ends at 361 us; at 362 us b has begun its iteration 2 and gets one more.
    EXPECT_EQ(m_events.back(), "721us b finished");
    EXPECT_TRUE(m_manager->IsDone());
}

} // namespace
} // namespace ns3
