/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMPUTE_JITTER_H
#define GPU_FABRIC_COMPUTE_JITTER_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * Random factor of the compute steps of a rank: lognormal with mean 1, a pure function of (seed,
 * job, rank, iteration, step), so that every scheduler sees the same compute times.
 */
class ComputeJitter
{
  public:
    /**
     * \param seed seed of the run
     * \param job name of the job
     * \param rank rank of the job
     * \param cv coefficient of variation of the factor; 0: none
     * \param perRank false: all ranks of the job share the factor
     */
    ComputeJitter(uint64_t seed, const std::string& job, uint32_t rank, double cv, bool perRank);

    /// The duration with jitter [ps]. \param step index in the program, below 2^20
    int64_t Apply(int64_t durationPs, uint64_t iteration, uint32_t step) const;

  private:
    uint64_t m_seed;
    uint64_t m_stream;
    double m_sigma; ///< of the logarithm
};

} // namespace ns3

#endif // GPU_FABRIC_COMPUTE_JITTER_H
