/* SPDX-License-Identifier: GPL-2.0-only */
#include "cassini-scheduler.h"

#include "../decision-json.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CassiniScheduler");

NS_OBJECT_ENSURE_REGISTERED(CassiniScheduler);

namespace
{

/// Number of links listed in the inputs of a decision.
constexpr size_t LISTED_LINKS = 8;

/// The figures that explain why a job waits.
DecisionJson
GetInputs(const ClusterView& view,
          const CassiniPlan& plan,
          const CassiniPlan::Component* component,
          uint32_t job)
{
    const CassiniPlan::Profile& profile = plan.GetProfiles()[job];
    DecisionJson inputs;
    inputs.Add("iteration_ps", static_cast<uint64_t>(profile.iterationPs))
        .Add("communication_ps", static_cast<uint64_t>(profile.communicationPs))
        .Add("communication_start_ps", static_cast<uint64_t>(profile.communicationStartPs))
        .Add("bytes", profile.wireBytes)
        .Add("iteration_start_ps", static_cast<uint64_t>(view.jobs[job].iterationStartPs));
    if (component == nullptr)
    {
        return inputs;
    }
    inputs.Add("against", view.jobs[component->root].name)
        .Add("against_start_ps", static_cast<uint64_t>(view.jobs[component->root].iterationStartPs))
        .Add("shift_ps", static_cast<uint64_t>(plan.GetShiftPs(job)));
    DecisionJson links;
    size_t listed = 0;
    size_t count = 0;
    for (const uint32_t v : component->vertices)
    {
        const CassiniPlan::Vertex& vertex = plan.GetVertices()[v];
        if (!std::binary_search(vertex.jobs.begin(), vertex.jobs.end(), job))
        {
            continue;
        }
        count += vertex.links.size();
        for (const uint32_t link : vertex.links)
        {
            if (listed++ < LISTED_LINKS)
            {
                links.AddObject(view.topology->GetDirectedLinkName(link),
                                DecisionJson()
                                    .Add("jobs", static_cast<uint64_t>(vertex.jobs.size()))
                                    .Add("score", vertex.score)
                                    .Add("unshifted_score", vertex.unshiftedScore)
                                    .Add("cells", vertex.cells)
                                    .Add("exact", uint32_t{vertex.exact}));
            }
        }
    }
    return inputs.Add("contended_links", static_cast<uint64_t>(count)).AddObject("links", links);
}

} // namespace

TypeId
CassiniScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CassiniScheduler")
            .SetParent<CommunicationScheduler>()
            .SetGroupName("GpuFabric")
            .AddConstructor<CassiniScheduler>()
            .AddAttribute(
                "Angles",
                "Cells of the shortest iteration on a unified circle; 72 is the "
                "recommended precision of 5 degrees (CASSINI, NSDI 2024).",
                UintegerValue(72),
                MakeUintegerAccessor(&CassiniScheduler::SetAngles, &CassiniScheduler::GetAngles),
                MakeUintegerChecker<uint32_t>(4, 3600))
            .AddAttribute("Restarts",
                          "Restarts of the coordinate descent that finds rotations of more than "
                          "three jobs on a link; up to three, all are tried.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&CassiniScheduler::SetRestarts,
                                               &CassiniScheduler::GetRestarts),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("Drift",
                          "Share of its iteration by which a job may be away from its time before "
                          "it is shifted again (CASSINI: 5 %).",
                          DoubleValue(0.05),
                          MakeDoubleAccessor(&CassiniScheduler::m_drift),
                          MakeDoubleChecker<double>(0, 0.5))
            .AddAttribute("Period",
                          "Time between two checks of the drift of the jobs; 0 for none.",
                          TimeValue(MilliSeconds(500)),
                          MakeTimeAccessor(&CassiniScheduler::m_period),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

int64_t
CassiniScheduler::GetPeriodPs() const
{
    return m_period.GetPicoSeconds();
}

void
CassiniScheduler::SetAngles(uint32_t angles)
{
    m_options.angles = angles;
}

uint32_t
CassiniScheduler::GetAngles() const
{
    return m_options.angles;
}

void
CassiniScheduler::SetRestarts(uint32_t restarts)
{
    m_options.search.restarts = restarts;
}

uint32_t
CassiniScheduler::GetRestarts() const
{
    return m_options.search.restarts;
}

int64_t
CassiniScheduler::GetWaitPs(const ClusterView& view,
                            const CassiniPlan& plan,
                            const CassiniPlan::Component& component,
                            uint32_t job) const
{
    if (component.hasLoop || job == component.root)
    {
        return 0;
    }
    const int64_t iterationPs = plan.GetProfiles()[job].iterationPs;
    const int64_t wantedPs = view.jobs[component.root].iterationStartPs + plan.GetShiftPs(job);
    int64_t waitPs = (wantedPs - view.jobs[job].iterationStartPs) % iterationPs;
    waitPs += waitPs < 0 ? iterationPs : 0;
    const auto tolerancePs = std::llround(m_drift * static_cast<double>(iterationPs));
    // A job that is slightly late would have to wait for almost a whole iteration.
    const bool late = iterationPs - waitPs <= tolerancePs;
    const bool near = view.trigger == "period" && waitPs <= tolerancePs;
    return late || near ? 0 : waitPs;
}

ScheduleDecision
CassiniScheduler::Decide(const ClusterView& view) const
{
    NS_ABORT_MSG_IF(!view.topology, "the view has no topology");
    const CassiniPlan plan(*view.topology, view.jobs, m_options);
    std::vector<const CassiniPlan::Component*> componentOf(view.jobs.size(), nullptr);
    for (const CassiniPlan::Component& component : plan.GetComponents())
    {
        for (const uint32_t job : component.jobs)
        {
            componentOf[job] = &component;
        }
    }
    ScheduleDecision decision;
    for (uint32_t job = 0; job < view.jobs.size(); job++)
    {
        const CassiniPlan::Component* component = componentOf[job];
        JobDecision entry;
        entry.job = view.jobs[job].job;
        entry.shiftPs = component == nullptr ? 0 : GetWaitPs(view, plan, *component, job);
        if (view.trigger == "period" && entry.shiftPs == 0)
        {
            continue;
        }
        entry.inputs = GetInputs(view, plan, component, job).Get();
        if (component == nullptr)
        {
            entry.reason = "shares no link that could have too little: no shift";
        }
        else if (component->hasLoop)
        {
            entry.reason = "no shift";
            entry.fallbacks.emplace_back("no shift: the graph of jobs and the links they share has "
                                         "a loop, and CASSINI is for graphs without");
        }
        else if (job == component->root)
        {
            entry.reason = "the first to arrive of the jobs that share links: the others are "
                           "shifted against it";
        }
        else
        {
            entry.reason = entry.shiftPs > 0
                               ? "waits so that the jobs communicate in turns, as far as they can"
                               : "is where it should be for the jobs to communicate in turns";
        }
        NS_LOG_LOGIC("job " << entry.job << " " << entry.reason << ", shift " << entry.shiftPs
                            << " ps");
        decision.jobs.push_back(std::move(entry));
    }
    return decision;
}

} // namespace ns3
