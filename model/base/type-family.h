/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TYPE_FAMILY_H
#define GPU_FABRIC_TYPE_FAMILY_H

#include "ns3/attribute.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Accepts the TypeIds (TypeIdValue) of a family: instantiable children of a class. Others are
 * refused when they are set, with the members of the family listed (AttributeRefusal).
 * \param base name of the class, e.g. "ns3::JobOrder"; need not be registered yet
 */
Ptr<const AttributeChecker> MakeTypeFamilyChecker(const std::string& base);

/// Names of the types of a family, sorted, with a prefix and a suffix removed:
/// "ns3::BestFitPlacement" becomes "BestFit". Types hidden from ns-3's documentation are left out.
std::vector<std::string> ListTypeFamily(const std::string& base,
                                        const std::string& prefix = "",
                                        const std::string& suffix = "");

} // namespace ns3

#endif // GPU_FABRIC_TYPE_FAMILY_H
