/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("VggModels");

/// VGG with 16 or 19 weight layers on images of 224 x 224 (Simonyan and Zisserman, "Very deep
/// convolutional networks", ICLR 2015, table 1, D and E).
class VggModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::VggModel")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<VggModel>()
                                .AddAttribute("Depth",
                                              "Weight layers: 11, 13, 16 or 19.",
                                              UintegerValue(16),
                                              MakeUintegerAccessor(&VggModel::m_depth),
                                              MakeUintegerChecker<uint32_t>(11, 19));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        return {{"vgg-16", {{"Depth", "16"}}}, {"vgg-19", {{"Depth", "19"}}}};
    }

    std::string GetFault() const override
    {
        return GetStages()[0] > 0 ? ""
                                  : "there is no VGG of " + std::to_string(m_depth) +
                                        " layers; valid: 11 13 16 19";
    }

    ModelProfile MakeProfile(uint32_t /* sequence */) const override
    {
        NS_LOG_FUNCTION(this);
        ModelProfile profile;
        const std::array<uint32_t, 5> stages = GetStages();
        uint64_t inputs = 3;
        uint64_t size = 224;
        uint32_t number = 0;
        for (uint32_t stage = 0; stage < stages.size(); stage++)
        {
            const uint64_t outputs = stage < 3 ? uint64_t{64} << stage : 512;
            for (uint32_t i = 0; i < stages[stage]; i++)
            {
                const uint64_t weights = inputs * outputs * 9;
                ModelLayer layer;
                layer.name = "conv" + std::to_string(++number) + "_" + std::to_string(outputs);
                layer.kind = LayerKind::CONVOLUTION;
                layer.parameters = weights + outputs;
                layer.forwardMacs = weights * size * size;
                layer.activation = outputs * size * size;
                // Bias and ReLU read and write; in the backward pass the ReLU reads two and writes,
                // and the bias reads for its sum: 4 and 4 per element, where a backward pass counts
                // as two forward passes. Pooling at the end of a stage: 1.25 and 1.25.
                layer.memoryElements = layer.activation * 8 / 3;
                layer.memoryElements += i + 1 == stages[stage] ? layer.activation * 5 / 6 : 0;
                profile.layers.push_back(layer);
                inputs = outputs;
            }
            size /= 2;
        }
        AddDense(profile, "fc6", inputs * size * size, 4096);
        AddDense(profile, "fc7", 4096, 4096);
        AddDense(profile, "fc8", 4096, 1000);
        return profile;
    }

  private:
    static void AddDense(ModelProfile& profile,
                         const std::string& name,
                         uint64_t inputs,
                         uint64_t outputs)
    {
        ModelLayer layer;
        layer.name = name;
        layer.parameters = inputs * outputs + outputs;
        layer.forwardMacs = inputs * outputs;
        layer.activation = outputs;
        layer.memoryElements = 4 * outputs; // bias, ReLU, dropout
        profile.layers.push_back(layer);
    }

    /// Convolutions per stage; all zero if there is no such depth.
    std::array<uint32_t, 5> GetStages() const
    {
        switch (m_depth)
        {
        case 11:
            return {1, 1, 2, 2, 2};
        case 13:
            return {2, 2, 2, 2, 2};
        case 16:
            return {2, 2, 3, 3, 3};
        case 19:
            return {2, 2, 4, 4, 4};
        default:
            return {};
        }
    }

    uint32_t m_depth{0};
};

NS_OBJECT_ENSURE_REGISTERED(VggModel);

} // namespace ns3
