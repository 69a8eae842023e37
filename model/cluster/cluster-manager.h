/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_MANAGER_H
#define GPU_FABRIC_CLUSTER_MANAGER_H

#include "communication-control.h"
#include "down-hosts.h"
#include "job.h"
#include "until-jobs.h"

#include "ns3/callback.h"
#include "ns3/communication-scheduler.h"
#include "ns3/job-spec.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/placement-policy.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Runs the jobs of a scenario on a cluster: arrival, queueing, placement, departure (semantics.md).
 * Decisions about their communication are left to CommunicationControl.
 *
 * At every instant at which jobs arrive or departures become known, it frees the GPUs of departed
 * jobs, places waiting jobs in the order of their arrival (ties in job order), and has the
 * scheduler decide once for all running jobs if any job came or went. Its actions take effect on
 * ranks `ControlLatency` later, and it learns of a job's end `ControlLatency` after it. A job holds
 * its GPUs from its placement to its end; the manager learns that they are free when it learns of
 * the end.
 *
 * A job fails if one of its hosts fails; GPUs of a host that is down are not allocated. A job fails
 * if it waits for hosts that will not come back and nothing else could make room for it.
 *
 * A job with `restart` that fails is put at the end of the queue and resumes after the last
 * iteration it has completed. One that makes no progress fails for good (JobContinuation).
 *
 * A job with `until` ends with the iteration after the latest one that any of its ranks has begun
 * when the manager learns that the named job (or the last of its instances) has ended. If it has no
 * GPUs by then, it is finished without ever starting.
 * */
class ClusterManager : public Object, JobOracle
{
  public:
    static TypeId GetTypeId();

    ClusterManager();
    ~ClusterManager() override;

    /// \name Set-up, before Start()
    /// \{
    /// The cluster and its paths, which must outlive the manager.
    void SetCluster(const ClusterTopology& topology, const PathOracle& paths);

    /// The scheduler, how its decisions are applied and what is measured for it, all to be set.
    CommunicationControl& GetControl()
    {
        return m_control;
    }

    void SetPlacement(Ptr<PlacementPolicy> placement)
    {
        m_placement = placement;
    }

    /// Seed of arrivals and default UDP source ports.
    void SetSeed(uint64_t seed)
    {
        m_seed = seed;
        m_control.SetSeed(seed);
    }

    /// Adds a job; ids are consecutive, in the order of the calls. \param spec must outlive the
    /// manager \param factory makes its ranks; must outlive the manager \returns its id
    uint32_t AddJob(const JobSpec& spec, const JobFactory& factory);

    /// Called once, when the manager has learned that all jobs have ended.
    void SetDoneCallback(Callback<void> callback)
    {
        m_done = callback;
    }

    /// Called before the flows of an ended job are discarded.
    void SetDepartureCallback(std::function<void(uint32_t job)> callback)
    {
        m_departure = std::move(callback);
    }

    /**
     * Finds jobs that can never run.
     * \returns (job, one sentence) for each job that does not fit on the empty cluster, whose
     *          `until` names no job, or whose end depends on its own
     */
    std::vector<std::pair<uint32_t, std::string>> Validate() const;
    /// \}

    /// Schedules the arrivals. Aborts if the set-up is incomplete or Validate() finds a fault.
    void Start();
    /// Ends the run now: stops the jobs and emits the allocations that are still held.
    void Close();

    /// A host has failed. \param returns whether it is due back within the run
    void HostDown(int64_t nowPs, uint32_t node, bool returns);
    /// A host is back.
    void HostUp(int64_t nowPs, uint32_t node);

    /// Arrival [ps], a function of (seed, job name) and the range in the specification.
    int64_t GetArrival(uint32_t job) const;

    /// A job, by id.
    Ptr<Job> GetJob(uint32_t job) const
    {
        return m_jobs.at(job);
    }

