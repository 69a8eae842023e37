/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_SCHEMA_H
#define GPU_FABRIC_CAMPAIGN_SCHEMA_H

#include <string>

namespace ns3
{

/// SQL that creates what compares runs, in a database that has the tables and views of
/// GetResultSchema(): table `campaign`, views `v_run_figure`, `v_scheduler_comparison` and
/// `v_axis_comparison`.
std::string GetCampaignSchema();

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_SCHEMA_H
