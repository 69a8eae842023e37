/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/training-model.h"
#include "ns3/transformer-profile.h"

namespace ns3
{

/// The GPT variant of the Crux paper (SIGCOMM 2024, footnote 1): Megatron-LM's GPT-3 example with
/// 24 layers and hidden size 1024.
class Gpt3Hidden1024Model : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::Gpt3Hidden1024Model")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<Gpt3Hidden1024Model>();
        return tid;
    }

    std::string GetModelName() const override
    {
        return "gpt3-24l-1024h";
    }

    uint32_t GetDefaultSequence() const override
    {
        return 2048;
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        ModelProfile profile = Make(sequence);
        // Crux, section 2.2: an iteration of 1.53 s on A100, which 24 sequences a GPU give.
        profile.measuredSamples = 24;
        profile.measuredPs =
            static_cast<int64_t>(1.53e12 * static_cast<double>(profile.GetForwardMacs()) /
                                 Make(GetDefaultSequence()).GetForwardMacs());
        return profile;
    }

  private:
    static ModelProfile Make(uint32_t sequence)
    {
        TransformerShape shape;
        shape.layers = 24;
        shape.hidden = 1024;
        shape.vocabulary = 51200;
        shape.positions = 2048;
        return MakeTransformerProfile(shape, sequence);
    }
};

/// GPT-2 with 124 M parameters (Radford et al., "Language models are unsupervised multitask
/// learners", 2019, table 2); no measured time.
class Gpt2SmallModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::Gpt2SmallModel")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<Gpt2SmallModel>();
        return tid;
    }

    std::string GetModelName() const override
    {
        return "gpt2-small";
    }

    uint32_t GetDefaultSequence() const override
    {
        return 1024;
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        TransformerShape shape;
        shape.layers = 12;
        shape.hidden = 768;
        shape.vocabulary = 50257;
        shape.positions = 1024;
        return MakeTransformerProfile(shape, sequence);
    }
};

NS_OBJECT_ENSURE_REGISTERED(Gpt3Hidden1024Model);
NS_OBJECT_ENSURE_REGISTERED(Gpt2SmallModel);

} // namespace ns3
