/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_TEXT_H
#define GPU_FABRIC_DOCUMENT_TEXT_H

#include "document-node.h"

#include <string>

namespace ns3
{

/// Writes a tree as YAML. Read again it gives the same values, without the marks: the text of two
/// trees is the same if and only if their values are, so that a hash of it names them.
class DocumentText
{
  public:
    /// The whole tree in block style, a line feed at its end.
    static std::string Write(const DocumentNode& node);
    /// In one line, for labels: "{type: Crux, Levels: 4}".
    static std::string WriteLine(const DocumentNode& node);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_TEXT_H
