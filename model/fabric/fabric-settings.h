/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_SETTINGS_H
#define GPU_FABRIC_FABRIC_SETTINGS_H

#include "ns3/egress-scheduler.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// The attributes of a Fabric at the time it is built.
struct FabricSettings
{
    uint32_t queues{8};
    uint32_t controlPriority{7};
    uint32_t cnpPriority{7};
    std::string dscps;
    TypeId egressType{StrictPriorityEgress::GetTypeId()};
    uint32_t pauseQuanta{65'535}; ///< [512 bit times]
    double refreshFraction{0.5};
    Time convergenceTime;
    uint64_t receiveBuffer{512'000}; ///< [byte]
    Time deadlockDetection;
    uint32_t usedPriorities{UINT32_MAX}; ///< bit p: data of the run can have priority p
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_SETTINGS_H
