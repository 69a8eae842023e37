/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_FAULT_H
#define GPU_FABRIC_FABRIC_FAULT_H

#include <cstdint>
#include <string>

namespace ns3
{

/// The cause of a fault in the configuration of a fabric.
enum class FabricFaultKind : uint8_t
{
    ATTRIBUTE, ///< the value of an attribute of ns3::Fabric
    EGRESS,    ///< the attributes of its egress scheduler
    SWITCH,    ///< the attributes of a switch or of its policies, given its ports
    RANK       ///< another rank cannot build its logical process
};

/// Something wrong with the configuration of a fabric.
struct FabricFault
{
    /// The part of the configuration that is at fault.
    struct Place
    {
        std::string attribute{}; ///< of ns3::Fabric, if the kind is ATTRIBUTE or EGRESS
        std::string node{};      ///< if the kind is SWITCH
        uint32_t rank{0};        ///< if the kind is RANK
    };

    FabricFaultKind kind{FabricFaultKind::ATTRIBUTE};
    Place place{};
    std::string text{}; ///< one sentence without a full stop; for an attribute, without its name

    static FabricFault OfAttribute(const std::string& attribute, const std::string& text);
    static FabricFault OfEgress(const std::string& text);
    static FabricFault OfSwitch(const std::string& node, const std::string& text);
    static FabricFault OfRank(uint32_t rank, const std::string& text);
    /// The place and the text: "ControlPriority 8 is not ...", "leaf0: the headroom ...".
    std::string ToSentence() const;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_FAULT_H
