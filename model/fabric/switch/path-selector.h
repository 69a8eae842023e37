/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PATH_SELECTOR_H
#define GPU_FABRIC_PATH_SELECTOR_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/// 64 well-mixed bits of x (finaliser of MurmurHash3, Appleby, public domain).
constexpr uint64_t
MixBits(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    x ^= x >> 33;
    return x;
}

/**
 * Hash of the five-tuple of a RoCEv2 flow: source and destination address (both 10.0.0.0/8,
 * identified by the NIC's port id), UDP source port; protocol 17 and destination port 4791 are the
 * same for all.
 */
constexpr uint64_t
HashFiveTuple(uint32_t sourceNic, uint32_t destinationNic, uint16_t udpSourcePort)
{
    uint64_t addresses = static_cast<uint64_t>(sourceNic) << 32 | destinationNic;
    return MixBits(addresses * 0x9e3779b97f4a7c15ull ^ MixBits(4791ull << 16 | udpSourcePort));
}

/// The state of an egress port when a path is chosen.
struct PortSample
{
    uint64_t queueBytes{0}; ///< waiting, in all its queues [byte]
    bool paused{false};     ///< PFC pauses the frame's priority (or did, and its end is not noted)
    bool up{true};          ///< state of its cable
};

/// The flow of a frame.
struct FlowKey
{
    uint32_t sourceNic{0};      ///< port id
    uint32_t destinationNic{0}; ///< port id
    uint64_t hash{0};           ///< HashFiveTuple()
};

/// The equal-cost next hops of a frame at a switch; at least two.
class PathCandidates
{
  public:
    /// \param group identifies the set of next hops within the switch
    PathCandidates(uint32_t group, uint64_t switchSeed, uint32_t count)
        : m_switchSeed(switchSeed),
          m_group(group),
          m_count(count)
    {
    }

    virtual ~PathCandidates() = default;

    uint32_t GetCount() const
    {
        return m_count;
    }

    uint32_t GetGroup() const
    {
        return m_group;
    }

    uint64_t GetSwitchSeed() const
    {
        return m_switchSeed;
    }

    /// The current state of the port of a next hop. \param index less than GetCount()
    virtual PortSample GetPort(uint32_t /* index */) const
    {
        return {};
    }

  private:
    uint64_t m_switchSeed;
    uint32_t m_group;
    uint32_t m_count;
};

/**
 * Chooses among the equal-cost next hops of a switch; each switch has its own instance, which may
 * keep state. If the choice is a pure function of the flow, as with ECMP, the path of a UDP source
 * port can be found by evaluating it hop by hop, at no further cost.
 */
class PathSelector : public Object
{
  public:
    static TypeId GetTypeId();

    /// Index of the next hop of a flow, less than count >= 2. A selector that chooses per frame
    /// returns one of the possible ones: by default the choice of ECMP.
    virtual uint32_t Select(uint64_t flowHash, uint64_t switchSeed, uint32_t count) const
    {
        // The upper half times count: uniform without a division.
        return static_cast<uint32_t>((MixBits(flowHash ^ switchSeed) >> 32) * count >> 32);
    }

    /// Whether it chooses per frame by time, ports or its own state, so that the path of a flow
    /// cannot be predicted.
    virtual bool IsPerFrame() const
    {
        return false;
    }

    /// Index of the next hop of one frame, for selectors that choose per frame. \param now [ps]
    virtual uint32_t Select(const PathCandidates& candidates,
                            const FlowKey& flow,
                            int64_t /* now */)
    {
        return Select(flow.hash, candidates.GetSwitchSeed(), candidates.GetCount());
    }
};

/// Equal-cost multi-path by a hash of the five-tuple, seeded per switch to avoid polarisation, i.e.
/// two stages of a fabric making the same choice.
class EcmpPathSelector final : public PathSelector
{
  public:
    static TypeId GetTypeId();
};

} // namespace ns3

#endif // GPU_FABRIC_PATH_SELECTOR_H
