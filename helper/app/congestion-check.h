/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CONGESTION_CHECK_H
#define GPU_FABRIC_CONGESTION_CHECK_H

#include "../../model/base/diagnostics.h"
#include "../../model/scenario/scenario.h"

#include "ns3/ecn-marker.h"
#include "ns3/fabric-helper.h"

#include <vector>

namespace ns3
{

/// Whether the congestion control of the NICs fits their rates, and what its preset stands for.
class CongestionCheck
{
  public:
    /// \param network built; it and the scenario must outlive this
    CongestionCheck(const Scenario& scenario, const FabricHelper& network);

    /// Warns where the parameters are meant for rates far from that of a NIC that can send.
    void Check(Diagnostics& diagnostics) const;

    /// Values in force of attributes that are left to a preset, of the congestion control and of
    /// the switches. Where NICs have several rates, those at the highest.
    std::vector<PresetValue> GetPresetValues() const;

  private:
    const Scenario& m_scenario;
    const FabricHelper& m_network;
    std::vector<uint32_t> m_nics; ///< ports of hosts, the first of each rate, the slowest first
};

} // namespace ns3

#endif // GPU_FABRIC_CONGESTION_CHECK_H
