/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_WORKLOAD_H
#define GPU_FABRIC_BENCHMARK_WORKLOAD_H

#include "../../model/workload/application/plain-flows.h"
#include "benchmark-figure.h"

#include "ns3/cluster-topology.h"
#include "ns3/collective-schedule.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// A network and the flows on it, all posted at 1 ms of simulated time, with DCQCN, PFC, ECN and an
/// acknowledgement for each packet of 1,000 B of payload, as in the public simulators that perm16
/// and a2a16 were measured on.
struct BenchmarkWorkload
{
    std::string name;
    std::string description;
    std::function<ns3::ClusterTopology()> makeTopology;
    uint64_t flowBytes{0}; ///< of each flow, or of the buffer of each rank [byte]
    /// Pairs of hosts (source, destination), by their numbers 0 to hosts - 1.
    std::function<std::vector<std::pair<uint32_t, uint32_t>>(uint32_t hosts)> makePairs;
    /// Instead of flows, one collective of all hosts: the algorithm, as in a program; empty: none.
    std::string algorithm{};
    ns3::CollectiveOperation operation{ns3::CollectiveOperation::ALL_REDUCE};
    bool wholeRun{false}; ///< of interest is the time from the start of the program to its end
    uint32_t threads{1};  ///< if more than one: of interest is how much faster than one they are

    /// All of them.
    static const std::vector<BenchmarkWorkload>& GetAll();

    /// What one run gives.
    struct Result
    {
        double startSeconds{0}; ///< CPU time until the first event, topology included [s]
        double runSeconds{0};   ///< CPU time of Simulator::Run() [s]
        double wallSeconds{0};  ///< the same by the clock [s]
        double windows{0};      ///< of parts beside the simulator
        double busyWindows{0};  ///< of these, by part, those with much work for it
        double hops{0};
        double events{0}; ///< of the lane
        double pauses{0};
        double marked{0};
        double medianCompletionUs{0}; ///< simulated, of the flows or messages [us]
    };

    /// Runs it once. \param divisor of the bytes of each flow
    Result Run(uint64_t divisor, uint32_t threadCount) const;

    /// Runs it several times, each followed by the chain of ns-3's devices; the memory is that of
    /// the first run, before the chain.
    std::vector<BenchmarkFigure> Measure(uint32_t runs) const;

    /// Runs it by turns in one thread and in several.
    std::vector<BenchmarkFigure> MeasureThreads(uint32_t runs) const;
};

#endif // GPU_FABRIC_BENCHMARK_WORKLOAD_H
