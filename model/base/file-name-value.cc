/* SPDX-License-Identifier: GPL-2.0-only */
#include "file-name-value.h"

#include "ns3/attribute-helper.h"

namespace ns3
{

namespace
{
/// Provides the type name for MakeSimpleAttributeChecker.
class FileNameChecker : public AttributeChecker
{
};
} // namespace

FileNameValue::FileNameValue(const std::string& name)
    : m_name(name)
{
}

Ptr<AttributeValue>
FileNameValue::Copy() const
{
    return Create<FileNameValue>(*this);
}

std::string
FileNameValue::SerializeToString(Ptr<const AttributeChecker> /* checker */) const
{
    return m_name;
}

bool
FileNameValue::DeserializeFromString(std::string text, Ptr<const AttributeChecker> /* checker */)
{
    m_name = text;
    return true;
}

Ptr<const AttributeChecker>
MakeFileNameChecker()
{
    return MakeSimpleAttributeChecker<FileNameValue, FileNameChecker>("ns3::FileNameValue", "");
}

} // namespace ns3
