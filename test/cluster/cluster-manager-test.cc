/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/cluster-manager.h"
#include "../../model/placement/consolidate-placement.h"
#include "../../model/scheduler/crux/gpu-intensity-scheduler.h"
#include "../../model/scheduler/none-scheduler.h"
#include "../fixture/scheduler-fake-job.h"

#include "ns3/boolean.h"
#include "ns3/counter-random.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>

namespace ns3
{
namespace
{

/// Gives job i level i, and records the requests.
class SpyScheduler : public CommunicationScheduler
{
  public:
    ScheduleDecision Decide(const ClusterView& view) const override
    {
        m_seed = view.seed;
        std::string text = std::to_string(view.nowPs / US) + "us " + view.trigger + ":";
        ScheduleDecision decision;
        for (const JobView& job : view.jobs)
        {
            text += " " + job.name;
            JobDecision& entry = decision.jobs.emplace_back();
            entry.job = job.job;
            entry.level = m_reverse ? static_cast<uint32_t>(view.jobs.size() - decision.jobs.size())
                                    : static_cast<uint32_t>(decision.jobs.size() - 1);
        }
        m_asked.push_back(text);
        return decision;
    }

    bool m_reverse{false};
    mutable Log m_asked;
    mutable uint64_t m_seed{0};
};

/// The earliest deadline first, then jobs without one. Records what it has seen.
class DeadlineScheduler : public CommunicationScheduler
{
  public:
    ScheduleDecision Decide(const ClusterView& view) const override
    {
        std::vector<const JobView*> order;
        for (const JobView& job : view.jobs)
        {
            order.push_back(&job);
            m_seen[job.name] = job.service.deadlinePs;
        }
        const auto key = [](const JobView* job) {
            return std::make_pair(job->service.deadlinePs.value_or(INT64_MAX), job->job);
        };
        std::sort(order.begin(), order.end(), [&key](const JobView* a, const JobView* b) {
            return key(a) < key(b);
        });
        ScheduleDecision decision;
        m_order.clear();
        for (const JobView* job : order)
        {
            JobDecision& entry = decision.jobs.emplace_back();
            entry.job = job->job;
            entry.level = static_cast<uint32_t>(m_order.size());
            m_order.push_back(job->name);
        }
        std::sort(decision.jobs.begin(), decision.jobs.end(), [](const auto& a, const auto& b) {
            return a.job < b.job;
        });
        return decision;
    }

    mutable std::map<std::string, std::optional<int64_t>> m_seen;
    mutable std::vector<std::string> m_order;
};

class ClusterManagerTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        if (m_manager)
        {
            m_manager->Dispose();
        }
        Simulator::Destroy();
    }

    /// Two leaves of two hosts with 8 GPUs.
    void Make(Ptr<CommunicationScheduler> scheduler = nullptr, uint64_t seed = 1)
    {
        m_manager = CreateObject<ClusterManager>();
        m_manager->SetCluster(m_topology, m_oracle);
        m_manager->GetControl().SetScheduler(scheduler ? scheduler
                                                       : Ptr<CommunicationScheduler>(m_spy));
        m_manager->SetPlacement(CreateObject<ConsolidatePlacement>());
        m_manager->SetSeed(seed);
        m_manager->SetDoneCallback(MakeCallback(&ClusterManagerTest::Done, this));
        m_manager->TraceConnectWithoutContext("JobEvent",
                                              MakeCallback(&ClusterManagerTest::Event, this));
        m_manager->TraceConnectWithoutContext("GpuAllocation",
                                              MakeCallback(&ClusterManagerTest::Allocation, this));
        m_manager->TraceConnectWithoutContext("Decision",
                                              MakeCallback(&ClusterManagerTest::Decision, this));
    }

