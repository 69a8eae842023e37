/* SPDX-License-Identifier: GPL-2.0-only */

// Topology files with random damage: the readers report its place, or read a graph.

#include "../fixture/topology-fixture.h"

#include <random>
#include <regex>

using namespace ns3;
using namespace topology_test;

namespace
{

/// One of a few kinds of damage at a random place.
std::string
Damage(std::string text, std::mt19937& random)
{
    const std::string odd = "<>&\"'{}[],:;-#\n\t\r\\%09eE.x\xc3\xff";
    const std::size_t place = random() % text.size();
    switch (random() % 5)
    {
    case 0:
        text.erase(place, 1 + random() % 8);
        break;
    case 1:
        text.insert(place, 1, odd[random() % odd.size()]);
        break;
    case 2:
        text[place] = odd[random() % odd.size()];
        break;
    case 3:
        text.resize(place);
        break;
    default:
        text.insert(place, text.substr(random() % text.size(), random() % 40));
        break;
    }
    return text;
}

} // namespace

TEST(TopologyFileMutationTest, DamageIsNamedOrHarmless)
{
    const std::vector<std::pair<std::string, std::string>> files{
        {"Hpcc", "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 25000000000.0 1us 0\n"},
        {"Hpcc",
         "7 2 2 1 8 A100\n4 5 6\n0 4 2880Gbps 25ns 0\n0 6 200Gbps 0.5us 0\n1 4 2880Gbps 25ns 0\n"
         "1 6 200Gbps 0.5us 0\n2 5 2880Gbps 25ns 0\n2 6 200Gbps 0.5us 0\n3 5 2880Gbps 25ns 0\n"
         "3 6 200Gbps 0.5us 0\n"},
        {"Lingjun", "ip,DSW,PSW,ASW\na,G6,P10,S14\nb,G6,P12,S2\nc,G6,P10,S34\nd,G6,P12,S2\n"},
        {"Taccl",
         "{\"name\": \"NDv2\", \"gpus_per_node\": 8, \"nics_per_node\": 1, \"alpha\": 0.3,\n"
         "\"node_betas_list\": [23, 46], \"remote_alpha\": 2.6, \"remote_beta\": 105}\n"},
        {"AstraSim",
         "topology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 2, 3, 2 ]\n"
         "bandwidth: [ 200.0, 100.0, 50.0 ]\nlatency: [ 50.0, 500.0, 2000.0 ]\n"},
        {"GraphMl",
         "<graphml><key id=\"k\" for=\"node\" attr.name=\"kind\"/>\n"
         "<key id=\"r\" for=\"edge\" attr.name=\"rate\"><default>1Gbps</default></key>\n"
         "<key id=\"d\" for=\"edge\" attr.name=\"delay\"><default>1us</default></key>\n"
         "<graph><node id=\"a\"><data key=\"k\">host</data></node>\n"
         "<node id=\"b\"><data key=\"k\">host</data></node>\n"
         "<node id=\"s\"><data key=\"k\">switch</data></node>\n"
         "<edge source=\"a\" target=\"s\"/><edge source=\"b\" target=\"s\"/></graph></graphml>\n"}};
    const ScenarioFolder folder;
    for (const auto& [type, good] : files)
    {
        GenerateGood(type, {{"File", folder.Write("file", good)}});
        std::mt19937 random(6);
        int wrong = 0;
        for (int run = 0; run < 300; run++)
        {
            std::string text = good;
            for (uint32_t i = 0; i <= static_cast<uint32_t>(run) % 3 && !text.empty(); i++)
            {
                text = Damage(text, random);
            }
            const std::string file = folder.Write("file", text);
            std::vector<std::string> errors;
            const ClusterTopology topology = Generate(type, {{"File", file}}, errors);
            for (const std::string& error : errors)
            {
                // A place, or a cluster too large.
                const bool placed =
                    error.compare(0, file.size(), file) == 0 &&
                    std::regex_search(error.substr(file.size()), std::regex("^:[1-9][0-9]*:[1-9]"));
                EXPECT_TRUE(placed || error.find("at most 1048576") != std::string::npos) << error;
            }
            if (errors.empty())
            {
                topology.Validate();
            }
            wrong += errors.empty() ? 0 : 1;
        }
        EXPECT_GT(wrong, 100) << type;
        EXPECT_LT(wrong, 300) << type;
    }
}
