/* SPDX-License-Identifier: GPL-2.0-only */
#include "crop-problem.h"

#include "../../base/ties.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>

namespace ns3
{

/// The candidates taken, with the resources that they occupy.
class CropProblem::Choice
{
  public:
    explicit Choice(const CropProblem& problem)
        : m_problem(problem),
          m_placed(problem.m_jobs, 0),
          m_used(problem.m_gpus, 0),
          m_touched(problem.m_domains, 0)
    {
    }

    bool IsFeasible(uint32_t index) const
    {
        const Candidate& candidate = m_problem.m_candidates[index];
        return m_placed[candidate.job] == 0 &&
               std::none_of(candidate.gpus.begin(), candidate.gpus.end(), [this](uint32_t gpu) {
                   return m_used[gpu] != 0;
               });
    }

    /// The gain of F from a candidate of a job that has none yet.
    double GetGain(uint32_t index) const
    {
        const Candidate& candidate = m_problem.m_candidates[index];
        double gain = candidate.value;
        for (const uint32_t domain : candidate.domains)
        {
            gain += m_problem.m_spread * std::exp2(-static_cast<double>(m_touched[domain]) - 1);
        }
        return gain;
    }

    void Take(uint32_t index)
    {
        const Candidate& candidate = m_problem.m_candidates[index];
        m_placed[candidate.job] = 1;
        for (const uint32_t gpu : candidate.gpus)
        {
            m_used[gpu] = 1;
        }
        for (const uint32_t domain : candidate.domains)
        {
            m_touched[domain]++;
        }
        m_taken.push_back(index);
    }

    std::vector<uint32_t> GetTaken() const
    {
        std::vector<uint32_t> taken = m_taken;
        std::sort(taken.begin(), taken.end());
        return taken;
    }

