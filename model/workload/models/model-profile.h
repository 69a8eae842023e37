/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MODEL_PROFILE_H
#define GPU_FABRIC_MODEL_PROFILE_H

#include "ns3/job-spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What a layer does, as far as dividing it over GPUs and its time depend on it.
enum class LayerKind : uint8_t
{
    DENSE,        ///< matrix product, also what is none of the others
    CONVOLUTION,  ///< convolution
    EMBEDDING,    ///< look-up of tokens
    ATTENTION,    ///< first half of a transformer's block
    FEED_FORWARD, ///< second half of a transformer's block
    EXPERTS,      ///< second half of a block, a mixture of experts
    HEAD,         ///< projection to the vocabulary
    TABLES,       ///< embedding tables of a recommendation model, divided over the GPUs
    INTERACTION,  ///< what needs the vectors of the tables
    RECURRENT     ///< product with the previous time step's output
};

/// A layer of a model. Figures of "a sample" are those of a forward pass.
struct ModelLayer
{
    std::string name;
    uint64_t parameters{0};
    uint64_t forwardMacs{0}; ///< multiply-accumulate operations of a sample
    LayerKind kind{LayerKind::DENSE};
    int32_t block{-1};            ///< transformer block it belongs to; -1: none
    uint64_t activation{0};       ///< elements of its output, of a sample
    uint64_t memoryElements{0};   ///< elements read and written beside the products, of a sample
    uint64_t expertParameters{0}; ///< those of `parameters` that belong to experts
    uint64_t exchanged{0};        ///< elements of a sample that go to experts, or from tables
    uint64_t tiedParameters{0};   ///< parameters of the embedding that a head uses too
    uint64_t rowElements{0};      ///< elements of table rows that a sample looks up
    uint64_t steps{0};            ///< time steps, one after the other, of a recurrent layer
};

/**
 * What a model costs, a plain value: its layers in forward order, and, where it has been
 * measured, how long an iteration computes on one GPU.
 */
class ModelProfile
{
  public:
    std::string name;
    std::vector<ModelLayer> layers;
    uint32_t sequence{0};  ///< tokens a sample; 0: samples are not sequences
    uint32_t heads{0};     ///< attention heads; 0: no attention
    uint32_t blocks{0};    ///< transformer blocks
    uint32_t experts{0};   ///< experts of a block; 0: none
    int64_t measuredPs{0}; ///< compute time of measuredSamples [ps]; 0: not measured
    uint32_t measuredSamples{1};
    std::string measuredGpu{"A100"};              ///< where it was measured
    Precision measuredPrecision{Precision::FP16}; ///< and with which arithmetic

    uint64_t GetParameters() const;
    /// Forward MACs of a sample.
    uint64_t GetForwardMacs() const;
    /// Compute time of an iteration, forward and backward [ps], linear in the samples a GPU; 0:
    /// not measured.
    int64_t GetComputePs(uint32_t samplesPerGpu) const;

    /// Names of all presets of all models, sorted.
    static std::vector<std::string> GetNames();
    /**
     * \param name one of GetNames()
     * \param sequence tokens a sample; 0: the model's default
     * \param error what is wrong, if nothing is returned
     */
    static std::optional<ModelProfile> Make(const std::string& name,
                                            uint32_t sequence,
                                            std::string& error);
    /**
     * The same of a type and its attributes.
     * \param block resolved, attributes checked
     */
    static std::optional<ModelProfile> Make(const TypedBlock& block,
                                            uint32_t sequence,
                                            std::string& error);
};

} // namespace ns3

#endif // GPU_FABRIC_MODEL_PROFILE_H