    FakeJob* Add(const std::string& name,
                 uint32_t gpus,
                 int64_t arrivalPs,
                 uint64_t iterations,
                 int64_t iterationPs = 10 * US,
                 const std::string& until = "",
                 bool restart = false)
    {
        JobSpec& spec = m_specs.emplace_back();
        spec.restart = restart;
        spec.name = name;
        spec.gpus = gpus;
        spec.arrival = {PicoSeconds(arrivalPs), PicoSeconds(arrivalPs)};
        spec.iterations = iterations;
        spec.until = until;
        m_fakes.push_back(CreateObject<FakeJob>(m_topology, spec, iterationPs, m_log));
        m_names.push_back(name);
        EXPECT_EQ(m_manager->AddJob(spec, *m_fakes.back()), m_names.size() - 1);
        return PeekPointer(m_fakes.back());
    }

    void Run()
    {
        m_manager->Start();
        Simulator::Run();
    }

    void Done()
    {
        EXPECT_EQ(m_donePs, -1);
        m_donePs = Simulator::Now().GetPicoSeconds();
    }

    void Event(const JobEventRecord& record)
    {
        m_events.push_back(std::to_string(record.timePs / US) + "us " + m_names[record.job] + " " +
                           record.kind + (record.detail.empty() ? "" : ": " + record.detail));
    }

    void Allocation(const GpuAllocationRecord& record)
    {
        m_allocations.push_back(record);
    }

    void Decision(const DecisionRecord& record)
    {
        EXPECT_EQ(record.decision, m_decisions.size());
        m_decisions.push_back(record);
    }

    /// GPU time of a job [ps].
    int64_t GetGpuTime(uint32_t job) const
    {
        int64_t sum = 0;
        for (const GpuAllocationRecord& record : m_allocations)
        {
            sum += record.job == job ? record.endPs - record.startPs : 0;
        }
        return sum;
    }

    const ClusterTopology m_topology = MakeLeafSpine(2, 2, 8, 2, 1000, 1000);
    FakePathOracle m_oracle{m_topology};
    std::deque<JobSpec> m_specs;
    std::vector<Ptr<FakeJob>> m_fakes;
    Ptr<SpyScheduler> m_spy = CreateObject<SpyScheduler>();
    Ptr<ClusterManager> m_manager;
    std::vector<std::string> m_names;
    Log m_log;
    Log m_events;
    std::vector<GpuAllocationRecord> m_allocations;
    std::vector<DecisionRecord> m_decisions;
    int64_t m_donePs{-1};
};

TEST_F(ClusterManagerTest, LifeOfAJob)
{
    Make();
    Add("bert", 16, 10 * US, 2);
    Run();
    // Placed at once, started 1 us later, two iterations of 10 us, known 1 us after the end.
    EXPECT_EQ(m_events,
              (Log{"10us bert arrived",
                   "10us bert placed: host0:0-7 host1:0-7",
                   "11us bert started",
                   "31us bert finished"}));
    EXPECT_EQ(m_log,
              (Log{"11us bert starts, placed 10us, flow 0 priority 6, flow 1 priority 6",
                   "32us bert released"}));
    EXPECT_EQ(m_donePs, 32 * US);
    EXPECT_TRUE(m_manager->IsDone());
    ASSERT_EQ(m_allocations.size(), 16U);
    for (uint32_t i = 0; i < 16; i++)
    {
        EXPECT_EQ(m_allocations[i].gpu, i);
        EXPECT_EQ(m_allocations[i].startPs, 10 * US);
        EXPECT_EQ(m_allocations[i].endPs, 31 * US);
    }
    ASSERT_EQ(m_decisions.size(), 2U);
    EXPECT_EQ(m_decisions[0].kind, "placement");
    EXPECT_EQ(m_decisions[0].scheduler, "ns3::ConsolidatePlacement");
    EXPECT_EQ(m_decisions[0].value, "host0:0-7 host1:0-7");
    EXPECT_EQ(m_decisions[0].inputs, R"({"gpus":16,"gpus_per_host":0,"free":32})");
    EXPECT_EQ(m_decisions[0].reason, "2 hosts under 1 leaf");
    EXPECT_EQ(m_decisions[1].kind, "priority");
    EXPECT_EQ(m_decisions[1].timePs, 10 * US);
    // Nobody is left to decide about at the departure.
    EXPECT_EQ(m_spy->m_asked, Log{"10us arrival: bert"});
    EXPECT_EQ(m_spy->m_seed, 1U);
    m_manager->Close();
    EXPECT_EQ(m_allocations.size(), 16U);
}

