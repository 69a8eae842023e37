/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEXT_VALUE_H
#define GPU_FABRIC_TEXT_VALUE_H

#include "ns3/attribute-accessor-helper.h"
#include "ns3/attribute.h"

#include <string>

namespace ns3
{

/**
 * The value of an attribute that is text of a certain form, such as a list of times. Text of
 * another form is refused when it is set, and why is said (AttributeRefusal).
 */
class TextValue : public AttributeValue
{
  public:
    TextValue() = default;
    explicit TextValue(const std::string& text);

    const std::string& Get() const
    {
        return m_text;
    }

    void Set(const std::string& text)
    {
        m_text = text;
    }

    /// As ns-3's accessors read a value.
    template <class T>
    bool GetAccessor(T& value) const
    {
        value = T(m_text);
        return true;
    }

    Ptr<AttributeValue> Copy() const override;
    std::string SerializeToString(Ptr<const AttributeChecker> checker) const override;
    bool DeserializeFromString(std::string text, Ptr<const AttributeChecker> checker) override;

  private:
    std::string m_text;
};

/// Accessor of a std::string member, or of a setter and a getter.
template <class... Members>
Ptr<const AttributeAccessor>
MakeTextAccessor(Members... members)
{
    return MakeAccessorHelper<TextValue>(members...);
}

/// Finds fault with a text. \returns one sentence without a full stop; empty: it is well
using TextFault = std::string (*)(const std::string& text);

/// Takes the texts that a function finds no fault with.
Ptr<const AttributeChecker> MakeTextChecker(TextFault fault);

} // namespace ns3

#endif // GPU_FABRIC_TEXT_VALUE_H
