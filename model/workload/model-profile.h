/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MODEL_PROFILE_H
#define GPU_FABRIC_MODEL_PROFILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A layer of a model.
struct ModelLayer
{
    std::string name;
    uint64_t parameters{0};
    uint64_t forwardMacs{0}; ///< multiply-accumulate operations of a forward pass of a sample
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
    int64_t measuredPs{0}; ///< compute time of measuredSamples [ps]; 0: not measured
    uint32_t measuredSamples{1};

    uint64_t GetParameters() const;
    /// Forward MACs of a sample.
    uint64_t GetForwardMacs() const;
    /// Compute time of an iteration, forward and backward [ps], linear in the samples a GPU; 0:
    /// not measured.
    int64_t GetComputePs(uint32_t samplesPerGpu) const;

    /// Names of all models, sorted.
    static std::vector<std::string> GetNames();
    /**
     * \param name one of GetNames()
     * \param sequence tokens a sample; 0: the model's default
     * \param error what is wrong, if nothing is returned
     */
    static std::optional<ModelProfile> Make(const std::string& name,
                                            uint32_t sequence,
                                            std::string& error);
};

} // namespace ns3

#endif // GPU_FABRIC_MODEL_PROFILE_H
