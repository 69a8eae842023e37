/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PEER_EXCHANGE_H
#define GPU_FABRIC_PEER_EXCHANGE_H

#include "../collective-builder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Writes the messages of an all-to-all: every rank sends by the NIC of its own GPU. If the
 * receiver's NIC is at another switch, as on another rail of a rail-optimized network, the message
 * first goes over NVLink to the rank of the sender's host whose NIC is at that switch (NCCL's PXN,
 * since 2.12), if there is one. That rank has a queue pair for each rank it relays for, so these
 * messages are on channels of their own.
 */
class PeerExchange
{
  public:
    /// \param algorithm name \param call the collective \param layout must outlive this object
    /// \param channels parts of a message, each of a queue pair of its own \param relays whether to
    /// use PXN
    PeerExchange(const std::string& algorithm,
                 const CollectiveCall& call,
                 const CollectiveLayout& layout,
                 uint32_t channels,
                 bool relays);

    /**
     * Moves a part of the sender's portion for the receiver.
     * \param after moves that must have happened at the source before
     * \returns index of the move that arrives at the receiver
     */
    uint32_t AddMessage(uint32_t source,
                        uint32_t destination,
                        uint32_t channel,
                        const std::vector<uint32_t>& after = {});

    CollectiveSchedule Finish();

  private:
    const CollectiveLayout& m_layout;
    uint32_t m_ranks;
    uint32_t m_channels;
    bool m_relays{false};          ///< some message is relayed
    std::vector<uint32_t> m_place; ///< by rank: its number among those of its host
    std::optional<CollectiveBuilder> m_builder;
};

} // namespace ns3

#endif // GPU_FABRIC_PEER_EXCHANGE_H
