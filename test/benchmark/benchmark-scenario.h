/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_SCENARIO_H
#define GPU_FABRIC_BENCHMARK_SCENARIO_H

#include "benchmark-figure.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * Runs a scenario from its file to its database, with its own recorders and with the least that a
 * scenario can record (`record: [events]`), in turn: the cost of recording is the difference of
 * each pair.
 * \param file of the project, such as "scenarios/quickstart.yaml"
 * \param changes lines of YAML that are laid over it; may be empty
 */
std::vector<BenchmarkFigure> MeasureScenario(const std::string& file,
                                             const std::string& changes,
                                             uint32_t runs);

/**
 * Starts a scenario and ends it after 1 ms of simulated time, in which its jobs, which compute
 * first, send nothing: what it takes to read it, to build its network and to plan and prove the
 * collectives of the jobs that arrive at 0.
 * \param file as above
 */
std::vector<BenchmarkFigure> MeasureScenarioStart(const std::string& file, uint32_t runs);

#endif // GPU_FABRIC_BENCHMARK_SCENARIO_H
