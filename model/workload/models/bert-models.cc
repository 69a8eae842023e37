/* SPDX-License-Identifier: GPL-2.0-only */
#include "transformer-profile.h"

#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("BertModels");

/// BERT, uncased (Devlin et al., "BERT", NAACL 2019, section 3), and models built like it.
class BertModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::BertModel")
                .SetParent<TrainingModel>()
                .SetGroupName("GpuFabric")
                .AddConstructor<BertModel>()
                .AddAttribute("Layers",
                              "Transformer layers; default: BERT base.",
                              UintegerValue(12),
                              MakeUintegerAccessor(&BertModel::m_layers),
                              MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("Hidden",
                              "Hidden size.",
                              UintegerValue(768),
                              MakeUintegerAccessor(&BertModel::m_hidden),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                .AddAttribute("Heads",
                              "Attention heads.",
                              UintegerValue(12),
                              MakeUintegerAccessor(&BertModel::m_heads),
                              MakeUintegerChecker<uint32_t>(1, 10'000))
                .AddAttribute("Vocabulary",
                              "Words of the vocabulary.",
                              UintegerValue(30522),
                              MakeUintegerAccessor(&BertModel::m_vocabulary),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute("Sequence",
                              "Tokens a sample unless the job says otherwise.",
                              UintegerValue(128),
                              MakeUintegerAccessor(&BertModel::m_sequence),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                .AddAttribute("Positions",
                              "Rows of the position embedding: most tokens a sample.",
                              UintegerValue(512),
                              MakeUintegerAccessor(&BertModel::m_positions),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        // NVIDIA DeepLearningExamples, PyTorch BERT README: one A100, mixed precision, pre-training
        // of BERT-large, 580 sequences/s with 128 tokens (batch 256) and 210 with 512 (batch 32).
        return {{"bert-base", {}},
                {"bert-large",
                 {{"Layers", "24"}, {"Hidden", "1024"}, {"Heads", "16"}, {"Sequence", "512"}},
                 {{128, 256, 441'000'000'000}, {512, 32, 152'000'000'000}}}};
    }

    uint32_t GetDefaultSequence() const override
    {
        return m_sequence;
    }

    uint32_t GetMaximumSequence() const override
    {
        return m_positions;
    }

    std::string GetFault() const override
    {
        return GetTransformerFault(GetShape());
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        NS_LOG_FUNCTION(this << sequence);
        return MakeTransformerProfile(GetShape(), sequence);
    }

  private:
    TransformerShape GetShape() const
    {
        TransformerShape shape;
        shape.layers = m_layers;
        shape.hidden = m_hidden;
        shape.heads = m_heads;
        shape.vocabulary = m_vocabulary;
        shape.positions = m_positions;
        shape.tokenTypes = 2;
        return shape;
    }

    uint32_t m_layers{0};
    uint32_t m_hidden{0};
    uint32_t m_heads{0};
    uint32_t m_vocabulary{0};
    uint32_t m_sequence{0};
    uint32_t m_positions{0};
};

NS_OBJECT_ENSURE_REGISTERED(BertModel);

} // namespace ns3
