/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CROP_PROBLEM_H
#define GPU_FABRIC_CROP_PROBLEM_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Which placements several jobs get: a facility-location problem in the manner of CROP (IWQoS
 * 2025). Of that paper only the abstract was at hand; all of this is a reconstruction.
 *
 * Of a set S of candidates, at most one of each job and no GPU twice,
 * F(S) = sum over jobs of the largest value of their candidates in S
 *        + spread x sum over failure domains of (1 - 2^-n), n the candidates of S that touch it
 * is to be large; it is monotone and submodular.
 */
class CropProblem
{
  public:
    /// A job on GPUs.
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
     * Takes the candidate that adds most, again and again (Minoux' lazy evaluation), and once more
     * the one that adds most for each of its GPUs; returns the better of both, ascending. At least
     * 1/2 of the best where no two candidates of different jobs share a GPU (Fisher, Nemhauser and
     * Wolsey, 1978); no bound otherwise.
     */
    std::vector<uint32_t> GetLazyGreedy() const;

    /**
     * Lazy greedy from each candidate alone, and from each pair where there are at most
     * `pairsUpTo` candidates (partial enumeration, as Khuller, Moss and Naor, 1999, for one
     * knapsack): the best of all, never worse than GetLazyGreedy(), with its bound.
     */
    std::vector<uint32_t> GetEnumeratedGreedy(size_t pairsUpTo) const;

    /**
     * Continuous greedy on the multilinear extension of F, of which both terms have a closed form,
     * then each job takes its best candidate, the others being fractional, and lazy greedy adds
     * what still fits. At least (1 - 1/e) of the best, less a part that falls with the steps, where
     * no two candidates of different jobs share a GPU (Calinescu, Chekuri, Pal and Vondrak, 2011);
     * where they do, a job passes over candidates whose GPUs are gone, and there is no bound.
     */
    std::vector<uint32_t> GetContinuousGreedy(uint32_t steps) const;

  private:
    /// What a search has taken so far.
    class Choice;

    /// \param choice from which on; gets what is taken
    void RunGreedy(bool perGpu, Choice& choice) const;
    /// The better of both ways on from given candidates.
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
