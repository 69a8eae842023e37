/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_TEXT_H
#define GPU_FABRIC_DOCUMENT_TEXT_H

#include "document-node.h"

#include <string>

namespace ns3
{

/// Writes a tree as YAML. Reading it back gives the same values, without the marks. Two trees have
/// the same text if and only if their values are equal, so that a hash of the text identifies them.
class DocumentText
{
  public:
    /// The whole tree in block style, ending in a line feed.
    static std::string Write(const DocumentNode& node);
    /// On one line, for labels: "{type: Crux, Levels: 4}".
    static std::string WriteLine(const DocumentNode& node);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_TEXT_H
