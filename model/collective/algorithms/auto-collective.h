/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_AUTO_COLLECTIVE_H
#define GPU_FABRIC_AUTO_COLLECTIVE_H

#include "ns3/collective-algorithm.h"
#include "ns3/nstime.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Chooses an algorithm by operation, size and number of ranks as NCCL's tuner does
 * (src/graph/tuning.cc of NCCL 2.10, ncclTopoTuneModel and ncclTopoGetAlgoTime): an all-reduce uses
 * Tree or Ring, whichever has the smaller latency + bytes / bandwidth under the better of the
 * protocols LL and Simple. LL128, which NCCL uses only on some hardware, is omitted. All-gather,
 * reduce-scatter, broadcast and reduce use Ring, as in NCCL; an all-to-all uses Direct, because
 * NCCL has all its messages in flight at once.
 *
 * The tuner's table only guides the choice; the duration of the chosen schedule is simulated.
 */
class AutoCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;
    double EstimateMessages(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const override;

    /// Name of the chosen algorithm.
    std::string Choose(const CollectiveCall& call,
                       const CollectiveLayout& layout,
                       uint32_t channels) const;
    /**
     * Time that the tuner expects an all-reduce to take.
     * \param bytes buffer of a rank [byte]
     * \param layout placement of the ranks
     * \param channels number of channels
     * \param tree Tree, else Ring
     * \returns time under the better protocol [us]
     */
    double GetExpectedTime(uint64_t bytes,
                           const CollectiveLayout& layout,
                           uint32_t channels,
                           bool tree) const;

  private:
    /// Latencies of an algorithm under a protocol.
    struct Latency
    {
        Time base;  ///< of an operation
        Time intra; ///< of a step inside a host
        Time inter; ///< of a step between hosts
    };

    static constexpr uint32_t PROTOCOLS = 2; ///< LL, Simple

    template <bool tree, uint32_t protocol, uint32_t part>
    void SetLatency(Time value)
    {
        Latency& latency = tree ? m_tree[protocol] : m_ring[protocol];
        (part == 0 ? latency.base : part == 1 ? latency.intra : latency.inter) = value;
    }

    template <bool tree, uint32_t protocol, uint32_t part>
    Time GetLatency() const
    {
        const Latency& latency = tree ? m_tree[protocol] : m_ring[protocol];
        return part == 0 ? latency.base : part == 1 ? latency.intra : latency.inter;
    }

    template <uint32_t protocol>
    void SetFactors(std::string factors)
    {
        m_treeFactors[protocol] = factors;
    }

    template <uint32_t protocol>
    std::string GetFactors() const
    {
        return m_treeFactors[protocol];
    }

    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
    double GetTreeFactor(uint64_t bytes, uint32_t protocol) const;

    std::array<Latency, PROTOCOLS> m_ring;
    std::array<Latency, PROTOCOLS> m_tree;
    std::array<std::string, PROTOCOLS> m_treeFactors;
    uint64_t m_bandwidth{0};      ///< [bit/s]
    uint64_t m_intraBandwidth{0}; ///< [bit/s]
    double m_treeShare{0};
    double m_ringLlShare{0};
    double m_treeLlShare{0};
    double m_llIntraFactor{0};
    double m_ringPlateau{0};
};

} // namespace ns3

#endif // GPU_FABRIC_AUTO_COLLECTIVE_H
