/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/boolean.h"
#include "ns3/counter-random.h"
#include "ns3/path-selector.h"

#include <vector>

namespace ns3
{

/**
 * Packet spraying: every frame takes the next of the equal-cost next hops in turn, or one drawn at
 * random (Dixit et al., "On the impact of packet spraying in data center networks", INFOCOM 2013).
 * Frames of one flow may be reordered.
 *
 * The turn is kept per set of next hops, so that frames to different destinations do not share it;
 * its initial value derives from the switch's seed, so that switches are not synchronised.
 */
class SprayPathSelector : public PathSelector
{
  public:
    static TypeId GetTypeId();

    using PathSelector::Select;

    bool IsPerFrame() const override
    {
        return true;
    }

    uint32_t Select(const PathCandidates& candidates, const FlowKey& flow, int64_t now) override;

  private:
    bool m_random;
    std::vector<uint32_t> m_next; ///< by group; UINT32_MAX: not used yet
    uint64_t m_draws{0};
};

NS_OBJECT_ENSURE_REGISTERED(SprayPathSelector);

TypeId
SprayPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SprayPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("GpuFabric")
            .AddConstructor<SprayPathSelector>()
            .AddAttribute("Random",
                          "Whether each frame's next hop is drawn; otherwise they take turns.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&SprayPathSelector::m_random),
                          MakeBooleanChecker());
    return tid;
}

uint32_t
SprayPathSelector::Select(const PathCandidates& candidates,
                          const FlowKey& /* flow */,
                          int64_t /* now */)
{
    const uint32_t group = candidates.GetGroup();
    const uint64_t switchSeed = candidates.GetSwitchSeed();
    const uint32_t count = candidates.GetCount();
    if (m_random)
    {
        uint64_t draw = CounterRandom(switchSeed, HashName("spray"), m_draws++);
        return static_cast<uint32_t>((draw >> 32) * count >> 32);
    }
    if (group >= m_next.size())
    {
        m_next.resize(group + 1, UINT32_MAX);
    }
    uint32_t& next = m_next[group];
    if (next == UINT32_MAX)
    {
        next = Select(MixBits(group + 1), switchSeed, count);
    }
    // The set may have become smaller.
    uint32_t choice = next < count ? next : 0;
    next = choice + 1;
    return choice;
}

} // namespace ns3
