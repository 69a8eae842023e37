/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DSCP_MAP_H
#define GPU_FABRIC_DSCP_MAP_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The DSCP (RFC 2474, 6 bits) of each priority.
class DscpMap
{
  public:
    /// What is wrong with a map for any number of priorities, one sentence without a full stop; "":
    /// nothing.
    static std::string FindFault(const std::string& text);

    /**
     * Reads the map.
     * \param text DSCPs of priorities 0, 1, ..., separated by commas; distinct, 0 to 63
     * \param priorities how many are needed; more may be given
     * \returns an empty string, or what is wrong: FindFault(), or too few
     */
    std::string Parse(const std::string& text, uint32_t priorities);

    uint8_t GetDscp(uint32_t priority) const
    {
        return m_dscp.at(priority);
    }

    /// The priority of a DSCP, or -1.
    int32_t FindPriority(uint8_t dscp) const;

  private:
    std::vector<uint8_t> m_dscp;
};

} // namespace ns3

#endif // GPU_FABRIC_DSCP_MAP_H
