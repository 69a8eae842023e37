/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-plan.h"

#include "../../model/scenario/scenario-reader.h"
#include "cluster-run.h"
#include "program-facts.h"
#include "run-parameters.h"
#include "scenario-runner.h"

#include <map>

namespace ns3
{

CampaignPlan::CampaignPlan(const std::string& file,
                           const std::vector<std::string>& attributes,
                           const std::vector<std::string>& others,
                           bool solo,
                           Diagnostics& diagnostics)
{
    ScenarioReader reader(diagnostics);
    reader.SetOverridden(attributes);
    reader.SetModelCheck(&ScenarioRunner::CheckModel);
    std::map<std::size_t, RunIdentity> identities; // by the first of the points that differ only in
                                                   // the seed
    std::map<std::size_t, RunCost> costs;          // by the same
    const auto check = [&](std::size_t point, Scenario& scenario, Diagnostics& found) {
        if (solo && scenario.solo == SoloPaths::NONE)
        {
            scenario.solo = SoloPaths::SELECTED;
        }
        RunParameters parameters;
        parameters.Apply(scenario, attributes, others);
        ClusterRun run(scenario, scenario.schedulers[0], 1);
        if (run.Build(found))
        {
            costs[point] = run.EstimateCost();
        }
        identities[point] =
            parameters.GetIdentity(scenario, scenario.schedulers[0], ScenarioRunner::GetVersion());
        m_overrides = parameters.GetOverrides();
        m_needsSolver = m_needsSolver || ProgramFacts::NeedsSolver(scenario);
        parameters.Restore();
    };
    const std::optional<ScenarioSweep> sweep = reader.ReadSweep(file, check);
    if (!sweep)
    {
        return;
    }
    for (const SweepAxis& axis : sweep->GetAxes())
    {
        m_axes.push_back(axis.name);
    }
    const std::size_t seeds = sweep->GetSeedCount();
    std::map<std::string, std::size_t> numbers; // by run id
    for (std::size_t i = 0; i < sweep->GetPointCount(); i++)
    {
        Point point{sweep->GetLabel(i), sweep->GetValues(i), "", costs[i - i % seeds]};
        RunIdentity identity = identities.at(i - i % seeds);
        if (point.values.back().first == "seed")
        {
            identity.seed = std::stoull(point.values.back().second);
        }
        point.runId = identity.GetRunId();
        const auto [same, isNew] = numbers.emplace(point.runId, i + 1);
        if (!isNew)
        {
            diagnostics.Error({file, 0, 0},
                              "sweep",
                              "points " + std::to_string(same->second) + " and " +
                                  std::to_string(i + 1) +
                                  " are the same run: do two paths lead to one key?");
            m_points.clear();
            return;
        }
        m_points.push_back(std::move(point));
    }
}

} // namespace ns3
