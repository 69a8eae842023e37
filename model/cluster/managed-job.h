/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MANAGED_JOB_H
#define GPU_FABRIC_MANAGED_JOB_H

#include "../workload/application/collective-plan-cache.h"

#include "ns3/cluster-view.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What a job asks of the cluster on given GPUs.
struct JobDemand
{
    double flop{0};               ///< W of an iteration [FLOP]
    int64_t computePs{0};         ///< compute time of an iteration [ps]
    std::vector<FlowView> flows;  ///< flow i at index i; ports and paths are not looked at
    double communicationStart{0}; ///< as in JobView
    /// As in JobView.
    std::vector<std::pair<uint32_t, uint64_t>> insideLoads{};
    std::vector<CollectiveFallback> fallbacks{}; ///< as in JobTraffic
};

/// How a flow is sent from its next message on.
struct FlowUpdate
{
    uint32_t flow{0};
    uint16_t udpSourcePort{0};
    uint8_t priority{0};
    uint32_t decision{NO_ID}; ///< number of the decision record that it comes from
};

/// A job as the cluster manager drives it, so that the manager can be tested without a network.
class ManagedJob
{
  public:
    /// Told that all ranks have ended. \param nowPs [ps]
    using FinishedCallback = std::function<void(int64_t nowPs)>;
    /// Told that the job cannot go on. \param nowPs [ps] \param reason one sentence
    using FailedCallback = std::function<void(int64_t nowPs, const std::string& reason)>;

    /// Told of each iteration that all ranks have ended. \param nowPs [ps] \param computePs
    /// compute, sum over the ranks [ps]
    using IterationCallback = std::function<void(int64_t nowPs, int64_t computePs)>;

    virtual ~ManagedJob() = default;
    /// Sets what is called, once one of them, when the job has ended.
    virtual void SetCallbacks(FinishedCallback finished, FailedCallback failed) = 0;

    /// Sets who is told of iterations, before Place(). Not modelled: nobody is.
    virtual void SetIterationCallback(IterationCallback /* callback */)
    {
    }

    /// Why the job cannot run on these GPUs (ids in rank order); empty: it can.
    virtual std::string GetFault(const std::vector<uint32_t>& /* gpus */) const
    {
        return "";
    }

    /// What the job would ask for on these GPUs (ids in rank order), as Place(). Not known:
    /// nothing.
    virtual JobDemand Estimate(const std::vector<uint32_t>& /* gpus */) const
    {
        return {};
    }

    /// Gives the job its GPUs (ids in rank order); returns what it asks for on them. Again after a
    /// failure: it then goes on after its last ended iteration.
    virtual JobDemand Place(const std::vector<uint32_t>& gpus) = 0;
    /**
     * Starts the ranks.
     * \param nowPs [ps]
     * \param placedPs since when the job has its GPUs [ps]
     * \param flows of every flow, by index
     * \param shiftPs idle before the first iteration [ps]
     */
    virtual void Start(int64_t nowPs,
                       int64_t placedPs,
                       const std::vector<FlowUpdate>& flows,
                       int64_t shiftPs) = 0;

    /// Priority of the fabric for what the job sends inside hosts; before the start or while it
    /// runs. Not modelled: nothing.
    virtual void SetLocalPriority(uint8_t /* priority */)
    {
    }

    /**
     * Changes a running job.
     * \param nowPs [ps]
     * \param flows those that change
     * \param shiftPs idle before the next iteration [ps]
     */
    virtual void Apply(int64_t nowPs, const std::vector<FlowUpdate>& flows, int64_t shiftPs) = 0;
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

    /// Sets how its gradients are sent, from its next iteration on; before Start() or Apply() of
    /// the same instant. \param schedule nothing: as before
    virtual void SetTensors(const std::optional<TensorSchedule>& /* schedule */)
    {
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

#endif // GPU_FABRIC_MANAGED_JOB_H
