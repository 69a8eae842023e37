/* SPDX-License-Identifier: GPL-2.0-only */

// How gpu-fabric-run reacts to arguments and wrong input: messages on standard error, nothing on
// standard output, no file, exit status 2.

#include "../fixture/program-fixture.h"

#include <algorithm>

namespace
{

class ProgramInputTest : public ProgramFixture
{
  protected:
    /// Expects that the input is refused without a trace. \returns the messages
    std::string Refuse(const std::vector<std::string>& arguments)
    {
        const ProgramResult result = Run(arguments);
        EXPECT_EQ(result.status, 2) << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(ListOutputs("out.sqlite"), std::vector<std::string>());
        EXPECT_EQ(ListOutputs("smoke"), std::vector<std::string>());
        return result.err;
    }

    static std::string GetSmoke()
    {
        return GetProjectFolder("scenarios/smoke.yaml");
    }
};

} // namespace

TEST_F(ProgramInputTest, InvalidScenarios)
{
    m_workingFolder = GetProjectFolder("test/invalid");
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(m_workingFolder))
    {
        if (entry.path().extension() == ".yaml")
        {
            names.push_back(entry.path().stem().string());
        }
    }
    EXPECT_GE(names.size(), 40U);
    for (const std::string& name : names)
    {
        const std::string messages = Refuse({name + ".yaml", "--out=" + Path("out.sqlite")});
        EXPECT_EQ(messages, ReadText(m_workingFolder + "/" + name + ".expected")) << name;
    }
}

TEST_F(ProgramInputTest, NoScenario)
{
    EXPECT_EQ(Refuse({}), "gpu-fabric: a scenario file is needed: --scenario=FILE\n");
    EXPECT_EQ(Refuse({"none.yaml"}), "none.yaml: no such file\n");
    EXPECT_EQ(Refuse({"--scenario=none.yaml", "--check"}), "none.yaml: no such file\n");
    EXPECT_EQ(Refuse({"--scenario=."}), ".: is a directory, not a file\n");
}

TEST_F(ProgramInputTest, AllWrongArgumentsAtOnce)
{
    EXPECT_EQ(Refuse({"a.yaml",
                      "b.yaml",
                      "--out=",
                      "--seed=-1",
                      "--check=maybe",
                      "--RngRun=one",
                      "--overwite",
                      "--SchedulerType=ns3::HeapSheduler",
                      "--ns3::RoceNic::PathMtu=4 kB",
                      "--ns3::RoceNic::PathMut=4kB",
                      "--ns3::Dcqcn::AlphaPeriod=5",
                      "--ns3::DynamicThresholdBuffer::Alpha=nan",
                      "--ns3::FabricSwitch::EcnMarker=ns3::RedMarker"}),
              R"(command line:2:1: "b.yaml" is one name too many
 2 | b.yaml
   | ^
command line:3:7: --out: a value is missing
 3 | --out=
   |       ^
command line:4:8: --seed: "-1" is out of range: a whole number from 0 to 9223372036854775807 is wanted
 4 | --seed=-1
   |        ^
command line:5:9: --check: "maybe" is not a truth value: write true or false
 5 | --check=maybe
   |         ^
command line:6:10: --RngRun: "one" is not a whole number from 0 to 9223372036854775807
 6 | --RngRun=one
   |          ^
command line:7:3: unknown option "overwite", did you mean "overwrite"? Valid options: PrintAttributes, PrintGroup, RngRun, axis, check, compare, figure, help, job, jobs, out, overwrite, point, print-reference, print-results, print-schema, quiet, reverse-nodes, scenario, seed, solo, solo-cache, sweep, threads, version
 7 | --overwite
   |   ^
command line:8:17: --SchedulerType: unknown type "ns3::HeapSheduler", did you mean "ns3::HeapScheduler"? Valid types: ns3::CalendarScheduler, ns3::HeapScheduler, ns3::ListScheduler, ns3::MapScheduler, ns3::PriorityQueueScheduler
 8 | --SchedulerType=ns3::HeapSheduler
   |                 ^
command line:9:25: attribute.ns3::RoceNic::PathMtu: "4 kB" has a space before its unit: write 4kB
 9 | --ns3::RoceNic::PathMtu=4 kB
   |                         ^
command line:10:3: attribute.ns3::RoceNic::PathMut: unknown attribute "PathMut", did you mean "PathMtu"? Valid attributes: AckBytes, AckInterval, CompletionDelay, CongestionControl, GapBytes, HeaderBytes, IrnFewFrames, IrnLossDistance, IrnTimeoutHigh, IrnTimeoutLow, IrnWindow, LossRecovery, MaxRetransmissionTimeout, PathMtu, PostDelay, ReadDepth, RetransmissionTimeout, RetryTimeout, TraceFcs
 10 | --ns3::RoceNic::PathMut=4kB
    |   ^
command line:11:27: attribute.ns3::Dcqcn::AlphaPeriod: "5" has no unit: write a time such as 5us (units: ps, ns, us, ms, s, min)
 11 | --ns3::Dcqcn::AlphaPeriod=5
    |                           ^
command line:12:38: attribute.ns3::DynamicThresholdBuffer::Alpha: "nan" is not a number: write one such as 0.5 or 1e9, without a unit
 12 | --ns3::DynamicThresholdBuffer::Alpha=nan
    |                                      ^
command line:13:32: attribute.ns3::FabricSwitch::EcnMarker: unknown type "ns3::RedMarker", did you mean "ns3::RedEcnMarker"? Valid types: ns3::RedEcnMarker
 13 | --ns3::FabricSwitch::EcnMarker=ns3::RedMarker
    |                                ^
)");
}

