/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COFLOW_ADMISSION_H
#define GPU_FABRIC_COFLOW_ADMISSION_H

#include "coflow-order.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The fraction of each coflow that a horizon takes at most in all: maximises their sum where each
 * is 0 to 1 and no port has more to do than the horizon. Exact, by the simplex method with Bland's
 * rule, which makes the vertex it ends on, and so the result, one.
 * \param demands [s] by coflow, by port
 * \param horizon [s], 0 or more
 * \returns by coflow, 0 to 1
 */
std::vector<double> GetAdmittedFractions(const CoflowDemands& demands, double horizon);

/**
 * The epochs of Sincronia's online algorithm (Agarwal et al., SIGCOMM 2018): within a round each is
 * twice as long as the one before; after so many the round starts again. In an epoch the coflows
 * that its length takes (GetAdmittedFractions, at least a half) go before the others.
 */
struct CoflowEpoch
{
    uint32_t number{0};   ///< within the round
    int64_t startPs{0};   ///< [ps]
    int64_t horizonPs{0}; ///< length [ps]

    /**
     * The epoch of an instant, rounds being counted from 0.
     * \param nowPs [ps], 0 or later
     * \param firstPs length of the first epoch of a round [ps], positive
     * \param count epochs of a round, 1 to 30
     */
    static CoflowEpoch At(int64_t nowPs, int64_t firstPs, uint32_t count);
};

} // namespace ns3

#endif // GPU_FABRIC_COFLOW_ADMISSION_H
