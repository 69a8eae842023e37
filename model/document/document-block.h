/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_BLOCK_H
#define GPU_FABRIC_DOCUMENT_BLOCK_H

#include "document-node.h"
#include "value-shape.h"

#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// A map of a document whose keys have been checked, for queries after DocumentTable has read the
/// values. The constructor reports unknown, missing and unsupported keys.
class DocumentBlock
{
  public:
    /**
     * \param node the value, which should be a map
     * \param keys permitted keys; must outlive the block, as must the node
     * \param path for messages, e.g. "jobs[1]"; empty at the top
     */
    DocumentBlock(const DocumentNode& node,
                  const BlockKeys& keys,
                  const std::string& path,
                  Diagnostics& diagnostics);

    /// Whether the value was a map with all required keys.
    bool IsComplete() const
    {
        return m_complete;
    }

    /// Whether there was an unknown key, which may be a misspelling of a missing one.
    bool HasUnknown() const
    {
        return m_unknown;
    }

    /// Whether it is complete and all values read so far are valid.
    bool IsRight() const
    {
        return m_complete && m_wrong.empty();
    }

    /// Whether the value of a key is wrong.
    bool IsWrong(const std::string& key) const
    {
        return m_wrong.count(key) > 0;
    }

    /// Marks the value of a key as wrong.
    void SetWrong(const std::string& key)
    {
        m_wrong.insert(key);
    }

    /// The value of a key, or nullptr.
    const DocumentNode* Find(const std::string& key) const;

    /// Whether a key is present.
    bool Has(const std::string& key) const
    {
        return Find(key) != nullptr;
    }

    /// Those of the given keys that are present, in that order.
    std::vector<std::string> ListWritten(const std::vector<std::string>& keys) const;
    /// Position of the value of a key; that of the map if the key is not present.
    SourceMark GetMark(const std::string& key) const;
    /// "jobs[1].gpus".
    std::string GetPath(const std::string& key) const;
    /// Reports an error at a key.
    void Error(const std::string& key, const std::string& what) const;
    /// The values of a list of any kind; nullptr if it is missing or wrong, which is reported.
    const std::vector<DocumentNode>* GetList(const std::string& key) const;

  private:
    const DocumentNode& m_node;
    const BlockKeys& m_keys;
    std::string m_path;
    Diagnostics& m_diagnostics;
    std::set<std::string> m_wrong;
    bool m_complete{true};
    bool m_unknown{false};
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_BLOCK_H
