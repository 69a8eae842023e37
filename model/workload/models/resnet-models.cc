/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ResnetModels");

namespace
{

/// A convolution with batch norm (scale and shift) and an output of size x size pixels.
ModelLayer
MakeConvolution(const std::string& name,
                uint64_t inputs,
                uint64_t outputs,
                uint64_t kernel,
                uint64_t size)
{
    const uint64_t weights = inputs * outputs * kernel * kernel;
    ModelLayer layer;
    layer.name = name;
    layer.kind = LayerKind::CONVOLUTION;
    layer.parameters = weights + 2 * outputs;
    layer.forwardMacs = weights * size * size;
    layer.activation = outputs * size * size;
    // Batch norm reads for its statistics, then reads and writes; the ReLU reads and writes. In the
    // backward pass batch norm reads two for its sums, then reads two and writes, and the ReLU
    // reads two and writes: 5 and 8 per element, where a backward pass counts as two forward
    // passes.
    layer.memoryElements = layer.activation * 13 / 3;
    return layer;
}

/// ResNet with bottleneck blocks on images of 224 x 224 (He et al., "Deep residual learning", CVPR
/// 2016, table 1), with the stride in the 3 x 3 convolution (version 1.5).
/// \param blocks blocks per stage
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
            // The shortcut is added: 3 per element, and 3 backward.
            profile.layers.back().memoryElements += 2 * profile.layers.back().activation;
            inputs = 4 * width;
            size = outputSize;
        }
    }
    ModelLayer dense;
    dense.name = "fc";
    dense.parameters = inputs * 1000 + 1000;
    dense.forwardMacs = inputs * 1000;
    dense.activation = 1000;
    profile.layers.push_back(dense);
    return profile;
}

} // namespace

/// ResNet v1.5 with 50, 101 or 152 layers.
class ResNetModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ResNetModel")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<ResNetModel>()
                                .AddAttribute("Depth",
                                              "Weight layers: 50, 101 or 152.",
                                              UintegerValue(50),
                                              MakeUintegerAccessor(&ResNetModel::m_depth),
                                              MakeUintegerChecker<uint32_t>(50, 152));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        // NVIDIA DeepLearningExamples, PyTorch ResNet-50 v1.5 README: one A100, mixed precision,
        // batch 256, 2470 images/s.
        return {{"resnet-50", {{"Depth", "50"}}, {{0, 256, 103'600'000'000}}},
                {"resnet-101", {{"Depth", "101"}}},
                {"resnet-152", {{"Depth", "152"}}}};
    }

    std::string GetFault() const override
    {
        return GetBlocks()[0] > 0 ? ""
                                  : "there is no ResNet of " + std::to_string(m_depth) +
                                        " layers here; valid: 50 101 152";
    }

    ModelProfile MakeProfile(uint32_t /* sequence */) const override
    {
        NS_LOG_FUNCTION(this);
        return MakeResNetProfile(GetBlocks());
    }

  private:
    /// Blocks per stage; none if there is no such depth.
    std::array<uint32_t, 4> GetBlocks() const
    {
        switch (m_depth)
        {
        case 50:
            return {3, 4, 6, 3};
        case 101:
            return {3, 4, 23, 3};
        case 152:
            return {3, 8, 36, 3};
        default:
            return {};
        }
    }

    uint32_t m_depth{0};
};

NS_OBJECT_ENSURE_REGISTERED(ResNetModel);

} // namespace ns3
