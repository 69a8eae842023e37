/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CROP_PROBLEM_H
#define GPU_FABRIC_CROP_PROBLEM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Chooses placements for several jobs: a facility-location problem in the manner of CROP (IWQoS
 * 2025). Only the abstract of that paper was at hand; all of this is a reconstruction.
 *
 * Maximises, over sets S of candidates with at most one candidate of each job and no GPU used
 * twice,
 * F(S) = sum over jobs of the largest value of their candidates in S
 *        + spread x sum over failure domains of (1 - 2^-n), n the candidates of S that touch it.
 * F is monotone and submodular.
 */
class CropProblem
{
  public:
    /// A placement of a job.
    struct Candidate
    {
        uint32_t job{0}; ///< from 0, dense
        double value{0}; ///< not negative
        std::vector<uint32_t> gpus;
        std::vector<uint32_t> domains; ///< failure domains that it touches
    };

    CropProblem(std::vector<Candidate> candidates, double spread);

    /// F of candidates, by index.
    double GetValue(const std::vector<uint32_t>& chosen) const;

    /**
     * Repeatedly takes the candidate with the largest gain (Minoux's lazy evaluation); does the
     * same with the gain per GPU; returns the better of the two, ascending. At least 1/2 of the
     * optimum if no two candidates of different jobs share a GPU (Fisher, Nemhauser and Wolsey,
     * 1978); no bound otherwise.
     */
    std::vector<uint32_t> GetLazyGreedy() const;

    /**
     * Runs lazy greedy from each single candidate, and from each pair if there are at most
     * `pairsUpTo` candidates (partial enumeration, as in Khuller, Moss and Naor, 1999, for one
     * knapsack), and returns the best result; never worse than GetLazyGreedy(), with the same
     * bound.
     */
    std::vector<uint32_t> GetEnumeratedGreedy(size_t pairsUpTo) const;

    /**
     * Runs continuous greedy on the multilinear extension of F, both terms of which have a closed
     * form; then each job takes its best candidate given the fractional choices of the others, and
     * lazy greedy adds what still fits. At least (1 - 1/e) of the optimum, less a part that shrinks
     * with the number of steps, if no two candidates of different jobs share a GPU (Calinescu,
     * Chekuri, Pal and Vondrak, 2011); otherwise a job skips candidates whose GPUs are taken, and
     * there is no bound.
     */
    std::vector<uint32_t> GetContinuousGreedy(uint32_t steps) const;

  private:
    /// The candidates that a search has taken so far.
    class Choice;

    /// \param choice to start from; receives the candidates taken
    void RunGreedy(bool perGpu, Choice& choice) const;
    /// The better of both greedy continuations from given candidates.
    std::vector<uint32_t> GetGreedyFrom(const std::vector<uint32_t>& taken) const;
    /// The multilinear extension of F. \param shares by candidate, 0 to 1
    double GetExtension(const std::vector<double>& shares) const;

    std::vector<Candidate> m_candidates;
    double m_spread;
    uint32_t m_jobs{0};
    uint32_t m_gpus{0};
    uint32_t m_domains{0};
    std::vector<std::vector<uint32_t>> m_ofJob; ///< candidates by job, the most valuable first
};

} // namespace ns3

#endif // GPU_FABRIC_CROP_PROBLEM_H
