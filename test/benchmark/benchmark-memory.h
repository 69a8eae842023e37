/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_MEMORY_H
#define GPU_FABRIC_BENCHMARK_MEMORY_H

#include "benchmark-figure.h"

#include <vector>

/**
 * Bytes of heap of what is idle in a network of 4,000 hosts: of a port of a switch and of a NIC,
 * each with half its cable, of a switch and of a host without ports, routes and ns-3 objects
 * included. Differences of networks that have more of one of them; beside them the sizes of the
 * structures.
 */
std::vector<BenchmarkFigure> MeasureIdleMemory();

#endif // GPU_FABRIC_BENCHMARK_MEMORY_H
