/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PERIOD_ESTIMATOR_H
#define GPU_FABRIC_PERIOD_ESTIMATOR_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Estimates the period of traffic from the bytes sent in equal intervals, as Crux estimates the
 * length of an iteration (SIGCOMM 2024, section 5, with a Fourier transform; here with the
 * autocorrelation, computed directly, because traffic is not sinusoidal and, over few cycles, a
 * transform resolves the period only to one cycle).
 *
 * The autocorrelation at lag k is Pearson's, over the samples where both series overlap, for k up
 * to two thirds of the number of samples. Beyond the first k at which it has dropped to half, the
 * period is the first peak within a tenth of the highest one, which excludes multiples of the
 * period and bursts within it; a parabola through its neighbours gives fractions of an interval.
 * Peaks below 0.3 are ignored. These bounds are our choice.
 */
class PeriodEstimator
{
  public:
    /**
     * \param samples amount sent in each interval, over at least two periods
     * \param intervalPs length of an interval [ps]
     * \returns the period [ps]; 0 if none is found
     */
    static int64_t Estimate(const std::vector<double>& samples, int64_t intervalPs);

    /// Pearson's autocorrelation of the samples by lag, from 0; 0 if the samples are constant.
    static std::vector<double> Correlate(const std::vector<double>& samples);

    /// If there are more samples, neighbouring ones are summed to bound the cost.
    static constexpr uint32_t MAX_SAMPLES = 4096;
};

} // namespace ns3

#endif // GPU_FABRIC_PERIOD_ESTIMATOR_H
