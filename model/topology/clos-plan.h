/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLOS_PLAN_H
#define GPU_FABRIC_CLOS_PLAN_H

#include "ns3/cluster-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The cabling of a three-tier Clos network: hosts host0.., ToR switches tor0.., pods of
 * aggregation switches agg0.., and cores core0... A plain value.
 *
 * The uplinks of a ToR are spread evenly over the aggregation switches of its pod. Uplink u of the
 * j-th aggregation switch of a pod goes to core (j aggUplinks + u) modulo cores, so that every core
 * has the same number of links to every pod: with aggUplinks a multiple of cores every aggregation
 * switch meets every core, with aggsPerPod aggUplinks = cores they form the planes of a fat-tree.
 *
 * Links, and so ports, come in this order: host by host and NIC by NIC; then ToR by ToR,
 * aggregation switch by aggregation switch, and the parallel links of such a pair one after the
 * other; then aggregation switch by aggregation switch, uplink by uplink.
 */
struct ClosPlan
{
    std::vector<uint32_t> torOfHost; ///< by host: the ToR that its NIC 0 is connected to
    std::vector<uint32_t> podOfTor;  ///< by ToR; pods are numbered from 0 without gaps
    bool doubleSided{false};         ///< NIC k is cabled to ToR torOfHost + k mod 2
    uint32_t gpusPerHost{8};
    uint32_t nicsPerHost{1};
    uint64_t nicBps{0}; ///< [bit/s]
    uint32_t aggsPerPod{1};
    uint32_t torUplinks{1};   ///< of each ToR, in total
    uint64_t torUplinkBps{0}; ///< [bit/s]
    uint32_t cores{0};        ///< 0: none, for a single pod
    uint32_t aggUplinks{1};   ///< of each aggregation switch, in total
    uint64_t aggUplinkBps{0}; ///< [bit/s]
    int64_t delayPs{0};       ///< of every link [ps]

    uint32_t GetPodCount() const;
    uint64_t GetLinkCount() const;
    /// Adds a sentence, prefixed with the attribute's name, for each number that conflicts with
    /// others.
    void Check(std::vector<TopologyFault>& faults) const;
    /// Builds the graph of a plan that has passed Check().
    ClusterTopology Build() const;
};

} // namespace ns3

#endif // GPU_FABRIC_CLOS_PLAN_H
