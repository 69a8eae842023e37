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
 * calls. Numbers are the shortest that read back to the same value; those that are not finite are
 * null.
 */
class DecisionJson
{
  public:
    DecisionJson& Add(std::string_view key, double value);
    DecisionJson& Add(std::string_view key, uint64_t value);
    DecisionJson& Add(std::string_view key, uint32_t value);
    DecisionJson& Add(std::string_view key, std::string_view value);
    /// Adds a member whose value is an object already.
    DecisionJson& AddObject(std::string_view key, const DecisionJson& object);
    /// Adds the members of an object that is written already; empty text counts as "{}".
    DecisionJson& AddMembers(std::string_view object);
    /// The object, "{}" where nothing was added.
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
