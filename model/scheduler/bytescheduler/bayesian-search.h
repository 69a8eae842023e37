/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BAYESIAN_SEARCH_H
#define GPU_FABRIC_BAYESIAN_SEARCH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Searches for the maximum of an unknown function on the unit square, like ByteScheduler's tuner:
 * some random points first, then at each step the point with the largest expected improvement under
 * a Gaussian process (schedulers.md, section 5; Snoek et al., "Practical Bayesian Optimization",
 * NIPS 2012).
 *
 * A pure function of the observed values and the seed. The kernel is Matern 5/2, with the length of
 * greatest likelihood among fixed candidates; values are normalised to mean 0 and deviation 1,
 * which is also the unit of the exploration, with a noise of NOISE; the maximum of the improvement
 * is searched for on a grid, then on finer grids around its best point. All of this is a
 * reconstruction.
 */
class BayesianSearch
{
  public:
    struct Point
    {
        double x{0}; ///< 0 to 1
        double y{0}; ///< 0 to 1
    };

    struct Options
    {
        uint32_t randomPoints{10};
        uint32_t steps{15};      ///< after the random points
        double exploration{0.1}; ///< xi of the expected improvement
        uint64_t seed{1};        ///< of the run
        uint64_t stream{0};      ///< of its random draws (CounterRandom)
    };

    static constexpr double NOISE = 1e-4; ///< variance, relative to that of the values

    explicit BayesianSearch(const Options& options);

    /**
     * The points of a search, each derived from the values of the points before it.
     * \param values of the first points; values beyond the last point of the search are ignored
     * \returns these points and the next one, if there is one
     */
    std::vector<Point> GetPoints(const std::vector<double>& values) const;

    /// Number of points of a search.
    uint32_t GetPointCount() const
    {
        return m_options.randomPoints + m_options.steps;
    }

    /// E[max(0, f - best - exploration)] of a normally distributed f; 0 without deviation and gain.
    static double GetExpectedImprovement(double mean,
                                         double deviation,
                                         double best,
                                         double exploration);

  private:
    /// The point of the largest expected improvement.
    Point Suggest(const std::vector<Point>& points, const std::vector<double>& values) const;

    Options m_options;
};

} // namespace ns3

#endif // GPU_FABRIC_BAYESIAN_SEARCH_H
