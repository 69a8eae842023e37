/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PRIORITY_PAIR_H
#define GPU_FABRIC_PRIORITY_PAIR_H

#include <cstdint>

namespace ns3
{

/**
 * A job as Crux simplifies it (SIGCOMM 2024, section 4.2): in every iteration it computes without
 * a break and, from a fraction of that on, communicates without a break if it has the link; the
 * next iteration begins when both have ended.
 */
struct PeriodicJob
{
    int64_t computePs{0};    ///< compute time of an iteration [ps], not negative
    int64_t linkPs{0};       ///< time on the link of an iteration [ps], positive
    double startFraction{0}; ///< of the compute, after which communication may start, 0 to 1

    /// An iteration without anybody else [ps].
    int64_t GetSoloPeriod() const;
};

/**
 * Two such jobs on one link under strict priority, and the correction factor k of Crux (section
 * 4.2). The paper gives the method and two examples; the horizon is ours.
 */
class PriorityPair
{
  public:
    /// Time on the link [ps].
    struct LinkTimes
    {
        int64_t first{0};
        int64_t second{0};
    };

    /// What the order of the two changes, sums over all phases.
    struct Gain
    {
        double firstSeconds{0};   ///< link time that the first gains by going first [s], mean
        double secondSeconds{0};  ///< link time that the second gains by going first [s], mean
        double horizonSeconds{0}; ///< over which each phase was followed [s]
        bool shortened{false};    ///< whether the horizon is shorter than asked for

        /**
         * k of the second, that of the first being 1: gain of the second over gain of the first.
         * Gains below 10^-6 of the horizon count as none: with none at all k is 1, else kMax if
         * the first gains nothing, 1 / kMax if the second gains nothing.
         * \param kMax k is kept in [1 / kMax, kMax]
         */
        double GetFactor(double kMax) const;
    };

    /// Iterations of the shorter job that a phase is followed for, at most.
    static constexpr int64_t MAX_ITERATIONS = 40000;

    PriorityPair(const PeriodicJob& first, const PeriodicJob& second);

    /**
     * Link times in a window.
     * \param secondLeads whether the second has priority, else the first
     * \param secondStartPs when the second begins; the first does at 0 [ps]
     * \param fromPs, toPs the window [ps]
     */
    LinkTimes Run(bool secondLeads, int64_t secondStartPs, int64_t fromPs, int64_t toPs) const;
    /**
     * Means over starts of the second that are spread evenly over the longer solo period.
     * \param phases how many
     * \param periods horizon in longer solo periods
     */
    Gain Measure(uint32_t phases, uint32_t periods) const;

  private:
    PeriodicJob m_jobs[2];
};

} // namespace ns3

#endif // GPU_FABRIC_PRIORITY_PAIR_H
