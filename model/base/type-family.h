/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TYPE_FAMILY_H
#define GPU_FABRIC_TYPE_FAMILY_H

#include "ns3/attribute.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * Takes the TypeIds (TypeIdValue) of a family: children of a class that can be made. Others are
 * refused when they are set, and the family is said (AttributeRefusal).
 * \param base name of the class, e.g. "ns3::JobOrder"; need not be registered yet
 */
Ptr<const AttributeChecker> MakeTypeFamilyChecker(const std::string& base);

/// Names of the types of a family, sorted, without a prefix and a suffix: of
/// "ns3::BestFitPlacement" "BestFit" remains. Those hidden from ns-3's documentation are left out.
std::vector<std::string> ListTypeFamily(const std::string& base,
                                        const std::string& prefix = "",
                                        const std::string& suffix = "");

} // namespace ns3

#endif // GPU_FABRIC_TYPE_FAMILY_H
