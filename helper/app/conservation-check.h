/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CONSERVATION_CHECK_H
#define GPU_FABRIC_CONSERVATION_CHECK_H

#include "../../model/fabric/host-interconnect.h"
#include "../../model/results/result-database.h"

#include "ns3/fabric.h"
#include "ns3/roce-transport.h"

namespace ns3
{

/**
 * Invariants that must hold at the end of every run. Each side of an equation is counted where it
 * happens; what is still in flight is found by walking queues, wires and queue pairs, not taken
 * from another counter.
 */
class ConservationCheck
{
  public:
    /**
     * \param interconnect null: the interior of hosts is not modelled
     * \param endPs simulated time at the end [ps]
     */
    ConservationCheck(Fabric& fabric,
                      const RoceTransport& transport,
                      Ptr<const HostInterconnect> interconnect,
                      int64_t endPs);

    /// Writes a row of `invariant` for each of them.
    void Write(ResultDatabase& database, uint32_t run) const;

  private:
    Fabric& m_fabric;
    const RoceTransport& m_transport;
    Ptr<const HostInterconnect> m_interconnect;
    int64_t m_endPs;
};

} // namespace ns3

#endif // GPU_FABRIC_CONSERVATION_CHECK_H
