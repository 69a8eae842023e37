/* SPDX-License-Identifier: GPL-2.0-only */
#include "priority-pair.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// Time from the start of the compute of an iteration until communication may start [ps].
int64_t
GetStart(const PeriodicJob& job)
{
    return std::llround(job.startFraction * static_cast<double>(job.computePs));
}

/// The progress of a job in its iteration.
struct Progress
{
    int64_t readyPs;      ///< communication may start
    int64_t computeEndPs; ///< the compute ends
    int64_t leftPs;       ///< remaining link time
};

/// An iteration that begins at a time [ps].
Progress
Begin(const PeriodicJob& job, int64_t nowPs)
{
    return {nowPs + GetStart(job), nowPs + job.computePs, job.linkPs};
}

} // namespace

int64_t
PeriodicJob::GetSoloPeriod() const
{
    return std::max(computePs, GetStart(*this) + linkPs);
}

double
PriorityPair::Gain::GetFactor(double kMax) const
{
    const double nothing = 1e-6 * horizonSeconds;
    const bool firstGains = firstSeconds >= nothing;
    const bool secondGains = secondSeconds >= nothing;
    if (!firstGains || !secondGains)
    {
        return firstGains == secondGains ? 1 : firstGains ? 1 / kMax : kMax;
    }
    return std::clamp(secondSeconds / firstSeconds, 1 / kMax, kMax);
}

PriorityPair::PriorityPair(const PeriodicJob& first, const PeriodicJob& second)
    : m_jobs{first, second}
{
    for (const PeriodicJob& job : m_jobs)
    {
        NS_ABORT_MSG_IF(job.computePs < 0 || job.linkPs <= 0,
                        "a job of compute time " << job.computePs << " ps and link time "
                                                 << job.linkPs << " ps");
        NS_ABORT_MSG_IF(!(job.startFraction >= 0 && job.startFraction <= 1),
                        "communication starts after " << job.startFraction << " of the compute");
    }
}

PriorityPair::LinkTimes
PriorityPair::Run(bool secondLeads, int64_t secondStartPs, int64_t fromPs, int64_t toPs) const
{
    const int leader = secondLeads ? 1 : 0;
    Progress progress[2] = {Begin(m_jobs[0], 0), Begin(m_jobs[1], secondStartPs)};
    int64_t times[2] = {0, 0};
    for (int64_t nowPs = 0; nowPs < toPs;)
    {
        int64_t nextPs = toPs;
        int serving = -1;
        for (const int i : {1 - leader, leader})
        {
            const Progress& job = progress[i];
            if (job.leftPs > 0 && nowPs >= job.readyPs)
            {
                serving = i;
            }
            for (const int64_t timePs : {job.readyPs, job.computeEndPs})
            {
                nextPs = timePs > nowPs ? std::min(nextPs, timePs) : nextPs;
            }
        }
        if (serving >= 0)
        {
            nextPs = std::min(nextPs, nowPs + progress[serving].leftPs);
            progress[serving].leftPs -= nextPs - nowPs;
            times[serving] += std::max<int64_t>(0, nextPs - std::max(nowPs, fromPs));
        }
        nowPs = nextPs;
        for (int i = 0; i < 2; i++)
        {
            if (progress[i].leftPs == 0 && nowPs >= progress[i].computeEndPs)
            {
                progress[i] = Begin(m_jobs[i], nowPs);
            }
        }
    }
    return {times[0], times[1]};
}

PriorityPair::Gain
PriorityPair::Measure(uint32_t phases, uint32_t periods) const
{
    NS_ABORT_MSG_IF(phases == 0 || periods == 0, "no phase or no horizon");
    const int64_t longer = std::max(m_jobs[0].GetSoloPeriod(), m_jobs[1].GetSoloPeriod());
    const int64_t shorter = std::min(m_jobs[0].GetSoloPeriod(), m_jobs[1].GetSoloPeriod());
    __extension__ using Product = __int128;
    const Product asked = Product{longer} * periods;
    const auto horizon = static_cast<int64_t>(
        std::min<Product>({asked, Product{shorter} * MAX_ITERATIONS, Product{INT64_MAX} / 4}));
    Gain gain;
    gain.horizonSeconds = static_cast<double>(horizon) * 1e-12;
    gain.shortened = horizon < asked;
    for (uint32_t phase = 0; phase < phases; phase++)
    {
        const auto startPs = static_cast<int64_t>(Product{longer} * phase / phases);
        const LinkTimes firstLeads = Run(false, startPs, 0, horizon);
        const LinkTimes secondLeads = Run(true, startPs, 0, horizon);
        gain.firstSeconds += 1e-12 * static_cast<double>(firstLeads.first - secondLeads.first);
        gain.secondSeconds += 1e-12 * static_cast<double>(secondLeads.second - firstLeads.second);
    }
    gain.firstSeconds /= phases;
    gain.secondSeconds /= phases;
    return gain;
}

} // namespace ns3
