/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/cluster/actuator.h"
#include "../../model/scheduler/cluster-names.h"
#include "../fixture/scheduler-fakes.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

class ActuatorTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        m_log.Configure(m_topology,
                        [this](const DecisionRecord& record) { m_records.push_back(record); });
        m_actuator.Configure(m_topology, m_log);
        m_log.SetWarningCallback(
            [this](const std::string& warning) { m_warnings.push_back(warning); });
        JobView job;
        AddFlow(m_topology, job, "host0", "host1", 1000);
        AddFlow(m_topology, job, "host1", "host0", 1000);
        m_job.name = "bert";
        m_job.flows = FlowSteering(1, "bert", m_oracle, job.flows);
        m_base.timePs = 77;
        m_base.scheduler = "ns3::TestScheduler";
        m_base.trigger = "arrival";
        m_base.job = 4;
        m_decision.job = 4;
        m_decision.inputs = R"({"I":1})";
        m_decision.reason = "because";
        m_decision.pathReason = "least congested";
    }

    /// Candidate paths of flow 0.
    std::vector<LinkPath> GetPaths() const
    {
        const FlowView& flow = m_job.flows.GetFlows()[0];
        return m_oracle.GetPaths(flow.sourceNic, flow.destinationNic);
    }

    uint16_t GetPort(uint32_t flow) const
    {
        return m_job.flows.GetFlows()[flow].udpSourcePort;
    }

    const ClusterTopology m_topology = MakeLeafSpine(2, 1, 8, 4, 1000, 1000);
    FakePathOracle m_oracle{m_topology};
    DecisionLog m_log;
    Actuator m_actuator;
    JobSteering m_job;
    DecisionRecord m_base;
    JobDecision m_decision;
    std::vector<DecisionRecord> m_records;
    std::vector<std::string> m_warnings;
};

TEST_F(ActuatorTest, FirstDecisionSetsAllFlows)
{
    m_decision.level = 2;
    const JobUpdate update = m_actuator.Plan(m_base, &m_decision, m_job);
    EXPECT_TRUE(update.start);
    ASSERT_EQ(update.flows.size(), 2U);
    for (uint32_t flow = 0; flow < 2; flow++)
    {
        EXPECT_EQ(update.flows[flow].flow, flow);
        EXPECT_EQ(update.flows[flow].udpSourcePort, FlowSteering::GetDefaultPort(1, "bert", flow));
        EXPECT_EQ(update.flows[flow].priority, 4); // 6 - 2
        EXPECT_EQ(update.flows[flow].decision, 0U);
    }
    ASSERT_EQ(m_records.size(), 1U);
    EXPECT_EQ(m_records[0].decision, 0U);
    EXPECT_EQ(m_records[0].timePs, 77);
    EXPECT_EQ(m_records[0].scheduler, "ns3::TestScheduler");
    EXPECT_EQ(m_records[0].trigger, "arrival");
    EXPECT_EQ(m_records[0].job, 4U);
    EXPECT_EQ(m_records[0].kind, "priority");
    EXPECT_EQ(m_records[0].value, "level 2");
    EXPECT_EQ(m_records[0].inputs, R"({"I":1})");
    EXPECT_EQ(m_records[0].reason, "because");
}

TEST_F(ActuatorTest, SameAgainChangesNothing)
{
    m_actuator.Plan(m_base, &m_decision, m_job);
    const JobUpdate update = m_actuator.Plan(m_base, &m_decision, m_job);
    EXPECT_FALSE(update.start);
    EXPECT_TRUE(update.flows.empty());
    EXPECT_EQ(m_records.size(), 2U); // it was decided all the same
    m_decision.level = 5;
    EXPECT_EQ(m_actuator.Plan(m_base, &m_decision, m_job).flows.size(), 2U);
    EXPECT_EQ(m_job.level, 5U);
}

TEST_F(ActuatorTest, JobThatIsNotSpokenOf)
{
    m_decision.level = 3;
    m_actuator.Plan(m_base, &m_decision, m_job);
    m_records.clear();
    EXPECT_TRUE(m_actuator.Plan(m_base, nullptr, m_job).flows.empty());
    EXPECT_EQ(m_job.level, 3U);
    EXPECT_TRUE(m_records.empty());

    JobSteering fresh;
    fresh.name = "gpt";
    fresh.flows = FlowSteering(1, "gpt", m_oracle, m_job.flows.GetFlows());
    const JobUpdate update = m_actuator.Plan(m_base, nullptr, fresh);
    EXPECT_TRUE(update.start);
    ASSERT_EQ(update.flows.size(), 2U);
    EXPECT_EQ(update.flows[0].priority, 6);
    EXPECT_EQ(update.flows[0].decision, NO_ID);
}

