/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_LOADER_H
#define GPU_FABRIC_DOCUMENT_LOADER_H

#include "document-node.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads a scenario file and those it extends into one tree.
 *
 * `extends: base.yaml` (relative to the file that says so) inherits maps key by key; lists and
 * single values are replaced. A typed block with another `type` is replaced as a whole, and
 * `compare` replaces an inherited `scheduler`, as does `scheduler` an inherited `compare`.
 */
class DocumentLoader
{
  public:
    explicit DocumentLoader(Diagnostics& diagnostics);

    /// Reads a file; nothing where the tree is unusable, with errors in the diagnostics.
    std::optional<DocumentNode> Load(const std::string& file);

    /// The text of the file; that of the files it extends follows, each after a comment.
    const std::string& GetText() const
    {
        return m_text;
    }

    /**
     * Reads a regular file.
     * \param error gets a sentence without a full stop where nothing is returned
     * \param maxBytes most it may have [byte]
     */
    static std::optional<std::string> ReadText(const std::string& file,
                                               std::string& error,
                                               std::size_t maxBytes = DocumentNode::MAX_BYTES);
    /// A path that stands in a file: relative to the folder of that file.
    static std::string Resolve(const std::string& path, const std::string& file);

  private:
    std::optional<DocumentNode> LoadOne(const std::string& file, const DocumentNode* extends);
    static void Inherit(DocumentNode& node, const DocumentNode& base, bool top);

    Diagnostics& m_diagnostics;
    std::vector<std::string> m_open; ///< canonical paths of the files being read
    std::string m_text;
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_LOADER_H
