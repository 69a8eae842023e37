/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_RUNNER_H
#define GPU_FABRIC_JOB_RUNNER_H

#include "../workload/application/collective-plan-cache.h"
#include "../workload/application/job-network.h"

#include "ns3/cluster-view.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class TrainingJob;

/// What a decision changes for a job; a value that is passed from the actuator to the queue pairs.
struct JobUpdate
{
    bool start{false};               ///< whether it is the first, with which its ranks start
    std::vector<FlowUpdate> flows{}; ///< that change; at the start, all of them
    int64_t shiftPs{0}; ///< idle time before the next iteration; at the start, the first [ps]
    std::optional<uint8_t> localPriority{};  ///< inside hosts, if it changes; set at the start
    std::optional<TensorSchedule> tensors{}; ///< if it differs from the previous one

    bool IsEmpty() const
    {
        return !start && flows.empty() && shiftPs <= 0 && !localPriority && !tensors;
    }
};

/// Runs the ranks of a job on its GPUs: a TrainingJobRunner, or a test double that needs no
/// network.
class JobRunner
{
  public:
    /// Notified that all ranks have ended. \param nowPs [ps]
    using FinishedCallback = std::function<void(int64_t nowPs)>;
    /// Notified that the job cannot go on. \param nowPs [ps] \param reason one sentence
    using FailedCallback = std::function<void(int64_t nowPs, const std::string& reason)>;
    /// Notified of the training job of each placement before it is configured.
    using MadeCallback = std::function<void(TrainingJob& job)>;

    virtual ~JobRunner() = default;
    /// Sets the callbacks, exactly one of which is called once when the job has ended.
    virtual void SetCallbacks(FinishedCallback finished, FailedCallback failed) = 0;

    /// To be called before Place(). The default never notifies.
    virtual void SetMadeCallback(MadeCallback /* callback */)
    {
    }

    /// Why the job cannot run on these GPUs (ids in rank order); empty if it can.
    virtual std::string GetFault(const std::vector<uint32_t>& /* gpus */) const
    {
        return "";
    }

    /// The demand of the job on these GPUs (ids in rank order), as returned by Place(). The
    /// default: nothing.
    virtual JobView Estimate(const std::vector<uint32_t>& /* gpus */) const
    {
        return {};
    }

    /**
     * Gives the job its GPUs (ids in rank order). Called again after a failure: the job then
     * resumes after its last completed iteration.
     * \returns its demand on them: W, compute time, start of communication, loads inside hosts, and
     *          flow i at index i without port and path
     */
    virtual JobView Place(const std::vector<uint32_t>& gpus) = 0;

    /// What replaces algorithms of its collectives on its current GPUs.
    virtual std::vector<CollectiveFallback> GetFallbacks() const
    {
        return {};
    }

    /// Starts the ranks with the first update. \param nowPs [ps] \param placedPs when the job got
    /// its GPUs [ps]
    virtual void Start(int64_t nowPs, int64_t placedPs, const JobUpdate& update) = 0;
    /// Applies an update to a running job. \param nowPs [ps]
    virtual void Apply(int64_t nowPs, const JobUpdate& update) = 0;
    /// Iterations completed by all ranks, including those before failures.
    virtual uint64_t GetEndedIterations() const = 0;
    /// The latest iteration that a rank has started, from 0, since the last start of the job.
    virtual uint64_t GetCurrentIteration() const = 0;

    /// Start of its latest iteration plus the shifts that it was given but has not made yet [ps];
    /// only while it runs. The default: 0.
    virtual int64_t GetIterationStartPs() const
    {
        return 0;
    }

    /// What is known about its gradients. The default: nothing.
    virtual TensorView GetTensors() const
    {
        return {};
    }

    /// Ends the job when all ranks have completed that iteration. \param nowPs [ps]
    virtual void SetLastIteration(int64_t nowPs, uint64_t iteration) = 0;
    /// Fails a started job at once, for the given reason.
    virtual void Abandon(int64_t nowPs, const std::string& reason) = 0;
    /// Releases what an ended job holds; must not be called from a callback. \param nowPs [ps]
    /// \returns whether everything is released; if not, it may be called again
    virtual bool Release(int64_t nowPs) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_RUNNER_H