TEST_F(ClusterManagerTest, SimultaneousArrivalsAreOneDecisionInJobOrder)
{
    Make();
    Add("a", 8, 5 * US, 1);
    Add("b", 8, 2 * US, 3);
    Add("c", 8, 5 * US, 1);
    Run();
    EXPECT_EQ(m_spy->m_asked, (Log{"2us arrival: b", "5us arrival: a b c", "17us departure: b"}));
    // b has the first host, a and c then the next ones: a and c end together, at 6 + 10 us.
    EXPECT_EQ(m_events,
              (Log{"2us b arrived",
                   "2us b placed: host0:0-7",
                   "3us b started",
                   "5us a arrived",
                   "5us c arrived",
                   "5us a placed: host1:0-7",
                   "5us c placed: host2:0-7",
                   "6us a started",
                   "6us c started",
                   "16us a finished",
                   "16us c finished",
                   "33us b finished"}));
}

TEST_F(ClusterManagerTest, FirstComeFirstServed)
{
    Make();
    Add("big", 24, 0, 1);
    Add("wide", 16, 1 * US, 1);
    Add("small", 8, 2 * US, 1);
    Run();
    // small would fit at 2 us, but stands behind wide, which fits at 12 us.
    EXPECT_EQ(m_spy->m_asked, (Log{"0us arrival: big", "12us departure: wide small"}));
    EXPECT_EQ(m_events.size(), 12U);
    EXPECT_EQ(m_events[6], "12us wide placed: host0:0-7 host1:0-7");
    EXPECT_EQ(m_events[7], "12us small placed: host2:0-7");
}

TEST_F(ClusterManagerTest, BackfillOvertakes)
{
    Make();
    m_manager->SetAttribute("Backfill", BooleanValue(true));
    Add("big", 24, 0, 1);
    Add("wide", 16, 1 * US, 1);
    Add("small", 8, 2 * US, 1);
    Run();
    // big leaves at 12 us, small at 14 us.
    EXPECT_EQ(m_spy->m_asked,
              (Log{"0us arrival: big",
                   "2us arrival: big small",
                   "12us departure: wide small",
                   "14us departure: wide"}));
}

TEST_F(ClusterManagerTest, ChangesReachJobsAfterTheLatency)
{
    Make();
    m_manager->SetAttribute("ControlLatency", TimeValue(MicroSeconds(3)));
    m_spy->m_reverse = true;
    Add("a", 16, 0, 10);
    Add("b", 16, 20 * US, 2);
    Run();
    // b puts a one level down; at its end (43 us, known at 46 us) a comes up again.
    EXPECT_EQ(m_log,
              (Log{"3us a starts, placed 0us, flow 0 priority 6, flow 1 priority 6",
                   "23us a changes, flow 0 priority 5, flow 1 priority 5",
                   "23us b starts, placed 20us, flow 0 priority 6, flow 1 priority 6",
                   "46us b released",
                   "49us a changes, flow 0 priority 6, flow 1 priority 6",
                   "106us a released"}));
}

TEST_F(ClusterManagerTest, NoLatency)
{
    Make();
    m_manager->SetAttribute("ControlLatency", TimeValue(Seconds(0)));
    Add("a", 32, 0, 1);
    Add("b", 32, 5 * US, 1);
    Run();
    EXPECT_EQ(m_events,
              (Log{"0us a arrived",
                   "0us a placed: host0:0-7 host1:0-7 host2:0-7 host3:0-7",
                   "0us a started",
                   "5us b arrived",
                   "10us a finished",
                   "10us b placed: host0:0-7 host1:0-7 host2:0-7 host3:0-7",
                   "10us b started",
                   "20us b finished"}));
    EXPECT_EQ(m_donePs, 20 * US);
}

