/* SPDX-License-Identifier: GPL-2.0-only */
#include "type-family.h"

#include "attribute-refusal.h"

#include "ns3/type-id.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Whether a type belongs to the family and can be instantiated.
bool
IsOf(TypeId type, const std::string& base)
{
    TypeId family;
    return TypeId::LookupByNameFailSafe(base, &family) && type.IsChildOf(family) &&
           type.HasConstructor();
}

class TypeFamilyChecker : public AttributeChecker
{
  public:
    explicit TypeFamilyChecker(const std::string& base)
        : m_base(base)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* type = dynamic_cast<const TypeIdValue*>(&value);
        if (type == nullptr)
        {
            return false;
        }
        if (type->Get().GetUid() == 0 || !IsOf(type->Get(), m_base))
        {
            std::string names;
            for (const std::string& name : ListTypeFamily(m_base))
            {
                names += (names.empty() ? "" : ", ") + name;
            }
            const std::string name = type->Get().GetUid() == 0 ? "" : type->Get().GetName();
            AttributeRefusal::Report("\"" + name + "\" is not one of: " + names);
            return false;
        }
        return true;
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::TypeIdValue";
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
        return ns3::Create<TypeIdValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const TypeIdValue*>(&source);
        auto* to = dynamic_cast<TypeIdValue*>(&destination);
        if (from == nullptr || to == nullptr)
        {
            return false;
        }
        *to = *from;
        return true;
    }

  private:
    std::string m_base;
};

} // namespace

Ptr<const AttributeChecker>
MakeTypeFamilyChecker(const std::string& base)
{
    return Create<const TypeFamilyChecker>(base);
}

std::vector<std::string>
ListTypeFamily(const std::string& base, const std::string& prefix, const std::string& suffix)
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.MustHideFromDocumentation() || !IsOf(type, base))
        {
            continue;
        }
        std::string name = type.GetName();
        if (name.compare(0, prefix.size(), prefix) == 0)
        {
            name.erase(0, prefix.size());
        }
        if (name.size() > suffix.size() &&
            name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
        {
            name.erase(name.size() - suffix.size());
        }
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace ns3
