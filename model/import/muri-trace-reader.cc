/* SPDX-License-Identifier: GPL-2.0-only */
#include "import-csv.h"
#include "job-trace-reader.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MuriTraceReader");

/**
 * Job traces of the Muri simulator (Zhao et al., SIGCOMM 2022), which are derived from Microsoft's
 * Philly trace: a table with the columns job_id, num_gpu, submit_time, iterations, model_name,
 * batch_size, duration, interval, iteration_time, resource_time_0 to resource_time_2, and priority,
 * with times in milliseconds.
 *
 * The three resource times are the times in which an iteration occupies storage and CPU, GPU, and
 * network; they overlap, so their sum exceeds iteration_time. The network is simulated here, so the
 * compute time is iteration_time minus resource_time_2: a job alone on a network as fast as the
 * measured one takes iteration_time again. The batch size is per GPU (the GPU time does not depend
 * on num_gpu). duration, interval and priority are not used.
 */
class MuriTraceReader : public JobTraceReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::MuriTraceReader")
                                .SetParent<JobTraceReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<MuriTraceReader>();
        return tid;
    }

    std::vector<TraceJob> Read(const JobTraceFiles& files, Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        std::vector<TraceJob> jobs;
        ImportText text(diagnostics, files.file, files.text);
        ImportCsv table(text);
        if (!table.ReadHeader({"job_id",
                               "num_gpu",
                               "submit_time",
                               "iterations",
                               "model_name",
                               "batch_size",
                               "iteration_time",
                               "resource_time_2"}))
        {
            return jobs;
        }
        while (!HasFirst(jobs, files) && table.Next())
        {
            TraceJob job;
            const auto gpus = table.GetInteger("num_gpu", 1, 1 << 20);
            const auto submit = table.GetNanoseconds("submit_time", "ms");
            const auto iterations = table.GetInteger("iterations", 1, 1'000'000'000);
            const auto batch = table.GetInteger("batch_size", 1, 1'000'000'000);
            const auto iteration = table.GetTime("iteration_time", "ms");
            const auto network = table.GetTime("resource_time_2", "ms");
            if (!gpus || !submit || !iterations || !batch || !iteration || !network)
            {
                continue;
            }
            if (*network >= *iteration)
            {
                table.Error("iteration_time", "leaves no time to compute beside resource_time_2");
                continue;
            }
            job.id = table.Get("job_id").text;
            job.model = table.Get("model_name").text;
            job.gpus = static_cast<uint32_t>(*gpus);
            job.batchPerGpu = static_cast<uint32_t>(*batch);
            job.submitNs = *submit;
            job.iterations = *iterations;
            job.computePs = *iteration - *network;
            job.mark = table.GetMark("job_id");
            job.modelMark = table.GetMark("model_name");
            jobs.push_back(job);
        }
        return jobs;
    }
};

NS_OBJECT_ENSURE_REGISTERED(MuriTraceReader);

} // namespace ns3
