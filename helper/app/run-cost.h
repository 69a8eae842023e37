/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_COST_H
#define GPU_FABRIC_RUN_COST_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * What a run is going to cost, about: an estimate from the traffic of its jobs and flows on the
 * built network, as if nothing waited for anything else. Faults, retransmissions and queueing for
 * GPUs are not in it.
 */
struct RunCost
{
    double packetHops{0};  ///< arrivals of frames at the end of a wire, as Fabric counts them
    double simulatedPs{0}; ///< [ps]
    double memoryBytes{0}; ///< peak, resident [byte]
    double hopNs{0};       ///< CPU time of a packet-hop [ns]
    double windowPs{0};    ///< of several threads: half of the shortest delay of a wire [ps]

    /// Events of the fast lane.
    double GetEvents() const;
    /// [s]
    double GetCpuSeconds() const;
    /// Events in a window of several threads.
    double GetWindowEvents() const;

    /// Adds another run, made after this one.
    void Add(const RunCost& other, uint64_t times = 1);

    /// "about 12 million packet-hops, 21 million events, 2 s of CPU time, 45 MB of memory"
    std::string Describe() const;

    /**
     * CPU time of a packet-hop [ns], which grows with the network as that leaves the processor's
     * caches: doc/performance.rst has 65 ns with 16 hosts, 210 with 1,024, 320 with 4,096.
     */
    static double GetHopNs(uint32_t nics);

    /**
     * Why so many threads are unlikely to be faster than one; "": they are likely to.
     * \param load processes that want a processor at present
     * \param processors of the machine
     */
    std::string GetThreadsFault(uint32_t threads, double load, uint32_t processors) const;

    /// The number of threads that is likely to be the fastest.
    uint32_t ChooseThreads(double load, uint32_t processors) const;

    /// Processes that want a processor at present: the load average of the last minute; 0: unknown.
    static double GetLoad();
    /// Resident set of this process at its largest so far [byte].
    static double GetPeakMemory();
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_COST_H
