/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GAUSSIAN_PROCESS_H
#define GPU_FABRIC_GAUSSIAN_PROCESS_H

#include "bayesian-search.h"

#include <boost/numeric/ublas/matrix.hpp>
#include <boost/numeric/ublas/vector.hpp>
#include <vector>

namespace ns3
{

/// A Gaussian process of mean 0 and variance 1 with a Matern 5/2 kernel on the unit square, given
/// values at some points (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
/// algorithm 2.1 and equation 4.17).
class GaussianProcess
{
  public:
    /// \param length of the kernel \param noise variance of the values in addition to that of the
    /// process
    GaussianProcess(const std::vector<BayesianSearch::Point>& points,
                    const std::vector<double>& values,
                    double length,
                    double noise);

    struct Prediction
    {
        double mean{0};
        double deviation{0};
    };

    Prediction Predict(const BayesianSearch::Point& point) const;

    /// Logarithm of the likelihood of the values, up to a constant.
    double GetLogLikelihood() const
    {
        return m_logLikelihood;
    }

  private:
    double GetKernel(const BayesianSearch::Point& a, const BayesianSearch::Point& b) const;

    std::vector<BayesianSearch::Point> m_points;
    double m_length;
    boost::numeric::ublas::matrix<double> m_inverse; ///< of the covariance
    boost::numeric::ublas::vector<double> m_weights; ///< of the values
    double m_logLikelihood{0};
};

} // namespace ns3

#endif // GPU_FABRIC_GAUSSIAN_PROCESS_H
