/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpi-session.h"

#include "../../model/engine/parallel/thread-rank-link.h"

#include <cstdlib>

#ifdef GPU_FABRIC_HAS_MPI
#include "../../model/engine/parallel/mpi-rank-link.h"

#include "ns3/global-value.h"
#include "ns3/log.h"
#include "ns3/mpi-interface.h"
#include "ns3/string.h"

#include <mpi.h>
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MpiSession");

uint32_t
MpiSession::GetLaunchedRanks()
{
    // Open MPI's mpirun, the process managers of MPICH and its derivatives, and Slurm's srun with
    // PMIx.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    {
        const char* value = std::getenv(name);
        const long count = value ? std::strtol(value, nullptr, 10) : 0;
        if (count > 0)
        {
            return static_cast<uint32_t>(count);
        }
    }
    return 0;
}

#ifdef GPU_FABRIC_HAS_MPI

namespace
{

std::string
GetImplementation()
{
    StringValue value;
    GlobalValue::GetValueByName("SimulatorImplementationType", value);
    return value.Get();
}

} // namespace

bool
MpiSession::HasMpi()
{
    return true;
}

MpiSession::MpiSession()
{
    const std::string implementation = GetImplementation();
    const bool needed = implementation == "ns3::DistributedSimulatorImpl" ||
                        implementation == "ns3::NullMessageSimulatorImpl";
    if (!needed && GetLaunchedRanks() == 0)
    {
        return; // Starting MPI takes 0.2 s.
    }
    int threads = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
    m_started = true;
    int rank = 0;
    int count = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    m_rank = static_cast<uint32_t>(rank);
    m_rankCount = static_cast<uint32_t>(count);
    NS_LOG_INFO("rank " << m_rank << " of " << m_rankCount);
    if (needed)
    {
        // To ns-3's engine, each rank simulates alone: frames cross by a RankLink.
        MpiInterface::Enable(MPI_COMM_SELF);
    }
}

MpiSession::~MpiSession()
{
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
    if (m_started)
    {
        MPI_Finalize();
    }
}

std::unique_ptr<RankLink>
MpiSession::MakeLink() const
{
    if (m_started)
    {
        return std::make_unique<MpiRankLink>(MPI_COMM_WORLD);
    }
    return std::move(ThreadRankLink::MakeAll(1)[0]);
}

void
MpiSession::Renew()
{
    // The null-message implementation allocates new buffers in each run, and frees the last ones
    // when disabled.
    if (MpiInterface::IsEnabled() && GetImplementation() == "ns3::DistributedSimulatorImpl")
    {
        MpiInterface::Disable();
        MpiInterface::Enable(MPI_COMM_SELF);
    }
}

#else

bool
MpiSession::HasMpi()
{
    return false;
}

MpiSession::MpiSession() = default;

MpiSession::~MpiSession() = default;

std::unique_ptr<RankLink>
MpiSession::MakeLink() const
{
    return std::move(ThreadRankLink::MakeAll(1)[0]);
}

void
MpiSession::Renew()
{
}

#endif

} // namespace ns3
