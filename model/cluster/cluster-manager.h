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
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Runs the jobs of a scenario on a cluster: arrival, queueing, placement, departure
 * (semantics.md). What is decided about their communication is CommunicationControl's business.
 *
 * At every instant at which jobs arrive or departures become known, it frees the GPUs of those
 * that left, places waiting jobs in the order of their arrival (of equal ones in job order), and
 * has the scheduler decide once for all running jobs if any came or went. What it does to ranks
 * takes effect `ControlLatency` later, and it learns of a job's end `ControlLatency` after it.
 * A job has its GPUs from its placement to its end; that they are free again is known to the
 * manager with the end.
 *
 * A job on a host that fails, fails with it; GPUs of a host that is down are given to no job. A job
 * that waits for hosts that will not be back, with nothing else that could make room, fails.
 *
 * A job with `restart` that fails waits again, after all that wait then, and goes on after the
 * last iteration it has finished. One that does not get on fails for good (JobContinuation).
 *
 * A job with `duration` ends with the iteration that its ranks have begun when it has run for that
 * time, waiting for GPUs not counted.
 *
 * A job with `until` gets one iteration more than any of its ranks has begun when the manager
 * learns that the named job (or the last of its instances) has ended. One that has no GPUs by then
 * is finished without a start.
 * */
class ClusterManager : public Object, JobOracle
{
  public:
    static TypeId GetTypeId();

    ClusterManager();
    ~ClusterManager() override;

    /// \name Set-up, before Start()
    /// \{
    /// The cluster and its paths, which outlive the manager.
    void SetCluster(const ClusterTopology& topology, const PathOracle& paths);

    void SetScheduler(Ptr<CommunicationScheduler> scheduler)
    {
        m_control.SetScheduler(scheduler);
    }

    void SetPlacement(Ptr<PlacementPolicy> placement)
    {
        m_placement = placement;
    }

    void SetPriorityMap(const PriorityMap& map)
    {
        m_control.GetActuator().SetPriorityMap(map);
    }

    /// Seed of arrivals and default UDP source ports.
    void SetSeed(uint64_t seed)
    {
        m_seed = seed;
        m_control.SetSeed(seed);
    }

    /// Who counts what jobs send, for schedulers that have jobs measured.
    void SetLinkSource(JobProfiler::LinkSource source)
    {
        m_control.SetLinkSource(std::move(source));
    }

    /// Adds a job; ids are dense in the order of the calls. \param spec outlives the manager
    /// \param runner runs its ranks \returns its id
    uint32_t AddJob(const JobSpec& spec, std::unique_ptr<JobRunner> runner);

    /// Called once, when the manager knows that all jobs have ended.
    void SetDoneCallback(Callback<void> callback)
    {
        m_done = callback;
    }

    /// \returns how the scheduler wants programs to be made (CommunicationScheduler)
    std::optional<TensorProgramOptions> GetTensorOptions() const
    {
        return m_control.GetScheduler()->GetTensorOptions();
    }

    /// Called before the flows of a job that has ended are forgotten.
    void SetDepartureCallback(std::function<void(uint32_t job)> callback)
    {
        m_departure = std::move(callback);
    }

    /// Called with a sentence where something the scheduler asked for cannot be done.
    void SetWarningCallback(Callback<void, const std::string&> callback)
    {
        m_control.GetLog().SetWarningCallback(
            [callback](const std::string& warning) { callback(warning); });
    }

    /**
     * Finds jobs that can never run.
     * \returns (job, one sentence) for each job that does not fit on the empty cluster, whose
     *          `until` names no job, or whose end depends on its own
     */
    std::vector<std::pair<uint32_t, std::string>> Validate() const;
    /// \}

    /// Schedules the arrivals. Aborts where set-up is incomplete or Validate() finds something.
    void Start();
    /// Ends the run at the present time: emits the allocations that still last.
    void Close();

    /// A host has failed. \param returns whether it is due back within the run
    void HostDown(int64_t nowPs, uint32_t node, bool returns);
    /// A host is back.
    void HostUp(int64_t nowPs, uint32_t node);

    /// How the scheduler has jobs measured.
    ProfilePlan GetProfilePlan() const
    {
        return m_control.GetScheduler()->GetProfilePlan();
    }

    /// Arrival [ps], a function of (seed, job name) and the range in the specification.
    int64_t GetArrival(uint32_t job) const;

    /// A job, by id.
    Ptr<Job> GetJob(uint32_t job) const
    {
        return m_jobs.at(job);
    }

    /// When a job that is placed now starts [ps].
    int64_t GetNextStartPs() const;
    /// A placed job as a scheduler sees (or would see) it; without flows when it has left.
    JobView GetJobView(uint32_t job) const;

    /// Whether all jobs have ended, as far as the manager knows.
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
    /// All that the manager does at one instant.
    void Wake();
    /// Lets jobs go whose end becomes known now; returns whether there were any.
    bool DepartJobs(int64_t nowPs);
    /// Ends jobs whose `until` is over.
    void EndUntilJobs(int64_t nowPs);
    void AdmitArrivals(int64_t nowPs);
    /// Places waiting jobs that fit; returns whether there were any.
    bool PlaceJobs(int64_t nowPs, const std::string& trigger);
    /// Gives a job its GPUs and records why.
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
    /// Fails jobs that wait for hosts that will not be back; returns whether any was placed then.
    bool FailHopeless(int64_t nowPs, const std::string& trigger);
    /// Called by a job that has ended. \param kind of the event
    void JobEnded(uint32_t job, int64_t nowPs, const char* kind, const std::string& detail);

    void EmitAllocations(uint32_t job, int64_t endPs);
    void StartJob(int64_t nowPs, Job& job, const JobUpdate& update);
    /// Whether all that a job runs until has departed.
    bool IsUntilOver(uint32_t job) const;
    UntilJobs MakeUntilJobs() const;
    /// Notifies of something in a job's life.
    void Notify(const JobEventRecord& record);
    /// A job's `duration` is over, if it still runs since its given start.
    void DurationOver(uint32_t job, uint32_t start);

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
    std::set<int64_t> m_wakes;                           ///< instants with a Wake() ahead [ps]
    std::set<std::pair<int64_t, uint32_t>> m_departures; ///< (known from [ps], job)
    std::vector<uint32_t> m_unreleased; ///< jobs that have left, with messages under way
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
