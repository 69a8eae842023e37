/* SPDX-License-Identifier: GPL-2.0-only */
#include "profiling-scheduler.h"

#include "../base/enum-value.h"

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
                          "SIGCOMM 2024, section 5).",
                          NameValue<ProfileSource>(ProfileSource::DECLARED),
                          MakeNameAccessor<ProfileSource>(&ProfilingScheduler::m_profile),
                          MakeNameChecker<ProfileSource>())
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
    return m_profile == ProfileSource::MEASURED
               ? ProfilePlan{m_iterations, m_interval.GetPicoSeconds()}
               : ProfilePlan();
}

} // namespace ns3
