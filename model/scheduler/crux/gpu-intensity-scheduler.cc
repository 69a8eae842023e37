/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-intensity-scheduler.h"

#include "../../base/enum-value.h"
#include "../selected-paths.h"

#include "ns3/boolean.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuIntensityScheduler);

TypeId
GpuIntensityScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GpuIntensityScheduler")
            .SetParent<ProfilingScheduler>()
            .SetGroupName("GpuFabric")
            .AddConstructor<GpuIntensityScheduler>()
            .AddAttribute("SelectPaths",
                          "Whether flows take the least congested of their equal-cost paths, jobs "
                          "in the order of GPU intensity (Crux, section 4.1), instead of ECMP's.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GpuIntensityScheduler::m_selectPaths),
                          MakeBooleanChecker())
            .AddAttribute("LoadByVolume",
                          "Whether the load of a flow in path selection is its wire bytes of an "
                          "iteration instead of its mean rate (the paper leaves it open).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GpuIntensityScheduler::m_loadByVolume),
                          MakeBooleanChecker());
    return tid;
}

OrderedScheduler::Parts
GpuIntensityScheduler::GetParts() const
{
    return {MakePart<JobOrder>("ns3::IntensityOrder"),
            m_selectPaths
                ? MakePart<PathChoice>(
                      "ns3::SelectedPaths",
                      "Load",
                      NameValue<PathLoad>(m_loadByVolume ? PathLoad::VOLUME : PathLoad::PEAK_RATE))
                : MakePart<PathChoice>("ns3::EcmpPaths"),
            MakePart<LevelCompression>("ns3::TopCompression")};
}

} // namespace ns3
