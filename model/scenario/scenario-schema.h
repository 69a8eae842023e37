/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_SCHEMA_H
#define GPU_FABRIC_SCENARIO_SCHEMA_H

#include "../document/scenario-keys.h"

#include "ns3/type-id.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * Prints the scenario format as a JSON Schema (draft 2020-12), for completion and checks in
 * editors. Keys come from ScenarioKeys, types and their attributes from ns-3's TypeIds; what
 * concerns several keys at once is checked by the reader only.
 */
class ScenarioSchema
{
  public:
    static void Print(std::ostream& os);

  private:
    /// Schema of a map with the keys of a block, on one line.
    static std::string Block(const std::string& block);
    /// Schema of the value of a key.
    static std::string Value(const ScenarioKey& key);
    /// Members of the schema of a key's value, without braces.
    static std::string Members(const ScenarioKey& key);
    /// Schema of `Name` or `{type: Name, ...}`.
    static std::string Typed(const std::string& detail);
    static std::string Defaults();
    static std::string Attribute(const TypeId::AttributeInformation& info);
    static std::string AttributeMembers(const TypeId::AttributeInformation& info);
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_SCHEMA_H
