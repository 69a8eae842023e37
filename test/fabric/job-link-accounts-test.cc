/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/fabric/job-link-accounts.h"
#include "../fixture/network-fixture.h"

#include <set>

namespace ns3
{

class JobLinkAccountsTest : public NetworkFixture
{
  protected:
    static Frame MakeFrame(uint32_t job, uint8_t priority, uint32_t bytes, bool marked = false)
    {
        Frame frame{};
        frame.job = static_cast<uint16_t>(job + 1);
        frame.priority = priority;
        frame.wireBytes = bytes;
        frame.markedHere = marked;
        return frame;
    }
};

TEST_F(JobLinkAccountsTest, CountsByJobLinkAndPriority)
{
    JobLinkAccounts accounts;
    std::vector<FabricPort> ports(2);
    // 100 Gb/s: 80 ps a byte.
    ports[0].psPerByte = ports[1].psPerByte = 80ull << 20;
    accounts.Resize(2);
    accounts.Count(1, ports[1], MakeFrame(5, 3, 1000), 10);
    accounts.Count(1, ports[1], MakeFrame(2, 3, 500, true), 20);
    accounts.Count(1, ports[1], MakeFrame(5, 3, 1000, true), 30);
    accounts.Count(0, ports[0], MakeFrame(5, 3, 100), 0);
    accounts.Count(1, ports[1], MakeFrame(5, 7, 86), 1);
    accounts.CountPause(1, 3, 1'000'000);
    // Jobs that had not sent there when the pause ended are not charged.
    accounts.Count(1, ports[1], MakeFrame(9, 3, 77), 0);

    auto rows = accounts.Get(ports);
    ASSERT_EQ(rows.size(), 5u);
    auto check = [&](size_t i,
                     uint32_t job,
                     uint32_t link,
                     uint32_t priority,
                     uint64_t bytes,
                     uint64_t frames,
                     uint64_t marked,
                     int64_t queue,
                     int64_t paused) {
        EXPECT_EQ(rows[i].job, job) << i;
        EXPECT_EQ(rows[i].link, link) << i;
        EXPECT_EQ(rows[i].priority, priority) << i;
        EXPECT_EQ(rows[i].bytes, bytes) << i;
        EXPECT_EQ(rows[i].frames, frames) << i;
        EXPECT_EQ(rows[i].markedFrames, marked) << i;
        EXPECT_EQ(rows[i].queuePs, queue) << i;
        EXPECT_EQ(rows[i].pausedPs, paused) << i;
        EXPECT_EQ(rows[i].busyPs, static_cast<int64_t>(bytes * 80)) << i;
    };
    check(0, 2, 1, 3, 500, 1, 1, 20, 1'000'000);
    check(1, 5, 0, 3, 100, 1, 0, 0, 0);
    check(2, 5, 1, 3, 2000, 2, 1, 40, 1'000'000);
    check(3, 5, 1, 7, 86, 1, 0, 1, 0);
    check(4, 9, 1, 3, 77, 1, 0, 0, 0);
}

TEST_F(JobLinkAccountsTest, AddUpToTheCountersOfTheLinks)
{
    // Three jobs and a plain flow into one host, with PFC and marks.
    Set("ns3::RedEcnMarker::Kmin", 20'000);
    Set("ns3::RedEcnMarker::Kmax", 100'000);
    Set("ns3::FabricSwitch::BufferSize", 3'000'000);
    Build(Star(5, 100 * G, US));
    network.GetFabric()->EnableAccounting(true);
    RecordingClient client;
    // 65,534 is the largest job that a frame can name.
    const uint32_t jobs[] = {0, 7, 65'534, NO_ID};
    for (uint32_t i = 0; i < 4; ++i)
    {
        QueuePairConfig config;
        config.sourceNic = Nic(i);
        config.destinationNic = Nic(4);
        config.priority = 3;
        config.client = &client;
        config.job = jobs[i];
        Post(network.GetTransport()->CreateQueuePair(0, config), 3'000'000);
    }
    Simulator::Run();
    network.GetFabric()->FinishPauses(Simulator::Now().GetTimeStep());
    CheckConservation();
    EXPECT_GT(GetFabricTotals().xoff, 0u);
    EXPECT_GT(GetFabricTotals().markedFrames, 0u);

    std::map<std::pair<uint32_t, uint32_t>, LinkCounters> sums;
    std::set<uint32_t> seen;
    for (const JobLinkCounters& row : network.GetFabric()->GetJobLinkCounters())
    {
        seen.insert(row.job);
        LinkCounters& sum = sums[{row.link, row.priority}];
        sum.bytes += row.bytes;
        sum.frames += row.frames;
        sum.markedFrames += row.markedFrames;
        // One job a host: each is charged with the pauses of its own cable.
        if (row.link < 8 && row.link % 2 == 0 && row.priority == 3)
        {
            EXPECT_EQ(row.pausedPs, network.GetFabric()->GetLinkCounters(row.link, 3).pausedPs);
        }
    }
    // A plain flow is one of no job.
    EXPECT_EQ(seen, (std::set<uint32_t>{0, 7, 65'534, NO_ID}));
    for (uint32_t link : {Nic(0), Nic(1), Nic(2), Nic(3), Nic(4) ^ 1})
    {
        LinkCounters counters = network.GetFabric()->GetLinkCounters(link, 3);
        EXPECT_EQ((sums[{link, 3}].bytes), counters.bytes);
        EXPECT_EQ((sums[{link, 3}].frames), counters.frames);
        EXPECT_EQ((sums[{link, 3}].markedFrames), counters.markedFrames);
    }
}

TEST_F(JobLinkAccountsTest, AJobThatAFrameCannotNameIsRefused)
{
    Build(Star(2, 100 * G, US));
    QueuePairConfig config;
    config.sourceNic = Nic(0);
    config.destinationNic = Nic(1);
    config.job = 65'534;
    network.GetTransport()->CreateQueuePair(0, config);
    config.job = 65'535;
    EXPECT_DEATH(network.GetTransport()->CreateQueuePair(0, config), "65535 is too large");
}

} // namespace ns3
