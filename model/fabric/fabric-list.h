/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_LIST_H
#define GPU_FABRIC_FABRIC_LIST_H

#include "ns3/ptr.h"

namespace ns3
{

class Fabric;

/// The fabrics of the simulation, accessible through ns-3's Config paths: /FabricList/N/Event,
/// /FabricList/N/Transport/Rate, ... N is the index of the fabric, from 0. The list is cleared when
/// the simulator is destroyed.
class FabricList
{
  public:
    static void Add(Ptr<Fabric> fabric);
    /// No effect if it is not in the list.
    static void Remove(const Fabric* fabric);
    /// Whether a fabric other than this one is split into logical processes.
    static bool IsOtherSplit(const Fabric& fabric);

  private:
    /// Called at the end of the simulation, or when the last fabric is removed.
    static void Clear();
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_LIST_H
