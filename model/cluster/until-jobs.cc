/* SPDX-License-Identifier: GPL-2.0-only */
#include "until-jobs.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Whether name consists of base, a dash and digits.
bool
IsInstance(const std::string& name, const std::string& base)
{
    return name.size() > base.size() + 1 && name.compare(0, base.size(), base) == 0 &&
           name[base.size()] == '-' &&
           name.find_first_not_of("0123456789", base.size() + 1) == std::string::npos;
}

} // namespace

UntilJobs::UntilJobs(const std::vector<std::string>& names, const std::vector<std::string>& untils)
    : m_jobs(names.size())
{
    for (size_t job = 0; job < names.size(); job++)
    {
        if (untils[job].empty())
        {
            continue;
        }
        const auto exact = std::find(names.begin(), names.end(), untils[job]);
        for (uint32_t other = 0; other < names.size(); other++)
        {
            if (exact != names.end() ? names[other] == *exact
                                     : IsInstance(names[other], untils[job]))
            {
                m_jobs[job].push_back(other);
            }
        }
    }
}

const std::vector<uint32_t>&
UntilJobs::Get(uint32_t job) const
{
    return m_jobs.at(job);
}

std::vector<uint32_t>
UntilJobs::FindEndless() const
{
    // A job ends if all jobs that it waits for end: remove such jobs until nothing changes.
    std::vector<bool> endless(m_jobs.size(), true);
    for (bool changed = true; changed;)
    {
        changed = false;
        for (size_t job = 0; job < m_jobs.size(); job++)
        {
            const bool waits = std::any_of(m_jobs[job].begin(),
                                           m_jobs[job].end(),
                                           [&endless](uint32_t other) { return endless[other]; });
            if (endless[job] && !waits)
            {
                endless[job] = false;
                changed = true;
            }
        }
    }
    std::vector<uint32_t> result;
    for (uint32_t job = 0; job < m_jobs.size(); job++)
    {
        if (endless[job])
        {
            result.push_back(job);
        }
    }
    return result;
}

} // namespace ns3
