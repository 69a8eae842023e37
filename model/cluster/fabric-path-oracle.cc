/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-path-oracle.h"

#include "../fabric/switch/routing-table.h"

namespace ns3
{

FabricPathOracle::FabricPathOracle(Ptr<const Fabric> fabric)
    : m_fabric(fabric)
{
}

std::vector<LinkPath>
FabricPathOracle::GetPaths(uint32_t sourceNic, uint32_t destinationNic) const
{
    return m_fabric->GetRouting().GetPaths(sourceNic, destinationNic);
}

LinkPath
FabricPathOracle::GetEcmpPath(uint32_t sourceNic,
                              uint32_t destinationNic,
                              uint16_t udpSourcePort) const
{
    return m_fabric->GetRouting().GetPath(sourceNic,
                                          destinationNic,
                                          HashFiveTuple(sourceNic, destinationNic, udpSourcePort),
                                          m_fabric->GetPathSelector());
}

int32_t
FabricPathOracle::FindUdpSourcePort(uint32_t sourceNic,
                                    uint32_t destinationNic,
                                    const LinkPath& path) const
{
    return m_fabric->GetRouting().FindUdpSourcePort(sourceNic,
                                                    destinationNic,
                                                    path,
                                                    m_fabric->GetPathSelector());
}

} // namespace ns3
