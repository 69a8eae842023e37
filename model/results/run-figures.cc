/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-figures.h"

#include "gpu-time-audit.h"

#include "ns3/log.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RunFigures");

namespace
{

constexpr size_t KINDS = static_cast<size_t>(GpuTimeKind::UNALLOCATED) + 1;

/// GPU time by kind [ps].
using KindSums = std::array<int64_t, KINDS>;

int64_t&
At(KindSums& sums, GpuTimeKind kind)
{
    return sums[static_cast<size_t>(kind)];
}

GpuTimeKind
ParseKind(const std::string& name)
{
    for (size_t kind = 0; kind < KINDS; ++kind)
    {
        if (name == GetGpuTimeKindName(static_cast<GpuTimeKind>(kind)))
        {
            return static_cast<GpuTimeKind>(kind);
        }
    }
    throw ResultWriteError("table span: unknown kind of GPU time: " + name);
}

/// Runs a query and passes each of its rows to a function.
template <typename F>
void
ForEachRow(ResultDatabase& database, const char* sql, uint32_t run, F&& row)
{
    try
    {
        SQLite::Statement query(database.GetHandle(), sql);
        query.bind(1, run);
        while (query.executeStep())
        {
            row(query);
        }
    }
    catch (const SQLite::Exception& error)
    {
        throw ResultWriteError(database.GetPartial() + ": " + error.what());
    }
}

/// Passes each span to a function, ordered by GPU and start.
template <typename F>
void
ForEachSpan(ResultDatabase& database, uint32_t run, F&& span)
{
    ForEachRow(database,
               "SELECT job, gpu, kind, start_ps, end_ps FROM span WHERE run = ? "
               "ORDER BY gpu, start_ps, end_ps, job, kind",
               run,
               [&](SQLite::Statement& row) {
                   span(SpanRecord{row.getColumn(0).getUInt(),
                                   row.getColumn(1).getUInt(),
                                   ParseKind(row.getColumn(2).getString()),
                                   row.getColumn(3).getInt64(),
                                   row.getColumn(4).getInt64()});
               });
}

/// FLOP of a job per picosecond of compute time, by job.
std::map<uint32_t, double>
GetFlopPerComputePs(ResultDatabase& database, uint32_t run)
{
    std::map<uint32_t, double> rates;
    ForEachRow(database,
               "SELECT j.job, j.w_flop, SUM(i.count), SUM(i.compute_ps) "
               "FROM job AS j JOIN iteration AS i ON i.run = j.run AND i.job = j.job "
               "WHERE j.run = ? GROUP BY j.job",
               run,
               [&](SQLite::Statement& row) {
                   const auto computePs = static_cast<double>(row.getColumn(3).getInt64());
                   if (computePs > 0)
                   {
                       rates[row.getColumn(0).getUInt()] =
                           row.getColumn(1).getDouble() *
                           static_cast<double>(row.getColumn(2).getInt64()) / computePs;
                   }
               });
    return rates;
}

/// An interval of a job's life.
struct Interval
{
    int64_t startPs{0};
    int64_t endPs{0};
    uint64_t bytes{0};
    KindSums sums{};
};

/// An iteration of a job.
struct IterationBounds
{
    int64_t startPs{0};
    int64_t endPs{0};
    uint64_t bytes{0};
};

/// Splits [lifeStartPs, lifeEndPs) at the starts of the iterations and at the end of the last.
std::vector<Interval>
CutLife(const std::vector<IterationBounds>& iterations, int64_t lifeStartPs, int64_t lifeEndPs)
{
    std::vector<Interval> intervals;
    int64_t cutPs = lifeStartPs; // everything before is in intervals
    uint64_t bytes = 0;          // of the iteration that starts at cutPs
    const auto cut = [&](int64_t timePs) {
        if (timePs > cutPs)
        {
            intervals.push_back({cutPs, timePs, bytes, {}});
            cutPs = timePs;
            bytes = 0;
        }
    };
    for (const IterationBounds& iteration : iterations)
    {
        cut(iteration.startPs);
        bytes += iteration.bytes;
    }
    if (!iterations.empty())
    {
        cut(iterations.back().endPs);
    }
    cut(lifeEndPs);
    return intervals;
}

/// Adds a span to the intervals that it overlaps.
void
AddSpan(std::vector<Interval>& intervals, const SpanRecord& span)
{
    auto interval =
        std::upper_bound(intervals.begin(),
                         intervals.end(),
                         span.startPs,
                         [](int64_t timePs, const Interval& i) { return timePs < i.endPs; });
    for (; interval != intervals.end() && interval->startPs < span.endPs; ++interval)
    {
        const int64_t partPs =
            std::min(span.endPs, interval->endPs) - std::max(span.startPs, interval->startPs);
        At(interval->sums, span.kind) += partPs;
    }
}

} // namespace

