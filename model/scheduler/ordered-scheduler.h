/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ORDERED_SCHEDULER_H
#define GPU_FABRIC_ORDERED_SCHEDULER_H

#include "ns3/communication-scheduler.h"
#include "ns3/job-order.h"
#include "ns3/level-compression.h"
#include "ns3/object-factory.h"
#include "ns3/path-choice.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A scheduler of strict priorities, composed of three independent parts: the order of the jobs, the
 * choice of paths, and the compression of the order to the levels of the fabric. Jobs without
 * traffic on a link that another job can use get the lowest level. A job that is being measured has
 * the top level to itself, and the others share the levels below; one that waits to be measured
 * gets the lowest level and chooses its paths last.
 *
 * Priorities of the fabric also apply inside hosts (on PCIe and NVLink), segment by segment, in
 * place of the semaphores of Crux (SIGCOMM 2024, section 5): a job of a lower level sends nothing
 * over a PCIe link while a segment of a better level waits there. Unlike with a semaphore, it does
 * send while the better job leaves the link idle.
 */
class OrderedScheduler : public CommunicationScheduler
{
  public:
    static TypeId GetTypeId();

    ScheduleDecision Decide(const ClusterView& view) const final;
    int64_t GetPeriodPs() const override;

  protected:
    /// The parts of a scheduler.
    struct Parts
    {
        Ptr<const JobOrder> order;
        Ptr<const PathChoice> paths;
        Ptr<const LevelCompression> compression;
    };

    /// Makes the parts from the attributes.
    virtual Parts GetParts() const = 0;

    /// Makes a part of a type, such as "ns3::SelectedPaths". \param attributes names and values of
    /// attributes, alternating
    template <class Part, class... Attributes>
    static Ptr<Part> MakePart(const std::string& type, const Attributes&... attributes)
    {
        return ObjectFactory(type, attributes...).template Create<Part>();
    }

  private:
    uint32_t m_levels{0};
};

} // namespace ns3

#endif // GPU_FABRIC_ORDERED_SCHEDULER_H
