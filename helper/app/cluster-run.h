/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_RUN_H
#define GPU_FABRIC_CLUSTER_RUN_H

#include "../../model/cluster/cluster-manager.h"
#include "../../model/cluster/fabric-path-oracle.h"
#include "../../model/cluster/training-job-factory.h"
#include "../../model/fabric/fault-injector.h"
#include "../../model/results/progress-printer.h"
#include "../../model/results/result-database.h"
#include "../../model/results/run-recorders.h"
#include "../../model/scenario/scenario.h"
#include "../../model/workload/application/host-job-network.h"
#include "../../model/workload/application/job-environment.h"
#include "../../model/workload/application/plain-flows.h"
#include "../../model/workload/program/program-cache.h"
#include "bottleneck-check.h"
#include "run-capture.h"
#include "run-cost.h"

#include "ns3/fabric-helper.h"
#include "ns3/traced-callback.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * One run of a scenario: a network, jobs and flows on it, a scheduler, and recorders that write
 * events to a result database. Its destructor destroys the simulator.
 */
class ClusterRun
{
  public:
    /**
     * \param scenario must outlive the run
     * \param scheduler one of scenario.schedulers
     * \param run number of the run in the database, from 1
     */
    ClusterRun(const Scenario& scenario, const TypedBlock& scheduler, uint32_t run);
    ~ClusterRun();
    ClusterRun(const ClusterRun&) = delete;
    ClusterRun& operator=(const ClusterRun&) = delete;

    /// Creates the ns-3 nodes in reverse order; for tests of determinism.
    void SetReverseNodes(bool reverse)
    {
        m_network.SetReverseNodes(reverse);
    }

    /// Simulates the network in up to this many threads; the database is the same. Where that is
    /// not possible (pcap files, links without delay), one thread is used and the warning callback
    /// is called.
    void SetThreads(uint32_t threads)
    {
        m_threads = threads;
    }

    /// Simulates the network on the ranks of a link instead, on rank 0; null: on this rank alone.
    void SetRanks(RankLink* link)
    {
        m_link = link;
    }

    /// Called for each request of the scheduler that cannot be met.
    void SetWarningCallback(Callback<void, const std::string&> callback)
    {
        m_warn = callback;
    }

    /// Path of the pcap files, if the scenario requests them: PREFIX-NODE-DEVICE.pcap.
    void SetPcapPrefix(const std::string& prefix)
    {
        m_pcapPrefix = prefix;
    }

    /// Ends the run, with status "stopped", when the flag becomes true (a signal handler sets it).
    void SetInterrupt(const std::atomic<bool>* interrupt)
    {
        m_interrupt = interrupt;
    }

    /// Places jobs with this policy instead of the scenario's.
    void SetPlacement(Ptr<PlacementPolicy> placement)
    {
        m_placement = placement;
    }

    /// Builds everything; reports errors to the diagnostics.
    /// \returns whether it can run
    bool Build(Diagnostics& diagnostics);

    /// What Run() is going to cost. Call after Build(). Plans what jobs send, on the GPUs that they
    /// would get in an empty cluster, for at most a few seconds: of the other jobs it assumes the
    /// mean.
    RunCost EstimateCost();

    /// Values in force of attributes that are left to a preset. Call after Build().
    std::vector<PresetValue> GetPresetValues() const;

    /**
     * Runs, recording to a database.
     * \param row the caller's data on the run; completed and inserted
     * \param progress may be null
     * An exception during the simulation, such as std::bad_alloc, ends it as an interrupt would;
     * GetFailure() tells.
     * \throws ResultWriteError if results cannot be written
     */
    void Run(ResultDatabase& database, RunRow row, ProgressPrinter* progress);

    /// Shows progress against a cost that was estimated.
    void SetCost(const RunCost& cost)
    {
        m_cost = cost;
    }

