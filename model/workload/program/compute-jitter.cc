/* SPDX-License-Identifier: GPL-2.0-only */
#include "compute-jitter.h"

#include "ns3/assert.h"
#include "ns3/counter-random.h"

#include <cmath>

namespace ns3
{

ComputeJitter::ComputeJitter(uint64_t seed,
                             const std::string& job,
                             uint32_t rank,
                             double cv,
                             bool perRank)
    : m_seed(seed),
      m_stream(HashName("compute-jitter/" + job + (perRank ? "/" + std::to_string(rank) : ""))),
      m_sigma(std::sqrt(std::log1p(cv * cv)))
{
}

int64_t
ComputeJitter::Apply(int64_t durationPs, uint64_t iteration, uint32_t step) const
{
    NS_ASSERT_MSG(step < 1U << 20, "step " << step << " is beyond the draws of an iteration");
    if (m_sigma == 0)
    {
        return durationPs;
    }
    const double normal = CounterNormal(m_seed, m_stream, iteration << 20 | step);
    // The mean of exp(mu + sigma N) is exp(mu + sigma^2 / 2).
    const double factor = std::exp(m_sigma * normal - m_sigma * m_sigma / 2);
    return static_cast<int64_t>(std::llround(static_cast<double>(durationPs) * factor));
}

} // namespace ns3
