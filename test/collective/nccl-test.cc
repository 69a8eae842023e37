/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/algorithms/nccl-collective.h"
#include "../../model/collective/algorithms/nvls-collective.h"
#include "../fixture/collective-fixture.h"

#include "ns3/boolean.h"
#include "ns3/quantity-value.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>

using namespace ns3;

namespace
{

constexpr uint64_t MIB = 1024 * 1024;
using P = CollectiveProtocol;
using A = NcclAlgorithm;
using O = CollectiveOperation;

CollectiveCall
Call(O operation, uint64_t bytes)
{
    return {operation, bytes, 0, {}};
}

/// Hosts of 8 GPUs with a NIC each, of 200 Gb/s, every NIC of a host on a switch of its own.
CollectiveLayout
MakeRails(uint32_t hosts)
{
    CollectiveLayout layout = MakeEvenLayout(hosts, 8, 8);
    layout.nicRateBps = 200'000'000'000;
    for (CollectiveLayout::Rank& rank : layout.ranks)
    {
        rank.leaf = rank.nic;
    }
    return layout;
}

/// Two hosts of 8 A100 as the tuner sees them.
NcclMachine
MakeA100(uint32_t hosts)
{
    NcclMachine machine;
    machine.architecture = GpuArchitecture::AMPERE;
    machine.hosts = hosts;
    machine.ranks = 8 * hosts;
    machine.channels = 8;
    machine.localGBps = 240;
    machine.networkGBps = 200;
    return machine;
}

Ptr<NcclCollective>
MakeNccl(const std::vector<std::pair<std::string, std::string>>& attributes)
{
    const Ptr<NcclCollective> nccl = CreateObject<NcclCollective>();
    for (const auto& [name, value] : attributes)
    {
        nccl->SetAttribute(name, StringValue(value));
    }
    return nccl;
}

} // namespace

