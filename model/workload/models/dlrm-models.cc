/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../base/text-value.h"
#include "../../base/unit-parser.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/training-model.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DlrmModels");

/**
 * Deep learning recommendation model (Naumov et al., "Deep learning recommendation model for
 * personalization and recommendation systems", 2019): embedding tables, distributed over the GPUs;
 * a bottom MLP for the dense features; dot products of all pairs of vectors; a top MLP. Defaults:
 * the large configuration of NVIDIA DeepLearningExamples (DLRM README) on Criteo 1TB, whose tables
 * take 81.9 GB.
 */
class DlrmModel : public TrainingModel
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::DlrmModel")
                                .SetParent<TrainingModel>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<DlrmModel>()
                                .AddAttribute("Tables",
                                              "Embedding tables.",
                                              UintegerValue(26),
                                              MakeUintegerAccessor(&DlrmModel::m_tables),
                                              MakeUintegerChecker<uint32_t>(1, 100'000))
                                .AddAttribute("Rows",
                                              "Rows of a table, on average.",
                                              UintegerValue(6'150'000),
                                              MakeUintegerAccessor(&DlrmModel::m_rows),
                                              MakeUintegerChecker<uint64_t>(1, 1'000'000'000'000))
                                .AddAttribute("Dimension",
                                              "Elements of a row.",
                                              UintegerValue(128),
                                              MakeUintegerAccessor(&DlrmModel::m_dimension),
                                              MakeUintegerChecker<uint32_t>(1, 100'000))
                                .AddAttribute("Lookups",
                                              "Rows of a table that a sample reads.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&DlrmModel::m_lookups),
                                              MakeUintegerChecker<uint32_t>(1, 100'000))
                                .AddAttribute("DenseFeatures",
                                              "Inputs of the bottom MLP.",
                                              UintegerValue(13),
                                              MakeUintegerAccessor(&DlrmModel::m_denseFeatures),
                                              MakeUintegerChecker<uint32_t>(1, 1'000'000))
                                .AddAttribute("BottomMlp",
                                              "Outputs of the bottom MLP's layers, as 512-256-128; "
                                              "the last is the dimension of the tables.",
                                              TextValue("512-256-128"),
                                              MakeTextAccessor(&DlrmModel::m_bottomMlp),
                                              MakeTextChecker(&DlrmModel::FindSizesFault))
                                .AddAttribute("TopMlp",
                                              "Outputs of the top MLP's layers.",
                                              TextValue("1024-1024-512-256-1"),
                                              MakeTextAccessor(&DlrmModel::m_topMlp),
                                              MakeTextChecker(&DlrmModel::FindSizesFault));
        return tid;
    }

    std::vector<ModelPreset> GetPresets() const override
    {
        return {{"dlrm-criteo", {}}};
    }

    std::string GetFault() const override
    {
        if (ParseSizes(m_bottomMlp).back() != m_dimension)
        {
            return "the bottom MLP, " + m_bottomMlp + ", must end with the dimension of the " +
                   "tables, " + std::to_string(m_dimension);
        }
        return "";
    }

    ModelProfile MakeProfile(uint32_t /* sequence */) const override
    {
        NS_LOG_FUNCTION(this);
        ModelProfile profile;
        const uint64_t vectors = uint64_t{m_tables} + 1;
        ModelLayer tables;
        tables.name = "tables";
        tables.kind = LayerKind::TABLES;
        tables.parameters = m_tables * m_rows * m_dimension;
        tables.activation = uint64_t{m_tables} * m_dimension;
        tables.rowElements = tables.activation * m_lookups;
        tables.exchanged = tables.activation;
        profile.layers.push_back(tables);
        AddMlp(profile, "bottom", m_denseFeatures, ParseSizes(m_bottomMlp));
        const uint64_t pairs = vectors * (vectors - 1) / 2 + m_dimension;
        ModelLayer interaction;
        interaction.name = "interaction";
        interaction.kind = LayerKind::INTERACTION;
        interaction.forwardMacs = vectors * vectors * m_dimension;
        interaction.activation = pairs;
        // Vectors: concatenated after the exchange (2 per element), read by the products; in the
        // backward pass read again, gradients written and split for the exchange (2): 7 in three
        // passes. Pairs are written and their gradients read.
        interaction.memoryElements = (7 * vectors * m_dimension + 2 * pairs) / 3;
        profile.layers.push_back(interaction);
        AddMlp(profile, "top", pairs, ParseSizes(m_topMlp));
        return profile;
    }

  private:
    /// Checks a list of layer sizes. \returns what is wrong with it, or empty
    static std::string FindSizesFault(const std::string& text)
    {
        return ParseSizes(text).empty()
                   ? "\"" + text + "\" is no list of layer sizes such as 512-256-128"
                   : "";
    }

    /// The numbers of "512-256-128"; none if it is not such a list.
    static std::vector<uint64_t> ParseSizes(const std::string& text)
    {
        std::vector<uint64_t> sizes;
        std::istringstream words(text + "-");
        std::string ignored;
        for (std::string word; std::getline(words, word, '-');)
        {
            const auto size = UnitParser::ParseUnsigned(word, 1, 1'000'000, ignored);
            if (!size)
            {
                return {};
            }
            sizes.push_back(*size);
        }
        return sizes;
    }

    static void AddMlp(ModelProfile& profile,
                       const std::string& name,
                       uint64_t inputs,
                       const std::vector<uint64_t>& sizes)
    {
        for (size_t i = 0; i < sizes.size(); i++)
        {
            ModelLayer layer;
            layer.name = name + std::to_string(i);
            layer.parameters = inputs * sizes[i] + sizes[i];
            layer.forwardMacs = inputs * sizes[i];
            layer.activation = sizes[i];
            // Bias and ReLU in one kernel: 2 forward, 3 backward including the sum for the bias.
            layer.memoryElements = 5 * sizes[i] / 3;
            profile.layers.push_back(layer);
            inputs = sizes[i];
        }
    }

    uint32_t m_tables{0};
    uint64_t m_rows{0};
    uint32_t m_dimension{0};
    uint32_t m_lookups{0};
    uint32_t m_denseFeatures{0};
    std::string m_bottomMlp;
    std::string m_topMlp;
};

NS_OBJECT_ENSURE_REGISTERED(DlrmModel);

} // namespace ns3
