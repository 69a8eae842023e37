/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BAYESIAN_SEARCH_H
#define GPU_FABRIC_BAYESIAN_SEARCH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Searches the largest value of an unknown function on the unit square, as ByteScheduler's tuner
 * does: some random points, then at each step the point of the largest expected improvement under
 * a Gaussian process (schedulers.md, section 5; Snoek et al., "Practical Bayesian Optimization",
 * NIPS 2012).
 *
 * A pure function of what was observed and the seed. The kernel is Matern 5/2, its length that of
 * the largest likelihood among fixed ones; values are brought to mean 0 and deviation 1, in which
 * the exploration counts, with a noise of NOISE; the improvement is looked for on a grid, then on
 * finer ones around its best point. All that is a reconstruction.
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
        uint32_t steps{15};      ///< after them
        double exploration{0.1}; ///< xi of the expected improvement
        uint64_t seed{1};        ///< of the run
        uint64_t stream{0};      ///< of its random draws (CounterRandom)
    };

    static constexpr double NOISE = 1e-4; ///< variance, of that of the values

    explicit BayesianSearch(const Options& options);

    /**
     * The points of a search, each found from the values of those before it.
     * \param values of the first points, those beyond all of a search are not looked at
     * \returns these points and the next one, if there is one
     */
    std::vector<Point> GetPoints(const std::vector<double>& values) const;

    /// Points of a search.
    uint32_t GetPointCount() const
    {
        return m_options.randomPoints + m_options.steps;
    }

    /// E[max(0, f - best - exploration)] of a normal f; 0 without deviation and gain.
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
