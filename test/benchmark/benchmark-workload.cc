/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-workload.h"

#include "../../model/engine/event-lane.h"
#include "../../model/engine/fabric-simulator-impl.h"
#include "../../model/fabric/fabric-split.h"
#include "benchmark-chain.h"
#include "benchmark-collective.h"

#include "ns3/config.h"
#include "ns3/fabric-helper.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

using namespace ns3;

namespace
{

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

constexpr int64_t START_PS = 1'000'000'000;
constexpr uint8_t PRIORITY = 4;

/// 16 hosts at 100 Gb/s under 4 leaves, one spine with links of 400 Gb/s, 1 us each.
ClusterTopology
MakeT16()
{
    ClusterTopology topology;
    for (uint32_t i = 0; i < 16; ++i)
    {
        topology.AddHost("n" + std::to_string(i), 1);
    }
    for (uint32_t i = 16; i < 21; ++i)
    {
        topology.AddSwitch("n" + std::to_string(i));
    }
    for (uint32_t i = 0; i < 16; ++i)
    {
        topology.AddLink(i, 16 + i / 4, 100'000'000'000, 1'000'000);
    }
    for (uint32_t i = 16; i < 20; ++i)
    {
        topology.AddLink(i, 20, 400'000'000'000, 1'000'000);
    }
    return topology;
}

/// A generator's cluster. \param attributes pairs of name and value
ClusterTopology
Generate(const std::string& type,
         const std::vector<std::pair<std::string, std::string>>& attributes)
{
    ObjectFactory factory("ns3::" + type + "Topology");
    for (const auto& [name, value] : attributes)
    {
        factory.Set(name, StringValue(value));
    }
    std::vector<TopologyFault> errors;
    ClusterTopology topology = factory.Create<TopologyGenerator>()->Generate(errors);
    for (const TopologyFault& error : errors)
    {
        std::fprintf(stderr, "%s: %s\n", type.c_str(), error.ToSentence().c_str());
        std::exit(1);
    }
    return topology;
}

/// 32 hosts of 100 Gb/s a leaf, and so much to the spines.
ClusterTopology
MakeLeafSpine(const std::string& leaves, const std::string& spines)
{
    return Generate("LeafSpine",
                    {{"Leaves", leaves},
                     {"Spines", spines},
                     {"HostsPerLeaf", "32"},
                     {"GpusPerHost", "1"},
                     {"NicsPerHost", "1"},
                     {"NicRate", "100Gbps"},
                     {"Uplinks", spines},
                     {"UplinkRate", spines == "16" ? "200Gbps" : "100Gbps"},
                     {"LinkDelay", "1us"}});
}

/// Each host to the one so much further on.
Pairs
MakePermutation(uint32_t hosts, uint32_t shift)
{
    Pairs pairs;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        pairs.emplace_back(i, (i + shift) % hosts);
    }
    return pairs;
}

/// Each host to all others, in the order of their numbers.
Pairs
MakeAllToAll(uint32_t hosts)
{
    Pairs pairs;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        for (uint32_t j = 0; j < hosts; ++j)
        {
            if (i != j)
            {
                pairs.emplace_back(i, j);
            }
        }
    }
    return pairs;
}

/// Each host to `peers` others, which are spread over all, from its own number on.
Pairs
MakeAllToSome(uint32_t hosts, uint32_t peers)
{
    Pairs pairs;
    const uint32_t stride = hosts / (peers + 1);
    for (uint32_t i = 0; i < hosts; ++i)
    {
        for (uint32_t k = 1; k <= peers; ++k)
        {
            pairs.emplace_back(i, (i + k * stride) % hosts);
        }
    }
    return pairs;
}

} // namespace

