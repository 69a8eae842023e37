/* SPDX-License-Identifier: GPL-2.0-only */

// `record: [pcap]` of a scenario.

#include "../../helper/app/scenario-runner.h"
#include "../fixture/scenario-fixture.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/pcap-file.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <set>

namespace ns3
{

class RecordPcapTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /// Two transfers of 10 frames between four hosts, host 0 to 2 and 1 to 3.
    static std::string Network(const std::string& record)
    {
        return "schema: gpu-fabric/1\n"
               "topology: {type: LeafSpine, Leaves: 2, Spines: 1, HostsPerLeaf: 2, GpusPerHost: 1,"
               " NicsPerHost: 1, NicRate: 100Gbps, Uplinks: 1, UplinkRate: 100Gbps,"
               " LinkDelay: 1us}\n"
               "flows:\n"
               "  - {from: host0, to: host2, bytes: 40960B}\n"
               "  - {from: host1, to: host3, bytes: 40960B}\n"
               "record: " +
               record + "\n";
    }

    /// \returns the exit status
    int Run(const std::string& scenario)
    {
        Simulator::Destroy();
        Config::Reset();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        ScenarioRunnerOptions options;
        options.scenario = m_folder.Write("scenario.yaml", scenario);
        options.output = m_folder.GetPath("out.x.sqlite");
        options.overwrite = true;
        options.quiet = true;
        std::ostringstream out;
        std::ostringstream err;
        const int status = ScenarioRunner(out, err).Run(options);
        m_messages = err.str();
        return status;
    }

    /// Names of the pcap files.
    std::set<std::string> List() const
    {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(m_folder.GetPath("")))
        {
            if (entry.path().extension() == ".pcap")
            {
                names.insert(entry.path().filename().string());
            }
        }
        return names;
    }

    uint32_t CountPackets(const std::string& name) const
    {
        PcapFile file;
        file.Open(m_folder.GetPath(name), std::ios::in);
        std::vector<uint8_t> bytes(5'000);
        for (uint32_t count = 0;; ++count)
        {
            uint32_t unused[5];
            file.Read(bytes.data(),
                      static_cast<uint32_t>(bytes.size()),
                      unused[0],
                      unused[1],
                      unused[2],
                      unused[3],
                      unused[4]);
            if (file.Eof() || file.Fail())
            {
                return count;
            }
        }
    }

    std::string QueryTransfers() const
    {
        SQLite::Database database(m_folder.GetPath("out.x.sqlite"));
        SQLite::Statement query(database,
                                "SELECT group_concat(start_ps || ' ' || delivered_ps || ' ' || "
                                "completed_ps) FROM transfer");
        return query.executeStep() ? query.getColumn(0).getString() : "";
    }

    ScenarioFolder m_folder;
    std::string m_messages;
};

TEST_F(RecordPcapTest, AFileForEachNic)
{
    ASSERT_EQ(Run(Network("[jobs]")), ScenarioRunner::OK) << m_messages;
    EXPECT_EQ(List(), std::set<std::string>());
    const std::string transfers = QueryTransfers();
    ASSERT_EQ(Run(Network("[jobs, pcap]")), ScenarioRunner::OK) << m_messages;
    EXPECT_EQ(List(),
              (std::set<std::string>{"out.x-host0-0.pcap",
                                     "out.x-host1-0.pcap",
                                     "out.x-host2-0.pcap",
                                     "out.x-host3-0.pcap"}));
    // Ten frames of data, an acknowledgement for the end of the message.
    EXPECT_EQ(CountPackets("out.x-host0-0.pcap"), 11u);
    EXPECT_EQ(CountPackets("out.x-host3-0.pcap"), 11u);
    EXPECT_EQ(QueryTransfers(), transfers);
}

TEST_F(RecordPcapTest, OfNamedNodes)
{
    ASSERT_EQ(Run(Network("[{pcap: {nodes: [host1, spine0]}}]")), ScenarioRunner::OK) << m_messages;
    EXPECT_EQ(List(),
              (std::set<std::string>{"out.x-host1-0.pcap",
                                     "out.x-spine0-0.pcap",
                                     "out.x-spine0-1.pcap"}));
    EXPECT_EQ(CountPackets("out.x-host1-0.pcap"), 11u);
    EXPECT_EQ(CountPackets("out.x-spine0-0.pcap"), 22u);
}