void
RunFigures::WriteJobUtilization(ResultDatabase& database, uint32_t run)
{
    std::map<uint32_t, std::vector<IterationBounds>> iterations;
    ForEachRow(database,
               "SELECT job, start_ps, end_ps, bytes FROM iteration WHERE run = ? "
               "ORDER BY job, iteration",
               run,
               [&](SQLite::Statement& row) {
                   iterations[row.getColumn(0).getUInt()].push_back(
                       {row.getColumn(1).getInt64(),
                        row.getColumn(2).getInt64(),
                        static_cast<uint64_t>(row.getColumn(3).getInt64())});
               });
    std::map<uint32_t, std::vector<Interval>> lives;
    ForEachRow(database,
               "SELECT job, MIN(start_ps), MAX(end_ps) FROM gpu_allocation WHERE run = ? "
               "GROUP BY job",
               run,
               [&](SQLite::Statement& row) {
                   const uint32_t job = row.getColumn(0).getUInt();
                   lives[job] = CutLife(iterations[job],
                                        row.getColumn(1).getInt64(),
                                        row.getColumn(2).getInt64());
               });
    ForEachSpan(database, run, [&](const SpanRecord& span) {
        const auto life = lives.find(span.job);
        if (life != lives.end())
        {
            AddSpan(life->second, span);
        }
    });
    std::map<uint32_t, double> rates = GetFlopPerComputePs(database, run);
    for (auto& [job, intervals] : lives)
    {
        for (Interval& interval : intervals)
        {
            JobUtilizationRow row;
            row.run = run;
            row.job = job;
            row.startPs = interval.startPs;
            row.endPs = interval.endPs;
            row.computePs = At(interval.sums, GpuTimeKind::COMPUTE);
            row.exposedPs = At(interval.sums, GpuTimeKind::EXPOSED_COMMUNICATION);
            row.peerWaitPs = At(interval.sums, GpuTimeKind::PEER_WAIT);
            row.shiftPs = At(interval.sums, GpuTimeKind::SHIFT);
            row.failedPs = At(interval.sums, GpuTimeKind::FAILED);
            row.flops = rates[job] * static_cast<double>(row.computePs);
            row.bytes = interval.bytes;
            database.Insert(row);
        }
    }
}

void
RunFigures::WriteGpuTimeInvariant(ResultDatabase& database,
                                  uint32_t run,
                                  uint32_t gpus,
                                  int64_t endPs)
{
    std::map<uint32_t, std::vector<GpuAllocationRecord>> allocations;
    ForEachRow(database,
               "SELECT gpu, job, start_ps, end_ps FROM gpu_allocation WHERE run = ? "
               "ORDER BY gpu, start_ps, job",
               run,
               [&](SQLite::Statement& row) {
                   const uint32_t gpu = row.getColumn(0).getUInt();
                   allocations[gpu].push_back({gpu,
                                               row.getColumn(1).getUInt(),
                                               row.getColumn(2).getInt64(),
                                               row.getColumn(3).getInt64()});
               });

    // No job holds a failed GPU, and all of its failed time is one span.
    std::map<uint32_t, std::vector<SpanRecord>> failures;
    ForEachRow(database,
               "SELECT gpu, start_ps, end_ps FROM gpu_failure WHERE run = ? "
               "ORDER BY gpu, start_ps",
               run,
               [&](SQLite::Statement& row) {
                   const uint32_t gpu = row.getColumn(0).getUInt();
                   const int64_t fromPs = row.getColumn(1).getInt64();
                   const int64_t toPs = row.getColumn(2).getInt64();
                   allocations[gpu].push_back({gpu, NO_ID, fromPs, toPs});
                   failures[gpu].push_back({NO_ID, gpu, GpuTimeKind::FAILED, fromPs, toPs});
               });

    int64_t totalPs = 0;
    uint32_t audited = 0; // GPUs of the cluster
    std::vector<InvariantRow> faults;
    const auto audit = [&](uint32_t gpu, std::vector<SpanRecord> spans) {
        spans.insert(spans.end(), failures[gpu].begin(), failures[gpu].end());
        const GpuTimeAudit sums = GpuTimeAudit::Make(spans, allocations[gpu], endPs);
        totalPs += sums.totalPs;
        audited += gpu < gpus ? 1 : 0;
        if (sums.totalPs != endPs || sums.oncePs != endPs)
        {
            faults.push_back({run, "gpu_time_ps gpu" + std::to_string(gpu), endPs, sums.oncePs});
        }
        allocations.erase(gpu);
    };
    std::vector<SpanRecord> spans; // of one GPU, so that memory does not grow with the cluster
    ForEachSpan(database, run, [&](const SpanRecord& span) {
        if (!spans.empty() && spans.front().gpu != span.gpu)
        {
            audit(spans.front().gpu, spans);
            spans.clear();
        }
        spans.push_back(span);
    });
    if (!spans.empty())
    {
        audit(spans.front().gpu, spans);
    }
    while (!allocations.empty()) // allocated, but without any span
    {
        audit(allocations.begin()->first, {});
    }
    totalPs += static_cast<int64_t>(gpus - audited) * endPs; // never allocated

    database.InsertInvariant(run, "gpu_time_ps", static_cast<int64_t>(gpus) * endPs, totalPs);
    for (const InvariantRow& fault : faults)
    {
        database.Insert(fault);
    }
}

