/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COFLOW_ADMISSION_H
#define GPU_FABRIC_COFLOW_ADMISSION_H

#include "coflow-order.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The fraction of each coflow that fits into a horizon: maximises the sum of the fractions, each 0
 * to 1, such that no port needs more time than the horizon. Solved exactly by the simplex method
 * with Bland's rule, which makes the resulting vertex, and so the result, unique.
 * \param demands [s] by coflow, by port
 * \param horizon [s], 0 or more
 * \returns by coflow, 0 to 1
 */
std::vector<double> GetAdmittedFractions(const CoflowDemands& demands, double horizon);

/**
 * The epochs of Sincronia's online algorithm (Agarwal et al., SIGCOMM 2018): within a round, each
 * is twice as long as the one before; after a given number of epochs, the next round begins. In an
 * epoch, the coflows that fit into its length (GetAdmittedFractions, at least one half) go before
 * the others.
 */
struct CoflowEpoch
{
    uint32_t number{0};   ///< within the round
    int64_t startPs{0};   ///< [ps]
    int64_t horizonPs{0}; ///< length [ps]

    /**
     * The epoch of an instant; the first round starts at 0.
     * \param nowPs [ps], 0 or later
     * \param firstPs length of the first epoch of a round [ps], positive
     * \param count epochs of a round, 1 to 30
     */
    static CoflowEpoch At(int64_t nowPs, int64_t firstPs, uint32_t count);
};

} // namespace ns3

#endif // GPU_FABRIC_COFLOW_ADMISSION_H
