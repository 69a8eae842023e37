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

/**
 * One map of a document whose keys have been checked: what is asked of it once DocumentTable has
 * read the values. The constructor reports keys that are unknown, missing or not yet supported.
 */
class DocumentBlock
{
  public:
    /**
     * \param node the value, which should be a map
     * \param keys those that it may have; must outlive the block, as must the node
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

    /// Whether there was a key that is not known: it may be a slip for one that is missing.
    bool HasUnknown() const
    {
        return m_unknown;
    }

    /// Whether it is complete and all values that have been read are right.
    bool IsRight() const
    {
        return m_complete && m_wrong.empty();
    }

    /// Whether the value of a key is wrong.
    bool IsWrong(const std::string& key) const
    {
        return m_wrong.count(key) > 0;
    }

    /// Notes that the value of a key is wrong.
    void SetWrong(const std::string& key)
    {
        m_wrong.insert(key);
    }

    /// The value of a key, or nullptr.
    const DocumentNode* Find(const std::string& key) const;

    /// Whether a key is written.
    bool Has(const std::string& key) const
    {
        return Find(key) != nullptr;
    }

    /// Those of some keys that are written, in that order.
    std::vector<std::string> ListWritten(const std::vector<std::string>& keys) const;
    /// Where the value of a key stands; the map where the key is not written.
    SourceMark GetMark(const std::string& key) const;
    /// "jobs[1].gpus".
    std::string GetPath(const std::string& key) const;
    /// Reports an error at a key.
    void Error(const std::string& key, const std::string& what) const;
    /// The values of a list of any kind; nullptr where it is missing or wrong, which is reported.
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
