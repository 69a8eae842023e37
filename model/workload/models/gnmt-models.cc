/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GnmtModels");

/**
 * GNMT, version 2 (Wu et al., "Google's neural machine translation system", 2016, as modified by
 * NVIDIA DeepLearningExamples, PyTorch GNMT README): a sample is a pair of sentences, each of
 * `Sequence` tokens. Source and target share an embedding. Encoder and decoder consist of LSTM
 * layers, of which the encoder's first is bidirectional. The output of the decoder's first layer
 * queries a normalised Bahdanau attention, whose context all later layers read in addition to their
 * input.
 *
 * An LSTM layer's products with its input run over all time steps at once, those with its own
 * previous output one step after the other.
 */
class GnmtModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::GnmtModel")
                .SetParent<TrainingModel>()
                .SetGroupName("GpuFabric")
                .AddConstructor<GnmtModel>()
                .AddAttribute("Layers",
                              "LSTM layers of the encoder, and of the decoder.",
                              UintegerValue(4),
                              MakeUintegerAccessor(&GnmtModel::m_layers),
                              MakeUintegerChecker<uint32_t>(1, 1000))
                .AddAttribute("Hidden",
                              "Hidden size.",
                              UintegerValue(1024),
                              MakeUintegerAccessor(&GnmtModel::m_hidden),
                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                .AddAttribute("Vocabulary",
                              "Words of the vocabulary that both languages share.",
                              UintegerValue(32'000),
                              MakeUintegerAccessor(&GnmtModel::m_vocabulary),
                              MakeUintegerChecker<uint32_t>(1, 10'000'000))
                .AddAttribute(
                    "Sequence",
                    "Tokens of a sentence unless the job says otherwise, without padding. "
                    "A reconstruction: half of a pair's 50 tokens, from the README's "
                    "tokens a second, its time to train and 3.5 million pairs.",
                    UintegerValue(25),
                    MakeUintegerAccessor(&GnmtModel::m_sequence),
                    MakeUintegerChecker<uint32_t>(1, 10'000))
                .AddAttribute("Fill",
                              "Share of a batch's tokens that are not padding. A reconstruction: "
                              "sentences of up to 50 tokens in five buckets of lengths.",
                              DoubleValue(0.8),
                              MakeDoubleAccessor(&GnmtModel::m_fill),
                              MakeDoubleChecker<double>(0.01, 1));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        return {{"gnmt", {}}};
    }

    uint32_t GetDefaultSequence() const override
    {
        return m_sequence;
    }

    uint32_t GetMaximumSequence() const override
    {
        return 10'000; // there is no table of positions to exceed
    }

    ModelProfile MakeProfile(uint32_t sequence) const override
    {
        NS_LOG_FUNCTION(this << sequence);
        const uint64_t h = m_hidden;
        const uint64_t s = GetPadded(sequence, m_fill);
        ModelProfile profile;
        profile.sequence = sequence;
        ModelLayer embedding;
        embedding.name = "embedding";
        embedding.kind = LayerKind::EMBEDDING;
        embedding.parameters = h * m_vocabulary;
        embedding.activation = 2 * s * h;
        embedding.memoryElements = 3 * embedding.activation;
        profile.layers.push_back(embedding);
        for (uint32_t i = 0; i < m_layers; i++)
        {
            // The second layer reads both directions; residual connections from the third on.
            AddLstm(profile,
                    "enc" + std::to_string(i),
                    s,
                    i == 1 ? 2 * h : h,
                    i == 0 ? 2 : 1,
                    i > 1);
        }
        AddLstm(profile, "dec0", s, h, 1, false);
        AddAttention(profile, s);
        for (uint32_t i = 1; i < m_layers; i++)
        {
            AddLstm(profile, "dec" + std::to_string(i), s, 2 * h, 1, i > 1);
        }
        ModelLayer head;
        head.name = "classifier";
        head.kind = LayerKind::HEAD;
        head.parameters = h * m_vocabulary + m_vocabulary;
        head.forwardMacs = s * h * m_vocabulary;
        head.activation = s * m_vocabulary;
        head.memoryElements = 4 * head.activation; // cross-entropy, counted as for transformers
        profile.layers.push_back(head);
        return profile;
    }

  private:
    /// An LSTM layer of four gates, with a bias for each of its two products.
    void AddLstm(ModelProfile& profile,
                 const std::string& name,
                 uint64_t s,
                 uint64_t inputs,
                 uint32_t directions,
                 bool residual) const
    {
        const uint64_t gates = uint64_t{4} * m_hidden;
        ModelLayer input;
        input.name = name + "_input";
        input.parameters = directions * (inputs * gates + gates);
        input.forwardMacs = s * directions * inputs * gates;
        input.activation = s * directions * gates;
        // Dropout, concatenation with the context, residual sum.
        input.memoryElements =
            s * (2 * inputs + (inputs > m_hidden ? 2 * inputs : 0) + (residual ? 3 * m_hidden : 0));
        profile.layers.push_back(input);
        for (uint32_t direction = 0; direction < directions; direction++)
        {
            ModelLayer recurrent;
            recurrent.name = name + (direction == 0 ? "_recurrent" : "_reverse");
            recurrent.kind = LayerKind::RECURRENT;
            recurrent.parameters = m_hidden * gates + gates;
            recurrent.forwardMacs = s * m_hidden * gates;
            recurrent.activation = s * m_hidden;
            // Both products are read, the gates and the output are written, the cell is read and
            // written.
            recurrent.memoryElements = s * (3 * gates + 3 * m_hidden);
            recurrent.steps = s;
            profile.layers.push_back(recurrent);
        }
    }

    void AddAttention(ModelProfile& profile, uint64_t s) const
    {
        const uint64_t h = m_hidden;
        ModelLayer attention;
        attention.name = "attention";
        // For queries and keys; plus the scoring vector, its scale and the bias.
        attention.parameters = 2 * h * h + 2 * h + 1;
        attention.forwardMacs = 2 * s * h * h + 2 * s * s * h;
        attention.activation = s * h;
        // A vector of hidden size for each pair of words: the sum is written; bias and tanh each
        // read and write; the product reads. Backward 7: the product writes, tanh reads two and
        // writes, three sums read.
        attention.memoryElements = 13 * s * s * h / 3;
        profile.layers.push_back(attention);
    }

    uint32_t m_layers{0};
    uint32_t m_hidden{0};
    uint32_t m_vocabulary{0};
    uint32_t m_sequence{0};
    double m_fill{1};
};

NS_OBJECT_ENSURE_REGISTERED(GnmtModel);

} // namespace ns3
