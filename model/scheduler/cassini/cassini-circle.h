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
 * Time is in cells of equal length. score = 1 - sum over cells of max(0, demand - capacity) /
 * (cells x capacity); 1: the jobs never ask for more than the link has; it may be negative. Of
 * several links that the same jobs share it is the mean. (The paper's text was not at hand; the
 * formulas agree with two public re-implementations.)
 */
class CassiniCircle
{
  public:
    /// A job: which share of each cell of its iteration it communicates for, 0 to 1.
    struct Job
    {
        std::vector<double> up;

        /**
         * One stretch of communication.
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
        uint32_t count{1};           ///< such links
    };

    /// How the search goes.
    struct Search
    {
        uint32_t restarts{8};        ///< of coordinate descent
        uint64_t budget{50'000'000}; ///< cells looked at by an enumeration
        uint32_t enumeratedJobs{3};  ///< up to so many jobs all rotations are tried
    };

    /// Rotations that are good together.
    struct Rotation
    {
        std::vector<uint32_t> cells; ///< by job, below its period; the first is 0
        double score{0};
        bool exact{false}; ///< the best there is, of whole cells
    };

    CassiniCircle(std::vector<Job> jobs, std::vector<Link> links);

    /// Cells of the circle.
    uint64_t GetPerimeter() const
    {
        return m_perimeter;
    }

    /// \param cells by job: how much later it starts
    double GetScore(const std::vector<uint32_t>& cells) const;
    /// Of equally good rotations the first in lexical order; none by more than that of less score.
    Rotation FindBest(const Search& search) const;

    /// Least common multiple of the periods, or 0 if it is above a limit.
    static uint64_t GetCommonMultiple(const std::vector<uint32_t>& periods, uint64_t limit);

  private:
    Rotation Enumerate(uint64_t budget) const;
    Rotation Descend(uint32_t restarts) const;
    /// Rotations of a job beyond which nothing new comes, the others being fixed: those up to the
    /// greatest common divisor of its period and the common multiple of the others'.
    uint32_t GetDistinct(size_t job, size_t others) const;
    /// Score where the demands of all but one job are known.
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
