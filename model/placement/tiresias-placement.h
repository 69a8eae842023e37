/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TIRESIAS_PLACEMENT_H
#define GPU_FABRIC_TIRESIAS_PLACEMENT_H

#include "best-fit-placement.h"
#include "first-fit-placement.h"

#include "ns3/enum-names.h"

#include <string>
#include <vector>

namespace ns3
{

/// Which jobs Tiresias consolidates.
enum class SkewRule : uint8_t
{
    MODEL,  ///< those of certain models
    TRAFFIC ///< those with much traffic
};

template <>
struct EnumNames<SkewRule>
{
    static constexpr EnumName<SkewRule> TABLE[] = {{SkewRule::MODEL, "model"},
                                                   {SkewRule::TRAFFIC, "traffic"}};
};

/**
 * Placement as in Tiresias (NSDI 2019): a job whose model has skewed tensors is consolidated on as
 * few hosts as possible (BestFit); any other job uses any free GPUs (FirstFit). What counts as
 * skewed is an attribute.
 */
class TiresiasPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;

  private:
    /// Whether the job must be consolidated. \param why receives the reason
    bool IsSkewed(const PlacementView& view,
                  const PlacementRequest& request,
                  const std::vector<Placement>& anywhere,
                  std::string& why) const;

    SkewRule m_rule{SkewRule::MODEL};
    std::string m_models;
    double m_threshold{0};
};

} // namespace ns3

#endif // GPU_FABRIC_TIRESIAS_PLACEMENT_H
