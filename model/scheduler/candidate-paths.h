/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CANDIDATE_PATHS_H
#define GPU_FABRIC_CANDIDATE_PATHS_H

#include "ns3/cluster-view.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/// Remembers the candidate paths of NIC pairs for the length of one decision, as the flows of a
/// job (and both directions of each) ask for the same ones again.
class CandidatePaths
{
  public:
    explicit CandidatePaths(const PathOracle& oracle);

    /**
     * All shortest paths from a NIC to another (port ids), in the oracle's order; the reference
     * stays valid. Aborts where there is none.
     */
    const std::vector<LinkPath>& Get(uint32_t sourceNic, uint32_t destinationNic);

  private:
    const PathOracle& m_oracle;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<LinkPath>> m_paths;
};

} // namespace ns3

#endif // GPU_FABRIC_CANDIDATE_PATHS_H
