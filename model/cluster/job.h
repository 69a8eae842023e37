/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_H
#define GPU_FABRIC_JOB_H

#include "flow-steering.h"
#include "job-continuation.h"
#include "job-factory.h"

#include "ns3/job-records.h"
#include "ns3/object.h"
#include "ns3/scheduler-records.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// The state of a job, as known to the cluster manager.
enum class JobState : uint8_t
{
    EXPECTED, ///< has not arrived
    WAITING,  ///< for GPUs
    PLACED,   ///< its ranks start within the control latency
    RUNNING,
    ENDED, ///< its ranks have ended, but the manager does not know yet
    DEPARTED
};

/// The decisions about the network that apply to a job.
struct JobSteering
{
    std::string name; ///< of the job
    FlowSteering flows;
    uint32_t level{0};
    std::optional<TensorSchedule> tensors{}; ///< nothing: no decision yet
    std::set<std::string> told{};            ///< fallbacks already reported to the user
    bool decided{false}; ///< a decision about the job (or its start without one) has been recorded
};

/**
 * A job of a cluster, from the scenario to its departure: its specification, placement, steering of
 * flows, progress, and the ranks that run it, which exist from its placement to their release, so
 * that a trace of many jobs needs memory for the running ones only. Its trace sources are those of
 * its ranks, whenever and wherever they run; the path is /ClusterList/C/JobList/J.
 */
class Job : public Object
{
  public:
    static TypeId GetTypeId();

    Job();
    ~Job() override;

    /// Notified that the ranks have ended. \param nowPs [ps] \param kind of the event: "finished"
    /// or "failed" \param detail why, one sentence
    using EndedCallback =
        std::function<void(int64_t nowPs, const char* kind, const std::string& detail)>;

    /**
     * \param id number of the job in the run
     * \param spec what is to run; must outlive this object; aborts if a host is not in the cluster
     * \param factory makes its ranks; must outlive this object
     * \param ended called once for each start
     */
    void Configure(uint32_t id,
                   const JobSpec& spec,
                   const ClusterTopology& topology,
                   const JobFactory& factory,
                   EndedCallback ended);

    /// \name What it is
    /// \{
    uint32_t GetId() const
    {
        return m_request.job;
    }

    const std::string& GetName() const
    {
        return m_steering.name;
    }

    const JobSpec& GetSpec() const
    {
        return *m_spec;
    }

    /// What it requests.
    const PlacementRequest& GetRequest() const
    {
        return m_request;
    }

    /// Makes its ranks.
    const JobFactory& GetFactory() const
    {
        return *m_factory;
    }

    /// \}

    /// \name Its state
    /// \{
    JobState GetState() const
    {
        return m_state;
    }

    /// Whether it has GPUs; an ended job counts until its end is known.
    bool IsActive() const
    {
        return m_state == JobState::PLACED || m_state == JobState::RUNNING ||
               m_state == JobState::ENDED;
    }

    /// Its ranks; null unless it is placed and they have not been released.
    JobRanks* GetRanks() const
    {
        return PeekPointer(m_ranks);
    }

    /// Iterations completed by all ranks, including those before failures.
    uint64_t GetEndedIterations() const;

    /// Whether its ranks have started since it got its GPUs.
    bool HasStarted() const
    {
        return m_started;
    }

    /// Whether what it runs until is over.
    bool IsUntilOver() const
    {
        return m_untilOver;
    }

    /// How long it continues, across failures.
    const JobContinuation& GetContinuation() const
    {
        return m_continuation;
    }

    /// GPUs in rank order; empty until it is placed.
    const std::vector<uint32_t>& GetGpus() const
    {
        return m_gpus;
    }

    /// Whether it sends anything on the GPUs that it has.
    bool HasTraffic() const
    {
        return !m_steering.flows.GetFlows().empty() || !m_demand.insideLoads.empty();
    }

    /// When it got its GPUs [ps]; meaningless before.
    int64_t GetPlacedPs() const
    {
        return m_placedPs;
    }

    /// When it ended [ps]; meaningless before.
    int64_t GetEndPs() const
    {
        return m_endPs;
    }

    int64_t GetArrivalPs() const
    {
        return m_arrivalPs;
    }

    /// Until when it holds its GPUs if the run ends now [ps]; -1: it has none. \param nowPs [ps]
    int64_t GetHeldTo(int64_t nowPs) const;
    /// Whether one of its GPUs is on a host. \param node node id
    bool IsOn(uint32_t node, const ClusterTopology& topology) const;
    /// Why a waiting job is finished when its `until` is over.
    std::string GetUntilDetail() const;
    /// The job as a scheduler sees it. \param startPs when it starts, if it is not running yet [ps]
    JobView GetView(int64_t startPs) const;
    /// The service it has received and still needs. \param nowPs [ps]
    JobService GetService(int64_t nowPs) const;
    /// The job as it would be on other GPUs.
    JobView GetViewOn(const std::vector<uint32_t>& others,
                      int64_t startPs,
                      uint64_t seed,
                      const PathOracle& paths) const;
    /// \}

