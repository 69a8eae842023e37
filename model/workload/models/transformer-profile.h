/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRANSFORMER_PROFILE_H
#define GPU_FABRIC_TRANSFORMER_PROFILE_H

#include "ns3/model-profile.h"

#include <cstdint>

namespace ns3
{

/// The figures that determine a transformer's profile.
struct TransformerShape
{
    uint32_t layers{0};
    uint64_t hidden{0};
    uint32_t heads{0};
    uint64_t vocabulary{0};
    uint64_t positions{0};     ///< rows of the position embedding
    uint64_t tokenTypes{0};    ///< rows of the token type embedding
    uint64_t looseNorms{1};    ///< layer norms outside the layers, counted as part of the embedding
    uint32_t keyValueHeads{0}; ///< heads of keys and values; 0: heads
    uint64_t feedForward{0};   ///< inner size of the feed-forward layers; 0: 4 hidden
    bool plain{false};   ///< as in Llama: no biases, RMS norm (scale only), gated feed-forward
    bool untied{false};  ///< the output head has its own weights
    uint32_t experts{0}; ///< feed-forward networks per layer, among which a router chooses
    uint32_t topK{0};    ///< experts per token
    bool fusedAttention{false}; ///< scores stay on the chip (FlashAttention)
};

/**
 * Creates the layers of a transformer (Vaswani et al., "Attention is all you need", NIPS 2017):
 * embedding; then alternately attention (projections, scores and their application) and
 * feed-forward; then the output head, which shares the weights of the embedding unless `untied`.
 * `plain` layers: Touvron et al., "LLaMA", 2023, section 2.2; fewer heads of keys and values:
 * Ainslie et al., "GQA", EMNLP 2023; experts: Jiang et al., "Mixtral of experts", 2024, section 2.
 *
 * Elements read and written apart from the matrix products, per token in a forward pass: norm 2 h,
 * biases and transpositions of queries, keys, values and context 8 h, dropout and residual 3 h;
 * scale, mask, softmax and dropout 4 per score, none if fused; in the feed-forward part norm 2 h,
 * activation 2 (gated: 3) per inner element, dropout and residual 3 h; cross-entropy 4 per word of
 * the vocabulary.
 * \param sequence tokens per sample
 */
ModelProfile MakeTransformerProfile(const TransformerShape& shape, uint32_t sequence);

/// What is wrong with a shape, one sentence; empty if it is valid.
std::string GetTransformerFault(const TransformerShape& shape);

} // namespace ns3

#endif // GPU_FABRIC_TRANSFORMER_PROFILE_H
