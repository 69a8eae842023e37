/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ATTRIBUTE_READER_H
#define GPU_FABRIC_ATTRIBUTE_READER_H

#include "../base/typed-block.h"
#include "document-node.h"

#include "ns3/type-id.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The form of an attribute's value in a scenario.
enum class AttributeForm
{
    INTEGER,
    NUMBER,
    BOOLEAN,
    TIME,
    RATE,
    BYTES,
    TEXT,
    FILE,
    CHOICE,
    TYPE,
    UNSUPPORTED ///< a pointer or a container: not available in a scenario
};

/**
 * Reads the attributes of typed blocks (`topology: {type: Star, Hosts: 4}`) and of `defaults:`.
 *
 * Values are checked strictly against the type of the attribute's checker before ns-3 parses them,
 * because its parsers abort. That type alone says what a scenario may write: a size ("32MB") where
 * it is a ByteSizeValue, a rate where it is a BitRateValue, a file relative to the scenario's
 * folder where it is a FileNameValue, one of the names where it is an enumeration; the help text
 * says nothing to the reader. A type attribute takes the types of the same family (the ancestor
 * below ns3::Object) as its default. A deprecated attribute whose message is the name of another
 * one is an old name of it: in a typed block it is read as that one, with a warning.
 */
class AttributeReader
{
  public:
    /// \param overridden attributes set on the command line, as "ns3::Class::Attribute"; values for
    /// them in a typed block are checked and left out
    explicit AttributeReader(Diagnostics& diagnostics, std::vector<std::string> overridden = {});

    /**
     * Reads `Name` or `{type: Name, Attribute: value, ...}`. The TypeId is "ns3::" + Name + suffix.
     * \param suffix e.g. "Scheduler"
     * \param base the TypeId all choices descend from, e.g. "ns3::CommunicationScheduler"
     * \param others names besides those of TypeIds, listed in messages
     * \returns nothing on an error
     */
    std::optional<TypedBlock> ReadTyped(const DocumentNode& node,
                                        const std::string& path,
                                        const std::string& suffix,
                                        const std::string& base,
                                        const std::vector<std::string>& others = {});
    /// Reads `{ns3::Class::Attribute: value, ...}`.
    std::vector<AttributeSetting> ReadDefaults(const DocumentNode& node, const std::string& path);

    /// Names (without "ns3::" and suffix) of the types that descend from base, sorted.
    static std::vector<std::string> ListTypes(const std::string& suffix, const std::string& base);
    /// The type of that name; TypeId() if there is none.
    static TypeId FindType(const std::string& name, const std::string& suffix);
    /// Attributes of a type and its parents that a scenario may set, sorted by name.
    static std::vector<TypeId::AttributeInformation> ListAttributes(TypeId tid);
    static AttributeForm GetForm(const TypeId::AttributeInformation& info);
    /// Range of an integer attribute, from its checker.
    static void GetRange(const TypeId::AttributeInformation& info,
                         std::string& low,
                         std::string& high);
    /// Full names of the types that a type attribute takes, sorted; empty: any.
    static std::vector<std::string> ListFamily(const TypeId::AttributeInformation& info);
    /// Words of an enumeration attribute; none of another.
    static std::vector<std::string> ListChoices(const TypeId::AttributeInformation& info);

  private:
    /// Checks a value and adds it to settings under the name.
    void ReadValue(const DocumentNode& node,
                   const std::string& path,
                   const std::string& name,
                   const TypeId::AttributeInformation& info,
                   std::vector<AttributeSetting>& settings);
    /// The text for ns-3 to parse; nothing, and an error sentence, if invalid.
    static std::optional<std::string> Convert(const DocumentNode& node,
                                              const TypeId::AttributeInformation& info,
                                              std::string& error);
    bool IsOverridden(TypeId tid, const std::string& attribute) const;

    Diagnostics& m_diagnostics;
    std::vector<std::string> m_overridden;
};

} // namespace ns3

#endif // GPU_FABRIC_ATTRIBUTE_READER_H
