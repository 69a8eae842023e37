/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-fault.h"

namespace ns3
{

FabricFault
FabricFault::OfAttribute(const std::string& attribute, const std::string& text)
{
    return {FabricFaultKind::ATTRIBUTE, {attribute}, text};
}

FabricFault
FabricFault::OfEgress(const std::string& text)
{
    return {FabricFaultKind::EGRESS, {"EgressScheduler"}, text};
}

FabricFault
FabricFault::OfSwitch(const std::string& node, const std::string& text)
{
    return {FabricFaultKind::SWITCH, {"", node}, text};
}

FabricFault
FabricFault::OfRank(uint32_t rank, const std::string& text)
{
    return {FabricFaultKind::RANK, {"", "", rank}, text};
}

std::string
FabricFault::ToSentence() const
{
    switch (kind)
    {
    case FabricFaultKind::ATTRIBUTE:
        return place.attribute + " " + text;
    case FabricFaultKind::EGRESS:
        return text;
    case FabricFaultKind::SWITCH:
        return place.node + ": " + text;
    case FabricFaultKind::RANK:
        return "rank " + std::to_string(place.rank) + ": " + text;
    }
    return text;
}

} // namespace ns3
