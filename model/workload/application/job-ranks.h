/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_RANKS_H
#define GPU_FABRIC_JOB_RANKS_H

#include "collective-plan-cache.h"

#include "ns3/object.h"
#include "ns3/tensor-schedule.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The setting of a flow from its next message on.
struct FlowUpdate
{
    uint32_t flow{0}; ///< index into JobTraffic::flows
    uint16_t udpSourcePort{0};
    uint8_t priority{0};
    uint32_t decision{UINT32_MAX}; ///< number of the decision record behind it, or none
};

/// What a decision changes for a job; a value that is passed from the actuator to the ranks.
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

/// Where a restarted job resumes, for its records and random draws.
struct JobResumption
{
    uint64_t iteration{0};               ///< the first one not finished
    std::vector<uint32_t> collectives{}; ///< by communicator: the first unused number
};

/**
 * The ranks of a job on the GPUs that it has, from the placement until they have left: a
 * TrainingJob, or a stand-in that needs no network.
 */
class JobRanks : public Object
{
  public:
    static TypeId GetTypeId();

    /// Notified that all ranks have ended. \param nowPs [ps]
    using FinishedCallback = std::function<void(int64_t nowPs)>;
    /// Notified that the job cannot go on. \param nowPs [ps] \param reason one sentence
    using FailedCallback = std::function<void(int64_t nowPs, const std::string& reason)>;

    /// Sets the callbacks, at most one of which is called, once.
    void SetCallbacks(FinishedCallback finished, FailedCallback failed);

    /// Applies what a decision changes; before Start(), what the job starts with. \param nowPs [ps]
    virtual void Apply(int64_t nowPs, const JobUpdate& update) = 0;
    /**
     * Starts iteration 0.
     * \param nowPs [ps]
     * \param allocationPs since when the job has had the GPUs, at most now [ps]
     * \param startPs when the ranks start, at least now [ps]
     */
    virtual void Start(int64_t nowPs, int64_t allocationPs, int64_t startPs) = 0;
    /// Where a job that is placed after the end of this one would resume.
    virtual JobResumption GetResumption() const = 0;
    /// The latest iteration that a rank has started, from 0.
    virtual uint64_t GetCurrentIteration() const = 0;

    /// Start of its latest iteration plus the shifts that it was given but has not made yet [ps];
    /// only while it runs. The default: 0.
    virtual int64_t GetIterationStartPs() const
    {
        return 0;
    }

    /// The durations of iterations under each tensor schedule. The default: none.
    virtual std::vector<TensorSample> GetTensorSamples() const
    {
        return {};
    }

    /// What replaces algorithms of its collectives on these GPUs. The default: nothing.
    virtual std::vector<CollectiveFallback> GetFallbacks() const
    {
        return {};
    }

    /// Ends the job with an iteration, not before GetCurrentIteration(). \param nowPs [ps]
    virtual void SetLastIteration(int64_t nowPs, uint64_t iteration) = 0;
    /// Fails a running job at once. \param nowPs [ps] \param reason one sentence
    virtual void Fail(int64_t nowPs, const std::string& reason) = 0;

    /// The run ends; calls no callback. The default does nothing. \param nowPs [ps]
    virtual void Stop(int64_t /* nowPs */)
    {
    }

    /// Releases what an ended job holds; must not be called from a callback. \param nowPs [ps]
    /// \returns whether everything is released; if not, it may be called again
    virtual bool Release(int64_t nowPs) = 0;

  protected:
    void DoDispose() override;
    void NotifyFinished(int64_t nowPs) const;
    void NotifyFailed(int64_t nowPs, const std::string& reason) const;

  private:
    FinishedCallback m_finished;
    FailedCallback m_failed;
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_RANKS_H
