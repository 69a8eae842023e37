/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CROP_PLACEMENT_H
#define GPU_FABRIC_CROP_PLACEMENT_H

#include "crop-problem.h"

#include "ns3/enum-names.h"
#include "ns3/placement-policy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How the placements of all waiting jobs are chosen.
enum class CropAlgorithm : uint8_t
{
    ENUMERATED_GREEDY,
    LAZY_GREEDY,
    CONTINUOUS_GREEDY
};

template <>
struct EnumNames<CropAlgorithm>
{
    static constexpr EnumName<CropAlgorithm> TABLE[] = {
        {CropAlgorithm::ENUMERATED_GREEDY, "enumerated-greedy"},
        {CropAlgorithm::LAZY_GREEDY, "lazy-greedy"},
        {CropAlgorithm::CONTINUOUS_GREEDY, "continuous-greedy"}};
};

/**
 * Places all waiting jobs together for throughput and robustness, in the manner of CROP (IWQoS
 * 2025). Only the abstract of that paper is public, so this is a reconstruction.
 *
 * Candidates of a job come from Consolidate, BestFit, Spread and FirstFit, with and without
 * excluded hosts. The value of a candidate is u + Robustness r, for a job of G GPUs:
 * u = G C / max(C, phi C + t), the mean number of GPUs that compute: C is the compute time, phi C
 * the part of it before communication may start, and t the time of the traffic on its busiest link
 * at the mean rate left by the jobs placed before, at least one twentieth of the link's rate;
 * r = G (1 - hosts x HostFailure - leaves x LeafFailure), the expected number of GPUs that survive
 * a failure.
 * CropProblem makes the choice; jobs that it leaves out are tried again on the remaining GPUs.
 */
class CropPlacement : public PlacementPolicy
{
  public:
    static TypeId GetTypeId();

    /// All candidates, the most valuable first.
    std::vector<Placement> Rank(const PlacementView& view,
                                const PlacementRequest& request) const override;
    std::vector<Placement> PlaceTogether(
        const PlacementView& view,
        const std::vector<PlacementRequest>& requests) const override;

  private:
    /// Candidates of one job with the data that CropProblem needs.
    struct Candidates
    {
        std::vector<Placement> placements;
        std::vector<CropProblem::Candidate> values; ///< in the same order
    };

    /// \param loads of links due to jobs placed before [bit/s]
    Candidates GetCandidates(const PlacementView& view,
                             const PlacementRequest& request,
                             const std::vector<double>& loads) const;
    /// Adds the mean rates of a job's traffic to the loads of links.
    static void AddLoad(const ClusterTopology& topology,
                        const JobView& job,
                        std::vector<double>& loads);
    static std::vector<double> GetLoads(const PlacementView& view);

    uint32_t m_candidates{0};
    CropAlgorithm m_algorithm{CropAlgorithm::ENUMERATED_GREEDY};
    uint32_t m_steps{0};
    double m_robustness{0};
    double m_hostFailure{0};
    double m_leafFailure{0};
    double m_spread{0};
};

} // namespace ns3

#endif // GPU_FABRIC_CROP_PLACEMENT_H
