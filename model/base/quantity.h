/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_QUANTITY_H
#define GPU_FABRIC_QUANTITY_H

#include <cstdint>

namespace ns3
{

/// A number of whole units that does not mix with other kinds. \tparam UNIT distinguishes the kinds
template <class UNIT>
class Quantity
{
  public:
    constexpr Quantity() = default;

    constexpr explicit Quantity(uint64_t value)
        : m_value(value)
    {
    }

    /// The number of units.
    constexpr uint64_t Get() const
    {
        return m_value;
    }

    friend constexpr bool operator==(Quantity a, Quantity b)
    {
        return a.m_value == b.m_value;
    }

    friend constexpr bool operator!=(Quantity a, Quantity b)
    {
        return a.m_value != b.m_value;
    }

    friend constexpr bool operator<(Quantity a, Quantity b)
    {
        return a.m_value < b.m_value;
    }

  private:
    uint64_t m_value{0};
};

struct ByteUnit
{
};

struct BitRateUnit
{
};

/// An amount of data [byte].
using ByteSize = Quantity<ByteUnit>;
/// A data rate [bit/s].
using BitRate = Quantity<BitRateUnit>;

} // namespace ns3

#endif // GPU_FABRIC_QUANTITY_H
