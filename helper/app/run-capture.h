/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_CAPTURE_H
#define GPU_FABRIC_RUN_CAPTURE_H

#include "../../model/scenario/scenario.h"

#include "ns3/fabric-helper.h"
#include "ns3/fabric-trace-helper.h"

#include <string>
#include <vector>

namespace ns3
{

/// The pcap files of a run, if its scenario has `record: [pcap]`: one for each port of its hosts,
/// or of the named nodes and links.
class RunCapture
{
  public:
    /// Both must outlive this object.
    RunCapture(const Scenario& scenario, const FabricHelper& network);

    /// Whether the scenario requests files.
    bool IsWanted() const
    {
        return m_scenario.record.pcap;
    }

    /// Why there can be none (the PathMtu is too large for IP); empty if there can.
    std::string FindFault() const;
    /// Whether packets differ in size from the frames in the simulation.
    bool IsForced() const;
    /// Opens PREFIX-NODE-DEVICE.pcap.
    /// \throws ResultWriteError
    void Open(const std::string& prefix);
    /// Closes the files.
    /// \throws ResultWriteError if not all could be written
    void Close();

  private:
    std::vector<Ptr<FabricNetDevice>> GetPorts() const;

    const Scenario& m_scenario;
    const FabricHelper& m_network;
    FabricTraceHelper m_traces;
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_CAPTURE_H
