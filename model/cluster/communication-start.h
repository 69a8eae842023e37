/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMMUNICATION_START_H
#define GPU_FABRIC_COMMUNICATION_START_H

#include "../workload/program/iteration-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The fraction of a job's compute time after which its first collective across hosts can start, 0
 * to 1: for the rank with the longest compute time, the compute up to the last step that the
 * collective depends on, directly or indirectly. 1 if all collectives stay within a host.
 *
 * \param program valid
 * \param hosts node id of the host of each rank
 */
double GetCommunicationStart(const IterationProgram& program, const std::vector<uint32_t>& hosts);

} // namespace ns3

#endif // GPU_FABRIC_COMMUNICATION_START_H