TEST_F(ProgramInputTest, TypeOfPrintAttributes)
{
    EXPECT_EQ(Refuse({"--PrintAttributes=ns3::Dcqc"}),
              "command line:1:19: PrintAttributes: unknown class \"ns3::Dcqc\", did you mean "
              "\"ns3::Dcqcn\"?\n"
              " 1 | --PrintAttributes=ns3::Dcqc\n"
              "   |                   ^\n");
}

TEST_F(ProgramInputTest, FlowWithoutAPath)
{
    // Two rails that meet in no switch: found on the built network, not by the reader.
    Write("rails.yaml",
          "schema: gpu-fabric/1\n"
          "topology:\n"
          "  type: Explicit\n"
          "  nodes: [{name: a, gpus: 1}, {name: b, gpus: 1}, {name: s, kind: switch},\n"
          "          {name: t, kind: switch}]\n"
          "  links:\n"
          "    - {between: [a, s], rate: 100Gbps, delay: 1us}\n"
          "    - {between: [b, s], rate: 100Gbps, delay: 1us}\n"
          "    - {between: [a, t], rate: 100Gbps, delay: 1us}\n"
          "    - {between: [b, t], rate: 100Gbps, delay: 1us}\n"
          "flows:\n"
          "  - {from: a.nic0, to: b.nic1, bytes: 1MB, at: 0us}\n");
    const ProgramResult result = Run({"rails.yaml", "--out=out.sqlite"});
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("rails.yaml:12:5: flows: no path leads from a.nic0 to b.nic1: a.nic0 "
                              "reaches b.nic0\n"),
              std::string::npos)
        << result.err;
    EXPECT_EQ(ListOutputs("out.sqlite"), std::vector<std::string>());
}

