/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PATH_ORACLE_H
#define GPU_FABRIC_FABRIC_PATH_ORACLE_H

#include "ns3/cluster-view.h"
#include "ns3/fabric.h"

namespace ns3
{

/// The paths of a fabric, by its own routing table and hash.
class FabricPathOracle : public PathOracle
{
  public:
    explicit FabricPathOracle(Ptr<const Fabric> fabric);

    std::vector<LinkPath> GetPaths(uint32_t sourceNic, uint32_t destinationNic) const override;
    LinkPath GetEcmpPath(uint32_t sourceNic,
                         uint32_t destinationNic,
                         uint16_t udpSourcePort) const override;
    int32_t FindUdpSourcePort(uint32_t sourceNic,
                              uint32_t destinationNic,
                              const LinkPath& path) const override;

  private:
    Ptr<const Fabric> m_fabric;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PATH_ORACLE_H
