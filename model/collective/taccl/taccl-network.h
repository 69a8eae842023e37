/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_NETWORK_H
#define GPU_FABRIC_TACCL_NETWORK_H

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A TACCL topology file (Shah et al., NSDI 2023; taccl/examples/topo), which describes one host; a
/// plain value.
struct TacclMachine
{
    std::string name;
    uint32_t gpus{0};
    uint32_t nics{1};
    double alpha{0};       ///< latency of a link within the host [time unit of the file]
    double remoteAlpha{0}; ///< latency of a link between hosts [time unit of the file]
    double remoteBeta{0};  ///< time per chunk of a link between hosts [time unit of the file]
    /// By source and destination: time per chunk within the host, without latency; 0: no link [time
    /// unit of the file].
    std::vector<std::vector<double>> betas;
    /// The same with latency, as given in the file (TACCL uses these within hosts).
    std::vector<std::vector<double>> costs;
};

/// A TACCL sketch file (sec. 4; taccl/examples/sketch), a plain value.
struct TacclSketch
{
    enum class Intranode : uint8_t
    {
        NONE,   ///< plain links
        SWITCH, ///< GPUs on a switch share its ports
        MINMAX, ///< minimise the load of the most loaded link
        MAXMIN  ///< maximise the load of the least loaded link
    };

    /// Whether the number of distinct links used at a switch is minimised or maximised ("uc-min",
    /// "uc-max").
    enum class Hyperedges : uint8_t
    {
        ANY,
        FEWEST,
        MOST
    };

    uint32_t nodes{1}; ///< hosts
    Intranode intranode{Intranode::NONE};
    std::vector<std::vector<uint32_t>> switches; ///< disjoint sets of GPUs of a host
    Hyperedges hyperedges{Hyperedges::ANY};
    /// Sending GPU of a host to the GPUs of another host to which it is connected.
    std::map<uint32_t, std::vector<uint32_t>> connections;
    /// Sending GPU to the GPUs of its host whose chunks it sends to other hosts; empty: any.
    std::map<uint32_t, std::vector<uint32_t>> senders;
    bool ownFirst{false}; ///< a sender's own chunks leave before others
    /// (offset, size): within each block of `size` ranks, routing is the same `offset` ranks
    /// further on.
    std::vector<std::pair<uint32_t, uint32_t>> symmetries;
    uint32_t chunksOfRank{1}; ///< input_chunkup
};

/// A chunk of a collective: its source, and the ranks that need it.
struct TacclChunk
{
    uint32_t source{0};                 ///< rank
    std::vector<uint32_t> destinations; ///< ranks, sorted, without the source
};

/**
 * The logical topology that a sketch derives from a machine, a plain value: ranks, host by host,
 * and the links between them with their alpha-beta costs (sec. 3 and 4). Times are integers [ps].
 */
class TacclNetwork
{
  public:
    /// "No link".
    static constexpr uint32_t NONE = UINT32_MAX;

    struct Link
    {
        uint32_t source{0};
        uint32_t destination{0};
        bool remote{false};          ///< between hosts
        int64_t alphaPs{0};          ///< per message; 0 within hosts, where it is part of beta
        int64_t betaPs{0};           ///< of a chunk
        std::vector<uint32_t> ports; ///< ports shared with other links

        /// The cost of a single chunk [ps].
        int64_t GetCost() const
        {
            return alphaPs + betaPs;
        }
    };

    /// A resource that carries messages one at a time: the links into or out of a GPU at a switch.
    struct Port
    {
        bool egress{false};
        uint32_t rank{0};
        std::vector<uint32_t> links;
    };

    /**
     * \param machine and sketch without faults, with the same number of GPUs
     * \param unitPs time unit of the machine [ps]
     * \param sizeScale chunk size relative to the size to which the machine's betas apply
     */
    TacclNetwork(const TacclMachine& machine,
                 const TacclSketch& sketch,
                 int64_t unitPs,
                 double sizeScale = 1);

    uint32_t ranks{0};
    uint32_t ranksOfNode{0};
    std::vector<Link> links;
    std::vector<Port> ports;

    /// The link between two ranks, or NONE.
    uint32_t Find(uint32_t source, uint32_t destination) const
    {
        return m_find[source * ranks + destination];
    }

    uint32_t GetNode(uint32_t rank) const
    {
        return rank / ranksOfNode;
    }

    /// A rank as mapped by a symmetry (routing.py, sym_rank).
    static uint32_t Move(uint32_t rank, const std::pair<uint32_t, uint32_t>& symmetry)
    {
        const auto& [offset, size] = symmetry;
        return (rank % size + offset) % size + rank / size * size;
    }

    /**
     * The chunks of a collective. In an all-gather, chunk r * chunksOfRank + k is that of rank r;
     * in an all-to-all, chunk (r * ranks + q) * chunksOfRank + k goes from rank r to q.
     */
    std::vector<TacclChunk> MakeChunks(CollectiveOperation operation, uint32_t chunksOfRank) const;

  private:
    void AddLink(uint32_t source, uint32_t destination, bool remote, int64_t alpha, int64_t beta);
    /// Adds the ports of a rank to and from others, if it has links there.
    void AddPorts(uint32_t rank, const std::vector<uint32_t>& others);

    std::vector<uint32_t> m_find; ///< by source and destination
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_NETWORK_H
