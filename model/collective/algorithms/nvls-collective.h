/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NVLS_COLLECTIVE_H
#define GPU_FABRIC_NVLS_COLLECTIVE_H

#include "ns3/collective-algorithm.h"

#include <cstdint>

namespace ns3
{

/**
 * An all-reduce by NVLink SHARP, as NCCL's NVLS and NVLSTree do it: each GPU of a host owns a part
 * of the buffer, which the NVSwitches reduce on its way from all GPUs to the owner, and multicast
 * on its way back. Between hosts, the owners of a part reduce it along two complementary binary
 * trees and spread the sum, each by its own NIC.
 *
 * A GPU sends (n-1)/n S as a contributor and S/n as an owner, S in all, where a schedule without
 * switches that add and copy has 2 (n-1)/n S; the messages here are those of the latter, and
 * occupy NVLink for their share (CollectiveExecution::localNumerator).
 */
class NvlsCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;

    double EstimateMessages(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const override;

  private:
    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;

    uint64_t m_pieceBytes{0};
    uint32_t m_maxPieces{1};
};

} // namespace ns3

#endif // GPU_FABRIC_NVLS_COLLECTIVE_H
