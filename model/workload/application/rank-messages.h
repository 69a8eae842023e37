/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_MESSAGES_H
#define GPU_FABRIC_RANK_MESSAGES_H

#include "gpu-lane.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace ns3
{

/// A message from one rank to another.
struct RankMessage
{
    uint32_t kind{0};
    uint32_t sender{0}; ///< rank
    uint32_t server{0};
    uint64_t tensor{0};
    uint32_t piece{0};
};

/**
 * Messages between the ranks of a job that are too small to matter to the network: they have a
 * latency but use no bandwidth. Messages to the same rank arrive in the order in which they are
 * sent.
 */
class RankMessages : public LaneHandler
{
  public:
    /// Handles a message. \param now [ps] \param rank receiver
    using Handler = std::function<void(int64_t now, uint32_t rank, const RankMessage& message)>;

    /// \param lane for the messages between ranks, must outlive this object \param gpus GPU ids in
    /// rank order
    RankMessages(GpuLane* lane, std::vector<uint32_t> gpus, Handler handler);
    /// Claims the GPUs; from now on messages with latency may be sent.
    void Open();
    /// Discards messages in flight and releases the GPUs.
    void Close();
    /// Sends a message; one without latency is handled before this returns.
    /// \param now [ps] \param latencyPs at least 0, the same for all [ps]
    void Send(int64_t now, int64_t latencyPs, uint32_t rank, const RankMessage& message);

  private:
    struct Pending
    {
        int64_t timePs;
        RankMessage message;
    };

    void HandleLaneEvent(int64_t now, uint32_t rank, uint32_t kind) override;

    GpuLane* m_lane;
    std::vector<uint32_t> m_gpus;
    Handler m_handler;
    std::vector<std::deque<Pending>> m_pending; ///< by receiving rank
    bool m_open{false};
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_MESSAGES_H
