/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RECORDER_H
#define GPU_FABRIC_RECORDER_H

#include "ns3/callback.h"
#include "ns3/cluster-topology.h"
#include "ns3/fabric.h"
#include "ns3/object.h"
#include "ns3/result-table.h"
#include "ns3/roce-transport.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// What a recorder sees of a run.
struct RunContext
{
    uint32_t run{1};                          ///< its number in the database
    const ClusterTopology* topology{nullptr}; ///< outlives the recorder
    Ptr<Fabric> fabric;                       ///< null in a test without a network
    Ptr<RoceTransport> transport;             ///< likewise
    ResultWriter* results{nullptr};           ///< where rows go; outlives the recorder

    /**
     * Connects a callback to a trace source of the run's jobs; aborts where there is none of that
     * name. Each hands over a record (job-records.h, scheduler-records.h): "JobEvent",
     * "GpuAllocation", "GpuFailure", "Decision", "Span", "Iteration", "Collective", with the type
     * const JobEventRecord& and so on.
     */
    std::function<void(const std::string& source, const CallbackBase& callback)> traceJobs;
};

/**
 * Writes tables of the result database from what trace sources and counters of a run tell. A
 * scenario chooses it under `record:` by its TypeId, `{type: QueueLength, Interval: 10us}` for
 * ns3::QueueLengthRecorder. One new file is all that a recorder takes.
 *
 * A recorder observes: it changes nothing in the run. Its methods are called in the thread that
 * runs the simulator, whatever simulates the network, and in an order that does not depend on it;
 * so a table has the same rows on any number of threads and ranks. An exception that an insertion
 * throws ends the run.
 */
class Recorder : public Object
{
  public:
    static TypeId GetTypeId();

    /// The tables that it writes, besides those of other recorders; they live as long as the
    /// program (a static object each).
    virtual std::vector<const TableSpec*> Tables() const = 0;
    /// Connects to trace sources, before anything happens. Tables() have been added.
    virtual void Connect(const RunContext& context) = 0;
    /// The run begins: what is sampled at intervals is scheduled here. Faults, jobs and flows
    /// have been, so that a sample sees what they do at its instant.
    virtual void Start();
    /// The measuring window opens now. \param now [ps]
    virtual void WindowOpened(int64_t now);
    /// The measuring window closes now. \param now [ps]
    virtual void WindowClosed(int64_t now);
    /// The run has ended, and every trace source has said all it has. \param endPs [ps]
    virtual void Finish(int64_t endPs);
};

} // namespace ns3

#endif // GPU_FABRIC_RECORDER_H
