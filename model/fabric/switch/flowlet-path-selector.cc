/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/counter-random.h"
#include "ns3/nstime.h"
#include "ns3/path-selector.h"

#include <unordered_map>

namespace ns3
{

/**
 * Flowlet switching: a burst of a flow's frames keeps its next hop, and a frame that comes after a
 * gap begins a new burst, whose next hop is drawn anew (Vanini et al., "Let It Flow: Resilient
 * Asymmetric Load Balancing with Flowlet Switching", NSDI 2017, sections 1 and 3: "it picks a path
 * at random for each flowlet"). If the gap is longer than the difference in path delays, frames are
 * not reordered; the share of each path follows from its congestion, which makes the bursts on it
 * longer or shorter.
 *
 * The n-th flowlet of a flow draws with a number of its own, so that flows do not disturb each
 * other.
 */
class FlowletPathSelector : public PathSelector
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
    /// The current burst of a flow.
    struct Flowlet
    {
        int64_t last{0};    ///< time of its last frame [ps]
        uint64_t number{0}; ///< number of the flow's flowlets so far
        uint32_t choice{0};
        uint32_t count{0}; ///< number of next hops when it was chosen
    };

    Time m_gap;
    std::unordered_map<uint64_t, Flowlet> m_flowlets; ///< by FlowKey::hash; looked up only
};

NS_OBJECT_ENSURE_REGISTERED(FlowletPathSelector);

TypeId
FlowletPathSelector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowletPathSelector")
            .SetParent<PathSelector>()
            .SetGroupName("GpuFabric")
            .AddConstructor<FlowletPathSelector>()
            .AddAttribute("Gap",
                          "A frame that comes later than this after the last one of its flow "
                          "begins a new flowlet (the flowlet timeout of LetFlow).",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&FlowletPathSelector::m_gap),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

uint32_t
FlowletPathSelector::Select(const PathCandidates& candidates, const FlowKey& flow, int64_t now)
{
    // The hash covers both addresses and ports, and thus the destination.
    Flowlet& flowlet = m_flowlets[flow.hash];
    if (flowlet.count != candidates.GetCount() || now - flowlet.last > m_gap.GetTimeStep())
    {
        const uint64_t stream = candidates.GetSwitchSeed() ^ HashName("flowlet");
        const uint64_t draw = CounterRandom(stream, flow.hash, flowlet.number++);
        flowlet.count = candidates.GetCount();
        flowlet.choice = static_cast<uint32_t>((draw >> 32) * flowlet.count >> 32);
    }
    flowlet.last = now;
    return flowlet.choice;
}

} // namespace ns3
