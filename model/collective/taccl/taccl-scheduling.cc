/* SPDX-License-Identifier: GPL-2.0-only */
#include "taccl-scheduling.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t NO_SEND = TacclSend::FIRST;
constexpr int MAX_PASSES = 20;

double
ToUs(int64_t ps)
{
    return static_cast<double>(ps) * 1e-6;
}

} // namespace

TacclScheduling::TacclScheduling(const TacclNetwork& network,
                                 std::vector<TacclSend> sends,
                                 uint32_t maxTogether)
    : m_network(network),
      m_sends(std::move(sends)),
      m_maxTogether(maxTogether),
      m_next(m_sends.size(), NO_SEND),
      m_previous(m_sends.size(), NO_SEND),
      m_portSends(network.ports.size())
{
    std::vector<uint32_t> last(network.links.size(), NO_SEND);
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        uint32_t& before = last[m_sends[s].link];
        m_previous[s] = before;
        if (before != NO_SEND)
        {
            m_next[before] = s;
        }
        before = s;
        for (uint32_t port : network.links[m_sends[s].link].ports)
        {
            m_portSends[port].push_back(s);
        }
    }
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        const TacclNetwork::Link& link = network.links[m_sends[s].link];
        bool joinable = link.remote && m_next[s] != NO_SEND;
        for (uint32_t port : link.ports)
        {
            // Only sends that are next at the ports, too.
            const std::vector<uint32_t>& order = m_portSends[port];
            const auto at = std::find(order.begin(), order.end(), s);
            joinable = joinable && at + 1 != order.end() && *(at + 1) == m_next[s];
        }
        if (joinable)
        {
            m_joinable.push_back(s);
        }
    }
}

bool
TacclScheduling::IsTooLong(const Joins& joins, uint32_t send) const
{
    uint32_t first = send;
    while (m_previous[first] != NO_SEND && joins[m_previous[first]])
    {
        first = m_previous[first];
    }
    uint32_t count = 1;
    for (uint32_t s = first; joins[s]; s = m_next[s])
    {
        count++;
    }
    return count > m_maxTogether;
}

TacclTiming
TacclScheduling::Evaluate(const Joins& joins) const
{
    TacclTiming timing;
    std::vector<uint32_t> messageOf(m_sends.size(), NO_SEND);
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        if (messageOf[s] != NO_SEND)
        {
            continue;
        }
        const TacclNetwork::Link& link = m_network.links[m_sends[s].link];
        TacclMessage message;
        message.source = link.source;
        message.destination = link.destination;
        message.remote = link.remote;
        for (uint32_t part = s;; part = m_next[part])
        {
            messageOf[part] = static_cast<uint32_t>(timing.messages.size());
            message.chunks.push_back(m_sends[part].chunk);
            if (!joins[part])
            {
                break;
            }
        }
        timing.messages.push_back(std::move(message));
    }
    const size_t count = timing.messages.size();
    std::vector<std::vector<uint32_t>> following(count);
    std::vector<uint32_t> waits(count);
    const auto addWait = [&](uint32_t before, uint32_t after) {
        if (messageOf[before] != messageOf[after])
        {
            following[messageOf[before]].push_back(messageOf[after]);
            waits[messageOf[after]]++;
        }
    };
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        if (m_sends[s].after != NO_SEND)
        {
            addWait(m_sends[s].after, s);
        }
        if (m_next[s] != NO_SEND)
        {
            addWait(s, m_next[s]);
        }
    }
    for (const std::vector<uint32_t>& order : m_portSends)
    {
        for (size_t i = 1; i < order.size(); i++)
        {
            addWait(order[i - 1], order[i]);
        }
    }
    std::vector<uint32_t> open;
    for (uint32_t m = 0; m < count; m++)
    {
        if (waits[m] == 0)
        {
            open.push_back(m);
        }
    }
    size_t ended = 0;
    std::vector<uint32_t> firstSend(count, NO_SEND);
    for (uint32_t s = 0; s < m_sends.size(); s++)
    {
        firstSend[messageOf[s]] = std::min(firstSend[messageOf[s]], s);
    }
    while (!open.empty())
    {
        const uint32_t m = open.back();
        open.pop_back();
        ended++;
        TacclMessage& message = timing.messages[m];
        const TacclNetwork::Link& link = m_network.links[m_sends[firstSend[m]].link];
        message.endPs = message.startPs + link.alphaPs +
                        link.betaPs * static_cast<int64_t>(message.chunks.size());
        timing.makespanPs = std::max(timing.makespanPs, message.endPs);
        for (uint32_t next : following[m])
        {
            timing.messages[next].startPs = std::max(timing.messages[next].startPs, message.endPs);
            if (--waits[next] == 0)
            {
                open.push_back(next);
            }
        }
    }
    if (ended < count)
    {
        timing.makespanPs = std::numeric_limits<int64_t>::max();
    }
    std::stable_sort(
        timing.messages.begin(),
        timing.messages.end(),
        [](const TacclMessage& a, const TacclMessage& b) { return a.startPs < b.startPs; });
    return timing;
}

