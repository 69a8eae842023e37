/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_OTHER_PROCESSES_H
#define GPU_FABRIC_OTHER_PROCESSES_H

#include "fabric-fault-order.h"
#include "fabric-readings.h"

#include "ns3/fabric-records.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// The logical processes of a split fabric other than the simulator's, as seen by the simulator's
/// (FabricSplit).
class OtherProcesses
{
  public:
    virtual ~OtherProcesses() = default;
    /// A frame has been sent to another logical process.
    virtual void FrameSent() = 0;
    /// Whether a port belongs to the simulator's logical process.
    virtual bool IsHere(uint32_t portId) const = 0;
    /// The sum over the others, at the event that the simulator is running.
    virtual const FabricReadings& GetReadings() = 0;
    /// The sum over all, including what is in transit between them. \param now [ps]
    virtual const FabricAudit& GetAudit(int64_t now) = 0;
    /// Adds the state of the paused queues of the others. \param now [ps]
    virtual void TakeSnapshot(int64_t now,
                              int64_t deadlock,
                              bool forStuck,
                              PauseSnapshot& snapshot) = 0;
    virtual void EnableAccounting(bool enable) = 0;
    /// Same as in Pfc. \param now [ps]
    virtual void FinishPauses(int64_t now) = 0;
    /// Brings the others up to the event that is running, and all frames onto their wires.
    virtual void Gather() = 0;
    /**
     * Applies in the others what this one has applied; they have been gathered.
     * \returns the sum of the results of NetworkFaults::Apply()
     */
    virtual uint64_t Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down) = 0;
    /// Notifies of an event, in the order of the events of all logical processes.
    virtual void NotifyInOrder(const FabricEventRecord& record,
                               const TracedCallback<const FabricEventRecord&>& trace) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_OTHER_PROCESSES_H
