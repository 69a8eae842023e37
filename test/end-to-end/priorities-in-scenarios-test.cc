/* SPDX-License-Identifier: GPL-2.0-only */

// Priorities of control frames, of faults and of lossy data.

#include "../fixture/scenario-run-fixture.h"

#include <string>
#include <vector>

namespace ns3
{

class PrioritiesInScenariosTest : public ScenarioRunFixture
{
  protected:
    static std::string Star(const std::string& defaults = "")
    {
        return "topology: {type: Star, Hosts: 3, NicRate: 100Gb/s}\n" +
               (defaults.empty() ? "" : "defaults: {" + defaults + "}\n");
    }

    /// A flow from host0 and one from host1 to host2, of priorities 3 and 4.
    static std::string Incast()
    {
        return "flows:\n"
               "  - {from: host0, to: host2, bytes: 4MB, priority: 3}\n"
               "  - {from: host1, to: host2, bytes: 4MB, priority: 4}\n";
    }

    /// Priorities of which host2 has sent frames.
    std::vector<std::string> GetSentByHost2() const
    {
        return Rows("SELECT DISTINCT priority FROM link_sample AS w JOIN link USING (run, link) "
                    "WHERE name = 'host2-switch0' AND w.frames > 0 ORDER BY priority");
    }

    /// When each transfer was completed [ms].
    std::vector<double> GetEnds() const
    {
        return Column("SELECT completed_ps / 1e9 FROM transfer ORDER BY queue_pair, message");
    }
};

TEST_F(PrioritiesInScenariosTest, CnpsHaveThePriorityOfAcksUnlessTheyAreGivenOne)
{
    const std::string record = "record: [transfers, {links: {interval: 100us}}]\n";
    Run(Star() + Incast() + record);
    EXPECT_EQ(GetSentByHost2(), (std::vector<std::string>{"7"}));
    Run(Star("ns3::Fabric::CnpPriority: 6") + Incast() + record);
    EXPECT_EQ(GetSentByHost2(), (std::vector<std::string>{"6", "7"}));
    // It follows the priority of other control frames.
    Run(Star("ns3::Fabric::ControlPriority: 5") + Incast() + record);
    EXPECT_EQ(GetSentByHost2(), (std::vector<std::string>{"5"}));
    EXPECT_EQ(Try(Star("ns3::Fabric::CnpPriority: 8") + Incast()), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("CnpPriority 8 is not one of the 8 queues"), std::string::npos)
        << messages;
}

TEST_F(PrioritiesInScenariosTest, APriorityOfCnpsHasNoData)
{
    Run(Star("ns3::Fabric::CnpPriority: 6") +
        "flows: [{from: host0, to: host2, bytes: 1MB}]\nrecord: [transfers]\n");
    EXPECT_EQ(Rows("SELECT priority FROM transfer"), (std::vector<std::string>{"5"}));
}

TEST_F(PrioritiesInScenariosTest, BothCanBeMoved)
{
    Run(Star("ns3::Fabric::ControlPriority: 5, ns3::Fabric::CnpPriority: 7") + Incast() +
        "record: [transfers, {links: {interval: 100us}}]\n");
    EXPECT_EQ(GetSentByHost2(), (std::vector<std::string>{"5", "7"}));
}

TEST_F(PrioritiesInScenariosTest, StormsOfOneNicOneAfterTheOther)
{
    Run(Star("ns3::RoceNic::CongestionControl: ns3::FixedRate") + Incast() +
        "faults:\n"
        "  - {at: 10us, for: 2ms, nic: host2.nic0, action: storm, priority: 3}\n"
        "  - {at: 3ms, for: 2ms, nic: host2.nic0, action: storm, priority: 4}\n"
        "record: [transfers]\n");
    EXPECT_GT(GetEnds().at(0), 2);
    EXPECT_LT(GetEnds().at(0), 3);
    EXPECT_LT(GetEnds().at(1), 1);
}

TEST_F(PrioritiesInScenariosTest, AStormHoldsBackItsPriorityOnly)
{
    const std::string fixed = "ns3::RoceNic::CongestionControl: ns3::FixedRate";
    const std::string storm = "faults: [{at: 10us, for: 5ms, nic: host2.nic0, action: storm";
    Run(Star(fixed) + Incast() + storm + ", priority: 3}]\nrecord: [transfers, events]\n");
    EXPECT_GT(GetEnds().at(0), 5);
    EXPECT_LT(GetEnds().at(0), 5.5);
    EXPECT_LT(GetEnds().at(1), 1);
    EXPECT_EQ(Rows("SELECT kind FROM fabric_event WHERE kind LIKE 'nic-%'"),
              (std::vector<std::string>{"nic-storm", "nic-normal"}));
    // All that are lossless.
    Run(Star(fixed) + Incast() + storm + "}]\nrecord: [transfers, events]\n");
    EXPECT_GT(GetEnds().at(0), 5);
    EXPECT_GT(GetEnds().at(1), 5);
    // Without it, nothing is held back.
    Run(Star(fixed) + Incast() + "record: [transfers]\n");
    EXPECT_LT(GetEnds().at(0), 1);
    // A lossy priority is never paused.
    EXPECT_EQ(Try(Star() + Incast() + storm + ", priority: 0}]\n"), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(messages.find("faults[0]: priority 0 cannot be paused: the lossless ones "
                            "(ns3::FabricSwitch::LosslessMask) are 1, 2, 3, 4, 5, 6"),
              std::string::npos)
        << messages;
}

TEST_F(PrioritiesInScenariosTest, FlowsOfALossyPriorityRunAndAreNamed)
{
    const std::string flows = "flows:\n"
                              "  - {from: host0, to: host2, bytes: 4MB, priority: 0}\n"
                              "  - {from: host1, to: host2, bytes: 4MB, priority: 0}\n"
                              "  - {from: host1, to: host2, bytes: 1MB, priority: 2}\n"
                              "record: [transfers, events]\n";
    Run(Star("ns3::FabricSwitch::BufferSize: 3MB") + flows);
    EXPECT_EQ(GetEnds().size(), 3U);
    EXPECT_NE(messages.find("flows of priority 0 are lossy: PFC holds back the priorities of "
                            "ns3::FabricSwitch::LosslessMask only, which are 1, 2, 3, 4, 5, 6"),
              std::string::npos)
        << messages;
    EXPECT_EQ(messages.find("flows of priority 2"), std::string::npos) << messages;
    // Only one is lossless: the others are named.
    Run(Star("ns3::FabricSwitch::LosslessMask: 4") + flows);
    EXPECT_EQ(GetEnds().size(), 3U);
    EXPECT_NE(messages.find("which are 2"), std::string::npos) << messages;
}

} // namespace ns3
