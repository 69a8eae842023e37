/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/training-model.h"

#include <array>

namespace ns3
{

namespace
{

/// A convolution with batch norm (scale and shift) and its output of size x size pixels.
ModelLayer
MakeConvolution(const std::string& name,
                uint64_t inputs,
                uint64_t outputs,
                uint64_t kernel,
                uint64_t size)
{
    const uint64_t weights = inputs * outputs * kernel * kernel;
    return {name, weights + 2 * outputs, weights * size * size};
}

/// ResNet of bottleneck blocks on images of 224 x 224 (He et al., "Deep residual learning", CVPR
/// 2016, table 1), with the stride in the 3 x 3 convolution (version 1.5).
/// \param blocks blocks of each stage
ModelProfile
MakeResNetProfile(const std::array<uint32_t, 4>& blocks)
{
    ModelProfile profile;
    profile.layers.push_back(MakeConvolution("conv1", 3, 64, 7, 112));
    uint64_t inputs = 64;
    uint64_t size = 56;
    for (uint32_t stage = 0; stage < blocks.size(); stage++)
    {
        const uint64_t width = uint64_t{64} << stage;
        for (uint32_t block = 0; block < blocks[stage]; block++)
        {
            const std::string name =
                "s" + std::to_string(stage + 1) + "b" + std::to_string(block + 1);
            const uint64_t outputSize = stage > 0 && block == 0 ? size / 2 : size;
            profile.layers.push_back(MakeConvolution(name + "_1x1a", inputs, width, 1, size));
            profile.layers.push_back(MakeConvolution(name + "_3x3", width, width, 3, outputSize));
            profile.layers.push_back(
                MakeConvolution(name + "_1x1b", width, 4 * width, 1, outputSize));
            if (block == 0)
            {
                profile.layers.push_back(
                    MakeConvolution(name + "_ds", inputs, 4 * width, 1, outputSize));
            }
            inputs = 4 * width;
            size = outputSize;
        }
    }
    profile.layers.push_back({"fc", inputs * 1000 + 1000, inputs * 1000});
    return profile;
}

} // namespace

/// ResNet-50 v1.5.
class ResNet50Model : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ResNet50Model")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<ResNet50Model>();
        return tid;
    }

    std::string GetModelName() const override
    {
        return "resnet-50";
    }

    ModelProfile MakeProfile(uint32_t) const override
    {
        ModelProfile profile = MakeResNetProfile({3, 4, 6, 3});
        // NVIDIA DeepLearningExamples, PyTorch ResNet-50 v1.5 README: one A100, mixed precision,
        // batch 256, 2470 images/s.
        profile.measuredSamples = 256;
        profile.measuredPs = 103'600'000'000;
        return profile;
    }
};

/// ResNet-101 v1.5; no measured time.
class ResNet101Model : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ResNet101Model")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<ResNet101Model>();
        return tid;
    }

    std::string GetModelName() const override
    {
        return "resnet-101";
    }

    ModelProfile MakeProfile(uint32_t) const override
    {
        return MakeResNetProfile({3, 4, 23, 3});
    }
};

NS_OBJECT_ENSURE_REGISTERED(ResNet50Model);
NS_OBJECT_ENSURE_REGISTERED(ResNet101Model);

} // namespace ns3
