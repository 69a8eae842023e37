/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-spec.h"

namespace ns3
{

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
