/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_TRANSPORT_H
#define GPU_FABRIC_COLLECTIVE_TRANSPORT_H

#include "ns3/collective-schedule.h"

#include <cstdint>

namespace ns3
{

/// Identifies one transfer of one collective of one communicator.
struct ChunkMessage
{
    uint32_t communicator{0}; ///< index within the job
    uint32_t collective{0};   ///< running number within the communicator
    uint32_t transfer{0};     ///< index into CollectiveSchedule::transfers
};

/// The part of a rank in a collective of a communicator.
struct CollectiveLaunch
{
    uint32_t communicator{0}; ///< index within the job
    uint32_t collective{0};   ///< running number within the communicator
    uint32_t rank{0};         ///< index within the communicator
};

/// Notified of the messages of a CollectiveTransport.
class ChunkReceiver
{
  public:
    virtual ~ChunkReceiver() = default;
    /// At the destination. \param now [ps]
    virtual void ChunkDelivered(int64_t now, const ChunkMessage& message) = 0;
    /// At the source. \param now [ps]
    virtual void ChunkCompleted(int64_t now, const ChunkMessage& message) = 0;

    /// A rank has launched its part of a collective (CollectiveTransport::Launch). \param now [ps]
    virtual void CollectiveLaunched(int64_t /* now */, const CollectiveLaunch& /* launch */)
    {
    }
};

/// Carries chunk transfers between the ranks of a job: over NVLink within a host, over queue pairs
/// between hosts.
class CollectiveTransport
{
  public:
    virtual ~CollectiveTransport() = default;
    /// Number of the way of the messages of a communicator from one rank of the job to another on a
    /// channel, for Send(); looked up once for all of them. \param execution what they cost
    virtual uint32_t FindRoute(uint32_t communicator,
                               uint32_t source,
                               uint32_t destination,
                               uint32_t channel,
                               const CollectiveExecution& execution) = 0;
    /**
     * Sends a message; messages of one route stay in order. Later, and never from within this call,
     * the communicator's Delivered() is called at the destination and its Completed() at the
     * source.
     * \param now [ps] \param route by FindRoute() \param bytes [byte], at least 1
     */
    virtual void Send(int64_t now, uint32_t route, uint64_t bytes, const ChunkMessage& message) = 0;
    /**
     * Starts a rank's part of a collective: later, and never from within this call, the
     * communicator's Launched() is called. Only used by schedules whose launch takes time.
     * \param now [ps] \param rank of the job \param delayPs at least 1 [ps]
     */
    virtual void Launch(int64_t now,
                        uint32_t rank,
                        int64_t delayPs,
                        const CollectiveLaunch& launch) = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_TRANSPORT_H
