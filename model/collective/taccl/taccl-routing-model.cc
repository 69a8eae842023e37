/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-routing-model.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cmath>
#include <map>
#include <numeric>

namespace ns3
{

namespace
{

/// Weight of the sketch's secondary objective (routing.py, mu).
constexpr double SKETCH_WEIGHT = 0.01;

double
ToUs(int64_t ps)
{
    return static_cast<double>(ps) * 1e-6;
}

} // namespace

TacclRoutingModel::TacclRoutingModel(const TacclCandidates& candidates,
                                     double loadWeight,
                                     int64_t horizonPs)
    : m_candidates(candidates),
      m_network(candidates.network)
{
    const auto chunkCount = static_cast<double>(candidates.chunks.size());
    MergeSymmetric();
    m_time = m_problem.AddVariable(ToUs(candidates.GetBound()), INFINITY, 1);
    for (uint32_t c = 0; c < m_candidates.chunks.size(); c++)
    {
        AddWays(c);
        if (candidates.GetSlack() > 0)
        {
            AddStarts(c, horizonPs, loadWeight / (chunkCount * m_network.ranks));
        }
    }
    AddLoads(loadWeight);
    AddHyperedges();
}

void
TacclRoutingModel::MergeSymmetric()
{
    const auto count = static_cast<uint32_t>(m_candidates.chunks.size());
    std::vector<uint32_t> begin(count + 1);
    for (uint32_t c = 0; c < count; c++)
    {
        begin[c + 1] = begin[c] + static_cast<uint32_t>(m_candidates.GetLinks(c).size());
    }
    const auto getIndex = [&](const TacclCandidates::Candidate& candidate) {
        const std::vector<uint32_t>& links = m_candidates.GetLinks(candidate.chunk);
        return begin[candidate.chunk] +
               static_cast<uint32_t>(std::lower_bound(links.begin(), links.end(), candidate.link) -
                                     links.begin());
    };
    std::vector<uint32_t> rank(begin.back());
    std::vector<uint32_t> parent(begin.back());
    std::iota(parent.begin(), parent.end(), 0);
    boost::disjoint_sets<uint32_t*, uint32_t*> sets(rank.data(), parent.data());
    for (const auto& symmetry : m_candidates.sketch.symmetries)
    {
        for (uint32_t c = 0; c < count; c++)
        {
            for (uint32_t link : m_candidates.GetLinks(c))
            {
                for (const auto& moved : m_candidates.Move({c, link}, symmetry))
                {
                    sets.union_set(getIndex({c, link}), getIndex(moved));
                }
            }
        }
    }
    std::vector<uint32_t> variable(begin.back(), TacclNetwork::NONE);
    m_sent.resize(count);
    for (uint32_t c = 0; c < count; c++)
    {
        for (uint32_t i = begin[c]; i < begin[c + 1]; i++)
        {
            uint32_t& shared = variable[sets.find_set(i)];
            if (shared == TacclNetwork::NONE)
            {
                shared = m_problem.AddInteger(0, 1, 0);
            }
            m_sent[c].push_back(shared);
        }
    }
}

std::vector<std::vector<uint32_t>>
TacclRoutingModel::GetLinks(const std::vector<double>& values) const
{
    std::vector<std::vector<uint32_t>> links(m_sent.size());
    for (uint32_t c = 0; c < m_sent.size(); c++)
    {
        for (size_t i = 0; i < m_sent[c].size(); i++)
        {
            if (values[m_sent[c][i]] > 0.5)
            {
                links[c].push_back(m_candidates.GetLinks(c)[i]);
            }
        }
    }
    return links;
}

void
TacclRoutingModel::AddWays(uint32_t c)
{
    const std::vector<uint32_t>& admitted = m_candidates.GetLinks(c);
    std::map<uint32_t, MilpProblem::Terms> arriving;
    for (size_t i = 0; i < admitted.size(); i++)
    {
        arriving[m_network.links[admitted[i]].destination].emplace_back(m_sent[c][i], 1);
    }
    const std::vector<uint32_t>& wanted = m_candidates.chunks[c].destinations;
    for (uint32_t rank : wanted)
    {
        m_problem.AddConstraint(arriving[rank], MilpProblem::Sense::EQUAL, 1);
    }
    for (const auto& [rank, terms] : arriving)
    {
        if (!std::binary_search(wanted.begin(), wanted.end(), rank))
        {
            m_problem.AddConstraint(terms, MilpProblem::Sense::AT_MOST, 1);
        }
    }
    for (size_t i = 0; i < admitted.size(); i++)
    {
        const uint32_t source = m_network.links[admitted[i]].source;
        if (source != m_candidates.chunks[c].source &&
            !std::binary_search(wanted.begin(), wanted.end(), source))
        {
            MilpProblem::Terms terms{{m_sent[c][i], 1}};
            for (const auto& [variable, coefficient] : arriving[source])
            {
                terms.emplace_back(variable, -coefficient);
            }
            m_problem.AddConstraint(terms, MilpProblem::Sense::AT_MOST, 0);
        }
    }
}

void
TacclRoutingModel::AddStarts(uint32_t c, int64_t horizonPs, double weight)
{
    const double horizon = ToUs(horizonPs);
    const std::vector<int64_t>& distances = m_candidates.GetDistances(c);
    const int64_t slack = m_candidates.GetSlack();
    const auto getLatest = [&](uint32_t rank) {
        return slack < horizonPs ? std::min(ToUs(distances[rank] + slack), horizon) : horizon;
    };
    std::map<uint32_t, uint32_t> start;
    for (uint32_t l : m_candidates.GetLinks(c))
    {
        const uint32_t rank = m_network.links[l].destination;
        if (start.count(rank) == 0)
        {
            // A small weight against useless detours.
            start[rank] = m_problem.AddVariable(ToUs(distances[rank]), getLatest(rank), weight);
        }
    }
    for (size_t i = 0; i < m_sent[c].size(); i++)
    {
        const TacclNetwork::Link& link = m_network.links[m_candidates.GetLinks(c)[i]];
        const double cost = ToUs(link.GetCost());
        // start(source) + cost <= start(destination) if sent.
        MilpProblem::Terms terms{{start.at(link.destination), -1}};
        double most = cost - ToUs(distances[link.destination]);
        if (link.source != m_candidates.chunks[c].source)
        {
            // A rank that the chunk cannot reach has no variable and may not send it: AddWays().
            const auto source = start.find(link.source);
            if (source == start.end())
            {
                continue;
            }
            terms.emplace_back(source->second, 1);
            most += getLatest(link.source);
        }
        m_problem.AddConditional(terms, -cost, m_sent[c][i], std::max(most, 0.0));
    }
    for (uint32_t rank : m_candidates.chunks[c].destinations)
    {
        m_problem.AddConstraint({{start.at(rank), 1}, {m_time, -1}},
                                MilpProblem::Sense::AT_MOST,
                                0);
    }
}

void
TacclRoutingModel::AddLoads(double weight)
{
    const auto strategy = m_candidates.sketch.intranode;
    const bool least = strategy == TacclSketch::Intranode::MAXMIN;
    uint32_t extreme = TacclNetwork::NONE;
    if (least || strategy == TacclSketch::Intranode::MINMAX)
    {
        extreme = m_problem.AddVariable(0, INFINITY, least ? -SKETCH_WEIGHT : SKETCH_WEIGHT);
    }
    const uint32_t inside = m_problem.AddVariable(0, INFINITY, weight);
    std::vector<MilpProblem::Terms> loads(m_network.links.size());
    for (uint32_t c = 0; c < m_candidates.chunks.size(); c++)
    {
        for (size_t i = 0; i < m_sent[c].size(); i++)
        {
            const uint32_t link = m_candidates.GetLinks(c)[i];
            loads[link].emplace_back(m_sent[c][i], ToUs(m_network.links[link].GetCost()));
        }
    }
    const auto bound = [&](const MilpProblem::Terms& load, bool isInside) {
        const auto add = [&](uint32_t variable, MilpProblem::Sense sense) {
            MilpProblem::Terms terms = load;
            terms.emplace_back(variable, -1);
            m_problem.AddConstraint(terms, sense, 0);
        };
        add(m_time, MilpProblem::Sense::AT_MOST);
        if (isInside && weight > 0)
        {
            add(inside, MilpProblem::Sense::AT_MOST);
        }
        if (extreme != TacclNetwork::NONE)
        {
            add(extreme, least ? MilpProblem::Sense::AT_LEAST : MilpProblem::Sense::AT_MOST);
        }
    };
    for (uint32_t link = 0; link < loads.size(); link++)
    {
        bound(loads[link], !m_network.links[link].remote);
    }
    for (const TacclNetwork::Port& port : m_network.ports)
    {
        MilpProblem::Terms load;
        for (uint32_t link : port.links)
        {
            load.insert(load.end(), loads[link].begin(), loads[link].end());
        }
        bound(load, !m_network.links[port.links[0]].remote);
    }
}

void
TacclRoutingModel::AddHyperedges()
{
    const auto hyperedges = m_candidates.sketch.hyperedges;
    if (hyperedges == TacclSketch::Hyperedges::ANY)
    {
        return;
    }
    const double weight =
        hyperedges == TacclSketch::Hyperedges::FEWEST ? SKETCH_WEIGHT : -SKETCH_WEIGHT;
    for (uint32_t l = 0; l < m_network.links.size(); l++)
    {
        const TacclNetwork::Link& link = m_network.links[l];
        if (link.remote || link.source >= m_network.ranksOfNode)
        {
            continue;
        }
        const uint32_t used = m_problem.AddInteger(0, 1, weight);
        MilpProblem::Terms all{{used, 1}};
        for (uint32_t c = 0; c < m_candidates.chunks.size(); c++)
        {
            const auto& admitted = m_candidates.GetLinks(c);
            const auto found = std::find(admitted.begin(), admitted.end(), l);
            if (found != admitted.end())
            {
                const uint32_t sent = m_sent[c][static_cast<size_t>(found - admitted.begin())];
                all.emplace_back(sent, -1);
                m_problem.AddConstraint({{sent, 1}, {used, -1}}, MilpProblem::Sense::AT_MOST, 0);
            }
        }
        m_problem.AddConstraint(all, MilpProblem::Sense::AT_MOST, 0);
    }
}

} // namespace ns3
