/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROFILING_SCHEDULER_H
#define GPU_FABRIC_PROFILING_SCHEDULER_H

#include "ordered-scheduler.h"

#include "ns3/enum-names.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// The source of a job's bytes on links and compute time.
enum class ProfileSource : uint8_t
{
    DECLARED, ///< its program
    MEASURED  ///< counters while it runs alone in the top level
};

template <>
struct EnumNames<ProfileSource>
{
    static constexpr EnumName<ProfileSource> TABLE[] = {{ProfileSource::DECLARED, "declared"},
                                                        {ProfileSource::MEASURED, "measured"}};
};

/**
 * A scheduler of strict priorities that ranks jobs by declared or by measured figures: with
 * `Profile: measured`, each new job first runs `ProfileIterations` iterations alone in the top
 * level (Crux, SIGCOMM 2024, section 5).
 *
 * In either mode, three figures come from the job's program: W, the bytes of single flows, by which
 * paths are selected, and the fraction of the compute time after which communication may start.
 */
class ProfilingScheduler : public OrderedScheduler
{
  public:
    static TypeId GetTypeId();

    ProfilePlan GetProfilePlan() const override;

  private:
    ProfileSource m_profile{ProfileSource::DECLARED};
    uint32_t m_iterations{3};
    Time m_interval;
};

} // namespace ns3

#endif // GPU_FABRIC_PROFILING_SCHEDULER_H
