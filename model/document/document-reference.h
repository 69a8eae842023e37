/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_REFERENCE_H
#define GPU_FABRIC_DOCUMENT_REFERENCE_H

#include "value-shape.h"

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Prints the keys of a document as a page of reStructuredText: a table for each map, generated from
 * the tables used to read documents. Selectable types are not listed, only their base class, as the
 * available types depend on what is linked.
 */
class DocumentReference
{
  public:
    /**
     * \param title title of the page
     * \param introduction paragraphs below it
     * \param keys keys of the top-level map
     */
    static void Print(std::ostream& os,
                      const std::string& title,
                      const std::string& introduction,
                      const BlockKeys& keys);

  private:
    /// Collects the maps that a value holds, by name, and that are not yet listed.
    static void Collect(const ValueShape& shape, std::vector<const BlockKeys*>& blocks);
    static void PrintBlock(std::ostream& os, const BlockKeys& keys);
    /// "integer from 1 to 64", "list of `flow`_".
    static std::string Describe(const ValueShape& shape);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_REFERENCE_H
