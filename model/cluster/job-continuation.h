/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_CONTINUATION_H
#define GPU_FABRIC_JOB_CONTINUATION_H

#include <cstdint>

namespace ns3
{

/// How long a job goes on: over failures, if it is restarted, and until its `duration` is over.
class JobContinuation
{
  public:
    /// A job that fails so often in a row without finishing an iteration, fails for good.
    static constexpr uint32_t MAX_IDLE_STARTS = 3;

    JobContinuation() = default;
    /// \param restart whether it is restarted after a failure
    /// \param durationPs for which it runs [ps]; 0: not given
    JobContinuation(bool restart, int64_t durationPs);

    /// Its ranks start. \param nowPs [ps] \param ended iterations it has finished before
    void Start(int64_t nowPs, uint64_t ended);
    /**
     * It has failed.
     * \param nowPs [ps]
     * \param started whether its ranks had started since it got its GPUs
     * \param ended iterations it has finished in all
     * \returns whether it waits again
     */
    bool Fail(int64_t nowPs, bool started, uint64_t ended);

    /// Starts of its ranks.
    uint32_t GetStarts() const
    {
        return m_starts;
    }

    /// Time of its duration that is left [ps]; 0: it has none.
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
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_CONTINUATION_H
