/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-figures.h"

#include "gpu-time-audit.h"
#include "row-reader.h"

#include "ns3/log.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RunFigures");

namespace
{

constexpr size_t KINDS = std::size(EnumNames<GpuTimeKind>::TABLE);

/// GPU time by kind [ps].
using KindSums = std::array<int64_t, KINDS>;

int64_t&
At(KindSums& sums, GpuTimeKind kind)
{
    return sums[static_cast<size_t>(kind)];
}

/// Passes each row of a run to a function, ordered by columns.
template <class Row, class F>
void
ForEachRowOf(ResultDatabase& database, uint32_t run, const char* order, const F& use)
{
    try
    {
        ForEachRow<Row>(database.GetHandle(), "run = " + std::to_string(run), order, use);
    }
    catch (const std::runtime_error& error) // SQLite::Exception is one
    {
        throw ResultWriteError(database.GetPartial() + ": " + error.what());
    }
}

/// Passes each span to a function, ordered by GPU and start.
template <class F>
void
ForEachSpan(ResultDatabase& database, uint32_t run, const F& use)
{
    ForEachRowOf<SpanRecord>(database, run, "gpu, start_ps, end_ps, job, kind", use);
}

/// FLOP of a job per picosecond of compute time, by job; of those whose W is known.
std::map<uint32_t, double>
GetFlopPerComputePs(ResultDatabase& database, uint32_t run)
{
    struct Sums
    {
        int64_t iterations{0};
        int64_t computePs{0};
    };

    std::map<uint32_t, Sums> sums;
    ForEachRowOf<IterationRow>(database, run, "job, iteration", [&](const IterationRow& row) {
        sums[row.job].iterations += static_cast<int64_t>(row.count);
        sums[row.job].computePs += row.computePs;
    });
    std::map<uint32_t, double> rates;
    ForEachRowOf<JobRow>(database, run, "job", [&](const JobRow& row) {
        const auto sum = sums.find(row.job);
        if (row.wFlop > 0)
        {
            rates[row.job] = sum == sums.end() || sum->second.computePs == 0
                                 ? 0
                                 : row.wFlop * static_cast<double>(sum->second.iterations) /
                                       static_cast<double>(sum->second.computePs);
        }
    });
    return rates;
}

/// FLOP of a job in an amount of compute time [ps], if they are known.
std::optional<double>
GetFlop(const std::map<uint32_t, double>& rates, uint32_t job, int64_t computePs)
{
    const auto rate = rates.find(job);
    return rate == rates.end() ? std::nullopt
                               : std::optional(rate->second * static_cast<double>(computePs));
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
    ForEachRowOf<IterationRow>(database, run, "job, iteration", [&](const IterationRow& row) {
        iterations[row.job].push_back({row.startPs, row.endPs, row.bytes});
    });
    std::map<uint32_t, std::pair<int64_t, int64_t>> bounds; // [first start, last end) by job
    ForEachRowOf<GpuAllocationRecord>(database, run, "job", [&](const GpuAllocationRecord& row) {
        auto& [startPs, endPs] =
            bounds.emplace(row.job, std::make_pair(row.startPs, row.endPs)).first->second;
        startPs = std::min(startPs, row.startPs);
        endPs = std::max(endPs, row.endPs);
    });
    std::map<uint32_t, std::vector<Interval>> lives;
    for (const auto& [job, bound] : bounds)
    {
        lives[job] = CutLife(iterations[job], bound.first, bound.second);
    }
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
            row.flops = GetFlop(rates, job, row.computePs).value_or(0);
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
    ForEachRowOf<GpuAllocationRecord>(
        database,
        run,
        "gpu, start_ps, job",
        [&](const GpuAllocationRecord& row) { allocations[row.gpu].push_back(row); });

    // No job holds a failed GPU, and all of its failed time is one span.
    std::map<uint32_t, std::vector<SpanRecord>> failures;
    ForEachRowOf<
        GpuFailureRecord>(database, run, "gpu, start_ps", [&](const GpuFailureRecord& row) {
        allocations[row.gpu].push_back({row.gpu, NO_ID, row.startPs, row.endPs});
        failures[row.gpu].push_back({NO_ID, row.gpu, GpuTimeKind::FAILED, row.startPs, row.endPs});
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
    ForEachRowOf<JobRow>(database, run, "job", [&](const JobRow& row) {
        JobWindowRow& window = rows[row.job];
        window.run = run;
        window.job = row.job;
        window.startPs = fromPs;
        window.endPs = toPs;
    });
    ForEachRowOf<GpuAllocationRecord>(database, run, "job", [&](const GpuAllocationRecord& row) {
        const auto window = rows.find(row.job);
        if (window != rows.end())
        {
            window->second.allocatedPs += clip(row.startPs, row.endPs);
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
        window.flops = GetFlop(rates, job, window.computePs).value_or(0);
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
        ForEachRowOf<RunRow>(database, run, "run", [&](const RunRow& row) {
            fromPs = std::max(fromPs, row.measureFromPs);
            toPs = std::min(toPs, row.measureToPs);
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
