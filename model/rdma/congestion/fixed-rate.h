/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FIXED_RATE_H
#define GPU_FABRIC_FIXED_RATE_H

#include "ns3/rdma-congestion-control.h"

namespace ns3
{

/// No congestion control: every queue pair sends at line rate, or at a fixed rate below it.
class FixedRate : public RdmaCongestionControl
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateController> CreateController(const FlowContext& flow) const override;

  private:
    uint64_t m_rate; ///< [bit/s]
};

} // namespace ns3

#endif // GPU_FABRIC_FIXED_RATE_H
