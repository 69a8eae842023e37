/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TIMING_CHECK_H
#define GPU_FABRIC_TIMING_CHECK_H

#include "../../model/base/diagnostics.h"
#include "../../model/scenario/scenario.h"
#include "../../model/workload/application/plain-flows.h"

#include "ns3/fabric-helper.h"

#include <vector>

namespace ns3
{

/**
 * Warns, before a run, of times that defeat each other: a retransmission timeout (RTO) below the
 * round-trip time (RTT) of a path, with which every frame is sent again before its acknowledgement
 * can be back, and an outage that is over before the switches use other routes.
 *
 * The RTT is that of an idle path: the propagation and serialisation of a frame and of its
 * acknowledgement on every link, the delay of the switches, and the frames after it that the
 * receiver waits for before it acknowledges (AckInterval).
 */
class TimingCheck
{
  public:
    /// \param network built; it and the scenario must outlive this
    TimingCheck(const Scenario& scenario, const FabricHelper& network);

    /// Adds the warnings. \param flows those of the scenario, in their order
    void Check(const std::vector<PlainFlow>& flows, Diagnostics& diagnostics) const;

  private:
    void CheckJobs(Diagnostics& diagnostics) const;
    void CheckOutages(Diagnostics& diagnostics) const;
    /// RTT of a path [ps]; 0: there is none. \param bytes of the message [byte]
    int64_t GetRoundTrip(uint32_t sourceNic, uint32_t destinationNic, uint64_t bytes) const;
    /// The shortest RTO that a NIC uses [ps], and its attribute.
    std::pair<int64_t, const char*> GetTimeout(uint32_t nic) const;

    const Scenario& m_scenario;
    const FabricHelper& m_network;
};

} // namespace ns3

#endif // GPU_FABRIC_TIMING_CHECK_H
