/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEXT_VALUE_H
#define GPU_FABRIC_TEXT_VALUE_H

#include "ns3/attribute-accessor-helper.h"
#include "ns3/attribute.h"

#include <string>

namespace ns3
{

/// The value of an attribute that is text of a certain form, such as a list of times. Text of
/// another form is refused with a reason when it is set (AttributeRefusal).
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

    /// Used by ns-3's accessors to read the value.
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

/// Accessor for a std::string member, or for a setter and a getter.
template <class... Members>
Ptr<const AttributeAccessor>
MakeTextAccessor(Members... members)
{
    return MakeAccessorHelper<TextValue>(members...);
}

/// Checks a text. \returns one sentence without a full stop that says what is wrong; empty if valid
using TextFault = std::string (*)(const std::string& text);

/// Accepts the texts in which a function finds no fault.
Ptr<const AttributeChecker> MakeTextChecker(TextFault fault);

} // namespace ns3

#endif // GPU_FABRIC_TEXT_VALUE_H