TEST_F(ActuatorTest, PathsComeFromTheirOwnRecord)
{
    m_actuator.Plan(m_base, &m_decision, m_job);
    m_records.clear();
    const uint16_t port = GetPort(0);
    const uint32_t index = (port + 1) % 4;
    m_decision.paths = {GetPaths()[index]};
    m_decision.pathInputs = {R"({"max":0.5})"};
    JobUpdate update = m_actuator.Plan(m_base, &m_decision, m_job);
    ASSERT_EQ(update.flows.size(), 1U);
    EXPECT_EQ(update.flows[0].flow, 0U);
    EXPECT_EQ(update.flows[0].udpSourcePort, 49152 + index);
    EXPECT_EQ(update.flows[0].decision, 2U); // 0 and 1 are priorities
    ASSERT_EQ(m_records.size(), 2U);
    const std::string spine = "spine" + std::to_string(index);
    EXPECT_EQ(m_records[1].kind, "path");
    EXPECT_EQ(m_records[1].value, "leaf0-" + spine + " " + spine + "-leaf1");
    EXPECT_EQ(m_records[1].inputs,
              R"({"flow":0,"source":"host0.nic0","destination":"host1.nic0","udp_source_port":)" +
                  std::to_string(49152 + index) + R"(,"max":0.5})");
    EXPECT_EQ(m_records[1].reason, "least congested");

    // With another level both flows change, flow 0 by the record of its path if that changes too.
    m_decision.level = 1;
    m_decision.paths = {GetPaths()[(index + 1) % 4]};
    update = m_actuator.Plan(m_base, &m_decision, m_job);
    ASSERT_EQ(update.flows.size(), 2U);
    EXPECT_EQ(update.flows[0].decision, 4U);
    EXPECT_EQ(update.flows[1].decision, 3U);

    // Left to ECMP again.
    m_records.clear();
    m_decision.paths.clear();
    update = m_actuator.Plan(m_base, &m_decision, m_job);
    ASSERT_EQ(update.flows.size(), 1U);
    EXPECT_EQ(update.flows[0].udpSourcePort, port);
    ASSERT_EQ(m_records.size(), 2U);
    EXPECT_EQ(m_records[1].value, "ECMP");
    EXPECT_EQ(m_records[1].reason, "because");
}

TEST_F(ActuatorTest, UnreachablePathIsAFallbackWithAWarning)
{
    const uint16_t port = GetPort(0);
    const uint32_t index = (port + 1) % 4;
    m_oracle.PutOutOfReach(index);
    m_decision.paths = {GetPaths()[index]};
    const JobUpdate update = m_actuator.Plan(m_base, &m_decision, m_job);
    EXPECT_EQ(update.flows[0].udpSourcePort, port);
    EXPECT_EQ(update.flows[0].decision, 0U);
    const std::string spine = "spine" + std::to_string(index);
    const std::string reason = "no UDP source port of host0.nic0 reaches leaf0-" + spine + " " +
                               spine + "-leaf1: left to ECMP";
    ASSERT_EQ(m_records.size(), 2U);
    EXPECT_EQ(m_records[1].kind, "fallback");
    EXPECT_EQ(m_records[1].reason, reason);
    EXPECT_EQ(m_warnings, std::vector<std::string>{"job bert, flow 0: " + reason});
}

TEST_F(ActuatorTest, ShiftsAndFallbacks)
{
    m_decision.shiftPs = 5'000'000;
    m_decision.fallbacks = {"first", "second"};
    m_actuator.Plan(m_base, &m_decision, m_job);
    const JobUpdate update = m_actuator.Plan(m_base, &m_decision, m_job);
    EXPECT_EQ(update.shiftPs, 5'000'000);
    EXPECT_TRUE(update.flows.empty());
    ASSERT_EQ(m_records.size(), 8U);
    EXPECT_EQ(m_records[5].kind, "shift");
    EXPECT_EQ(m_records[5].value, "5000000 ps");
    EXPECT_EQ(m_records[6].kind, "fallback");
    EXPECT_EQ(m_records[6].reason, "first");
    EXPECT_EQ(m_records[7].reason, "second");
    for (uint32_t i = 0; i < 8; i++)
    {
        EXPECT_EQ(m_records[i].decision, i);
    }
    // Recorded with each decision; the user is told once.
    EXPECT_EQ(m_warnings, (std::vector<std::string>{"job bert: first", "job bert: second"}));
}

TEST_F(ActuatorTest, PriorityMap)
{
    m_actuator.SetPriorityMap({8, 8}); // ten queues: control 9, data 8 to 1
    m_decision.level = 7;
    EXPECT_EQ(m_actuator.Plan(m_base, &m_decision, m_job).flows[0].priority, 1);
}

TEST(ClusterNamesTest, PathsAndGpus)
{
    ClusterTopology topology = MakeLeafSpine(1, 2, 8, 0, 1000, 1000);
    // host0 to host1 under one leaf: no link between switches.
    EXPECT_EQ(GetPathName(topology, {0, 3}), "host0-leaf0 leaf0-host1");
    EXPECT_EQ(GetGpuNames(topology, {0, 1, 2, 4, 5, 7, 8, 15}), "host0:0-2,4-5,7 host1:0,7");
    EXPECT_EQ(GetGpuNames(topology, {6, 7, 8, 9}), "host0:6-7 host1:0-1");
    EXPECT_EQ(GetGpuNames(topology, {}), "");
}

} // namespace
} // namespace ns3
