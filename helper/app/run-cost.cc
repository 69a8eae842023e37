/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-cost.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

namespace ns3
{

namespace
{

/// Events of a packet-hop: an arrival, and the end of a transmission that others wait for; 1.6
/// to 1.9 in the benchmarks.
constexpr double HOP_EVENTS = 1.7;
/// Events of a window below which the threads' meeting costs more than they gain.
constexpr double MIN_WINDOW_EVENTS = 400;
/// More threads take nothing off the one that runs the hosts (doc/performance.rst).
constexpr uint32_t MAX_USEFUL_THREADS = 4;

/// "12 million", "850"; two digits are all that an estimate has.
std::string
FormatCount(double count)
{
    char text[32];
    if (count >= 1e9)
    {
        std::snprintf(text, sizeof(text), "%.2g billion", count / 1e9);
    }
    else if (count >= 1e6)
    {
        std::snprintf(text, sizeof(text), "%.*f million", count < 1e7 ? 1 : 0, count / 1e6);
    }
    else
    {
        const double unit = count < 100 ? 1 : std::pow(10, std::floor(std::log10(count)) - 1);
        std::snprintf(text, sizeof(text), "%.0f", std::round(count / unit) * unit);
    }
    return text;
}

std::string
FormatSeconds(double seconds)
{
    char text[32];
    if (seconds < 10)
    {
        std::snprintf(text, sizeof(text), "%.1f s", std::max(seconds, 0.1));
    }
    else if (seconds < 120)
    {
        std::snprintf(text, sizeof(text), "%.0f s", seconds);
    }
    else if (seconds < 7200)
    {
        std::snprintf(text, sizeof(text), "%.0f min", seconds / 60);
    }
    else
    {
        std::snprintf(text, sizeof(text), "%.2g h", seconds / 3600);
    }
    return text;
}

} // namespace

double
RunCost::GetEvents() const
{
    return packetHops * HOP_EVENTS;
}

double
RunCost::GetCpuSeconds() const
{
    return packetHops * hopNs / 1e9;
}

double
RunCost::GetWindowEvents() const
{
    return simulatedPs > 0 ? GetEvents() * windowPs / simulatedPs : 0;
}

void
RunCost::Add(const RunCost& other, uint64_t times)
{
    const auto factor = static_cast<double>(times);
    const double hops = packetHops + factor * other.packetHops;
    hopNs = hops > 0 ? (packetHops * hopNs + factor * other.packetHops * other.hopNs) / hops
                     : other.hopNs;
    packetHops = hops;
    simulatedPs += factor * other.simulatedPs;
    memoryBytes = std::max(memoryBytes, other.memoryBytes);
    windowPs = other.windowPs;
}

std::string
RunCost::Describe() const
{
    return "about " + FormatCount(packetHops) + " packet-hops, " + FormatCount(GetEvents()) +
           " events, " + FormatSeconds(GetCpuSeconds()) + " of CPU time, " +
           FormatCount(std::ceil(memoryBytes / 1e6)) + " MB of memory";
}

double
RunCost::GetHopNs(uint32_t nics)
{
    constexpr double SMALL_NS = 65;
    constexpr double SMALL_NICS = 16;
    constexpr double GROWTH = 0.285; // ln(320 / 65) / ln(4096 / 16)
    const double ns = SMALL_NS * std::pow(std::max(1.0, nics / SMALL_NICS), GROWTH);
#ifdef __OPTIMIZE__
    return ns;
#else
    constexpr double UNOPTIMIZED = 6;
    return ns * UNOPTIMIZED;
#endif
}

std::string
RunCost::GetThreadsFault(uint32_t threads, double load, uint32_t processors) const
{
    const double events = GetWindowEvents();
    char text[160];
    if (events < MIN_WINDOW_EVENTS)
    {
        std::snprintf(text,
                      sizeof(text),
                      "about %.0f events in a window of %.3g ns",
                      events,
                      windowPs / 1e3);
        return text;
    }
    if (threads + std::floor(load) > processors)
    {
        std::snprintf(text,
                      sizeof(text),
                      "%u processor%s, on which %.0f other process%s at present",
                      processors,
                      processors == 1 ? "" : "s",
                      std::floor(load),
                      std::floor(load) == 1 ? " runs" : "es run");
        return text;
    }
    return "";
}

uint32_t
RunCost::ChooseThreads(double load, uint32_t processors) const
{
    uint32_t threads = std::min(MAX_USEFUL_THREADS, std::max(1U, processors));
    while (threads > 1 && !GetThreadsFault(threads, load, processors).empty())
    {
        --threads;
    }
    return threads;
}

double
RunCost::GetLoad()
{
    double load = 0;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

double
RunCost::GetPeakMemory()
{
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return static_cast<double>(use.ru_maxrss) * 1024; // Linux: in KiB
}

} // namespace ns3
