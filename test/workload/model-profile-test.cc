/* SPDX-License-Identifier: GPL-2.0-only */
#include "../fixture/attribute-refusal-fixture.h"
#include "../fixture/shared-data.h"

#include "ns3/model-profile.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

ModelProfile
Make(const std::string& name, uint32_t sequence = 0)
{
    std::string error;
    const std::optional<ModelProfile> profile = ModelProfile::Make(name, sequence, error);
    EXPECT_TRUE(profile) << error;
    return profile.value_or(ModelProfile());
}

/// Compares a profile with a table of the shared data, which may be missing.
void
CompareWithTable(const ModelProfile& profile, const std::string& table)
{
    const std::filesystem::path path = GetSharedData("model-profiles/" + table);
    std::ifstream file(path);
    if (!file)
    {
        GTEST_SKIP() << path << " is not there";
    }
    std::string line;
    std::getline(file, line);
    size_t layer = 0;
    for (; std::getline(file, line); layer++)
    {
        std::istringstream fields(line);
        std::string index;
        std::string name;
        std::string parameters;
        std::string macs;
        std::getline(fields, index, ',');
        std::getline(fields, name, ',');
        std::getline(fields, parameters, ',');
        std::getline(fields, macs, ',');
        ASSERT_LT(layer, profile.layers.size());
        EXPECT_EQ(profile.layers[layer].name, name);
        EXPECT_EQ(profile.layers[layer].parameters, std::stoull(parameters)) << name;
        EXPECT_EQ(profile.layers[layer].forwardMacs, std::stoull(macs)) << name;
    }
    EXPECT_EQ(layer, profile.layers.size());
}

/// FLOP per sample if the backward pass repeats the forward pass of the blocks.
double
GetRecomputedFlop(const ModelProfile& profile)
{
    return 8.0 * profile.GetForwardMacs() - 2.0 * profile.layers.back().forwardMacs;
}

} // namespace

TEST(ModelProfileTest, NamesAreSorted)
{
    EXPECT_EQ(ModelProfile::GetNames(),
              (std::vector<std::string>{
                  "bert-base",       "bert-large",     "dlrm-criteo",     "gnmt",
                  "gpt2-large",      "gpt2-medium",    "gpt2-small",      "gpt2-xl",
                  "gpt3-1.3b",       "gpt3-125m",      "gpt3-13b",        "gpt3-175b",
                  "gpt3-2.7b",       "gpt3-24l-1024h", "gpt3-350m",       "gpt3-6.7b",
                  "gpt3-760m",       "llama-13b",      "llama-30b",       "llama-65b",
                  "llama-7b",        "megatron-1.7b",  "megatron-1008b",  "megatron-145.6b",
                  "megatron-18.4b",  "megatron-3.6b",  "megatron-310.1b", "megatron-39.1b",
                  "megatron-529.6b", "megatron-7.5b",  "megatron-76.1b",  "mixtral-8x7b",
                  "resnet-101",      "resnet-152",     "resnet-50",       "transformer-base",
                  "transformer-big", "vgg-16",         "vgg-19"}));
}

TEST(ModelProfileTest, Totals)
{
    // 25,557,032 parameters, 4.09 GMAC (He et al.); 1/4 of 102.2 MB in fp32.
    EXPECT_EQ(Make("resnet-50").GetParameters(), 25'557'032u);
    EXPECT_NEAR(Make("resnet-50").GetForwardMacs() / 1e9, 4.09, 0.005);
    EXPECT_EQ(Make("resnet-101").GetParameters(), 44'549'160u);
    EXPECT_NEAR(Make("resnet-101").GetForwardMacs() / 1e9, 7.80, 0.005);
    // Torchvision's count.
    EXPECT_EQ(Make("resnet-152").GetParameters(), 60'192'808u);
    EXPECT_EQ(Make("vgg-16").GetParameters(), 138'357'544u);
    EXPECT_NEAR(Make("vgg-16").GetForwardMacs() / 1e9, 15.47, 0.005);
    EXPECT_EQ(Make("vgg-19").GetParameters(), 143'667'240u);
    EXPECT_NEAR(Make("vgg-19").GetForwardMacs() / 1e9, 19.63, 0.005);
    // 24 layers, h = 1024: 12 L h^2 + V h and what is small beside them.
    EXPECT_NEAR(Make("gpt3-24l-1024h").GetParameters() / 1e6, 356.8, 0.05);
    // 334 M parameters, 0.668 GB in fp16.
    EXPECT_NEAR(Make("bert-large").GetParameters() / 1e6, 334.1, 0.05);
    EXPECT_NEAR(Make("gpt2-small").GetParameters() / 1e6, 124.4, 0.05);
}

