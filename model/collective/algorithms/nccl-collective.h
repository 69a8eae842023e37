/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NCCL_COLLECTIVE_H
#define GPU_FABRIC_NCCL_COLLECTIVE_H

#include "nccl-tuner.h"

#include "ns3/collective-algorithm.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * Collectives as NCCL runs them: its tuner (NcclTuner) chooses algorithm, protocol and channels by
 * size, its buffers give the chunks and slices, and each step costs what its kernels and the
 * threads that serve NICs take (CollectiveExecution). All-to-all and point to point go by the NIC
 * of each GPU, with PXN.
 *
 * The times are what `hardware` presets set; 0 takes any of them away. The defaults are the
 * latencies of the tuner's own tables.
 */
class NcclCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;

    /// What the tuner chooses.
    struct Choice
    {
        NcclAlgorithm algorithm{NcclAlgorithm::RING};
        CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
        uint32_t channels{1};
    };

    Choice Choose(const CollectiveCall& call, const CollectiveLayout& layout) const;

  private:
    /// Costs of a protocol.
    struct Costs
    {
        Time launch;
        Time localHop;
        Time networkHop;
        uint64_t channelRateBps{0}; ///< of bytes on the wire
    };

    static constexpr size_t PROTOCOLS = 3;

    template <CollectiveProtocol PROTOCOL, Time Costs::*MEMBER>
    void SetCost(Time value)
    {
        m_costs[static_cast<size_t>(PROTOCOL)].*MEMBER = value;
    }

    template <CollectiveProtocol PROTOCOL, Time Costs::*MEMBER>
    Time GetCost() const
    {
        return m_costs[static_cast<size_t>(PROTOCOL)].*MEMBER;
    }

    template <CollectiveProtocol PROTOCOL>
    void SetChannelRate(uint64_t value)
    {
        m_costs[static_cast<size_t>(PROTOCOL)].channelRateBps = value;
    }

    template <CollectiveProtocol PROTOCOL>
    uint64_t GetChannelRate() const
    {
        return m_costs[static_cast<size_t>(PROTOCOL)].channelRateBps;
    }

    template <CollectiveProtocol PROTOCOL>
    static void AddCosts(TypeId& id,
                         const std::string& name,
                         int64_t launchNs,
                         int64_t localNs,
                         int64_t networkNs);

    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
    CollectiveSchedule DoBuildSendReceive(const CollectiveCall& call,
                                          const CollectiveLayout& layout,
                                          uint32_t channels) const override;
    NcclMachine GetMachine(const CollectiveLayout& layout) const;
    /// Most data that a channel moves in one step [byte] (NCCL 2.22, src/enqueue.cc,
    /// calcCollChunking).
    uint64_t GetChunkBytes(const Choice& choice, uint64_t bytes, const NcclMachine& machine) const;
    /// Sets protocol and costs of a schedule.
    void SetExecution(CollectiveSchedule& schedule, CollectiveProtocol protocol) const;
    /// The same for messages that all go to peers at once. \param peers of a rank \param bytes of
    /// a message [byte]
    void SetPeerExecution(CollectiveSchedule& schedule, uint64_t peers, uint64_t bytes) const;

    std::array<Costs, PROTOCOLS> m_costs; ///< by CollectiveProtocol
    Time m_nvlsHop;
    GpuArchitecture m_architecture{GpuArchitecture::HOPPER};
    NcclAlgorithm m_algorithm{NcclAlgorithm::AUTO};
    NcclProtocol m_protocol{NcclProtocol::AUTO};
    uint32_t m_channels{16};
    uint32_t m_localChannels{24};
    uint32_t m_peerChannels{1};
    uint64_t m_bufferBytes{0};
    uint64_t m_localBps{0};
    uint64_t m_networkBps{0};
    uint64_t m_peerLlBytes{0};
    uint64_t m_networkLlBytes{0};
    uint64_t m_networkLl128Bytes{0};
    uint64_t m_peerChannelBps{0};
    Time m_peerLaunch;
    bool m_nvlink{true};
    bool m_nvls{true};
    bool m_pxn{true};
};

} // namespace ns3

#endif // GPU_FABRIC_NCCL_COLLECTIVE_H
