/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MPI_SESSION_H
#define GPU_FABRIC_MPI_SESSION_H

#include "../../model/engine/parallel/rank-link.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * MPI for the lifetime of the simulation.
 *
 * MPI is started only if a launcher such as mpirun has started the program, or if the selected
 * simulator implementation is one of ns-3's mpi module, which is then initialised. In any other
 * case, and where the module was built without MPI, the session is that of one rank. A program has
 * one session, created after SimulatorImplementationType is set and before anything uses the
 * simulator.
 */
class MpiSession
{
  public:
    MpiSession();
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// Number of ranks started by a launcher, including this one; 0: no launcher.
    static uint32_t GetLaunchedRanks();

    /// Whether this module was built with MPI.
    static bool HasMpi();

    /// Of this process, from 0.
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /// Number of processes that simulate together.
    uint32_t GetRankCount() const
    {
        return m_rankCount;
    }

    /// A link between the ranks; all of them must call it.
    std::unique_ptr<RankLink> MakeLink() const;

    /**
     * Prepares ns-3's mpi module for another simulation, if it is in use: the receive buffers of
     * DistributedSimulatorImpl are destroyed with Simulator::Destroy(). Call after that.
     */
    static void Renew();

  private:
    uint32_t m_rank{0};
    uint32_t m_rankCount{1};
    bool m_started{false}; ///< this session has started MPI
};

} // namespace ns3

#endif // GPU_FABRIC_MPI_SESSION_H