// Worked by hand from the tables of NCCL 2.22 (src/graph/tuning.cc).
TEST(NcclTunerTest, TimesAreThoseOfItsTables)
{
    const NcclTuner two(MakeA100(2));
    const NcclTuner one(MakeA100(1));
    // Tree, LL, 64 B: 6.8 + 2 (7 x 0.6 + 1 x 5.0) = 25.2 us; 22.5 / 2 GB/s.
    EXPECT_NEAR(two.GetTime(O::ALL_REDUCE, 64, A::TREE, P::LL), 25.2 + 64 / 11'250.0, 1e-9);
    // Ring, LL: 6.6 + 26 x max(0.6, 1) + 4 x 2.7; 22.5 x 16 / 30 GB/s.
    EXPECT_NEAR(two.GetTime(O::ALL_REDUCE, 64, A::RING, P::LL), 43.4 + 64 / 12'000.0, 1e-9);
    // On one host 14 steps of 0.6 us; 87.7 x 8 / 14 GB/s.
    EXPECT_NEAR(one.GetTime(O::ALL_REDUCE, 64, A::RING, P::LL),
                15 + 64 / (87'700.0 * 8 / 14),
                1e-9);
    // Ring, LL128, 1 MiB: 14 + 26 x 1.9 + 4 x 4; min(0.92 x 200, 8 x 20) x 16 / 30.
    EXPECT_NEAR(two.GetTime(O::ALL_REDUCE, MIB, A::RING, P::LL128),
                79.4 + MIB / (160'000.0 * 16 / 30),
                1e-6);
    // Tree, LL128, 1 MiB: 14 + 2 (7 x 1.25 + 8.5); on two hosts by the inside's 240 GB/s, at most
    // 8 x 23.6 of a channel's tree, x 120/128, at most 8 x 20: 160 / 2 GB/s at a factor of 0.6.
    EXPECT_NEAR(two.GetTime(O::ALL_REDUCE, MIB, A::TREE, P::LL128),
                48.5 + MIB / (80'000.0 * 0.6),
                1e-6);
    // Ring, Simple: (8.4 + 26 x 3.4 + 4 x 14) x 1.4; 200 x 16 / 30 GB/s.
    EXPECT_NEAR(two.GetTime(O::ALL_REDUCE, 64 * MIB, A::RING, P::SIMPLE),
                152.8 * 1.4 + 64.0 * MIB / (200'000.0 * 16 / 30),
                1e-6);
    // All-gather: 15 steps, 1 between hosts; no plateau.
    EXPECT_NEAR(two.GetTime(O::ALL_GATHER, 64 * MIB, A::RING, P::SIMPLE),
                8.4 + 14 * 3.4 + 14 + 64.0 * MIB / (200'000.0 * 16 / 15),
                1e-6);
    // More than two hosts: a tree by the NICs. 14 + 2 (7 x 1.25 + 2 x 8.5).
    EXPECT_NEAR(NcclTuner(MakeA100(4)).GetTime(O::ALL_REDUCE, 2048 * MIB, A::TREE, P::LL128),
                65.5 + 2048.0 * MIB /
                           (std::min(std::min(184.0, 8 * 17.8) * 120 / 128, 160.0) / 2 * 1000),
                1e-3);
}

TEST(NcclTunerTest, WhatNcclDoesNotDoIsNotChosen)
{
    NcclMachine machine = MakeA100(2);
    EXPECT_TRUE(std::isinf(NcclTuner(machine).GetTime(O::ALL_GATHER, MIB, A::TREE, P::LL)));
    EXPECT_TRUE(std::isinf(NcclTuner(machine).GetTime(O::ALL_REDUCE, MIB, A::NVLS, P::SIMPLE)));
    machine.architecture = GpuArchitecture::HOPPER;
    // 25 us and 2 hops between hosts; min(240 x 0.85) GB/s.
    EXPECT_NEAR(NcclTuner(machine).GetTime(O::ALL_REDUCE, MIB, A::NVLS, P::SIMPLE),
                25 + 2 * 14 + MIB / (240'000.0 * 0.85),
                1e-6);
    EXPECT_TRUE(std::isinf(NcclTuner(machine).GetTime(O::ALL_REDUCE, MIB, A::NVLS, P::LL)));
    machine.nvlink = false;
    EXPECT_TRUE(std::isinf(NcclTuner(machine).GetTime(O::ALL_REDUCE, MIB, A::RING, P::LL128)));
    EXPECT_TRUE(std::isinf(NcclTuner(machine).GetTime(O::ALL_REDUCE, MIB, A::NVLS, P::SIMPLE)));
    // PCIe: 6.6 + 26 x 1.0 + 4 x 2.7.
    EXPECT_NEAR(NcclTuner(machine).GetTime(O::ALL_REDUCE, 64, A::RING, P::LL),
                43.4 + 64 / (45'000.0 * 16 / 30),
                1e-9);
}

TEST(NcclTunerTest, SmallBuffersUseFewChannels)
{
    const NcclTuner tuner(MakeA100(2));
    // 512 threads x 8 B x 16 ranks a channel.
    EXPECT_EQ(tuner.GetChannels(1, A::RING, P::LL), 1u);
    EXPECT_EQ(tuner.GetChannels(3 * 65'536, A::RING, P::LL), 3u);
    EXPECT_EQ(tuner.GetChannels(3 * 4096, A::TREE, P::LL), 3u);
    EXPECT_EQ(tuner.GetChannels(3 * 5120, A::TREE, P::LL128), 3u);
    EXPECT_EQ(tuner.GetChannels(3 * 32'768, A::RING, P::SIMPLE), 3u);
    EXPECT_EQ(tuner.GetChannels(1024 * MIB, A::RING, P::SIMPLE), 8u);
}

TEST(NcclCollectiveTest, ChoosesLatencyForSmallAndBandwidthForLarge)
{
    const Ptr<NcclCollective> nccl =
        MakeNccl({{"Architecture", "Ampere"}, {"LocalRate", "240GB/s"}, {"Channels", "8"}});
    const CollectiveLayout layout = MakeRails(2);
    const auto choose = [&](O operation, uint64_t bytes) {
        const NcclCollective::Choice choice = nccl->Choose(Call(operation, bytes), layout);
        return std::string(ToName(choice.algorithm)) + " " + ToName(choice.protocol) + " " +
               std::to_string(choice.channels);
    };
    EXPECT_EQ(choose(O::ALL_REDUCE, 8), "Tree LL 1");
    EXPECT_EQ(choose(O::ALL_REDUCE, MIB), "Tree LL128 8");
    EXPECT_EQ(choose(O::ALL_REDUCE, 1024 * MIB), "Ring Simple 8");
    EXPECT_EQ(choose(O::ALL_GATHER, 8), "Ring LL 1");
    EXPECT_EQ(choose(O::REDUCE_SCATTER, 1024 * MIB), "Ring Simple 8");
    nccl->SetAttribute("NetworkLlBytes", StringValue("4B"));
    EXPECT_EQ(choose(O::ALL_REDUCE, 8), "Tree LL128 1");
    nccl->SetAttribute("NetworkLl128Bytes", StringValue("4B"));
    EXPECT_EQ(choose(O::ALL_GATHER, 8), "Ring Simple 1");
    nccl->SetAttribute("Algorithm", StringValue("Ring"));
    nccl->SetAttribute("Protocol", StringValue("LL"));
    EXPECT_EQ(choose(O::ALL_REDUCE, 1024 * MIB), "Ring LL 8"); // what is forced has no limit
    nccl->SetAttribute("Architecture", StringValue("Hopper"));
    nccl->SetAttribute("Algorithm", StringValue("Nvls"));
    EXPECT_EQ(choose(O::ALL_REDUCE, 64 * MIB), "Nvls Simple 8");
}

TEST(NcclCollectiveTest, NvlsIsNotChosenWhereHostsDiffer)
{
    const Ptr<NcclCollective> nccl = MakeNccl({});
    CollectiveLayout layout = MakeCollectiveLayout({8, 4}, 8, 8);
    layout.nicRateBps = 400'000'000'000;
    for (uint64_t bytes = 8; bytes <= 1024 * MIB; bytes *= 8)
    {
        EXPECT_NE(nccl->Choose(Call(O::ALL_REDUCE, bytes), layout).algorithm, A::NVLS);
    }
    layout = MakeRails(2);
    layout.nicRateBps = 400'000'000'000;
    EXPECT_EQ(nccl->Choose(Call(O::ALL_REDUCE, 256 * MIB), layout).algorithm, A::NVLS);
    nccl->SetAttribute("Nvls", BooleanValue(false));
    EXPECT_NE(nccl->Choose(Call(O::ALL_REDUCE, 256 * MIB), layout).algorithm, A::NVLS);
}

TEST(NcclCollectiveTest, SchedulesAreProvedAndCarryWhatTheyCost)
{
    const CollectiveLayout layout = MakeRails(2);
    for (const auto& [protocol, numerator, denominator, launch] :
         {std::make_tuple("LL", 2u, 1u, "1us"),
          std::make_tuple("LL128", 16u, 15u, "2us"),
          std::make_tuple("Simple", 1u, 1u, "3us")})
    {
        const Ptr<NcclCollective> nccl = MakeNccl({{"Protocol", protocol},
                                                   {"Nvls", "false"},
                                                   {"LlLaunch", "1us"},
                                                   {"Ll128Launch", "2us"},
                                                   {"SimpleLaunch", "3us"},
                                                   {"LlLocalHop", "4us"},
                                                   {"Ll128LocalHop", "4us"},
                                                   {"SimpleLocalHop", "4us"},
                                                   {"LlNetworkHop", "5us"},
                                                   {"Ll128NetworkHop", "5us"},
                                                   {"SimpleNetworkHop", "5us"},
                                                   {"LocalRate", "80Gbps"},
                                                   {"LlChannelRate", "20Gbps"},
                                                   {"Ll128ChannelRate", "20Gbps"},
                                                   {"SimpleChannelRate", "20Gbps"}});
        for (const uint64_t bytes : {uint64_t{100}, 8 * MIB, 100 * MIB})
        {
            const CollectiveSchedule schedule = nccl->Build(Call(O::ALL_REDUCE, bytes), layout, 1);
            EXPECT_EQ(schedule.Validate(), std::vector<std::string>());
            EXPECT_STREQ(ToName(schedule.protocol), protocol);
            EXPECT_EQ(schedule.wireNumerator, numerator);
            EXPECT_EQ(schedule.wireDenominator, denominator);
            const CollectiveExecution& execution = schedule.execution;
            EXPECT_EQ(execution.launchPs, Time(launch).GetPicoSeconds());
            EXPECT_EQ(execution.localHopPs, 4'000'000);
            EXPECT_EQ(execution.networkHopPs, 5'000'000);
            EXPECT_EQ(execution.channelRateBps, 20'000'000'000u);
            // The channels of a GPU share its NVLinks.
            EXPECT_EQ(execution.localChannelRateBps,
                      std::min<uint64_t>(20'000'000'000, 80'000'000'000 / schedule.channels));
            EXPECT_EQ(execution.slices, std::string(protocol) == "Simple" ? 2u : 1u);
        }
    }
}

TEST(NcclCollectiveTest, ARingGoesRoundInTurnsOfItsBuffer)
{
    const CollectiveLayout layout = MakeRails(2);
    const Ptr<NcclCollective> nccl = MakeNccl({{"Algorithm", "Ring"},
                                               {"Protocol", "Simple"},
                                               {"Channels", "8"},
                                               {"BufferBytes", "1MiB"}});
    // 128 MiB over 16 ranks and 8 channels: 1 MiB a step, in two turns of 512 KiB.
    const CollectiveSchedule schedule = nccl->Build(Call(O::ALL_REDUCE, 128 * MIB), layout, 1);
    EXPECT_EQ(schedule.chunks, 16u * 8 * 2);
    EXPECT_EQ(schedule.transfers.size(), 2u * 30 * 8 * 16);
    EXPECT_EQ(schedule.Validate(), std::vector<std::string>());
}

TEST(NcclCollectiveTest, TreesOfFewBytesMoveSmallPieces)
{
    const CollectiveLayout layout = MakeRails(2);
    const auto count = [&](const std::string& protocol, uint64_t bytes) {
        return MakeNccl({{"Algorithm", "Tree"}, {"Protocol", protocol}, {"Channels", "8"}})
                   ->Build(Call(O::ALL_REDUCE, bytes), layout, 1)
                   .chunks /
               16; // channels and trees
    };
    // Simple, depth 8: 512 KiB halved to 128 KiB while a channel has fewer than 64, to 64 KiB while
    // fewer than 32, to 32 KiB while fewer than 8.
    EXPECT_EQ(count("Simple", 1024 * MIB), 64u); // 128 MiB a channel: 256 pieces of 512 KiB, capped
    EXPECT_EQ(count("Simple", 64 * MIB), 32u);   // 8 MiB: 64 pieces of 128 KiB, 32 a tree
    EXPECT_EQ(count("Simple", 16 * MIB), 16u);   // 2 MiB: 32 of 64 KiB
    EXPECT_EQ(count("Simple", 2 * MIB), 4u);     // 256 KiB: 8 of 32 KiB
}

TEST(NvlsCollectiveTest, IsProvedAndLoadsNvlinkWithTheBufferOnce)
{
    for (const uint32_t hosts : {1U, 2U, 3U, 5U})
    {
        const CollectiveLayout layout = MakeRails(hosts);
        const CollectiveSchedule schedule =
            CreateObject<NvlsCollective>()->Build(Call(O::ALL_REDUCE, 16 * MIB), layout, 2);
        EXPECT_EQ(schedule.Validate(), std::vector<std::string>()) << hosts;
        EXPECT_EQ(schedule.execution.nics, CollectiveNics::OWN);
        // What each GPU puts on its NVLinks, and each NIC on the network.
        std::vector<double> local(layout.ranks.size());
        std::vector<double> network(layout.ranks.size());
        for (const ChunkTransfer& transfer : schedule.transfers)
        {
            const bool inside =
                layout.ranks[transfer.source].host == layout.ranks[transfer.destination].host;
            (inside ? local : network)[transfer.source] +=
                static_cast<double>(schedule.GetTransferBytes(transfer, 16 * MIB)) *
                (inside ? static_cast<double>(schedule.execution.localNumerator) /
                              schedule.execution.localDenominator
                        : 1);
            if (!inside)
            {
                EXPECT_EQ(layout.ranks[transfer.source].leaf,
                          layout.ranks[transfer.destination].leaf);
            }
        }
        for (const double bytes : local)
        {
            EXPECT_NEAR(bytes, 16.0 * MIB, 1);
        }
        double total = 0;
        for (const double bytes : network)
        {
            total += bytes;
        }
        // Up and down a tree of the hosts: 2 (hosts - 1) S.
        EXPECT_NEAR(total, 2.0 * (hosts - 1) * 16 * MIB, 1);
    }
    EXPECT_EQ(
        CreateObject<NvlsCollective>()->GetUnsupportedReason(Call(O::ALL_REDUCE, MIB),
                                                             MakeCollectiveLayout({2, 4}, 1, 4)),
        "Nvls needs the same number of GPUs, at least 2, on every host");
}

TEST(PeerExchangeTest, MessagesStayOnTheirRails)
{
    const CollectiveLayout layout = MakeRails(3);
    for (const char* name : {"Direct", "Pairwise", "Nccl"})
    {
        const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(name);
        const CollectiveSchedule schedule =
            algorithm->Build(Call(O::ALL_TO_ALL, 24 * MIB), layout, 1);
        EXPECT_EQ(schedule.Validate(), std::vector<std::string>());
        EXPECT_EQ(schedule.execution.nics, CollectiveNics::OWN);
        uint64_t between = 0;
        for (const ChunkTransfer& transfer : schedule.transfers)
        {
            const CollectiveLayout::Rank& from = layout.ranks[transfer.source];
            const CollectiveLayout::Rank& to = layout.ranks[transfer.destination];
            if (from.host != to.host)
            {
                between++;
                EXPECT_EQ(from.leaf, to.leaf) << name;
            }
        }
        EXPECT_EQ(between, 24u * 16) << name; // each message crosses once, whatever its relay
        algorithm->SetAttribute("Pxn", BooleanValue(false));
        const CollectiveSchedule direct =
            algorithm->Build(Call(O::ALL_TO_ALL, 24 * MIB), layout, 1);
        EXPECT_EQ(direct.transfers.size(), 24u * 24);
        EXPECT_EQ(direct.channels, 1u);
    }
}

TEST(PeerExchangeTest, NothingIsRelayedWhereItNeedNotBe)
{
    CollectiveLayout layout = MakeRails(2);
    for (uint32_t rank = 0; rank < 16; rank++)
    {
        layout.ranks[rank].leaf = rank / 8; // all NICs of a host on one switch
    }
    EXPECT_EQ(layout.GetRelay(1, 9), 1u);
    const CollectiveSchedule schedule =
        CollectiveAlgorithm::Create("Direct")->Build(Call(O::ALL_TO_ALL, MIB), layout, 1);
    EXPECT_EQ(schedule.transfers.size(), 16u * 16);
    EXPECT_EQ(schedule.scratchChunks, 0u);
    layout = MakeRails(2);
    EXPECT_EQ(layout.GetRelay(1, 9), 1u);  // the same rail
    EXPECT_EQ(layout.GetRelay(1, 12), 4u); // rail 4
    EXPECT_EQ(layout.GetRelay(7, 8), 0u);
    EXPECT_EQ(layout.GetRelay(1, 4), 1u); // the same host
    layout.ranks[4].leaf = 99;
    EXPECT_EQ(layout.GetRelay(1, 12), 1u); // nobody is there
}
