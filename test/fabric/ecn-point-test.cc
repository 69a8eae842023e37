/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

namespace ns3
{

/**
 * Which bytes decide a mark. Two hosts send m frames each at full rate into one port of the same
 * rate, whose marker is a step at c and a half frames. Frames are S = 4,178 B on the wire, the
 * first of a message 16 B longer. Pair k (from 0) arrives k S after the first; the port starts
 * frame j (from 0) j S + 32 B times after that, from j = 2 on, so that no two events coincide.
 *
 * On arrival, the first frame of pair k meets 2 k - k = k waiting frames, the second k + 1: those
 * that meet more than c are marked, m - 1 - c and m - c of them, all before the last pair has
 * arrived.
 *
 * On departure, frame j leaves 2 (j + 1) - (j + 1) = j + 1 frames behind as long as pairs arrive,
 * then 2 m - (j + 1): frames j from c to 2 m - c - 2 are marked, the same number, but m - 1 - c of
 * them before the last pair has arrived. A rule that counts the frame itself, or the one in
 * transmission, is off by one frame or two.
 */
class FabricEcnPointTest : public NetworkFixture
{
  protected:
    void CheckMarks(bool atDequeue)
    {
        const uint64_t m = 50;
        for (uint64_t c : {2, 7, 20})
        {
            Set("ns3::FabricSwitch::MarkAtDequeue", atDequeue ? "true" : "false");
            Set("ns3::RedEcnMarker::Kmin", c * 4'158 + 2'000);
            Set("ns3::RedEcnMarker::Kmax", c * 4'158 + 2'000);
            Build(Star(3, 100 * G, US));
            auto marked = [this]() {
                return network.GetFabric()->GetLinkCounters(Nic(2) ^ 1, 4).markedFrames;
            };
            // The last pair arrives at 16 + m S byte times and one propagation.
            uint64_t early = 0;
            At((16 + static_cast<int64_t>(m) * 4'178) * 80 + US + 1, [&]() { early = marked(); });
            Run({Flow(0, 2, m * 4'096), Flow(1, 2, m * 4'096)});
            EXPECT_EQ(marked(), 2 * m - 2 * c - 1) << c;
            EXPECT_EQ(early, atDequeue ? m - 1 - c : 2 * m - 2 * c - 1) << c;
            EXPECT_EQ(GetFabricTotals().markedFrames, marked());
            Restart();
        }
    }
};

TEST_F(FabricEcnPointTest, AtEnqueueTheBytesThatTheFrameMeets)
{
    CheckMarks(false);
}

TEST_F(FabricEcnPointTest, AtDequeueTheBytesThatItLeavesBehind)
{
    CheckMarks(true);
}

} // namespace ns3
