/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/training-model.h"
#include "ns3/transformer-profile.h"

namespace ns3
{

/// BERT-large, uncased (Devlin et al., "BERT", NAACL 2019, section 3).
class BertLargeModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::BertLargeModel")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<BertLargeModel>();
        return tid;
    }

    std::string GetModelName() const override
    {
        return "bert-large";
    }

    uint32_t GetDefaultSequence() const override
    {
        return 512;
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        ModelProfile profile = Make(sequence);
        // NVIDIA DeepLearningExamples, PyTorch BERT README: one A100, mixed precision,
        // pre-training, 580 sequences/s of 128 tokens (batch 256) and 210 of 512 (batch 32).
        // Other lengths: by MACs from the nearer of the two.
        const bool isShort = sequence <= 256;
        const uint64_t measuredMacs = Make(isShort ? 128 : 512).GetForwardMacs();
        const double measuredPs = isShort ? 441e9 : 152e9;
        profile.measuredSamples = isShort ? 256 : 32;
        profile.measuredPs = static_cast<int64_t>(
            measuredPs * static_cast<double>(profile.GetForwardMacs()) / measuredMacs);
        return profile;
    }

  private:
    static ModelProfile Make(uint32_t sequence)
    {
        TransformerShape shape;
        shape.layers = 24;
        shape.hidden = 1024;
        shape.vocabulary = 30522;
        shape.positions = 512;
        shape.tokenTypes = 2;
        return MakeTransformerProfile(shape, sequence);
    }
};

/// BERT-base, uncased (Devlin et al., "BERT", NAACL 2019, section 3); no measured time.
class BertBaseModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::BertBaseModel")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<BertBaseModel>();
        return tid;
    }

    std::string GetModelName() const override
    {
        return "bert-base";
    }

    uint32_t GetDefaultSequence() const override
    {
        return 128;
    }

    uint32_t GetMaximumSequence() const override
    {
        return 512;
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        TransformerShape shape;
        shape.layers = 12;
        shape.hidden = 768;
        shape.vocabulary = 30522;
        shape.positions = 512;
        shape.tokenTypes = 2;
        return MakeTransformerProfile(shape, sequence);
    }
};

NS_OBJECT_ENSURE_REGISTERED(BertLargeModel);
NS_OBJECT_ENSURE_REGISTERED(BertBaseModel);

} // namespace ns3
