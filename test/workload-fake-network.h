/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_WORKLOAD_FAKE_NETWORK_H
#define GPU_FABRIC_WORKLOAD_FAKE_NETWORK_H

#include "ns3/job-network.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <vector>

namespace ns3
{

/// Queue pairs that are lines of their own: a rate, then a latency, no sharing. A message is
/// completed when it is delivered.
class FakeNetwork : public JobNetwork
{
  public:
    struct Line
    {
        uint32_t job;
        JobFlow flow;
        FlowSetting setting;
        RdmaClient* client;
        int64_t freePs{0};
        uint64_t bytes{0};
        uint64_t messages{0};
        uint64_t outstanding{0};
        bool open{true};
    };

    uint32_t CreateQueuePair(int64_t,
                             uint32_t job,
                             const JobFlow& flow,
                             const FlowSetting& setting,
                             RdmaClient* client) override
    {
        lines.push_back({job, flow, setting, client});
        return FIRST + static_cast<uint32_t>(lines.size()) - 1;
    }

    void DestroyQueuePair(int64_t, uint32_t queuePair) override
    {
        lines[queuePair - FIRST].open = false;
    }

    void Post(int64_t now, uint32_t queuePair, uint64_t bytes, const MessageTag& tag) override
    {
        Line& line = lines[queuePair - FIRST];
        line.bytes += bytes;
        line.messages++;
        line.outstanding++;
        line.freePs = std::max(line.freePs, now) + static_cast<int64_t>(bytes) * psPerByte;
        if (!stuck)
        {
            Simulator::Schedule(PicoSeconds(line.freePs + latencyPs - now),
                                &FakeNetwork::Arrive,
                                this,
                                queuePair,
                                tag);
        }
    }

    void Apply(int64_t, uint32_t queuePair, const FlowSetting& setting, uint32_t decision) override
    {
        lines[queuePair - FIRST].setting = setting;
        lastDecision = decision;
    }

    /// A queue pair gives up.
    void Fail(uint32_t queuePair)
    {
        lines[queuePair - FIRST].client->QueuePairFailed(Simulator::Now().GetTimeStep(), queuePair);
    }

    static constexpr uint32_t FIRST = 100; ///< number of the first queue pair
    std::vector<Line> lines;
    int64_t psPerByte{80}; ///< 100 Gb/s
    int64_t latencyPs{0};
    uint32_t lastDecision{0};
    bool stuck{false}; ///< nothing arrives any more

  private:
    void Arrive(uint32_t queuePair, MessageTag tag)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        lines[queuePair - FIRST].outstanding--;
        RdmaClient* client = lines[queuePair - FIRST].client;
        client->MessageDelivered(now, queuePair, tag);
        client->MessageCompleted(now, queuePair, tag);
    }
};

} // namespace ns3

#endif // GPU_FABRIC_WORKLOAD_FAKE_NETWORK_H
