/* SPDX-License-Identifier: GPL-2.0-only */
#include "profiling-scheduler.h"

#include "ns3/abort.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ProfilingScheduler);

TypeId
ProfilingScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ProfilingScheduler")
            .SetParent<OrderedScheduler>()
            .SetGroupName("GpuFabric")
            .AddAttribute("Profile",
                          "Where bytes on links and compute time of a job come from: from its "
                          "program, or from counters while it runs alone in the top level (Crux, "
                          "SIGCOMM 2024, section 5). One of: declared, measured.",
                          StringValue("declared"),
                          MakeStringAccessor(&ProfilingScheduler::m_profile),
                          MakeStringChecker())
            .AddAttribute("ProfileIterations",
                          "Iterations for which a new job is measured, the first of which is "
                          "dropped (the paper measures for 30 s; our choice).",
                          UintegerValue(3),
                          MakeUintegerAccessor(&ProfilingScheduler::m_iterations),
                          MakeUintegerChecker<uint32_t>(3, 10000))
            .AddAttribute("ProfileInterval",
                          "Time between two readings of what a job that is measured has sent, from "
                          "which its period is found (the paper does not say; our choice).",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&ProfilingScheduler::m_interval),
                          MakeTimeChecker(MicroSeconds(1)));
    return tid;
}

ProfilePlan
ProfilingScheduler::GetProfilePlan() const
{
    NS_ABORT_MSG_IF(m_profile != "declared" && m_profile != "measured",
                    "ProfilingScheduler::Profile is " << m_profile);
    return m_profile == "measured" ? ProfilePlan{m_iterations, m_interval.GetPicoSeconds()}
                                   : ProfilePlan();
}

} // namespace ns3
