/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_QUANTITY_VALUE_H
#define GPU_FABRIC_QUANTITY_VALUE_H

#include "ns3/attribute-accessor-helper.h"
#include "ns3/attribute.h"
#include "ns3/quantity.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

/**
 * The value of an attribute that is a quantity: ByteSizeValue and BitRateValue. As text it is
 * "32MB", "64KiB", "25Gbps" (UnitParser), or a whole number of units as for ns-3's UintegerValue.
 * Attributes of this kind also accept a UintegerValue. Invalid values are refused with a reason
 * (AttributeRefusal).
 */
template <class UNIT>
class QuantityValue : public AttributeValue
{
  public:
    QuantityValue() = default;

    explicit QuantityValue(uint64_t value)
        : m_value(value)
    {
    }

    explicit QuantityValue(Quantity<UNIT> value)
        : m_value(value.Get())
    {
    }

    Quantity<UNIT> Get() const
    {
        return Quantity<UNIT>(m_value);
    }

    void Set(uint64_t value)
    {
        m_value = value;
    }

    void Set(Quantity<UNIT> value)
    {
        m_value = value.Get();
    }

    /// Used by ns-3's accessors to read the value into an integer or a Quantity.
    template <class T>
    bool GetAccessor(T& value) const
    {
        value = static_cast<T>(m_value);
        return true;
    }

    Ptr<AttributeValue> Copy() const override
    {
        return Create<QuantityValue>(*this);
    }

    /// A size is a bare number, like a UintegerValue; a rate ends in "bps", like a DataRateValue.
    std::string SerializeToString(Ptr<const AttributeChecker> checker) const override;
    bool DeserializeFromString(std::string text, Ptr<const AttributeChecker> checker) override;

  private:
    uint64_t m_value{0};
};

using ByteSizeValue = QuantityValue<ByteUnit>;
using BitRateValue = QuantityValue<BitRateUnit>;

/// An accessor that accepts UintegerValue in addition to the values of the given one.
Ptr<const AttributeAccessor> TakeUnsigned(Ptr<const AttributeAccessor> bytes, ByteSizeValue);
Ptr<const AttributeAccessor> TakeUnsigned(Ptr<const AttributeAccessor> rate, BitRateValue);

/// Accessor for a member (uint32_t, uint64_t or ByteSize), or for a setter and a getter.
template <class... Members>
Ptr<const AttributeAccessor>
MakeByteSizeAccessor(Members... members)
{
    return TakeUnsigned(MakeAccessorHelper<ByteSizeValue>(members...), ByteSizeValue());
}

/// Accessor for a member (uint64_t or BitRate), or for a setter and a getter.
template <class... Members>
Ptr<const AttributeAccessor>
MakeBitRateAccessor(Members... members)
{
    return TakeUnsigned(MakeAccessorHelper<BitRateValue>(members...), BitRateValue());
}

/// Accepts sizes from low to high [byte], both included.
Ptr<const AttributeChecker> MakeByteSizeChecker(
    uint64_t low = 0,
    uint64_t high = std::numeric_limits<uint64_t>::max());
/// Accepts rates from low to high [bit/s], both included.
Ptr<const AttributeChecker> MakeBitRateChecker(
    uint64_t low = 0,
    uint64_t high = std::numeric_limits<uint64_t>::max());

} // namespace ns3

#endif // GPU_FABRIC_QUANTITY_VALUE_H
