/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PSN_H
#define GPU_FABRIC_PSN_H

#include <cstdint>

namespace ns3
{

/// The PSN of a frame number: 24 bits (InfiniBand Architecture Specification 1.2.1, 9.2).
constexpr uint32_t PSN_MASK = 0xffffff;

/// The 64-bit frame number for a PSN: the candidate nearest to a known number.
constexpr uint64_t
ExpandPsn(uint32_t psn, uint64_t near)
{
    // The difference as a signed 24-bit number.
    auto difference = static_cast<int32_t>((psn - static_cast<uint32_t>(near)) << 8) >> 8;
    return near + static_cast<uint64_t>(static_cast<int64_t>(difference));
}

} // namespace ns3

#endif // GPU_FABRIC_PSN_H
