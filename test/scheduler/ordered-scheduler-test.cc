/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/switch/routing-table.h"
#include "../fixture/scheduler-fakes.h"

#include "ns3/boolean.h"
#include "ns3/communication-scheduler.h"
#include "ns3/object-factory.h"
#include "ns3/path-selector.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace ns3
{
namespace
{

constexpr uint64_t GBPS = 1'000'000'000;
constexpr int64_t SECOND = 1'000'000'000'000;

using Levels = std::vector<uint32_t>;
using Settings = std::vector<std::pair<std::string, std::string>>;

Ptr<CommunicationScheduler>
MakeScheduler(const std::string& type, const Settings& settings = {})
{
    ObjectFactory factory("ns3::" + type + "Scheduler");
    for (const auto& [name, value] : settings)
    {
        factory.Set(name, StringValue(value));
    }
    return factory.Create<CommunicationScheduler>();
}

Levels
GetLevels(const ScheduleDecision& decision)
{
    Levels levels;
    for (const JobDecision& job : decision.jobs)
    {
        levels.push_back(job.level);
    }
    return levels;
}

bool
Has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// Four leaves of 4 hosts, two uplinks each; all links of 8 Gb/s.
class OrderedSchedulerTest : public testing::Test
{
  protected:
    JobView& Add(double flop, int64_t computePs, double communicationStart = 0)
    {
        m_view.jobs.push_back(MakeJob(static_cast<uint32_t>(m_view.jobs.size()), flop, computePs));
        m_view.jobs.back().communicationStart = communicationStart;
        return m_view.jobs.back();
    }

    /// A job with one flow.
    void Add(double flop,
             double computeSeconds,
             double linkSeconds,
             double communicationStart,
             const std::string& from,
             const std::string& to)
    {
        JobView& job = Add(flop, static_cast<int64_t>(computeSeconds * SECOND), communicationStart);
        AddFlow(m_topology, job, from, to, static_cast<uint64_t>(linkSeconds * 1e9));
    }

    const ClusterTopology m_topology = MakeLeafSpine(4, 4, 8, 2, 8 * GBPS, 8 * GBPS);
    const FakePathOracle m_oracle{m_topology};
    ClusterView m_view = MakeView(m_topology, m_oracle);
};

TEST_F(OrderedSchedulerTest, PartsAreFree)
{
    // Intensities 9, 2 and 4; traffic 1, 2 and 1 s; job 2 stays below its leaf.
    Add(9, 1, 1, 1, "host0", "host4");
    Add(4, 1, 2, 1, "host1", "host5");
    Add(4, 9, 1, 1, "host1", "host2");
    m_view.jobs[0].flows[0].path = m_oracle.GetPaths(0, 8).front();
    const std::vector<std::pair<std::string, Levels>> orders{
        {"NoOrder", {0, 0, 0}},
        {"IntensityOrder", {0, 2, 1}},
        // Of 3 s on host1 out job 1 goes last (1/2 < 1). All ports have 1 s then, host0's is first.
        {"BssiOrder", {1, 2, 0}},
        {"SebfOrder", {0, 2, 1}},
        // Three switches, three and one; of equals the one with more bytes.
        {"DistanceOrder", {1, 0, 2}},
    };
    for (const auto& [order, levels] : orders)
    {
        for (const char* paths : {"EcmpPaths", "SelectedPaths"})
        {
            for (const char* compression :
                 {"TopCompression", "BalancedCompression", "MaxCutCompression"})
            {
                const ScheduleDecision decision =
                    MakeScheduler("Composed",
                                  {{"Order", "ns3::" + order},
                                   {"Paths", std::string("ns3::") + paths},
                                   {"Compression", std::string("ns3::") + compression}})
                        ->Decide(m_view);
                EXPECT_EQ(decision.Validate(m_view), "");
                const bool selected = std::string(paths) == "SelectedPaths";
                EXPECT_EQ(decision.jobs[0].paths.size(), selected ? 1 : 0) << order;
                // The paths do not depend on the order.
                EXPECT_TRUE(!selected || decision.jobs[0].paths[0] != decision.jobs[1].paths[0]);
                if (std::string(compression) != "MaxCutCompression")
                {
                    EXPECT_EQ(GetLevels(decision), levels) << order;
                }
                else if (selected && order != "NoOrder")
                {
                    // Jobs 1 and 2 meet on host1's NIC, job 0 nobody.
                    const bool later = levels[1] < levels[2];
                    EXPECT_EQ(GetLevels(decision), (later ? Levels{0, 0, 1} : Levels{0, 1, 0}))
                        << order;
                }
            }
        }
    }
}

TEST_F(OrderedSchedulerTest, WithoutJobsThereIsNothingToDecide)
{
    for (const char* type :
         {"Composed", "Crux", "CruxPa", "CruxPsPa", "Sincronia", "Varys", "TacclStar"})
    {
        EXPECT_TRUE(MakeScheduler(type)->Decide(m_view).jobs.empty()) << type;
    }
}

TEST_F(OrderedSchedulerTest, JobsWithoutTraffic)
{
    Add(1, SECOND);
    Add(2, 1, 1, 0, "host0", "host4");
    for (const char* type : {"Crux", "CruxPa", "CruxPsPa", "Sincronia", "Varys", "TacclStar"})
    {
        const ScheduleDecision decision = MakeScheduler(type)->Decide(m_view);
        EXPECT_EQ(GetLevels(decision), (Levels{5, 0})) << type;
        EXPECT_EQ(decision.jobs[0].reason,
                  "without network traffic a job needs no priority: the lowest level");
        EXPECT_TRUE(decision.jobs[0].fallbacks.empty()) << type;
    }
}

TEST_F(OrderedSchedulerTest, CruxExampleOne)
{
    // Crux, section 4.2: I = 5 both, but P_2 = 1.49 x 5. The reference, of more traffic, is J1.
    Add(10, 2, 2, 1, "host0", "host1");
    Add(5, 1, 1, 1, "host0", "host1");
    const ScheduleDecision decision = MakeScheduler("Crux")->Decide(m_view);
    EXPECT_EQ(GetLevels(decision), (Levels{1, 0}));
    EXPECT_TRUE(Has(decision.jobs[0].inputs,
                    R"({"W":10,"t_s":2,"I":5,"bytes":2000000000,"compute_s":2,"start_fraction":1,)"
                    R"("reference":0,"k":1,"P":5,"rank":1,"levels":6,)"));
    const std::string& inputs = decision.jobs[1].inputs;
    EXPECT_TRUE(Has(inputs, R"("compute_s":1,"start_fraction":1,"reference":0,"gain_s":)"));
    EXPECT_TRUE(Has(inputs, R"("gain_of_reference_s":)"));
    EXPECT_TRUE(Has(inputs, R"("horizon_s":160,"k":1.4)")) << inputs;
    EXPECT_TRUE(Has(inputs, R"("rank":0,"levels":6,"links":2,"heaviest_links":)"));
    EXPECT_TRUE(Has(inputs, R"("level":0,)"));
    EXPECT_EQ(decision.jobs[1].reason,
              "rank 1 of 2 by P = k I: the greatest cut found of the contention graph");
    // By intensity alone it is a tie, which goes to more bytes.
    EXPECT_EQ(GetLevels(MakeScheduler("GpuIntensity")->Decide(m_view)), (Levels{0, 1}));
}

TEST_F(OrderedSchedulerTest, TheFactorOverrulesTheIntensity)
{
    // Example two, with 1.5 times the work of J1: I = 15 and 10, but k_1 is less than a half.
    Add(15, 4, 1, 0.5, "host0", "host1");
    Add(30, 2, 3, 0.5, "host0", "host1");
    EXPECT_EQ(GetLevels(MakeScheduler("GpuIntensity")->Decide(m_view)), (Levels{0, 1}));
    EXPECT_EQ(GetLevels(MakeScheduler("Crux")->Decide(m_view)), (Levels{1, 0}));
}

TEST_F(OrderedSchedulerTest, CruxExampleTwo)
{
    // I = 10 both; P_1 = 4.5 to 4.7 < P_2 = 10: J2 goes first.
    Add(10, 4, 1, 0.5, "host0", "host1");
    Add(30, 2, 3, 0.5, "host0", "host1");
    for (const char* type : {"Crux", "CruxPa", "CruxPsPa"})
    {
        const ScheduleDecision decision = MakeScheduler(type)->Decide(m_view);
        EXPECT_EQ(GetLevels(decision), (Levels{1, 0})) << type;
        EXPECT_TRUE(Has(decision.jobs[0].inputs, R"("reference":1,)"));
        EXPECT_TRUE(Has(decision.jobs[0].inputs, R"("k":0.4)"));
        EXPECT_TRUE(Has(decision.jobs[1].inputs, R"("k":1,"P":10,)"));
    }
}

TEST_F(OrderedSchedulerTest, BoundOfTheFactor)
{
    // The job costs the reference nothing: P = KMax I.
    Add(60, 6, 1, 0.5, "host0", "host1");
    Add(1, 1.5, 0.999, 1, "host0", "host1");
    EXPECT_TRUE(Has(MakeScheduler("Crux")->Decide(m_view).jobs[1].inputs, R"("k":10,)"));
    EXPECT_TRUE(
        Has(MakeScheduler("Crux", {{"KMax", "4"}})->Decide(m_view).jobs[1].inputs, R"("k":4,)"));
    EXPECT_TRUE(Has(MakeScheduler("Crux", {{"Horizon", "20"}})->Decide(m_view).jobs[1].inputs,
                    R"("horizon_s":120,)"));
}

TEST_F(OrderedSchedulerTest, CruxSeparatesWhatMeets)
{
    // Figure 13 on NICs: jobs 0 and 1 from host0, 2 and 3 from host2; two levels.
    Add(4, 1, 1, 1, "host0", "host1");
    Add(3, 1, 1, 1, "host0", "host1");
    Add(2, 1, 1, 1, "host2", "host3");
    Add(1, 1, 1, 1, "host2", "host3");
    m_view.priorityLevels = 2;
    EXPECT_EQ(GetLevels(MakeScheduler("Crux")->Decide(m_view)), (Levels{0, 1, 0, 1}));
    const ScheduleDecision plain = MakeScheduler("CruxPsPa")->Decide(m_view);
    EXPECT_EQ(GetLevels(plain), (Levels{0, 1, 1, 1}));
    EXPECT_EQ(plain.jobs[0].fallbacks.back(),
              "4 jobs need a level each, but there are 2: the last 3 share the lowest");
    // BSSI: of 2 s on host0 out job 1 goes last, of 2 s on host2 out job 3, then job 0; 2 is first.
    EXPECT_EQ(GetLevels(MakeScheduler("Sincronia")->Decide(m_view)), (Levels{1, 1, 0, 1}));
    EXPECT_EQ(GetLevels(MakeScheduler("Varys")->Decide(m_view)), (Levels{0, 0, 1, 1}));
}

TEST_F(OrderedSchedulerTest, LevelsAndSinglePathsAreFallbacks)
{
    Add(4, 1, 1, 1, "host0", "host1");
    const ScheduleDecision decision = MakeScheduler("Crux", {{"Levels", "8"}})->Decide(m_view);
    EXPECT_EQ(decision.jobs[0].fallbacks,
              (std::vector<std::string>{
                  "Levels is 8, but the fabric has 6 data priorities: these are used",
                  "no flow of the job has more than one path: none is selected"}));
    EXPECT_TRUE(MakeScheduler("CruxPa")->Decide(m_view).jobs[0].fallbacks.empty());
}

TEST_F(OrderedSchedulerTest, AShortJobShortensTheHorizon)
{
    Add(4, 1000, 1, 0, "host0", "host1");
    Add(4, 1e-6, 1e-6, 0, "host0", "host1");
    EXPECT_EQ(MakeScheduler("CruxPa")->Decide(m_view).jobs[0].fallbacks,
              std::vector<std::string>{"jobs were compared over 40000 iterations of the one with "
                                       "the shorter period, fewer than Horizon asks for"});
}

TEST_F(OrderedSchedulerTest, SincroniaAsWorkedOut)
{
    // schedulers.md 4: ports in are NICs out. A 0->0 2, B 0->1 1 and 1->0 1, C 1->1 3.
    Add(1, 1, 2, 1, "host0", "host4");
    JobView& second = Add(1, SECOND);
    AddFlow(m_topology, second, "host0", "host5", 1'000'000'000);
    AddFlow(m_topology, second, "host1", "host4", 1'000'000'000);
    Add(1, 1, 3, 1, "host1", "host5");
    const ScheduleDecision decision = MakeScheduler("Sincronia")->Decide(m_view);
    EXPECT_EQ(GetLevels(decision), (Levels{1, 0, 2}));
    EXPECT_EQ(decision.jobs[0].inputs,
              R"({"bytes":2000000000,"bottleneck_s":2,"ports":4,"bssi_position":1,"rank":1,)"
              R"("levels":6,"nics":{"host0.nic0":{"out":2000000000,"in":0,"bps":8000000000},)"
              R"("host4.nic0":{"out":0,"in":2000000000,"bps":8000000000}}})");
    EXPECT_EQ(decision.jobs[0].reason, "rank 2 of 3 by BSSI: a level of its own");
    EXPECT_TRUE(decision.jobs[0].paths.empty());
}

TEST_F(OrderedSchedulerTest, SincroniaInEpochs)
{
    // A: host0 to host4 2 s. B: 1 s each way between two pairs. C: 3 s. BSSI: B, A, C.
    Add(1, 1, 2, 1, "host0", "host4");
    JobView& second = Add(1, SECOND);
    AddFlow(m_topology, second, "host0", "host5", 1'000'000'000);
    AddFlow(m_topology, second, "host1", "host4", 1'000'000'000);
    Add(1, 1, 3, 1, "host1", "host5");
    // D, alone on its hosts, is admitted before C, which BSSI puts before it.
    Add(1, 1, 0.9, 1, "host8", "host12");
    const auto scheduler = MakeScheduler("Sincronia", {{"Epoch", "1s"}});
    EXPECT_EQ(scheduler->GetPeriodPs(), SECOND);
    EXPECT_EQ(MakeScheduler("Sincronia")->GetPeriodPs(), 0);
    // At 1 s the second epoch, of 2 s: A 1/2, B 1, C 1/3 (CoflowAdmissionTest), D 1.
    m_view.nowPs = SECOND;
    const ScheduleDecision decision = scheduler->Decide(m_view);
    EXPECT_TRUE(Has(decision.jobs[0].inputs, R"("epoch":1,"horizon_s":2,"admitted":0.5,)"))
        << decision.jobs[0].inputs;
    EXPECT_TRUE(Has(decision.jobs[2].inputs, R"("admitted":0.333333333333)"))
        << decision.jobs[2].inputs;
    const Levels levels = GetLevels(decision);
    EXPECT_EQ(levels[2], 3U);
    EXPECT_LT(levels[3], levels[2]);
    EXPECT_LT(levels[1], levels[0]);
}

TEST_F(OrderedSchedulerTest, UplinksCanBePorts)
{
    // Each NIC of job 0 carries 1 s; its four flows put 2 s on either uplink.
    JobView& first = Add(1, SECOND);
    for (int i = 0; i < 4; i++)
    {
        AddFlow(m_topology,
                first,
                "host" + std::to_string(i),
                "host" + std::to_string(4 + i),
                1'000'000'000);
    }
    Add(1, 1, 1.5, 1, "host8", "host12");
    EXPECT_EQ(GetLevels(MakeScheduler("Varys")->Decide(m_view)), (Levels{0, 1}));
    EXPECT_EQ(GetLevels(MakeScheduler("Varys", {{"Uplinks", "true"}})->Decide(m_view)),
              (Levels{1, 0}));
    const ScheduleDecision decision =
        MakeScheduler("Sincronia", {{"Uplinks", "true"}})->Decide(m_view);
    EXPECT_TRUE(Has(decision.jobs[0].inputs, R"("bottleneck_s":2,)")) << decision.jobs[0].inputs;
}

TEST_F(OrderedSchedulerTest, FartherGoesFirstInTacclStar)
{
    Add(9, 1, 3, 1, "host0", "host1"); // one switch
    Add(1, 1, 1, 1, "host0", "host4"); // three
    Add(1, 1, 2, 1, "host1", "host5"); // three, more bytes
    const ScheduleDecision decision = MakeScheduler("TacclStar")->Decide(m_view);
    EXPECT_EQ(GetLevels(decision), (Levels{2, 1, 0}));
    EXPECT_TRUE(Has(decision.jobs[0].inputs, R"({"switches":1,"bytes":3000000000,"rank":2,)"));
    // The first in the order chooses first.
    EXPECT_EQ(decision.jobs[2].paths[0],
              m_oracle.GetPaths(GetNic(m_topology, "host1"), GetNic(m_topology, "host5"))[0]);
    EXPECT_EQ(decision.jobs[1].paths[0],
              m_oracle.GetPaths(GetNic(m_topology, "host0"), GetNic(m_topology, "host4"))[1]);
    EXPECT_TRUE(decision.jobs[0].paths.empty());
}

TEST_F(OrderedSchedulerTest, MeasuresOfCongestion)
{
    // Four jobs from different hosts; I = 30, 20, 4, 3. C = 1, t = 1, all after the compute.
    Add(30, 1, 1, 1, "host0", "host4");
    Add(6, 0.25, 0.3, 0, "host1", "host5");
    Add(0.8, 0.6, 0.2, 1, "host2", "host6");
    const auto load = [&](const char* measure, size_t job) {
        const std::string inputs =
            MakeScheduler("Crux", {{"Load", measure}})->Decide(m_view).jobs[job].pathInputs.at(0);
        const size_t start = inputs.find("\"load\":") + 7;
        return std::stoull(inputs.substr(start));
    };
    // 8 Gbit over C + t = 2 s; over max(C, t); 8 Gbit; over 2 s times 30 / 30.
    EXPECT_EQ(load("rate", 0), 4 * GBPS);
    EXPECT_EQ(load("peak-rate", 0), 8 * GBPS);
    EXPECT_EQ(load("volume", 0), 8 * GBPS);
    EXPECT_EQ(load("intensity", 0), 4 * GBPS);
    // 2.4 Gbit over max(.25, .3), hidden as far as it goes; times 20 / 30.
    EXPECT_EQ(load("rate", 1), 8 * GBPS);
    EXPECT_EQ(load("intensity", 1), 5'333'333'333);
    // 1.6 Gbit over .8 s; times 4 / 30.
    EXPECT_EQ(load("rate", 2), 2 * GBPS);
    EXPECT_EQ(load("intensity", 2), 266'666'667);
}

TEST_F(OrderedSchedulerTest, APureFunctionOfViewAndSeed)
{
    for (int i = 0; i < 8; i++)
    {
        Add(8 - i, 1, 1, 1, "host" + std::to_string(i % 4), "host" + std::to_string(4 + i / 2));
    }
    m_view.priorityLevels = 3;
    const auto scheduler = MakeScheduler("Crux");
    const Levels levels = GetLevels(scheduler->Decide(m_view));
    std::set<Levels> seen;
    for (m_view.seed = 0; m_view.seed < 20; m_view.seed++)
    {
        seen.insert(GetLevels(scheduler->Decide(m_view)));
    }
    m_view.seed = 0;
    EXPECT_EQ(GetLevels(scheduler->Decide(m_view)), levels);
    // Other random orders may find another cut.
    EXPECT_GT(seen.size(), 1U);
}

TEST_F(OrderedSchedulerTest, AllTypesAreFound)
{
    for (const char* type :
         {"NoOrder", "IntensityOrder", "PairwiseOrder", "BssiOrder", "SebfOrder", "DistanceOrder"})
    {
        EXPECT_TRUE(TypeId::LookupByName(std::string("ns3::") + type)
                        .IsChildOf(TypeId::LookupByName("ns3::JobOrder")));
    }
}

TEST(PathSelectionTest, LargestLoadIsMOverN)
{
    // schedulers.md C14 with path selection: m flows over n paths, at most ceil(m / n) on one.
    for (const auto& [flows, paths] : std::vector<std::pair<uint32_t, uint32_t>>{{2, 2},
                                                                                 {4, 4},
                                                                                 {8, 8},
                                                                                 {4, 8},
                                                                                 {8, 16},
                                                                                 {16, 16},
                                                                                 {32, 16},
                                                                                 {7, 3}})
    {
        const ClusterTopology topology = MakeLeafSpine(2, flows, 8, paths, 8 * GBPS, 8 * GBPS);
        const FakePathOracle oracle(topology);
        ClusterView view = MakeView(topology, oracle);
        for (uint32_t i = 0; i < flows; i++)
        {
            view.jobs.push_back(MakeJob(i, 1, SECOND));
            AddFlow(topology,
                    view.jobs.back(),
                    "host" + std::to_string(i),
                    "host" + std::to_string(flows + i),
                    1'000'000);
        }
        const ScheduleDecision decision = MakeScheduler("CruxPsPa")->Decide(view);
        std::vector<uint32_t> count(topology.GetPortCount(), 0);
        for (const JobDecision& job : decision.jobs)
        {
            count[job.paths.at(0).at(1)]++;
        }
        EXPECT_EQ(*std::max_element(count.begin(), count.end()), (flows + paths - 1) / paths);
    }
}

TEST(PathSelectionTest, ProbesUntilAllPathsAreFound)
{
    // schedulers.md C26: UDP source ports tried in turn until every path is hit, coupon collector:
    // n H_n = 8.33 for 4 paths, 54.09 for 16. Its variance is n^2 sum 1/i^2 - n H_n; three standard
    // errors of 1,024 pairs are .36 and 1.8.
    for (const auto& [n, expected, tolerance] :
         std::vector<std::tuple<uint32_t, double, double>>{{4, 8.333, 0.36}, {16, 54.09, 1.8}})
    {
        const ClusterTopology topology = MakeLeafSpine(2, 32, 8, n, 8 * GBPS, 8 * GBPS);
        RoutingTable routing;
        routing.Build(topology, 1);
        const EcmpPathSelector selector;
        uint64_t probes = 0;
        for (uint32_t from = 0; from < 32; from++)
        {
            for (uint32_t to = 32; to < 64; to++)
            {
                const uint32_t source = topology.GetNodes()[from].ports[0];
                const uint32_t destination = topology.GetNodes()[to].ports[0];
                std::set<LinkPath> seen;
                for (uint32_t port = 49152; seen.size() < n; port++, probes++)
                {
                    ASSERT_LT(port, 65536U);
                    seen.insert(routing.GetPath(
                        source,
                        destination,
                        HashFiveTuple(source, destination, static_cast<uint16_t>(port)),
                        selector));
                }
            }
        }
        EXPECT_NEAR(static_cast<double>(probes) / 1024, expected, tolerance);
    }
}

} // namespace
} // namespace ns3
