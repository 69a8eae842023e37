/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_JOB_H
#define GPU_FABRIC_CLUSTER_JOB_H

#include "decision-ledger.h"
#include "job-check.h"
#include "job-continuation.h"
#include "managed-job.h"
#include "until-jobs.h"

#include "ns3/cluster-view.h"
#include "ns3/job-spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// Where a job stands, as the cluster manager knows it.
enum class ClusterJobState : uint8_t
{
    EXPECTED, ///< has not arrived
    WAITING,  ///< for GPUs
    PLACED,   ///< its ranks start within the control latency
    RUNNING,
    ENDED, ///< its ranks have ended, which the manager does not know yet
    DEPARTED
};

/// A job with all that the cluster manager knows of it.
struct ClusterJob
{
    PlacementRequest request;
    uint32_t program{0}; ///< JobSpec::program
    std::string until;
    bool untilOver{false};
    TimeRange arrivalRange;
    int64_t arrivalPs{0};
    std::unique_ptr<ManagedJob> handle;
    ClusterJobState state{ClusterJobState::EXPECTED};
    bool started{false}; ///< since it got its GPUs
    JobContinuation continuation;
    std::vector<uint32_t> gpus;
    JobDemand demand; ///< its flows are in `steering`
    JobSteering steering;
    int64_t placedPs{0};
    int64_t endPs{0};
    int64_t shiftPs{0}; ///< decided, within the control latency

    /// Takes over what a scenario says of it; aborts where a host is none of the cluster.
    void Configure(uint32_t id, const JobSpec& spec, const ClusterTopology& topology);
    /// What jobs run until.
    static UntilJobs GetUntilJobs(const std::vector<ClusterJob>& jobs);
    /// What is checked of jobs.
    static std::vector<JobCheck::Job> GetChecks(const std::vector<ClusterJob>& jobs);
    /// What jobs ask for. \param which ids
    static std::vector<PlacementRequest> GetRequests(const std::vector<ClusterJob>& jobs,
                                                     const std::vector<uint32_t>& which);
    /// Why a job that waits is finished as its `until` is over.
    std::string GetUntilDetail() const;
    /// Until when a job has its GPUs as the run ends; -1: it has none. \param nowPs [ps]
    int64_t GetHeldTo(int64_t nowPs) const;
    /// Starts its ranks. \param nowPs [ps]
    void Start(int64_t nowPs, const JobUpdate& update) const;
    /// Changes what it does, if it runs. \param nowPs [ps]
    void Apply(int64_t nowPs, const JobUpdate& update) const;
    /// Takes GPUs that are free: aborts where they are not, or are too few or many.
    void Place(int64_t nowPs,
               const std::vector<uint32_t>& where,
               std::vector<uint8_t>& free,
               uint64_t seed,
               const PathOracle& paths);
    /// Whether one of its GPUs is on a host. \param node node id
    bool IsOn(uint32_t node, const ClusterTopology& topology) const;
    /// Whether a job has GPUs; one that has ended counts until its end is known.
    bool IsActive() const;
    /// Gives its GPUs back. \param free 1 by GPU id where it is free
    void FreeGpus(std::vector<uint8_t>& free) const;
    /// A host of its has failed before it started: gives its GPUs back and counts as running, so
    /// that it can fail.
    void LoseGpus(std::vector<uint8_t>& free);
    /// After a failure: as if it had just arrived, behind those that wait.
    void WaitAgain();
    /// Where all jobs that it runs until have departed, ends it with its iteration.
    void CheckUntil(int64_t nowPs,
                    const std::vector<uint32_t>& others,
                    const std::vector<ClusterJob>& jobs);
    /// The job as a scheduler sees it. \param startPs when it starts, if it does not run yet [ps]
    JobView GetView(int64_t startPs) const;
    /// The job as it would be on other GPUs.
    JobView GetViewOn(const std::vector<uint32_t>& others,
                      int64_t startPs,
                      uint64_t seed,
                      const PathOracle& paths) const;
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_JOB_H
