/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TOP_COMPRESSION_H
#define GPU_FABRIC_TOP_COMPRESSION_H

#include "ns3/level-compression.h"

namespace ns3
{

/// The first K - 1 jobs get levels of their own, all others share the lowest: Sincronia's method,
/// as Crux describes it (SIGCOMM 2024, section 4.3, Figure 13).
class TopCompression : public LevelCompression
{
  public:
    static TypeId GetTypeId();

    CompressedLevels Compress(const std::vector<CompressibleJob>& jobs,
                              uint32_t levels,
                              uint64_t seed) const override;

  private:
    bool m_unique{false};
};

} // namespace ns3

#endif // GPU_FABRIC_TOP_COMPRESSION_H
