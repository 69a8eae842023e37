/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/quantity-value.h"

#include "attribute-refusal.h"
#include "unit-parser.h"

#include "ns3/uinteger.h"

#include <optional>

namespace ns3
{

namespace
{

std::optional<uint64_t>
Parse(const std::string& text, std::string& error, ByteUnit*)
{
    return UnitParser::ParseBytes(text, error);
}

std::optional<uint64_t>
Parse(const std::string& text, std::string& error, BitRateUnit*)
{
    return UnitParser::ParseRate(text, error);
}

const char*
UnitName(ByteUnit*)
{
    return "B";
}

const char*
UnitName(BitRateUnit*)
{
    return "bps";
}

const char*
TypeName(ByteUnit*)
{
    return "ns3::ByteSizeValue";
}

const char*
TypeName(BitRateUnit*)
{
    return "ns3::BitRateValue";
}

template <class UNIT>
class QuantityChecker : public AttributeChecker
{
  public:
    QuantityChecker(uint64_t low, uint64_t high)
        : m_low(low),
          m_high(high)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        uint64_t number;
        if (const auto* own = dynamic_cast<const QuantityValue<UNIT>*>(&value))
        {
            number = own->Get().Get();
        }
        else if (const auto* plain = dynamic_cast<const UintegerValue*>(&value))
        {
            number = plain->Get();
        }
        else
        {
            return false;
        }
        if (number < m_low || number > m_high)
        {
            const std::string unit = UnitName(static_cast<UNIT*>(nullptr));
            AttributeRefusal::Report(std::to_string(number) + unit + " is out of range: from " +
                                     std::to_string(m_low) + unit + " to " +
                                     std::to_string(m_high) + unit + " is wanted");
            return false;
        }
        return true;
    }

    std::string GetValueTypeName() const override
    {
        return TypeName(static_cast<UNIT*>(nullptr));
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    /// Same form as for ns-3's integers: "uint64_t low:high".
    std::string GetUnderlyingTypeInformation() const override
    {
        return "uint64_t " + std::to_string(m_low) + ":" + std::to_string(m_high);
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<QuantityValue<UNIT>>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const QuantityValue<UNIT>*>(&source);
        auto* to = dynamic_cast<QuantityValue<UNIT>*>(&destination);
        if (from == nullptr || to == nullptr)
        {
            return false;
        }
        *to = *from;
        return true;
    }

  private:
    uint64_t m_low;
    uint64_t m_high;
};

/// Reads and writes UintegerValue as well as the other kind.
template <class VALUE>
class UnsignedAccessor : public AttributeAccessor
{
  public:
    explicit UnsignedAccessor(Ptr<const AttributeAccessor> accessor)
        : m_accessor(accessor)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        if (const auto* plain = dynamic_cast<const UintegerValue*>(&value))
        {
            return m_accessor->Set(object, VALUE(plain->Get()));
        }
        return m_accessor->Set(object, value);
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        if (auto* plain = dynamic_cast<UintegerValue*>(&value))
        {
            VALUE own;
            if (!m_accessor->Get(object, own))
            {
                return false;
            }
            plain->Set(own.Get().Get());
            return true;
        }
        return m_accessor->Get(object, value);
    }

    bool HasGetter() const override
    {
        return m_accessor->HasGetter();
    }

    bool HasSetter() const override
    {
        return m_accessor->HasSetter();
    }

  private:
    Ptr<const AttributeAccessor> m_accessor;
};

} // namespace

template <class UNIT>
std::string
QuantityValue<UNIT>::SerializeToString(Ptr<const AttributeChecker> /* checker */) const
{
    // Sizes like those of a UintegerValue, rates like those of a DataRateValue.
    const std::string unit = UnitName(static_cast<UNIT*>(nullptr));
    return std::to_string(m_value) + (unit == "bps" ? unit : "");
}

template <class UNIT>
bool
QuantityValue<UNIT>::DeserializeFromString(std::string text, Ptr<const AttributeChecker>)
{
    std::string error;
    std::optional<uint64_t> value;
    if (text.find_first_not_of("0123456789") == std::string::npos)
    {
        value = UnitParser::ParseUnsigned(text, 0, std::numeric_limits<uint64_t>::max(), error);
    }
    else
    {
        value = Parse(text, error, static_cast<UNIT*>(nullptr));
    }
    if (!value)
    {
        AttributeRefusal::Report(error);
        return false;
    }
    m_value = *value;
    return true;
}

template class QuantityValue<ByteUnit>;
template class QuantityValue<BitRateUnit>;

Ptr<const AttributeAccessor>
TakeUnsigned(Ptr<const AttributeAccessor> bytes, ByteSizeValue)
{
    return Create<const UnsignedAccessor<ByteSizeValue>>(bytes);
}

Ptr<const AttributeAccessor>
TakeUnsigned(Ptr<const AttributeAccessor> rate, BitRateValue)
{
    return Create<const UnsignedAccessor<BitRateValue>>(rate);
}

Ptr<const AttributeChecker>
MakeByteSizeChecker(uint64_t low, uint64_t high)
{
    return Create<const QuantityChecker<ByteUnit>>(low, high);
}

Ptr<const AttributeChecker>
MakeBitRateChecker(uint64_t low, uint64_t high)
{
    return Create<const QuantityChecker<BitRateUnit>>(low, high);
}

} // namespace ns3
