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

/// Chooses among the equal-cost next hops of a switch. A pure function for ECMP, so that the
/// path of a UDP source port can be found by evaluating it hop by hop.
class PathSelector : public Object
{
  public:
    static TypeId GetTypeId();
    /// Index of the next hop, less than count >= 2.
    virtual uint32_t Select(uint64_t flowHash, uint64_t switchSeed, uint32_t count) const = 0;

    /// Whether it chooses for each frame, so that no path of a flow can be told: the fabric then
    /// calls SelectFrame(), and Select() gives one of the possible paths.
    virtual bool IsPerFrame() const
    {
        return false;
    }

    /**
     * Index of the next hop of one frame, less than count >= 2. It may change the selector, which
     * belongs to one switch.
     * \param group identifies the set of next hops within the switch
     */
    virtual uint32_t SelectFrame(uint32_t /* group */,
                                 uint64_t flowHash,
                                 uint64_t switchSeed,
                                 uint32_t count)
    {
        return Select(flowHash, switchSeed, count);
    }
};

/// Equal-cost multi-path by a hash of the five-tuple, seeded by switch so that two stages of a
/// fabric never choose alike (polarisation).
class EcmpPathSelector final : public PathSelector
{
  public:
    static TypeId GetTypeId();

    uint32_t Select(uint64_t flowHash, uint64_t switchSeed, uint32_t count) const override
    {
        // The upper half times count: uniform without a division.
        return static_cast<uint32_t>((MixBits(flowHash ^ switchSeed) >> 32) * count >> 32);
    }
};

} // namespace ns3

#endif // GPU_FABRIC_PATH_SELECTOR_H
