/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_TRAFFIC_H
#define GPU_FABRIC_JOB_TRAFFIC_H

#include "../../collective/communicator.h"
#include "collective-plan-cache.h"

#include "ns3/cluster-topology.h"
#include "ns3/iteration-program.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What a job sends from one NIC to another on one channel: one queue pair.
struct JobFlow
{
    uint32_t channel{0};
    uint32_t sourceRank{0};      ///< rank of the job
    uint32_t destinationRank{0}; ///< rank of the job
    uint32_t sourceNic{0};       ///< port id
    uint32_t destinationNic{0};  ///< port id
    uint32_t sourceGpu{0};       ///< GPU id of the source rank
    uint32_t destinationGpu{0};  ///< GPU id of the destination rank
    /// (payload [byte], how many an iteration), by size.
    std::vector<std::pair<uint64_t, uint64_t>> messages;
    uint64_t payloadBytes{0}; ///< an iteration [byte]
    uint64_t messageCount{0}; ///< an iteration

    /**
     * Sum over the messages of an iteration.
     * \param messageBytes gives what a message of so many bytes of payload takes, e.g. on the
     *        wire [byte]
     */
    uint64_t Sum(const std::function<uint64_t(uint64_t)>& messageBytes) const;
};

/// A communicator of a job on its GPUs.
struct JobCommunicator
{
    CollectiveLayout layout;
    uint32_t channels{1};
    std::string algorithm;
    CollectivePlans plans; ///< of the collectives the program uses
};

/**
 * What a program sends on given GPUs, known before the job runs; a plain value.
 *
 * Ranks are the GPUs in the order given, host by host. A transfer between hosts takes the NIC of
 * its channel on either host (CollectiveLayout::GetChannelNic), whichever GPU it comes from.
 */
class JobTraffic
{
  public:
    std::vector<JobCommunicator> communicators; ///< as IterationProgram::communicators
    std::vector<JobFlow> flows;                 ///< by channel, source rank, destination rank
    /// What ranks of one host send each other, by source and destination rank, over all channels;
    /// NICs are not set. Empty where the inside of hosts is not modelled.
    std::vector<JobFlow> locals;
    /// Why these GPUs cannot do it: an algorithm that does not suit their placement, or two NICs
    /// that must exchange data and do not reach each other, as those of different rails in a
    /// rail-only network; empty: they can. A job fails with it when it starts.
    std::string impossible;
    std::vector<CollectiveFallback> fallbacks; ///< what stands in for algorithms, each once

    /**
     * Builds and validates the schedules and adds up the flows.
     * \param program a valid program
     * \param gpus GPU ids in rank order; those of a host stand together
     * \param topology the cluster
     * \param faults one sentence for each fault: unknown algorithm, unsupported number of ranks,
     *        a schedule that is wrong
     * \param kept plans of algorithms that take long; null: none are
     */
    static JobTraffic Build(const IterationProgram& program,
                            const std::vector<uint32_t>& gpus,
                            const ClusterTopology& topology,
                            std::vector<std::string>& faults,
                            CollectivePlanCache* kept = nullptr);

    /**
     * Why the algorithms of a program cannot do its collectives on given GPUs; empty: they can.
     * A job that was checked on one placement may get another one: Build() then says it in
     * `impossible`, and what it builds is not to be run.
     */
    static std::string GetFault(const IterationProgram& program,
                                const std::vector<uint32_t>& gpus,
                                const ClusterTopology& topology);

    /// Payload that all ranks post to the network in an iteration [byte].
    uint64_t GetNetworkBytes() const;

    /// Where the ranks of a communicator sit. \param ranks ranks of the job
    static CollectiveLayout MakeLayout(const std::vector<uint32_t>& ranks,
                                       const std::vector<uint32_t>& gpus,
                                       const ClusterTopology& topology);
    /// The NIC (port id) by which a channel enters and leaves the host of a rank.
    static uint32_t GetNicPort(const CollectiveLayout& layout,
                               uint32_t rank,
                               uint32_t channel,
                               uint32_t gpu,
                               const ClusterTopology& topology);
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_TRAFFIC_H
