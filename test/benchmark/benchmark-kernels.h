/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_KERNELS_H
#define GPU_FABRIC_BENCHMARK_KERNELS_H

#include "benchmark-figure.h"

#include <cstdint>
#include <vector>

/**
 * Nanoseconds of CPU time of the inner operations: an event of the lane, a choice by ECMP, a frame
 * of a DCQCN sender, one through the shared buffer, a row of the database.
 *
 * Own loops, as Google Benchmark is Apache-2.0, which the Free Software Foundation does not hold
 * compatible with GPL-2.0-only, ns-3's licence.
 */
std::vector<BenchmarkFigure> MeasureKernels(uint32_t runs);

#endif // GPU_FABRIC_BENCHMARK_KERNELS_H
