/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-traffic.h"

#include "../../collective/chunk-sizes.h"
#include "../../topology/nic-islands.h"

#include "ns3/abort.h"
#include "ns3/collective-algorithm.h"
#include "ns3/log.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("JobTraffic");

namespace
{

/// Most messages of a schedule; one takes about 100 bytes.
constexpr double MAX_MESSAGES = 64e6;
/// Most payload of a NIC in an iteration, in either direction [byte].
constexpr uint64_t MAX_NIC_BYTES = uint64_t{1} << 40;

/// Order of flows: channel, source rank, destination rank, then the NICs.
using FlowKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;
/// (payload [byte], messages per iteration).
using MessageCounts = std::map<uint64_t, uint64_t>;
using FlowMap = std::map<FlowKey, MessageCounts>;

/// The collectives of an iteration on a communicator, with the count of each.
std::map<CollectiveCall, uint64_t>
CountCollectives(const IterationProgram& program, uint32_t communicator)
{
    std::map<CollectiveCall, uint64_t> counts;
    const auto ranks = static_cast<uint32_t>(program.communicators[communicator].ranks.size());
    const uint32_t rank = program.communicators[communicator].ranks[0];
    const uint32_t slot = program.FindSlot(rank, communicator);
    for (const ProgramStep& step : program.GetRankProgram(rank).steps)
    {
        if (!step.compute && step.communicator == slot)
        {
            counts[step.GetCall(ranks)]++;
        }
    }
    return counts;
}

/// JobCommunicator::detours of two ranks.
void
AddDetour(JobCommunicator& communicator,
          uint32_t source,
          uint32_t destination,
          const NicIslands& islands)
{
    const uint32_t from = communicator.ownPorts[source];
    const uint32_t to = communicator.ownPorts[destination];
    if (!islands.AreConnected(from, to))
    {
        const std::vector<uint32_t> nics =
            islands.GetReachable(to,
                                 communicator.hostNodes[communicator.layout.ranks[source].host]);
        if (!nics.empty())
        {
            communicator.detours[{source, destination}] = nics.front();
        }
    }
}

/// By transfer of a plan: the entry of `flows` that it belongs to; within a host that of `locals`,
/// or null if these are not modelled.
std::vector<MessageCounts*>
FindRoutes(const CollectivePlan& plan,
           const std::vector<uint32_t>& ranks,
           JobCommunicator& communicator,
           const ClusterTopology& topology,
           const NicIslands& islands,
           FlowMap& flows,
           FlowMap& locals)
{
    const CollectiveNics nics = plan.GetSchedule().execution.nics;
    const CollectiveLayout& layout = communicator.layout;
    const std::vector<ChunkTransfer>& transfers = plan.GetSchedule().transfers;
    std::vector<MessageCounts*> routes(transfers.size());
    std::vector<bool> isKnown(transfers.size());
    for (uint32_t t = 0; t < transfers.size(); t++)
    {
        const ChunkTransfer& transfer = transfers[t];
        MessageCounts*& route = routes[t];
        if (isKnown[t])
        {
            // Same as the previous one.
        }
        else if (layout.ranks[transfer.source].host != layout.ranks[transfer.destination].host)
        {
            if (nics == CollectiveNics::OWN)
            {
                AddDetour(communicator, transfer.source, transfer.destination, islands);
            }
            const auto [from, to] = communicator.GetNicPorts(nics,
                                                             transfer.source,
                                                             transfer.destination,
                                                             transfer.channel);
            route = &flows[{transfer.channel,
                            ranks[transfer.source],
                            ranks[transfer.destination],
                            from,
                            to}];
        }
        else if (topology.HasInsides())
        {
            route = &locals[{0, ranks[transfer.source], ranks[transfer.destination], 0, 0}];
        }
        if (const uint32_t next = plan.GetSuccessor(t); next != CollectivePlan::NONE)
        {
            routes[next] = route;
            isKnown[next] = true;
        }
    }
    return routes;
}

/// JobCommunicator::nicPorts.
std::vector<std::vector<uint32_t>>
FindNicPorts(const CollectiveLayout& layout,
             const std::vector<uint32_t>& ranks,
             const std::vector<uint32_t>& gpus,
             const ClusterTopology& topology)
{
    std::vector<std::vector<uint32_t>> ports;
    for (uint32_t rank = 0; rank < ranks.size(); rank++)
    {
        const uint32_t host = layout.ranks[rank].host;
        if (host == ports.size()) // they are numbered in the order of the ranks
        {
            std::vector<uint32_t>& nics = ports.emplace_back(layout.GetNics(host));
            for (uint32_t& nic : nics)
            {
                nic = topology.GetNodes()[topology.GetGpuHost(gpus[ranks[rank]])].ports[nic];
            }
        }
    }
    return ports;
}

/// The algorithm of a communicator; null, with a fault, if there is none.
Ptr<CollectiveAlgorithm>
MakeAlgorithm(const CommunicatorSpec& spec, std::vector<std::string>& faults)
{
    const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(spec.algorithm);
    if (!algorithm)
    {
        faults.push_back("no collective algorithm is called " + spec.algorithm);
        return nullptr;
    }
    for (const auto& [name, value] : spec.algorithmAttributes)
    {
        if (!algorithm->SetAttributeFailSafe(name, StringValue(value)))
        {
            faults.push_back("the collective algorithm " + spec.algorithm + " takes no " + name +
                             " of " + value);
            return nullptr;
        }
    }
    return algorithm;
}

/// Why an algorithm cannot perform a collective, and which one can; empty if it can.
std::string
GetReason(const CollectiveAlgorithm& algorithm,
          const CollectiveCall& call,
          const CollectiveLayout& layout)
{
    std::string reason = algorithm.GetUnsupportedReason(call, layout);
    if (reason.empty())
    {
        return reason;
    }
    std::string others;
    for (const std::string& name : CollectiveAlgorithm::GetNames())
    {
        if (CollectiveAlgorithm::Create(name)->GetUnsupportedReason(call, layout).empty())
        {
            others += (others.empty() ? "" : " ") + name;
        }
    }
    return reason + "; for this " + GetCollectiveOperationName(call.operation) +
           " there are: " + others;
}

/// Why a schedule would not fit into memory; empty if it does.
std::string
GetSizeFault(const CollectiveAlgorithm& algorithm,
             const CollectiveCall& call,
             const CollectiveLayout& layout,
             uint32_t channels)
{
    const double messages = algorithm.EstimateMessages(call, layout, channels);
    if (messages <= MAX_MESSAGES)
    {
        return "";
    }
    std::ostringstream text;
    text << GetCollectiveOperationName(call.operation) << " among " << layout.ranks.size()
         << " GPUs on " << channels << (channels == 1 ? " channel" : " channels") << " has about "
         << messages << " messages with this collective algorithm: at most " << MAX_MESSAGES
         << " are supported; fewer channels, Tree, HalvingDoubling or Hierarchical need fewer";
    return text.str();
}

/// The channels that an algorithm is asked to use: by default one a NIC, but one for what goes by
/// the NIC of a GPU alone.
uint32_t
GetChannels(const CommunicatorSpec& spec,
            const CollectiveLayout& layout,
            CollectiveOperation operation)
{
    if (spec.channels > 0)
    {
        return spec.channels;
    }
    return operation == CollectiveOperation::ALL_TO_ALL ||
                   operation == CollectiveOperation::SEND_RECEIVE
               ? 1
               : layout.GetDefaultChannels();
}

/// The plan of a collective; null, with a fault, if there is none or its schedule is invalid.
std::shared_ptr<const CollectivePlan>
MakePlan(const CollectiveAlgorithm& algorithm,
         const CollectiveCall& call,
         const JobCommunicator& communicator,
         uint32_t channels,
         std::string& impossible,
         std::vector<std::string>& faults)
{
    Ptr<const CollectiveAlgorithm> builder = &algorithm;
    const std::string reason = GetReason(algorithm, call, communicator.layout);
    if (!reason.empty())
    {
        // The job will not run: Ring only completes its parts.
        impossible = impossible.empty() ? reason : impossible;
        builder = CollectiveAlgorithm::Create("Ring");
        if (!builder->GetUnsupportedReason(call, communicator.layout).empty())
        {
            faults.push_back(reason);
            return nullptr;
        }
    }
    const std::string tooLarge = GetSizeFault(*builder, call, communicator.layout, channels);
    if (!tooLarge.empty())
    {
        faults.push_back(tooLarge);
        return nullptr;
    }
    CollectiveSchedule schedule = builder->Build(call, communicator.layout, channels);
    const std::vector<std::string> wrong = schedule.Validate();
    if (!wrong.empty())
    {
        faults.push_back("the " + communicator.algorithm + " schedule of " +
                         GetCollectiveOperationName(call.operation) +
                         " is wrong: " + wrong.front());
        return nullptr;
    }
    return std::make_shared<const CollectivePlan>(std::move(schedule));
}

/// Flows that have messages.
std::vector<JobFlow>
MakeFlows(const FlowMap& flows, const std::vector<uint32_t>& gpus)
{
    std::vector<JobFlow> result;
    for (const auto& [key, messages] : flows)
    {
        if (messages.empty())
        {
            continue;
        }
        JobFlow flow;
        std::tie(flow.channel,
                 flow.sourceRank,
                 flow.destinationRank,
                 flow.sourceNic,
                 flow.destinationNic) = key;
        flow.sourceGpu = gpus[flow.sourceRank];
        flow.destinationGpu = gpus[flow.destinationRank];
        flow.messages.assign(messages.begin(), messages.end());
        for (const auto& [bytes, count] : flow.messages)
        {
            flow.payloadBytes += bytes * count;
            flow.messageCount += count;
        }
        result.push_back(std::move(flow));
    }
    return result;
}

CollectivePlanCache::Key
MakePlanKey(const CommunicatorSpec& spec,
            const JobCommunicator& communicator,
            uint32_t channels,
            const CollectiveCall& call,
            bool anySize)
{
    std::string algorithm = spec.algorithm;
    for (const auto& [name, value] : spec.algorithmAttributes)
    {
        algorithm += "|" + name + "=" + value;
    }
    std::vector<uint64_t> seats{channels, communicator.layout.nicRateBps};
    for (const CollectiveLayout::Rank& rank : communicator.layout.ranks)
    {
        seats.insert(seats.end(), {rank.host, rank.gpu, rank.nic, rank.leaf});
    }
    CollectiveCall key = call;
    key.bytes = anySize ? 0 : call.bytes;
    return {algorithm, std::move(seats), std::move(key)};
}

} // namespace

