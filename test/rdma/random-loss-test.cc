/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/network-fixture.h"

#include <numeric>

namespace ns3
{

/// 450 patterns of loss with fixed seeds, under both recoveries and all operations: every byte
/// posted is delivered once and in order.
class RandomLossTest : public NetworkFixture
{
  protected:
    struct Expected
    {
        std::vector<uint64_t> sizes;
        uint64_t bytes{0};
    };

    void RunPattern(uint64_t seed, bool irn, bool read)
    {
        auto draw = [seed, n = uint64_t{0}](uint64_t bound) mutable {
            return MixBits(seed * 0x9e3779b97f4a7c15ull + ++n) % bound;
        };
        const uint32_t mtus[] = {256, 1000, 4096};
        const uint32_t intervals[] = {1, 4, 16, 1000};
        Set("ns3::RoceNic::LossRecovery", irn ? "irn" : "go-back-n");
        Set("ns3::RoceNic::PathMtu", mtus[draw(3)]);
        Set("ns3::RoceNic::AckInterval", intervals[draw(4)]);
        Set("ns3::RoceNic::RetransmissionTimeout", "50us");
        Set("ns3::RoceNic::IrnTimeoutLow", "30us");
        Set("ns3::RoceNic::IrnTimeoutHigh", "60us");
        Set("ns3::RoceNic::IrnWindow", draw(2) * 20'000);
        Set("ns3::RoceNic::ReadDepth", 1 + draw(4));
        Set("ns3::FabricSwitch::BufferManager", "ns3::LossyBuffer");
        Build(Chain(2, 100 * G, draw(3) * US));
        // From 0.1 % to 25 %, of data, of control frames or of both, in bursts of up to 8.
        const uint64_t rates[] = {1000, 100, 20, 4};
        uint64_t one = rates[draw(4)];
        uint64_t which = draw(3);
        uint64_t burst = 1 + draw(8);
        uint64_t count = 0;
        uint64_t left = 0;
        GetLossyBuffer("s1")->lose = [&](const LossyBuffer::Arrival& arrival) {
            bool control = arrival.priority == 7;
            if ((which == 0 && control) || (which == 1 && !control))
            {
                return false;
            }
            if (left == 0 && MixBits(seed ^ ++count << 20) % (one * burst) == 0)
            {
                left = burst;
            }
            return left > 0 && left-- > 0;
        };
        RecordingClient client;
        uint32_t queuePair = Connect(0, 2, &client);
        Expected expected;
        auto messages = static_cast<uint32_t>(1 + draw(12));
        for (uint32_t i = 0; i < messages; ++i)
        {
            uint64_t bytes = 1 + draw(draw(2) ? 3'000 : 60'000);
            expected.sizes.push_back(bytes);
            auto operation =
                read ? RdmaOperation::READ : (draw(2) ? RdmaOperation::SEND : RdmaOperation::WRITE);
            At(draw(2) * i * US, [this, queuePair, bytes, operation, i]() {
                MessageTag tag;
                tag.step = i;
                network.GetTransport()->Post(Simulator::Now().GetTimeStep(),
                                             queuePair,
                                             bytes,
                                             tag,
                                             operation);
                m_posted.push_back({i, bytes});
            });
        }
        // The stream, as the receiver has it when it is told of each message.
        uint64_t stream = 0;
        std::size_t next = 0;
        client.react = [&](const RecordingClient::Call& call) {
            if (call.kind == 'd')
            {
                ASSERT_LT(next, m_posted.size());
                ASSERT_EQ(call.step, m_posted[next].first);
                stream += m_posted[next++].second;
                // By selective repeat later messages may be complete already.
                ASSERT_GE(GetRdmaTotals().deliveredBytes, stream);
                if (!irn)
                {
                    ASSERT_EQ(GetRdmaTotals().deliveredBytes, stream);
                }
            }
        };
        Simulator::Run();
        ASSERT_EQ(client.GetSteps('f').size(), 0u);
        ASSERT_EQ(next, messages);
        ASSERT_EQ(client.GetSteps('c').size(), messages);
        ASSERT_EQ(transfers.size(), messages);
        ASSERT_EQ(GetRdmaTotals().sentBytes,
                  GetRdmaTotals().postedBytes + GetRdmaTotals().retransmittedBytes);
        CheckConservation();
        m_posted.clear();
        Restart();
    }

    void RunAll(bool irn, bool read)
    {
        for (uint64_t seed = 0; seed < 150; ++seed)
        {
            SCOPED_TRACE("seed " + std::to_string(seed));
            RunPattern(seed, irn, read);
            if (HasFatalFailure() || HasNonfatalFailure())
            {
                return;
            }
        }
    }

    std::vector<std::pair<uint32_t, uint64_t>> m_posted;
};

TEST_F(RandomLossTest, GoBackN)
{
    RunAll(false, false);
}

TEST_F(RandomLossTest, SelectiveRepeat)
{
    RunAll(true, false);
}

TEST_F(RandomLossTest, Read)
{
    RunAll(false, true);
}

} // namespace ns3
