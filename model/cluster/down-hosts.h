/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOWN_HOSTS_H
#define GPU_FABRIC_DOWN_HOSTS_H

#include "ns3/cluster-topology.h"
#include "ns3/scheduler-records.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// The hosts of a cluster that are down.
class DownHosts
{
  public:
    /// \param topology must outlive this object
    void SetTopology(const ClusterTopology& topology)
    {
        m_topology = &topology;
    }

    /// A host has failed at nowPs [ps]. \param returns whether it is due back within the run
    void Add(int64_t nowPs, uint32_t host, bool returns)
    {
        m_hosts[host] = {nowPs, returns};
    }

    /// A host is back, or the run ends, at nowPs [ps]. \returns the failure times of its GPUs
    std::vector<GpuFailureRecord> Remove(int64_t nowPs, uint32_t host);
    /// The same for all hosts that are down.
    std::vector<GpuFailureRecord> RemoveAll(int64_t nowPs);

    /// Whether any host is down and none of them is due back.
    bool IsFinal() const;
    /// Names, separated by commas.
    std::string GetNames() const;
    /// Free GPUs, excluding those of hosts that are down. \param free by GPU, 1 if it is free
    std::vector<uint8_t> GetUsable(std::vector<uint8_t> free) const;

  private:
    struct State
    {
        int64_t sincePs;
        bool returns;
    };

    const ClusterTopology* m_topology{nullptr};
    std::map<uint32_t, State> m_hosts; ///< by node
};

} // namespace ns3

#endif // GPU_FABRIC_DOWN_HOSTS_H
