/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_BLOCK_H
#define GPU_FABRIC_DOCUMENT_BLOCK_H

#include "document-node.h"
#include "scenario-keys.h"

#include "ns3/enum-names.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * One map of a scenario, read by its table in ScenarioKeys.
 *
 * The constructor reports unknown, missing and not yet supported keys. A getter gives the value of
 * a key; nothing where the key is not written, or where its value is wrong, which it reports. The
 * form in the table must be the getter's, and every key is to be asked for once.
 */
class DocumentBlock
{
  public:
    /**
     * \param node the value, which should be a map
     * \param block name of the table in ScenarioKeys
     * \param path for messages, e.g. "jobs[1]"; empty at the top
     */
    DocumentBlock(const DocumentNode& node,
                  const std::string& block,
                  const std::string& path,
                  Diagnostics& diagnostics);

    /// Whether the value was a map with all required keys.
    bool IsComplete() const
    {
        return m_complete;
    }

    /// Whether there was a key that is not known: it may be a slip for one that is missing.
    bool HasUnknown() const
    {
        return m_unknown;
    }

    /// The value of a key, or nullptr.
    const DocumentNode* Find(const std::string& key) const;
    /// Where the value of a key stands; the map where the key is not written.
    SourceMark GetMark(const std::string& key) const;
    /// "jobs[1].gpus".
    std::string GetPath(const std::string& key) const;
    /// Reports an error at a key.
    void Error(const std::string& key, const std::string& what) const;

    std::optional<std::string> GetText(const std::string& key) const; ///< TEXT, NAME, CHOICE

    /// CHOICE of the names of an enumeration. \param value is kept where the key is not written
    template <class E>
    void ReadChoice(const std::string& key, E& value) const
    {
        value = FromName<E>(GetText(key).value_or("")).value_or(value);
    }

    std::optional<uint64_t> GetInteger(const std::string& key) const;
    std::optional<double> GetNumber(const std::string& key) const;
    std::optional<int64_t> GetTime(const std::string& key) const;      ///< [ps]
    std::optional<uint64_t> GetBytes(const std::string& key) const;    ///< [byte]
    std::optional<uint64_t> GetRate(const std::string& key) const;     ///< [bit/s]
    std::optional<double> GetPercentage(const std::string& key) const; ///< as a fraction
    std::optional<std::pair<uint32_t, uint32_t>> GetFraction(const std::string& key) const;
    std::optional<bool> GetBoolean(const std::string& key) const;
    /// The values of a list of single values; two of them where the form is PAIR.
    std::optional<std::vector<const DocumentNode*>> GetScalars(const std::string& key) const;
    /// The values of a list of any kind; nullptr where it is missing or wrong.
    const std::vector<DocumentNode>* GetList(const std::string& key) const;

  private:
    /// The value of a key if it is a single one; reports another kind.
    const DocumentNode* FindScalar(const std::string& key) const;

    template <class T, class Parser>
    std::optional<T> Parse(const std::string& key, Parser parser) const;

    const DocumentNode& m_node;
    std::string m_block;
    std::string m_path;
    Diagnostics& m_diagnostics;
    bool m_complete{true};
    bool m_unknown{false};
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_BLOCK_H
