/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RATIO_H
#define GPU_FABRIC_RATIO_H

#include "share-divider.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// An exact ratio of two whole numbers, such as the 1/8 of `scale: 1/8`. Neither should be 0.
struct Ratio
{
    uint32_t numerator{1};
    uint32_t denominator{1};

    /// The scaled value, rounded down, without overflow on the way.
    uint64_t Of(uint64_t value) const
    {
        return ShareDivider::MulDiv(value, numerator, denominator);
    }

    /// The scaled value.
    double Of(double value) const
    {
        return value * numerator / denominator;
    }

    /// As a scenario spells it.
    std::string GetText() const
    {
        return denominator == 1 ? std::to_string(numerator)
                                : std::to_string(numerator) + "/" + std::to_string(denominator);
    }

    /// Shares of the ratio of many values that add up to the ratio of their sum, rounded down.
    ShareDivider GetShares() const
    {
        return {numerator, denominator};
    }
};

} // namespace ns3

#endif // GPU_FABRIC_RATIO_H
