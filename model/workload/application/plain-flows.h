/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PLAIN_FLOWS_H
#define GPU_FABRIC_PLAIN_FLOWS_H

#include "ns3/object.h"
#include "ns3/roce-transport.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// One transfer of `flows:`.
struct PlainFlow
{
    uint32_t sourceNic{0};      ///< port id
    uint32_t destinationNic{0}; ///< port id
    uint64_t bytes{0};          ///< [byte]
    int64_t atPs{0};            ///< [ps]
    uint8_t priority{0};
};

/**
 * Plain RDMA transfers beside the jobs, each on its own queue pair, which is created when the
 * transfer starts.
 */
class PlainFlows : public Object, public RdmaClient
{
  public:
    static TypeId GetTypeId();

    /// Schedules all flows as ordinary ns-3 events. \param done called when the last one has ended
    void Start(Ptr<RoceTransport> transport,
               const std::vector<PlainFlow>& flows,
               std::function<void(int64_t)> done);

    /// Number of flows that have started.
    uint64_t GetPosted() const
    {
        return m_posted;
    }

    /// Number of flows that are acknowledged or have failed.
    uint64_t GetEnded() const
    {
        return m_ended;
    }

    uint64_t GetFailed() const
    {
        return m_failed;
    }

    void MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag& tag) override;
    void MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag& tag) override;
    void QueuePairFailed(int64_t now, uint32_t queuePair) override;

  protected:
    void DoDispose() override;

  private:
    void Post(const PlainFlow& flow);
    void End(int64_t now);

    Ptr<RoceTransport> m_transport;
    std::vector<PlainFlow> m_flows;
    std::function<void(int64_t)> m_done;
    uint64_t m_posted{0};
    uint64_t m_ended{0};
    uint64_t m_failed{0};
};

} // namespace ns3

#endif // GPU_FABRIC_PLAIN_FLOWS_H