void
RunFigures::WriteJobWindows(ResultDatabase& database, uint32_t run, int64_t fromPs, int64_t toPs)
{
    const auto clip = [&](int64_t startPs, int64_t endPs) {
        return std::max<int64_t>(0, std::min(endPs, toPs) - std::max(startPs, fromPs));
    };
    std::map<uint32_t, JobWindowRow> rows;
    ForEachRow(database, "SELECT job FROM job WHERE run = ?", run, [&](SQLite::Statement& row) {
        JobWindowRow& window = rows[row.getColumn(0).getUInt()];
        window.run = run;
        window.job = row.getColumn(0).getUInt();
        window.startPs = fromPs;
        window.endPs = toPs;
    });
    ForEachRow(database,
               "SELECT job, start_ps, end_ps FROM gpu_allocation WHERE run = ?",
               run,
               [&](SQLite::Statement& row) {
                   const auto window = rows.find(row.getColumn(0).getUInt());
                   if (window != rows.end())
                   {
                       window->second.allocatedPs +=
                           clip(row.getColumn(1).getInt64(), row.getColumn(2).getInt64());
                   }
               });
    std::map<uint32_t, KindSums> sums;
    ForEachSpan(database, run, [&](const SpanRecord& span) {
        At(sums[span.job], span.kind) += clip(span.startPs, span.endPs);
    });
    std::map<uint32_t, double> rates = GetFlopPerComputePs(database, run);
    for (auto& [job, window] : rows)
    {
        KindSums& kinds = sums[job];
        window.computePs = At(kinds, GpuTimeKind::COMPUTE);
        window.exposedPs = At(kinds, GpuTimeKind::EXPOSED_COMMUNICATION);
        window.peerWaitPs = At(kinds, GpuTimeKind::PEER_WAIT);
        window.shiftPs = At(kinds, GpuTimeKind::SHIFT);
        window.failedPs = At(kinds, GpuTimeKind::FAILED);
        window.flops = rates[job] * static_cast<double>(window.computePs);
        database.Insert(window);
    }
}

void
RunFigures::UnifyMeasuringWindows(ResultDatabase& database, const std::vector<uint32_t>& runs)
{
    NS_LOG_FUNCTION(runs.size());
    if (runs.size() < 2)
    {
        return;
    }
    int64_t fromPs = 0;
    int64_t toPs = INT64_MAX;
    for (const uint32_t run : runs)
    {
        ForEachRow(database,
                   "SELECT measure_from_ps, measure_to_ps FROM run WHERE run = ?",
                   run,
                   [&](SQLite::Statement& row) {
                       fromPs = std::max(fromPs, row.getColumn(0).getInt64());
                       toPs = std::min(toPs, row.getColumn(1).getInt64());
                   });
    }
    const bool empty = fromPs >= toPs;
    // Through the database's own batch, so that the change is committed together with its rows.
    database.Flush();
    try
    {
        SQLite::Statement update(database.GetHandle(),
                                 empty ? "UPDATE run SET measure_note = measure_note || "
                                         "'; no window in common with the runs compared' "
                                         "WHERE run = ?1"
                                       : "UPDATE run SET measure_from_ps = ?2, measure_to_ps = ?3, "
                                         "measure_note = 'common to the runs compared' || "
                                         "CASE WHEN measure_note LIKE 'the whole run%' "
                                         "THEN '; of this one alone, ' ELSE ', each ' END || "
                                         "measure_note WHERE run = ?1");
        for (const uint32_t run : runs)
        {
            update.bind(1, run);
            if (!empty)
            {
                update.bind(2, fromPs);
                update.bind(3, toPs);
            }
            update.exec();
            update.reset();
        }
    }
    catch (const SQLite::Exception& error)
    {
        throw ResultWriteError(database.GetPartial() + ": " + error.what());
    }
    for (const uint32_t run : runs)
    {
        if (!empty)
        {
            WriteJobWindows(database, run, fromPs, toPs);
        }
    }
}

} // namespace ns3
