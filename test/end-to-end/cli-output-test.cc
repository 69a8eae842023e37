/* SPDX-License-Identifier: GPL-2.0-only */

// The output of gpu-fabric-run: the database is complete or absent, and the exit status says which.

#include "../fixture/network-fixture.h"
#include "../fixture/program-fixture.h"
#include "../fixture/scenario-run-fixture.h"

#include <chrono>
#include <new>
#include <sys/resource.h>
#include <thread>

using namespace ns3;

namespace
{

class ProgramOutputTest : public ProgramFixture
{
  protected:
    using Names = std::vector<std::string>;

    /// A scenario that takes about half a minute.
    std::string WriteLong() const
    {
        return Write("long.yaml",
                     "schema: gpu-fabric/1\n"
                     "name: long\n"
                     "stop: {when: all-jobs-done, time: 100s}\n"
                     "topology: {type: Star, Hosts: 2, NicRate: 400Gbps}\n"
                     "flows: [{from: host0, to: host1, bytes: 200GB}]\n"
                     "compare: [None, GpuIntensity]\n");
    }

    /// A scenario with a thousand rows.
    std::string WriteShort() const
    {
        std::string text = "schema: gpu-fabric/1\n"
                           "name: short\n"
                           "stop: {when: all-jobs-done, time: 1s}\n"
                           "topology: {type: Star, Hosts: 2}\n"
                           "flows:\n";
        for (int flow = 0; flow < 1000; ++flow)
        {
            text += "  - {from: host0, to: host1, bytes: 1kB}\n";
        }
        return Write("short.yaml", text);
    }

    /// A limit of a process [byte or s].
    static std::function<void()> Limit(int resource, rlim_t limit)
    {
        return [resource, limit]() {
            const rlimit limits{limit, limit};
            setrlimit(static_cast<__rlimit_resource>(resource), &limits);
        };
    }

    /// Starts a run and sends it a signal once it has begun.
    ProgramResult Interrupt(const std::string& scenario,
                            int signal,
                            const std::function<void()>& atStart = nullptr) const
    {
        const pid_t child = Start({scenario, "--out=out.sqlite"}, atStart);
        const auto hasEnded = [child]() {
            siginfo_t info{};
            waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
            return info.si_pid == child;
        };
        while (!Exists("out.sqlite.partial-wal") && !hasEnded())
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        kill(child, signal);
        return Wait(child);
    }
};

} // namespace

TEST_F(ProgramOutputTest, DatabaseTableAndLog)
{
    const ProgramResult result = Run({WriteShort(), "--out=out.sqlite"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out.substr(0, 32), "short: scheduler None, placement");
    EXPECT_EQ(result.err, "gpu-fabric: results are in out.sqlite\n");
    EXPECT_EQ(ListOutputs("out.sqlite"), (Names{"out.sqlite", "out.sqlite.log"}));
    EXPECT_EQ(Query("out.sqlite", "SELECT status FROM run"), "finished");
    EXPECT_EQ(Query("out.sqlite", "SELECT COUNT(*) FROM transfer"), "1000");
    const std::string version = ReadText(GetProjectFolder("VERSION"));
    EXPECT_EQ(Query("out.sqlite", "SELECT versions ->> 'gpu-fabric' FROM run") + "\n", version);
}

TEST_F(ProgramOutputTest, Quiet)
{
    const ProgramResult result = Run({WriteShort(), "--out=out.sqlite", "--quiet"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out + result.err, "");
    EXPECT_TRUE(Exists("out.sqlite"));
}

TEST_F(ProgramOutputTest, NamedAfterTheScenario)
{
    EXPECT_EQ(Run({WriteShort()}).status, 0);
    EXPECT_EQ(ListOutputs("short.s"), (Names{"short.sqlite", "short.sqlite.log"}));
}

TEST_F(ProgramOutputTest, ExistingOutputIsRefusedBeforeTheSimulation)
{
    Write("out.sqlite", "kept");
    // If it simulated, this limit of CPU time would end it by a signal.
    const ProgramResult result = Run({WriteLong(), "--out=out.sqlite"}, Limit(RLIMIT_CPU, 5));
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "gpu-fabric: out.sqlite: exists already (--overwrite replaces it)\n");
    EXPECT_EQ(Read("out.sqlite"), "kept");
    EXPECT_EQ(ListOutputs("out.sqlite"), (Names{"out.sqlite"}));
}

TEST_F(ProgramOutputTest, Overwrite)
{
    Write("out.sqlite", "old");
    EXPECT_EQ(Run({WriteShort(), "--out=out.sqlite", "--overwrite"}).status, 0);
    EXPECT_EQ(Query("out.sqlite", "SELECT scenario FROM run"), "short");
}

TEST_F(ProgramOutputTest, FolderThatIsNot)
{
    Write("file", "");
    Write("folder/file", "");
    for (const std::string output : {"none/out.sqlite", "file/out.sqlite", "folder"})
    {
        const ProgramResult result = Run({WriteLong(), "--out=" + output}, Limit(RLIMIT_CPU, 5));
        // A folder is something that exists.
        EXPECT_EQ(result.status, output == "folder" ? 2 : 4) << output;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(output), std::string::npos) << result.err;
    }
    EXPECT_EQ(ListOutputs("none"), Names());
    EXPECT_EQ(Run({WriteLong(), "--out=folder", "--overwrite"}, Limit(RLIMIT_CPU, 5)).status, 4);
}

