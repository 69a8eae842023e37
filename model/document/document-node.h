/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_NODE_H
#define GPU_FABRIC_DOCUMENT_NODE_H

#include "../base/diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A value of a YAML file and its position. Unlike a YAML::Node it keeps the order and the
/// positions of keys, never holds a key twice, and is a plain tree: aliases are expanded.
struct DocumentNode
{
    /// The kind of the value.
    enum class Kind
    {
        NONE, ///< nothing written, or null
        SCALAR,
        LIST,
        MAP
    };

    /// Limits on a file, so that a small one cannot exhaust memory or the stack.
    static constexpr std::size_t MAX_BYTES = 16 * 1024 * 1024; ///< [byte]
    static constexpr std::size_t MAX_NODES = 500000;           ///< values, with aliases expanded
    static constexpr std::size_t MAX_DEPTH = 32;               ///< nested lists and maps

    Kind kind{Kind::NONE};
    std::string text;                ///< of a scalar
    std::vector<DocumentNode> keys;  ///< of a map: scalars, one for each of items
    std::vector<DocumentNode> items; ///< of a list or map
    std::shared_ptr<const std::string> file;
    int line{0};   ///< counted from 1
    int column{0}; ///< counted from 1 [byte]

    bool IsScalar() const
    {
        return kind == Kind::SCALAR;
    }

    bool IsList() const
    {
        return kind == Kind::LIST;
    }

    bool IsMap() const
    {
        return kind == Kind::MAP;
    }

    SourceMark GetMark() const;
    /// Value of a key of a map, or nullptr.
    const DocumentNode* Find(const std::string& key) const;
    /// "a list", "a map", ... for messages.
    std::string GetKindName() const;

    /**
     * Parses a YAML document. Duplicate keys, tags, endless aliases, a second document, and text
     * that is not UTF-8 are errors.
     * \returns nothing if the text cannot be parsed at all; errors are in the diagnostics
     */
    static std::optional<DocumentNode> Parse(const std::string& file,
                                             const std::string& text,
                                             Diagnostics& diagnostics);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_NODE_H
