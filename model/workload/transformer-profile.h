/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRANSFORMER_PROFILE_H
#define GPU_FABRIC_TRANSFORMER_PROFILE_H

#include "ns3/model-profile.h"

#include <cstdint>

namespace ns3
{

/// The figures from which a transformer's profile follows.
struct TransformerShape
{
    uint32_t layers{0};
    uint64_t hidden{0};
    uint64_t vocabulary{0};
    uint64_t positions{0};  ///< rows of the position embedding
    uint64_t tokenTypes{0}; ///< rows of the token type embedding
    uint64_t looseNorms{1}; ///< layer norms outside the layers, counted to the embedding
};

/**
 * Layers of a transformer (Vaswani et al., "Attention is all you need", NIPS 2017): embedding;
 * then attention (four h x h projections, scores and their use) and feed-forward (h x 4h, 4h x h)
 * with biases and layer norm, by turns; then the output head, whose weights are those of the
 * embedding.
 * \param sequence tokens a sample
 */
ModelProfile MakeTransformerProfile(const TransformerShape& shape, uint32_t sequence);

} // namespace ns3

#endif // GPU_FABRIC_TRANSFORMER_PROFILE_H