TEST_F(ClusterManagerTest, NothingReachesAJobThatHasEnded)
{
    Make();
    m_manager->SetAttribute("ControlLatency", TimeValue(MicroSeconds(4)));
    m_spy->m_reverse = true;
    Add("a", 16, 0, 1);
    Add("b", 16, 12 * US, 1);
    Run();
    // Decided at 12 us, a ends at 14 us, due at 16 us.
    EXPECT_EQ(m_log,
              (Log{"4us a starts, placed 0us, flow 0 priority 6, flow 1 priority 6",
                   "16us b starts, placed 12us, flow 0 priority 6, flow 1 priority 6",
                   "18us a released",
                   "30us b released"}));
}

TEST_F(ClusterManagerTest, UntilTheNamedJobEnds)
{
    Make();
    Add("gpt", 8, 0, 3);
    Add("bert", 8, 0, 0, 7 * US, "gpt");
    Run();
    // gpt ends at 31 us, known at 32 us; bert, started at 1 us, is then in iteration 31 / 7 = 4 and
    // ends with 5: at 1 + 6 * 7 us.
    EXPECT_EQ(m_log,
              (Log{"1us gpt starts, placed 0us",
                   "1us bert starts, placed 0us",
                   "32us gpt released",
                   "32us bert ends with iteration 5",
                   "44us bert released"}));
    EXPECT_EQ(m_events.back(), "43us bert finished");
}

// `deadline:` is after the arrival: 5 + 100 us is before 0 + 200 us and after 2 + 90 us.
TEST_F(ClusterManagerTest, SchedulersSeeDeadlines)
{
    const auto scheduler = CreateObject<DeadlineScheduler>();
    Make(scheduler);
    Add("none", 8, 0, 3);
    Add("last", 8, 0, 3);
    Add("first", 8, 2 * US, 3);
    Add("second", 8, 5 * US, 3);
    m_specs[1].deadline = MicroSeconds(200);
    m_specs[2].deadline = MicroSeconds(90);
    m_specs[3].deadline = MicroSeconds(100);
    std::vector<std::string> order;
    Simulator::Schedule(MicroSeconds(10), [&] { order = scheduler->m_order; });
    Run();
    EXPECT_EQ(order, (std::vector<std::string>{"first", "second", "last", "none"}));
    EXPECT_EQ(scheduler->m_seen["none"], std::nullopt);
    EXPECT_EQ(scheduler->m_seen["last"], 200 * US);
    EXPECT_EQ(scheduler->m_seen["first"], 92 * US);
    EXPECT_EQ(scheduler->m_seen["second"], 105 * US);
}

TEST_F(ClusterManagerTest, UntilTheLastInstanceEnds)
{
    Make();
    Add("gpt-0", 8, 0, 1);
    Add("gpt-1", 8, 0, 3);
    Add("bert", 8, 0, 0, 7 * US, "gpt");
    Run();
    EXPECT_EQ(m_log[3], "12us gpt-0 released");
    EXPECT_EQ(m_log[4], "32us gpt-1 released");
    EXPECT_EQ(m_log[5], "32us bert ends with iteration 5");
    EXPECT_EQ(m_donePs, 44 * US);
}