TEST_F(ProgramInputTest, CheckWritesNothing)
{
    ProgramResult result = Run({GetSmoke(), "--check", "--out=out.sqlite"});
    EXPECT_EQ(result.status, 0);
    // What it would cost: two runs of 212,000 packet-hops.
    EXPECT_EQ(result.out.find("about 370000 packet-hops, "), 0u) << result.out;
    EXPECT_EQ(result.err, "");
    result = Run({GetSmoke(), "--check", "--out=out.sqlite", "--quiet"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out + result.err, "");
    EXPECT_EQ(ListOutputs("out.sqlite"), std::vector<std::string>());
    EXPECT_EQ(ListOutputs("smoke"), std::vector<std::string>());
    // An output that exists is no matter.
    Write("out.sqlite", "kept");
    EXPECT_EQ(Run({GetSmoke(), "--check", "--out=out.sqlite"}).status, 0);
    EXPECT_EQ(Read("out.sqlite"), "kept");
}

TEST_F(ProgramInputTest, Prints)
{
    const auto print = [this](const std::string& option) {
        const ProgramResult result = Run({option});
        EXPECT_EQ(result.status, 0) << option;
        EXPECT_EQ(result.err, "") << option;
        return result.out;
    };
    const auto contains = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(contains(print("--print-reference"), "Keys of scenario files\n======"));
    EXPECT_TRUE(contains(print("--print-schema"), "\"$schema\": \"https://json-schema.org/"));
    EXPECT_TRUE(contains(print("--PrintGroup=GpuFabric"), "    ns3::Dcqcn\n"));
    EXPECT_TRUE(contains(print("--PrintGroups"), "    GpuFabric\n"));
    EXPECT_TRUE(contains(print("--PrintAttributes=ns3::Dcqcn"), "--ns3::Dcqcn::AlphaPeriod="));
    EXPECT_TRUE(contains(print("--PrintGlobals"), "RngRun"));
    EXPECT_TRUE(contains(print("--help"), "--reverse-nodes"));
    EXPECT_TRUE(contains(print("--help"), "Exit status: 0"));
    const std::string version = print("--version");
    EXPECT_EQ(version, "gpu-fabric " + ReadText(GetProjectFolder("VERSION")));
}

TEST_F(ProgramInputTest, WhatAPresetStandsForIsInTheResults)
{
    Write("scenario.yaml",
          "schema: gpu-fabric/1\n"
          "name: presets\n"
          "topology: {type: Star, Hosts: 2, NicRate: 200Gbps}\n"
          "defaults:\n"
          "  ns3::Dcqcn::Preset: hpcc\n"
          "  ns3::Dcqcn::G: 0.125\n"
          "  ns3::RedEcnMarker::Kmax: 1MB\n"
          "flows: [{from: host0, to: host1, bytes: 1MB}]\n");
    const auto getOrigin = [this](const std::string& name) {
        return Query("out.sqlite",
                     "SELECT value || ', ' || origin FROM parameter WHERE name = 'ns3::" + name +
                         "'");
    };
    const auto simulate = [this](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"scenario.yaml", "--out=out.sqlite", "--overwrite"});
        const ProgramResult result = Run(arguments);
        ASSERT_EQ(result.status, 0) << result.err;
    };
    simulate({});
    EXPECT_EQ(getOrigin("Dcqcn::Preset"), "hpcc, scenario");
    EXPECT_EQ(getOrigin("Dcqcn::G"), "0.125, scenario");
    EXPECT_EQ(getOrigin("Dcqcn::AlphaPeriod"), "1000000ps, preset");
    EXPECT_EQ(getOrigin("Dcqcn::AdditiveIncrease"), "40000000bps, preset");
    EXPECT_EQ(getOrigin("Dcqcn::MinRate"), "1000000000bps, preset");
    EXPECT_EQ(getOrigin("Dcqcn::UseByteCounter"), "false, preset");
    EXPECT_EQ(getOrigin("Dcqcn::Periodic"), "yes, preset");
    EXPECT_EQ(getOrigin("RedEcnMarker::Kmin"), "400000, preset");
    EXPECT_EQ(getOrigin("RedEcnMarker::Kmax"), "1000000, scenario");
    EXPECT_EQ(getOrigin("RedEcnMarker::Pmax"), "0.2, preset");

    // 5 KB, 200 KB and 1 % at 40 Gb/s, told at ReferenceRate, 100 Gb/s.
    simulate({"--ns3::Dcqcn::Preset=paper"});
    EXPECT_EQ(getOrigin("Dcqcn::AdditiveIncrease"), "40000000bps, preset");
    EXPECT_EQ(getOrigin("Dcqcn::DecreaseInterval"), "1ps, preset");
    EXPECT_EQ(getOrigin("RedEcnMarker::Kmin"), "12500, preset");
    EXPECT_EQ(getOrigin("RedEcnMarker::Kmax"), "1000000, scenario");
    EXPECT_EQ(getOrigin("RedEcnMarker::Pmax"), "0.01, preset");

    // Nobody uses the preset.
    simulate({"--ns3::RoceNic::CongestionControl=ns3::FixedRate"});
    EXPECT_EQ(getOrigin("Dcqcn::AlphaPeriod"), "0ps, default");
    EXPECT_EQ(getOrigin("RedEcnMarker::Kmin"), "400000, preset");
}

