/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_KEYS_H
#define GPU_FABRIC_SCENARIO_KEYS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What the value of a key looks like.
enum class KeyForm
{
    TEXT,
    NAME,       ///< letters, digits and . _ -
    INTEGER,    ///< between low and high
    NUMBER,     ///< above 0
    TIME,       ///< at least low [ps]
    BYTES,      ///< at least low [byte]
    RATE,       ///< above 0
    PERCENTAGE, ///< from 0 to 100 %
    FRACTION,   ///< above 0, at most 1
    BOOLEAN,
    CHOICE,        ///< one of the words of detail, separated by "|"
    NAMES,         ///< a list of names
    PAIR,          ///< a list of two names
    BLOCK,         ///< a map with the keys of block detail
    LIST,          ///< a list of such maps
    TYPED,         ///< a type and its attributes; detail: "Suffix|ns3::Base"
    TYPED_LIST,    ///< a list of these
    MODEL,         ///< a name, or a type and its attributes
    ATTRIBUTES,    ///< ns3::Class::Attribute to value
    ARRIVAL,       ///< a time, or {uniform: [low, high]}
    HOSTS,         ///< a list of names, or of such lists
    STEPS,         ///< steps of an iteration, maps of one key of block "step"
    FLOWS,         ///< maps with the keys of block "flow" or "flow-file"
    RECORDS,       ///< words of block "record", or maps such as {links: {interval: time}}
    WORD_OR_BLOCK, ///< one of RECORDS that is a word or a map with the keys of block detail
    JOBS,          ///< a list of maps with the keys of block "job", or one of block "job-trace"
    FORMAT,        ///< a format of files, one of a family of types; detail as of TYPED
    MODELS,        ///< a trace's names of models to a model or a map of block "trace-model"
    SETTINGS,      ///< paths of keys to lists of values
    SEEDS,         ///< "1..5", or a list of integers
    NOT_SUPPORTED  ///< known, refused by this version
};

/// One key of a map.
struct ScenarioKey
{
    const char* name;
    KeyForm form;
    const char* help;
    const char* detail{""};
    uint64_t low{0};
    uint64_t high{0};
    bool required{false};
};

/**
 * The keys of every map of a scenario, the only place they are listed: the reader checks against
 * these tables and `--print-schema` prints them.
 */
class ScenarioKeys
{
  public:
    /// Keys of a map; aborts where there is no such block.
    static const std::vector<ScenarioKey>& Get(const std::string& block);
    /// A key of a map, or nullptr.
    static const ScenarioKey* Find(const std::string& block, const std::string& key);
    /// The words of a "|"-separated list.
    static std::vector<std::string> Split(const std::string& words);
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_KEYS_H
