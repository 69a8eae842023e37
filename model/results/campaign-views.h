/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CAMPAIGN_VIEWS_H
#define GPU_FABRIC_CAMPAIGN_VIEWS_H

#include "view-spec.h"

#include <vector>

namespace ns3
{

/// Views that compare runs.
std::vector<ViewSpec> GetCampaignViews();

} // namespace ns3

#endif // GPU_FABRIC_CAMPAIGN_VIEWS_H
