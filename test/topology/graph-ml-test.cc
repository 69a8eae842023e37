/* SPDX-License-Identifier: GPL-2.0-only */

#include "../fixture/topology-fixture.h"

#include <random>

using namespace ns3;
using namespace topology_test;

namespace
{

const char* const HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                         "<key id=\"k\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
                         "<key id=\"g\" for=\"node\" attr.name=\"gpus\" attr.type=\"int\"/>\n"
                         "<key id=\"r\" for=\"edge\" attr.name=\"rate\" attr.type=\"string\">"
                         "<default>100Gbps</default></key>\n"
                         "<key id=\"d\" for=\"edge\" attr.name=\"delay\" attr.type=\"string\"/>\n"
                         "<key id=\"x\" for=\"node\" attr.name=\"colour\" attr.type=\"string\"/>\n";

std::string
Node(const std::string& id, const std::string& kind, const std::string& more = "")
{
    return "<node id=\"" + id + "\"><data key=\"k\">" + kind + "</data>" + more + "</node>\n";
}

std::string
Edge(const std::string& a, const std::string& b, const std::string& more = "")
{
    return "<edge source=\"" + a + "\" target=\"" + b + "\"><data key=\"d\"> 1us\n</data>" + more +
           "</edge>\n";
}

std::string
Graph(const std::string& text)
{
    return HEAD + ("<graph edgedefault=\"undirected\">\n" + text) + "</graph>\n</graphml>\n";
}

ClusterTopology
Read(const std::string& text)
{
    const ScenarioFolder folder;
    return GenerateGood("GraphMl", {{"File", folder.Write("g.graphml", text)}});
}

/// Errors of a file, without its name.
std::vector<std::string>
GetErrors(const std::string& text)
{
    const ScenarioFolder folder;
    const std::string file = folder.Write("g.graphml", text);
    std::vector<std::string> errors = GenerateBad("GraphMl", {{"File", file}});
    for (std::string& error : errors)
    {
        if (error.compare(0, file.size(), file) == 0)
        {
            error.erase(0, file.size());
        }
    }
    return errors;
}

} // namespace

