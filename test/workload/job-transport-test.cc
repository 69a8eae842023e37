/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/workload-job-fixture.h"

#include "ns3/config.h"
#include "ns3/string.h"

using namespace ns3;

namespace
{

class JobTransportTest : public TrainingJobFixture
{
};

} // namespace

TEST_F(JobTransportTest, QueuePairsGetPathAndPriorityAndAreClosed)
{
    MakeCluster(2, 8, 4);
    Ptr<TrainingJob> job = MakeJob(
        MakeSpec(1),
        MakeProgram(16, {Compute(20 * US, {{1, true}}), AllReduce(0, 64'000, {{0, false}})}));
    // 4 channels, each two ways between the hosts; each 2 * 15/16 * 64,000/4 B in 30 messages.
    const std::vector<JobFlow>& flows = job->GetTraffic().flows;
    ASSERT_EQ(flows.size(), 8u);
    for (uint32_t f = 0; f < 8; f++)
    {
        const uint32_t channel = f / 2;
        EXPECT_EQ(flows[f].channel, channel);
        // Leaves by the GPU before the chain's first: 2c, and enters at 2c + 1.
        EXPECT_EQ(flows[f].sourceRank, 2 * channel + (f % 2 == 0 ? 0 : 8));
        EXPECT_EQ(flows[f].destinationRank, 2 * channel + 1 + (f % 2 == 0 ? 8 : 0));
        EXPECT_EQ(m_topology.GetPortName(flows[f].sourceNic),
                  (f % 2 == 0 ? "host0.nic" : "host1.nic") + std::to_string(channel));
        EXPECT_EQ(m_topology.GetPortName(flows[f].destinationNic),
                  (f % 2 == 0 ? "host1.nic" : "host0.nic") + std::to_string(channel));
        EXPECT_EQ(flows[f].payloadBytes, 30'000u);
        EXPECT_EQ(flows[f].messageCount, 30u);
        EXPECT_EQ(flows[f].messages, (std::vector<std::pair<uint64_t, uint64_t>>{{1000, 30}}));
        // 48 B of headers a message.
        EXPECT_EQ(flows[f].Sum([](uint64_t bytes) { return bytes + 48; }), 31'440u);
    }
    m_environment->defaultPriority = 3;
    job->GetTransport()->Apply(0, {{3, 50'000, 6, 1}});
    job->Start(0, 0, 0);
    ASSERT_EQ(m_network.lines.size(), 8u);
    EXPECT_EQ(m_network.lines[3].config.udpSourcePort, 50'000u);
    EXPECT_EQ(m_network.lines[3].config.priority, 6u);
    EXPECT_EQ(m_network.lines[2].config.udpSourcePort, 0u);
    EXPECT_EQ(m_network.lines[2].config.priority, 3u);
    job->GetTransport()->Apply(0, {{3, 50'001, 5, 17}});
    EXPECT_EQ(m_network.lines[3].config.udpSourcePort, 50'001u);
    EXPECT_EQ(m_network.lastDecision, 17u);
    Simulator::Run();
    for (const FakeNetwork::Line& line : m_network.lines)
    {
        EXPECT_EQ(line.bytes, 30'000u);
        EXPECT_EQ(line.messages, 30u);
        EXPECT_TRUE(line.open);
    }
    EXPECT_TRUE(job->Release(m_finishedPs));
    for (const FakeNetwork::Line& line : m_network.lines)
    {
        EXPECT_FALSE(line.open);
    }
}

TEST_F(JobTransportTest, NvlinkCarriesWhatStaysOnAHost)
{
    MakeCluster(1, 4, 1);
    Run(MakeSpec(1),
        MakeProgram(4, {Compute(US, {{1, true}}), AllReduce(0, 4'000'000, {{0, false}})}));
    EXPECT_TRUE(m_network.lines.empty());
    // 6 steps of 1 MB at 300 GB/s = 3,333,333.33 ps. Each step starts when the one before has
    // arrived, back to back, so the fractions add up: 20,000,000 ps in all.
    EXPECT_EQ(m_finishedPs, US + 20 * US);
    EXPECT_EQ(m_iterations[0].bytes, 0u);
}

TEST_F(JobTransportTest, NvlinkDelayAndStepOverheadAreAddedToEachStep)
{
    MakeCluster(2, 2, 1);
    Config::SetDefault("ns3::JobTransport::NvlinkDelay", StringValue("500ns"));
    Config::SetDefault("ns3::JobTransport::StepOverhead", StringValue("2us"));
    m_network.psPerByte = 0;
    m_network.latencyPs = 5 * US;
    Run(MakeSpec(1),
        MakeProgram(4, {Compute(US, {{1, true}}), AllReduce(0, 1'200'000, {{0, false}})}));
    Config::SetDefault("ns3::JobTransport::NvlinkDelay", StringValue("0ps"));
    Config::SetDefault("ns3::JobTransport::StepOverhead", StringValue("0ps"));
    // The ring 0, 1 | 2, 3: edges 0-1 and 2-3 are NVLink: 2 + 1 (300 kB) + 0.5 us; 1-2 and 3-0
    // network: 2 + 5 us. A chunk takes 6 hops, at most 3 network ones and 3 others in turn.
    EXPECT_EQ(m_finishedPs, US + 3 * (3'500'000 + 7 * US));
}
