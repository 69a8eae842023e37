/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_COLLECTIVE_H
#define GPU_FABRIC_BENCHMARK_COLLECTIVE_H

#include "../../model/collective/communicator.h"

#include "ns3/roce-transport.h"

#include <cstdint>
#include <memory>
#include <vector>

/**
 * One collective of all hosts, a rank each, by the collective layer as jobs use it: a schedule of
 * an algorithm, run by a Communicator. Between it and the transport stands no job; a queue pair is
 * made with its first message, and kept.
 */
class BenchmarkCollective : public ns3::CollectiveTransport,
                            public ns3::CommunicatorListener,
                            public ns3::RdmaClient
{
  public:
    /**
     * \param transport the network \param nics port ids, by rank \param priority of all messages
     * \param algorithm as in a program, such as "Ring" \param call what to do
     */
    BenchmarkCollective(ns3::Ptr<ns3::RoceTransport> transport,
                        const std::vector<uint32_t>& nics,
                        uint8_t priority,
                        const std::string& algorithm,
                        const ns3::CollectiveCall& call);

    /// Lets every rank issue it, in an ordinary event each. \param atPs simulated [ps]
    void Start(int64_t atPs);

    bool HasEnded() const
    {
        return m_ended;
    }

    uint32_t FindRoute(uint32_t communicator,
                       uint32_t source,
                       uint32_t destination,
                       uint32_t channel,
                       const ns3::CollectiveExecution& execution) override;
    void Launch(int64_t now,
                uint32_t rank,
                int64_t delayPs,
                const ns3::CollectiveLaunch& launch) override;
    void Send(int64_t now,
              uint32_t route,
              uint64_t bytes,
              const ns3::ChunkMessage& message) override;
    void RankFinished(int64_t now,
                      uint32_t communicator,
                      uint32_t rank,
                      uint32_t collective,
                      int64_t lastPostPs) override;
    void CollectiveFinished(const ns3::CollectiveOutcome& outcome) override;
    void MessageDelivered(int64_t now, uint32_t queuePair, const ns3::MessageTag& tag) override;
    void MessageCompleted(int64_t now, uint32_t queuePair, const ns3::MessageTag& tag) override;
    void QueuePairFailed(int64_t now, uint32_t queuePair) override;

  private:
    void Issue(uint32_t rank);

    ns3::Ptr<ns3::RoceTransport> m_transport;
    std::vector<uint32_t> m_nics;
    uint8_t m_priority;
    ns3::CollectiveCall m_call;
    std::unique_ptr<ns3::Communicator> m_communicator;
    std::vector<uint32_t> m_queuePairs; ///< by source x ranks + destination
    bool m_ended{false};
};

#endif // GPU_FABRIC_BENCHMARK_COLLECTIVE_H