TEST(GraphMlTopologyTest, NodesEdgesAndDefaults)
{
    const auto topology =
        Read(Graph(Edge("a", "s") + // before its nodes
                   Node("a", "host", "<data key=\"g\">8</data><data key=\"x\">red</data>") +
                   Node("s", "switch") + Node("b", "host") +
                   Edge("s", "b", "<data key=\"r\">400Gbps</data>") + Edge("a", "s")));
    ASSERT_EQ(topology.GetNodes().size(), 3U);
    EXPECT_EQ(topology.GetNodes()[0].name, "a");
    EXPECT_EQ(topology.GetNodes()[0].gpus, 8U);
    EXPECT_EQ(topology.GetNodes()[1].kind, TopologyNodeKind::SWITCH);
    EXPECT_EQ(topology.GetNodes()[2].gpus, 1U);
    ASSERT_EQ(topology.GetLinks().size(), 3U);
    EXPECT_EQ(topology.GetDirectedLinkName(0), "a-s");
    EXPECT_EQ(topology.GetPortRate(0), 100'000'000'000U);
    EXPECT_EQ(topology.GetPortDelay(0), 1'000'000);
    EXPECT_EQ(topology.GetDirectedLinkName(2), "s-b");
    EXPECT_EQ(topology.GetPortRate(2), 400'000'000'000U);
    EXPECT_EQ(topology.GetDirectedLinkName(4), "a-s#2");
}

TEST(GraphMlTopologyTest, ReadsBackWhatOthersGenerate)
{
    // Property: any graph, written as GraphML, is read the same.
    std::mt19937 random(5);
    for (int run = 0; run < 20; run++)
    {
        const auto made = GenerateGood("ThreeTierClos",
                                       {{"Pods", std::to_string(1 + random() % 3)},
                                        {"HostsPerTor", std::to_string(1 + random() % 4)},
                                        {"NicsPerHost", std::to_string(1 + random() % 3)}});
        std::string text;
        for (const TopologyNode& node : made.GetNodes())
        {
            const bool isHost = node.kind == TopologyNodeKind::HOST;
            text += Node(node.name,
                         isHost ? "host" : "switch",
                         isHost ? "<data key=\"g\">" + std::to_string(node.gpus) + "</data>" : "");
        }
        for (const TopologyLink& link : made.GetLinks())
        {
            text += Edge(made.GetNodes()[link.nodeA].name,
                         made.GetNodes()[link.nodeB].name,
                         "<data key=\"r\">" + std::to_string(link.rateBps) + "bps</data>");
        }
        const auto read = Read(Graph(text));
        ASSERT_EQ(read.GetPortCount(), made.GetPortCount());
        EXPECT_EQ(read.GetGpuCount(), made.GetGpuCount());
        for (uint32_t port = 0; port < made.GetPortCount(); port++)
        {
            EXPECT_EQ(read.GetDirectedLinkName(port), made.GetDirectedLinkName(port));
            EXPECT_EQ(read.GetPortRate(port), made.GetPortRate(port));
            EXPECT_EQ(read.GetPortDelay(port), made.GetPortDelay(port));
        }
    }
}

TEST(GraphMlTopologyTest, FaultsOfFiles)
{
    EXPECT_EQ(GenerateBad("GraphMl", {}), std::vector<std::string>{"File is missing"});
    EXPECT_EQ(GetErrors(""), std::vector<std::string>{":1:1: not valid XML: no element found"});
    EXPECT_EQ(GetErrors("<gexf/>"),
              std::vector<std::string>{":1:1: the file must hold <graphml>, not <gexf>"});
    EXPECT_EQ(GetErrors("<graphml>\n</graphml>\n"),
              std::vector<std::string>{":1:1: there is no <graph>"});
    EXPECT_EQ(GetErrors("<graphml>\n <graph>\n  </node>"),
              std::vector<std::string>{":3:5: not valid XML: mismatched tag"});
    EXPECT_EQ(GetErrors("<!DOCTYPE graphml [<!ENTITY a \"b\">]>\n<graphml/>"),
              std::vector<std::string>{":1:31: entities are not supported"});
    EXPECT_EQ(GetErrors("<graphml><graph edgedefault=\"directed\"><edge source=\"a\" "
                        "target=\"b\"/></graph></graphml>"),
              std::vector<std::string>{":1:40: the edge is directed: a link is full duplex, so "
                                       "write edgedefault=\"undirected\" and each link once"});
    EXPECT_EQ(
        GetErrors("<graphml><key id=\"a\" for=\"node\" attr.name=\"gpu\"/><graph/></graphml>"),
        std::vector<std::string>{":1:10: unknown attribute \"gpu\", did you mean \"gpus\"? "
                                 "Valid attributes: delay, gpus, kind, rate"});
    EXPECT_EQ(GetErrors("<graphml><graph/><graph/></graphml>"),
              std::vector<std::string>{
                  ":1:18: a second <graph>: a cluster is one, without graphs in its nodes"});
}

TEST(GraphMlTopologyTest, FaultsOfNodesAndEdges)
{
    // HEAD has 7 lines.
    EXPECT_EQ(GetErrors(Graph(Node("a", "hots") + Node("a", "host") + Node("a", "switch") +
                              "<node id=\"b\"/>\n<node/>\n" +
                              Node("c", "host", "<data key=\"g\">x</data>") +
                              Node("d", "switch", "<data key=\"g\">2</data>") +
                              Node("e", "host", "<data key=\"z\">2</data>") +
                              Node("f", "host", "<data key=\"r\">2</data>"))),
              (std::vector<std::string>{
                  ":9:28: unknown kind \"hots\", did you mean \"host\"? Valid kinds: host, switch",
                  ":11:1: a node \"a\" exists already",
                  ":12:1: node \"b\" has no kind: host or switch",
                  ":13:1: <node> has no id",
                  ":14:53: \"x\" is not a whole number from 0 to 1024",
                  ":15:55: a switch has no GPUs",
                  ":16:39: the key \"z\" is not declared",
                  ":17:39: the key \"r\" is for edge, not for node"}));
    const std::string nodes = Node("a", "host") + Node("b", "host") + Node("s", "switch");
    EXPECT_EQ(GetErrors(Graph(nodes + "<edge source=\"a\" target=\"s\"/>\n" + Edge("b", "s") +
                              "<edge source=\"a\" target=\"a\"/>\n" +
                              Edge("b", "s", "<data key=\"r\">100</data>"))),
              (std::vector<std::string>{
                  ":12:1: the edge has no delay",
                  ":15:1: the edge joins a node to itself",
                  ":17:22: \"100\" has no unit: write a rate such as 100Gbps (units: bps, kbps, "
                  "Mbps, Gbps, Tbps, Gb/s, GB/s)"}));
    EXPECT_EQ(GetErrors(Graph(nodes + Edge("a", "ss"))),
              std::vector<std::string>{":12:1: unknown node \"ss\"; valid nodes: a, b, s"});
    EXPECT_EQ(GetErrors(Graph(nodes + Edge("a", "ss") + Edge("tt", "s"))).size(), 2U);
    // At most 20 errors of a file.
    std::string many;
    for (int i = 0; i < 100; i++)
    {
        many += "<node/>\n";
    }
    EXPECT_EQ(GetErrors(Graph(many)).size(), 21U);
    many = nodes;
    for (int i = 0; i < 100; i++)
    {
        many += Edge("a", "ss");
    }
    EXPECT_EQ(GetErrors(Graph(many)).size(), 21U);
}
