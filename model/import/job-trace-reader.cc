/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-trace-reader.h"

#include <algorithm>
#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(JobTraceReader);

TypeId
JobTraceReader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::JobTraceReader").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

namespace
{

const std::map<std::string, JobTraceColumns>&
GetPresets()
{
    // Helios (Hu et al., SC 2021): cluster_log.csv. Acme (Hu et al., NSDI 2024): trace_seren.csv
    // and trace_kalos.csv. Slurm: sacct --parsable2 --format JobID,Submit,ElapsedRaw,NGPUS or the
    // like, where the number of GPUs has been taken out of ReqTRES into a column of its own.
    static const std::map<std::string, JobTraceColumns> presets{
        {"Acme", {"job_id", "submit_time", "gpu_num", "duration", "", "", "", "s"}},
        {"Helios", {"job_id", "submit_time", "gpu_num", "duration", "", "", "", "s"}},
        {"Slurm", {"JobID", "Submit", "NGPUS", "Elapsed", "", "", "", "s"}}};
    return presets;
}

} // namespace

const JobTraceColumns*
JobTraceColumns::FindPreset(const std::string& name)
{
    const auto preset = GetPresets().find(name);
    return preset == GetPresets().end() ? nullptr : &preset->second;
}

std::vector<std::string>
JobTraceColumns::GetPresetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : GetPresets())
    {
        names.push_back(entry.first);
    }
    return names;
}

bool
JobTraceReader::WantsColumns() const
{
    return false;
}

bool
JobTraceReader::WantsWorkers() const
{
    return false;
}

void
SkippedJobs::Add(const std::string& reason)
{
    m_counts[reason]++;
}

void
SkippedJobs::Report(const std::string& file, std::size_t jobs, Diagnostics& diagnostics) const
{
    uint64_t sum = 0;
    std::string reasons;
    for (const auto& [reason, count] : m_counts)
    {
        sum += count;
        reasons += (reasons.empty() ? ": " : ", ") + std::to_string(count) + " " + reason;
    }
    if (sum > 0)
    {
        diagnostics.Warning({file, 0, 0},
                            "",
                            std::to_string(sum) + " of " + std::to_string(sum + jobs) +
                                " jobs are left out" + reasons);
    }
}

bool
JobTraceReader::HasFirst(const std::vector<TraceJob>& jobs, const JobTraceFiles& files)
{
    return jobs.size() == files.first &&
           std::is_sorted(jobs.begin(), jobs.end(), [](const TraceJob& a, const TraceJob& b) {
               return a.submitNs < b.submitNs;
           });
}

int64_t
JobTraceReader::ParseDate(const std::string& text)
{
    // Numbers of one to four digits and the separators between them.
    std::vector<int64_t> numbers;
    std::string between;
    for (std::size_t i = 0; i < text.size();)
    {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
        if (end == i)
        {
            between += text[i++];
            continue;
        }
        if (end - i > 4)
        {
            return -1;
        }
        numbers.push_back(std::stoi(text.substr(i, end - i)));
        i = end;
    }
    const bool known = between == "-- ::" || between == "// :" || between == "// ::" ||
                       between == "-- :" || between == "--T::";
    if (!known || numbers.size() != between.size() + 1)
    {
        return -1;
    }
    numbers.resize(6);
    const int64_t year = numbers[0];
    const int64_t month = numbers[1];
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const std::array<int, 13> days{0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1970 || month < 1 || month > 12 || numbers[2] < 1 || numbers[2] > days[month] ||
        numbers[3] > 23 || numbers[4] > 59 || numbers[5] > 60)
    {
        return -1;
    }
    const int64_t before = year - 1;
    // Days since January 1 of the year 1; 1970 begins at day 719162.
    int64_t day = before * 365 + before / 4 - before / 100 + before / 400 - 719162;
    for (int64_t m = 1; m < month; m++)
    {
        day += days[m];
    }
    day += numbers[2] - 1;
    return ((day * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5];
}

} // namespace ns3
