/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/transformer-profile.h"

namespace ns3
{

ModelProfile
MakeTransformerProfile(const TransformerShape& shape, uint32_t sequence)
{
    const uint64_t h = shape.hidden;
    const uint64_t s = sequence;
    const uint64_t norm = 2 * h; // scale and shift
    ModelProfile profile;
    profile.sequence = sequence;
    profile.layers.push_back(
        {"embedding",
         (shape.vocabulary + shape.positions + shape.tokenTypes) * h + shape.looseNorms * norm,
         0});
    for (uint32_t layer = 0; layer < shape.layers; layer++)
    {
        const std::string name = "l" + std::to_string(layer);
        profile.layers.push_back(
            {name + "_attn", 4 * (h * h + h) + norm, 4 * s * h * h + 2 * s * s * h});
        profile.layers.push_back({name + "_mlp", 8 * h * h + 5 * h + norm, 8 * s * h * h});
    }
    profile.layers.push_back({"head_tied", 0, s * h * shape.vocabulary});
    return profile;
}

} // namespace ns3
