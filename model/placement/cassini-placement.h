/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CASSINI_PLACEMENT_H
#define GPU_FABRIC_CASSINI_PLACEMENT_H

#include "ns3/enum-names.h"
#include "ns3/placement-policy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How the scores of links are aggregated.
enum class ScoreAggregate : uint8_t
{
    MEAN,
    LOWEST
};

template <>
struct EnumNames<ScoreAggregate>
{
    static constexpr EnumName<ScoreAggregate> TABLE[] = {{ScoreAggregate::MEAN, "mean"},
                                                         {ScoreAggregate::LOWEST, "lowest"}};
};

/**
 * Chooses, among the best candidates of another placement, the one with which the job and the
 * running jobs are most compatible on their links (CASSINI, NSDI 2024, Algorithm 2): the one with
 * the highest compatibility score of CassiniPlan, the first of equal ones. Candidates whose graph
 * of jobs and links has a loop are taken only if all have one. If the jobs are unknown (for example
 * when the scenario is checked), the order is that of the other placement.
 */
class CassiniPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;

  private:
    std::string m_base;
    uint32_t m_candidates{0};
    ScoreAggregate m_aggregate{ScoreAggregate::MEAN};
    uint32_t m_angles{0};
};

} // namespace ns3

#endif // GPU_FABRIC_CASSINI_PLACEMENT_H
