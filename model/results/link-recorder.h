/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LINK_RECORDER_H
#define GPU_FABRIC_LINK_RECORDER_H

#include "ns3/nstime.h"
#include "ns3/recorder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/// Counters of one directed link and priority.
struct LinkReading
{
    uint32_t link{0};
    uint8_t priority{0};
    LinkCounters counters;
};

/**
 * The graph and the traffic of its links: the tables `node`, `link`, `link_window` in every run;
 * `job_link` with `record: [jobs]`; `link_sample` with `record: [{links: {interval: ...}}]`.
 *
 * Readings come in any order; those whose counters are all zero may be omitted.
 */
class LinkRecorder : public Recorder
{
  public:
    static TypeId GetTypeId();

    std::vector<const TableSpec*> Tables() const override;
    /// Writes `node` and `link`.
    void Connect(const RunContext& context) override;
    void Start() override;
    void WindowOpened(int64_t now) override;
    void WindowClosed(int64_t now) override;
    void Finish(int64_t endPs) override;

    /// Writes rows of `link_sample`, one for each reading that is not all zero.
    void SampleLinks(int64_t nowPs, const std::vector<LinkReading>& readings);

    /// The measuring window opens: link_window counts from here (without this call from 0).
    void OpenWindow(int64_t nowPs, const std::vector<LinkReading>& readings);
    /// The measuring window closes: link_window and job_link count up to here (without this call
    /// up to the end of the run).
    void CloseWindow(int64_t nowPs,
                     const std::vector<LinkReading>& readings,
                     const std::vector<JobLinkCounters>& jobs);

    /// Writes the rest. \param endPs simulated time [ps]
    void FinishRun(int64_t endPs,
                   const std::vector<LinkReading>& readings,
                   const std::vector<JobLinkCounters>& jobs);

  private:
    using Readings = std::map<std::pair<uint32_t, uint8_t>, LinkCounters>;

    static Readings ToMap(const std::vector<LinkReading>& readings);
    std::vector<LinkReading> ReadLinks() const;
    std::vector<JobLinkCounters> ReadJobs() const;
    void Sample();

    Time m_interval;
    bool m_jobLinks{false};
    RunContext m_context;
    int64_t m_fromPs{0};
    Readings m_from;
    std::optional<int64_t> m_toPs;
    Readings m_to;
    std::vector<JobLinkCounters> m_jobs;
};

} // namespace ns3

#endif // GPU_FABRIC_LINK_RECORDER_H