std::pair<uint32_t, uint32_t>
JobCommunicator::GetNicPorts(CollectiveNics nics,
                             uint32_t source,
                             uint32_t destination,
                             uint32_t channel) const
{
    if (nics == CollectiveNics::CHANNEL)
    {
        return {GetNicPort(source, channel), GetNicPort(destination, channel)};
    }
    const auto detour = detours.find({source, destination});
    return {detour == detours.end() ? ownPorts[source] : detour->second, ownPorts[destination]};
}

uint64_t
JobFlow::Sum(const std::function<uint64_t(uint64_t)>& messageBytes) const
{
    uint64_t sum = 0;
    for (const auto& [bytes, count] : messages)
    {
        sum += messageBytes(bytes) * count;
    }
    return sum;
}

CollectiveLayout
JobTraffic::MakeLayout(const std::vector<uint32_t>& ranks,
                       const std::vector<uint32_t>& gpus,
                       const ClusterTopology& topology)
{
    CollectiveLayout layout;
    std::vector<uint32_t> hosts;
    for (uint32_t rank : ranks)
    {
        const uint32_t gpu = gpus[rank];
        const uint32_t host = topology.GetGpuHost(gpu);
        if (hosts.empty() || hosts.back() != host)
        {
            NS_ABORT_MSG_IF(std::find(hosts.begin(), hosts.end(), host) != hosts.end(),
                            "the ranks of a host do not stand together");
            hosts.push_back(host);
        }
        const std::vector<uint32_t>& ports = topology.GetNodes()[host].ports;
        const auto nic = std::find(ports.begin(), ports.end(), topology.GetGpuNic(gpu));
        const uint64_t rate = topology.GetPortRate(topology.GetGpuNic(gpu));
        layout.nicRateBps = layout.nicRateBps > 0 ? std::min(layout.nicRateBps, rate) : rate;
        layout.ranks.push_back(
            {static_cast<uint32_t>(hosts.size() - 1),
             gpu - topology.GetFirstGpu(host),
             static_cast<uint32_t>(nic - ports.begin()),
             topology.GetPortNode(ClusterTopology::GetPeerPort(topology.GetGpuNic(gpu)))});
    }
    return layout;
}

