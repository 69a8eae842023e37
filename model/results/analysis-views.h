/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ANALYSIS_VIEWS_H
#define GPU_FABRIC_ANALYSIS_VIEWS_H

#include "view-spec.h"

#include <vector>

namespace ns3
{

/// Views for the analysis of one run.
std::vector<ViewSpec> GetAnalysisViews();

} // namespace ns3

#endif // GPU_FABRIC_ANALYSIS_VIEWS_H
