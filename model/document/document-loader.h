/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_LOADER_H
#define GPU_FABRIC_DOCUMENT_LOADER_H

#include "document-node.h"

#include <optional>
#include <string>

namespace ns3
{

/// Finds and reads the files of documents.
class DocumentLoader
{
  public:
    /**
     * Reads a regular file.
     * \param error set to a sentence without a full stop if nothing is returned
     * \param maxBytes maximum size [byte]
     */
    static std::optional<std::string> ReadText(const std::string& file,
                                               std::string& error,
                                               std::size_t maxBytes = DocumentNode::MAX_BYTES);
    /// Resolves a path written in a file, relative to the folder of that file.
    static std::string Resolve(const std::string& path, const std::string& file);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_LOADER_H