TEST_F(ClusterManagerTest, UntilIsOverBeforeTheStart)
{
    Make();
    Add("gpt", 32, 0, 1);                        // ends at 11 us, known at 12 us
    Add("waiting", 8, 5 * US, 0, 7 * US, "gpt"); // no GPU by then
    Add("chained", 8, 5 * US, 0, 7 * US, "waiting");
    Add("late", 8, 50 * US, 0, 7 * US, "gpt");
    Add("next", 8, 6 * US, 1);
    Run();
    EXPECT_EQ(m_events,
              (Log{"0us gpt arrived",
                   "0us gpt placed: host0:0-7 host1:0-7 host2:0-7 host3:0-7",
                   "1us gpt started",
                   "5us waiting arrived",
                   "5us chained arrived",
                   "6us next arrived",
                   "11us gpt finished",
                   "12us waiting finished: never started: gpt has ended",
                   "12us chained finished: never started: waiting has ended",
                   "12us next placed: host0:0-7",
                   "13us next started",
                   "23us next finished",
                   "50us late arrived",
                   "50us late finished: never started: gpt has ended"}));
    EXPECT_EQ(m_donePs, 50 * US);
    EXPECT_EQ(GetGpuTime(1), 0);
}

TEST_F(ClusterManagerTest, UntilIsOverBetweenPlacementAndStart)
{
    Make();
    m_manager->SetAttribute("ControlLatency", TimeValue(MicroSeconds(4)));
    Add("gpt", 8, 0, 1);                       // ends at 14 us, known at 18 us
    Add("bert", 8, 16 * US, 0, 7 * US, "gpt"); // starts at 20 us
    Run();
    EXPECT_EQ(m_log,
              (Log{"4us gpt starts, placed 0us",
                   "18us gpt released",
                   "20us bert starts, placed 16us",
                   "20us bert ends with iteration 1",
                   "38us bert released"}));
}

TEST_F(ClusterManagerTest, FailedJobsLeaveToo)
{
    Make();
    FakeJob* bert = Add("bert", 32, 0, 100);
    Add("next", 32, 2 * US, 1);
    Add("other", 8, 2 * US, 0, 7 * US, "bert");
    Simulator::Schedule(MicroSeconds(20), [bert] { bert->Fail(20 * US, "queue pair 3 failed"); });
    Run();
    EXPECT_EQ(m_events[5], "20us bert failed: queue pair 3 failed");
    EXPECT_EQ(m_events[6], "21us other finished: never started: bert has ended");
    EXPECT_EQ(m_events[7], "21us next placed: host0:0-7 host1:0-7 host2:0-7 host3:0-7");
    EXPECT_EQ(GetGpuTime(0), 32 * 20 * US);
}

TEST_F(ClusterManagerTest, InterruptedJobsWaitAgainBehindTheOthers)
{
    Make();
    FakeJob* bert = Add("bert", 32, 0, 4, 10 * US, "", true);
    Add("next", 32, 2 * US, 1);
    // In the third of four iterations, which start at 1 us.
    Simulator::Schedule(MicroSeconds(25), [bert] { bert->Fail(25 * US, "queue pair 3 failed"); });
    Run();
    EXPECT_EQ(Log(m_events.begin() + 4, m_events.end()),
              (Log{"25us bert interrupted: queue pair 3 failed",
                   "26us next placed: host0:0-7 host1:0-7 host2:0-7 host3:0-7",
                   "27us next started",
                   "37us next finished",
                   "38us bert placed: host0:0-7 host1:0-7 host2:0-7 host3:0-7",
                   "39us bert restarted: with iteration 2",
                   "59us bert finished"}));
    EXPECT_EQ(GetGpuTime(0), 32 * (25 + 21) * US); // from its placements to its ends
    EXPECT_TRUE(m_manager->IsDone());
    EXPECT_EQ(m_donePs, 60 * US);
}

