/* SPDX-License-Identifier: GPL-2.0-only */
#include "import-csv.h"
#include "job-trace-reader.h"

#include "ns3/log.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CsvTraceReader");

/**
 * Job traces of any operator: a table whose first line names its columns, with commas or, as
 * Slurm's `sacct --parsable2` writes it, with vertical bars. JobTraceColumns says which columns are
 * used; a preset of it names those of a public trace.
 *
 * A time of submission is a date ("2020-04-01 00:08:28", "2023-05-01T10:00:00+08:00", whose zone is
 * not used, as all rows of a trace have the same) or a number in the trace's unit; a duration is a
 * number in that unit or Slurm's [D-]HH:MM:SS. Jobs without GPUs, that did not run, or whose time
 * of submission is not known are skipped and counted.
 */
class CsvTraceReader : public JobTraceReader
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::CsvTraceReader")
                                .SetParent<JobTraceReader>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<CsvTraceReader>();
        return tid;
    }

    bool WantsColumns() const override
    {
        return true;
    }

    std::vector<TraceJob> Read(const JobTraceFiles& files, Diagnostics& diagnostics) const override
    {
        NS_LOG_FUNCTION(this << files.file);
        const JobTraceColumns& columns = files.columns;
        std::vector<TraceJob> jobs;
        SkippedJobs skipped;
        ImportText text(diagnostics, files.file, files.text);
        ImportCsv table(text);
        std::vector<std::string> names;
        for (const std::string& name : {columns.id,
                                        columns.arrival,
                                        columns.gpus,
                                        columns.duration,
                                        columns.iterations,
                                        columns.model,
                                        columns.batch})
        {
            if (!name.empty())
            {
                names.push_back(name);
            }
        }
        if (!table.ReadHeader(names))
        {
            return jobs;
        }
        uint64_t row = 0;
        while (!HasFirst(jobs, files) && table.Next())
        {
            row++;
            TraceJob job;
            const std::string reason = ReadJob(table, columns, row, job);
            if (reason.empty())
            {
                jobs.push_back(job);
            }
            else if (reason != WRONG)
            {
                skipped.Add(reason);
            }
        }
        skipped.Report(files.file, jobs.size(), diagnostics);
        return jobs;
    }

  private:
    /// In place of a reason: a row with an error, which is told.
    static inline const std::string WRONG = "wrong";

    /// \returns why the job is skipped, WRONG, or nothing
    static std::string ReadJob(ImportCsv& table,
                               const JobTraceColumns& columns,
                               uint64_t row,
                               TraceJob& job)
    {
        const std::string& gpus = table.Get(columns.gpus).text;
        if (gpus.empty())
        {
            return "without GPUs";
        }
        const auto count = table.GetInteger(columns.gpus, 0, 1 << 20);
        if (!count)
        {
            return WRONG;
        }
        if (*count == 0)
        {
            return "without GPUs";
        }
        if (IsUnknown(table.Get(columns.arrival).text))
        {
            return "without a time of submission";
        }
        const auto submit = ReadInstant(table, columns.arrival, columns.unit);
        if (!submit)
        {
            return WRONG;
        }
        if (!columns.duration.empty())
        {
            if (IsUnknown(table.Get(columns.duration).text))
            {
                return "that did not run";
            }
            const auto duration = ReadDuration(table, columns.duration, columns.unit);
            if (!duration)
            {
                return WRONG;
            }
            if (*duration <= 0)
            {
                return "that did not run";
            }
            job.durationNs = *duration;
        }
        if (!columns.iterations.empty())
        {
            const auto iterations = table.GetInteger(columns.iterations, 1, 1'000'000'000);
            if (!iterations)
            {
                return WRONG;
            }
            job.iterations = *iterations;
        }
        if (!columns.batch.empty())
        {
            const auto batch = table.GetInteger(columns.batch, 1, 1'000'000'000);
            if (!batch)
            {
                return WRONG;
            }
            job.batchPerGpu = static_cast<uint32_t>(*batch);
        }
        job.id = columns.id.empty() ? std::to_string(row) : table.Get(columns.id).text;
        job.gpus = static_cast<uint32_t>(*count);
        job.submitNs = *submit;
        job.mark = table.GetMark(columns.gpus);
        job.modelMark = table.GetMark(columns.model.empty() ? columns.gpus : columns.model);
        job.model = columns.model.empty() ? "" : table.Get(columns.model).text;
        return "";
    }

    /// Whether a cell says that there is no value.
    static bool IsUnknown(const std::string& cell)
    {
        std::string small = cell;
        std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        return small.empty() || small == "none" || small == "null" || small == "nan" ||
               small == "unknown" || small == "n/a" || small == "-";
    }

    static std::optional<int64_t> ReadInstant(ImportCsv& table,
                                              const std::string& column,
                                              const std::string& unit)
    {
        std::string text = table.Get(column).text;
        if (text.find('-', 1) == std::string::npos && text.find('/') == std::string::npos)
        {
            return table.GetNanoseconds(column, unit);
        }
        std::replace(text.begin(), text.end(), 'T', ' ');
        // Without a fraction and a zone: "+08:00", "Z".
        text = text.substr(0, text.find_first_of("+.Z", text.find(' ')));
        const int64_t seconds = ParseDate(text);
        if (seconds < 0)
        {
            table.Error(column,
                        Diagnostics::Quote(table.Get(column).text) +
                            " is neither a date, such as 2020-04-01 00:08:28, nor a number of " +
                            unit);
            return std::nullopt;
        }
        return seconds * 1'000'000'000;
    }

    static std::optional<int64_t> ReadDuration(ImportCsv& table,
                                               const std::string& column,
                                               const std::string& unit)
    {
        const std::string& text = table.Get(column).text;
        if (text.find(':') == std::string::npos)
        {
            return table.GetNanoseconds(column, unit);
        }
        // [D-]HH:MM:SS or MM:SS, with a fraction of seconds that is left out.
        int64_t days = 0;
        int64_t seconds = 0;
        int64_t value = 0;
        uint32_t parts = 0;
        uint32_t digits = 0;
        for (size_t i = 0; i <= text.size(); i++)
        {
            const char c = i < text.size() ? text[i] : '\0';
            if (c >= '0' && c <= '9' && digits < 6)
            {
                value = 10 * value + (c - '0');
                digits++;
                continue;
            }
            const bool isDay = c == '-' && parts == 0 && days == 0;
            if (digits == 0 || (c != ':' && c != '\0' && c != '.' && !isDay))
            {
                parts = 0;
                break;
            }
            if (isDay)
            {
                days = value;
            }
            else
            {
                seconds = 60 * seconds + value;
                parts++;
            }
            value = 0;
            digits = 0;
            if (c == '.')
            {
                break;
            }
        }
        if (parts < 2 || parts > 3)
        {
            table.Error(column,
                        Diagnostics::Quote(text) +
                            " is neither a duration, such as 1-02:03:04, nor a number of " + unit);
            return std::nullopt;
        }
        return (days * 86'400 + seconds) * 1'000'000'000;
    }
};

NS_OBJECT_ENSURE_REGISTERED(CsvTraceReader);

} // namespace ns3