// The first frames of a link: at 100 Gb/s they begin 0.33424 us apart, the first at 0 (16 B
// longer). Between 1 and 2 us frames 3, 4 and 5 begin (1.004, 1.338, 1.672 us).
TEST_F(RecordPcapTest, OfALinkDirectionAndTime)
{
    ASSERT_EQ(Run(Network("[{pcap: {links: [host1-leaf0]}}]")), ScenarioRunner::OK) << m_messages;
    EXPECT_EQ(List(), (std::set<std::string>{"out.x-host1-0.pcap"}));
    EXPECT_EQ(CountPackets("out.x-host1-0.pcap"), 11u);
    ASSERT_EQ(Run(Network("[{pcap: {links: [host1-leaf0], direction: sent}}]")), ScenarioRunner::OK)
        << m_messages;
    EXPECT_EQ(CountPackets("out.x-host1-0.pcap"), 10u);
    ASSERT_EQ(Run(Network("[{pcap: {links: [host1-leaf0], direction: received}}]")),
              ScenarioRunner::OK)
        << m_messages;
    EXPECT_EQ(CountPackets("out.x-host1-0.pcap"), 1u);
    const std::string whole = m_folder.GetPath("out.x-host1-0.pcap");
    ASSERT_EQ(Run(Network("[{pcap: {links: [host1-leaf0], from: 1us, to: 2us}}]")),
              ScenarioRunner::OK)
        << m_messages;
    EXPECT_EQ(CountPackets("out.x-host1-0.pcap"), 3u);
    ASSERT_EQ(Run(Network("[{pcap: {links: [host1-leaf0], direction: sent, snap: 64B}}]")),
              ScenarioRunner::OK)
        << m_messages;
    // 24 bytes of a file, then 16 and 64 of each packet.
    EXPECT_EQ(std::filesystem::file_size(whole), 24u + 10 * (16 + 64));
    EXPECT_EQ(Run(Network("[{pcap: {links: [host1-leaf1]}}]")), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(m_messages.find("unknown link \"host1-leaf1\""), std::string::npos) << m_messages;
    EXPECT_EQ(Run(Network("[{pcap: {from: 2us, to: 1us}}]")), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(m_messages.find("to must be after from"), std::string::npos) << m_messages;
}

TEST_F(RecordPcapTest, OfEachRun)
{
    ASSERT_EQ(Run(Network("[{pcap: {nodes: [host1]}}]") + "compare: [None, GpuIntensity]\n"),
              ScenarioRunner::OK)
        << m_messages;
    EXPECT_EQ(List(),
              (std::set<std::string>{"out.x-run1-host1-0.pcap", "out.x-run2-host1-0.pcap"}));
}

TEST_F(RecordPcapTest, WarnsOfForcedSizes)
{
    const std::string forced = "defaults: {ns3::RoceNic::HeaderBytes: 48B}\n";
    const std::string warning = "gpu-fabric: warning: pcap files show true RoCEv2, not the sizes "
                                "that HeaderBytes and AckBytes force\n";
    ASSERT_EQ(Run(Network("[jobs]") + forced), ScenarioRunner::OK) << m_messages;
    EXPECT_EQ(m_messages.find(warning), std::string::npos) << m_messages;
    ASSERT_EQ(Run(Network("[pcap]") + forced), ScenarioRunner::OK) << m_messages;
    EXPECT_NE(m_messages.find(warning), std::string::npos) << m_messages;
}

TEST_F(RecordPcapTest, PayloadsTooLargeForIpAreAnError)
{
    const std::string large = "defaults: {ns3::RoceNic::PathMtu: 65536B}\n";
    EXPECT_EQ(Run(Network("[jobs]") + large), ScenarioRunner::OK) << m_messages;
    EXPECT_EQ(Run(Network("[jobs, pcap]") + large), ScenarioRunner::BAD_INPUT);
    EXPECT_NE(
        m_messages.find("scenario.yaml:6:16: record: a frame with PathMtu = 65536 bytes is no "
                        "IP packet: with packets it is at most 65472"),
        std::string::npos)
        << m_messages;
}

TEST_F(RecordPcapTest, AFileThatCannotBeWritten)
{
    std::filesystem::create_directory(m_folder.GetPath("out.x-host2-0.pcap"));
    EXPECT_EQ(Run(Network("[pcap]")), ScenarioRunner::WRITE_FAILED);
    EXPECT_NE(m_messages.find("out.x-host2-0.pcap: cannot write: Is a directory"),
              std::string::npos)
        << m_messages;
    EXPECT_FALSE(std::filesystem::exists(m_folder.GetPath("out.x.sqlite")));
}

TEST_F(RecordPcapTest, ADiskThatIsFull)
{
    if (!std::filesystem::exists("/dev/full"))
    {
        GTEST_SKIP() << "no /dev/full";
    }
    std::filesystem::create_symlink("/dev/full", m_folder.GetPath("out.x-host2-0.pcap"));
    EXPECT_EQ(Run(Network("[pcap]")), ScenarioRunner::WRITE_FAILED);
    EXPECT_NE(m_messages.find("a pcap file could not be written to its end"), std::string::npos)
        << m_messages;
}

} // namespace ns3
