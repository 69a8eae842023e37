/* SPDX-License-Identifier: GPL-2.0-only */
#include "transformer-profile.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GptModels");

/// GPT: decoder blocks with learned positions and a tied output head.
class GptModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::GptModel")
                .SetParent<TrainingModel>()
                .SetGroupName("GpuFabric")
                .AddConstructor<GptModel>()
                .AddAttribute("Layers",
                              "Transformer layers; default: GPT-2 small.",
                              UintegerValue(12),
                              MakeUintegerAccessor(&GptModel::m_layers),
                              MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("Hidden",
                              "Hidden size.",
                              UintegerValue(768),
                              MakeUintegerAccessor(&GptModel::m_hidden),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                .AddAttribute("Heads",
                              "Attention heads; 0: as many as give each a size of 64.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&GptModel::m_heads),
                              MakeUintegerChecker<uint32_t>(0, 10'000))
                .AddAttribute("Vocabulary",
                              "Words of the vocabulary, with padding.",
                              UintegerValue(50257),
                              MakeUintegerAccessor(&GptModel::m_vocabulary),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute("Sequence",
                              "Tokens a sample unless the job says otherwise, and the most: rows "
                              "of the position embedding.",
                              UintegerValue(1024),
                              MakeUintegerAccessor(&GptModel::m_sequence),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute("FusedAttention",
                              "Scores stay on the chip, as FlashAttention keeps them (Dao et al., "
                              "NeurIPS 2022): less memory traffic.",
                              BooleanValue(false),
                              MakeBooleanAccessor(&GptModel::m_fusedAttention),
                              MakeBooleanChecker());
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        std::vector<ModelPreset> presets;
        // Radford et al., "Language models are unsupervised multitask learners", 2019, table 2.
        Add(presets, "gpt2-small", 12, 768, 12, 50257, 1024);
        Add(presets, "gpt2-medium", 24, 1024, 16, 50257, 1024);
        Add(presets, "gpt2-large", 36, 1280, 20, 50257, 1024);
        Add(presets, "gpt2-xl", 48, 1600, 25, 50257, 1024);
        // Brown et al., "Language models are few-shot learners", NeurIPS 2020, table 2.1. In that
        // table 1.3b has 24 heads of 128, which exceed its hidden size, and 13b has hidden size
        // 5140, which is not 40 heads of 128.
        Add(presets, "gpt3-125m", 12, 768, 12, 50257, 2048);
        Add(presets, "gpt3-350m", 24, 1024, 16, 50257, 2048);
        Add(presets, "gpt3-760m", 24, 1536, 16, 50257, 2048);
        Add(presets, "gpt3-1.3b", 24, 2048, 16, 50257, 2048);
        Add(presets, "gpt3-2.7b", 32, 2560, 32, 50257, 2048);
        Add(presets, "gpt3-6.7b", 32, 4096, 32, 50257, 2048);
        Add(presets, "gpt3-13b", 40, 5120, 40, 50257, 2048);
        Add(presets, "gpt3-175b", 96, 12288, 96, 50257, 2048);
        // The GPT variant of the Crux paper (SIGCOMM 2024, footnote 1): Megatron-LM's GPT-3 example
        // with 24 layers and hidden size 1024; section 2.2: an iteration takes 1.53 s on A100,
        // which corresponds to 24 sequences per GPU.
        Add(presets, "gpt3-24l-1024h", 24, 1024, 16, 51200, 2048);
        presets.back().measurements = {{2048, 24, 1'530'000'000'000}};
        // Narayanan et al., "Efficient large-scale language model training on GPU clusters using
        // Megatron-LM", SC 2021, table 1.
        Add(presets, "megatron-1.7b", 24, 2304, 24, 51200, 2048);
        Add(presets, "megatron-3.6b", 30, 3072, 32, 51200, 2048);
        Add(presets, "megatron-7.5b", 36, 4096, 32, 51200, 2048);
        Add(presets, "megatron-18.4b", 40, 6144, 48, 51200, 2048);
        Add(presets, "megatron-39.1b", 48, 8192, 64, 51200, 2048);
        Add(presets, "megatron-76.1b", 60, 10240, 80, 51200, 2048);
        Add(presets, "megatron-145.6b", 80, 12288, 96, 51200, 2048);
        Add(presets, "megatron-310.1b", 96, 16384, 128, 51200, 2048);
        Add(presets, "megatron-529.6b", 105, 20480, 128, 51200, 2048);
        Add(presets, "megatron-1008b", 128, 25600, 160, 51200, 2048);
        return presets;
    }

    uint32_t GetDefaultSequence() const override
    {
        return m_sequence;
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
    static void Add(std::vector<ModelPreset>& presets,
                    const std::string& name,
                    uint32_t layers,
                    uint32_t hidden,
                    uint32_t heads,
                    uint32_t vocabulary,
                    uint32_t sequence)
    {
        presets.push_back({name,
                           {{"Layers", std::to_string(layers)},
                            {"Hidden", std::to_string(hidden)},
                            {"Heads", std::to_string(heads)},
                            {"Vocabulary", std::to_string(vocabulary)},
                            {"Sequence", std::to_string(sequence)}}});
    }

    TransformerShape GetShape() const
    {
        TransformerShape shape;
        shape.layers = m_layers;
        shape.hidden = m_hidden;
        shape.heads = m_heads > 0 ? m_heads : std::max(1U, m_hidden / 64);
        shape.vocabulary = m_vocabulary;
        shape.positions = m_sequence;
        shape.fusedAttention = m_fusedAttention;
        return shape;
    }

    uint32_t m_layers{0};
    uint32_t m_hidden{0};
    uint32_t m_heads{0};
    uint32_t m_vocabulary{0};
    uint32_t m_sequence{0};
    bool m_fusedAttention{false};
};

NS_OBJECT_ENSURE_REGISTERED(GptModel);

} // namespace ns3
