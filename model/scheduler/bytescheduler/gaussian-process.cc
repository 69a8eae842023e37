/* SPDX-License-Identifier: GPL-2.0-only */
#include "gaussian-process.h"

#include "ns3/abort.h"

#include <algorithm>
#include <boost/numeric/ublas/lu.hpp>
#include <cmath>

namespace ns3
{

namespace ublas = boost::numeric::ublas;

GaussianProcess::GaussianProcess(const std::vector<BayesianSearch::Point>& points,
                                 const std::vector<double>& values,
                                 double length,
                                 double noise)
    : m_points(points),
      m_length(length)
{
    const size_t n = points.size();
    NS_ABORT_MSG_IF(values.size() != n, values.size() << " values at " << n << " points");
    ublas::matrix<double> factors(n, n);
    ublas::vector<double> observed(n);
    for (size_t i = 0; i < n; i++)
    {
        observed(i) = values[i];
        for (size_t j = 0; j < n; j++)
        {
            factors(i, j) = GetKernel(points[i], points[j]) + (i == j ? noise : 0);
        }
    }
    ublas::permutation_matrix<size_t> rows(n);
    NS_ABORT_MSG_IF(ublas::lu_factorize(factors, rows) != 0, "a covariance that is singular");
    m_inverse = ublas::identity_matrix<double>(n);
    ublas::lu_substitute(factors, rows, m_inverse);
    m_weights = ublas::prod(m_inverse, observed);
    m_logLikelihood = -0.5 * ublas::inner_prod(observed, m_weights);
    for (size_t i = 0; i < n; i++)
    {
        // The determinant is positive, whatever signs the row exchanges introduce.
        m_logLikelihood -= 0.5 * std::log(std::abs(factors(i, i)));
    }
}

double
GaussianProcess::GetKernel(const BayesianSearch::Point& a, const BayesianSearch::Point& b) const
{
    const double r = std::sqrt(5.0) * std::hypot(a.x - b.x, a.y - b.y) / m_length;
    return (1 + r + r * r / 3) * std::exp(-r);
}

GaussianProcess::Prediction
GaussianProcess::Predict(const BayesianSearch::Point& point) const
{
    ublas::vector<double> covariances(m_points.size());
    for (size_t i = 0; i < m_points.size(); i++)
    {
        covariances(i) = GetKernel(point, m_points[i]);
    }
    const ublas::vector<double> solved = ublas::prod(m_inverse, covariances);
    const double variance = 1 - ublas::inner_prod(covariances, solved);
    return {ublas::inner_prod(covariances, m_weights), std::sqrt(std::max(0.0, variance))};
}

} // namespace ns3
