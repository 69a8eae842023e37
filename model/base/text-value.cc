/* SPDX-License-Identifier: GPL-2.0-only */
#include "text-value.h"

#include "attribute-refusal.h"

namespace ns3
{

namespace
{

class TextChecker : public AttributeChecker
{
  public:
    explicit TextChecker(TextFault fault)
        : m_fault(fault)
    {
    }

    std::string GetFault(const std::string& text) const
    {
        return m_fault(text);
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* text = dynamic_cast<const TextValue*>(&value);
        return text != nullptr && m_fault(text->Get()).empty();
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::TextValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return false;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return "";
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<TextValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const TextValue*>(&source);
        auto* to = dynamic_cast<TextValue*>(&destination);
        if (from == nullptr || to == nullptr)
        {
            return false;
        }
        *to = *from;
        return true;
    }

  private:
    TextFault m_fault;
};

} // namespace

TextValue::TextValue(const std::string& text)
    : m_text(text)
{
}

Ptr<AttributeValue>
TextValue::Copy() const
{
    return Create<TextValue>(*this);
}

std::string
TextValue::SerializeToString(Ptr<const AttributeChecker> /* checker */) const
{
    return m_text;
}

bool
TextValue::DeserializeFromString(std::string text, Ptr<const AttributeChecker> checker)
{
    const auto* own = dynamic_cast<const TextChecker*>(PeekPointer(checker));
    const std::string fault = own == nullptr ? "" : own->GetFault(text);
    if (!fault.empty())
    {
        AttributeRefusal::Report(fault);
        return false;
    }
    m_text = text;
    return true;
}

Ptr<const AttributeChecker>
MakeTextChecker(TextFault fault)
{
    return Create<const TextChecker>(fault);
}

} // namespace ns3