TEST_F(ProgramInputTest, CommandLineBeatsScenarioBeatsDefault)
{
    Write("scenario.yaml",
          "schema: gpu-fabric/1\n"
          "name: origins\n"
          "seed: 3\n"
          "stop: {when: all-jobs-done, time: 1s}\n"
          "topology: {type: Star, Hosts: 2, LinkDelay: 3us}\n"
          "defaults:\n"
          "  ns3::RoceNic::PathMtu: 2048B\n"
          "  ns3::RoceNic::AckInterval: 8\n"
          "flows: [{from: host0, to: host1, bytes: 1MB}]\n"
          "scheduler: {type: GpuIntensity, SelectPaths: true}\n");
    const auto getOrigin = [this](const std::string& name) {
        return Query("out.sqlite",
                     "SELECT value || ', ' || origin FROM parameter WHERE name = '" + name + "'");
    };
    const auto simulate = [this](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"scenario.yaml", "--out=out.sqlite", "--overwrite"});
        const ProgramResult result = Run(arguments);
        ASSERT_EQ(result.status, 0) << result.err;
    };

    simulate({});
    EXPECT_EQ(getOrigin("ns3::RoceNic::PathMtu"), "2048, scenario");
    EXPECT_EQ(getOrigin("ns3::RoceNic::AckInterval"), "8, scenario");
    EXPECT_EQ(getOrigin("ns3::FabricSwitch::BufferSize"), "0, default");
    EXPECT_EQ(getOrigin("topology.LinkDelay"), "3us, scenario");
    EXPECT_EQ(getOrigin("scheduler.SelectPaths"), "true, scenario");
    EXPECT_EQ(getOrigin("seed"), "3, scenario");
    EXPECT_EQ(Query("out.sqlite", "SELECT variant FROM run"), "SelectPaths=true");
    const std::string frames = Query("out.sqlite", "SELECT SUM(frames) FROM link_window");

    // 16 and 16us are the defaults: what the command line says counts all the same.
    simulate({"--ns3::RoceNic::PathMtu=4096",
              "--ns3::RoceNic::AckInterval=16",
              "--ns3::FabricSwitch::BufferSize=16MiB",
              "--ns3::Dcqcn::AlphaPeriod=+60000000.0ps",
              "--ns3::StarTopology::LinkDelay=1500ns",
              "--ns3::GpuIntensityScheduler::SelectPaths=0",
              "--seed=7"});
    EXPECT_EQ(getOrigin("ns3::RoceNic::PathMtu"), "4096, command line");
    EXPECT_EQ(getOrigin("ns3::RoceNic::AckInterval"), "16, command line");
    EXPECT_EQ(getOrigin("ns3::FabricSwitch::BufferSize"), "16777216, command line");
    EXPECT_EQ(getOrigin("ns3::Dcqcn::AlphaPeriod"), "60000000ps, command line");
    EXPECT_EQ(getOrigin("ns3::StarTopology::LinkDelay"), "1500000ps, command line");
    EXPECT_EQ(getOrigin("ns3::GpuIntensityScheduler::SelectPaths"), "false, command line");
    EXPECT_EQ(getOrigin("topology.LinkDelay"), "");
    EXPECT_EQ(getOrigin("scheduler.SelectPaths"), "");
    EXPECT_EQ(getOrigin("seed"), "7, command line");
    EXPECT_EQ(Query("out.sqlite", "SELECT seed FROM run"), "7");
    EXPECT_EQ(Query("out.sqlite", "SELECT variant FROM run"), "");
    EXPECT_EQ(Query("out.sqlite", "SELECT MIN(delay_ps) FROM link"), "1500000");
    // Half as many frames of twice the size: 245 of 4096 bytes hold 1 MB.
    EXPECT_EQ(Query("out.sqlite",
                    "SELECT SUM(frames) FROM link_window JOIN link USING (run, link) "
                    "WHERE source = 0 AND priority < 7"),
              "245");
    EXPECT_NE(Query("out.sqlite", "SELECT SUM(frames) FROM link_window"), frames);

    simulate({"--RngRun=1"});
    EXPECT_EQ(getOrigin("seed"), "1, command line");
}