JobTraffic
JobTraffic::Build(const IterationProgram& program,
                  const std::vector<uint32_t>& gpus,
                  const ClusterTopology& topology,
                  std::vector<std::string>& faults,
                  CollectivePlanCache* kept)
{
    NS_ABORT_MSG_IF(gpus.size() != program.ranks,
                    gpus.size() << " GPUs for " << program.ranks << " ranks");
    JobTraffic traffic;
    FlowMap flows;
    FlowMap locals;
    // Communicators with the same layout, such as the tensor groups of a model, share their plans.
    CollectivePlanCache cache;
    std::set<std::string> fallbacks;
    const NicIslands islands(topology);
    ChunkSizes sizes;
    for (uint32_t index = 0; index < program.communicators.size(); index++)
    {
        const CommunicatorSpec& spec = program.communicators[index];
        JobCommunicator communicator;
        communicator.layout = MakeLayout(spec.ranks, gpus, topology);
        communicator.nicPorts = FindNicPorts(communicator.layout, spec.ranks, gpus, topology);
        for (uint32_t rank : spec.ranks)
        {
            communicator.ownPorts.push_back(topology.GetGpuNic(gpus[rank]));
            const uint32_t host = topology.GetGpuHost(gpus[rank]);
            if (communicator.hostNodes.empty() || communicator.hostNodes.back() != host)
            {
                communicator.hostNodes.push_back(host);
            }
        }
        communicator.channels =
            GetChannels(spec, communicator.layout, CollectiveOperation::ALL_REDUCE);
        communicator.algorithm = spec.algorithm;
        const Ptr<CollectiveAlgorithm> algorithm = MakeAlgorithm(spec, faults);
        if (!algorithm)
        {
            continue;
        }
        // By plan: the destinations of its transfers.
        std::map<const CollectivePlan*, std::vector<MessageCounts*>> routesOfPlan;
        for (const auto& [call, count] : CountCollectives(program, index))
        {
            auto plan = communicator.plans.Find(call);
            if (!plan)
            {
                const uint32_t channels = GetChannels(spec, communicator.layout, call.operation);
                const bool anySize = !algorithm->DependsOnBytes(call.operation);
                // A substitute that only completes a job is not kept, so that it will be detected
                // again.
                const bool keeps =
                    kept && algorithm->IsCostly() &&
                    algorithm->GetUnsupportedReason(call, communicator.layout).empty();
                auto& known = (keeps ? *kept : cache)
                                  .Get(MakePlanKey(spec, communicator, channels, call, anySize));
                if (!known.plan)
                {
                    known.plan = MakePlan(*algorithm,
                                          call,
                                          communicator,
                                          channels,
                                          traffic.impossible,
                                          faults);
                    known.fallback = known.plan && traffic.impossible.empty()
                                         ? algorithm->GetFallback(call, communicator.layout)
                                         : "";
                }
                if (!known.fallback.empty() && fallbacks.insert(known.fallback).second)
                {
                    traffic.fallbacks.push_back(
                        {algorithm->GetInstanceTypeId().GetName(), known.fallback});
                }
                plan = known.plan;
                if (!plan)
                {
                    continue;
                }
                communicator.plans.Add(call, anySize, plan);
            }
            std::vector<MessageCounts*>& routes = routesOfPlan[plan.get()];
            if (routes.empty())
            {
                routes =
                    FindRoutes(*plan, spec.ranks, communicator, topology, islands, flows, locals);
            }
            sizes.Prepare(*plan, call.bytes);
            for (size_t t = 0; t < routes.size(); t++)
            {
                const uint64_t size = sizes.Get(plan->GetTransfers()[t]);
                if (routes[t] && size > 0)
                {
                    (*routes[t])[size] += count;
                }
            }
        }
        // An algorithm may use more channels than requested.
        for (const auto& [call, plan] : communicator.plans.GetAll())
        {
            communicator.channels = std::max(communicator.channels, plan->GetSchedule().channels);
        }
        traffic.communicators.push_back(std::move(communicator));
    }
    traffic.flows = MakeFlows(flows, gpus);
    traffic.locals = MakeFlows(locals, gpus);
    NS_LOG_LOGIC(traffic.communicators.size()
                 << " communicators, " << traffic.flows.size() << " flows, "
                 << traffic.locals.size() << " within hosts");
    std::map<std::pair<bool, uint32_t>, uint64_t> nicBytes; // by direction and NIC
    for (const JobFlow& flow : traffic.flows)
    {
        for (const bool sends : {true, false})
        {
            const uint32_t nic = sends ? flow.sourceNic : flow.destinationNic;
            uint64_t& bytes = nicBytes[{sends, nic}];
            bytes += std::min(flow.payloadBytes, MAX_NIC_BYTES + 1);
            if (bytes > MAX_NIC_BYTES && faults.empty())
            {
                faults.push_back(topology.GetPortName(nic) + (sends ? " sends" : " receives") +
                                 " more than 1 TiB an iteration, which is not supported");
            }
        }
    }
    for (const JobFlow& flow : traffic.flows)
    {
        if (traffic.impossible.empty() &&
            !islands.AreConnected(flow.sourceNic, flow.destinationNic))
        {
            traffic.impossible = "channel " + std::to_string(flow.channel) + ": " +
                                 islands.Explain(flow.sourceNic, flow.destinationNic);
            break;
        }
    }
    return traffic;
}