    /// When a job that is placed now starts [ps].
    int64_t GetNextStartPs() const;
    /// A placed job as a scheduler sees (or would see) it; without flows once it has departed.
    JobView GetJobView(uint32_t job) const;

    /// Whether all jobs are known to have ended.
    bool IsDone() const
    {
        return m_started && m_departed == m_jobs.size();
    }

    /// TracedCallback signatures.
    typedef void (*JobEventTracedCallback)(const JobEventRecord& record);
    typedef void (*GpuAllocationTracedCallback)(const GpuAllocationRecord& record);
    typedef void (*GpuFailureTracedCallback)(const GpuFailureRecord& record);
    typedef void (*DecisionTracedCallback)(const DecisionRecord& record);

  protected:
    void DoDispose() override;

  private:
    /// Makes sure that Wake() runs at a time [ps], once.
    void RequestWake(int64_t timePs);
    /// Does everything that the manager does at one instant.
    void Wake();
    /// Removes the jobs whose end becomes known now; returns whether there were any.
    bool DepartJobs(int64_t nowPs);
    /// Ends jobs whose `until` is over.
    void EndUntilJobs(int64_t nowPs);
    void AdmitArrivals(int64_t nowPs);
    /// Places waiting jobs that fit; returns whether there were any.
    bool PlaceJobs(int64_t nowPs, const std::string& trigger);
    /// Allocates GPUs to a job and records why.
    void PlaceJob(int64_t nowPs,
                  const std::string& trigger,
                  uint32_t job,
                  const Placement& placement);
    PlacementView GetPlacementView() const;

    std::vector<JobView> GetPlacedJobs() const override
    {
        return m_control.GetView(0, "", GetNextStartPs()).jobs;
    }

    JobView GetJobOn(uint32_t job, const std::vector<uint32_t>& gpus) const override;
    /// Ends a waiting job. \param kind of the event
    void Cancel(int64_t nowPs, uint32_t job, const char* kind, const std::string& detail);
    /// Fails jobs that wait for hosts that will not come back; returns whether any job was placed
    /// then.
    bool FailHopeless(int64_t nowPs, const std::string& trigger);
    /// Called by a job that has ended. \param kind of the event
    void JobEnded(uint32_t job, int64_t nowPs, const char* kind, const std::string& detail);

    void EmitAllocations(uint32_t job, int64_t endPs);
    /// Whether all jobs that a job runs until have departed.
    bool IsUntilOver(uint32_t job) const;
    UntilJobs MakeUntilJobs() const;
    /// Notifies of an event in the life of a job.
    void NotifyJobEvent(const JobEventRecord& record);

    bool m_backfill{false};
    Time m_controlLatency;

    const ClusterTopology* m_topology{nullptr};
    const PathOracle* m_paths{nullptr};
    CommunicationControl m_control;
    Ptr<PlacementPolicy> m_placement;
    uint64_t m_seed{1};
    Callback<void> m_done;
    std::function<void(uint32_t)> m_departure;

    std::vector<Ptr<Job>> m_jobs;
    UntilJobs m_untilJobs;
    std::vector<uint8_t> m_gpuFree; ///< by GPU
    DownHosts m_down;
    std::vector<uint32_t> m_waiting;                     ///< in the order of arrival
    std::set<int64_t> m_wakes;                           ///< instants with a pending Wake() [ps]
    std::set<std::pair<int64_t, uint32_t>> m_departures; ///< (known from [ps], job)
    std::vector<uint32_t> m_unreleased;                  ///< departed jobs with messages in flight
    uint32_t m_departed{0};
    bool m_started{false};
    bool m_closed{false};

    TracedCallback<const JobEventRecord&> m_jobEventTrace;
    TracedCallback<const GpuAllocationRecord&> m_gpuAllocationTrace;
    TracedCallback<const GpuFailureRecord&> m_gpuFailureTrace;
    TracedCallback<const DecisionRecord&> m_decisionTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_MANAGER_H
