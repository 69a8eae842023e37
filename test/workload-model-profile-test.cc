/* SPDX-License-Identifier: GPL-2.0-only */
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

/// Compares a profile with a table of the shared data, which not everybody has.
void
CompareWithTable(const ModelProfile& profile, const std::string& table)
{
    const std::string path =
        std::string(NS_TEST_SOURCEDIR) + "/../../shared/data/model-profiles/" + table;
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

} // namespace

TEST(ModelProfileTest, NamesAreSorted)
{
    EXPECT_EQ(ModelProfile::GetNames(),
              (std::vector<std::string>{"bert-base",
                                        "bert-large",
                                        "gpt2-small",
                                        "gpt3-24l-1024h",
                                        "resnet-101",
                                        "resnet-50"}));
}

TEST(ModelProfileTest, Totals)
{
    // 25,557,032 parameters, 4.09 GMAC (He et al.); 1/4 of 102.2 MB in fp32.
    EXPECT_EQ(Make("resnet-50").GetParameters(), 25'557'032u);
    EXPECT_NEAR(Make("resnet-50").GetForwardMacs() / 1e9, 4.09, 0.005);
    EXPECT_EQ(Make("resnet-101").GetParameters(), 44'549'160u);
    // 24 layers, h = 1024: 12 L h^2 + V h and what is small beside them.
    EXPECT_NEAR(Make("gpt3-24l-1024h").GetParameters() / 1e6, 356.8, 0.05);
    // 334 M parameters, 0.668 GB in fp16.
    EXPECT_NEAR(Make("bert-large").GetParameters() / 1e6, 334.1, 0.05);
    EXPECT_NEAR(Make("gpt2-small").GetParameters() / 1e6, 124.4, 0.05);
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
    EXPECT_EQ(error,
              "unknown model 'bert'; valid: bert-base bert-large gpt2-small gpt3-24l-1024h "
              "resnet-101 resnet-50");
    EXPECT_FALSE(ModelProfile::Make("resnet-50", 128, error));
    EXPECT_EQ(error, "the samples of resnet-50 are not sequences");
    EXPECT_FALSE(ModelProfile::Make("bert-large", 513, error));
    EXPECT_EQ(error, "bert-large has sequences of at most 512 tokens");
}
