/* SPDX-License-Identifier: GPL-2.0-only */
#include "value-shape.h"

#include <algorithm>

namespace ns3
{

bool
ValueShape::Allows(Kind wanted) const
{
    return kind == wanted ||
           (kind == Kind::ONE_OF && std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
                return part.Allows(wanted);
            }));
}

ValueShape
ValueShape::Block(const BlockKeys& keys)
{
    return Plain(Kind::BLOCK, 0, 0, &keys);
}

ValueShape
ValueShape::Typed(const TypeFamily& family)
{
    ValueShape shape = Plain(Kind::TYPED);
    shape.family = family;
    return shape;
}

ValueShape
ValueShape::List(const ValueShape& item, uint64_t low, uint64_t high)
{
    ValueShape shape = Plain(Kind::LIST, low, high);
    shape.parts.push_back(item);
    return shape;
}

ValueShape
ValueShape::Map(const ValueShape& item)
{
    ValueShape shape = Plain(Kind::MAP);
    shape.parts.push_back(item);
    return shape;
}

ValueShape
ValueShape::OneOf(const std::vector<ValueShape>& parts)
{
    ValueShape shape = Plain(Kind::ONE_OF);
    shape.parts = parts;
    return shape;
}

ValueShape
ValueShape::Plain(Kind kind, uint64_t low, uint64_t high, const BlockKeys* keys)
{
    ValueShape shape;
    shape.kind = kind;
    shape.low = low;
    shape.high = high;
    shape.keys = keys;
    return shape;
}

const KeyInfo*
BlockKeys::Find(const std::string& key) const
{
    const auto found = std::find_if(keys.begin(), keys.end(), [&key](const KeyInfo& candidate) {
        return candidate.name == key;
    });
    return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string>
BlockKeys::ListNames() const
{
    std::vector<std::string> names;
    for (const KeyInfo& key : keys)
    {
        if (key.supported)
        {
            names.push_back(key.name);
        }
    }
    return names;
}

} // namespace ns3
