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
    uint32_t heads{0};
    uint64_t vocabulary{0};
    uint64_t positions{0};      ///< rows of the position embedding
    uint64_t tokenTypes{0};     ///< rows of the token type embedding
    uint64_t looseNorms{1};     ///< layer norms outside the layers, counted to the embedding
    uint32_t keyValueHeads{0};  ///< heads of keys and values; 0: heads
    uint64_t feedForward{0};    ///< inner size of the feed-forward layers; 0: 4 hidden
    bool plain{false};          ///< as Llama: no biases, RMS norm (scale only), gated feed-forward
    bool untied{false};         ///< the output head has weights of its own
    uint32_t experts{0};        ///< feed-forward networks of a layer, of which a router chooses
    uint32_t topK{0};           ///< experts a token goes to
    bool fusedAttention{false}; ///< scores stay on the chip (FlashAttention)
};

/**
 * Layers of a transformer (Vaswani et al., "Attention is all you need", NIPS 2017): embedding;
 * then attention (projections, scores and their use) and feed-forward by turns; then the output
 * head, whose weights are those of the embedding unless `untied`. `plain` layers: Touvron et al.,
 * "LLaMA", 2023, section 2.2; keys and values of fewer heads: Ainslie et al., "GQA", EMNLP 2023;
 * experts: Jiang et al., "Mixtral of experts", 2024, section 2.
 *
 * Elements read and written beside the matrix products, of a token in a forward pass: norm 2 h,
 * biases and transpositions of queries, keys, values and context 8 h, dropout and residual 3 h;
 * scale, mask, softmax and dropout 4 a score, none if fused; the feed-forward part norm 2 h,
 * activation 2 (gated: 3) an inner element, dropout and residual 3 h; cross-entropy 4 a word of
 * the vocabulary.
 * \param sequence tokens a sample
 */
ModelProfile MakeTransformerProfile(const TransformerShape& shape, uint32_t sequence);

/// What is wrong with a shape, one sentence; empty: nothing.
std::string GetTransformerFault(const TransformerShape& shape);

} // namespace ns3

#endif // GPU_FABRIC_TRANSFORMER_PROFILE_H
