/* SPDX-License-Identifier: GPL-2.0-only */
#include "../ordered-scheduler.h"

#include "ns3/boolean.h"

namespace ns3
{

/**
 * The order of Varys (Chowdhury, Zhong and Stoica, SIGCOMM 2014), smallest effective bottleneck
 * first, for training jobs: one iteration of a job is one coflow. Levels are groups of equal size,
 * as Crux describes it (SIGCOMM 2024, section 4.3); paths are left to ECMP. Varys's rates (MADD)
 * are not modelled: only strict priorities are available.
 */
class VarysScheduler : public OrderedScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::VarysScheduler")
                .SetParent<OrderedScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<VarysScheduler>()
                .AddAttribute("Uplinks",
                              "Whether links between switches count as ports (SebfOrder::Uplinks).",
                              BooleanValue(false),
                              MakeBooleanAccessor(&VarysScheduler::m_uplinks),
                              MakeBooleanChecker());
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {
            MakePart<JobOrder>("ns3::SebfOrder", "Uplinks", BooleanValue(m_uplinks)),
            MakePart<PathChoice>("ns3::EcmpPaths"),
            MakePart<LevelCompression>("ns3::BalancedCompression"),
        };
    }

  private:
    bool m_uplinks{false};
};

NS_OBJECT_ENSURE_REGISTERED(VarysScheduler);

} // namespace ns3
