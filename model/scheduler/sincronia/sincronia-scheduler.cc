/* SPDX-License-Identifier: GPL-2.0-only */
#include "../ordered-scheduler.h"

#include "ns3/boolean.h"
#include "ns3/nstime.h"

#include <string>

namespace ns3
{

/**
 * Sincronia (Agarwal et al., SIGCOMM 2018) for training jobs, as in the evaluation of Crux: one
 * iteration of a job is one coflow, ordered by BSSI (BssiOrder) whenever jobs come or go, or in
 * epochs of its online algorithm; the first K - 1 jobs get levels of their own, the others share
 * the lowest; paths are left to ECMP.
 */
class SincroniaScheduler : public OrderedScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::SincroniaScheduler")
                .SetParent<OrderedScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<SincroniaScheduler>()
                .AddAttribute("Uplinks",
                              "Whether links between switches count as ports (BssiOrder::Uplinks).",
                              BooleanValue(false),
                              MakeBooleanAccessor(&SincroniaScheduler::m_uplinks),
                              MakeBooleanChecker())
                .AddAttribute("Epoch",
                              "Length of the first epoch of a round of the online algorithm; 0: "
                              "none (BssiOrder::Epoch).",
                              TimeValue(Time(0)),
                              MakeTimeAccessor(&SincroniaScheduler::m_epoch),
                              MakeTimeChecker(Time(0)));
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {
            MakePart<JobOrder>("ns3::BssiOrder",
                               "Uplinks",
                               BooleanValue(m_uplinks),
                               "Epoch",
                               TimeValue(m_epoch)),
            MakePart<PathChoice>("ns3::EcmpPaths"),
            MakePart<LevelCompression>("ns3::TopCompression", "Unique", BooleanValue(false)),
        };
    }

  private:
    bool m_uplinks{false};
    Time m_epoch{0};
};

NS_OBJECT_ENSURE_REGISTERED(SincroniaScheduler);

} // namespace ns3
