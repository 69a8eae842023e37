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

/// What a decision changes for a job: one value from the actuator to the queue pairs.
struct JobUpdate
{
    bool start{false};               ///< the first: its ranks start with it
    std::vector<FlowUpdate> flows{}; ///< that change; all of them at the start
    int64_t shiftPs{0};              ///< idle before the next iteration; at the start, the first
    std::optional<uint8_t> localPriority{};  ///< inside hosts, if it changes; at the start
    std::optional<TensorSchedule> tensors{}; ///< one that differs from that before

    bool IsEmpty() const
    {
        return !start && flows.empty() && shiftPs <= 0 && !localPriority && !tensors;
    }
};

/// Runs the ranks of a job on the GPUs that it is given: a TrainingJobRunner, or a stand-in, so
/// that the cluster manager can be tested without a network.
class JobRunner
{
  public:
    /// Notified that all ranks have ended. \param nowPs [ps]
    using FinishedCallback = std::function<void(int64_t nowPs)>;
    /// Notified that the job cannot go on. \param nowPs [ps] \param reason one sentence
    using FailedCallback = std::function<void(int64_t nowPs, const std::string& reason)>;
    /// Notified of the training job of each placement, before it is configured.
    using MadeCallback = std::function<void(TrainingJob& job)>;

    virtual ~JobRunner() = default;
    /// Sets what is called, once one of them, when the job has ended.
    virtual void SetCallbacks(FinishedCallback finished, FailedCallback failed) = 0;

    /// Before Place(). Not modelled: nobody is notified.
    virtual void SetMadeCallback(MadeCallback /* callback */)
    {
    }

    /// Why the job cannot run on these GPUs (ids in rank order); empty: it can.
    virtual std::string GetFault(const std::vector<uint32_t>& /* gpus */) const
    {
        return "";
    }

    /// What the job would ask for on these GPUs (ids in rank order), as Place(). Not known:
    /// nothing.
    virtual JobView Estimate(const std::vector<uint32_t>& /* gpus */) const
    {
        return {};
    }

    /**
     * Gives the job its GPUs (ids in rank order). Again after a failure: it then goes on after its
     * last ended iteration.
     * \returns what it asks for on them: W, compute time, where communication starts, loads inside
     *          hosts, and flow i at index i without port and path
     */
    virtual JobView Place(const std::vector<uint32_t>& gpus) = 0;

    /// What stands in for algorithms of its collectives on the GPUs that it has.
    virtual std::vector<CollectiveFallback> GetFallbacks() const
    {
        return {};
    }

    /// Starts the ranks with the first update. \param nowPs [ps] \param placedPs since when the job
    /// has its GPUs [ps]
    virtual void Start(int64_t nowPs, int64_t placedPs, const JobUpdate& update) = 0;
    /// Changes a running job. \param nowPs [ps]
    virtual void Apply(int64_t nowPs, const JobUpdate& update) = 0;
    /// Iterations that all ranks have ended, those before failures included.
    virtual uint64_t GetEndedIterations() const = 0;
    /// The latest iteration that a rank has started, from 0, since the last start of the job.
    virtual uint64_t GetCurrentIteration() const = 0;

    /// When its latest iteration started, plus the shifts that it was given and has not made yet
    /// [ps]; only where it runs. Not known: 0.
    virtual int64_t GetIterationStartPs() const
    {
        return 0;
    }

    /// What is known of its gradients. Not known: that.
    virtual TensorView GetTensors() const
    {
        return {};
    }

    /// The job ends when all ranks have ended that iteration. \param nowPs [ps]
    virtual void SetLastIteration(int64_t nowPs, uint64_t iteration) = 0;
    /// Ends a job that has started and cannot go on: it fails at once, for that reason.
    virtual void Abandon(int64_t nowPs, const std::string& reason) = 0;
    /// Frees what a job that has ended holds; not from inside a callback. \param nowPs [ps]
    /// \returns whether it holds nothing any more; if not, it may be called again
    virtual bool Release(int64_t nowPs) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_RUNNER_H
