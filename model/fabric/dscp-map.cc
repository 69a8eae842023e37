/* SPDX-License-Identifier: GPL-2.0-only */
#include "dscp-map.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

std::string
DscpMap::FindFault(const std::string& text)
{
    return DscpMap().Parse(text, 0);
}

std::string
DscpMap::Parse(const std::string& text, uint32_t priorities)
{
    std::vector<uint8_t> map;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');)
    {
        word.erase(0, word.find_first_not_of(' '));
        word.erase(word.find_last_not_of(' ') + 1);
        const bool digits =
            !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
        const unsigned long dscp = digits && word.size() <= 2 ? std::stoul(word) : 64;
        if (dscp > 63)
        {
            return "\"" + word + "\" is no DSCP, an integer from 0 to 63";
        }
        if (std::find(map.begin(), map.end(), dscp) != map.end())
        {
            return "DSCP " + word + " is given to two priorities";
        }
        map.push_back(static_cast<uint8_t>(dscp));
    }
    if (map.size() < priorities)
    {
        return "names " + std::to_string(map.size()) + " DSCPs for " + std::to_string(priorities) +
               " priorities";
    }
    m_dscp = map;
    return "";
}

int32_t
DscpMap::FindPriority(uint8_t dscp) const
{
    const auto found = std::find(m_dscp.begin(), m_dscp.end(), dscp);
    return found == m_dscp.end() ? -1 : static_cast<int32_t>(found - m_dscp.begin());
}

} // namespace ns3
