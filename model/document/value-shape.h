/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_VALUE_SHAPE_H
#define GPU_FABRIC_VALUE_SHAPE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

struct BlockKeys;

/// Types that a user chooses from by name: those registered under "ns3::" + name + suffix that
/// descend from base.
struct TypeFamily
{
    std::string suffix; ///< e.g. "Scheduler"
    std::string base;   ///< e.g. "ns3::CommunicationScheduler"
};

/**
 * What a value of a document may look like: all that a JSON Schema and a page of reference say of
 * it. The reader of a value and its shape are made together (ValueForm).
 */
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
        CHOICE,      ///< one of words
        RANGE,       ///< two integers, "1..5"
        TYPE_NAME,   ///< the name of a type of the family
        TYPED,       ///< the name of a type of the family, or a map with it and its attributes
        ATTRIBUTES,  ///< a map of ns3::Class::Attribute to values
        BLOCK,       ///< a map with keys
        STEP,        ///< a map with just one of keys
        WORDS,       ///< a name of keys, or a map with one of them, of the shape that it has there
        FLAG,        ///< in WORDS: a name alone
        FLAG_OR_MAP, ///< in WORDS: a name alone or a map with the keys of parts[0]
        LIST,        ///< of parts[0], from low to high of them
        MAP,         ///< of any keys to parts[0]
        ONE_OF,      ///< one of parts
        ANYTHING,
    };

    Kind kind{Kind::TEXT};
    uint64_t low{0};
    uint64_t high{0};
    std::vector<std::string> words;
    std::vector<ValueShape> parts;
    const BlockKeys* keys{nullptr};
    TypeFamily family;

    /// Whether values of a kind are among those that the shape allows.
    bool Allows(Kind wanted) const;

    static ValueShape Block(const BlockKeys& keys);
    static ValueShape Typed(const TypeFamily& family);
    static ValueShape List(const ValueShape& item, uint64_t low = 1, uint64_t high = 0);
    static ValueShape Map(const ValueShape& item);
    static ValueShape OneOf(const std::vector<ValueShape>& parts);
    /// One that needs no more than its kind, a range and keys.
    static ValueShape Plain(Kind kind,
                            uint64_t low = 0,
                            uint64_t high = 0,
                            const BlockKeys* keys = nullptr);
};

/// What users are told of a key of a map.
struct KeyInfo
{
    std::string name;
    std::string help; ///< a sentence
    ValueShape shape;
    bool required{false};
    bool supported{true};     ///< false: known, refused by this version
    std::string defaultText;  ///< as it would be written; empty: there is none
    std::string defaultWords; ///< said in its place, e.g. "one for each NIC"
};

/// The keys of a map.
struct BlockKeys
{
    std::string name; ///< by which the reference calls it, e.g. "job"
    std::vector<KeyInfo> keys;

    /// A key, or nullptr.
    const KeyInfo* Find(const std::string& key) const;
    /// The names of those that are supported.
    std::vector<std::string> ListNames() const;
};

} // namespace ns3

#endif // GPU_FABRIC_VALUE_SHAPE_H
