/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_CONGESTION_H
#define GPU_FABRIC_BENCHMARK_CONGESTION_H

#include <cstdint>
#include <string>

/**
 * How a congestion control fits a rate: hosts at a switch, links of 1 us, defaults as a user has
 * them; long flows from N senders to one receiver, which start together, and two flows of which one
 * ends.
 */
struct BenchmarkCongestion
{
    uint64_t rateBps{0}; ///< of all links [bit/s]
    uint32_t senders{0}; ///< N; 1: of interest is how soon a flow recovers
    uint64_t seed{1};

    static constexpr int64_t SETTLED_PS = 5'000'000'000; ///< from here on the flows have settled

    struct Result
    {
        double early{0};       ///< utilization of the receiver's link before SETTLED_PS
        double late{0};        ///< after it
        double queueBytes{0};  ///< mean after it, without the frame in transmission [byte]
        double jain{0};        ///< of the bytes that the senders send after it
        double recoveryUs{-1}; ///< until a flow that shared a link has 95 % of it [us]; -1: never
        uint64_t earlyPauses{0};
        uint64_t latePauses{0};
    };

    Result Run() const;

    /// Runs it and prints a line: the members of Result, separated by spaces.
    /// \param cell RATE:SENDERS:SEED, as 100Gbps:8:1 \returns the exit status
    static int Print(const std::string& cell);
};

#endif // GPU_FABRIC_BENCHMARK_CONGESTION_H
