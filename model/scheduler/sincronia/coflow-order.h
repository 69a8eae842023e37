/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COFLOW_ORDER_H
#define GPU_FABRIC_COFLOW_ORDER_H

#include "ns3/job-order.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Demands of coflows on ports: by coflow, by port, in units of the time that the port needs.
using CoflowDemands = std::vector<std::vector<double>>;

/**
 * The order of coflows by the primal-dual algorithm BSSI (bottleneck, select, scale, iterate) of
 * Sincronia (Agarwal et al., SIGCOMM 2018), weights 1. The order is built from the last coflow to
 * the first: on the port with the greatest demand, the coflow with the least weight for its demand
 * there goes last, and the weights of the others are reduced by its share. Coflows without demand
 * on that port are left unchanged, also if no coflow has any (then the last of them goes last).
 *
 * Ties: the first port, the last coflow.
 * \returns coflows, first to last
 */
std::vector<uint32_t> GetBssiOrder(const CoflowDemands& demands);

/**
 * Demands of jobs; one iteration of a job is one coflow.
 * \param uplinks whether links between switches also count as ports, with each flow spread evenly
 *        over its candidate paths; otherwise the ports are those of the NICs, out and in, as in the
 *        big-switch model
 * \returns [s] by job as in the ranking, by directed link that any of them uses, ascending
 */
CoflowDemands GetCoflowDemands(const ClusterView& view,
                               CandidatePaths& paths,
                               const JobRanking& ranking,
                               bool uplinks);

} // namespace ns3

#endif // GPU_FABRIC_COFLOW_ORDER_H
