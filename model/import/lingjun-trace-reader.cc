/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/unit-parser.h"
#include "../document/document-node.h"
#include "import-csv.h"
#include "job-trace-reader.h"

#include "ns3/log.h"

#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LingjunTraceReader");

/**
 * The tables of Alibaba's Lingjun cluster (Cao et al., SIGCOMM 2024; alibaba-lingjun-dataset-2023):
 * job.csv with job_name, model, status, gmt_job_submitted, gmt_job_running and gmt_job_finished,
 * and worker.csv (`workers:`) with job_name and RES, a JSON object that holds "nvidia.com/gpu".
 *
 * A job has the GPUs of all its workers and runs from gmt_job_running to gmt_job_finished. Jobs
 * that have no GPUs, lack one of these times, or whose status is not Succeeded are skipped.
 */
class LingjunTraceReader : public JobTraceReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::LingjunTraceReader")
                                .SetParent<JobTraceReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<LingjunTraceReader>();
        return tid;
    }

    bool WantsWorkers() const override
    {
        return true;
    }

    std::vector<TraceJob> Read(const JobTraceFiles& files, Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        std::vector<TraceJob> jobs;
        std::map<std::string, uint64_t> gpus;
        ImportText workersText(diagnostics, files.workersFile, files.workersText);
        ImportCsv workers(workersText);
        ImportText text(diagnostics, files.file, files.text);
        ImportCsv table(text);
        const bool good = workers.ReadHeader({"job_name", "RES"});
        if (!table.ReadHeader({"job_name",
                               "model",
                               "status",
                               "gmt_job_submitted",
                               "gmt_job_running",
                               "gmt_job_finished"}) ||
            !good)
        {
            return jobs;
        }
        while (workers.Next())
        {
            gpus[workers.Get("job_name").text] += ReadGpus(workers);
        }
        SkippedJobs skipped;
        while (!HasFirst(jobs, files) && table.Next())
        {
            const int64_t submitted = ReadDate(table, "gmt_job_submitted");
            const int64_t running = ReadDate(table, "gmt_job_running");
            const int64_t finished = ReadDate(table, "gmt_job_finished");
            TraceJob job;
            job.id = table.Get("job_name").text;
            job.gpus = static_cast<uint32_t>(gpus[job.id]);
            const std::string reason = table.Get("status").text != "Succeeded" ? "did not succeed"
                                       : submitted < 0 ? "without a time of submission"
                                       : running < 0 || finished <= running ? "that did not run"
                                       : job.gpus == 0                      ? "without GPUs"
                                                                            : "";
            if (!reason.empty())
            {
                skipped.Add(reason);
                continue;
            }
            job.model = table.Get("model").text;
            job.submitNs = submitted * 1'000'000'000;
            job.durationNs = (finished - running) * 1'000'000'000;
            job.mark = table.GetMark("job_name");
            job.modelMark = table.GetMark("model");
            jobs.push_back(job);
        }
        skipped.Report(files.file, jobs.size(), diagnostics);
        return jobs;
    }

  private:
    /// The time in a cell; -1 if it is empty, or invalid, which is reported.
    static int64_t ReadDate(ImportCsv& table, const char* column)
    {
        const std::string& text = table.Get(column).text;
        const int64_t date = text.empty() ? -1 : ParseDate(text);
        if (!text.empty() && date < 0)
        {
            table.Error(column,
                        Diagnostics::Quote(text) + " is not a time such as 2023/7/15 02:19");
        }
        return date;
    }

    static uint64_t ReadGpus(ImportCsv& workers)
    {
        Diagnostics own;
        const auto object = DocumentNode::Parse("", workers.Get("RES").text, own);
        const bool good = object && !own.HasErrors() && object->IsMap();
        const DocumentNode* gpus = good ? object->Find("nvidia.com/gpu") : nullptr;
        std::string error;
        const auto number = gpus == nullptr
                                ? std::optional<uint64_t>(0)
                                : UnitParser::ParseUnsigned(gpus->text, 0, 1 << 10, error);
        if (!good || !number)
        {
            workers.Error("RES", good ? "nvidia.com/gpu " + error : "is no JSON object");
        }
        return number.value_or(0);
    }
};

NS_OBJECT_ENSURE_REGISTERED(LingjunTraceReader);

} // namespace ns3