    /// By job, the GPUs of its last allocation, in rank order; empty for one that had none. Call
    /// after Run().
    const std::vector<std::vector<uint32_t>>& GetPlacements() const
    {
        return m_placements;
    }

    /// Why the run has ended early, by an exception; "": it has not. Call after Run().
    const std::string& GetFailure() const
    {
        return m_failure;
    }

    uint64_t GetLaneEvents() const
    {
        return m_laneEvents;
    }

    uint64_t GetPacketHops() const
    {
        return m_packetHops;
    }

    /// The logical process of a rank other than 0. Call after Build(); this object must outlive it.
    std::unique_ptr<LogicalProcess> MakeLogicalProcess(const RankLink& link) const;

    FabricHelper& GetNetwork()
    {
        return m_network;
    }

  private:
    void BuildJobs(Diagnostics& diagnostics);
    /// What makes the ranks of the jobs needs.
    TrainingJobFactory::Setup GetJobSetup();
    /// Framing and acknowledgements of the first NIC. \param [out] ackInterval RoceNic::AckInterval
    RoceFraming GetFraming(uint32_t& ackInterval) const;
    /// Checks the program of a job; reports errors.
    bool CheckProgram(const JobSpec& spec, Diagnostics& diagnostics);
    void ConnectRecorders();
    void RecordJob(uint32_t job);
    void RecordUnstartedJobs();
    /// Writes the properties of a job that are known once it has been placed.
    void CompleteJobRow(uint32_t job);
    void TraceJobs(const std::string& source, const CallbackBase& callback);
    void Tick();
    void Interrupt();
    /// Simulates until the end, an interrupt or an exception, which is noted as m_failure.
    void Simulate();
    void JobsDone();
    void FlowsDone(int64_t now);
    void StopIfDone();
    void StartFaults();
    void FailQueuePairs(int64_t now, uint32_t host);
    void Warn(const std::string& text) const;
    /// Reports a fault of the network at the key that sets its attribute, or else at the topology.
    void Report(const FabricFault& fault, Diagnostics& diagnostics) const;
    void SetUpThreads();
    void WarnOfFailedJob(const JobEventRecord& record);
    void WarnOfFailedFlow(const FabricEventRecord& record);

    const Scenario& m_scenario;
    const TypedBlock& m_schedulerBlock;
    uint32_t m_run;
    FabricHelper m_network;
    RunCapture m_capture;
    std::string m_pcapPrefix{"gpu-fabric"};
    uint32_t m_threads{1};
    RankLink* m_link{nullptr};
    std::unique_ptr<FabricPathOracle> m_oracle;
    Ptr<HostJobNetwork> m_hostNetwork; ///< null: the interior of hosts is not modelled
    std::unique_ptr<JobEnvironment> m_environment;
    Ptr<PlacementPolicy> m_placement; ///< null: the scenario's, until Build()
    RunCost m_cost;                   ///< no packet-hops: not estimated
    std::vector<std::vector<uint32_t>> m_placements;
    Ptr<ClusterManager> m_manager;
    std::unique_ptr<TrainingJobFactory> m_jobFactory; ///< null: there are no jobs
    ProgramCache m_programs;
    Ptr<PlainFlows> m_flows;
    FaultInjector m_faults;
    BottleneckCheck m_bottleneck;
    std::vector<PlainFlow> m_flowList;
    std::unique_ptr<RunRecorders> m_recorders;
    /// Fills in the times of jobs that have not started by the end of the run and so report none.
    TracedCallback<const SpanRecord&> m_unstarted;
    Callback<void, const std::string&> m_warn;
    const std::atomic<bool>* m_interrupt{nullptr};
    ProgressPrinter* m_progress{nullptr};
    bool m_jobsDone{true};
    bool m_flowsDone{true};
    bool m_interrupted{false};
    bool m_deadlock{false};
    std::string m_failure;
    int64_t m_endPs{-1};
    uint64_t m_laneEvents{0};
    uint64_t m_packetHops{0};
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_RUN_H
