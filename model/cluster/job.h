/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_H
#define GPU_FABRIC_JOB_H

#include "flow-steering.h"
#include "job-continuation.h"
#include "job-runner.h"

#include "ns3/job-records.h"
#include "ns3/job-spec.h"
#include "ns3/object.h"
#include "ns3/scheduler-records.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// Where a job stands, as the cluster manager knows it.
enum class JobState : uint8_t
{
    EXPECTED, ///< has not arrived
    WAITING,  ///< for GPUs
    PLACED,   ///< its ranks start within the control latency
    RUNNING,
    ENDED, ///< its ranks have ended, which the manager does not know yet
    DEPARTED
};

/// What a job has been told about the network.
struct JobSteering
{
    std::string name; ///< of the job
    FlowSteering flows;
    uint32_t level{0};
    std::optional<TensorSchedule> tensors{}; ///< nothing: none was decided
    std::set<std::string> told{};            ///< fallbacks that the user was told of
    bool decided{false}; ///< a decision about the job (or none, but its start) has been booked
};

/**
 * A job of a cluster, from the scenario to its departure: its specification, where it is placed,
 * how its flows are steered, how far it is, and the ranks that run it. Its trace sources are those
 * of its ranks, whenever and wherever they run; the path is /ClusterList/C/JobList/J.
 */
class Job : public Object
{
  public:
    static TypeId GetTypeId();

    Job();
    ~Job() override;

    /**
     * \param id number of the job in the run
     * \param spec what is to run, outlives this; aborts where a host is none of the cluster
     * \param runner runs its ranks
     */
    void Configure(uint32_t id,
                   const JobSpec& spec,
                   const ClusterTopology& topology,
                   std::unique_ptr<JobRunner> runner);

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

    /// What it asks for.
    const PlacementRequest& GetRequest() const
    {
        return m_request;
    }

    /// Runs its ranks.
    JobRunner& GetRunner() const
    {
        return *m_runner;
    }

    /// \}

    /// \name Where it stands
    /// \{
    JobState GetState() const
    {
        return m_state;
    }

    /// Whether it has GPUs; one that has ended counts until its end is known.
    bool IsActive() const
    {
        return m_state == JobState::PLACED || m_state == JobState::RUNNING ||
               m_state == JobState::ENDED;
    }

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

    /// How long it goes on, over failures.
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

    /// Until when it has its GPUs as the run ends; -1: it has none. \param nowPs [ps]
    int64_t GetHeldTo(int64_t nowPs) const;
    /// Whether one of its GPUs is on a host. \param node node id
    bool IsOn(uint32_t node, const ClusterTopology& topology) const;
    /// Why a job that waits is finished as its `until` is over.
    std::string GetUntilDetail() const;
    /// The job as a scheduler sees it. \param startPs when it starts, if it does not run yet [ps]
    JobView GetView(int64_t startPs) const;
    /// The job as it would be on other GPUs.
    JobView GetViewOn(const std::vector<uint32_t>& others,
                      int64_t startPs,
                      uint64_t seed,
                      const PathOracle& paths) const;
    /// \}

    /// \name What happens to it
    /// \{
    /// It is to arrive then. [ps]
    void Expect(int64_t arrivalPs);
    /// It waits for GPUs.
    void Arrive();
    /// Takes GPUs that are free: aborts where they are not, or are too few or many.
    /// \param free 1 by GPU id where it is free
    void Place(int64_t nowPs,
               const std::vector<uint32_t>& where,
               std::vector<uint8_t>& free,
               uint64_t seed,
               const PathOracle& paths);
    /// Starts its ranks. \param nowPs [ps]
    void Start(int64_t nowPs, const JobUpdate& update);
    /// Shifts it was given that have not reached its ranks, more or less of them [ps].
    void AddPendingShift(int64_t shiftPs);
    /// What it has been told about the network, for the actuator.
    JobSteering& GetSteering();
    /// It ends with the iteration that its ranks have begun, or the one after it. \param nowPs [ps]
    void EndWithIteration(int64_t nowPs, bool next);
    /// Where all jobs that it runs until have departed, ends it with the iteration after the one
    /// that its ranks have begun. \param over whether they have
    void SetUntilOver(int64_t nowPs, bool over);
    /// A host of its has failed before it started: gives its GPUs back and counts as running, so
    /// that it can fail.
    void LoseGpus(std::vector<uint8_t>& free);
    /// Its ranks have ended. Aborts where it does not run. \param nowPs [ps] \param failed whether
    /// they could not go on \returns whether it waits again
    bool End(int64_t nowPs, bool failed);
    /// Its end is known: gives its GPUs back. \param free as Place()
    void Depart(std::vector<uint8_t>& free);
    /// It ends without having got GPUs. \param nowPs [ps]
    void Cancel(int64_t nowPs);
    /// After a failure: as if it had just arrived, behind those that wait.
    void WaitAgain();
    /// Notifies its trace source of something in its life.
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
    void ConnectTraces(TrainingJob& ranks);
    void NotifySpan(const SpanRecord& record);
    void NotifyIteration(const IterationRecord& record);
    void NotifyCollectiveStart(const CollectiveRecord& record);
    void NotifyCollective(const CollectiveRecord& record);
    void FreeGpus(std::vector<uint8_t>& free) const;

    const JobSpec* m_spec{nullptr};
    PlacementRequest m_request;
    std::unique_ptr<JobRunner> m_runner;
    JobState m_state{JobState::EXPECTED};
    bool m_started{false};
    bool m_untilOver{false};
    JobContinuation m_continuation;
    std::vector<uint32_t> m_gpus;
    JobView m_demand; ///< what it asks for on its GPUs; its flows are in m_steering
    JobSteering m_steering;
    int64_t m_arrivalPs{0};
    int64_t m_placedPs{0};
    int64_t m_endPs{0};
    int64_t m_pendingShiftPs{0}; ///< decided, within the control latency

    TracedCallback<const JobEventRecord&> m_eventTrace;
    TracedCallback<const SpanRecord&> m_spanTrace;
    TracedCallback<const IterationRecord&> m_iterationTrace;
    TracedCallback<const CollectiveRecord&> m_collectiveStartTrace;
    TracedCallback<const CollectiveRecord&> m_collectiveTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_H
