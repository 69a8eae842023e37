/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-log.h"

#include "result-database.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <sys/resource.h>
#include <time.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RunLog");

namespace
{

double
GetSeconds(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

} // namespace

RunLog::RunLog(const std::string& version)
    : m_version(version)
{
}

void
RunLog::StartRun(const std::string& label)
{
    NS_LOG_FUNCTION(this << label);
    m_runs.push_back(
        {label, GetSeconds(CLOCK_MONOTONIC), GetSeconds(CLOCK_PROCESS_CPUTIME_ID), 0, 0});
}

void
RunLog::EndRun(uint64_t events, uint64_t packetHops)
{
    NS_LOG_FUNCTION(this << events << packetHops);
    NS_ABORT_MSG_IF(m_runs.empty(), "no run has started");
    Run& run = m_runs.back();
    run.wallS = GetSeconds(CLOCK_MONOTONIC) - run.wallS;
    run.cpuS = GetSeconds(CLOCK_PROCESS_CPUTIME_ID) - run.cpuS;
    run.events = events;
    run.packetHops = packetHops;
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    m_peakBytes = int64_t{use.ru_maxrss} * 1024; // Linux: in KiB
    m_cpuS = GetSeconds(CLOCK_PROCESS_CPUTIME_ID);
}

std::string
RunLog::GetText() const
{
    std::ostringstream text;
    text << "gpu-fabric " << m_version << "\n" << std::fixed;
    for (const Run& run : m_runs)
    {
        text << "\n[" << run.label << "]\n";
        text << "wall_s " << std::setprecision(3) << run.wallS << "\n";
        text << "cpu_s " << run.cpuS << "\n";
        text << "events " << run.events << "\n";
        text << "packet_hops " << run.packetHops << "\n" << std::setprecision(0);
        if (run.cpuS > 0)
        {
            text << "events_per_cpu_s " << static_cast<double>(run.events) / run.cpuS << "\n";
            text << "packet_hops_per_cpu_s " << static_cast<double>(run.packetHops) / run.cpuS
                 << "\n";
        }
    }
    text << "\n[program]\n" << std::setprecision(3);
    text << "cpu_s " << m_cpuS << "\n";
    text << "peak_memory_bytes " << m_peakBytes << "\n";
    return text.str();
}

void
RunLog::Write(const std::string& output) const
{
    NS_LOG_FUNCTION(this << output);
    const std::string path = output + ".log";
    std::ofstream file(path, std::ios::trunc);
    file << GetText();
    file.close();
    if (!file)
    {
        throw ResultWriteError(path + ": cannot write");
    }
}

} // namespace ns3