TEST_F(ClusterManagerTest, ArrivalsAreDrawnByJob)
{
    const auto draw = [this](uint64_t seed, const std::vector<std::string>& names, size_t which) {
        Make(nullptr, seed);
        for (const std::string& name : names)
        {
            JobSpec& spec = m_specs.emplace_back();
            spec.name = name;
            spec.gpus = 1;
            spec.iterations = 1;
            spec.arrival = {MicroSeconds(100), MicroSeconds(200)};
            m_fakes.push_back(CreateObject<FakeJob>(m_topology, spec, US, m_log));
            m_manager->AddJob(spec, *m_fakes.back());
        }
        return m_manager->GetArrival(static_cast<uint32_t>(which));
    };
    const int64_t first = draw(1, {"a", "b"}, 0);
    EXPECT_EQ(draw(1, {"b", "a"}, 1), first);
    EXPECT_NE(draw(1, {"a", "b"}, 1), first);
    EXPECT_NE(draw(2, {"a", "b"}, 0), first);
    int64_t low = INT64_MAX;
    int64_t high = 0;
    double sum = 0;
    for (uint64_t seed = 0; seed < 500; seed++)
    {
        const int64_t arrival = draw(seed, {"a"}, 0);
        low = std::min(low, arrival);
        high = std::max(high, arrival);
        sum += static_cast<double>(arrival);
    }
    EXPECT_GE(low, 100 * US);
    EXPECT_LE(high, 200 * US);
    EXPECT_NEAR(sum / 500 / US, 150, 6.5); // five deviations of 100 / sqrt(12 * 500)
    EXPECT_LT(low, 103 * US);              // 0.97^500 = 2e-7
    EXPECT_GT(high, 197 * US);
}

TEST_F(ClusterManagerTest, DefaultPortsAreTheSameUnderEveryScheduler)
{
    const auto getPorts = [this](Ptr<CommunicationScheduler> scheduler) {
        class Spy : public FakeJob
        {
          public:
            Spy(const ClusterTopology& topology,
                const JobSpec& spec,
                Log& log,
                std::vector<uint16_t>& ports)
                : FakeJob(topology, spec, US, log),
                  m_ports(ports)
            {
            }

            void Apply(int64_t nowPs, const JobUpdate& update) override
            {
                for (const FlowUpdate& flow : update.flows)
                {
                    m_ports.push_back(flow.udpSourcePort);
                }
                FakeJob::Apply(nowPs, update);
            }

          private:
            std::vector<uint16_t>& m_ports;
        };

        m_decisions.clear();
        m_donePs = -1;
        m_names = {"bert"};
        std::vector<uint16_t> ports;
        Make(scheduler, 7);
        JobSpec& spec = m_specs.emplace_back();
        spec.name = "bert";
        spec.gpus = 32;
        spec.iterations = 1;
        m_fakes.push_back(CreateObject<Spy>(m_topology, spec, m_log, ports));
        m_manager->AddJob(spec, *m_fakes.back());
        Run();
        Simulator::Destroy();
        return ports;
    };
    const std::vector<uint16_t> none = getPorts(CreateObject<NoneScheduler>());
    ASSERT_EQ(none.size(), 4U);
    EXPECT_EQ(none[2], FlowSteering::GetDefaultPort(7, "bert", 2));
    EXPECT_EQ(getPorts(CreateObject<GpuIntensityScheduler>()), none);
    Ptr<GpuIntensityScheduler> paths = CreateObject<GpuIntensityScheduler>();
    paths->SetAttribute("SelectPaths", BooleanValue(true));
    const std::vector<uint16_t> selected = getPorts(paths);
    // host0 to host1 and host2 to host3 have one path; the two others take one spine each way.
    EXPECT_EQ(selected[0], none[0]);
    EXPECT_EQ(selected[2], none[2]);
    EXPECT_EQ(selected[1] % 2, 0);
    EXPECT_EQ(selected[3] % 2, 0);
}

