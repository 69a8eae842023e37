/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_FLOWS_H
#define GPU_FABRIC_SCENARIO_FLOWS_H

#include "../../model/base/diagnostics.h"
#include "../../model/scenario/scenario.h"
#include "../../model/workload/application/plain-flows.h"

#include "ns3/fabric.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// "1, 2, 3" of a mask of priorities, or "none".
std::string ListPriorities(uint32_t mask);

/**
 * The plain flows of a scenario on its network.
 * \param scenario with hosts and NICs that the reader has checked
 * \param fabric built
 * \param priority of flows that specify none
 * \param diagnostics receives an error for a flow between NICs that cannot reach each other
 */
std::vector<PlainFlow> MakeScenarioFlows(const Scenario& scenario,
                                         const Fabric& fabric,
                                         uint8_t priority,
                                         Diagnostics& diagnostics);

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_FLOWS_H
