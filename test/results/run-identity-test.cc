/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/run-identity.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace tests
{

class RunIdentityTest : public testing::Test
{
  protected:
    RunIdentity m_identity{"schema: gpu-fabric/1\n", "Crux", 1, {"a=1", "b=2"}, "0.1.0"};
};

TEST_F(RunIdentityTest, HashIsFnv1a)
{
    // The offset basis; "a" and "foobar" recomputed with integers of any length: for each byte
    // h = (h xor byte) x (2^88 + 0x13b) mod 2^128.
    EXPECT_EQ(RunIdentity::Hash(""), "6c62272e07bb014262b821756295c58d");
    EXPECT_EQ(RunIdentity::Hash("a"), "d228cb696f1a8caf78912b704e4a8964");
    EXPECT_EQ(RunIdentity::Hash("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

TEST_F(RunIdentityTest, RunIdDependsOnAll)
{
    const std::string id = m_identity.GetRunId();
    RunIdentity other = m_identity;
    EXPECT_EQ(other.GetRunId(), id);
    other.overrides = {"b=2", "a=1"};
    EXPECT_EQ(other.GetRunId(), id); // order does not matter
    other.overrides = {"a=1b", "=2"};
    EXPECT_NE(other.GetRunId(), id);
    other = m_identity;
    other.scenarioText += " ";
    EXPECT_NE(other.GetRunId(), id);
    other = m_identity;
    other.version = "0.1.1";
    EXPECT_NE(other.GetRunId(), id);
    other = m_identity;
    other.seed = 2;
    EXPECT_NE(other.GetRunId(), id);
    other = m_identity;
    other.scheduler = "None";
    EXPECT_NE(other.GetRunId(), id);
}

TEST_F(RunIdentityTest, CampaignKeyLeavesSeedAndSchedulerOut)
{
    RunIdentity other = m_identity;
    other.seed = 2;
    other.scheduler = "None";
    EXPECT_EQ(other.GetCampaignKey(), m_identity.GetCampaignKey());
    other.overrides.emplace_back("c=3");
    EXPECT_NE(other.GetCampaignKey(), m_identity.GetCampaignKey());
}

} // namespace tests
} // namespace ns3
