/* SPDX-License-Identifier: GPL-2.0-only */

// A user-defined scheduler: the job whose iteration sends the fewest bytes goes first. Scenarios
// refer to it as `FewestBytes`; everything else, including sweeps and comparisons, is as in
// gpu-fabric-run:
//   ./ns3 run "gpu-fabric-own-scheduler --scenario=FILE --out=FILE"

#include "ns3/communication-scheduler.h"
#include "ns3/run-gpu-fabric.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

class FewestBytesScheduler : public CommunicationScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::FewestBytesScheduler")
                .SetParent<CommunicationScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<FewestBytesScheduler>()
                .AddAttribute("Levels",
                              "Priority levels to use; the last is shared by all other jobs.",
                              UintegerValue(6),
                              MakeUintegerAccessor(&FewestBytesScheduler::m_levels),
                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    ScheduleDecision Decide(const ClusterView& view) const override
    {
        ScheduleDecision decision;
        for (const JobView& job : view.jobs)
        {
            const auto ahead =
                std::count_if(view.jobs.begin(), view.jobs.end(), [&job](const JobView& other) {
                    return GetBytes(other) < GetBytes(job);
                });
            JobDecision& entry = decision.jobs.emplace_back();
            entry.job = job.job;
            entry.level =
                std::min({static_cast<uint32_t>(ahead), m_levels - 1, view.priorityLevels - 1});
            entry.inputs = "{\"bytes\":" + std::to_string(GetBytes(job)) + "}";
            entry.reason = std::to_string(ahead) + " jobs send less";
        }
        return decision;
    }

  private:
    /// Bytes that an iteration sends over the network.
    static uint64_t GetBytes(const JobView& job)
    {
        uint64_t bytes = 0;
        for (const FlowView& flow : job.flows)
        {
            bytes += flow.wireBytes;
        }
        return bytes;
    }

    uint32_t m_levels{6};
};

NS_OBJECT_ENSURE_REGISTERED(FewestBytesScheduler);

} // namespace ns3

int
main(int argc, char* argv[])
{
    return ns3::RunGpuFabric(argc, argv);
}
