/* SPDX-License-Identifier: GPL-2.0-only */
#include "progress-printer.h"

#include "ns3/log.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ProgressPrinter");

namespace
{

constexpr double TERMINAL_PERIOD_S = 0.2;
constexpr double LINE_PERIOD_S = 5;
constexpr size_t TERMINAL_WIDTH = 79;
constexpr size_t LINE_WIDTH = 200;
/// Where an estimate stops that was too low.
constexpr double ALMOST_ALL = 0.99;

template <typename... T>
std::string
Print(const char* format, T... values)
{
    char text[96];
    std::snprintf(text, sizeof(text), format, values...);
    return text;
}

std::string
FormatSimulated(int64_t timePs)
{
    const auto time = static_cast<double>(timePs);
    if (time < 1e9)
    {
        return Print("%.1f us", time / 1e6);
    }
    return time < 1e12 ? Print("%.2f ms", time / 1e9) : Print("%.3f s", time / 1e12);
}

std::string
FormatRate(double rate)
{
    if (rate < 1e3)
    {
        return Print("%.0f events/s", rate);
    }
    return rate < 1e6 ? Print("%.0fk events/s", rate / 1e3) : Print("%.1fM events/s", rate / 1e6);
}

/// "0:07", "12:34", "1:02:03".
std::string
FormatDuration(double seconds)
{
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole < 3600)
    {
        return Print("%lld:%02lld", whole / 60, whole % 60);
    }
    return Print("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string
FormatIterations(uint64_t done, uint64_t total)
{
    return total > 0 ? Print("%llu/%llu",
                             static_cast<unsigned long long>(done),
                             static_cast<unsigned long long>(total))
                     : Print("%llu", static_cast<unsigned long long>(done));
}

} // namespace

ProgressPrinter::ProgressPrinter(std::ostream& os,
                                 bool terminal,
                                 const std::string& label,
                                 std::function<double()> clock)
    : m_os(os),
      m_terminal(terminal),
      m_label(label),
      m_clock(std::move(clock)),
      m_startS(m_clock()),
      m_nextS(m_startS + (terminal ? TERMINAL_PERIOD_S : LINE_PERIOD_S))
{
}

double
ProgressPrinter::GetSteadySeconds()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

bool
ProgressPrinter::IsDue() const
{
    return m_clock() >= m_nextS;
}

void
ProgressPrinter::Update(const RunProgress& progress)
{
    const double nowS = m_clock();
    if (nowS < m_nextS)
    {
        return;
    }
    m_nextS = nowS + (m_terminal ? TERMINAL_PERIOD_S : LINE_PERIOD_S);
    NS_LOG_LOGIC("due after " << nowS - m_startS << " s");
    const std::string label = m_label.empty() ? "" : m_label + ": ";
    const size_t width = m_terminal ? TERMINAL_WIDTH : LINE_WIDTH;
    const size_t rest = width > label.size() ? width - label.size() : 0;
    std::string line = label + Format(progress, nowS - m_startS, rest);
    if (!m_terminal)
    {
        m_os << line << std::endl;
        return;
    }
    line.resize(std::min(line.size(), TERMINAL_WIDTH)); // a wrapped line cannot be rewritten
    const size_t shown = line.size();
    line.resize(std::max(shown, m_shown), ' ');
    m_shown = shown;
    m_os << '\r' << line << std::flush;
}

void
ProgressPrinter::Finish()
{
    NS_LOG_FUNCTION(this);
    if (m_shown > 0)
    {
        m_os << '\r' << std::string(m_shown, ' ') << '\r' << std::flush;
        m_shown = 0;
    }
}

std::string
ProgressPrinter::Format(const RunProgress& progress, double elapsedS, size_t width)
{
    uint64_t done = 0;
    uint64_t planned = 0;     // iterations of the jobs that declare their number
    uint64_t plannedDone = 0; // their declared number
    for (const JobProgress& job : progress.jobs)
    {
        done += job.done;
        planned += job.total;
        plannedDone += job.total > 0 ? std::min(job.done, job.total) : 0;
    }

    double fraction = 0;
    const double time = progress.stopPs > 0 ? std::min(1.0,
                                                       static_cast<double>(progress.simulatedPs) /
                                                           static_cast<double>(progress.stopPs))
                                            : 0;
    if (progress.untilStop)
    {
        fraction = time;
    }
    else if (progress.expectedHops > 0)
    {
        // What is left is at least what the simulated time leaves, if that ends the run.
        const double hops = static_cast<double>(progress.hops) / progress.expectedHops;
        fraction = std::min(std::max(hops, time), ALMOST_ALL);
        if (planned > 0)
        {
            // The estimate is one; iterations are counted: those that have ended, and at most all
            // that have begun.
            const auto ended = static_cast<double>(plannedDone);
            const auto all = static_cast<double>(planned);
            const auto begun = static_cast<double>(progress.jobs.size()) + ended;
            fraction = progress.jobs.size() > 1
                           ? fraction
                           : std::clamp(fraction, ended / all, std::min(1.0, begun / all));
        }
    }
    else if (planned > 0)
    {
        fraction = static_cast<double>(plannedDone) / static_cast<double>(planned);
    }
    else
    {
        fraction = time;
    }

    const std::string head = FormatSimulated(progress.simulatedPs);
    std::string tail;
    if (elapsedS > 0)
    {
        tail += "  " + FormatRate(static_cast<double>(progress.events) / elapsedS);
    }
    if (fraction > 0)
    {
        tail += "  ETA " + FormatDuration(elapsedS * (1 - fraction) / fraction);
    }

    std::string jobs;
    for (const JobProgress& job : progress.jobs)
    {
        jobs += "  " + job.name + " " + FormatIterations(job.done, job.total);
    }
    if (head.size() + jobs.size() + tail.size() > width)
    {
        jobs = "  " + FormatIterations(planned > 0 ? plannedDone : done, planned) +
               " iterations of " + std::to_string(progress.jobs.size()) + " jobs";
    }
    return head + jobs + tail;
}

} // namespace ns3
