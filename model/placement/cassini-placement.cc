/* SPDX-License-Identifier: GPL-2.0-only */
#include "cassini-placement.h"

#include "../base/diagnostics.h"
#include "../base/enum-value.h"
#include "../base/text-value.h"
#include "../base/ties.h"
#include "../base/type-family.h"
#include "../scheduler/cassini/cassini-plan.h"
#include "../scheduler/decision-json.h"
#include "placement-candidates.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CassiniPlacement");

NS_OBJECT_ENSURE_REGISTERED(CassiniPlacement);

namespace
{

/// Validates the name of the placement that provides candidates: any but this one.
std::string
FindBaseFault(const std::string& text)
{
    std::vector<std::string> names = ListTypeFamily("ns3::PlacementPolicy", "ns3::", "Placement");
    names.erase(std::remove(names.begin(), names.end(), "Cassini"), names.end());
    return std::find(names.begin(), names.end(), text) != names.end()
               ? ""
               : Diagnostics::Unknown("value", text, names);
}

} // namespace

TypeId
CassiniPlacement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CassiniPlacement")
            .SetParent<PlacementPolicy>()
            .SetGroupName("GpuFabric")
            .AddConstructor<CassiniPlacement>()
            .AddAttribute("Base",
                          "Placement that gives the candidates, with its default attributes.",
                          TextValue("Consolidate"),
                          MakeTextAccessor(&CassiniPlacement::m_base),
                          MakeTextChecker(&FindBaseFault))
            .AddAttribute("Candidates",
                          "Candidates that are compared; CASSINI (NSDI 2024) takes ten.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&CassiniPlacement::m_candidates),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("Aggregate",
                          "How the scores of the links become that of a candidate.",
                          NameValue<ScoreAggregate>(ScoreAggregate::MEAN),
                          MakeNameAccessor<ScoreAggregate>(&CassiniPlacement::m_aggregate),
                          MakeNameChecker<ScoreAggregate>())
            .AddAttribute("Angles",
                          "As ns3::CassiniScheduler::Angles.",
                          UintegerValue(72),
                          MakeUintegerAccessor(&CassiniPlacement::m_angles),
                          MakeUintegerChecker<uint32_t>(4, 3600));
    return tid;
}

std::vector<Placement>
CassiniPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    std::vector<Placement> candidates =
        PlacementCandidates::Get(*PlacementCandidates::Make(m_base), view, request, m_candidates);
    if (view.jobs == nullptr || candidates.empty())
    {
        return candidates;
    }

    struct Scored
    {
        bool loop;
        double score;
        size_t place; ///< position in the base's order
    };

    CassiniPlan::Options options;
    options.angles = m_angles;
    std::vector<JobView> jobs = view.jobs->GetPlacedJobs();
    jobs.emplace_back();
    std::vector<Scored> scored;
    for (size_t i = 0; i < candidates.size(); i++)
    {
        jobs.back() = view.jobs->GetJobOn(request.job, candidates[i].gpus);
        const CassiniPlan plan(*view.topology, jobs, options);
        scored.push_back(
            {plan.HasLoop(),
             m_aggregate == ScoreAggregate::LOWEST ? plan.GetLowestScore() : plan.GetMeanScore(),
             i});
    }
    // Candidates with a loop come last; of equal ones, the base's order decides.
    std::vector<Scored> looped;
    std::copy_if(scored.begin(), scored.end(), std::back_inserter(looped), [](const Scored& entry) {
        return entry.loop;
    });
    scored.erase(std::remove_if(scored.begin(),
                                scored.end(),
                                [](const Scored& entry) { return entry.loop; }),
                 scored.end());
    for (std::vector<Scored>* group : {&scored, &looped})
    {
        SortWithTies(
            *group,
            [](const Scored& entry) { return entry.score; },
            [](const Scored& a, const Scored& b) { return a.place < b.place; });
    }
    scored.insert(scored.end(), looped.begin(), looped.end());
    std::vector<Placement> ranked;
    for (const Scored& entry : scored)
    {
        Placement& placement = ranked.emplace_back(std::move(candidates[entry.place]));
        placement.inputs = DecisionJson()
                               .Add("candidates", static_cast<uint64_t>(scored.size()))
                               .Add("candidate", static_cast<uint64_t>(entry.place))
                               .Add("score", entry.score)
                               .Add("loop", uint32_t{entry.loop})
                               .Get();
        placement.reason += entry.loop ? "; every candidate has a loop of jobs and links"
                                       : "; most compatible with the jobs that run";
    }
    return ranked;
}

} // namespace ns3
