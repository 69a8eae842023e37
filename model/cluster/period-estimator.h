/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PERIOD_ESTIMATOR_H
#define GPU_FABRIC_PERIOD_ESTIMATOR_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Finds the period of traffic from what was sent in equal intervals, as Crux finds the length of an
 * iteration (SIGCOMM 2024, section 5, by a Fourier transform; here by the autocorrelation, computed
 * directly: traffic is no sine, and a transform's line is one cycle wide where few were seen).
 *
 * The correlation of the samples with themselves, k samples later, is Pearson's, over those that
 * both have, for k up to two thirds of all. Past the first k at which it has halved, the period is
 * the first peak that comes within a tenth of the highest one, so that no multiple of it is taken,
 * nor bursts within it; a parabola through its neighbours gives fractions of an interval. Peaks
 * below 0.3 are none. These bounds are our choice.
 */
class PeriodEstimator
{
  public:
    /**
     * \param samples amount sent in each interval; at least two periods of it
     * \param intervalPs length of an interval [ps]
     * \returns the period [ps]; 0 where none is seen
     */
    static int64_t Estimate(const std::vector<double>& samples, int64_t intervalPs);

    /// Pearson's correlation of the samples with themselves `lag` later, by lag from 0; 0 where
    /// nothing varies.
    static std::vector<double> Correlate(const std::vector<double>& samples);

    /// More samples are added up, neighbours at a time, so that the cost is bounded.
    static constexpr uint32_t MAX_SAMPLES = 4096;
};

} // namespace ns3

#endif // GPU_FABRIC_PERIOD_ESTIMATOR_H
