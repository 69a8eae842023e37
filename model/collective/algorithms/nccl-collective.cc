/* SPDX-License-Identifier: GPL-2.0-only */
#include "nccl-collective.h"

#include "../../base/enum-value.h"
#include "../../base/ties.h"
#include "direct-collective.h"
#include "nvls-collective.h"
#include "ring-collective.h"
#include "tree-collective.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NcclCollective");

NS_OBJECT_ENSURE_REGISTERED(NcclCollective);

namespace
{

constexpr uint32_t STEPS = 8; ///< slots of a channel's buffer (NCCL_STEPS)
/// Data of a slot under LL: 8 lines of 16 bytes, half of them data, for each of 512 threads.
constexpr uint64_t LL_SLOT_BYTES = 8 * 512 * 8;
/// Data of a slot under LL128: 120 elements of 8 bytes for each of 640 threads, 15/16 of them data.
constexpr uint64_t LL128_SLOT_BYTES = 120 * 640 * 8 / 16 * 15;
/// NVLS moves pieces of this size (NCCL_NVLS_CHUNKSIZE).
constexpr uint64_t NVLS_CHUNK_BYTES = 131'072;

} // namespace

template <CollectiveProtocol PROTOCOL>
void
NcclCollective::AddCosts(TypeId& id,
                         const std::string& name,
                         int64_t launchNs,
                         int64_t localNs,
                         int64_t networkNs)
{
    using N = NcclCollective;
    const std::string source = " Default: the latency in the tuner's tables (NCCL 2.22).";
    id.AddAttribute(name + "Launch",
                    "From a rank's turn to its first message under " + name +
                        ": launch of the kernel and its setup." + source,
                    TimeValue(NanoSeconds(launchNs)),
                    MakeTimeAccessor(&N::SetCost<PROTOCOL, &Costs::launch>,
                                     &N::GetCost<PROTOCOL, &Costs::launch>),
                    MakeTimeChecker(Time(0)));
    id.AddAttribute(name + "LocalHop",
                    "Before each message inside a host under " + name +
                        ": seeing the flag, synchronising the threads." + source,
                    TimeValue(NanoSeconds(localNs)),
                    MakeTimeAccessor(&N::SetCost<PROTOCOL, &Costs::localHop>,
                                     &N::GetCost<PROTOCOL, &Costs::localHop>),
                    MakeTimeChecker(Time(0)));
    id.AddAttribute(name + "NetworkHop",
                    "Before each message between hosts under " + name +
                        ": the same, and the step of the thread that serves the NIC. What NIC and "
                        "network take comes in addition." +
                        source,
                    TimeValue(NanoSeconds(networkNs)),
                    MakeTimeAccessor(&N::SetCost<PROTOCOL, &Costs::networkHop>,
                                     &N::GetCost<PROTOCOL, &Costs::networkHop>),
                    MakeTimeChecker(Time(0)));
    id.AddAttribute(name + "ChannelRate",
                    "Rate at which a channel copies or reduces under " + name +
                        ", flags included; 0: no limit.",
                    BitRateValue(0),
                    MakeBitRateAccessor(&N::SetChannelRate<PROTOCOL>, &N::GetChannelRate<PROTOCOL>),
                    MakeBitRateChecker());
}

