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
     * Reads a regular file, or a pipe: <(...) of a shell. A pipe can be read once; reading it again
     * gives what was read.
     * \param error set to a sentence without a full stop if nothing is returned
     * \param maxBytes maximum size [byte]
     */
    static std::optional<std::string> ReadText(const std::string& file,
                                               std::string& error,
                                               std::size_t maxBytes = DocumentNode::MAX_BYTES);
    /// Whether a file is a pipe, which only one process can read.
    static bool IsPipe(const std::string& file);
    /// Resolves a path written in a file, relative to the folder of that file; in a file of
    /// /dev or /proc, such as the pipe of a shell's <(...), relative to the working folder.
    static std::string Resolve(const std::string& path, const std::string& file);

  private:
    static std::optional<std::string> ReadPipe(const std::string& file,
                                               std::string& error,
                                               std::size_t maxBytes);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_LOADER_H