TEST_F(ProgramInputTest, ValueAsAWordOfItsOwn)
{
    const ProgramResult result =
        Run({"--scenario", GetSmoke(), "--seed", "2", "--out", "out.sqlite"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(Query("out.sqlite", "SELECT seed FROM run"), "2");
}

TEST_F(ProgramInputTest, APipeIsReadAsAFileIs)
{
    Write("fabric.txt", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    const std::string text = "schema: gpu-fabric/1\nname: piped\n"
                             "topology: {type: Hpcc, File: fabric.txt}\n"
                             "flows: [{from: n0, to: n1, bytes: 1MB}]\n";
    // What `gpu-fabric-run <(...)` does.
    const auto give = [](const std::string& content, int number) {
        int ends[2];
        if (pipe(ends) != 0 || write(ends[1], content.data(), content.size()) < 0)
        {
            _exit(125);
        }
        dup2(ends[0], number);
        close(ends[1]);
    };
    // A relative name in it is relative to the working folder.
    ProgramResult result = Run({"/dev/fd/9", "--out=a.sqlite"}, [&]() { give(text, 9); });
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(Query("a.sqlite", "SELECT scenario FROM run"), "piped");
    // An input file, which is checked before it is read.
    Write("file.yaml",
          "schema: gpu-fabric/1\ntopology: {type: Hpcc, File: /dev/fd/9}\n"
          "flows: [{from: n0, to: n1, bytes: 1MB}]\n");
    result = Run({"file.yaml", "--out=b.sqlite"}, [&]() { give(Read("fabric.txt"), 9); });
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(Query("b.sqlite", "SELECT end_ps FROM run"),
              Query("a.sqlite", "SELECT end_ps FROM run"));
    // A message has the line all the same; a sweep reads it once too often.
    result = Run({"/dev/fd/9"}, [&]() { give(text + "flos: 1\n", 9); });
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("/dev/fd/9:5:1: unknown key \"flos\""), std::string::npos)
        << result.err;
    result = Run({"--sweep", "/dev/fd/9", "--out=sweep"},
                 [&]() { give(text + "sweep: {seeds: 1..2}\n", 9); });
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("/dev/fd/9: is a pipe"), std::string::npos) << result.err;
}

TEST_F(ProgramInputTest, NoPriorityForData)
{
    // Two queues: one carries control frames, and priority 0 no data.
    Write("a.yaml",
          "schema: gpu-fabric/1\ntopology: {type: Star, Hosts: 2}\n"
          "defaults: {ns3::Fabric::Queues: 2, ns3::Fabric::ControlPriority: 1}\n"
          "flows: [{from: host0, to: host1, bytes: 1MB}]\n");
    EXPECT_EQ(Refuse({"a.yaml", "--check"}),
              "a.yaml:2:11: topology: no priority is left for data: ns3::Fabric::Queues is 2, of "
              "which priority 1 carries control frames (ns3::Fabric::ControlPriority) and 0 none\n"
              " 2 | topology: {type: Star, Hosts: 2}\n"
              "   |           ^\n");
    // A network that cannot be built has no paths for flows and jobs either.
    Write("b.yaml",
          "schema: gpu-fabric/1\ntopology: {type: FatTree, K: 4}\n"
          "defaults: {ns3::Fabric::Queues: 2}\n"
          "flows: [{from: host11, to: host4, bytes: 1MB}]\n");
    EXPECT_NE(Refuse({"b.yaml", "--check"}), "");
}
