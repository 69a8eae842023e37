/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FLOW_SPEC_H
#define GPU_FABRIC_FLOW_SPEC_H

#include "../base/diagnostics.h"

#include "ns3/nstime.h"
#include "ns3/quantity.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// A plain RDMA transfer of `flows:`; an imported flow file gives one per line.
struct FlowSpec
{
    std::string from; ///< host name; NIC 0 unless written "host0.nic1"
    std::string to;
    ByteSize bytes;       ///< of the transfer
    Time at;              ///< when it is posted
    int32_t priority{-1}; ///< or -1: the default data priority
    SourceMark mark;
};

} // namespace ns3

#endif // GPU_FABRIC_FLOW_SPEC_H
