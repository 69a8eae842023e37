/* SPDX-License-Identifier: GPL-2.0-only */
#include "candidate-paths.h"

#include "ns3/abort.h"

namespace ns3
{

CandidatePaths::CandidatePaths(const PathOracle& oracle)
    : m_oracle(oracle)
{
}

const std::vector<LinkPath>&
CandidatePaths::Get(uint32_t sourceNic, uint32_t destinationNic)
{
    const auto [entry, isNew] =
        m_paths.try_emplace(std::make_pair(sourceNic, destinationNic), std::vector<LinkPath>());
    if (isNew)
    {
        entry->second = m_oracle.GetPaths(sourceNic, destinationNic);
        NS_ABORT_MSG_IF(entry->second.empty(),
                        "no path from NIC port " << sourceNic << " to " << destinationNic);
    }
    return entry->second;
}

} // namespace ns3
