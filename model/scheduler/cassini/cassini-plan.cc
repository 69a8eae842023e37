/* SPDX-License-Identifier: GPL-2.0-only */
#include "cassini-plan.h"

#include "../../base/ties.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes of a job on each directed link.
std::vector<uint64_t>
GetLinkBytes(const ClusterTopology& topology, const JobView& job)
{
    std::vector<uint64_t> bytes(topology.GetPortCount(), 0);
    for (const FlowView& flow : job.flows)
    {
        for (const uint32_t link : flow.path)
        {
            bytes[link] += flow.wireBytes;
        }
    }
    return bytes;
}

/// The non-negative remainder.
int64_t
Modulo(int64_t value, int64_t period)
{
    const int64_t rest = value % period;
    return rest < 0 ? rest + period : rest;
}

} // namespace

CassiniPlan::Profile
CassiniPlan::GetProfile(const ClusterTopology& topology, const JobView& job)
{
    Profile profile;
    double seconds = 0;
    const std::vector<uint64_t> bytes = GetLinkBytes(topology, job);
    for (uint32_t link = 0; link < bytes.size(); link++)
    {
        seconds = std::max(seconds,
                           8.0 * static_cast<double>(bytes[link]) /
                               static_cast<double>(topology.GetPortRate(link)));
    }
    for (const FlowView& flow : job.flows)
    {
        profile.wireBytes += flow.wireBytes;
    }
    profile.communicationPs = std::llround(seconds * 1e12);
    profile.communicationStartPs =
        std::llround(job.communicationStart * static_cast<double>(job.computePs));
    profile.iterationPs =
        std::max(job.computePs, profile.communicationStartPs + profile.communicationPs);
    return profile;
}

CassiniPlan::CassiniPlan(const ClusterTopology& topology,
                         const std::vector<JobView>& jobs,
                         const Options& options)
    : m_shifts(jobs.size(), 0)
{
    NS_ABORT_MSG_IF(options.angles == 0 || options.maximumCells == 0, "a circle without cells");
    for (const JobView& job : jobs)
    {
        m_profiles.push_back(GetProfile(topology, job));
        m_bytes.push_back(GetLinkBytes(topology, job));
    }
    FindVertices(topology, jobs);
    for (Vertex& vertex : m_vertices)
    {
        Solve(topology, vertex, options);
    }
    FindComponents(jobs);
    for (const Component& component : m_components)
    {
        if (!component.hasLoop)
        {
            SpreadShifts(component);
        }
    }
}

void
CassiniPlan::FindVertices(const ClusterTopology& topology, const std::vector<JobView>& jobs)
{
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> linksOf; // by jobs
    for (uint32_t link = 0; link < topology.GetPortCount(); link++)
    {
        std::vector<uint32_t> sharing;
        double demand = 0;
        for (uint32_t j = 0; j < jobs.size(); j++)
        {
            if (m_bytes[j][link] > 0)
            {
                sharing.push_back(j);
                demand += 8e12 * static_cast<double>(m_bytes[j][link]) /
                          static_cast<double>(m_profiles[j].communicationPs);
            }
        }
        // Rounding of times to ps must not make a link contended.
        if (sharing.size() > 1 &&
            demand > (1 + 1e-6) * static_cast<double>(topology.GetPortRate(link)))
        {
            linksOf[sharing].push_back(link);
        }
    }
    for (auto& [sharing, links] : linksOf)
    {
        Vertex vertex;
        vertex.jobs = sharing;
        vertex.links = links;
        m_vertices.push_back(std::move(vertex));
    }
}

void
CassiniPlan::Solve(const ClusterTopology& topology, Vertex& vertex, const Options& options)
{
    int64_t shortestPs = m_profiles[vertex.jobs[0]].iterationPs;
    for (const uint32_t job : vertex.jobs)
    {
        shortestPs = std::min(shortestPs, m_profiles[job].iterationPs);
    }
    // Cells of an iteration of each job, coarsened until the circle is small enough.
    std::vector<uint32_t> periods(vertex.jobs.size(), 1);
    for (double angles = options.angles; angles >= 1; angles /= 2)
    {
        for (size_t i = 0; i < periods.size(); i++)
        {
            const double cells = static_cast<double>(m_profiles[vertex.jobs[i]].iterationPs) /
                                 static_cast<double>(shortestPs) * angles;
            periods[i] = static_cast<uint32_t>(
                std::clamp<double>(RoundWithTies(cells), 1, options.maximumCells));
        }
        vertex.cells = CassiniCircle::GetCommonMultiple(periods, options.maximumCells);
        if (vertex.cells > 0)
        {
            break;
        }
    }
    if (vertex.cells == 0)
    {
        // The iterations are too different for a circle: the long ones hardly move during a short
        // one.
        std::fill(periods.begin(), periods.end(), options.angles);
        vertex.cells = options.angles;
    }

    std::vector<CassiniCircle::Job> jobs;
    for (size_t i = 0; i < periods.size(); i++)
    {
        const Profile& profile = m_profiles[vertex.jobs[i]];
        const double cellsPerPs =
            static_cast<double>(periods[i]) / static_cast<double>(profile.iterationPs);
        jobs.push_back(CassiniCircle::Job::Make(
            periods[i],
            static_cast<double>(profile.communicationStartPs) * cellsPerPs,
            std::min<double>(periods[i],
                             static_cast<double>(profile.communicationPs) * cellsPerPs)));
    }
    // Links with equal rates and bytes count as one link with a multiplicity.
    std::map<std::vector<uint64_t>, uint32_t> kinds;
    for (const uint32_t link : vertex.links)
    {
        std::vector<uint64_t> kind{topology.GetPortRate(link)};
        for (const uint32_t job : vertex.jobs)
        {
            kind.push_back(m_bytes[job][link]);
        }
        kinds[kind]++;
    }
    std::vector<CassiniCircle::Link> links;
    for (const auto& [kind, count] : kinds)
    {
        CassiniCircle::Link link{static_cast<double>(kind[0]), {}, count};
        for (size_t i = 0; i < periods.size(); i++)
        {
            link.demands.push_back(8e12 * static_cast<double>(kind[i + 1]) /
                                   static_cast<double>(m_profiles[vertex.jobs[i]].communicationPs));
        }
        links.push_back(std::move(link));
    }
    const CassiniCircle circle(std::move(jobs), std::move(links));
    const CassiniCircle::Rotation best = circle.FindBest(options.search);
    vertex.score = best.score;
    vertex.exact = best.exact;
    vertex.unshiftedScore = circle.GetScore(std::vector<uint32_t>(periods.size(), 0));
    for (size_t i = 0; i < periods.size(); i++)
    {
        const auto iterationPs = static_cast<double>(m_profiles[vertex.jobs[i]].iterationPs);
        vertex.shiftPs.push_back(
            std::llround(iterationPs * best.cells[i] / static_cast<double>(periods[i])));
    }
}