    /// \name What happens to it
    /// \{
    /// Sets its arrival time [ps].
    void Expect(int64_t arrivalPs);
    /// It has arrived and waits for GPUs.
    void Arrive();
    /// Takes free GPUs; aborts if one is not free or their number is wrong.
    /// \param free by GPU id, 1 if it is free
    void Place(int64_t nowPs,
               const std::vector<uint32_t>& where,
               std::vector<uint8_t>& free,
               uint64_t seed,
               const PathOracle& paths);
    /// Starts its ranks with the first decision about it. A job with `duration` ends with the
    /// iteration in progress when its ranks have run for that time. \param nowPs [ps]
    void Start(int64_t nowPs, const JobUpdate& first);
    /// The run ends. \param nowPs [ps]
    void Stop(int64_t nowPs);
    /// Releases the ranks of a job that has ended; must not be called from a callback of theirs.
    /// \param nowPs [ps] \returns whether everything is released; if not (messages are still in
    /// flight), it may be called again
    bool Release(int64_t nowPs);
    /// Adds to the shifts that have not reached its ranks yet; may be negative [ps].
    void AddPendingShift(int64_t shiftPs);
    /// The decisions about the network that apply to it, for the actuator.
    JobSteering& GetSteering();
    /// Ends it with the iteration that its ranks have begun, or with the next one. \param nowPs
    /// [ps]
    void EndWithIteration(int64_t nowPs, bool next);
    /// If all jobs that it runs until have departed, ends it with the iteration after the one that
    /// its ranks have begun. \param over whether they have departed
    void SetUntilOver(int64_t nowPs, bool over);
    /// One of its hosts has failed before it started: releases its GPUs and treats it as running,
    /// so that it can fail.
    void LoseGpus(std::vector<uint8_t>& free);
    /// Its ranks have ended. Aborts if it is not running. \param nowPs [ps] \param failed whether
    /// they could not continue \returns whether it waits for GPUs again
    bool End(int64_t nowPs, bool failed);
    /// Its end is known: releases its GPUs. \param free as in Place()
    void Depart(std::vector<uint8_t>& free);
    /// Ends it before it gets GPUs. \param nowPs [ps]
    void Cancel(int64_t nowPs);
    /// After a failure: waits as if it had just arrived, at the end of the queue.
    void WaitAgain();
    /// Notifies its trace source of an event in its life.
    void Notify(const JobEventRecord& record);
    /// \}

    /// TracedCallback signatures.
    typedef void (*EventTracedCallback)(const JobEventRecord& record);
    typedef void (*SpanTracedCallback)(const SpanRecord& record);
    typedef void (*IterationTracedCallback)(const IterationRecord& record);
    typedef void (*CollectiveTracedCallback)(const CollectiveRecord& record);

  protected:
    void DoDispose() override;

  private:
    void ConnectRanks();
    void NotifySpan(const SpanRecord& record);
    void NotifyIteration(const IterationRecord& record);
    void NotifyCollectiveStart(const CollectiveRecord& record);
    void NotifyCollective(const CollectiveRecord& record);
    void FreeGpus(std::vector<uint8_t>& free) const;
    TensorView GetTensors() const;
    /// Ends it if its duration is over and it has not been restarted since the given start.
    void DurationOver(uint32_t start);

    const JobSpec* m_spec{nullptr};
    PlacementRequest m_request;
    const JobFactory* m_factory{nullptr};
    EndedCallback m_ended;
    Ptr<JobRanks> m_ranks;
    JobResumption m_resumption;                  ///< if it has no ranks
    std::vector<Ptr<JobRanks>> m_leaving;        ///< ended, with messages in flight
    mutable std::optional<TensorView> m_tensors; ///< without samples, once known
    JobState m_state{JobState::EXPECTED};
    bool m_started{false};
    bool m_untilOver{false};
    JobContinuation m_continuation;
    std::vector<uint32_t> m_gpus;
    JobView m_demand; ///< its demand on its GPUs; its flows are in m_steering
    JobSteering m_steering;
    int64_t m_arrivalPs{0};
    int64_t m_placedPs{0};
    int64_t m_endPs{0};
    int64_t m_pendingShiftPs{0}; ///< decided, but still within the control latency [ps]

    TracedCallback<const JobEventRecord&> m_eventTrace;
    TracedCallback<const SpanRecord&> m_spanTrace;
    TracedCallback<const IterationRecord&> m_iterationTrace;
    TracedCallback<const CollectiveRecord&> m_collectiveStartTrace;
    TracedCallback<const CollectiveRecord&> m_collectiveTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_H
