/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../base/enum-value.h"
#include "../ordered-scheduler.h"
#include "../selected-paths.h"

#include "ns3/boolean.h"

namespace ns3
{

/**
 * TACCL* of Crux's evaluation (SIGCOMM 2024, section 6.1), which applies TACCL (NSDI 2023) to many
 * jobs: traffic with the greatest distance goes first (DistanceOrder), and each job takes the least
 * congested links. A reconstruction from one sentence; our choices are that jobs choose paths in
 * this order, flow by flow and by wire bytes, and that the first K - 1 jobs get levels of their
 * own.
 */
class TacclStarScheduler : public OrderedScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TacclStarScheduler")
                                .SetParent<OrderedScheduler>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<TacclStarScheduler>();
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {
            MakePart<JobOrder>("ns3::DistanceOrder"),
            MakePart<PathChoice>("ns3::SelectedPaths",
                                 "Load",
                                 NameValue<PathLoad>(PathLoad::VOLUME),
                                 "JobOrder",
                                 NameValue<PathJobOrder>(PathJobOrder::RANKING)),
            MakePart<LevelCompression>("ns3::TopCompression", "Unique", BooleanValue(false)),
        };
    }
};

NS_OBJECT_ENSURE_REGISTERED(TacclStarScheduler);

} // namespace ns3
