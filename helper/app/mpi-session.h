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
 * MPI for as long as a program simulates.
 *
 * MPI is started only if a launcher such as mpirun has started the program, or if the simulator
 * implementation that is bound is one of ns-3's mpi module, which then is made ready for it. In
 * any other case, and where the module was built without MPI, the session is that of one rank.
 * There is one a program, made when SimulatorImplementationType has its value and before anything
 * uses the simulator.
 */
class MpiSession
{
  public:
    MpiSession();
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// Ranks that a launcher has started, this one included; 0: no launcher has.
    static uint32_t GetLaunchedRanks();

    /// Whether this module was built with MPI.
    static bool HasMpi();

    /// Of this process, from 0.
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /// Processes that simulate together.
    uint32_t GetRankCount() const
    {
        return m_rankCount;
    }

    /// A link of the ranks; all of them call it.
    std::unique_ptr<RankLink> MakeLink() const;

    /**
     * Makes ns-3's mpi module ready for another simulation, if it is in use: what
     * DistributedSimulatorImpl receives into is gone for good with Simulator::Destroy(). To be
     * called after that.
     */
    static void Renew();

  private:
    uint32_t m_rank{0};
    uint32_t m_rankCount{1};
    bool m_started{false}; ///< this session has started MPI
};

} // namespace ns3

#endif // GPU_FABRIC_MPI_SESSION_H
