/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_FAMILIES_H
#define GPU_FABRIC_SCENARIO_FAMILIES_H

#include "../document/value-shape.h"

namespace ns3
{

/// Families of types that are used by more than one block of a scenario.
struct ScenarioFamilies
{
    static inline const TypeFamily COLLECTIVE{"Collective", "ns3::CollectiveAlgorithm"};
    static inline const TypeFamily PLACEMENT{"Placement", "ns3::PlacementPolicy"};
    static inline const TypeFamily SCHEDULER{"Scheduler", "ns3::CommunicationScheduler"};
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_FAMILIES_H
