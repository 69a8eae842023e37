/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PRIORITY_PAIR_H
#define GPU_FABRIC_PRIORITY_PAIR_H

#include <cstdint>

namespace ns3
{

/**
 * A job in the simplified form of Crux (SIGCOMM 2024, section 4.2): in every iteration it computes
 * without a break; from a given fraction of the compute on, it communicates without a break
 * whenever it has the link; the next iteration begins when both have ended.
 */
struct PeriodicJob
{
    int64_t computePs{0}; ///< compute time of an iteration [ps], not negative
    int64_t linkPs{0};    ///< link time of an iteration [ps], positive
    double startFraction{
        0}; ///< fraction of the compute after which communication may start, 0 to 1

    /// Length of an iteration without contention [ps].
    int64_t GetSoloPeriod() const;
};

/**
 * Two such jobs on one link under strict priority, and the correction factor k of Crux (section
 * 4.2). The paper gives the method and two examples; the horizon is our choice.
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

    /// The effect of the order of the two jobs, over all phases.
    struct Gain
    {
        double firstSeconds{0};   ///< mean link time that the first gains by going first [s]
        double secondSeconds{0};  ///< mean link time that the second gains by going first [s]
        double horizonSeconds{0}; ///< simulated time of each phase [s]
        bool shortened{false};    ///< whether the horizon is shorter than requested

        /**
         * k of the second job, relative to 1 for the first: gain of the second divided by gain of
         * the first. Gains below 10^-6 of the horizon count as zero: if both are zero, k is 1; if
         * only that of the first is, k is kMax; if only that of the second is, 1 / kMax.
         * \param kMax k is kept in [1 / kMax, kMax]
         */
        double GetFactor(double kMax) const;
    };

    /// Maximum number of iterations of the shorter job that a phase is simulated for.
    static constexpr int64_t MAX_ITERATIONS = 40000;

    PriorityPair(const PeriodicJob& first, const PeriodicJob& second);

    /**
     * Link times in a window.
     * \param secondLeads whether the second has priority; otherwise the first has
     * \param secondStartPs when the second begins; the first begins at 0 [ps]
     * \param fromPs, toPs the window [ps]
     */
    LinkTimes Run(bool secondLeads, int64_t secondStartPs, int64_t fromPs, int64_t toPs) const;
    /**
     * Means over starts of the second job, which are spread evenly over the longer solo period.
     * \param phases number of starts
     * \param periods horizon in longer solo periods
     */
    Gain Measure(uint32_t phases, uint32_t periods) const;

  private:
    PeriodicJob m_jobs[2];
};

} // namespace ns3

#endif // GPU_FABRIC_PRIORITY_PAIR_H
