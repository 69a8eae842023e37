/* SPDX-License-Identifier: GPL-2.0-only */
#include "intensity-order.h"

#include "../decision-json.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IntensityOrder");

NS_OBJECT_ENSURE_REGISTERED(IntensityOrder);

namespace
{

/// Number of links listed in the inputs of a priority.
constexpr uint32_t LISTED_LINKS = 8;

} // namespace

TypeId
IntensityOrder::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IntensityOrder")
                            .SetParent<JobOrder>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<IntensityOrder>();
    return tid;
}

void
IntensityOrder::Describe(const ClusterTopology& topology, RankedJob& ranked)
{
    const GpuIntensity& intensity = ranked.intensity;
    DecisionJson inputs;
    inputs.Add("W", ranked.job->flop)
        .Add("t_s", intensity.GetLinkSeconds())
        .Add("I", intensity.GetIntensity())
        .Add("bytes", intensity.GetWireBytes());
    if (ranked.job->profileState == ProfileState::DONE)
    {
        const JobProfile& profile = ranked.job->profile;
        inputs.Add("measured_iterations", profile.iterations)
            .Add("measured_period_s", 1e-12 * static_cast<double>(profile.periodPs))
            .Add("measured_compute_s", 1e-12 * static_cast<double>(profile.computePs));
    }
    ranked.inputs = inputs.Get();
    DecisionJson links;
    for (const auto& [link, bytes] : intensity.GetHeaviestLinks(LISTED_LINKS))
    {
        links.AddObject(topology.GetDirectedLinkName(link),
                        DecisionJson().Add("bytes", bytes).Add("bps", topology.GetPortRate(link)));
    }
    ranked.details = DecisionJson()
                         .Add("links", intensity.GetLinkCount())
                         .AddObject("heaviest_links", links)
                         .Get();
}

void
IntensityOrder::Rank(const ClusterView& view,
                     CandidatePaths& /* paths */,
                     JobRanking& ranking) const
{
    ranking.by = "GPU intensity";
    for (RankedJob& job : ranking.jobs)
    {
        Describe(*view.topology, job);
        job.priority = job.intensity.GetIntensity();
        NS_LOG_LOGIC("job " << job.job->job << " has GPU intensity " << job.priority);
    }
    ranking.Sort();
}

} // namespace ns3
