/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SHARE_DIVIDER_H
#define GPU_FABRIC_SHARE_DIVIDER_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/// Allots shares of a total that add up to it exactly.
class ShareDivider
{
  public:
    /// Shares of a total in proportion to weights that add up to weightSum.
    ShareDivider(uint64_t total, uint64_t weightSum)
        : m_total(total),
          m_weightSum(std::max<uint64_t>(weightSum, 1))
    {
    }

    /// value * numerator / denominator, rounded down, without overflow.
    static uint64_t MulDiv(uint64_t value, uint64_t numerator, uint64_t denominator)
    {
        __extension__ using Product = unsigned __int128;
        return static_cast<uint64_t>(static_cast<Product>(value) * numerator / denominator);
    }

    uint64_t Take(uint64_t weight)
    {
        m_weight += weight;
        const uint64_t end = MulDiv(m_total, m_weight, m_weightSum);
        const uint64_t share = end - m_given;
        m_given = end;
        return share;
    }

  private:
    uint64_t m_total;
    uint64_t m_weightSum;
    uint64_t m_weight{0};
    uint64_t m_given{0};
};

} // namespace ns3

#endif // GPU_FABRIC_SHARE_DIVIDER_H
