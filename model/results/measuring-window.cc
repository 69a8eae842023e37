/* SPDX-License-Identifier: GPL-2.0-only */
#include "measuring-window.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <cctype>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MeasuringWindowFinder");

namespace
{

/// True for "bert-12" and "bert".
bool
IsReplica(const std::string& name, const std::string& group)
{
    return name.size() > group.size() + 1 && name.compare(0, group.size(), group) == 0 &&
           name[group.size()] == '-' &&
           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(group.size()) + 1,
                       name.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

} // namespace

MeasuringWindowFinder::MeasuringWindowFinder(const MeasureSpec& measure)
    : m_measure(measure)
{
}

bool
MeasuringWindowFinder::IsMeasured(const std::string& name) const
{
    return m_measure.jobs.empty() ||
           std::any_of(m_measure.jobs.begin(), m_measure.jobs.end(), [&](const auto& listed) {
               return name == listed || IsReplica(name, listed);
           });
}

void
MeasuringWindowFinder::AddJob(uint32_t job, const std::string& name)
{
    NS_ABORT_MSG_IF(m_openedPs, "job " << name << " comes after the measuring window opened");
    if (IsMeasured(name))
    {
        m_jobs.push_back({job, name, false, !m_profiles});
    }
}

void
MeasuringWindowFinder::SetProfiles(bool expected)
{
    NS_ABORT_MSG_IF(!m_jobs.empty(), "profiles are expected of all jobs or of none");
    m_profiles = expected;
}

void
MeasuringWindowFinder::JobProfiled(uint32_t job, int64_t nowPs)
{
    const auto measured =
        std::find_if(m_jobs.begin(), m_jobs.end(), [job](const Job& j) { return j.job == job; });
    if (measured == m_jobs.end() || measured->profiled)
    {
        return;
    }
    measured->profiled = true;
    measured->warm = measured->warm || m_measure.warmup == 0;
    Advanced(*measured, nowPs);
}

void
MeasuringWindowFinder::Advanced(const Job& job, int64_t nowPs)
{
    if (!job.warm || !job.profiled || ++m_ready < m_jobs.size())
    {
        return;
    }
    m_openedPs = nowPs;
    NS_LOG_INFO("all measured jobs are ready at " << nowPs << " ps");
    if (m_opened && !m_measure.from && !m_closedPs)
    {
        m_opened(nowPs);
    }
}

void
MeasuringWindowFinder::IterationEnded(uint32_t job, uint64_t done, int64_t nowPs)
{
    const auto measured =
        std::find_if(m_jobs.begin(), m_jobs.end(), [job](const Job& j) { return j.job == job; });
    if (measured == m_jobs.end() || measured->warm || done < m_measure.warmup)
    {
        return;
    }
    measured->warm = true;
    Advanced(*measured, nowPs);
}

void
MeasuringWindowFinder::JobEnded(uint32_t job, int64_t nowPs)
{
    const auto measured =
        std::find_if(m_jobs.begin(), m_jobs.end(), [job](const Job& j) { return j.job == job; });
    if (measured == m_jobs.end() || m_closedPs)
    {
        return;
    }
    m_closedPs = nowPs;
    m_closedBy = measured->name;
    NS_LOG_INFO(m_closedBy << " is the first to end, at " << nowPs << " ps");
    if (m_closed && !m_measure.to &&
        (m_openedPs || m_measure.from || (m_measure.warmup == 0 && !m_profiles)))
    {
        m_closed(nowPs);
    }
}

void
MeasuringWindowFinder::SetCallbacks(std::function<void(int64_t)> opened,
                                    std::function<void(int64_t)> closed)
{
    m_opened = std::move(opened);
    m_closed = std::move(closed);
}

MeasuringWindow
MeasuringWindowFinder::GetWindow(int64_t endPs) const
{
    if (m_jobs.empty() && !m_measure.from && !m_measure.to)
    {
        return {0, endPs, "the whole run: no jobs"};
    }
    const std::string warmup =
        std::to_string(m_measure.warmup) + (m_measure.warmup == 1 ? " iteration" : " iterations");

    int64_t fromPs = 0;
    std::string note;
    if (m_measure.from)
    {
        fromPs = m_measure.from->GetPicoSeconds();
        note = "from the given time";
    }
    else if (m_measure.warmup == 0 && !m_profiles)
    {
        note = "from the start";
    }
    else if (m_openedPs)
    {
        fromPs = *m_openedPs;
        note = "from the end of " + warmup + (m_profiles ? " and of the profiles" : "") +
               " of all measured jobs";
    }
    else
    {
        return {0,
                endPs,
                "the whole run: not all measured jobs finished " + warmup +
                    (m_profiles ? " and their profiles" : "")};
    }

    int64_t toPs = endPs;
    if (m_measure.to)
    {
        toPs = m_measure.to->GetPicoSeconds();
        note += " to the given time";
    }
    else if (m_closedPs)
    {
        toPs = *m_closedPs;
        note += " to the end of " + m_closedBy;
    }
    else
    {
        note += " to the end of the run";
    }

    toPs = std::min(toPs, endPs);
    if (fromPs >= toPs)
    {
        return {0, endPs, "the whole run: the window " + note + " is empty"};
    }
    return {fromPs, toPs, note};
}

} // namespace ns3
