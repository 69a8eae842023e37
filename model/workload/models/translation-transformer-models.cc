/* SPDX-License-Identifier: GPL-2.0-only */
#include "transformer-profile.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TranslationTransformerModels");

/**
 * Encoder-decoder transformer for translation (Vaswani et al., "Attention is all you need", NIPS
 * 2017, section 3): a sample is a pair of sentences, each of `Sequence` tokens. Embedding and
 * output head share their weights; a decoder block has a second attention, to the encoder's output,
 * in which keys and values come from the source. As trained by NVIDIA DeepLearningExamples: norms
 * before the sublayers, and one after each stack.
 *
 * A pipeline stage sends one activation; the encoder's output, which stages of the decoder also
 * need, is not counted.
 */
class TransformerModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::TransformerModel")
                .SetParent<TrainingModel>()
                .SetGroupName("GpuFabric")
                .AddConstructor<TransformerModel>()
                .AddAttribute("Layers",
                              "Blocks of the encoder, and of the decoder; default: the base model.",
                              UintegerValue(6),
                              MakeUintegerAccessor(&TransformerModel::m_layers),
                              MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("Hidden",
                              "Hidden size.",
                              UintegerValue(512),
                              MakeUintegerAccessor(&TransformerModel::m_hidden),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                .AddAttribute("Heads",
                              "Attention heads.",
                              UintegerValue(8),
                              MakeUintegerAccessor(&TransformerModel::m_heads),
                              MakeUintegerChecker<uint32_t>(1, 10'000))
                .AddAttribute("FeedForward",
                              "Inner size of the feed-forward layers; 0: four times the hidden "
                              "size.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&TransformerModel::m_feedForward),
                              MakeUintegerChecker<uint32_t>(0, 10'000'000))
                .AddAttribute("Vocabulary",
                              "Words of the vocabulary that both languages share (default: NVIDIA "
                              "DeepLearningExamples, PyTorch Transformer README).",
                              UintegerValue(33'708),
                              MakeUintegerAccessor(&TransformerModel::m_vocabulary),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute(
                    "Sequence",
                    "Tokens of a sentence unless the job says otherwise, without padding. "
                    "A reconstruction: about the mean of WMT 2014.",
                    UintegerValue(27),
                    MakeUintegerAccessor(&TransformerModel::m_sequence),
                    MakeUintegerChecker<uint32_t>(1, 1024))
                .AddAttribute("Fill",
                              "Share of a batch's tokens that are not padding. A reconstruction, "
                              "fitted on transformer-big on one V100 (NVIDIA "
                              "DeepLearningExamples): what else the model leaves out, such as the "
                              "optimizer, is in it.",
                              DoubleValue(0.78),
                              MakeDoubleAccessor(&TransformerModel::m_fill),
                              MakeDoubleChecker<double>(0.01, 1));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        // Vaswani et al., table 3.
        return {{"transformer-base", {}},
                {"transformer-big", {{"Hidden", "1024"}, {"Heads", "16"}}}};
    }

    uint32_t GetDefaultSequence() const override
    {
        return m_sequence;
    }

    uint32_t GetMaximumSequence() const override
    {
        return 1024; // fairseq's default for the sinusoidal positions
    }

    std::string GetFault() const override
    {
        return GetTransformerFault(GetShape());
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        NS_LOG_FUNCTION(this << sequence);
        const auto padded = static_cast<uint32_t>(GetPadded(sequence, m_fill));
        ModelProfile profile = MakeTransformerProfile(GetShape(), padded);
        const std::vector<ModelLayer> stack = profile.layers;
        profile.sequence = sequence;
        profile.blocks = 2 * m_layers;
        // Both source and target are looked up.
        profile.layers.front().activation *= 2;
        profile.layers.front().memoryElements *= 2;
        profile.layers.pop_back();
        for (size_t i = 1; i + 1 < stack.size(); i++)
        {
            ModelLayer layer = stack[i];
            layer.block += static_cast<int32_t>(m_layers);
            layer.name = "dec_" + layer.name;
            profile.layers[i].name = "enc_" + profile.layers[i].name;
            profile.layers.push_back(layer);
            if (layer.kind == LayerKind::ATTENTION)
            {
                // As large as the first attention: queries and output of the target, keys and
                // values of the source, which has the same length.
                layer.name += "_encoder";
                profile.layers.push_back(layer);
            }
        }
        profile.layers.push_back(stack.back());
        return profile;
    }

  private:
    TransformerShape GetShape() const
    {
        TransformerShape shape;
        shape.layers = m_layers;
        shape.hidden = m_hidden;
        shape.heads = m_heads;
        shape.feedForward = m_feedForward;
        shape.vocabulary = m_vocabulary;
        shape.looseNorms = 2;
        return shape;
    }

    uint32_t m_layers{0};
    uint32_t m_hidden{0};
    uint32_t m_heads{0};
    uint32_t m_feedForward{0};
    uint32_t m_vocabulary{0};
    uint32_t m_sequence{0};
    double m_fill{1};
};

NS_OBJECT_ENSURE_REGISTERED(TransformerModel);

} // namespace ns3
