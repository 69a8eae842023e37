/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ENUM_VALUE_H
#define GPU_FABRIC_ENUM_VALUE_H

#include "attribute-refusal.h"

#include "ns3/attribute-accessor-helper.h"
#include "ns3/attribute.h"
#include "ns3/enum-names.h"

#include <string>

namespace ns3
{

/**
 * The value of an attribute that is a named enumeration (EnumNames). It replaces ns-3's EnumValue,
 * which became a template in 3.41, so that the same source compiles before and after that release,
 * and takes the names from the one table. A name that is not in the table is refused with a list of
 * the valid ones (AttributeRefusal).
 */
template <class E>
class NameValue : public AttributeValue
{
  public:
    NameValue() = default;

    explicit NameValue(E value)
        : m_value(value)
    {
    }

    E Get() const
    {
        return m_value;
    }

    void Set(E value)
    {
        m_value = value;
    }

    /// Used by ns-3's accessors to read the value.
    template <class T>
    bool GetAccessor(T& value) const
    {
        value = static_cast<T>(m_value);
        return true;
    }

    Ptr<AttributeValue> Copy() const override
    {
        return Create<NameValue>(*this);
    }

    std::string SerializeToString(Ptr<const AttributeChecker> /* checker */) const override
    {
        return ToName(m_value);
    }

    bool DeserializeFromString(std::string text, Ptr<const AttributeChecker> /* checker */) override
    {
        const std::optional<E> value = FromName<E>(text);
        if (!value)
        {
            std::string names;
            for (const std::string& name : ListNames<E>())
            {
                names += (names.empty() ? "" : ", ") + name;
            }
            AttributeRefusal::Report("\"" + text + "\" is not one of: " + names);
            return false;
        }
        m_value = *value;
        return true;
    }

  private:
    E m_value{};
};

/// Accepts the names of an enumeration. The value type is "ns3::NameValue", and
/// GetUnderlyingTypeInformation() lists the names separated by "|", as ns-3's EnumValue does.
template <class E>
class NameChecker : public AttributeChecker
{
  public:
    bool Check(const AttributeValue& value) const override
    {
        return dynamic_cast<const NameValue<E>*>(&value) != nullptr;
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::NameValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        std::string names;
        for (const std::string& name : ListNames<E>())
        {
            names += (names.empty() ? "" : "|") + name;
        }
        return names;
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<NameValue<E>>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const NameValue<E>*>(&source);
        auto* to = dynamic_cast<NameValue<E>*>(&destination);
        if (from == nullptr || to == nullptr)
        {
            return false;
        }
        *to = *from;
        return true;
    }
};

/// Accessor for a member of type E, or for a setter and a getter. \tparam E the enumeration
template <class E, class... Members>
Ptr<const AttributeAccessor>
MakeNameAccessor(Members... members)
{
    return MakeAccessorHelper<NameValue<E>>(members...);
}

template <class E>
Ptr<const AttributeChecker>
MakeNameChecker()
{
    return Create<NameChecker<E>>();
}

} // namespace ns3

#endif // GPU_FABRIC_ENUM_VALUE_H