TEST_F(ProgramOutputTest, FailedWriteStopsTheRun)
{
    // The schema does not fit, then the rows do not.
    for (const rlim_t limit : {64'000, 200'000})
    {
        const ProgramResult result =
            Run({WriteShort(), "--out=out.sqlite"}, Limit(RLIMIT_FSIZE, limit));
        EXPECT_EQ(result.status, 4) << limit;
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err.find("gpu-fabric: out.sqlite"), 0U) << result.err;
        EXPECT_FALSE(Exists("out.sqlite"));
        EXPECT_FALSE(Exists("out.sqlite.log"));
    }
    // What is left over is in nobody's way.
    EXPECT_EQ(Run({WriteShort(), "--out=out.sqlite"}).status, 0);
    EXPECT_GT(std::filesystem::file_size(Path("out.sqlite")), 200'000U);
    EXPECT_EQ(ListOutputs("out.sqlite"), (Names{"out.sqlite", "out.sqlite.log"}));
}

TEST_F(ProgramOutputTest, InterruptedRunIsWritten)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    {
        const ProgramResult result = Interrupt(WriteLong(), signal);
        EXPECT_EQ(result.status, 128 + signal) << result.err;
        EXPECT_EQ(ListOutputs("out.sqlite"), (Names{"out.sqlite", "out.sqlite.log"}));
        EXPECT_EQ(Query("out.sqlite", "SELECT GROUP_CONCAT(scheduler || ' ' || status) FROM run"),
                  "None stopped");
        EXPECT_GT(std::stoll(Query("out.sqlite", "SELECT end_ps FROM run")), 0);
        // What is under way is counted: everything adds up also now.
        EXPECT_EQ(Query("out.sqlite", "SELECT COUNT(*) FROM invariant WHERE expected <> actual"),
                  "0");
        EXPECT_NE(result.out.find("stopped"), std::string::npos);
        EXPECT_NE(result.err.find("gpu-fabric: interrupted"), std::string::npos) << result.err;
        std::filesystem::remove(Path("out.sqlite"));
        std::filesystem::remove(Path("out.sqlite.log"));
    }
}

TEST_F(ProgramOutputTest, HangingUpIsIgnoredUnderNohup)
{
    const std::string scenario = Write("medium.yaml",
                                       "schema: gpu-fabric/1\n"
                                       "topology: {type: Star, Hosts: 2, Rate: 400Gbps}\n"
                                       "flows: [{from: host0, to: host1, bytes: 1GB}]\n");
    const ProgramResult result = Interrupt(scenario, SIGHUP, []() { signal(SIGHUP, SIG_IGN); });
    EXPECT_EQ(result.status, 0) << result.err;
}

TEST_F(ProgramOutputTest, AnInterruptIsSeenInASecondOfWallTime)
{
    // The first tick of simulated time, 100 us, is seconds of wall time away: 256 hosts at 400 Gb/s
    // send 37,000 small frames in a microsecond.
    std::string text = "schema: gpu-fabric/1\n"
                       "name: wide\n"
                       "stop: {time: 1s}\n"
                       "topology: {type: LeafSpine, Leaves: 8, Spines: 8, HostsPerLeaf: 32,\n"
                       "           Uplinks: 8, NicRate: 400Gbps, UplinkRate: 400Gbps}\n"
                       "defaults: {ns3::RoceNic::PathMtu: 256B}\n"
                       "record: [events]\n"
                       "flows:\n";
    for (int host = 0; host < 256; ++host)
    {
        text += "  - {from: host" + std::to_string(host) + ", to: host" +
                std::to_string((host + 32) % 256) + ", bytes: 1GB}\n";
    }
    const ProgramResult result = Interrupt(Write("wide.yaml", text), SIGINT);
    EXPECT_EQ(result.status, 130) << result.err;
    EXPECT_LT(std::stoll(Query("out.sqlite", "SELECT end_ps FROM run")), 100'000'000);
}

TEST_F(ProgramOutputTest, ATableThatCannotBePrintedIsAFailedWrite)
{
    if (!std::filesystem::exists("/dev/full"))
    {
        GTEST_SKIP() << "no /dev/full";
    }
    const auto full = []() { dup2(open("/dev/full", O_WRONLY), 1); };
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{WriteShort(), "--out=out.sqlite"},
                                               {"--compare=out.sqlite"},
                                               {"--print-schema"},
                                               {"--print-reference"},
                                               {"--print-results"}})
    {
        const ProgramResult result = Run(arguments, full);
        EXPECT_EQ(result.status, 4) << arguments[0];
        EXPECT_NE(result.err.find("gpu-fabric: standard output: cannot write\n"), std::string::npos)
            << result.err;
    }
    // The results are whole.
    EXPECT_EQ(Query("out.sqlite", "SELECT COUNT(*) FROM transfer"), "1000");
}

