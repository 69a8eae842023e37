/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HOST_MODEL_H
#define GPU_FABRIC_HOST_MODEL_H

#include "ns3/cluster-topology.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Creates the inside of the hosts of a cluster. A subclass, with a constructor, is one
 * self-registered file: ns3::XHost is selected by `host: X`, and its attributes are keys of that
 * block.
 *
 * The attributes override the model's link parameters; 0 keeps them. Rates include packet headers,
 * whose sizes are attributes, too.
 */
class HostModel : public Object
{
  public:
    static TypeId GetTypeId();

    /// The name used in scenarios, e.g. "dgx-a100".
    virtual std::string GetModelName() const = 0;
    /// The inside of a host; valid unless attributes contradict each other.
    HostLayout MakeLayout() const;

    /**
     * Gives this inside to every host of a cluster.
     * \returns one sentence for each fault: an invalid layout, or a host with other numbers of GPUs
     * or NICs
     */
    std::vector<std::string> AddTo(ClusterTopology& topology) const;

  protected:
    /// The usual structure of a GPU server: PCIe switches below root complexes, one per socket.
    struct Plan
    {
        uint32_t gpus{8};
        uint32_t nics{1};
        uint32_t pcieSwitches{4};
        uint32_t roots{2};
        uint64_t pcieBps{0};    ///< of every PCIe link, x16 [bit/s]
        uint64_t socketBps{0};  ///< between root complexes [bit/s]
        uint32_t nvswitches{0}; ///< planes; each GPU has a link to each of them
        uint64_t nvlinkBps{0};  ///< of a GPU over all planes, or of one direct link [bit/s]
        /// Direct links: two GPUs, and the number of links between them.
        std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint32_t>> mesh;
    };

    virtual Plan MakePlan() const = 0;

  private:
    uint64_t m_pcieRate{0};   ///< [bit/s]
    uint64_t m_nvlinkRate{0}; ///< [bit/s]
    Time m_pcieDelay;
    Time m_nvlinkDelay;
    uint32_t m_pciePayload{256};
    uint32_t m_pcieHeader{24};
    uint32_t m_nvlinkPayload{256};
    uint32_t m_nvlinkHeader{16};
};

} // namespace ns3

#endif // GPU_FABRIC_HOST_MODEL_H
