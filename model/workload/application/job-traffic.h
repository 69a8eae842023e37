/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_TRAFFIC_H
#define GPU_FABRIC_JOB_TRAFFIC_H

#include "../../collective/communicator.h"
#include "../program/iteration-program.h"
#include "collective-plan-cache.h"

#include "ns3/cluster-topology.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The traffic of a job from one NIC to another on one channel: one queue pair.
struct JobFlow
{
    uint32_t channel{0};
    uint32_t sourceRank{0};      ///< rank of the job
    uint32_t destinationRank{0}; ///< rank of the job
    uint32_t sourceNic{0};       ///< port id
    uint32_t destinationNic{0};  ///< port id
    uint32_t sourceGpu{0};       ///< GPU id of the source rank
    uint32_t destinationGpu{0};  ///< GPU id of the destination rank
    /// (payload [byte], messages per iteration), by size.
    std::vector<std::pair<uint64_t, uint64_t>> messages;
    uint64_t payloadBytes{0}; ///< per iteration [byte]
    uint64_t messageCount{0}; ///< per iteration

    /**
     * Sum over the messages of an iteration.
     * \param messageBytes maps the payload of a message to its size, e.g. on the wire [byte]
     */
    uint64_t Sum(const std::function<uint64_t(uint64_t)>& messageBytes) const;
};

/// A communicator of a job on its GPUs.
struct JobCommunicator
{
    CollectiveLayout layout;
    uint32_t channels{1};
    std::string algorithm;
    CollectivePlans plans; ///< of the collectives that the program uses
    /// By host of the layout: the ports of its NICs, which channels take in turn.
    std::vector<std::vector<uint32_t>> nicPorts;

    /// The NIC (port id) through which a channel enters and leaves the host of a rank
    /// (CollectiveLayout::GetChannelNic). \param rank of the communicator
    uint32_t GetNicPort(uint32_t rank, uint32_t channel) const
    {
        const std::vector<uint32_t>& ports = nicPorts[layout.ranks[rank].host];
        return ports[channel % ports.size()];
    }

    /// The NICs (port ids) by which a message between hosts leaves and enters. \param source,
    /// destination ranks of the communicator
    std::pair<uint32_t, uint32_t> GetNicPorts(CollectiveNics nics,
                                              uint32_t source,
                                              uint32_t destination,
                                              uint32_t channel) const;

    std::vector<uint32_t> hostNodes; ///< by host of the layout: its node id
    std::vector<uint32_t> ownPorts;  ///< by rank: the port of the NIC of its GPU
    /// By (source, destination), where their own NICs cannot reach each other: a NIC of the
    /// source's host that reaches the destination's own.
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> detours;
};

/**
 * The traffic of a program on given GPUs, computed before the job runs; a plain value.
 *
 * Ranks are the GPUs in the order given, host by host. A transfer between hosts uses the NIC of its
 * channel on either host (CollectiveLayout::GetChannelNic), whichever GPU it comes from, or those
 * of the two GPUs, as its schedule says (CollectiveNics). If the latter cannot reach each other, as
 * on different rails of a rail-only network, it leaves by a NIC of the source's host that can.
 */
class JobTraffic
{
  public:
    std::vector<JobCommunicator> communicators; ///< as IterationProgram::communicators
    std::vector<JobFlow> flows;                 ///< by channel, source rank, destination rank
    /// Traffic between ranks of one host, by source and destination rank, over all channels; NICs
    /// are not set. Empty if the inside of hosts is not modelled.
    std::vector<JobFlow> locals;
    /// Why these GPUs cannot run the program: an algorithm that does not support their placement,
    /// or two NICs that must exchange data but cannot reach each other, like those of different
    /// rails in a rail-only network; empty if they can. A job with such a fault fails when it
    /// starts.
    std::string impossible;
    std::vector<CollectiveFallback> fallbacks; ///< substitutions for algorithms, without duplicates

    /**
     * Builds and validates the schedules and adds up the flows.
     * \param program a valid program
     * \param gpus GPU ids in rank order; those of a host are adjacent
     * \param topology the cluster
     * \param faults one sentence per fault: unknown algorithm, unsupported number of ranks, invalid
     * schedule
     * \param kept plans of costly algorithms; null: none are kept
     */
    static JobTraffic Build(const IterationProgram& program,
                            const std::vector<uint32_t>& gpus,
                            const ClusterTopology& topology,
                            std::vector<std::string>& faults,
                            CollectivePlanCache* kept = nullptr);

    /**
     * Why the algorithms of a program cannot perform its collectives on given GPUs; empty if they
     * can. A job that was checked on one placement may get another: Build() then reports it in
     * `impossible`, and its result must not be run.
     */
    static std::string GetFault(const IterationProgram& program,
                                const std::vector<uint32_t>& gpus,
                                const ClusterTopology& topology);

    /// Payload that all ranks post to the network per iteration [byte].
    uint64_t GetNetworkBytes() const;

    /// The placement of the ranks of a communicator. \param ranks ranks of the job
    static CollectiveLayout MakeLayout(const std::vector<uint32_t>& ranks,
                                       const std::vector<uint32_t>& gpus,
                                       const ClusterTopology& topology);
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_TRAFFIC_H
