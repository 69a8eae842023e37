/* SPDX-License-Identifier: GPL-2.0-only */
#include "solo-reference.h"

#include "../../model/results/named-columns.h"
#include "../../model/results/run-identity.h"
#include "cluster-run.h"

#include "ns3/log.h"
#include "ns3/placement-policy.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SoloReference");

namespace
{

/// Puts the only job on given GPUs. Scenarios cannot name it, so it has no TypeId of its own.
class GivenPlacement : public PlacementPolicy
{
  public:
    explicit GivenPlacement(std::vector<uint32_t> gpus)
        : m_gpus(std::move(gpus))
    {
    }

    std::vector<Placement> Rank(const PlacementView& /* view */,
                                const PlacementRequest& /* request */) const override
    {
        return {{m_gpus, "as in the run that is referred to"}};
    }

  private:
    std::vector<uint32_t> m_gpus;
};

} // namespace

SoloReference::SoloReference(const Scenario& scenario,
                             std::string identity,
                             std::string scratch,
                             std::string cache)
    : m_scenario(scenario),
      m_identity(std::move(identity)),
      m_scratch(std::move(scratch)),
      m_cache(std::move(cache))
{
}

void
SoloReference::Complete(ResultDatabase& database,
                        uint32_t run,
                        const std::vector<std::vector<uint32_t>>& placements)
{
    database.Flush();
    for (uint32_t job = 0; job < placements.size(); ++job)
    {
        const std::optional<int64_t> time =
            placements[job].empty() ? std::nullopt : Get(job, placements[job]);
        if (!time)
        {
            continue;
        }
        try
        {
            SQLite::Statement update(
                database.GetHandle(),
                "UPDATE job SET solo_iteration_ps = ? WHERE run = ? AND job = ?");
            update.bind(1, *time);
            update.bind(2, run);
            update.bind(3, job);
            update.exec();
        }
        catch (const SQLite::Exception& error)
        {
            throw ResultWriteError(database.GetPartial() + ": " + error.what());
        }
    }
}

std::optional<int64_t>
SoloReference::Get(uint32_t job, const std::vector<uint32_t>& gpus)
{
    std::string text = m_identity + "|" + m_scenario.jobs[job].name;
    for (const uint32_t gpu : gpus)
    {
        text += "," + std::to_string(gpu);
    }
    const std::string key = RunIdentity::Hash(text);
    const auto known = m_known.find(key);
    if (known != m_known.end())
    {
        return known->second;
    }
    const std::string file = m_cache + "/" + key;
    int64_t time = 0;
    if (!m_cache.empty() && (std::ifstream(file) >> time))
    {
        m_known[key] = time > 0 ? std::optional<int64_t>(time) : std::nullopt;
        return m_known[key];
    }
    const std::optional<int64_t> result = Run(job, gpus);
    if (m_interrupt && *m_interrupt)
    {
        return std::nullopt;
    }
    m_known[key] = result;
    if (!m_cache.empty())
    {
        // All or nothing: another process may be looking for it.
        const std::string temporary = file + "." + std::to_string(getpid());
        std::ofstream stream(temporary);
        stream << result.value_or(0) << "\n";
        stream.close();
        std::error_code error;
        std::filesystem::rename(temporary, file, error);
        if (!stream || error)
        {
            throw ResultWriteError(file + ": cannot write");
        }
    }
    return result;
}

std::optional<int64_t>
SoloReference::Run(uint32_t job, const std::vector<uint32_t>& gpus)
{
    if (m_interrupt && *m_interrupt)
    {
        return std::nullopt;
    }
    ++m_runs;
    NS_LOG_INFO("job " << m_scenario.jobs[job].name << " runs alone on " << gpus.size() << " GPUs");
    Scenario alone = m_scenario;
    JobSpec spec = m_scenario.jobs[job];
    const uint64_t warmup = m_scenario.measure.warmup;
    spec.iterations = spec.iterations > 0 ? std::min(spec.iterations, warmup + PERIODS + 1)
                                          : warmup + PERIODS + 1;
    spec.until.clear();
    spec.duration = Time();
    spec.restart = false;
    spec.arrival = TimeRange();
    alone.jobs = {spec};
    alone.flows.clear();
    alone.faults.clear();
    alone.stopWhen = StopCondition::ALL_JOBS_DONE;
    alone.stopPs = 0;
    alone.measure = MeasureSpec();
    alone.record = RecordSpec();
    alone.record.events = false;
    alone.record.collectives = false;
    TypedBlock scheduler;
    scheduler.typeName = "None";
    if (m_scenario.solo != SoloPaths::ECMP)
    {
        // A job alone may collide with itself under ECMP.
        scheduler.typeName = "GpuIntensity";
        scheduler.attributes.push_back({"SelectPaths", "true", {}});
    }
    scheduler.typeId = "ns3::" + scheduler.typeName + "Scheduler";

    ResultDatabase database(m_scratch, true);
    ClusterRun cluster(alone, scheduler, 1);
    cluster.SetInterrupt(m_interrupt);
    cluster.SetPlacement(CreateObject<GivenPlacement>(gpus));
    Diagnostics diagnostics;
    std::optional<int64_t> result;
    if (cluster.Build(diagnostics))
    {
        cluster.Run(database, RunRow(), nullptr);
        database.Flush();
        std::vector<int64_t> starts;
        SQLite::Statement query(
            database.GetHandle(),
            "SELECT start_ps AS start_ps FROM iteration WHERE run = 1 ORDER BY iteration");
        while (query.executeStep())
        {
            starts.push_back(GetInteger(query, "start_ps"));
        }
        if (starts.size() >= 2)
        {
            const std::size_t first = std::min<std::size_t>(warmup, starts.size() - 2);
            const auto periods = static_cast<int64_t>(starts.size() - 1 - first);
            result = (starts.back() - starts[first] + periods / 2) / periods;
        }
    }
    database.Discard();
    return result;
}

} // namespace ns3