std::string
JobTraffic::GetFault(const IterationProgram& program,
                     const std::vector<uint32_t>& gpus,
                     const ClusterTopology& topology)
{
    for (uint32_t index = 0; index < program.communicators.size(); index++)
    {
        const CommunicatorSpec& spec = program.communicators[index];
        std::vector<std::string> faults;
        const Ptr<CollectiveAlgorithm> algorithm = MakeAlgorithm(spec, faults);
        if (!algorithm)
        {
            return faults.front();
        }
        const CollectiveLayout layout = MakeLayout(spec.ranks, gpus, topology);
        for (const auto& [call, count] : CountCollectives(program, index))
        {
            const std::string reason = GetReason(*algorithm, call, layout);
            if (!reason.empty())
            {
                return reason;
            }
            const std::string tooLarge =
                GetSizeFault(*algorithm, call, layout, GetChannels(spec, layout, call.operation));
            if (!tooLarge.empty())
            {
                return tooLarge;
            }
        }
    }
    std::vector<std::string> faults;
    Build(program, gpus, topology, faults);
    return faults.empty() ? "" : faults.front();
}

uint64_t
JobTraffic::GetNetworkBytes() const
{
    uint64_t sum = 0;
    for (const JobFlow& flow : flows)
    {
        sum += flow.payloadBytes;
    }
    return sum;
}

} // namespace ns3
