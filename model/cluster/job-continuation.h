/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_CONTINUATION_H
#define GPU_FABRIC_JOB_CONTINUATION_H

#include <cstdint>

namespace ns3
{

/// Tracks how long a job continues: across failures, if it is restarted, and until its `duration`
/// is over.
class JobContinuation
{
  public:
    /// A job that fails this many times in a row without completing an iteration fails for good.
    static constexpr uint32_t MAX_IDLE_STARTS = 3;

    JobContinuation() = default;
    /// \param restart whether it is restarted after a failure
    /// \param durationPs for which it runs [ps]; 0: not given
    JobContinuation(bool restart, int64_t durationPs);

    /// Its ranks start. \param nowPs [ps] \param ended iterations it has completed before
    void Start(int64_t nowPs, uint64_t ended);
    /**
     * It has failed.
     * \param nowPs [ps]
     * \param started whether its ranks had started since it got its GPUs
     * \param ended total number of iterations it has completed
     * \returns whether it waits for GPUs again
     */
    bool Fail(int64_t nowPs, bool started, uint64_t ended);

    /// Its ranks have ended, for whatever reason. \param nowPs [ps]
    void End(int64_t nowPs);

    /// When its ranks first started [ps]; -1: they have not started.
    int64_t GetFirstStart() const
    {
        return m_firstStartPs;
    }

    /// When its ranks last started [ps].
    int64_t GetLastStart() const
    {
        return m_startPs;
    }

    /// How long its ranks have run, over all starts [ps]. \param nowPs [ps]
    int64_t GetExecuted(int64_t nowPs) const
    {
        return m_executedPs + (m_runs ? nowPs - m_startPs : 0);
    }

    /// Number of times its ranks have started.
    uint32_t GetStarts() const
    {
        return m_starts;
    }

    /// Remaining time of its duration [ps]; 0: it has no duration.
    int64_t GetDurationLeft() const
    {
        return m_durationLeftPs;
    }

    /// Whether it has failed and waits for GPUs, or soon will.
    bool WaitsAgain() const
    {
        return m_waitsAgain;
    }

  private:
    bool m_restart{false};
    bool m_waitsAgain{false};
    uint32_t m_starts{0};
    uint32_t m_idleStarts{0};
    uint64_t m_endedAtStart{0};
    int64_t m_durationLeftPs{0};
    int64_t m_startPs{0};
    int64_t m_firstStartPs{-1};
    int64_t m_executedPs{0}; ///< in previous runs
    bool m_runs{false};
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_CONTINUATION_H