TEST_F(ClusterManagerTest, CloseEmitsWhatLasts)
{
    Make();
    Add("running", 8, 0, 100);
    Add("ended", 8, 0, 2);
    Add("placed", 8, 21 * US + US / 2, 1);
    Add("waiting", 32, 21 * US + US / 2, 1);
    m_manager->Start();
    Simulator::Stop(PicoSeconds(21 * US + US * 3 / 4));
    Simulator::Run();
    EXPECT_TRUE(m_allocations.empty());
    m_manager->Close();
    // Since 0; from 0 to 21 us, not known yet; since 21.5 us.
    EXPECT_EQ(GetGpuTime(0), 8 * (21 * US + US * 3 / 4));
    EXPECT_EQ(GetGpuTime(1), 8 * 21 * US);
    EXPECT_EQ(GetGpuTime(2), 8 * US / 4);
    EXPECT_EQ(GetGpuTime(3), 0);
    EXPECT_EQ(m_allocations.size(), 24U);
    EXPECT_EQ(m_donePs, -1);
}

TEST_F(ClusterManagerTest, RandomJobsShareTheGpusWithoutOverlap)
{
    for (const bool backfill : {false, true})
    {
        m_names.clear();
        m_events.clear();
        m_allocations.clear();
        m_decisions.clear();
        m_donePs = -1;
        Make(CreateObject<GpuIntensityScheduler>());
        m_manager->SetAttribute("Backfill", BooleanValue(backfill));
        std::vector<int64_t> gpuTime;
        for (uint32_t i = 0; i < 60; i++)
        {
            const auto gpus = static_cast<uint32_t>(1 + CounterRandom(3, i, 0) % 32);
            const auto iterations = 1 + CounterRandom(3, i, 1) % 5;
            Add("job" + std::to_string(i),
                gpus,
                static_cast<int64_t>(CounterRandom(3, i, 2) % 300) * US,
                iterations);
            // From its placement, 1 us before the start, to the end.
            gpuTime.push_back(gpus * (static_cast<int64_t>(iterations) * 10 * US + US));
        }
        Run();
        EXPECT_TRUE(m_manager->IsDone());
        EXPECT_EQ(m_events.size(), 4 * 60U);
        std::map<uint32_t, int64_t> freeFrom;
        for (uint32_t i = 0; i < 60; i++)
        {
            EXPECT_EQ(GetGpuTime(i), gpuTime[i]);
        }
        for (const GpuAllocationRecord& record : m_allocations)
        {
            // Emitted in the order of their ends, so those of a GPU are in order.
            EXPECT_GE(record.startPs, freeFrom[record.gpu]);
            freeFrom[record.gpu] = record.endPs + US; // the manager learns of it
        }
        // Who arrived, and who was placed, in order.
        Log arrived;
        Log placed;
        for (const std::string& event : m_events)
        {
            const size_t name = event.find(' ') + 1;
            const std::string job = event.substr(name, event.find(' ', name) - name);
            if (event.find(" arrived") != std::string::npos)
            {
                arrived.push_back(job);
            }
            else if (event.find(" placed") != std::string::npos)
            {
                placed.push_back(job);
            }
        }
        EXPECT_EQ(placed == arrived, !backfill);
        EXPECT_TRUE(
            std::is_permutation(placed.begin(), placed.end(), arrived.begin(), arrived.end()));
        Simulator::Destroy();
    }
}

TEST_F(ClusterManagerTest, ValidateFindsJobsThatCannotRun)
{
    Make();
    Add("large", 33, 0, 1);
    Add("fine", 32, 0, 1);
    Add("lost", 8, 0, 0, US, "nobody");
    Add("self", 8, 0, 0, US, "self");
    const auto faults = m_manager->Validate();
    ASSERT_EQ(faults.size(), 3U);
    EXPECT_EQ(faults[0].first, 0U);
    EXPECT_EQ(faults[0].second, "job large with 33 GPUs does not fit on the empty cluster");
    EXPECT_EQ(faults[1].second, "job lost runs until nobody ends, but there is no such job");
    EXPECT_EQ(faults[2].first, 3U);
    EXPECT_EQ(faults[2].second, "job self never ends: `until` leads in a circle");
}

} // namespace
} // namespace ns3
