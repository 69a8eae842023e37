/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HOST_LAYOUT_H
#define GPU_FABRIC_HOST_LAYOUT_H

#include "ns3/enum-names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The kind of a topology node.
enum class TopologyNodeKind : uint8_t
{
    HOST,
    SWITCH,
    // Parts of a host, if its inside is modelled (HostLayout).
    GPU,
    NIC,
    PCIE_SWITCH,
    ROOT_COMPLEX,
    NVSWITCH
};

template <>
struct EnumNames<TopologyNodeKind>
{
    static constexpr EnumName<TopologyNodeKind> TABLE[] = {
        {TopologyNodeKind::HOST, "host"},
        {TopologyNodeKind::SWITCH, "switch"},
        {TopologyNodeKind::GPU, "gpu"},
        {TopologyNodeKind::NIC, "nic"},
        {TopologyNodeKind::PCIE_SWITCH, "pcie-switch"},
        {TopologyNodeKind::ROOT_COMPLEX, "root-complex"},
        {TopologyNodeKind::NVSWITCH, "nvswitch"}};
};

/// The kind of a link's cable.
enum class TopologyLinkKind : uint8_t
{
    NETWORK,
    PCIE,
    NVLINK
};

template <>
struct EnumNames<TopologyLinkKind>
{
    static constexpr EnumName<TopologyLinkKind> TABLE[] = {{TopologyLinkKind::NETWORK, "network"},
                                                           {TopologyLinkKind::PCIE, "pcie"},
                                                           {TopologyLinkKind::NVLINK, "nvlink"}};
};

/// A part of a host.
struct HostPart
{
    std::string name; ///< "gpu0", "nic1", "pcie0", "root0", "nvswitch5"
    TopologyNodeKind kind{TopologyNodeKind::GPU};
};

/// A full-duplex connection inside a host.
struct HostLink
{
    uint32_t partA{0};   ///< index of a part
    uint32_t partB{0};   ///< index of a part
    uint64_t rateBps{0}; ///< [bit/s] in each direction, of payload and packet headers
    int64_t delayPs{0};  ///< [ps] in each direction
    TopologyLinkKind kind{TopologyLinkKind::PCIE};
};

/// The paths from one part of a host to another, which segments take in turn.
struct HostRoute
{
    TopologyLinkKind kind{TopologyLinkKind::PCIE};
    /// Equally short paths: ports of the layout, in order (2 i leaves part A of link i, 2 i + 1
    /// part B). Empty: there is none.
    std::vector<std::vector<uint32_t>> paths;
};

/**
 * The inside of a host as a plain value: GPUs, NICs, PCIe switches, root complexes and NVSwitches,
 * and how they are connected. The first `gpus` parts are the GPUs, the next `nics` the NICs, in the
 * order of their numbers.
 *
 * Between GPUs, data take NVLink, directly or through NVSwitches, if there is such a path, and PCIe
 * otherwise; GPUs and NICs do not forward. (NCCL makes the same choice; it also relays through a
 * third GPU, which is left to the collective.)
 */
class HostLayout
{
  public:
    std::string name; ///< of the model, "dgx-a100"
    uint32_t gpus{0};
    uint32_t nics{0};
    std::vector<HostPart> parts;
    std::vector<HostLink> links;
    uint32_t pciePayload{256};   ///< maximum payload of a PCIe packet (TLP) [byte]
    uint32_t pcieHeader{24};     ///< header, framing and LCRC of a packet [byte]
    uint32_t nvlinkPayload{256}; ///< maximum payload of an NVLink packet [byte]
    uint32_t nvlinkHeader{16};   ///< header flit of a packet [byte]

    /// The NIC of GPU g: floor(g N / G), as specified in semantics.md.
    uint32_t GetGpuNic(uint32_t gpu) const
    {
        return static_cast<uint32_t>(static_cast<uint64_t>(gpu) * nics / gpus);
    }

    uint32_t GetNicPart(uint32_t nic) const
    {
        return gpus + nic;
    }

    /// The part that owns a port.
    uint32_t GetPortPart(uint32_t port) const
    {
        const HostLink& link = links[port / 2];
        return port % 2 == 0 ? link.partA : link.partB;
    }

    /// Bytes on a link for a payload [byte].
    uint64_t GetWireBytes(TopologyLinkKind kind, uint64_t payload) const;
    /// The paths between two parts; deterministic.
    HostRoute FindRoute(uint32_t from, uint32_t to) const;
    /**
     * Checks that GPUs and NICs come first, names are unique, rates are positive, every NIC can be
     * reached from every GPU over PCIe, and every GPU from every other.
     * \returns one sentence for each fault; empty if there is none
     */
    std::vector<std::string> Validate() const;

  private:
    /// All shortest paths over links of one kind.
    std::vector<std::vector<uint32_t>> FindPaths(TopologyLinkKind kind,
                                                 uint32_t from,
                                                 uint32_t to) const;
};

bool operator==(const HostLayout& a, const HostLayout& b);

} // namespace ns3

#endif // GPU_FABRIC_HOST_LAYOUT_H
