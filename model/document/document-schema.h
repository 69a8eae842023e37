/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_SCHEMA_H
#define GPU_FABRIC_DOCUMENT_SCHEMA_H

#include "value-shape.h"

#include "ns3/type-id.h"

#include <ostream>
#include <string>

namespace ns3
{

/**
 * Prints the keys of a document as a JSON Schema (draft 2020-12), for completion and validation in
 * editors. Keys come from the tables used to read documents, types and their attributes from ns-3's
 * TypeIds. Constraints between several keys are checked by the readers only.
 */
class DocumentSchema
{
  public:
    /// \param title title of the schema \param keys keys of the top-level map
    static void Print(std::ostream& os, const std::string& title, const BlockKeys& keys);

  private:
    /// Schema of a map, on one line.
    static std::string Block(const BlockKeys& keys);
    /// Schema of the value of a key.
    static std::string Value(const KeyInfo& key);
    /// Schema of a value.
    static std::string Shape(const ValueShape& shape);
    /// Members of the schema of a value, without braces.
    static std::string Members(const ValueShape& shape);
    static std::string Words(const BlockKeys& keys);
    /// Schema of `Name` or `{type: Name, ...}`.
    static std::string Typed(const TypeFamily& family);
    static std::string Defaults();
    static std::string Attribute(const TypeId::AttributeInformation& info);
    static std::string AttributeMembers(const TypeId::AttributeInformation& info);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_SCHEMA_H
