/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SELECTED_PATHS_H
#define GPU_FABRIC_SELECTED_PATHS_H

#include "ns3/enum-names.h"
#include "ns3/path-choice.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// What a flow adds to the load of a link.
enum class PathLoad : uint8_t
{
    RATE,      ///< wire bytes of an iteration over the job's own period
    PEAK_RATE, ///< the same over the shortest period that the job could have
    VOLUME,    ///< wire bytes of an iteration
    INTENSITY  ///< RATE times the job's share of the greatest GPU intensity
};

template <>
struct EnumNames<PathLoad>
{
    static constexpr EnumName<PathLoad> TABLE[] = {{PathLoad::RATE, "rate"},
                                                   {PathLoad::PEAK_RATE, "peak-rate"},
                                                   {PathLoad::VOLUME, "volume"},
                                                   {PathLoad::INTENSITY, "intensity"}};
};

/// Which jobs choose their paths first.
enum class PathJobOrder : uint8_t
{
    INTENSITY, ///< those of greater GPU intensity
    RANKING    ///< those that come first in the order of the scheduler
};

template <>
struct EnumNames<PathJobOrder>
{
    static constexpr EnumName<PathJobOrder> TABLE[] = {{PathJobOrder::INTENSITY, "intensity"},
                                                       {PathJobOrder::RANKING, "ranking"}};
};

/**
 * Path selection of Crux (SIGCOMM 2024, section 4.1): jobs in the order of GPU intensity, the flows
 * of a job from the largest to the smallest; each takes the equal-cost path with the smallest
 * (largest utilisation of a link with the flow added, sum of the utilisations of the links without
 * it, index). The paper does not specify the measure of congestion; it is the attribute `Load`.
 */
class SelectedPaths : public PathChoice
{
  public:
    static TypeId GetTypeId();

    void Choose(const ClusterView& view,
                const JobRanking& ranking,
                CandidatePaths& paths,
                ScheduleDecision& decision) const override;

  private:
    /// Load of a flow for each bit that it sends in an iteration.
    double GetLoadFactor(const RankedJob& ranked, double greatestIntensity) const;
    /// Chooses the paths of a job and adds its flows to the loads of the links.
    static void ChooseOfJob(const ClusterTopology& topology,
                            const RankedJob& ranked,
                            double loadFactor,
                            CandidatePaths& paths,
                            std::vector<uint64_t>& loads,
                            JobDecision& entry);

    PathLoad m_load{PathLoad::RATE};
    PathJobOrder m_order{PathJobOrder::INTENSITY};
};

} // namespace ns3

#endif // GPU_FABRIC_SELECTED_PATHS_H
