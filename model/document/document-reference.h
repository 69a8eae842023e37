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
 * Prints the keys of a document as a page of reStructuredText: a table for each map, from the
 * tables by which documents are read. Types that can be chosen are not listed, only their base
 * class: which ones there are depends on what is linked.
 */
class DocumentReference
{
  public:
    /**
     * \param title of the page
     * \param introduction paragraphs below it
     * \param keys of the map at the top
     */
    static void Print(std::ostream& os,
                      const std::string& title,
                      const std::string& introduction,
                      const BlockKeys& keys);

  private:
    /// Maps that a value holds, by name, those not yet listed.
    static void Collect(const ValueShape& shape, std::vector<const BlockKeys*>& blocks);
    static void PrintBlock(std::ostream& os, const BlockKeys& keys);
    /// "integer from 1 to 64", "list of `flow`_".
    static std::string Describe(const ValueShape& shape);
};

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_REFERENCE_H