const std::vector<BenchmarkWorkload>&
BenchmarkWorkload::GetAll()
{
    static const std::vector<BenchmarkWorkload> all{
        {"perm16",
         "T16: 16 hosts to the neighbour leaf, 64 MB each",
         MakeT16,
         64'000'000,
         [](uint32_t hosts) { return MakePermutation(hosts, 4); }},
        {"a2a16", "T16: 16 hosts to all others, 4 MB each", MakeT16, 4'000'000, MakeAllToAll},
        {"incast15",
         "T16: 15 hosts to one, 32 MB each; DCQCN and PFC",
         MakeT16,
         32'000'000,
         [](uint32_t hosts) {
             Pairs pairs;
             for (uint32_t i = 1; i < hosts; ++i)
             {
                 pairs.emplace_back(i, 0);
             }
             return pairs;
         }},
        {"perm1024",
         "1,024 hosts, 32 leaves, 16 spines: half way round, 1 MB each",
         [] { return MakeLeafSpine("32", "16"); },
         1'000'000,
         [](uint32_t hosts) { return MakePermutation(hosts, hosts / 2); }},
        {"a2a1024",
         "the same: each host to 32 others, 32 kB each (32,768 queue pairs)",
         [] { return MakeLeafSpine("32", "16"); },
         32'000,
         [](uint32_t hosts) { return MakeAllToSome(hosts, 32); }},
        {"a2a256",
         "256 hosts, 8 leaves, 16 spines: all to all others, 16 kB each; two threads",
         [] { return MakeLeafSpine("8", "16"); },
         16'000,
         MakeAllToAll,
         {},
         CollectiveOperation::ALL_TO_ALL,
         false,
         2},
        {"alltoall1024",
         "the same: all-to-all of all hosts, 8 kB to each (1,047,552 queue pairs)",
         [] { return MakeLeafSpine("32", "16"); },
         8'192'000,
         {},
         "Direct",
         CollectiveOperation::ALL_TO_ALL},
        {"ring1024",
         "the same: ring all-reduce of all hosts, 2,046 steps of 1 kB",
         [] { return MakeLeafSpine("32", "16"); },
         1'024'000,
         {},
         "Ring",
         CollectiveOperation::ALL_REDUCE},
        {"perm4096",
         "4,096 hosts, 128 leaves, 32 spines: half way round, 250 kB each",
         [] { return MakeLeafSpine("128", "32"); },
         250'000,
         [](uint32_t hosts) { return MakePermutation(hosts, hosts / 2); }},
        {"clos4000",
         "4,000 hosts, 100 ToRs, 80 aggregation switches, 64 cores: one flow of 1 MB",
         [] {
             return Generate("ThreeTierClos",
                             {{"Pods", "10"},
                              {"TorsPerPod", "10"},
                              {"AggsPerPod", "8"},
                              {"Cores", "64"},
                              {"HostsPerTor", "40"},
                              {"GpusPerHost", "8"},
                              {"NicsPerHost", "1"},
                              {"NicRate", "100Gbps"},
                              {"TorUplinks", "8"},
                              {"TorUplinkRate", "400Gbps"},
                              {"AggUplinks", "8"},
                              {"AggUplinkRate", "400Gbps"},
                              {"LinkDelay", "1us"}});
         },
         1'000'000,
         [](uint32_t hosts) {
             return Pairs{{0, hosts - 1}};
         },
         "",
         CollectiveOperation::ALL_REDUCE,
         true},
        {"lingjun",
         "847 hosts with 6,776 GPUs, 119 ToRs, four NICs each: one flow of 1 kB",
         [] { return Generate("Lingjun", {}); },
         1'000,
         [](uint32_t hosts) {
             return Pairs{{0, hosts - 1}};
         },
         "",
         CollectiveOperation::ALL_REDUCE,
         true}};
    return all;
}

BenchmarkWorkload::Result
BenchmarkWorkload::Run(uint64_t divisor, uint32_t threadCount) const
{
    const double begin = GetCpuSeconds();
    Config::SetDefault("ns3::RoceNic::CongestionControl", StringValue("ns3::Dcqcn"));
    Config::SetDefault("ns3::Dcqcn::Preset", StringValue("hpcc"));
    Config::SetDefault("ns3::RoceNic::PathMtu", UintegerValue(1000));
    Config::SetDefault("ns3::RoceNic::AckInterval", UintegerValue(1));
    // By capacity: 32 MB on T16.
    Config::SetDefault("ns3::FabricSwitch::BufferSize", UintegerValue(0));
    Simulator::SetImplementation(CreateObject<FabricSimulatorImpl>());
    const ClusterTopology topology = makeTopology();
    FabricHelper network;
    network.SetThreads(threadCount);
    for (const FabricFault& fault : network.Build(topology, 1))
    {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.ToSentence().c_str());
        std::exit(1);
    }
    std::vector<uint32_t> nics;
    for (const TopologyNode& node : topology.GetNodes())
    {
        if (node.kind == TopologyNodeKind::HOST)
        {
            nics.push_back(node.ports[0]);
        }
    }
    std::vector<PlainFlow> list;
    Ptr<PlainFlows> flows = CreateObject<PlainFlows>();
    std::unique_ptr<BenchmarkCollective> collective;
    std::vector<double> ends;
    if (algorithm.empty())
    {
        for (const auto& [source, destination] : makePairs(static_cast<uint32_t>(nics.size())))
        {
            list.push_back(
                {nics[source], nics[destination], flowBytes / divisor, START_PS, PRIORITY});
        }
        ends.reserve(list.size());
    }
    else
    {
        collective = std::make_unique<BenchmarkCollective>(
            network.GetTransport(),
            nics,
            PRIORITY,
            algorithm,
            CollectiveCall{operation, flowBytes / divisor, 0, {}});
        collective->Start(START_PS);
    }
    network.GetTransport()->TraceConnectWithoutContext(
        "Transfer",
        Callback<void, const TransferRecord&>([&ends](const TransferRecord& record) {
            ends.push_back(static_cast<double>(record.completedPs - record.startPs) * 1e-6);
        }));
    flows->Start(network.GetTransport(), list, {});
    const double start = GetCpuSeconds();
    const auto wallStart = std::chrono::steady_clock::now();
    Simulator::Run();
    Result result;
    result.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wallStart).count();
    if (const FabricSplit* split = network.GetSplit())
    {
        result.windows = static_cast<double>(split->GetWindows());
        result.busyWindows = static_cast<double>(split->GetBusyWindows());
    }
    result.runSeconds = GetCpuSeconds() - start;
    result.startSeconds = start - begin;
    const FabricTotals totals = network.GetFabric()->GetTotals();
    result.hops = static_cast<double>(totals.hops);
    result.pauses = static_cast<double>(totals.xoff);
    result.marked = static_cast<double>(totals.markedFrames);
    result.events = static_cast<double>(EventLane::Get()->GetEventCount());
    result.medianCompletionUs = BenchmarkFigure::GetMedian(ends);
    if ((collective ? !collective->HasEnded() : ends.size() != list.size()) ||
        totals.sent != totals.delivered)
    {
        std::fprintf(stderr, "%s: flows or frames are missing at the end\n", name.c_str());
        std::exit(1);
    }
    flows->Dispose();
    network.Dispose();
    Simulator::Destroy();
    return result;
}

