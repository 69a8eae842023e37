/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULTS_TWO_JOBS_H
#define GPU_FABRIC_RESULTS_TWO_JOBS_H

#include "results-fixture.h"

#include "ns3/job-recorder.h"
#include "ns3/run-figures.h"

#include <memory>

namespace ns3
{
namespace tests
{

/**
 * A run of 80 ms on one host of 4 GPUs, small enough to be computed by hand.
 *
 * Job a holds GPUs 0 and 1 in [0, 60) ms; an iteration takes 20 ms: compute 12, then exposed 8 on
 * GPU 0, peer wait 2 and exposed 6 on GPU 1. Job b holds GPU 2 in [10, 70) ms; an iteration takes
 * 10 ms: compute 5, exposed 4, shift 1. GPU 3 is free.
 */
class ResultsTwoJobs : public ResultsFixture
{
  protected:
    static constexpr int64_t MS = 1'000'000'000; ///< [ps]

    static JobRow MakeJob(const std::string& name, uint32_t gpus, double flop)
    {
        JobRow row;
        row.name = name;
        row.gpus = gpus;
        row.wFlop = flop;
        return row;
    }

    static void WriteJobs(JobRecorder& recorder)
    {
        JobRow a = MakeJob("a", 2, 1e12);
        a.soloIterationPs = 16 * MS;
        a.commPs = 8 * MS;
        recorder.AddJob(a);
        recorder.AddJob(MakeJob("b", 1, 2e12));
        recorder.OnJobEvent({0, 0, "arrived", ""});
        recorder.OnJobEvent({0, 0, "started", ""});
        recorder.OnJobEvent({1, 5 * MS, "arrived", ""});
        recorder.OnJobEvent({1, 10 * MS, "started", ""});
        recorder.OnDecision({0,
                             5,
                             "ns3::CruxScheduler",
                             "arrival",
                             1,
                             "priority",
                             "level 0",
                             "{\"k\":1}",
                             "because"});
        recorder.OnCollective({0, 0, 3, 1, "all-reduce", "Ring", 1000, 2, 2, 100, 120, 200, 8000});
        for (int64_t now = 0; now < 70; now += 10)
        {
            if (now < 60 && now % 20 == 0)
            {
                recorder.OnSpan({0, 0, GpuTimeKind::COMPUTE, now * MS, (now + 12) * MS});
                recorder.OnSpan(
                    {0, 0, GpuTimeKind::EXPOSED_COMMUNICATION, (now + 12) * MS, (now + 20) * MS});
                recorder.OnSpan({0, 1, GpuTimeKind::COMPUTE, now * MS, (now + 12) * MS});
                recorder.OnSpan({0, 1, GpuTimeKind::PEER_WAIT, (now + 12) * MS, (now + 14) * MS});
                recorder.OnSpan(
                    {0, 1, GpuTimeKind::EXPOSED_COMMUNICATION, (now + 14) * MS, (now + 20) * MS});
            }
            if (now >= 10)
            {
                recorder.OnSpan({1, 2, GpuTimeKind::COMPUTE, now * MS, (now + 5) * MS});
                recorder.OnSpan(
                    {1, 2, GpuTimeKind::EXPOSED_COMMUNICATION, (now + 5) * MS, (now + 9) * MS});
                recorder.OnSpan({1, 2, GpuTimeKind::SHIFT, (now + 9) * MS, (now + 10) * MS});
                recorder.OnIteration({1,
                                      static_cast<uint64_t>(now / 10 - 1),
                                      now * MS,
                                      (now + 10) * MS,
                                      5 * MS,
                                      4 * MS,
                                      0,
                                      1 * MS,
                                      500});
            }
            if (now < 60 && now % 20 == 10)
            {
                const auto iteration = static_cast<uint64_t>(now / 20);
                recorder.OnIteration({0,
                                      iteration,
                                      (now - 10) * MS,
                                      (now + 10) * MS,
                                      24 * MS,
                                      14 * MS,
                                      2 * MS,
                                      0,
                                      1000 + iteration});
            }
            if (now == 50)
            {
                recorder.OnJobEvent({0, 60 * MS, "finished", ""});
                recorder.OnGpuAllocation({0, 0, 0, 60 * MS});
                recorder.OnGpuAllocation({1, 0, 0, 60 * MS});
            }
        }
        recorder.OnJobEvent({1, 70 * MS, "finished", ""});
        recorder.OnGpuAllocation({2, 1, 10 * MS, 70 * MS});
    }

    static MeasuringWindow WriteRun(ResultDatabase& database,
                                    uint32_t run,
                                    const std::string& scheduler,
                                    const MeasureSpec& measure,
                                    const RecordSpec& record)
    {
        database.Insert(NodeRow{run, 0, "host0", "host", 4});
        JobRecorder recorder(database, run, 4, measure, record);
        WriteJobs(recorder);
        const MeasuringWindow window = recorder.FinishRun(80 * MS);
        RunRow row;
        row.run = run;
        row.scenario = "two-jobs";
        row.scheduler = scheduler;
        row.placement = "Consolidate";
        row.status = "finished";
        row.endPs = 80 * MS;
        row.events = 1'234'567;
        row.measureFromPs = window.fromPs;
        row.measureToPs = window.toPs;
        row.measureNote = window.note;
        database.Insert(row);
        return window;
    }
};

} // namespace tests
} // namespace ns3

#endif // GPU_FABRIC_RESULTS_TWO_JOBS_H