TEST(ModelProfileTest, PublishedParameterCounts)
{
    // Of the published checkpoints of GPT-2, Llama and Mixtral.
    EXPECT_EQ(Make("gpt2-small").GetParameters(), 124'439'808u);
    EXPECT_EQ(Make("gpt2-medium").GetParameters(), 354'823'168u);
    EXPECT_EQ(Make("gpt2-large").GetParameters(), 774'030'080u);
    EXPECT_EQ(Make("gpt2-xl").GetParameters(), 1'557'611'200u);
    EXPECT_EQ(Make("llama-7b").GetParameters(), 6'738'415'616u);
    EXPECT_EQ(Make("llama-13b").GetParameters(), 13'015'864'320u);
    EXPECT_EQ(Make("llama-30b").GetParameters(), 32'528'943'616u);
    EXPECT_EQ(Make("llama-65b").GetParameters(), 65'285'660'672u);
    EXPECT_EQ(Make("mixtral-8x7b").GetParameters(), 46'702'792'704u);
    // Tables of 81.9 GB in fp32 and 1.5 M parameters of the MLPs.
    const ModelProfile dlrm = Make("dlrm-criteo");
    EXPECT_NEAR(4e-9 * dlrm.layers[0].parameters, 81.9, 0.05);
    // 13x512 + 512x256 + 256x128, 479x1024 + 1024x1024 + 1024x512 + 512x256 + 256, and biases.
    EXPECT_EQ(dlrm.GetParameters() - dlrm.layers[0].parameters,
              6'656u + 131'072 + 32'768 + 896 + 490'496 + 1'048'576 + 524'288 + 131'072 + 256 +
                  2'817);
}

TEST(ModelProfileTest, TranslationModels)
{
    // GNMT: encoder 2 (1024 + 1024) 4096, (2048 + 1024) 4096, 2 (1024 + 1024) 4096; decoder
    // (1024 + 1024) 4096 and 3 (2048 + 1024) 4096; 9 x 2 x 4096 of biases; attention; embedding and
    // classifier. Published as 160 M.
    const uint64_t lstm = uint64_t{4096} * (2 * 2048 + 3072 + 2 * 2048 + 2048 + 3 * 3072 + 9 * 2);
    const ModelProfile gnmt = Make("gnmt");
    EXPECT_EQ(gnmt.GetParameters(),
              lstm + 2 * 1024 * 1024 + 2 * 1024 + 1 + 2 * 32'000 * 1024 + 32'000);
    EXPECT_NEAR(gnmt.GetParameters() / 160e6, 1, 0.01);
    // 25 tokens of 0.8: 32 with padding. MACs of a word of each language are those weights, but the
    // embedding; scores and context are 2 x 32 x 1024.
    EXPECT_EQ(gnmt.GetForwardMacs(),
              32 * (lstm - 4096 * 18 + 2 * 1024 * 1024 + 32'000 * 1024 + 2 * 32 * 1024));
    uint64_t steps = 0;
    for (const ModelLayer& layer : gnmt.layers)
    {
        steps += layer.steps;
    }
    EXPECT_EQ(steps, 9u * 32);

    // Vaswani et al., table 3: 213 M and 65 M parameters with 37,000 words. An encoder's block has
    // 4 h^2 + 2 h f, a decoder's 8 h^2 + 2 h f, and what is small beside them.
    TypedBlock block;
    block.typeName = "Transformer";
    block.typeId = "ns3::TransformerModel";
    block.attributes = {{"Vocabulary", "37000", {}}};
    std::string error;
    EXPECT_NEAR(ModelProfile::Make(block, 0, error)->GetParameters() / 65e6, 1, 0.04);
    block.attributes.push_back({"Hidden", "1024", {}});
    block.attributes.push_back({"Heads", "16", {}});
    EXPECT_NEAR(ModelProfile::Make(block, 0, error)->GetParameters() / 213e6, 1, 0.01);
    const ModelProfile big = Make("transformer-big");
    const uint64_t h = 1024;
    EXPECT_EQ(big.GetParameters(),
              6 * (4 * h * h + 6 * h + 8 * h * h + 7 * h) +
                  6 * (8 * h * h + 12 * h + 8 * h * h + 7 * h) + 33'708 * h + 4 * h);
    // 27 tokens of 0.78: 35 with padding; scores and their use 2 x 35 h in each of 18 attentions.
    EXPECT_EQ(big.GetForwardMacs(),
              35 * (6 * 12 * h * h + 6 * 16 * h * h + 33'708 * h + 18 * 2 * 35 * h));
    EXPECT_EQ(big.blocks, 12u);
    EXPECT_EQ(big.layers.size(), 1u + 6 * 2 + 6 * 3 + 1);
    EXPECT_EQ(big.layers[14].name, "dec_l0_attn_encoder");
    EXPECT_EQ(big.layers[14].block, 6);
}

TEST(ModelProfileTest, NamedSizes)
{
    // The number in the name, of Brown et al., table 2.1, and Narayanan et al., table 1.
    const std::vector<std::pair<std::string, double>> sizes{{"gpt3-125m", 0.125},
                                                            {"gpt3-350m", 0.356},
                                                            {"gpt3-760m", 0.760},
                                                            {"gpt3-1.3b", 1.3},
                                                            {"gpt3-2.7b", 2.65},
                                                            {"gpt3-6.7b", 6.7},
                                                            {"gpt3-13b", 12.9},
                                                            {"gpt3-175b", 174.6},
                                                            {"megatron-1.7b", 1.7},
                                                            {"megatron-3.6b", 3.6},
                                                            {"megatron-7.5b", 7.5},
                                                            {"megatron-18.4b", 18.4},
                                                            {"megatron-39.1b", 39.1},
                                                            {"megatron-76.1b", 76.1},
                                                            {"megatron-145.6b", 145.6},
                                                            {"megatron-310.1b", 310.1},
                                                            {"megatron-529.6b", 529.6},
                                                            {"megatron-1008b", 1008.0}};
    for (const auto& [name, billions] : sizes)
    {
        // 24 x 12 x 2304^2 + 51200 x 2304 are 1.65 B, called 1.7.
        EXPECT_NEAR(Make(name).GetParameters() / 1e9 / billions, 1, 0.03) << name;
    }
}

TEST(ModelProfileTest, MacsFollowTheFormulaOfMegatron)
{
    // Narayanan et al., equation 3: 96 B s l h^2 (1 + s/(6h) + V/(16 l h)) FLOP an iteration with
    // recomputation: 8 x MACs (4 passes of 2 FLOP) of the blocks, 6 x those of the head.
    for (const std::string name : {"megatron-1.7b", "megatron-145.6b", "gpt3-175b"})
    {
        const ModelProfile profile = Make(name);
        const double l = profile.blocks;
        const double h = static_cast<double>(profile.layers[1].activation) / 2048;
        const double v = static_cast<double>(profile.layers.back().tiedParameters) / h;
        const double s = 2048;
        const double flop = 96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
        EXPECT_NEAR(GetRecomputedFlop(profile) / flop, 1, 1e-9) << name;
    }
    // 32 s an iteration of 1536 sequences on 1024 A100 (Megatron-LM's README, 23.08):
    // 137.7 TFLOP/s a GPU with a vocabulary of 51200.
    TypedBlock block;
    block.typeName = "Gpt";
    block.typeId = "ns3::GptModel";
    block.attributes = {{"Layers", "96", {}},
                        {"Hidden", "12288", {}},
                        {"Heads", "96", {}},
                        {"Vocabulary", "51200", {}},
                        {"Sequence", "2048", {}}};
    std::string error;
    const auto profile = ModelProfile::Make(block, 0, error);
    ASSERT_TRUE(profile) << error;
    EXPECT_NEAR(GetRecomputedFlop(*profile) * 1536 / 1024 / 32 / 1e12, 137.7, 0.05);
}

TEST(ModelProfileTest, ExpertsShareATokensWork)
{
    // Mixtral: a token uses 2 of 8 experts, so 12.9 B of 46.7 B parameters; MACs of a token without
    // scores: those parameters but the embedding, norms.
    const ModelProfile profile = Make("mixtral-8x7b", 1);
    uint64_t experts = 0;
    for (const ModelLayer& layer : profile.layers)
    {
        experts += layer.expertParameters;
    }
    EXPECT_EQ(experts, uint64_t{32} * 8 * 3 * 4096 * 14336);
    const uint64_t active = profile.GetParameters() - experts / 8 * 6;
    EXPECT_NEAR(active / 1e9, 12.88, 0.005);
    // 2 s^2 h of scores a layer, norms of 65 h, 32000 h of the embedding.
    EXPECT_EQ(profile.GetForwardMacs() - 32u * 2 * 4096, active - 65u * 4096 - 32000u * 4096);
    EXPECT_EQ(profile.layers[2].kind, LayerKind::EXPERTS);
    EXPECT_EQ(profile.layers[2].exchanged, 4096u * 2);
}

TEST(ModelProfileTest, Vgg16Table)
{
    CompareWithTable(Make("vgg-16"), "vgg16.csv");
}

TEST(ModelProfileTest, Vgg19Table)
{
    CompareWithTable(Make("vgg-19"), "vgg19.csv");
}

TEST(ModelProfileTest, ResNet50Table)
{
    CompareWithTable(Make("resnet-50"), "resnet50.csv");
}

TEST(ModelProfileTest, ResNet101Table)
{
    CompareWithTable(Make("resnet-101"), "resnet101.csv");
}

TEST(ModelProfileTest, BertLargeTableOf128)
{
    CompareWithTable(Make("bert-large", 128), "bert_large_s128.csv");
}

TEST(ModelProfileTest, BertLargeTableOf512)
{
    CompareWithTable(Make("bert-large"), "bert_large_s512.csv");
}

TEST(ModelProfileTest, BertBaseTable)
{
    CompareWithTable(Make("bert-base"), "bert_base_s128.csv");
}

TEST(ModelProfileTest, Gpt3Table)
{
    CompareWithTable(Make("gpt3-24l-1024h"), "gpt_crux_24L_h1024_s2048.csv");
}

TEST(ModelProfileTest, Gpt2Table)
{
    CompareWithTable(Make("gpt2-small"), "gpt2_small_s1024.csv");
}

TEST(ModelProfileTest, MeasuredTimesScaleWithTheBatch)
{
    EXPECT_EQ(Make("resnet-50").GetComputePs(256), 103'600'000'000);
    EXPECT_EQ(Make("resnet-50").GetComputePs(64), 25'900'000'000);
    EXPECT_EQ(Make("bert-large").GetComputePs(32), 152'000'000'000);
    EXPECT_EQ(Make("bert-large", 128).GetComputePs(256), 441'000'000'000);
    // 1.53 s x 2 / 24
    EXPECT_EQ(Make("gpt3-24l-1024h").GetComputePs(2), 127'500'000'000);
    EXPECT_EQ(Make("bert-base").GetComputePs(32), 0);
}

TEST(ModelProfileTest, OtherSequencesScaleByMacs)
{
    const ModelProfile full = Make("bert-large", 512);
    const ModelProfile part = Make("bert-large", 384);
    EXPECT_EQ(part.sequence, 384u);
    EXPECT_EQ(part.GetParameters(), full.GetParameters());
    // Attention: 4 s h^2 + 2 s^2 h with s = 384, h = 1024.
    EXPECT_EQ(part.layers[1].forwardMacs, 4u * 384 * 1024 * 1024 + 2u * 384 * 384 * 1024);
    const double ratio = static_cast<double>(part.GetForwardMacs()) / full.GetForwardMacs();
    EXPECT_NEAR(part.GetComputePs(32), 152e9 * ratio, 100);
}

TEST(ModelProfileTest, ErrorsNameWhatIsValid)
{
    std::string error;
    EXPECT_FALSE(ModelProfile::Make("bert", 0, error));
    EXPECT_EQ(error.find("unknown model \"bert\""), 0u);
    EXPECT_NE(error.find("alid models: bert-base, bert-large, dlrm-criteo, "), std::string::npos);
    EXPECT_FALSE(ModelProfile::Make("resnet-50", 128, error));
    EXPECT_EQ(error, "the samples of resnet-50 are not sequences");
    EXPECT_FALSE(ModelProfile::Make("bert-large", 513, error));
    EXPECT_EQ(error, "bert-large has sequences of at most 512 tokens");

    TypedBlock block;
    block.typeName = "Gpt";
    block.typeId = "ns3::GptModel";
    block.attributes = {{"Hidden", "1000", {}}, {"Heads", "7", {}}};
    EXPECT_FALSE(ModelProfile::Make(block, 0, error));
    EXPECT_EQ(error, "the hidden size, 1000, must be a multiple of the heads, 7");
    block.attributes = {};
    EXPECT_EQ(ModelProfile::Make(block, 0, error)->GetParameters(), 124'439'808u);
    block.typeName = "Vgg";
    block.typeId = "ns3::VggModel";
    block.attributes = {{"Depth", "17", {}}};
    EXPECT_FALSE(ModelProfile::Make(block, 0, error));
    EXPECT_EQ(error, "there is no VGG of 17 layers; valid: 11 13 16 19");
    block.typeName = "Dlrm";
    block.typeId = "ns3::DlrmModel";
    block.attributes = {{"Dimension", "64", {}}};
    EXPECT_FALSE(ModelProfile::Make(block, 0, error));
    EXPECT_EQ(error, "the bottom MLP, 512-256-128, must end with the dimension of the tables, 64");
    EXPECT_EQ(GetRefusal("ns3::DlrmModel", "TopMlp", "10-x"),
              "\"10-x\" is no list of layer sizes such as 512-256-128");
}
