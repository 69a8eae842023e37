/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../base/enum-value.h"
#include "../profiling-scheduler.h"
#include "../selected-paths.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

/**
 * Crux (Cao et al., SIGCOMM 2024) without path selection and compression: priorities P = k I of
 * section 4.2 (PairwiseOrder), ECMP, and a level for each job; "Crux-PA" of section 6.
 */
class CruxPaScheduler : public ProfilingScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::CruxPaScheduler")
                .SetParent<ProfilingScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<CruxPaScheduler>()
                .AddAttribute("KMax",
                              "Bound of the correction factors (PairwiseOrder::KMax).",
                              DoubleValue(10),
                              MakeDoubleAccessor(&CruxPaScheduler::m_kMax),
                              MakeDoubleChecker<double>(1, 1e6))
                .AddAttribute("Horizon",
                              "Periods over which two jobs are compared (PairwiseOrder::Horizon).",
                              UintegerValue(40),
                              MakeUintegerAccessor(&CruxPaScheduler::m_horizon),
                              MakeUintegerChecker<uint32_t>(1, 100000));
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {MakePart<JobOrder>("ns3::PairwiseOrder",
                                   "KMax",
                                   DoubleValue(m_kMax),
                                   "Horizon",
                                   UintegerValue(m_horizon)),
                MakePart<PathChoice>("ns3::EcmpPaths"),
                MakePart<LevelCompression>("ns3::TopCompression", "Unique", BooleanValue(true))};
    }

  private:
    double m_kMax{10};
    uint32_t m_horizon{40};
};

NS_OBJECT_ENSURE_REGISTERED(CruxPaScheduler);

/// Crux without compression: "Crux-PS-PA" of section 6. Paths are selected (SelectedPaths).
class CruxPsPaScheduler : public CruxPaScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::CruxPsPaScheduler")
                .SetParent<CruxPaScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<CruxPsPaScheduler>()
                .AddAttribute("Load",
                              "Measure of congestion of path selection (SelectedPaths::Load).",
                              NameValue<PathLoad>(PathLoad::RATE),
                              MakeNameAccessor<PathLoad>(&CruxPsPaScheduler::m_load),
                              MakeNameChecker<PathLoad>());
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        Parts parts = CruxPaScheduler::GetParts();
        parts.paths = MakePart<PathChoice>("ns3::SelectedPaths",
                                           "Load",
                                           NameValue<PathLoad>(m_load),
                                           "JobOrder",
                                           NameValue<PathJobOrder>(PathJobOrder::INTENSITY));
        return parts;
    }

  private:
    PathLoad m_load{PathLoad::RATE};
};

NS_OBJECT_ENSURE_REGISTERED(CruxPsPaScheduler);

/**
 * Crux (Cao et al., SIGCOMM 2024): path selection (section 4.1, SelectedPaths), priorities P = k I
 * (4.2, PairwiseOrder) and their compression over the contention graph (4.3, MaxCutCompression).
 * Its semaphores for PCIe links (section 5) are modelled by the priorities of the fabric, which
 * also apply inside hosts.
 */
class CruxScheduler : public CruxPsPaScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::CruxScheduler")
                                .SetParent<CruxPsPaScheduler>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<CruxScheduler>()
                                .AddAttribute("Orders",
                                              "Topological orders that the compression tries "
                                              "(MaxCutCompression::Orders; section 4.3: m = 10).",
                                              UintegerValue(10),
                                              MakeUintegerAccessor(&CruxScheduler::m_orders),
                                              MakeUintegerChecker<uint32_t>(1, 100000));
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        Parts parts = CruxPsPaScheduler::GetParts();
        parts.compression =
            MakePart<LevelCompression>("ns3::MaxCutCompression", "Orders", UintegerValue(m_orders));
        return parts;
    }

  private:
    uint32_t m_orders{10};
};

NS_OBJECT_ENSURE_REGISTERED(CruxScheduler);

} // namespace ns3
