/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TYPED_BLOCK_H
#define GPU_FABRIC_TYPED_BLOCK_H

#include "source-mark.h"

#include <string>
#include <vector>

namespace ns3
{

/// One attribute as written: the value is already checked against the attribute's type and
/// rewritten to the form ns-3 parses (bytes as a plain integer, "5us" as is).
struct AttributeSetting
{
    std::string name;  ///< attribute name, or "ns3::Class::Attribute" in `defaults:`
    std::string value; ///< as ns-3's SetAttribute takes it
    SourceMark mark;
    std::string origin{"scenario"}; ///< what sets it, for results
};

/// A typed block: `{type: Crux, Levels: 4}` or just `Crux`.
struct TypedBlock
{
    std::string typeName; ///< as written, e.g. "Crux"
    std::string typeId;   ///< resolved, e.g. "ns3::CruxScheduler"
    std::vector<AttributeSetting> attributes;
    SourceMark mark;
};

} // namespace ns3

#endif // GPU_FABRIC_TYPED_BLOCK_H
