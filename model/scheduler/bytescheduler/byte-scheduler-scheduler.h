/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BYTE_SCHEDULER_SCHEDULER_H
#define GPU_FABRIC_BYTE_SCHEDULER_SCHEDULER_H

#include "bayesian-search.h"

#include "ns3/communication-scheduler.h"
#include "ns3/enum-names.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// How tensors are distributed over parameter servers.
enum class ServerPlacement : uint8_t
{
    SPREAD, ///< a share of each tensor on every server
    WHOLE   ///< each tensor whole on one server, round-robin
};

template <>
struct EnumNames<ServerPlacement>
{
    static constexpr EnumName<ServerPlacement> TABLE[] = {{ServerPlacement::SPREAD, "spread"},
                                                          {ServerPlacement::WHOLE, "whole"}};
};

/**
 * Sends the gradients of each job as tensors, in pieces, those nearest to the input first, within a
 * credit (ByteScheduler: Peng et al., SOSP 2019; schedulers.md, section 5). It decides nothing
 * between jobs: all have one level, and their paths are left to ECMP.
 *
 * It applies to models under pure data parallelism, with all-reduces or parameter servers; other
 * jobs run as under None, and a decision of the kind "fallback" gives the reason. With Tune, the
 * sizes are searched for while the job runs: each sample takes several iterations, the first of
 * which is discarded.
 */
class ByteSchedulerScheduler : public CommunicationScheduler
{
  public:
    static TypeId GetTypeId();

    ScheduleDecision Decide(const ClusterView& view) const override;

    bool UsesLevels() const override
    {
        return false;
    }

    std::optional<TensorProgramOptions> GetTensorOptions() const override;
    int64_t GetPeriodPs() const override;

  private:
    /// The sizes of a job, and why.
    struct Choice
    {
        uint64_t partitionBytes{0};
        uint64_t creditBytes{0};
        std::string inputs; ///< JSON object
        std::string reason;
        bool isNew{true}; ///< differs from what the job already has
    };

    Choice ChooseFixed(const JobView& job) const;
    Choice ChooseTuned(const ClusterView& view, const JobView& job) const;

    uint64_t m_partitionBytes{0};
    uint64_t m_creditBytes{0};
    bool m_priority{true};
    uint32_t m_streams{1};
    ServerPlacement m_serverPlacement{ServerPlacement::SPREAD};
    Time m_controlLatency;
    bool m_tune{false};
    uint32_t m_samplingIterations{0};
    uint32_t m_randomSamples{10};
    uint32_t m_searchSteps{15};
    double m_exploration{0.1};
    Time m_period;
};

} // namespace ns3

#endif // GPU_FABRIC_BYTE_SCHEDULER_SCHEDULER_H
