/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COMMUNICATION_START_H
#define GPU_FABRIC_COMMUNICATION_START_H

#include "ns3/iteration-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The part of a job's compute after which the first of its collectives that leave a host can
 * start, 0 to 1: for the rank that computes longest, the compute up to the last step that the
 * collective waits for, directly or through others. 1 if no collective leaves a host.
 *
 * \param program valid
 * \param hosts node id of the host of each rank
 */
double GetCommunicationStart(const IterationProgram& program, const std::vector<uint32_t>& hosts);

} // namespace ns3

#endif // GPU_FABRIC_COMMUNICATION_START_H
