/* SPDX-License-Identifier: GPL-2.0-only */
#include "transformer-profile.h"

namespace ns3
{

namespace
{

ModelLayer
MakeAttention(const TransformerShape& shape, uint64_t s)
{
    const uint64_t h = shape.hidden;
    const uint64_t keyValueHeads = shape.keyValueHeads > 0 ? shape.keyValueHeads : shape.heads;
    const uint64_t kv = h / shape.heads * keyValueHeads;
    ModelLayer layer;
    layer.kind = LayerKind::ATTENTION;
    const uint64_t weights = 2 * h * h + 2 * h * kv;
    layer.parameters = weights + (shape.plain ? h : 2 * h + 2 * kv + 2 * h);
    layer.forwardMacs = s * weights + 2 * s * s * h;
    layer.activation = s * h;
    layer.memoryElements = s * 13 * h + (shape.fusedAttention ? 0 : 4 * shape.heads * s * s);
    return layer;
}

ModelLayer
MakeFeedForward(const TransformerShape& shape, uint64_t s)
{
    const uint64_t h = shape.hidden;
    const uint64_t inner = shape.feedForward > 0 ? shape.feedForward : 4 * h;
    const uint64_t matrices = (shape.plain ? 3 : 2) * h * inner;
    const uint64_t network = matrices + (shape.plain ? 0 : inner + h);
    const uint64_t used = shape.experts > 0 ? shape.topK : 1;
    ModelLayer layer;
    layer.kind = LayerKind::FEED_FORWARD;
    layer.parameters = network + (shape.plain ? h : 2 * h);
    layer.forwardMacs = s * matrices * used;
    layer.activation = s * h;
    layer.memoryElements = s * (5 * h + (shape.plain ? 3 : 2) * inner * used);
    if (shape.experts > 0)
    {
        const uint64_t router = h * shape.experts;
        layer.kind = LayerKind::EXPERTS;
        layer.expertParameters = network * shape.experts;
        layer.parameters += router + layer.expertParameters - network;
        layer.forwardMacs += s * router;
        layer.exchanged = s * h * shape.topK;
    }
    return layer;
}

} // namespace

std::string
GetTransformerFault(const TransformerShape& shape)
{
    const std::string heads = std::to_string(shape.heads);
    if (shape.hidden % shape.heads != 0)
    {
        return "the hidden size, " + std::to_string(shape.hidden) +
               ", must be a multiple of the heads, " + heads;
    }
    if (shape.keyValueHeads > 0 && shape.heads % shape.keyValueHeads != 0)
    {
        return "the heads, " + heads + ", must be a multiple of those of keys and values, " +
               std::to_string(shape.keyValueHeads);
    }
    if (shape.topK > shape.experts)
    {
        return "a token cannot go to " + std::to_string(shape.topK) + " of " +
               std::to_string(shape.experts) + " experts";
    }
    return "";
}

ModelProfile
MakeTransformerProfile(const TransformerShape& shape, uint32_t sequence)
{
    const uint64_t h = shape.hidden;
    const uint64_t s = sequence;
    const uint64_t norm = shape.plain ? h : 2 * h; // scale and shift
    ModelProfile profile;
    profile.sequence = sequence;
    profile.heads = shape.heads;
    profile.blocks = shape.layers;
    profile.experts = shape.experts;
    ModelLayer embedding;
    embedding.name = "embedding";
    embedding.kind = LayerKind::EMBEDDING;
    embedding.parameters =
        (shape.vocabulary + shape.positions + shape.tokenTypes) * h + shape.looseNorms * norm;
    embedding.activation = s * h;
    embedding.memoryElements = 3 * s * h;
    profile.layers.push_back(embedding);
    ModelLayer attention = MakeAttention(shape, s);
    ModelLayer feedForward = MakeFeedForward(shape, s);
    for (uint32_t layer = 0; layer < shape.layers; layer++)
    {
        const std::string name = "l" + std::to_string(layer);
        attention.name = name + "_attn";
        feedForward.name = name + (shape.experts > 0 ? "_moe" : "_mlp");
        attention.block = feedForward.block = static_cast<int32_t>(layer);
        profile.layers.push_back(attention);
        profile.layers.push_back(feedForward);
    }
    ModelLayer head;
    head.name = shape.untied ? "head" : "head_tied";
    head.kind = LayerKind::HEAD;
    head.parameters = shape.untied ? shape.vocabulary * h : 0;
    head.tiedParameters = shape.untied ? 0 : shape.vocabulary * h;
    head.forwardMacs = s * h * shape.vocabulary;
    head.activation = s * shape.vocabulary;
    head.memoryElements = 4 * s * shape.vocabulary;
    profile.layers.push_back(head);
    return profile;
}

} // namespace ns3
