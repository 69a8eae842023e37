/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario.h"

namespace ns3
{

const std::vector<std::string>&
FaultSpec::GetFrameNames()
{
    static const std::vector<std::string> names{"data", "pause", "ack", "cnp", "nak"};
    return names;
}

SourceMark
JobSpec::GetMark(const std::string& key) const
{
    for (const auto& keyMark : keyMarks)
    {
        if (keyMark.first == key)
        {
            return keyMark.second;
        }
    }
    return mark;
}

} // namespace ns3
