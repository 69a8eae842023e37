/* SPDX-License-Identifier: GPL-2.0-only */
#include "network-fixture.h"

#include <array>

namespace ns3
{

/// Strict priority at switches and NICs: preemption is per frame.
class FabricStrictPriorityTest : public NetworkFixture
{
  protected:
    /// Time from post to delivery of the first flow of a list [ps].
    int64_t Measure(const ClusterTopology& graph, const std::vector<std::array<uint32_t, 4>>& list)
    {
        Restart();
        Build(graph);
        std::vector<PlainFlow> plain;
        for (const auto& flow : list)
        {
            plain.push_back(Flow(flow[0],
                                 flow[1],
                                 BYTES,
                                 static_cast<int64_t>(flow[2]) * 1'000,
                                 static_cast<uint8_t>(flow[3])));
        }
        Run(plain);
        EXPECT_EQ(transfers.size(), list.size());
        CheckConservation();
        for (const TransferRecord& transfer : transfers)
        {
            if (transfer.startPs == plain[0].atPs && transfer.priority == plain[0].priority)
            {
                return transfer.deliveredPs - transfer.startPs;
            }
        }
        return -1;
    }

    static constexpr uint64_t BYTES = 5'000'000;
    static constexpr int64_t FRAME_PS = (4'096 + 98) * 80; ///< largest frame at 100 Gb/s
};

TEST_F(FabricStrictPriorityTest, TwoEqualFlowsIntoOnePort)
{
    ClusterTopology graph = Star(3, 100 * G, US);
    // {from, to, at [ns], priority}
    int64_t solo = Measure(graph, {{0, 2, 30'000, 5}});
    for (uint32_t at : {0u, 29'900u, 30'000u, 30'100u, 31'337u})
    {
        int64_t high = Measure(graph, {{0, 2, 30'000, 5}, {1, 2, at, 2}});
        // Only the egress port of the switch is shared: one frame may be in its way.
        EXPECT_GE(high, solo);
        EXPECT_LE(high, solo + FRAME_PS) << at;
        // The lower one waits for the whole of the other: both take two solo times, back to back.
        auto low = std::find_if(transfers.begin(), transfers.end(), [](const auto& transfer) {
            return transfer.priority == 2;
        });
        ASSERT_NE(low, transfers.end());
        int64_t wire = network.GetTransport()->GetFraming(Nic(0)).GetMessageWireBytes(BYTES) * 80;
        int64_t start = std::min<int64_t>(at, 30'000) * 1'000;
        EXPECT_NEAR(static_cast<double>(low->deliveredPs - start),
                    static_cast<double>(2 * wire + FRAME_PS + 2 * US),
                    1.0 * std::abs(30'000 - static_cast<int64_t>(at)) * 1'000 * (at > 30'000) + 1);
    }
}

TEST_F(FabricStrictPriorityTest, AtMostOneFrameAHop)
{
    // h0 and h1 under one leaf, h2 and h3 under the other; three ports are shared on the way to h2,
    // the last but one of them with a flow from elsewhere, too.
    ClusterTopology graph = LeafSpine(3, 2, 1, 100 * G, 100 * G, US);
    int64_t solo = Measure(graph, {{0, 2, 50'000, 5}});
    for (uint32_t at : {0u, 20'011u, 50'000u, 50'007u})
    {
        int64_t high = Measure(graph, {{0, 2, 50'000, 5}, {1, 2, at, 2}, {4, 2, at + 1, 3}});
        EXPECT_GE(high, solo);
        EXPECT_LE(high, solo + 3 * FRAME_PS) << at;
    }
}

TEST_F(FabricStrictPriorityTest, TheNicObeysTheSameOrder)
{
    // Both flows from one host: its NIC is the port that is shared first.
    ClusterTopology graph = Star(3, 100 * G, US);
    int64_t solo = Measure(graph, {{0, 2, 30'000, 5}});
    for (uint32_t at : {0u, 29'900u, 30'000u, 31'000u})
    {
        for (uint32_t to : {1u, 2u})
        {
            int64_t high = Measure(graph, {{0, 2, 30'000, 5}, {0, to, at, 2}});
            EXPECT_GE(high, solo);
            EXPECT_LE(high, solo + 2 * FRAME_PS) << at;
        }
    }
}

TEST_F(FabricStrictPriorityTest, SixLevelsFinishInOrder)
{
    // Six equal flows into one port, posted at once: each finishes when all above it are done.
    Build(Star(7, 100 * G, US));
    std::vector<PlainFlow> list;
    for (uint8_t priority = 1; priority <= 6; ++priority)
    {
        list.push_back(Flow(priority - 1u, 6, BYTES, 0, priority));
    }
    Run(list);
    ASSERT_EQ(transfers.size(), 6u);
    int64_t wire = network.GetTransport()->GetFraming(Nic(0)).GetMessageWireBytes(BYTES) * 80;
    for (const TransferRecord& transfer : transfers)
    {
        int64_t expected = (7 - transfer.priority) * wire + FRAME_PS + 2 * US;
        // At worst one frame of each lower level was in the way, and the pauses of this level end
        // in time.
        EXPECT_NEAR(static_cast<double>(transfer.deliveredPs),
                    static_cast<double>(expected),
                    static_cast<double>(5 * FRAME_PS))
            << +transfer.priority;
    }
    CheckConservation();
}

} // namespace ns3