TacclTiming
TacclScheduling::SolveGreedily() const
{
    Joins joins(m_sends.size());
    TacclTiming best = Evaluate(joins);
    NS_ABORT_MSG_IF(best.makespanPs == std::numeric_limits<int64_t>::max(),
                    "sends that wait for each other");
    // The last arrival, then the sum over the ranks of their last arrivals: the gain of a join on
    // one link may become visible only once another link has it, too.
    const auto measure = [this](const TacclTiming& timing) {
        std::vector<int64_t> last(m_network.ranks);
        for (const TacclMessage& message : timing.messages)
        {
            last[message.destination] = std::max(last[message.destination], message.endPs);
        }
        return std::make_pair(timing.makespanPs,
                              std::accumulate(last.begin(), last.end(), int64_t{0}));
    };
    auto least = measure(best);
    bool better = !m_joinable.empty();
    for (int pass = 0; pass < MAX_PASSES && better; pass++)
    {
        better = false;
        for (uint32_t s : m_joinable)
        {
            joins[s] ^= 1;
            TacclTiming timing;
            const bool wrong = joins[s] && IsTooLong(joins, s);
            if (!wrong)
            {
                timing = Evaluate(joins);
            }
            if (!wrong && measure(timing) < least)
            {
                best = std::move(timing);
                least = measure(best);
                better = true;
            }
            else
            {
                joins[s] ^= 1;
            }
        }
    }
    best.solver = m_joinable.empty() ? "exact" : "greedy";
    return best;
}

MilpProblem
TacclScheduling::MakeProblem(int64_t horizonPs, std::vector<uint32_t>& joinVariables) const
{
    // For each send: when its message leaves, when it would arrive if its message ended with it,
    // and when it arrives.
    using Sense = MilpProblem::Sense;
    MilpProblem problem;
    const double horizon = ToUs(horizonPs);
    const auto count = static_cast<uint32_t>(m_sends.size());
    const uint32_t time = problem.AddVariable(0, horizon, 1);
    std::vector<uint32_t> start(count);
    std::vector<uint32_t> end(count);
    std::vector<uint32_t> arrival(count);
    for (uint32_t s = 0; s < count; s++)
    {
        const bool remote = m_network.links[m_sends[s].link].remote;
        start[s] = problem.AddVariable(0, horizon, 0);
        end[s] = problem.AddVariable(0, horizon, 0);
        arrival[s] = remote ? problem.AddVariable(0, horizon, 0) : end[s];
    }
    joinVariables.assign(count, UINT32_MAX);
    for (uint32_t s : m_joinable)
    {
        joinVariables[s] = problem.AddInteger(0, 1, 0);
    }
    // first + gap <= second.
    const auto addAfter = [&problem](uint32_t first, double gap, uint32_t second) {
        problem.AddConstraint({{first, 1}, {second, -1}}, Sense::AT_MOST, -gap);
    };
    for (uint32_t s = 0; s < count; s++)
    {
        const TacclNetwork::Link& link = m_network.links[m_sends[s].link];
        const double alpha = ToUs(link.alphaPs);
        const double beta = ToUs(link.betaPs);
        if (m_sends[s].after != NO_SEND)
        {
            addAfter(arrival[m_sends[s].after], 0, start[s]);
        }
        addAfter(start[s], alpha + beta, end[s]);
        addAfter(arrival[s], 0, time);
        if (link.remote)
        {
            addAfter(end[s], 0, arrival[s]);
        }
        const uint32_t next = m_next[s];
        if (next == NO_SEND)
        {
            continue;
        }
        const uint32_t join = joinVariables[s];
        if (join == UINT32_MAX)
        {
            addAfter(arrival[s], 0, start[next]);
            continue;
        }
        // Joined sends share one alpha, leave when all are there, and arrive at the end.
        problem.AddConstraint({{end[s], 1}, {end[next], -1}, {join, -alpha}},
                              Sense::AT_MOST,
                              -beta - alpha);
        problem.AddConditional({{start[next], 1}, {start[s], -1}}, 0, join, horizon);
        problem.AddConditional({{arrival[next], 1}, {arrival[s], -1}}, 0, join, horizon);
        // At most maxTogether sends per message.
        MilpProblem::Terms window;
        uint32_t part = s;
        while (part != NO_SEND && joinVariables[part] != UINT32_MAX &&
               window.size() < m_maxTogether)
        {
            window.emplace_back(joinVariables[part], 1);
            part = m_next[part];
        }
        if (window.size() == m_maxTogether)
        {
            problem.AddConstraint(window, Sense::AT_MOST, m_maxTogether - 1);
        }
    }
    for (const std::vector<uint32_t>& order : m_portSends)
    {
        for (size_t i = 1; i < order.size(); i++)
        {
            if (m_next[order[i - 1]] != order[i])
            {
                addAfter(arrival[order[i - 1]], 0, start[order[i]]);
            }
        }
    }
    return problem;
}

TacclTiming
TacclScheduling::Solve(const MilpSolver& solver) const
{
    TacclTiming greedy = SolveGreedily();
    if (m_joinable.empty())
    {
        return greedy;
    }
    greedy.fallback = solver.GetMissing();
    if (solver.GetName().empty())
    {
        return greedy;
    }
    std::vector<uint32_t> variables;
    const MilpProblem problem = MakeProblem(greedy.makespanPs, variables);
    const MilpSolution solution = solver.Solve(problem);
    greedy.fallback = "contiguity: " + solution.message;
    if (!solution.HasValues())
    {
        return greedy;
    }
    Joins joins(m_sends.size());
    for (uint32_t s : m_joinable)
    {
        joins[s] = solution.values[variables[s]] > 0.5;
    }
    TacclTiming timing = Evaluate(joins);
    if (timing.makespanPs > greedy.makespanPs)
    {
        greedy.fallback = "contiguity: what " + solver.GetName() + " found is slower";
        return greedy;
    }
    timing.solver = solver.GetName();
    timing.gap = solution.gap;
    return timing;
}

} // namespace ns3
