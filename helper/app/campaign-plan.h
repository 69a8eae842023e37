/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_PLAN_H
#define GPU_FABRIC_CAMPAIGN_PLAN_H

#include "../../model/base/diagnostics.h"
#include "run-cost.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The points of a sweep, each with the name of its run.
class CampaignPlan
{
  public:
    /// A point; its index is its position in the grid, from 0.
    struct Point
    {
        std::string label;                                       ///< "scheduler=None, seed=1"
        std::vector<std::pair<std::string, std::string>> values; ///< (axis, value)
        std::string runId;                                       ///< RunIdentity::GetRunId()
        RunCost cost;
    };

    /**
     * Reads a scenario with a sweep and checks every point as a run would, on the built network.
     * Reports errors to the diagnostics.
     * \param attributes that the command line has set, "ns3::Class::Attribute"
     * \param others what else it has set, "Name=value"
     * \param solo whether the command line requests solo runs
     */
    CampaignPlan(const std::string& file,
                 const std::vector<std::string>& attributes,
                 const std::vector<std::string>& others,
                 bool solo,
                 Diagnostics& diagnostics);

    /// In grid order; empty on errors.
    const std::vector<Point>& GetPoints() const
    {
        return m_points;
    }

    /// Names of the varied values, in order.
    const std::vector<std::string>& GetAxes() const
    {
        return m_axes;
    }

    /// Whether a point synthesizes collectives, with a solver if one is installed.
    bool NeedsSolver() const
    {
        return m_needsSolver;
    }

    /// What the command line has set, as "ns3::Class::Attribute=value", for other processes.
    const std::vector<std::string>& GetOverrides() const
    {
        return m_overrides;
    }

  private:
    std::vector<Point> m_points;
    std::vector<std::string> m_axes;
    std::vector<std::string> m_overrides;
    bool m_needsSolver{false};
};

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_PLAN_H