  private:
    const CropProblem& m_problem;
    std::vector<uint8_t> m_placed;   ///< by job
    std::vector<uint8_t> m_used;     ///< by GPU
    std::vector<uint32_t> m_touched; ///< by domain
    std::vector<uint32_t> m_taken;
};

CropProblem::CropProblem(std::vector<Candidate> candidates, double spread)
    : m_candidates(std::move(candidates)),
      m_spread(spread)
{
    for (const Candidate& candidate : m_candidates)
    {
        NS_ABORT_MSG_IF(candidate.value < 0 || candidate.gpus.empty(),
                        "a candidate needs GPUs and a value that is not negative");
        m_jobs = std::max(m_jobs, candidate.job + 1);
        for (const uint32_t gpu : candidate.gpus)
        {
            m_gpus = std::max(m_gpus, gpu + 1);
        }
        for (const uint32_t domain : candidate.domains)
        {
            m_domains = std::max(m_domains, domain + 1);
        }
    }
    m_ofJob.resize(m_jobs);
    for (uint32_t index = 0; index < m_candidates.size(); index++)
    {
        m_ofJob[m_candidates[index].job].push_back(index);
    }
    for (std::vector<uint32_t>& indices : m_ofJob)
    {
        SortWithTies(
            indices,
            [this](uint32_t index) { return m_candidates[index].value; },
            [](uint32_t a, uint32_t b) { return a < b; });
    }
}

double
CropProblem::GetValue(const std::vector<uint32_t>& chosen) const
{
    std::vector<double> best(m_jobs, 0);
    std::vector<uint32_t> touched(m_domains, 0);
    for (const uint32_t index : chosen)
    {
        const Candidate& candidate = m_candidates.at(index);
        best[candidate.job] = std::max(best[candidate.job], candidate.value);
        for (const uint32_t domain : candidate.domains)
        {
            touched[domain]++;
        }
    }
    double value = 0;
    for (const double job : best)
    {
        value += job;
    }
    for (const uint32_t count : touched)
    {
        value += m_spread * (1 - std::exp2(-static_cast<double>(count)));
    }
    return value;
}

std::vector<uint32_t>
CropProblem::GetGreedyFrom(const std::vector<uint32_t>& taken) const
{
    std::vector<uint32_t> best;
    for (const bool perGpu : {false, true})
    {
        Choice choice(*this);
        for (const uint32_t index : taken)
        {
            if (!choice.IsFeasible(index))
            {
                return {};
            }
            choice.Take(index);
        }
        RunGreedy(perGpu, choice);
        std::vector<uint32_t> found = choice.GetTaken();
        if (best.empty() || IsAbove(GetValue(found), GetValue(best)))
        {
            best = std::move(found);
        }
    }
    return best;
}

std::vector<uint32_t>
CropProblem::GetLazyGreedy() const
{
    return GetGreedyFrom({});
}

std::vector<uint32_t>
CropProblem::GetEnumeratedGreedy(size_t pairsUpTo) const
{
    std::vector<uint32_t> best = GetLazyGreedy();
    const auto tryFrom = [this, &best](const std::vector<uint32_t>& taken) {
        std::vector<uint32_t> found = GetGreedyFrom(taken);
        if (IsAbove(GetValue(found), GetValue(best)))
        {
            best = std::move(found);
        }
    };
    const auto count = static_cast<uint32_t>(m_candidates.size());
    for (uint32_t first = 0; first < count; first++)
    {
        tryFrom({first});
        for (uint32_t second = first + 1; count <= pairsUpTo && second < count; second++)
        {
            tryFrom({first, second});
        }
    }
    return best;
}

void
CropProblem::RunGreedy(bool perGpu, Choice& choice) const
{
    const auto getKey = [&](uint32_t index) {
        const double gain = choice.GetGain(index);
        return perGpu ? gain / static_cast<double>(m_candidates[index].gpus.size()) : gain;
    };
    // (gain when last evaluated, smaller indices first); gains only decrease.
    std::priority_queue<std::pair<double, int64_t>> open;
    for (uint32_t index = 0; index < m_candidates.size(); index++)
    {
        open.emplace(getKey(index), -static_cast<int64_t>(index));
    }
    while (!open.empty())
    {
        const double key = open.top().first;
        // All that may gain as much, to the latest evaluation; the first of the equal ones is
        // taken.
        std::vector<uint32_t> equal;
        for (; !open.empty() && !IsAbove(key, open.top().first); open.pop())
        {
            const auto index = static_cast<uint32_t>(-open.top().second);
            if (choice.IsFeasible(index))
            {
                equal.push_back(index);
            }
        }
        std::vector<uint32_t> current;
        for (const uint32_t index : equal)
        {
            const double now = getKey(index);
            if (IsAbove(key, now))
            {
                open.emplace(now, -static_cast<int64_t>(index));
                continue;
            }
            current.push_back(index);
        }
        if (current.empty())
        {
            continue;
        }
        const auto first = std::min_element(current.begin(), current.end());
        choice.Take(*first);
        current.erase(first);
        for (const uint32_t index : current)
        {
            open.emplace(getKey(index), -static_cast<int64_t>(index));
        }
    }
}

double
CropProblem::GetExtension(const std::vector<double>& shares) const
{
    // Each candidate is in the set independently, with its share as the probability.
    double value = 0;
    for (const std::vector<uint32_t>& indices : m_ofJob)
    {
        double none = 1; // probability that no more valuable candidate is in the set
        for (const uint32_t index : indices)
        {
            value += none * shares[index] * m_candidates[index].value;
            none *= 1 - shares[index];
        }
    }
    std::vector<double> halves(m_domains, 1); // expectation of 2^-n
    for (uint32_t index = 0; index < m_candidates.size(); index++)
    {
        for (const uint32_t domain : m_candidates[index].domains)
        {
            halves[domain] *= 1 - shares[index] / 2;
        }
    }
    for (const double half : halves)
    {
        value += m_spread * (1 - half);
    }
    return value;
}

std::vector<uint32_t>
CropProblem::GetContinuousGreedy(uint32_t steps) const
{
    NS_ABORT_MSG_IF(steps == 0, "no steps");
    std::vector<double> shares(m_candidates.size(), 0);
    for (uint32_t step = 0; step < steps; step++)
    {
        // The direction of steepest ascent in the matroid: the best candidate of each job.
        std::vector<uint32_t> direction;
        for (const std::vector<uint32_t>& indices : m_ofJob)
        {
            double best = -1;
            uint32_t chosen = 0;
            for (const uint32_t index : indices)
            {
                std::vector<double> with = shares;
                with[index] = 1;
                std::vector<double> without = shares;
                without[index] = 0;
                const double gain = GetExtension(with) - GetExtension(without);
                if (IsAbove(gain, best))
                {
                    best = gain;
                    chosen = index;
                }
            }
            if (!indices.empty())
            {
                direction.push_back(chosen);
            }
        }
        for (const uint32_t index : direction)
        {
            shares[index] += 1.0 / steps;
        }
    }

    // F does not decrease when a job's fractional part is replaced by its best single candidate, in
    // any order; if GPUs are scarce, the jobs with the largest gain come first.
    std::vector<uint32_t> order(m_jobs);
    std::iota(order.begin(), order.end(), 0);
    SortWithTies(
        order,
        [this](uint32_t job) {
            return m_ofJob[job].empty() ? -1 : m_candidates[m_ofJob[job][0]].value;
        },
        [](uint32_t a, uint32_t b) { return a < b; });
    Choice choice(*this);
    for (const uint32_t job : order)
    {
        const std::vector<uint32_t>& indices = m_ofJob[job];
        double best = -1;
        uint32_t chosen = 0;
        for (const uint32_t index : indices)
        {
            std::vector<double> with = shares;
            for (const uint32_t other : indices)
            {
                with[other] = other == index ? 1 : 0;
            }
            const double value = choice.IsFeasible(index) ? GetExtension(with) : -1;
            if (IsAbove(value, best))
            {
                best = value;
                chosen = index;
            }
        }
        for (const uint32_t index : indices)
        {
            shares[index] = best >= 0 && index == chosen ? 1 : 0;
        }
        if (best >= 0)
        {
            choice.Take(chosen);
        }
    }
    RunGreedy(false, choice);
    return choice.GetTaken();
}

} // namespace ns3
