/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MODEL_PROFILE_H
#define GPU_FABRIC_MODEL_PROFILE_H

#include "ns3/training-options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

struct TypedBlock;

/// The kind of a layer, as far as it affects the layer's time and its partitioning across GPUs.
enum class LayerKind : uint8_t
{
    DENSE,        ///< matrix product, and anything not listed below
    CONVOLUTION,  ///< convolution
    EMBEDDING,    ///< look-up of tokens
    ATTENTION,    ///< first half of a transformer block
    FEED_FORWARD, ///< second half of a transformer block
    EXPERTS,      ///< second half of a block, a mixture of experts
    HEAD,         ///< projection to the vocabulary
    TABLES,       ///< embedding tables of a recommendation model, distributed over the GPUs
    INTERACTION,  ///< operations that need the vectors of the tables
    RECURRENT     ///< product with the previous time step's output
};

/// A layer of a model. Figures "per sample" are those of a forward pass.
struct ModelLayer
{
    std::string name;
    uint64_t parameters{0};
    uint64_t forwardMacs{0}; ///< multiply-accumulate operations per sample
    LayerKind kind{LayerKind::DENSE};
    int32_t block{-1};            ///< transformer block it belongs to; -1: none
    uint64_t activation{0};       ///< elements of its output, per sample
    uint64_t memoryElements{0};   ///< elements read and written apart from the products, per sample
    uint64_t expertParameters{0}; ///< those of `parameters` that belong to experts
    uint64_t exchanged{0};        ///< elements per sample that go to experts, or come from tables
    uint64_t tiedParameters{0};   ///< parameters of the embedding that a head shares
    uint64_t rowElements{0};      ///< elements of table rows looked up per sample
    uint64_t steps{0};            ///< consecutive time steps of a recurrent layer
};

/**
 * The cost of a model, a plain value: its layers in forward order and, if measured, the compute
 * time of an iteration on one GPU.
 */
class ModelProfile
{
  public:
    std::string name;
    std::vector<ModelLayer> layers;
    uint32_t sequence{0};  ///< tokens per sample; 0: samples are not sequences
    uint32_t heads{0};     ///< attention heads; 0: no attention
    uint32_t blocks{0};    ///< transformer blocks
    uint32_t experts{0};   ///< experts per block; 0: none
    int64_t measuredPs{0}; ///< compute time of measuredSamples [ps]; 0: not measured
    uint32_t measuredSamples{1};
    GpuType measuredGpu{GpuType::A100};           ///< where it was measured
    Precision measuredPrecision{Precision::FP16}; ///< arithmetic with which it was measured

    uint64_t GetParameters() const;
    /// Forward MACs per sample.
    uint64_t GetForwardMacs() const;
    /// Compute time of an iteration, forward and backward [ps], linear in the samples per GPU; 0:
    /// not measured.
    int64_t GetComputePs(uint32_t samplesPerGpu) const;

    /// Names of all presets of all models, sorted.
    static std::vector<std::string> GetNames();
    /**
     * \param name one of GetNames()
     * \param sequence tokens per sample; 0: the model's default
     * \param error what is wrong, if nothing is returned
     */
    static std::optional<ModelProfile> Make(const std::string& name,
                                            uint32_t sequence,
                                            std::string& error);
    /**
     * The same for a type and its attributes.
     * \param block resolved, attributes checked
     */
    static std::optional<ModelProfile> Make(const TypedBlock& block,
                                            uint32_t sequence,
                                            std::string& error);
};

} // namespace ns3

#endif // GPU_FABRIC_MODEL_PROFILE_H