TypeId
NcclCollective::GetTypeId()
{
    static TypeId tid = [] {
        TypeId id("ns3::NcclCollective");
        id.SetParent<CollectiveAlgorithm>();
        id.SetGroupName("GpuFabric");
        id.AddConstructor<NcclCollective>();
        using N = NcclCollective;
        id.AddAttribute("Architecture",
                        "Generation of the GPUs, which selects columns of the tuner's tables.",
                        NameValue<GpuArchitecture>(GpuArchitecture::HOPPER),
                        MakeNameAccessor<GpuArchitecture>(&N::m_architecture),
                        MakeNameChecker<GpuArchitecture>());
        id.AddAttribute("Algorithm",
                        "Algorithm of all-reduces, as NCCL_ALGO; Auto: the tuner's choice. Other "
                        "collectives are rings.",
                        NameValue<NcclAlgorithm>(NcclAlgorithm::AUTO),
                        MakeNameAccessor<NcclAlgorithm>(&N::m_algorithm),
                        MakeNameChecker<NcclAlgorithm>());
        id.AddAttribute("Protocol",
                        "Protocol, as NCCL_PROTO; Auto: the tuner's choice.",
                        NameValue<NcclProtocol>(NcclProtocol::AUTO),
                        MakeNameAccessor<NcclProtocol>(&N::m_protocol),
                        MakeNameChecker<NcclProtocol>());
        id.AddAttribute("Channels",
                        "Channels of a communicator on several hosts.",
                        UintegerValue(16),
                        MakeUintegerAccessor(&N::m_channels),
                        MakeUintegerChecker<uint32_t>(1, 64));
        id.AddAttribute("LocalChannels",
                        "Channels of a communicator inside one host.",
                        UintegerValue(24),
                        MakeUintegerAccessor(&N::m_localChannels),
                        MakeUintegerChecker<uint32_t>(1, 64));
        id.AddAttribute("PeerChannels",
                        "Channels, and so queue pairs, to each peer of an all-to-all or a point to "
                        "point transfer.",
                        UintegerValue(1),
                        MakeUintegerAccessor(&N::m_peerChannels),
                        MakeUintegerChecker<uint32_t>(1, 32));
        id.AddAttribute("BufferBytes",
                        "Buffer of a channel under Simple, as NCCL_BUFFSIZE: a step moves half of "
                        "it in two slices.",
                        ByteSizeValue(4'194'304),
                        MakeByteSizeAccessor(&N::m_bufferBytes),
                        MakeByteSizeChecker(65'536));
        id.AddAttribute("LocalRate",
                        "Rate at which a GPU can send inside its host as NCCL's search finds it; "
                        "for the tuner. Default: 370 GB/s, of an H100.",
                        BitRateValue(2'960'000'000'000),
                        MakeBitRateAccessor(&N::m_localBps),
                        MakeBitRateChecker(1));
        id.AddAttribute("NetworkRate",
                        "Rate of a NIC as NCCL's search finds it, for the tuner; 0: that of the "
                        "NIC.",
                        BitRateValue(0),
                        MakeBitRateAccessor(&N::m_networkBps),
                        MakeBitRateChecker());
        id.AddAttribute("Nvlink",
                        "Whether NVLink connects the GPUs of a host, else PCIe; for the tuner.",
                        BooleanValue(true),
                        MakeBooleanAccessor(&N::m_nvlink),
                        MakeBooleanChecker());
        id.AddAttribute("Nvls",
                        "Whether the NVSwitches can reduce and multicast (NVLink SHARP).",
                        BooleanValue(true),
                        MakeBooleanAccessor(&N::m_nvls),
                        MakeBooleanChecker());
        id.AddAttribute("Pxn",
                        "Whether an all-to-all relays messages to a NIC at another switch by "
                        "the GPU of the sender's host whose NIC is there.",
                        BooleanValue(true),
                        MakeBooleanAccessor(&N::m_pxn),
                        MakeBooleanChecker());
        id.AddAttribute("PeerLlBytes",
                        "Largest message of an all-to-all or point to point transfer under LL "
                        "(NCCL_P2P_LL_THRESHOLD).",
                        ByteSizeValue(16'384),
                        MakeByteSizeAccessor(&N::m_peerLlBytes),
                        MakeByteSizeChecker());
        id.AddAttribute("NetworkLlBytes",
                        "Largest buffer for which LL is considered between hosts, as a tuner file "
                        "of a cloud's image may say.",
                        ByteSizeValue(UINT64_MAX),
                        MakeByteSizeAccessor(&N::m_networkLlBytes),
                        MakeByteSizeChecker());
        id.AddAttribute("NetworkLl128Bytes",
                        "The same for LL128.",
                        ByteSizeValue(UINT64_MAX),
                        MakeByteSizeAccessor(&N::m_networkLl128Bytes),
                        MakeByteSizeChecker());
        id.AddAttribute("PeerLaunch",
                        "What the launch of an all-to-all or point to point transfer takes in "
                        "addition for each peer.",
                        TimeValue(Time(0)),
                        MakeTimeAccessor(&N::m_peerLaunch),
                        MakeTimeChecker(Time(0)));
        id.AddAttribute("PeerChannelRate",
                        "Rate of a channel to a peer on another host in an all-to-all or point to "
                        "point transfer; 0: SimpleChannelRate or LlChannelRate.",
                        BitRateValue(0),
                        MakeBitRateAccessor(&N::m_peerChannelBps),
                        MakeBitRateChecker());
        AddCosts<CollectiveProtocol::SIMPLE>(id, "Simple", 8400, 3400, 14'000);
        AddCosts<CollectiveProtocol::LL>(id, "Ll", 6600, 600, 2700);
        AddCosts<CollectiveProtocol::LL128>(id, "Ll128", 14'000, 1250, 4000);
        id.AddAttribute("NvlsHop",
                        "Before each message inside a host under NVLS. Default: half the latency "
                        "of NVLS in the tuner's tables (NCCL 2.22).",
                        TimeValue(NanoSeconds(12'500)),
                        MakeTimeAccessor(&N::m_nvlsHop),
                        MakeTimeChecker(Time(0)));
        return id;
    }();
    return tid;
}

bool
NcclCollective::DependsOnBytes(CollectiveOperation) const
{
    return true;
}

std::string
NcclCollective::DoGetUnsupportedReason(const CollectiveCall&, const CollectiveLayout&) const
{
    return "";
}

NcclMachine
NcclCollective::GetMachine(const CollectiveLayout& layout) const
{
    constexpr double BPS_PER_GBPS = 8e9; // gigabytes
    NcclMachine machine;
    machine.architecture = m_architecture;
    machine.ranks = static_cast<uint32_t>(layout.ranks.size());
    machine.hosts = layout.GetHostCount();
    machine.channels = machine.hosts > 1 ? m_channels : m_localChannels;
    machine.localGBps = static_cast<double>(m_localBps) / BPS_PER_GBPS;
    const uint64_t nicBps = m_networkBps > 0 ? m_networkBps : layout.nicRateBps;
    machine.networkGBps = static_cast<double>(nicBps) / BPS_PER_GBPS * layout.GetDefaultChannels();
    machine.nvlink = m_nvlink;
    return machine;
}

NcclCollective::Choice
NcclCollective::Choose(const CollectiveCall& call, const CollectiveLayout& layout) const
{
    const NcclTuner tuner(GetMachine(layout));
    Choice best;
    double least = std::numeric_limits<double>::infinity();
    const bool reduces = call.operation == CollectiveOperation::ALL_REDUCE;
    const bool allowsNvls =
        m_nvls && CreateObject<NvlsCollective>()->GetUnsupportedReason(call, layout).empty();
    for (const NcclAlgorithm algorithm :
         {NcclAlgorithm::RING, NcclAlgorithm::TREE, NcclAlgorithm::NVLS})
    {
        const bool isForced = m_algorithm != NcclAlgorithm::AUTO && reduces;
        if ((isForced && algorithm != m_algorithm) ||
            (algorithm == NcclAlgorithm::NVLS && !allowsNvls))
        {
            continue;
        }
        for (const auto& [protocol, name] :
             {std::make_pair(CollectiveProtocol::LL, NcclProtocol::LL),
              std::make_pair(CollectiveProtocol::LL128, NcclProtocol::LL128),
              std::make_pair(CollectiveProtocol::SIMPLE, NcclProtocol::SIMPLE)})
        {
            if (m_protocol != NcclProtocol::AUTO && m_protocol != name &&
                algorithm != NcclAlgorithm::NVLS)
            {
                continue;
            }
            const bool isTooLarge =
                (protocol == CollectiveProtocol::LL && call.bytes > m_networkLlBytes) ||
                (protocol == CollectiveProtocol::LL128 && call.bytes > m_networkLl128Bytes);
            if (isTooLarge && layout.GetHostCount() > 1 && m_protocol == NcclProtocol::AUTO)
            {
                continue;
            }
            const double time = tuner.GetTime(call.operation, call.bytes, algorithm, protocol);
            // The first of equals stays.
            if (std::isinf(least) ? !std::isinf(time) : IsAbove(least, time))
            {
                least = time;
                best = {algorithm, protocol, tuner.GetChannels(call.bytes, algorithm, protocol)};
            }
        }
    }
    return best;
}

uint64_t
NcclCollective::GetChunkBytes(const Choice& choice,
                              uint64_t bytes,
                              const NcclMachine& machine) const
{
    // A chunk is halved while a channel has too few of them to fill its pipeline.
    const auto shrink = [](uint64_t chunk, double data, double fewest, uint64_t least) {
        while (data / static_cast<double>(chunk) < fewest && chunk > least)
        {
            chunk /= 2;
        }
        return chunk;
    };
    const double share = static_cast<double>(bytes) / choice.channels; // of a channel
    const double size = std::max(machine.ranks / std::max(machine.hosts, 1U), 1U);
    const double levels = std::floor(std::log2(std::max(machine.hosts, 1U)));
    switch (choice.protocol)
    {
    case CollectiveProtocol::LL:
        return LL_SLOT_BYTES;
    case CollectiveProtocol::LL128: {
        const double steps = 1 + levels + 0.1 * size;
        return shrink(shrink(LL128_SLOT_BYTES, share, steps * 64 / size, 131'072),
                      share,
                      steps * 16 / size,
                      32'768);
    }
    case CollectiveProtocol::SIMPLE:
        break;
    }
    switch (choice.algorithm)
    {
    case NcclAlgorithm::TREE: {
        const double depth = size - 1 + levels;
        return shrink(shrink(shrink(m_bufferBytes / STEPS, share, depth * 8, 131'072),
                             share,
                             depth * 4,
                             65'536),
                      share,
                      depth,
                      32'768);
    }
    case NcclAlgorithm::NVLS:
        return shrink(
            shrink(shrink(NVLS_CHUNK_BYTES, share / size, 64, 65'536), share / size, 8, 32'768),
            share / size,
            2,
            16'384);
    case NcclAlgorithm::AUTO:
    case NcclAlgorithm::RING:
        break;
    }
    return m_bufferBytes / 2; // half of the slots (ALLREDUCE_CHUNKSTEPS)
}

void
NcclCollective::SetExecution(CollectiveSchedule& schedule, CollectiveProtocol protocol) const
{
    const Costs& costs = m_costs[static_cast<size_t>(protocol)];
    schedule.SetProtocol(protocol);
    schedule.execution.launchPs = costs.launch.GetPicoSeconds();
    schedule.execution.localHopPs = costs.localHop.GetPicoSeconds();
    schedule.execution.networkHopPs = costs.networkHop.GetPicoSeconds();
    schedule.execution.channelRateBps = costs.channelRateBps;
    // All channels of a rank copy at a time, and share what its NVLinks or PCIe link can do.
    schedule.execution.localChannelRateBps =
        costs.channelRateBps > 0
            ? std::max<uint64_t>(std::min(costs.channelRateBps, m_localBps / schedule.channels), 1)
            : 0;
    schedule.execution.slices = protocol == CollectiveProtocol::SIMPLE ? 2 : 1;
}

void
NcclCollective::SetPeerExecution(CollectiveSchedule& schedule, uint64_t peers, uint64_t bytes) const
{
    SetExecution(schedule,
                 bytes <= m_peerLlBytes ? CollectiveProtocol::LL : CollectiveProtocol::SIMPLE);
    CollectiveExecution& execution = schedule.execution;
    execution.launchPs += m_peerLaunch.GetPicoSeconds() * static_cast<int64_t>(peers);
    execution.copiesByPeer = true;
    if (m_peerChannelBps > 0)
    {
        execution.channelRateBps = m_peerChannelBps;
        execution.localChannelRateBps =
            execution.localChannelRateBps > 0 ? execution.localChannelRateBps : m_localBps;
    }
}

CollectiveSchedule
NcclCollective::DoBuildSendReceive(const CollectiveCall& call,
                                   const CollectiveLayout& layout,
                                   uint32_t channels) const
{
    CollectiveSchedule schedule =
        CollectiveAlgorithm::DoBuildSendReceive(call,
                                                layout,
                                                channels > 1 ? channels : m_peerChannels);
    SetPeerExecution(schedule, 1, call.bytes);
    return schedule;
}

CollectiveSchedule
NcclCollective::DoBuild(const CollectiveCall& call,
                        const CollectiveLayout& layout,
                        uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    if (call.operation == CollectiveOperation::ALL_TO_ALL)
    {
        const Ptr<DirectCollective> direct = CreateObject<DirectCollective>();
        direct->SetAttribute("Pxn", BooleanValue(m_pxn));
        CollectiveSchedule schedule =
            direct->Build(call, layout, channels > 1 ? channels : m_peerChannels);
        SetPeerExecution(schedule, layout.ranks.size(), call.bytes / layout.ranks.size());
        return schedule;
    }
    const Choice choice = Choose(call, layout);
    NS_LOG_LOGIC(ToName(choice.algorithm)
                 << ", " << ToName(choice.protocol) << ", " << choice.channels
                 << " channels are estimated to be fastest for " << call.bytes << " bytes");
    const uint64_t chunkBytes = GetChunkBytes(choice, call.bytes, GetMachine(layout));
    Ptr<CollectiveAlgorithm> algorithm;
    switch (choice.algorithm)
    {
    case NcclAlgorithm::TREE:
        algorithm = CreateObject<TreeCollective>();
        algorithm->SetAttribute("PieceBytes", ByteSizeValue(chunkBytes));
        break;
    case NcclAlgorithm::NVLS:
        algorithm = CreateObject<NvlsCollective>();
        algorithm->SetAttribute("PieceBytes", ByteSizeValue(chunkBytes));
        break;
    case NcclAlgorithm::AUTO:
    case NcclAlgorithm::RING:
        algorithm = CreateObject<RingCollective>();
        algorithm->SetAttribute("ChunkBytes", ByteSizeValue(chunkBytes));
        break;
    }
    CollectiveSchedule schedule = algorithm->Build(call, layout, choice.channels);
    SetExecution(schedule, choice.protocol);
    if (choice.algorithm == NcclAlgorithm::NVLS)
    {
        schedule.execution.localHopPs = m_nvlsHop.GetPicoSeconds();
    }
    return schedule;
}

} // namespace ns3
