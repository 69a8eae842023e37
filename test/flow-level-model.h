/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FLOW_LEVEL_MODEL_H
#define GPU_FABRIC_FLOW_LEVEL_MODEL_H

#include "ns3/cluster-view.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * Jobs on a network without packets: flows of a job have the rates of max-min fairness among flows
 * of one level, on what better levels leave. One iteration of each job, all beginning at 0;
 * communication starts at a part of the compute, the iteration ends with both.
 */
class FlowLevelModel
{
  public:
    /// \param view its jobs \param paths of every flow, by job and flow
    FlowLevelModel(const ClusterView& view, const std::vector<std::vector<LinkPath>>& paths)
    {
        const ClusterTopology& topology = *view.topology;
        std::vector<uint32_t> users(topology.GetPortCount(), 0);
        for (const auto& ofJob : paths)
        {
            for (const LinkPath& path : ofJob)
            {
                std::for_each(path.begin(), path.end(), [&](uint32_t link) { users[link]++; });
            }
        }
        std::vector<uint32_t> shared(topology.GetPortCount(), NO_ID);
        for (size_t j = 0; j < view.jobs.size(); j++)
        {
            const JobView& job = view.jobs[j];
            const double compute = 1e-12 * static_cast<double>(job.computePs);
            m_jobs.push_back({job.flop, compute, job.communicationStart * compute, 0});
            for (const FlowView& flow : job.flows)
            {
                Flow made{j, 8.0 * static_cast<double>(flow.wireBytes), NEVER, {}, 0, 0};
                for (const uint32_t link : paths[j][flow.flow])
                {
                    const auto rate = static_cast<double>(topology.GetPortRate(link));
                    made.cap = std::min(made.cap, rate);
                    if (users[link] > 1)
                    {
                        if (shared[link] == NO_ID)
                        {
                            shared[link] = static_cast<uint32_t>(m_links.size());
                            m_links.push_back({rate, 0, 0});
                        }
                        made.links.push_back(shared[link]);
                    }
                }
                if (made.links.empty())
                {
                    m_jobs[j].aloneEnd =
                        std::max(m_jobs[j].aloneEnd, m_jobs[j].start + made.bits / made.cap);
                }
                else
                {
                    m_flows.push_back(made);
                }
            }
        }
    }

    /// Sum of W / T [FLOP/s]. \param levels by job, 0 best \param only one job alone, or all
    double GetRate(const std::vector<uint32_t>& levels, uint32_t only = NO_ID)
    {
        std::vector<double> ends;
        for (const Job& job : m_jobs)
        {
            ends.push_back(std::max(job.compute, job.aloneEnd));
        }
        const uint32_t last = *std::max_element(levels.begin(), levels.end());
        size_t left = 0;
        for (Flow& flow : m_flows)
        {
            flow.left = only == NO_ID || only == flow.job ? flow.bits : 0;
            left += flow.left > 0 ? 1 : 0;
        }
        double now = 0;
        while (left > 0)
        {
            for (Link& link : m_links)
            {
                link.free = link.rate;
            }
            for (uint32_t level = 0; level <= last; level++)
            {
                Fill(levels, level, now);
            }
            double step = NEVER;
            for (const Flow& flow : m_flows)
            {
                if (flow.left > 0 && now < m_jobs[flow.job].start)
                {
                    step = std::min(step, m_jobs[flow.job].start - now);
                }
                else if (flow.left > 0 && flow.rate > 0)
                {
                    step = std::min(step, flow.left / flow.rate);
                }
            }
            now += step;
            for (Flow& flow : m_flows)
            {
                if (flow.left > 0 && flow.rate > 0)
                {
                    flow.left -= flow.rate * step;
                    if (flow.left <= 1e-9 * flow.bits)
                    {
                        flow.left = 0;
                        left--;
                        ends[flow.job] = std::max(ends[flow.job], now);
                    }
                }
            }
        }
        double sum = 0;
        for (size_t j = 0; j < m_jobs.size(); j++)
        {
            sum += only == NO_ID || only == j ? m_jobs[j].flop / ends[j] : 0;
        }
        return sum;
    }

    /// What it were if no job met another.
    double GetBound()
    {
        double sum = 0;
        for (uint32_t j = 0; j < m_jobs.size(); j++)
        {
            sum += GetRate(std::vector<uint32_t>(m_jobs.size(), 0), j);
        }
        return sum;
    }

  private:
    static constexpr double NEVER = std::numeric_limits<double>::infinity();

    struct Job
    {
        double flop;
        double compute;  ///< [s]
        double start;    ///< of communication [s]
        double aloneEnd; ///< of the flows that share no link [s]
    };

    struct Flow
    {
        size_t job;
        double bits;
        double cap; ///< [bit/s]
        std::vector<uint32_t> links;
        double left;
        double rate;
    };

    struct Link
    {
        double rate; ///< [bit/s]
        double free;
        uint32_t open;
    };

    /// Gives the flows of a level their rates, by filling all equally until a link is full.
    void Fill(const std::vector<uint32_t>& levels, uint32_t level, double now)
    {
        std::vector<Flow*>& open = m_open;
        open.clear();
        for (Flow& flow : m_flows)
        {
            if (levels[flow.job] == level)
            {
                flow.rate = 0;
                if (flow.left > 0 && now >= m_jobs[flow.job].start)
                {
                    open.push_back(&flow);
                }
            }
        }
        double given = 0; // to all that are open
        while (!open.empty())
        {
            for (Link& link : m_links)
            {
                link.open = 0;
            }
            double more = NEVER;
            for (const Flow* flow : open)
            {
                more = std::min(more, flow->cap - given);
                for (const uint32_t link : flow->links)
                {
                    m_links[link].open++;
                }
            }
            for (const Link& link : m_links)
            {
                more = link.open > 0 ? std::min(more, link.free / link.open) : more;
            }
            given += more;
            for (Link& link : m_links)
            {
                link.free -= more * link.open;
            }
            open.erase(std::remove_if(open.begin(),
                                      open.end(),
                                      [&](Flow* flow) {
                                          const bool full =
                                              given >= flow->cap * (1 - 1e-12) ||
                                              std::any_of(flow->links.begin(),
                                                          flow->links.end(),
                                                          [&](uint32_t link) {
                                                              return m_links[link].free <=
                                                                     1e-9 * m_links[link].rate;
                                                          });
                                          flow->rate = full ? given : 0;
                                          return full;
                                      }),
                       open.end());
        }
        for (Flow& flow : m_flows)
        {
            // Rests of rounding are no rate.
            if (levels[flow.job] == level && flow.rate < 1e-6 * flow.cap)
            {
                flow.rate = 0;
            }
        }
    }

    std::vector<Job> m_jobs;
    std::vector<Flow> m_flows;
    std::vector<Link> m_links;
    std::vector<Flow*> m_open;
};

} // namespace ns3

#endif // GPU_FABRIC_FLOW_LEVEL_MODEL_H
