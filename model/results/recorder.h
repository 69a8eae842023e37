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

/// The run that a recorder observes.
struct RunContext
{
    uint32_t run{1};                          ///< number of the run in the database
    const ClusterTopology* topology{nullptr}; ///< outlives the recorder
    Ptr<Fabric> fabric;                       ///< null in a test without a network
    Ptr<RoceTransport> transport;             ///< likewise
    ResultWriter* results{nullptr};           ///< receives the rows; outlives the recorder

    /**
     * Connects a callback to a trace source of the run's jobs; aborts if there is none of that
     * name. Each passes a record (job-records.h, scheduler-records.h): "JobEvent", "GpuAllocation",
     * "GpuFailure", "Decision", "Span", "Iteration", "CollectiveStart",
     * "Collective" (both a CollectiveRecord), with the type const JobEventRecord& and so on.
     */
    std::function<void(const std::string& source, const CallbackBase& callback)> traceJobs;
};

/**
 * Writes tables of the result database from the trace sources and counters of a run. A scenario
 * selects a recorder under `record:` by its TypeId, `{type: QueueLength, Interval: 10us}` for
 * ns3::QueueLengthRecorder. A new recorder is one new file.
 *
 * A recorder observes: it changes nothing in the run. Its methods are called in the thread that
 * runs the simulator, however the network is parallelised, and in an order that does not depend on
 * that, so a table has the same rows on any number of threads and ranks. An exception thrown by an
 * insertion ends the run.
 */
class Recorder : public Object
{
  public:
    static TypeId GetTypeId();

    /// The tables that it writes, in addition to those of other recorders; they live as long as the
    /// program (a static object each).
    virtual std::vector<const TableSpec*> Tables() const = 0;
    /// Connects to trace sources, before the run starts. Tables() have been added by then.
    virtual void Connect(const RunContext& context) = 0;
    /// The run starts: schedules periodic samples. Faults, jobs and flows are already scheduled, so
    /// that a sample sees their effect at the same instant.
    virtual void Start();
    /// The measuring window opens now. \param now [ps]
    virtual void WindowOpened(int64_t now);
    /// The measuring window closes now. \param now [ps]
    virtual void WindowClosed(int64_t now);
    /// The run has ended, and no trace source fires any more. \param endPs simulated time [ps]
    virtual void Finish(int64_t endPs);
};

} // namespace ns3

#endif // GPU_FABRIC_RECORDER_H
