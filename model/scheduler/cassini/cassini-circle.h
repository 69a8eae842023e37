/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CASSINI_CIRCLE_H
#define GPU_FABRIC_CASSINI_CIRCLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The unified circle of jobs that share links (CASSINI, NSDI 2024): its perimeter is the least
 * common multiple of their iteration times, and rotating a job on it shifts the job in time.
 *
 * Time is divided into cells of equal length. score = 1 - sum over cells of max(0, demand -
 * capacity) / (cells x capacity); 1: the demand never exceeds the capacity; the score may be
 * negative. For several links shared by the same jobs, it is the mean. (The paper's text was not at
 * hand; the formulas agree with two public re-implementations.)
 */
class CassiniCircle
{
  public:
    /// A job: the fraction of each cell of its iteration in which it communicates, 0 to 1.
    struct Job
    {
        std::vector<double> up;

        /**
         * A job with one stretch of communication.
         * \param period cells of an iteration
         * \param from cell at which it starts, may be a fraction
         * \param length cells, may be a fraction; at most period
         */
        static Job Make(uint32_t period, double from, double length);
    };

    /// A link that all the jobs use.
    struct Link
    {
        double capacity{0};          ///< [bit/s], or any unit
        std::vector<double> demands; ///< by job, while it communicates; the same unit
        uint32_t count{1};           ///< number of such links
    };

    /// Options of the search.
    struct Search
    {
        uint32_t restarts{8};        ///< of coordinate descent
        uint64_t budget{50'000'000}; ///< cells evaluated by an enumeration
        uint32_t enumeratedJobs{3};  ///< up to this number of jobs, all rotations are tried
    };

    /// A combination of rotations with its score.
    struct Rotation
    {
        std::vector<uint32_t> cells; ///< by job, below its period; the first is 0
        double score{0};
        bool exact{false}; ///< whether it is optimal among whole cells
    };

    CassiniCircle(std::vector<Job> jobs, std::vector<Link> links);

    /// Cells of the circle.
    uint64_t GetPerimeter() const
    {
        return m_perimeter;
    }

    /// \param cells by job: how many cells later it starts
    double GetScore(const std::vector<uint32_t>& cells) const;
    /// The best rotation; among equally good ones, the first in lexicographic order: a job is
    /// rotated further only for a better score.
    Rotation FindBest(const Search& search) const;

    /// Least common multiple of the periods, or 0 if it is above a limit.
    static uint64_t GetCommonMultiple(const std::vector<uint32_t>& periods, uint64_t limit);

  private:
    Rotation Enumerate(uint64_t budget) const;
    Rotation Descend(uint32_t restarts) const;
    /// Number of distinct rotations of a job if the others are fixed: the greatest common divisor
    /// of its period and the common multiple of the others' periods.
    uint32_t GetDistinct(size_t job, size_t others) const;
    /// Score if the demands of all but one job are given.
    double GetScoreWith(const std::vector<std::vector<double>>& others,
                        size_t job,
                        uint32_t cell) const;

    std::vector<Job> m_jobs;
    std::vector<Link> m_links;
    uint64_t m_perimeter{1};
    uint32_t m_linkCount{0}; ///< copies included
};

} // namespace ns3

#endif // GPU_FABRIC_CASSINI_CIRCLE_H