TEST_F(ProgramOutputTest, TheLogHoldsPeakMemoryAndCpuTime)
{
    ASSERT_EQ(Run({WriteShort(), "--out=out.sqlite"}).status, 0);
    const std::string log = Read("out.sqlite.log");
    const size_t at = log.find("peak_memory_bytes ");
    ASSERT_NE(at, std::string::npos) << log;
    EXPECT_GT(std::stod(log.substr(at + 18)), 5e6);
    EXPECT_NE(log.find("[program]\ncpu_s "), std::string::npos) << log;
}

namespace ns3
{

/// Promises to lose nothing, and drops a frame.
class BrokenPromiseBuffer : public DynamicThresholdBuffer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::BrokenPromiseBuffer")
                                .SetParent<DynamicThresholdBuffer>()
                                .AddConstructor<BrokenPromiseBuffer>()
                                .HideFromDocumentation();
        return tid;
    }

    BufferVerdict Admit(uint32_t ingress,
                        uint32_t egress,
                        uint32_t priority,
                        uint32_t bytes,
                        bool certain) override
    {
        constexpr uint32_t LOST = 10;
        return ++m_frames == LOST
                   ? BufferVerdict::DROP
                   : DynamicThresholdBuffer::Admit(ingress, egress, priority, bytes, certain);
    }

  private:
    uint32_t m_frames{0};
};

NS_OBJECT_ENSURE_REGISTERED(BrokenPromiseBuffer);

/// Runs out of memory at a frame.
class ExhaustedBuffer : public DynamicThresholdBuffer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ExhaustedBuffer")
                                .SetParent<DynamicThresholdBuffer>()
                                .AddConstructor<ExhaustedBuffer>()
                                .HideFromDocumentation();
        return tid;
    }

    BufferVerdict Admit(uint32_t ingress,
                        uint32_t egress,
                        uint32_t priority,
                        uint32_t bytes,
                        bool certain) override
    {
        constexpr uint32_t FATAL = 5000;
        if (++m_frames == FATAL)
        {
            throw std::bad_alloc();
        }
        return DynamicThresholdBuffer::Admit(ingress, egress, priority, bytes, certain);
    }

  private:
    uint32_t m_frames{0};
};

NS_OBJECT_ENSURE_REGISTERED(ExhaustedBuffer);

} // namespace ns3

class ViolatedInvariantTest : public ScenarioRunFixture
{
};

TEST_F(ViolatedInvariantTest, StatusMessageAndRow)
{
    EXPECT_EQ(Try("topology: {type: Star, Hosts: 2}\n"
                  "stop: {when: all-jobs-done, time: 1s}\n"
                  "defaults: {ns3::FabricSwitch::BufferManager: ns3::BrokenPromiseBuffer}\n"
                  "flows: [{from: host0, to: host1, bytes: 1MB}]\n"),
              3);
    EXPECT_EQ(messages,
              "gpu-fabric: invariant lossless_drops of run 1 is violated: expected 0, found 1\n");
    EXPECT_EQ(Rows("SELECT name, expected, actual FROM invariant WHERE expected <> actual"),
              std::vector<std::string>{"lossless_drops|0|1"});
}

TEST_F(ViolatedInvariantTest, AnExceptionEndsARunWithItsResults)
{
    for (const uint32_t count : {1, 2})
    {
        SCOPED_TRACE(count);
        threads = count;
        // A switch of 2 leaves throws, of whichever thread; 1 MB passes before it does.
        EXPECT_EQ(Try("topology: {type: LeafSpine, Leaves: 2, Spines: 1, HostsPerLeaf: 2}\n"
                      "stop: {when: all-jobs-done, time: 1s}\n"
                      "defaults: {ns3::FabricSwitch::BufferManager: ns3::ExhaustedBuffer}\n"
                      "compare: [None, GpuIntensity]\n"
                      "flows: [{from: host2, to: host3, bytes: 1MB},\n"
                      "        {from: host2, to: host3, bytes: 90MB, at: 1ms}]\n"),
                  5);
        EXPECT_NE(messages.find("gpu-fabric: the run has failed, the results end there: there is "
                                "not enough memory\n"),
                  std::string::npos)
            << messages;
        EXPECT_EQ(Rows("SELECT status, COUNT(*) FROM run GROUP BY status"),
                  std::vector<std::string>{"stopped|1"});
        EXPECT_EQ(Rows("SELECT bytes FROM transfer WHERE completed_ps IS NOT NULL"),
                  std::vector<std::string>{"1000000"});
    }
}
