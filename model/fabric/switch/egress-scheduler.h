/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_EGRESS_SCHEDULER_H
#define GPU_FABRIC_EGRESS_SCHEDULER_H

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// The order in which one port, of a switch or of a NIC, serves its priorities. It is notified of a
/// frame only after its priority has been selected, since the frames of a NIC do not exist before.
class EgressScheduler : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Sets it up for a port.
     * \param queues number of priorities
     * \returns an empty string, or what is wrong with the attributes
     */
    virtual std::string Configure(uint32_t queues) = 0;
    /// Whether the highest ready priority is always served next; the port then decides by itself.
    virtual bool IsStrictPriority() const = 0;
    /// Priority to serve next. \param ready bit p: priority p has a frame; not 0
    virtual uint32_t Select(uint32_t ready) = 0;
    /// A frame of the selected priority was sent. \param wireBytes with preamble and gap [byte]
    virtual void Charge(uint32_t priority, uint32_t wireBytes) = 0;
};

/// The highest priority that has a frame.
class StrictPriorityEgress : public EgressScheduler
{
  public:
    static TypeId GetTypeId();

    std::string Configure(uint32_t queues) override;

    bool IsStrictPriority() const override
    {
        return true;
    }

    uint32_t Select(uint32_t ready) override;
    void Charge(uint32_t priority, uint32_t wireBytes) override;
};

} // namespace ns3

#endif // GPU_FABRIC_EGRESS_SCHEDULER_H
