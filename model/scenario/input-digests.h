/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_INPUT_DIGESTS_H
#define GPU_FABRIC_INPUT_DIGESTS_H

#include "../document/document-node.h"

#include <map>
#include <string>

namespace ns3
{

/**
 * Digests of the files that a scenario's values name: a run depends on their content, not on their
 * names. Which values are names of files is not known here, so every value that leads to a regular
 * file counts; a digest too many only makes a run depend on a file that it does not read.
 */
class InputDigests
{
  public:
    /// A line for each file that the tree names, "# file NAME: digest NUMBER", sorted.
    std::string GetText(const DocumentNode& tree) const;

    /// FNV-1a with 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv) of a file's content as a decimal
    /// number; "" if it is not a regular file.
    static std::string Digest(const std::string& file);

  private:
    void Add(const DocumentNode& node, std::map<std::string, std::string>& digests) const;

    mutable std::map<std::string, std::string> m_known; ///< by path; "": no file
};

} // namespace ns3

#endif // GPU_FABRIC_INPUT_DIGESTS_H
