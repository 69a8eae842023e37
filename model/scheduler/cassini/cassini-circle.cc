/* SPDX-License-Identifier: GPL-2.0-only */
#include "cassini-circle.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ns3
{

namespace
{

/// Scores that differ by less are equal, so that the order of additions does not matter.
constexpr double EPSILON = 1e-9;

/// Maximum number of cells of a circle.
constexpr uint64_t LIMIT = uint64_t{1} << 40;

} // namespace

CassiniCircle::Job
CassiniCircle::Job::Make(uint32_t period, double from, double length)
{
    NS_ABORT_MSG_IF(period == 0 || length < 0 || length > period || from < 0,
                    "no phase of " << length << " cells from " << from << " of " << period);
    Job job;
    job.up.assign(period, 0);
    const double first = std::fmod(from, period);
    const double last = first + length;
    // It wraps around at the end.
    for (auto cell = static_cast<uint64_t>(first); static_cast<double>(cell) < last; cell++)
    {
        const double start = std::max(first, static_cast<double>(cell));
        const double end = std::min(last, static_cast<double>(cell + 1));
        double& share = job.up[cell % period];
        share = std::min(1.0, share + end - start);
    }
    return job;
}

CassiniCircle::CassiniCircle(std::vector<Job> jobs, std::vector<Link> links)
    : m_jobs(std::move(jobs)),
      m_links(std::move(links))
{
    std::vector<uint32_t> periods;
    for (const Job& job : m_jobs)
    {
        NS_ABORT_MSG_IF(job.up.empty(), "a job without iteration");
        periods.push_back(static_cast<uint32_t>(job.up.size()));
    }
    for (const Link& link : m_links)
    {
        NS_ABORT_MSG_IF(link.demands.size() != m_jobs.size() || link.capacity <= 0,
                        "a link needs a capacity and a demand of each job");
        m_linkCount += link.count;
    }
    m_perimeter = GetCommonMultiple(periods, LIMIT);
    NS_ABORT_MSG_IF(m_perimeter == 0 || m_linkCount == 0, "no unified circle");
}

uint64_t
CassiniCircle::GetCommonMultiple(const std::vector<uint32_t>& periods, uint64_t limit)
{
    uint64_t multiple = 1;
    for (const uint32_t period : periods)
    {
        multiple = std::lcm(multiple, uint64_t{period});
        if (multiple > limit)
        {
            return 0;
        }
    }
    return multiple;
}

double
CassiniCircle::GetScore(const std::vector<uint32_t>& cells) const
{
    NS_ABORT_MSG_IF(cells.size() != m_jobs.size(), "one rotation for each job");
    double excess = 0; // demand over capacity
    for (const Link& link : m_links)
    {
        double sum = 0;
        for (uint64_t a = 0; a < m_perimeter; a++)
        {
            double demand = 0;
            for (size_t j = 0; j < m_jobs.size(); j++)
            {
                const uint64_t period = m_jobs[j].up.size();
                demand += link.demands[j] * m_jobs[j].up[(a + period - cells[j] % period) % period];
            }
            sum += std::max(0.0, demand - link.capacity);
        }
        excess += link.count * sum / link.capacity;
    }
    return 1 - excess / (static_cast<double>(m_perimeter) * m_linkCount);
}

double
CassiniCircle::GetScoreWith(const std::vector<std::vector<double>>& others,
                            size_t job,
                            uint32_t cell) const
{
    const std::vector<double>& up = m_jobs[job].up;
    double excess = 0;
    for (size_t l = 0; l < m_links.size(); l++)
    {
        const Link& link = m_links[l];
        double sum = 0;
        size_t own = (up.size() - cell) % up.size();
        for (uint64_t a = 0; a < m_perimeter; a++)
        {
            sum += std::max(0.0, others[l][a] + link.demands[job] * up[own] - link.capacity);
            own = own + 1 == up.size() ? 0 : own + 1;
        }
        excess += link.count * sum / link.capacity;
    }
    return 1 - excess / (static_cast<double>(m_perimeter) * m_linkCount);
}

uint32_t
CassiniCircle::GetDistinct(size_t job, size_t others) const
{
    uint64_t multiple = 1;
    for (size_t j = 0; j < others; j++)
    {
        multiple = j == job ? multiple : std::lcm(multiple, uint64_t{m_jobs[j].up.size()});
    }
    return static_cast<uint32_t>(std::gcd(uint64_t{m_jobs[job].up.size()}, multiple));
}

CassiniCircle::Rotation
CassiniCircle::FindBest(const Search& search) const
{
    return m_jobs.size() <= search.enumeratedJobs ? Enumerate(search.budget)
                                                  : Descend(search.restarts);
}

CassiniCircle::Rotation
CassiniCircle::Enumerate(uint64_t budget) const
{
    // Job 0 stays; each later job has as many rotations as are distinct relative to the jobs before
    // it.
    std::vector<uint32_t> distinct;
    double work = static_cast<double>(m_perimeter * m_links.size());
    for (size_t j = 0; j < m_jobs.size(); j++)
    {
        distinct.push_back(j == 0 ? 1 : GetDistinct(j, j));
        work *= distinct[j];
    }
    std::vector<uint32_t> step(m_jobs.size(), 1);
    Rotation best;
    best.exact = true;
    while (work > static_cast<double>(budget))
    {
        // Thin out the job with the most remaining rotations.
        size_t most = 0;
        for (size_t j = 0; j < m_jobs.size(); j++)
        {
            most = distinct[j] / step[j] > distinct[most] / step[most] ? j : most;
        }
        if (distinct[most] / step[most] <= 1)
        {
            break;
        }
        step[most] *= 2;
        work /= 2;
        best.exact = false;
    }

    std::vector<uint32_t> cells(m_jobs.size(), 0);
    best.cells = cells;
    best.score = GetScore(cells);
    for (bool more = true; more && best.score < 1 - EPSILON;)
    {
        more = false;
        for (size_t j = m_jobs.size(); j-- > 1 && !more;)
        {
            cells[j] += step[j];
            more = cells[j] < distinct[j];
            cells[j] = more ? cells[j] : 0;
        }
        const double score = more ? GetScore(cells) : best.score;
        if (score > best.score + EPSILON)
        {
            best.score = score;
            best.cells = cells;
        }
    }
    return best;
}

CassiniCircle::Rotation
CassiniCircle::Descend(uint32_t restarts) const
{
    Rotation best;
    best.score = -std::numeric_limits<double>::infinity();
    const size_t jobs = m_jobs.size();
    for (uint32_t restart = 0; restart <= restarts && best.score < 1 - EPSILON; restart++)
    {
        std::vector<uint32_t> cells(jobs, 0);
        for (size_t j = 1; restart > 0 && j < jobs; j++)
        {
            cells[j] = static_cast<uint32_t>(CounterRandom(restart, HashName("cassini"), j) %
                                             m_jobs[j].up.size());
        }
        double score = GetScore(cells);
        for (bool better = true; better;)
        {
            better = false;
            for (size_t job = 1; job < jobs; job++)
            {
                std::vector<std::vector<double>> others(m_links.size());
                for (size_t l = 0; l < m_links.size(); l++)
                {
                    others[l].assign(m_perimeter, 0);
                    for (size_t j = 0; j < jobs; j++)
                    {
                        const std::vector<double>& up = m_jobs[j].up;
                        size_t own = (up.size() - cells[j]) % up.size();
                        for (uint64_t a = 0; j != job && a < m_perimeter; a++)
                        {
                            others[l][a] += m_links[l].demands[j] * up[own];
                            own = own + 1 == up.size() ? 0 : own + 1;
                        }
                    }
                }
                const uint32_t distinct = GetDistinct(job, jobs);
                for (uint32_t cell = 0; cell < distinct; cell++)
                {
                    const double with = GetScoreWith(others, job, cell);
                    if (with > score + EPSILON)
                    {
                        score = with;
                        cells[job] = cell;
                        better = true;
                    }
                }
            }
        }
        if (score > best.score + EPSILON)
        {
            best.score = score;
            best.cells = cells;
        }
    }
    best.exact = best.score > 1 - EPSILON;
    return best;
}

} // namespace ns3
