/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/scenario-runner.h"
#include "../fixture/scenario-fixture.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ns3
{

/// Faults of the network's configuration that show only when it is built.
class FabricFaultsTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /// What is printed of a scenario that is wrong in its fourth line.
    std::string GetMessages(const std::string& defaults)
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        ScenarioRunnerOptions options;
        options.scenario = m_folder.Write("s.yaml",
                                          "schema: gpu-fabric/1\n"
                                          "topology: {type: Star, Hosts: 2}\n"
                                          "flows: [{from: host0, to: host1, bytes: 1B}]\n" +
                                              defaults + "\n");
        options.output = m_folder.GetPath("out.sqlite");
        options.quiet = true;
        std::ostringstream out;
        std::ostringstream err;
        EXPECT_EQ(ScenarioRunner(out, err).Run(options), ScenarioRunner::BAD_INPUT);
        return err.str();
    }

    ScenarioFolder m_folder;
};

TEST_F(FabricFaultsTest, OfAnAttributeIsShownWhereItIsSet)
{
    const std::string messages = GetMessages("defaults: {ns3::Fabric::ControlPriority: 8}");
    EXPECT_NE(messages.find("s.yaml:4:42: defaults.ns3::Fabric::ControlPriority: ControlPriority 8 "
                            "is not one of the 8 queues"),
              std::string::npos)
        << messages;
}

TEST_F(FabricFaultsTest, OfASwitchIsShownAtTheTopology)
{
    const std::string messages = GetMessages("defaults: {ns3::FabricSwitch::BufferSize: 1000B}");
    EXPECT_NE(messages.find("s.yaml:2:11: topology: "), std::string::npos) << messages;
    EXPECT_NE(messages.find(": the headroom of the ports up to "), std::string::npos) << messages;
}

TEST_F(FabricFaultsTest, TextsAreRefusedWhenTheyAreRead)
{
    const std::string messages = GetMessages("defaults: {ns3::Fabric::DscpMap: '0,64'}");
    EXPECT_NE(messages.find("\"64\" is no DSCP, an integer from 0 to 63"), std::string::npos)
        << messages;
    EXPECT_NE(messages.find("s.yaml:4:"), std::string::npos) << messages;
}

} // namespace ns3
