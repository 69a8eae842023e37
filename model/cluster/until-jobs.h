/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_UNTIL_JOBS_H
#define GPU_FABRIC_UNTIL_JOBS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Which jobs end other jobs: `until` of a job names one job, or all instances of a job with
/// `count`.
class UntilJobs
{
  public:
    UntilJobs() = default;
    /// \param names of all jobs, unique \param untils what each runs until; empty: its own
    /// iteration count
    UntilJobs(const std::vector<std::string>& names, const std::vector<std::string>& untils);

    /// Jobs that must all end before a job is ended: the job of that name, otherwise all jobs named
    /// NAME-0, NAME-1, ...; empty if it waits for none or none exists.
    const std::vector<uint32_t>& Get(uint32_t job) const;
    /// Jobs that never end, because their end depends on itself or on the end of such a job.
    std::vector<uint32_t> FindEndless() const;

  private:
    std::vector<std::vector<uint32_t>> m_jobs;
};

} // namespace ns3

#endif // GPU_FABRIC_UNTIL_JOBS_H
