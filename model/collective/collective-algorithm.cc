/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/collective-algorithm.h"

#include "../base/diagnostics.h"
#include "collective-builder.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveAlgorithm");

namespace
{

const std::string PREFIX = "ns3::";
const std::string SUFFIX = "Collective";

/// "Ring" for "ns3::RingCollective"; empty if it is not such a name.
std::string
GetShortName(const std::string& name)
{
    const size_t ends = PREFIX.size() + SUFFIX.size();
    if (name.size() <= ends || name.compare(0, PREFIX.size(), PREFIX) != 0 ||
        name.compare(name.size() - SUFFIX.size(), SUFFIX.size(), SUFFIX) != 0)
    {
        return "";
    }
    return name.substr(PREFIX.size(), name.size() - ends);
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithm").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

bool
CollectiveAlgorithm::DependsOnBytes(CollectiveOperation) const
{
    return false;
}

double
CollectiveAlgorithm::EstimateMessages(const CollectiveCall& call,
                                      const CollectiveLayout& layout,
                                      uint32_t channels) const
{
    const auto ranks = static_cast<double>(layout.ranks.size());
    const bool both = call.operation == CollectiveOperation::ALL_REDUCE;
    return call.operation == CollectiveOperation::SEND_RECEIVE
               ? ranks * channels
               : ranks * ranks * channels * (both ? 2 : 1);
}

bool
CollectiveAlgorithm::IsCostly() const
{
    return false;
}

std::string
CollectiveAlgorithm::GetFallback(const CollectiveCall&, const CollectiveLayout&) const
{
    return "";
}

std::string
CollectiveAlgorithm::GetName() const
{
    return GetShortName(GetInstanceTypeId().GetName());
}

std::string
CollectiveAlgorithm::GetReasonWithFallback(const std::string& mismatch,
                                           const std::string& fallback,
                                           const CollectiveCall& call,
                                           const CollectiveLayout& layout) const
{
    if (mismatch.empty() || fallback.empty())
    {
        return mismatch;
    }
    const Ptr<CollectiveAlgorithm> other = Create(fallback);
    if (!other || other->GetInstanceTypeId() == GetInstanceTypeId())
    {
        return "no fallback is called " + fallback;
    }
    const std::string reason = other->GetUnsupportedReason(call, layout);
    return reason.empty() ? "" : mismatch + "; " + reason;
}

std::string
CollectiveAlgorithm::CannotDo(CollectiveOperation operation) const
{
    return GetName() + " cannot do " + GetCollectiveOperationName(operation);
}

uint32_t
CollectiveAlgorithm::CountPieces(uint64_t bytes, uint64_t pieceBytes, uint32_t maxPieces)
{
    const uint64_t pieces = bytes / pieceBytes + (bytes % pieceBytes > 0 ? 1 : 0);
    return static_cast<uint32_t>(
        std::min<uint64_t>(std::max<uint64_t>(pieces, 1), std::max(maxPieces, 1U)));
}

std::string
CollectiveAlgorithm::GetUnsupportedReason(const CollectiveCall& call,
                                          const CollectiveLayout& layout) const
{
    const auto ranks = static_cast<uint32_t>(layout.ranks.size());
    const std::string all = std::to_string(ranks) + " rank" + (ranks == 1 ? "" : "s");
    if (ranks == 0)
    {
        return "a collective needs at least one rank";
    }
    if ((call.operation == CollectiveOperation::BROADCAST ||
         call.operation == CollectiveOperation::REDUCE) &&
        call.root >= ranks)
    {
        return "rank " + std::to_string(call.root) + " cannot be the root among " + all;
    }
    if (call.operation != CollectiveOperation::SEND_RECEIVE)
    {
        return DoGetUnsupportedReason(call, layout);
    }
    if (call.destinations.size() != ranks)
    {
        return std::to_string(call.destinations.size()) + " destinations for " + all;
    }
    std::vector<uint8_t> taken(ranks);
    for (uint32_t destination : call.destinations)
    {
        if (destination == CollectiveCall::NOBODY)
        {
            continue;
        }
        if (destination >= ranks || taken[destination]++)
        {
            return "rank " + std::to_string(destination) +
                   (destination < ranks ? " receives from two ranks at once"
                                        : " cannot receive among " + all);
        }
    }
    return "";
}

CollectiveSchedule
CollectiveAlgorithm::Build(const CollectiveCall& call,
                           const CollectiveLayout& layout,
                           uint32_t channels) const
{
    NS_LOG_FUNCTION(this << GetCollectiveOperationName(call.operation) << call.bytes << channels);
    const std::string reason = GetUnsupportedReason(call, layout);
    NS_ABORT_MSG_IF(!reason.empty(), reason);
    NS_ABORT_MSG_IF(channels == 0, "a collective needs at least one channel");
    if (call.operation == CollectiveOperation::SEND_RECEIVE)
    {
        return DoBuildSendReceive(call, layout, channels);
    }
    return DoBuild(call, layout, channels);
}

CollectiveSchedule
CollectiveAlgorithm::DoBuildSendReceive(const CollectiveCall& call,
                                        const CollectiveLayout& layout,
                                        uint32_t channels) const
{
    const auto ranks = static_cast<uint32_t>(layout.ranks.size());
    CollectiveBuilder builder("PointToPoint", call, ranks, channels);
    builder.SetChunks(channels, false);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        for (uint32_t channel = 0; channel < channels; channel++)
        {
            if (call.destinations[rank] != CollectiveCall::NOBODY)
            {
                builder.Move({rank, ChunkBuffer::INPUT, channel},
                             {call.destinations[rank], ChunkBuffer::OUTPUT, channel},
                             1,
                             channel,
                             ChunkAction::COPY);
            }
        }
    }
    CollectiveSchedule schedule = builder.Finish();
    schedule.execution.nics = CollectiveNics::OWN;
    return schedule;
}

Ptr<CollectiveAlgorithm>
CollectiveAlgorithm::Create(const std::string& name)
{
    TypeId tid;
    const bool whole = name.compare(0, PREFIX.size(), PREFIX) == 0;
    if (!TypeId::LookupByNameFailSafe(whole ? name : PREFIX + name + SUFFIX, &tid) ||
        !tid.IsChildOf(GetTypeId()) || !tid.HasConstructor())
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(tid);
    return factory.Create<CollectiveAlgorithm>();
}

std::string
CollectiveAlgorithm::FindFallbackFault(const std::string& name)
{
    return name.empty() || Create(name) ? "" : Diagnostics::Unknown("algorithm", name, GetNames());
}

std::vector<std::string>
CollectiveAlgorithm::GetNames()
{
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid != GetTypeId() && tid.IsChildOf(GetTypeId()) && tid.HasConstructor() &&
            !GetShortName(tid.GetName()).empty())
        {
            names.push_back(GetShortName(tid.GetName()));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace ns3
