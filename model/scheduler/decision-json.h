/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DECISION_JSON_H
#define GPU_FABRIC_DECISION_JSON_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * Writes a JSON object (RFC 8259) for the `inputs` of a decision, members in the order of the
 * calls. Numbers have the shortest form that reads back to the same value; non-finite ones become
 * null.
 */
class DecisionJson
{
  public:
    DecisionJson& Add(std::string_view key, double value);
    DecisionJson& Add(std::string_view key, uint64_t value);
    DecisionJson& Add(std::string_view key, uint32_t value);
    DecisionJson& Add(std::string_view key, std::string_view value);
    /// Adds a member whose value is an object.
    DecisionJson& AddObject(std::string_view key, const DecisionJson& object);
    /// Adds the members of an object given as text; empty text counts as "{}".
    DecisionJson& AddMembers(std::string_view object);
    /// The object; "{}" if nothing was added.
    std::string Get() const;

  private:
    /// Appends text as a JSON string.
    void AppendQuoted(std::string_view text);
    /// Appends the comma, the key and the colon.
    void AppendKey(std::string_view key);

    std::string m_members;
};

} // namespace ns3

#endif // GPU_FABRIC_DECISION_JSON_H
