/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_FIGURE_H
#define GPU_FABRIC_BENCHMARK_FIGURE_H

#include <string>
#include <vector>

/// A measured quantity: one value for each run.
struct BenchmarkFigure
{
    std::string name;
    std::string unit; ///< "1" for a number without a unit
    std::vector<double> values;
    std::vector<double> ratios; ///< to the chain of ns-3's devices, run after it; may be empty

    /// The middle one; of an even number the greater of the two. \param values at least one
    static double GetMedian(std::vector<double> values);
};

/// CPU time of this process so far, all threads [s].
double GetCpuSeconds();

/// The most memory that this process has had resident [MB = 10^6 byte]. That of the program that
/// it was before exec() does not count, as it would in ru_maxrss.
double GetPeakMegabytes();

#endif // GPU_FABRIC_BENCHMARK_FIGURE_H
