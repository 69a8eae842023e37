/* SPDX-License-Identifier: GPL-2.0-only */

// Rows of `pause` name the link that caused them, so that a recursive query gives the tree of an
// incast.

#include "../fixture/scenario-run-fixture.h"

namespace ns3
{

using PauseTreeTest = ScenarioRunFixture;

TEST_F(PauseTreeTest, IncastOverThreeTiers)
{
    // Four hosts of leaf0 and four of leaf1 send to host8 of leaf2. The uplinks carry all four, so
    // that the receiver's link is the only one that is too slow.
    std::string flows;
    for (int host = 0; host < 8; ++host)
    {
        flows += "  - {from: host" + std::to_string(host) + ", to: host8, bytes: 2MB}\n";
    }
    Run(R"(
topology: {type: LeafSpine, Leaves: 3, Spines: 1, HostsPerLeaf: 4, GpusPerHost: 1, NicsPerHost: 1,
           NicRate: 100Gbps, Uplinks: 1, UplinkRate: 400Gbps, LinkDelay: 1us}
defaults:
  ns3::RoceNic::CongestionControl: ns3::FixedRate
  ns3::FabricSwitch::BufferSize: 4MB
flows:
)" + flows);
    const std::vector<std::string> tree = Rows(R"sql(
WITH RECURSIVE
  edge AS (SELECT DISTINCT link, caused_by_link AS cause FROM pause
           WHERE caused_by_link IS NOT NULL),
  tree(link, depth, path) AS (
    SELECT DISTINCT cause, 0, name FROM edge JOIN link ON link.link = cause
      WHERE cause NOT IN (SELECT link FROM edge)
    UNION ALL
    SELECT edge.link, depth + 1, path || ' < ' || name
      FROM tree JOIN edge ON edge.cause = tree.link JOIN link ON link.link = edge.link)
SELECT path FROM tree ORDER BY depth, path)sql");
    const std::string root = "leaf2-host8 < spine0-leaf2";
    std::vector<std::string> expected{"leaf2-host8", root};
    for (int leaf = 0; leaf < 2; ++leaf)
    {
        expected.push_back(root + " < leaf" + std::to_string(leaf) + "-spine0");
    }
    for (int host = 0; host < 8; ++host)
    {
        const std::string leaf = "leaf" + std::to_string(host / 4);
        expected.push_back(root + " < " + leaf + "-spine0 < host" + std::to_string(host) + "-" +
                           leaf);
    }
    EXPECT_EQ(tree, expected);
}

} // namespace ns3
