/* SPDX-License-Identifier: GPL-2.0-only */
#include "../scheduler/decision-json.h"

#include "ns3/job-order.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DistanceOrder");

/**
 * Traffic with the greatest distance goes first: the order of TACCL* in Crux's evaluation (SIGCOMM
 * 2024, section 6.1), where it is described in one sentence. The distance of a job is the number of
 * switches on the path of its flow that crosses the most.
 */
class DistanceOrder : public JobOrder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::DistanceOrder")
                                .SetParent<JobOrder>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<DistanceOrder>();
        return tid;
    }

    void Rank(const ClusterView& /* view */,
              CandidatePaths& paths,
              JobRanking& ranking) const override
    {
        NS_LOG_FUNCTION(this << ranking.jobs.size());
        ranking.by = "distance";
        for (RankedJob& job : ranking.jobs)
        {
            uint64_t switches = 0;
            for (const FlowView& flow : job.job->flows)
            {
                const auto& all = paths.Get(flow.sourceNic, flow.destinationNic);
                switches = std::max<uint64_t>(switches, all.front().size() - 1);
            }
            job.priority = static_cast<double>(switches);
            NS_LOG_LOGIC("job " << job.job->job << " passes " << switches << " switches");
            job.inputs = DecisionJson()
                             .Add("switches", switches)
                             .Add("bytes", job.intensity.GetWireBytes())
                             .Get();
        }
        ranking.Sort();
    }
};

NS_OBJECT_ENSURE_REGISTERED(DistanceOrder);

} // namespace ns3
