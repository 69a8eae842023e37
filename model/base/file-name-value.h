/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FILE_NAME_VALUE_H
#define GPU_FABRIC_FILE_NAME_VALUE_H

#include "ns3/attribute-accessor-helper.h"
#include "ns3/attribute.h"

#include <string>

namespace ns3
{

/// The value of an attribute that names a file, relative to the scenario's folder if set in one.
class FileNameValue : public AttributeValue
{
  public:
    FileNameValue() = default;
    explicit FileNameValue(const std::string& name);

    const std::string& Get() const
    {
        return m_name;
    }

    void Set(const std::string& name)
    {
        m_name = name;
    }

    /// Used by ns-3's accessors to read the value.
    template <class T>
    bool GetAccessor(T& value) const
    {
        value = T(m_name);
        return true;
    }

    Ptr<AttributeValue> Copy() const override;
    std::string SerializeToString(Ptr<const AttributeChecker> checker) const override;
    bool DeserializeFromString(std::string text, Ptr<const AttributeChecker> checker) override;

  private:
    std::string m_name;
};

/// Accessor for a std::string member, or for a setter and a getter.
template <class... Members>
Ptr<const AttributeAccessor>
MakeFileNameAccessor(Members... members)
{
    return MakeAccessorHelper<FileNameValue>(members...);
}

/// Accepts any name; whether the file can be read is checked when it is read.
Ptr<const AttributeChecker> MakeFileNameChecker();

} // namespace ns3

#endif // GPU_FABRIC_FILE_NAME_VALUE_H
