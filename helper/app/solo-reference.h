/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SOLO_REFERENCE_H
#define GPU_FABRIC_SOLO_REFERENCE_H

#include "../../model/results/result-database.h"
#include "../../model/scenario/scenario.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The iteration time of jobs that run alone, which is the reference of their slowdown.
 *
 * A job runs alone on the GPUs that it had, in the same order of ranks, with the same seed, network
 * and scenario, on paths selected for it (GpuIntensity with SelectPaths) or on those that ECMP
 * gives its queue pairs (None); without other jobs, flows and faults. The time is the mean, start
 * to start, of up to `PERIODS` iterations after the warm-up. Each such run is made once, and its
 * result kept in a folder.
 */
class SoloReference
{
  public:
    static constexpr uint64_t PERIODS = 8; ///< number of iterations averaged

    /**
     * \param identity of the scenario with its seed, without its schedulers
     * \param scratch name of a database for the runs, removed after them
     * \param cache folder that keeps results; empty: none
     */
    SoloReference(const Scenario& scenario,
                  std::string identity,
                  std::string scratch,
                  std::string cache);

    /// Ends a run when the flag becomes true; its result is then discarded.
    void SetInterrupt(const std::atomic<bool>* interrupt)
    {
        m_interrupt = interrupt;
    }

    /**
     * Sets job.solo_iteration_ps of the jobs of a run.
     * \param placements by job, its GPUs in rank order; empty: it had none
     * \throws ResultWriteError
     */
    void Complete(ResultDatabase& database,
                  uint32_t run,
                  const std::vector<std::vector<uint32_t>>& placements);

    /// Number of runs made rather than found in the cache.
    uint32_t GetRuns() const
    {
        return m_runs;
    }

  private:
    /// [ps]; none if the job does not finish two iterations.
    std::optional<int64_t> Get(uint32_t job, const std::vector<uint32_t>& gpus);
    std::optional<int64_t> Run(uint32_t job, const std::vector<uint32_t>& gpus);

    const Scenario& m_scenario;
    std::string m_identity;
    std::string m_scratch;
    std::string m_cache;
    const std::atomic<bool>* m_interrupt{nullptr};
    std::map<std::string, std::optional<int64_t>> m_known; ///< by hash
    uint32_t m_runs{0};
};

} // namespace ns3

#endif // GPU_FABRIC_SOLO_REFERENCE_H