void
CassiniPlan::FindComponents(const std::vector<JobView>& jobs)
{
    std::vector<uint32_t> componentOf(jobs.size(), UINT32_MAX);
    for (uint32_t first = 0; first < jobs.size(); first++)
    {
        if (componentOf[first] != UINT32_MAX)
        {
            continue;
        }
        Component component;
        const auto id = static_cast<uint32_t>(m_components.size());
        std::vector<uint8_t> seen(m_vertices.size(), 0);
        std::deque<uint32_t> open{first};
        componentOf[first] = id;
        size_t edges = 0;
        for (; !open.empty(); open.pop_front())
        {
            component.jobs.push_back(open.front());
            for (uint32_t v = 0; v < m_vertices.size(); v++)
            {
                const std::vector<uint32_t>& members = m_vertices[v].jobs;
                if (seen[v] != 0 ||
                    !std::binary_search(members.begin(), members.end(), open.front()))
                {
                    continue;
                }
                seen[v] = 1;
                component.vertices.push_back(v);
                edges += members.size();
                for (const uint32_t member : members)
                {
                    if (componentOf[member] == UINT32_MAX)
                    {
                        componentOf[member] = id;
                        open.push_back(member);
                    }
                }
            }
        }
        std::sort(component.jobs.begin(), component.jobs.end());
        std::sort(component.vertices.begin(), component.vertices.end());
        // A connected graph is a tree iff it has one edge fewer than vertices.
        component.hasLoop = edges + 1 != component.jobs.size() + component.vertices.size();
        // The job that arrived first is not shifted.
        component.root = *std::min_element(component.jobs.begin(),
                                           component.jobs.end(),
                                           [&jobs](uint32_t a, uint32_t b) {
                                               return std::tie(jobs[a].arrivalPs, jobs[a].job) <
                                                      std::tie(jobs[b].arrivalPs, jobs[b].job);
                                           });
        if (!component.vertices.empty())
        {
            m_components.push_back(std::move(component));
        }
        else
        {
            componentOf[first] = UINT32_MAX - 1; // alone
        }
    }
}

void
CassiniPlan::SpreadShifts(const Component& component)
{
    std::vector<uint8_t> seen(m_vertices.size(), 0);
    std::deque<uint32_t> open{component.root};
    for (; !open.empty(); open.pop_front())
    {
        const uint32_t job = open.front();
        for (const uint32_t v : component.vertices)
        {
            const Vertex& vertex = m_vertices[v];
            const auto own = std::lower_bound(vertex.jobs.begin(), vertex.jobs.end(), job);
            if (seen[v] != 0 || own == vertex.jobs.end() || *own != job)
            {
                continue;
            }
            seen[v] = 1;
            const int64_t ownPs = vertex.shiftPs[own - vertex.jobs.begin()];
            for (size_t i = 0; i < vertex.jobs.size(); i++)
            {
                const uint32_t other = vertex.jobs[i];
                if (other != job)
                {
                    m_shifts[other] = Modulo(m_shifts[job] - ownPs + vertex.shiftPs[i],
                                             m_profiles[other].iterationPs);
                    open.push_back(other);
                }
            }
        }
    }
}

bool
CassiniPlan::HasLoop() const
{
    return std::any_of(m_components.begin(), m_components.end(), [](const Component& component) {
        return component.hasLoop;
    });
}

double
CassiniPlan::GetMeanScore() const
{
    double sum = 0;
    size_t links = 0;
    for (const Vertex& vertex : m_vertices)
    {
        sum += vertex.score * static_cast<double>(vertex.links.size());
        links += vertex.links.size();
    }
    return links == 0 ? 1 : sum / static_cast<double>(links);
}

double
CassiniPlan::GetLowestScore() const
{
    double lowest = 1;
    for (const Vertex& vertex : m_vertices)
    {
        lowest = std::min(lowest, vertex.score);
    }
    return lowest;
}

} // namespace ns3
