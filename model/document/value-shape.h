/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_VALUE_SHAPE_H
#define GPU_FABRIC_VALUE_SHAPE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

struct BlockKeys;

/// Types that a user chooses by name: those registered as "ns3::" + name + suffix that descend from
/// base.
struct TypeFamily
{
    std::string suffix; ///< e.g. "Scheduler"
    std::string base;   ///< e.g. "ns3::CommunicationScheduler"
};

/// The permitted shape of a value in a document: all that a JSON Schema and a reference page say
/// about it. The reader of a value and its shape are created together (ValueForm).
struct ValueShape
{
    enum class Kind
    {
        TEXT,       ///< from low to high bytes
        NAME,       ///< letters, digits and . _ -
        INTEGER,    ///< from low to high
        NUMBER,     ///< above 0
        TIME,       ///< at least low [ps]
        BYTES,      ///< at least low [byte]
        RATE,       ///< above 0
        PERCENTAGE, ///< from 0 to 100 %
        FRACTION,   ///< above 0, at most 1
        BOOLEAN,
        CHOICE,     ///< one of `words`
        RANGE,      ///< two integers, "1..5"
        TYPE_NAME,  ///< the name of a type of the family
        TYPED,      ///< the name of a type of the family, or a map with it and its attributes
        ATTRIBUTES, ///< a map of ns3::Class::Attribute to values
        BLOCK,      ///< a map with `keys`
        STEP,       ///< a map with exactly one of `keys`
        WORDS, ///< the name of one of `keys`, or a map with one of them, whose value has the shape
               ///< given there
        FLAG,  ///< in WORDS: a name alone
        FLAG_OR_MAP, ///< in WORDS: a name alone or a map with the keys of parts[0]
        LIST,        ///< from low to high values of shape parts[0]
        MAP,         ///< from arbitrary keys to parts[0]
        CHANGES,     ///< from names to some of `keys` or to nothing, in a file that extends another
        ONE_OF,      ///< one of `parts`
        ANYTHING,
    };

    Kind kind{Kind::TEXT};
    uint64_t low{0};
    uint64_t high{0};
    std::vector<std::string> words;
    std::vector<ValueShape> parts;
    const BlockKeys* keys{nullptr};
    TypeFamily family;

    /// Whether the shape allows values of a kind.
    bool Allows(Kind wanted) const;

    static ValueShape Block(const BlockKeys& keys);
    static ValueShape Typed(const TypeFamily& family);
    static ValueShape List(const ValueShape& item, uint64_t low = 1, uint64_t high = 0);
    static ValueShape Map(const ValueShape& item);
    static ValueShape OneOf(const std::vector<ValueShape>& parts);
    /// A shape that needs only a kind, a range and keys.
    static ValueShape Plain(Kind kind,
                            uint64_t low = 0,
                            uint64_t high = 0,
                            const BlockKeys* keys = nullptr);
};

/// The documentation of a key of a map.
struct KeyInfo
{
    std::string name;
    std::string help; ///< a sentence
    ValueShape shape;
    bool required{false};
    bool supported{true};     ///< false: known, but refused by this version
    std::string defaultText;  ///< as a user would write it; empty: no default
    std::string defaultWords; ///< shown instead, e.g. "one for each NIC"
};

/// The keys of a map.
struct BlockKeys
{
    std::string name; ///< name in the reference, e.g. "job"
    std::vector<KeyInfo> keys;

    /// A key, or nullptr.
    const KeyInfo* Find(const std::string& key) const;
    /// The names of the supported keys.
    std::vector<std::string> ListNames() const;
};

} // namespace ns3

#endif // GPU_FABRIC_VALUE_SHAPE_H