std::vector<BenchmarkFigure>
BenchmarkWorkload::Measure(uint32_t runs) const
{
    BenchmarkFigure speed{"speed", "10^6 packet-hops/CPU s", {}, {}};
    BenchmarkFigure start{"start", "CPU s", {}, {}};
    BenchmarkFigure whole{"start to end", "CPU s", {}, {}};
    BenchmarkFigure memory{"peak memory", "MB", {}, {}};
    Result last;
    for (uint32_t run = 0; run < runs; ++run)
    {
        // The first run bears the start of the process.
        const double begin = run == 0 ? 0 : GetCpuSeconds();
        last = Run(1, 1);
        whole.values.push_back(GetCpuSeconds() - begin);
        start.values.push_back(last.startSeconds);
        if (run == 0)
        {
            memory.values.push_back(GetPeakMegabytes());
        }
        if (wholeRun)
        {
            continue;
        }
        speed.values.push_back(last.hops / last.runSeconds * 1e-6);
        speed.ratios.push_back(speed.values.back() / RunPointToPointChain());
    }
    std::vector<BenchmarkFigure> figures{start, memory};
    if (wholeRun)
    {
        figures.insert(figures.begin(), whole);
    }
    else
    {
        figures.insert(figures.begin(), speed);
        figures.push_back({"packet-hops", "10^6", {last.hops * 1e-6}, {}});
        figures.push_back({"events a packet-hop", "1", {last.events / last.hops}, {}});
        figures.push_back({"pauses", "1", {last.pauses}, {}});
        figures.push_back({"marked frames", "10^3", {last.marked * 1e-3}, {}});
        figures.push_back({"message, median time", "us", {last.medianCompletionUs}, {}});
    }
    return figures;
}

std::vector<BenchmarkFigure>
BenchmarkWorkload::MeasureThreads(uint32_t runs) const
{
    BenchmarkFigure one{"by the clock, 1 thread", "s", {}, {}};
    BenchmarkFigure several{"the same, " + std::to_string(threads) + " threads", "s", {}, {}};
    BenchmarkFigure gain{"speed-up", "1", {}, {}};
    BenchmarkFigure cpu{"CPU time over 1 thread's", "1", {}, {}};
    BenchmarkFigure memory{"peak memory", "MB", {}, {}};
    Result split;
    for (uint32_t run = 0; run < runs; ++run)
    {
        const Result single = Run(1, 1);
        memory.values.push_back(GetPeakMegabytes());
        split = Run(1, threads);
        if (single.hops != split.hops || single.events != split.events ||
            single.medianCompletionUs != split.medianCompletionUs)
        {
            std::fprintf(stderr, "%s: another result in %u threads\n", name.c_str(), threads);
            std::exit(1);
        }
        one.values.push_back(single.wallSeconds);
        several.values.push_back(split.wallSeconds);
        gain.values.push_back(single.wallSeconds / split.wallSeconds);
        cpu.values.push_back(split.runSeconds / single.runSeconds);
    }
    memory.values.resize(1);
    return {one,
            several,
            gain,
            cpu,
            {"packet-hops", "10^6", {split.hops * 1e-6}, {}},
            {"windows", "10^3", {split.windows * 1e-3}, {}},
            {"given to a thread", "10^3", {split.busyWindows * 1e-3}, {}},
            memory};
}
