/* SPDX-License-Identifier: GPL-2.0-only */
#include "transformer-profile.h"

#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LlamaModels");

/// Llama (Touvron et al., "LLaMA: Open and efficient foundation language models", 2023, table 2)
/// and models built like it; with experts, Mixtral.
class LlamaModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::LlamaModel")
                .SetParent<TrainingModel>()
                .SetGroupName("GpuFabric")
                .AddConstructor<LlamaModel>()
                .AddAttribute("Layers",
                              "Transformer layers; default: Llama 7B.",
                              UintegerValue(32),
                              MakeUintegerAccessor(&LlamaModel::m_layers),
                              MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("Hidden",
                              "Hidden size.",
                              UintegerValue(4096),
                              MakeUintegerAccessor(&LlamaModel::m_hidden),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                .AddAttribute("FeedForward",
                              "Inner size of the gated feed-forward layers, or of an expert.",
                              UintegerValue(11008),
                              MakeUintegerAccessor(&LlamaModel::m_feedForward),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute("Heads",
                              "Attention heads.",
                              UintegerValue(32),
                              MakeUintegerAccessor(&LlamaModel::m_heads),
                              MakeUintegerChecker<uint32_t>(1, 10'000))
                .AddAttribute("KeyValueHeads",
                              "Heads of keys and values; 0: as many as heads.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&LlamaModel::m_keyValueHeads),
                              MakeUintegerChecker<uint32_t>(0, 10'000))
                .AddAttribute("Vocabulary",
                              "Words of the vocabulary.",
                              UintegerValue(32000),
                              MakeUintegerAccessor(&LlamaModel::m_vocabulary),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute("Sequence",
                              "Tokens a sample unless the job says otherwise.",
                              UintegerValue(2048),
                              MakeUintegerAccessor(&LlamaModel::m_sequence),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        return {Make("llama-7b", "32", "4096", "11008", "32"),
                Make("llama-13b", "40", "5120", "13824", "40"),
                Make("llama-30b", "60", "6656", "17920", "52"),
                Make("llama-65b", "80", "8192", "22016", "64")};
    }

    uint32_t GetDefaultSequence() const override
    {
        return m_sequence;
    }

    uint32_t GetMaximumSequence() const override
    {
        return 10'000'000; // rotary positions have no table
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

  protected:
    virtual TransformerShape GetShape() const
    {
        TransformerShape shape;
        shape.layers = m_layers;
        shape.hidden = m_hidden;
        shape.heads = m_heads;
        shape.keyValueHeads = m_keyValueHeads;
        shape.feedForward = m_feedForward;
        shape.vocabulary = m_vocabulary;
        shape.plain = true;
        shape.untied = true;
        shape.fusedAttention = true;
        return shape;
    }

  private:
    static ModelPreset Make(const std::string& name,
                            const std::string& layers,
                            const std::string& hidden,
                            const std::string& feedForward,
                            const std::string& heads)
    {
        return {name,
                {{"Layers", layers},
                 {"Hidden", hidden},
                 {"FeedForward", feedForward},
                 {"Heads", heads}}};
    }

    uint32_t m_layers{0};
    uint32_t m_hidden{0};
    uint32_t m_feedForward{0};
    uint32_t m_heads{0};
    uint32_t m_keyValueHeads{0};
    uint32_t m_vocabulary{0};
    uint32_t m_sequence{0};
};

/// A mixture of experts in every layer (Jiang et al., "Mixtral of experts", 2024): a router sends
/// each token to the few best experts; here the tokens are spread evenly.
class MixtureOfExpertsModel : public LlamaModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::MixtureOfExpertsModel")
                .SetParent<LlamaModel>()
                .SetGroupName("GpuFabric")
                .AddConstructor<MixtureOfExpertsModel>()
                .AddAttribute("Experts",
                              "Experts of a layer.",
                              UintegerValue(8),
                              MakeUintegerAccessor(&MixtureOfExpertsModel::m_experts),
                              MakeUintegerChecker<uint32_t>(1, 100'000))
                .AddAttribute("TopK",
                              "Experts a token goes to.",
                              UintegerValue(2),
                              MakeUintegerAccessor(&MixtureOfExpertsModel::m_topK),
                              MakeUintegerChecker<uint32_t>(1, 1000));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        return {{"mixtral-8x7b",
                 {{"Layers", "32"},
                  {"Hidden", "4096"},
                  {"FeedForward", "14336"},
                  {"Heads", "32"},
                  {"KeyValueHeads", "8"},
                  {"Sequence", "4096"}}}};
    }

  protected:
    TransformerShape GetShape() const override
    {
        TransformerShape shape = LlamaModel::GetShape();
        shape.experts = m_experts;
        shape.topK = m_topK;
        return shape;
    }

  private:
    uint32_t m_experts{0};
    uint32_t m_topK{0};
};

NS_OBJECT_ENSURE_REGISTERED(LlamaModel);
NS_OBJECT_ENSURE_REGISTERED(MixtureOfExpertsModel);

} // namespace ns3
