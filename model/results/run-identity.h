/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_IDENTITY_H
#define GPU_FABRIC_RUN_IDENTITY_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Everything that determines the result of a run.
struct RunIdentity
{
    std::string scenarioText;
    std::string scheduler; ///< its whole block: type and attributes
    uint64_t seed{1};
    std::vector<std::string> overrides; ///< "name=value" from the command line, except seed and
                                        ///< scheduler; order does not matter
    std::string version;                ///< of this module

    /// Equal for equal identities: 32 hexadecimal digits.
    std::string GetRunId() const;
    /// The same without seed and scheduler: runs with equal keys can be compared.
    std::string GetCampaignKey() const;

    /// FNV-1a with 128 bits (Fowler, Noll, Vo; draft-eastlake-fnv), as 32 hexadecimal digits.
    static std::string Hash(const std::string& text);
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_IDENTITY_H
