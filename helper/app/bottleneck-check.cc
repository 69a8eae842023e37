/* SPDX-License-Identifier: GPL-2.0-only */
#include "bottleneck-check.h"

#include "../../model/cluster/fabric-path-oracle.h"
#include "../../model/results/named-columns.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{

namespace
{

bool
Crosses(const LinkPath& path, uint32_t link)
{
    return std::find(path.begin(), path.end(), link) != path.end();
}

} // namespace

BottleneckCheck::BottleneckCheck(const Scenario& scenario, const FabricHelper& network)
    : m_scenario(scenario),
      m_network(network)
{
}

void
BottleneckCheck::AddJob(const JobView& view, uint64_t ended, uint64_t current)
{
    const int64_t link = m_scenario.graph.FindDirectedLink(m_scenario.bottleneck);
    uint64_t bytes = 0;
    for (const FlowView& flow : view.flows)
    {
        bytes += link >= 0 && Crosses(flow.path, static_cast<uint32_t>(link)) ? flow.wireBytes : 0;
    }
    if (bytes > 0)
    {
        const uint64_t started = current + 1;
        m_jobs[view.job] = {view.flop,
                            bytes,
                            static_cast<double>(view.computePs) * view.gpus,
                            started - std::min(started, ended)};
    }
}

double
BottleneckCheck::CountComputed(ResultDatabase& database,
                               uint32_t run,
                               uint32_t id,
                               const Job& job) const
{
    SQLite::Statement query(database.GetHandle(),
                            "SELECT SUM(i.count) AS ended, SUM(i.compute_ps) AS ended_ps, "
                            "(SELECT SUM(u.compute_ps) FROM job_utilization AS u "
                            "WHERE u.run = ?1 AND u.job = ?2) AS all_ps "
                            "FROM iteration AS i WHERE i.run = ?1 AND i.job = ?2");
    query.bind(1, run);
    query.bind(2, id);
    query.executeStep();
    const auto ended = static_cast<double>(GetInteger(query, "ended"));
    const auto endedPs = static_cast<double>(GetInteger(query, "ended_ps"));
    const double restPs = static_cast<double>(GetInteger(query, "all_ps")) - endedPs;
    const double iterationPs = ended > 0 ? endedPs / ended : job.computePs;
    // Jitter can make an iteration longer than the mean, yet it is only one.
    return ended + (iterationPs > 0
                        ? std::min(restPs / iterationPs, static_cast<double>(job.underWay))
                        : 0);
}

std::set<uint32_t>
BottleneckCheck::FindMoved(ResultDatabase& database, uint32_t run) const
{
    const auto link =
        static_cast<uint32_t>(m_scenario.graph.FindDirectedLink(m_scenario.bottleneck));
    const FabricPathOracle paths(m_network.GetFabric());
    std::set<uint32_t> jobs;
    SQLite::Statement query(database.GetHandle(),
                            "SELECT q.job AS job, q.source_nic AS source, "
                            "q.destination_nic AS destination, c.old AS old, c.new AS new "
                            "FROM queue_pair_change AS c JOIN queue_pair AS q "
                            "ON q.run = c.run AND q.queue_pair = c.queue_pair "
                            "WHERE c.run = ? AND q.job IS NOT NULL AND c.old <> c.new");
    query.bind(1, run);
    while (query.executeStep())
    {
        const auto crosses = [&](const char* port) {
            return Crosses(paths.GetEcmpPath(GetId(query, "source"),
                                             GetId(query, "destination"),
                                             static_cast<uint16_t>(GetInteger(query, port))),
                           link);
        };
        if (crosses("old") != crosses("new"))
        {
            jobs.insert(GetId(query, "job"));
        }
    }
    return jobs;
}

std::set<uint32_t>
BottleneckCheck::FindRestarted(ResultDatabase& database, uint32_t run) const
{
    std::set<uint32_t> jobs;
    SQLite::Statement query(
        database.GetHandle(),
        "SELECT job AS job FROM job_event WHERE run = ? AND kind = 'interrupted'");
    query.bind(1, run);
    while (query.executeStep())
    {
        jobs.insert(GetId(query, "job"));
    }
    return jobs;
}

bool
BottleneckCheck::HasLinksDown() const
{
    return std::any_of(m_scenario.faults.begin(), m_scenario.faults.end(), [](const auto& fault) {
        return fault.action == FaultAction::DOWN || fault.action == FaultAction::FLAPPING;
    });
}

void
BottleneckCheck::Write(ResultDatabase& database, uint32_t run) const
{
    if (m_jobs.empty() || !m_scenario.record.jobs)
    {
        return;
    }
    const auto link =
        static_cast<uint32_t>(m_scenario.graph.FindDirectedLink(m_scenario.bottleneck));
    std::map<uint32_t, uint64_t> carried; // by job [byte]
    for (const JobLinkCounters& counters : m_network.GetFabric()->GetJobLinkCounters())
    {
        if (counters.link == link &&
            counters.priority != m_network.GetFabric()->GetControlPriority())
        {
            carried[counters.job] += counters.bytes;
        }
    }
    const double psPerByte = 8e12 / static_cast<double>(m_scenario.graph.GetPortRate(link));
    const bool sprayed = m_network.GetFabric()->GetPathSelector().IsPerFrame();
    double difference = 0;
    double bound = 0;
    try
    {
        const std::set<uint32_t> moved = FindMoved(database, run);
        const std::set<uint32_t> restarted = FindRestarted(database, run);
        for (const auto& [id, job] : m_jobs)
        {
            const double computed = CountComputed(database, run, id, job);
            BottleneckRow row;
            row.run = run;
            row.job = id;
            row.link = link;
            row.iterationPs = std::llround(static_cast<double>(job.bytes) * psPerByte);
            row.carriedPs = std::llround(static_cast<double>(carried[id]) * psPerByte);
            row.doneFlop = job.flop * computed;
            row.carriedFlop =
                job.flop * static_cast<double>(carried[id]) / static_cast<double>(job.bytes);
            row.boundFlop = job.flop * static_cast<double>(std::max<uint64_t>(1, job.underWay));
            row.note = m_network.GetTransport()->GetJobCounters(id).retransmittedBytes > 0
                           ? "frames were sent again"
                       : restarted.count(id) > 0 ? "it was interrupted"
                       : moved.count(id) > 0     ? "its paths changed"
                       : HasLinksDown()          ? "links went down"
                       : sprayed                 ? "frames choose their paths"
                                                 : "";
            database.Insert(row);
            if (row.note.empty())
            {
                difference += row.doneFlop - row.carriedFlop;
                bound += row.boundFlop;
            }
        }
    }
    catch (const SQLite::Exception& error)
    {
        throw ResultWriteError(database.GetPartial() + ": " + error.what());
    }
    if (bound > 0)
    {
        constexpr double MILLION = 1e6; // one of which far exceeds the rounding error of doubles
        const double excess = std::floor((std::abs(difference) / bound - 1) * MILLION);
        database.InsertInvariant(run,
                                 "theorem_1_excess_ppm",
                                 0,
                                 std::max<int64_t>(0, std::llround(excess)));
    }
}

} // namespace ns3
