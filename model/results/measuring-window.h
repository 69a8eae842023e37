/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MEASURING_WINDOW_H
#define GPU_FABRIC_MEASURING_WINDOW_H

#include "record-spec.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// Interval of simulated time over which a run's utilisation figures are taken.
struct MeasuringWindow
{
    int64_t fromPs{0}; ///< [ps] included
    int64_t toPs{0};   ///< [ps] excluded
    std::string note;  ///< why it is this interval
};

/**
 * Determines the measuring window during a run.
 *
 * By default it lasts from the first instant by which all measured jobs have finished `warmup`
 * iterations to the first instant at which one of them ends. `measure: {from, to}` overrides
 * either. Where jobs are profiled for the scheduler, the default start waits for that, too. If the
 * window is empty, the whole run is used, and the note says so.
 */
class MeasuringWindowFinder
{
  public:
    explicit MeasuringWindowFinder(const MeasureSpec& measure);

    /// Adds a job of the run, before its first iteration ends. A name in `measure: jobs` stands for
    /// the job of that name, or for all of a `count`: "bert" for bert-0, bert-1, ...
    void AddJob(uint32_t job, const std::string& name);
    /// Whether jobs are profiled for the scheduler; call before AddJob(). The window then does not
    /// open by itself before all listed ones have been profiled (JobProfiled).
    void SetProfiles(bool expected);
    /// A job has been profiled.
    void JobProfiled(uint32_t job, int64_t nowPs);
    /// A job has finished `done` iterations in all.
    void IterationEnded(uint32_t job, uint64_t done, int64_t nowPs);
    /// A job has left.
    void JobEnded(uint32_t job, int64_t nowPs);

    /// Called at the instants at which the window opens and closes; not for times given in
    /// `measure:`, nor if only the end of the run closes it.
    void SetCallbacks(std::function<void(int64_t)> opened, std::function<void(int64_t)> closed);

    /// The window of a run that ended at endPs.
    MeasuringWindow GetWindow(int64_t endPs) const;

  private:
    struct Job
    {
        uint32_t job{0};
        std::string name;
        bool warm{false};     ///< has finished the warm-up
        bool profiled{false}; ///< or is not required
    };

    /// A job has finished its warm-up or has been profiled.
    void Advanced(const Job& job, int64_t nowPs);

    bool IsMeasured(const std::string& name) const;

    MeasureSpec m_measure;
    std::vector<Job> m_jobs; ///< the measured ones
    uint32_t m_ready{0};     ///< how many have finished warm-up and been profiled
    bool m_profiles{false};  ///< number of jobs expected
    std::optional<int64_t> m_openedPs;
    std::optional<int64_t> m_closedPs;
    std::string m_closedBy; ///< name of the first job that ended
    std::function<void(int64_t)> m_opened;
    std::function<void(int64_t)> m_closed;
};

} // namespace ns3

#endif // GPU_FABRIC_MEASURING_WINDOW_H
