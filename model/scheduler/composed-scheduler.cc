/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/type-family.h"
#include "ecmp-paths.h"
#include "no-order.h"
#include "ordered-scheduler.h"
#include "top-compression.h"

#include "ns3/type-id.h"

namespace ns3
{

/**
 * Combines any order of jobs with any choice of paths and any compression, to separate their
 * effects. Attributes of the parts are set through the defaults of their types (`defaults:
 * {ns3::BssiOrder::Uplinks: true}`).
 */
class ComposedScheduler : public OrderedScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::ComposedScheduler")
                .SetParent<OrderedScheduler>()
                .SetGroupName("GpuFabric")
                .AddConstructor<ComposedScheduler>()
                .AddAttribute("Order",
                              "Type of the order of jobs, a child of ns3::JobOrder.",
                              TypeIdValue(NoOrder::GetTypeId()),
                              MakeTypeIdAccessor(&ComposedScheduler::m_order),
                              MakeTypeFamilyChecker("ns3::JobOrder"))
                .AddAttribute("Paths",
                              "Type of the choice of paths, a child of ns3::PathChoice.",
                              TypeIdValue(EcmpPaths::GetTypeId()),
                              MakeTypeIdAccessor(&ComposedScheduler::m_paths),
                              MakeTypeFamilyChecker("ns3::PathChoice"))
                .AddAttribute("Compression",
                              "Type of the map from the order to the levels of the fabric, a child "
                              "of ns3::LevelCompression.",
                              TypeIdValue(TopCompression::GetTypeId()),
                              MakeTypeIdAccessor(&ComposedScheduler::m_compression),
                              MakeTypeFamilyChecker("ns3::LevelCompression"));
        return tid;
    }

  protected:
    Parts GetParts() const override
    {
        return {MakePart<JobOrder>(m_order.GetName()),
                MakePart<PathChoice>(m_paths.GetName()),
                MakePart<LevelCompression>(m_compression.GetName())};
    }

  private:
    TypeId m_order;
    TypeId m_paths;
    TypeId m_compression;
};

NS_OBJECT_ENSURE_REGISTERED(ComposedScheduler);

} // namespace ns3
