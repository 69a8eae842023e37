/* SPDX-License-Identifier: GPL-2.0-only */
#include "auto-collective.h"

#include "../../base/diagnostics.h"
#include "../../base/text-value.h"
#include "../../base/ties.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AutoCollective");

NS_OBJECT_ENSURE_REGISTERED(AutoCollective);

namespace
{

constexpr uint32_t LL = 0;
constexpr uint32_t SIMPLE = 1;
/// Smallest size in the table of factors [byte].
constexpr uint64_t FIRST_FACTOR = 64;
const char* const SOURCE = " (NCCL 2.10, src/graph/tuning.cc).";

uint32_t
Log2(uint64_t value)
{
    uint32_t result = 0;
    while (value > 1)
    {
        value /= 2;
        result++;
    }
    return result;
}

/// Checks a list of factors. \returns what is wrong with it, or empty
std::string
FindFactorsFault(const std::string& text)
{
    std::istringstream words(text);
    for (std::string word; words >> word;)
    {
        std::istringstream number(word);
        double factor = -1;
        if (!(number >> factor) || number.peek() != EOF || factor < 0)
        {
            return Diagnostics::Quote(word) +
                   " is no factor: wants numbers of 0 or more with blanks between them, as \"1 .9 "
                   ".7\"";
        }
    }
    return "";
}

} // namespace

TypeId
AutoCollective::GetTypeId()
{
    static TypeId tid = [] {
        TypeId id("ns3::AutoCollective");
        id.SetParent<CollectiveAlgorithm>();
        id.SetGroupName("GpuFabric");
        id.AddConstructor<AutoCollective>();
        const auto addTime = [&id](const std::string& name,
                                   const std::string& what,
                                   int64_t nanoseconds,
                                   Ptr<const AttributeAccessor> accessor) {
            id.AddAttribute(name,
                            "Latency of " + what + SOURCE,
                            TimeValue(NanoSeconds(nanoseconds)),
                            accessor,
                            MakeTimeChecker(Time(0)));
        };
        using A = AutoCollective;
        // baseLat, and the hwLat of NVLINK and NET, for ring and tree under LL and Simple.
        addTime("RingLlBase",
                "a ring's operation under LL",
                3600,
                MakeTimeAccessor(&A::SetLatency<false, LL, 0>, &A::GetLatency<false, LL, 0>));
        addTime("RingLlIntra",
                "a ring's step inside a host under LL",
                470,
                MakeTimeAccessor(&A::SetLatency<false, LL, 1>, &A::GetLatency<false, LL, 1>));
        addTime("RingLlInter",
                "a ring's step between hosts under LL",
                2700,
                MakeTimeAccessor(&A::SetLatency<false, LL, 2>, &A::GetLatency<false, LL, 2>));
        addTime(
            "RingSimpleBase",
            "a ring's operation under Simple",
            8400,
            MakeTimeAccessor(&A::SetLatency<false, SIMPLE, 0>, &A::GetLatency<false, SIMPLE, 0>));
        addTime(
            "RingSimpleIntra",
            "a ring's step inside a host under Simple",
            3400,
            MakeTimeAccessor(&A::SetLatency<false, SIMPLE, 1>, &A::GetLatency<false, SIMPLE, 1>));
        addTime(
            "RingSimpleInter",
            "a ring's step between hosts under Simple",
            9600,
            MakeTimeAccessor(&A::SetLatency<false, SIMPLE, 2>, &A::GetLatency<false, SIMPLE, 2>));
        addTime("TreeLlBase",
                "a tree's operation under LL",
                4400,
                MakeTimeAccessor(&A::SetLatency<true, LL, 0>, &A::GetLatency<true, LL, 0>));
        addTime("TreeLlIntra",
                "a tree's hop inside a host under LL",
                520,
                MakeTimeAccessor(&A::SetLatency<true, LL, 1>, &A::GetLatency<true, LL, 1>));
        addTime("TreeLlInter",
                "a tree's hop between hosts under LL",
                5000,
                MakeTimeAccessor(&A::SetLatency<true, LL, 2>, &A::GetLatency<true, LL, 2>));
        addTime("TreeSimpleBase",
                "a tree's operation under Simple",
                0,
                MakeTimeAccessor(&A::SetLatency<true, SIMPLE, 0>, &A::GetLatency<true, SIMPLE, 0>));
        addTime("TreeSimpleIntra",
                "a tree's hop inside a host under Simple",
                28'000,
                MakeTimeAccessor(&A::SetLatency<true, SIMPLE, 1>, &A::GetLatency<true, SIMPLE, 1>));
        addTime("TreeSimpleInter",
                "a tree's hop between hosts under Simple",
                50'000,
                MakeTimeAccessor(&A::SetLatency<true, SIMPLE, 2>, &A::GetLatency<true, SIMPLE, 2>));
        const auto addFactor = [&id](const std::string& name,
                                     const std::string& what,
                                     double value,
                                     Ptr<const AttributeAccessor> accessor) {
            id.AddAttribute(name,
                            what + SOURCE,
                            DoubleValue(value),
                            accessor,
                            MakeDoubleChecker<double>(0.001));
        };
        addFactor("TreeShare",
                  "Share of the bandwidth that a tree gets",
                  0.9,
                  MakeDoubleAccessor(&A::m_treeShare));
        addFactor("RingLlShare",
                  "Share of the bandwidth that LL leaves a ring",
                  0.25,
                  MakeDoubleAccessor(&A::m_ringLlShare));
        addFactor("TreeLlShare",
                  "Share of a tree's bandwidth that LL leaves",
                  1.0 / 3.8,
                  MakeDoubleAccessor(&A::m_treeLlShare));
        addFactor("LlIntraFactor",
                  "Factor of latencies inside a host under LL when there are several hosts",
                  1.8,
                  MakeDoubleAccessor(&A::m_llIntraFactor));
        addFactor("RingPlateau",
                  "Factor of a ring's latency under Simple from 4 KiB a rank on when there are "
                  "several hosts",
                  1.9,
                  MakeDoubleAccessor(&A::m_ringPlateau));
        id.AddAttribute("TreeFactorsLl",
                        std::string("Factors of a tree's bandwidth under LL, of 64 B, 128 B, ...") +
                            SOURCE,
                        TextValue("1 1 1 1 .9 .8 .7 .7 .7 .7 .6 .5 .4 .4 .5 .6 .7 .8 .9 1 1 1"),
                        MakeTextAccessor(&A::SetFactors<LL>, &A::GetFactors<LL>),
                        MakeTextChecker(&FindFactorsFault));
        id.AddAttribute(
            "TreeFactorsSimple",
            std::string("Factors of a tree's bandwidth under Simple, of 64 B, 128 B, ...") + SOURCE,
            TextValue(".9 .9 .9 .9 .9 .9 .9 .8 .7 .6 .6 .5 .5 .5 .5 .5 .5 .6 .6 .7 .8 .9"),
            MakeTextAccessor(&A::SetFactors<SIMPLE>, &A::GetFactors<SIMPLE>),
            MakeTextChecker(&FindFactorsFault));
        id.AddAttribute("Bandwidth",
                        "Bandwidth of a channel between hosts; 0: the rate of a NIC.",
                        BitRateValue(0),
                        MakeBitRateAccessor(&A::m_bandwidth),
                        MakeBitRateChecker());
        id.AddAttribute("IntraBandwidth",
                        "Bandwidth of all channels inside a host; default: as NVLink 3 of "
                        "an A100.",
                        BitRateValue(2'400'000'000'000),
                        MakeBitRateAccessor(&A::m_intraBandwidth),
                        MakeBitRateChecker());
        return id;
    }();
    return tid;
}

bool
AutoCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return operation == CollectiveOperation::ALL_REDUCE ||
           operation == CollectiveOperation::BROADCAST || operation == CollectiveOperation::REDUCE;
}

std::string
AutoCollective::DoGetUnsupportedReason(const CollectiveCall&, const CollectiveLayout&) const
{
    return "";
}

double
AutoCollective::GetTreeFactor(uint64_t bytes, uint32_t protocol) const
{
    std::istringstream factors(m_treeFactors[protocol]);
    const uint32_t power = Log2(bytes / FIRST_FACTOR);
    double factor = 1;
    for (uint32_t i = 0; i <= power; i++)
    {
        if (!(factors >> factor))
        {
            return 1; // beyond the table
        }
    }
    return factor > 0 ? factor : 1;
}

double
AutoCollective::GetExpectedTime(uint64_t bytes,
                                const CollectiveLayout& layout,
                                uint32_t channels,
                                bool tree) const
{
    const double ranks = static_cast<double>(layout.ranks.size());
    const uint32_t hosts = layout.GetHostCount();
    const double steps = 2 * (ranks - 1);
    const double interSteps = 2.0 * (hosts - 1);
    double bandwidth = static_cast<double>(m_intraBandwidth);
    if (hosts > 1)
    {
        const uint64_t rate = m_bandwidth > 0 ? m_bandwidth : layout.nicRateBps;
        // Channels beyond the number of NICs of a host add no bandwidth.
        bandwidth = static_cast<double>(rate) * std::min(channels, layout.GetDefaultChannels());
    }
    double best = std::numeric_limits<double>::infinity();
    for (uint32_t protocol : {LL, SIMPLE})
    {
        const Latency& table = tree ? m_tree[protocol] : m_ring[protocol];
        const double intra = table.intra.GetPicoSeconds() * 1e-6 *
                             (hosts > 1 && protocol == LL ? m_llIntraFactor : 1);
        const double inter = table.inter.GetPicoSeconds() * 1e-6;
        double latency = table.base.GetPicoSeconds() * 1e-6;
        double rate = bandwidth;
        if (tree)
        {
            latency += 2 * ((ranks / hosts - 1) * intra + Log2(hosts) * inter);
            rate *= m_treeShare * (protocol == LL ? m_treeLlShare : 1) / 2;
            rate *= GetTreeFactor(bytes, protocol);
        }
        else
        {
            latency += (steps - interSteps) * intra + interSteps * inter;
            rate *= (protocol == LL ? m_ringLlShare : 1) * ranks / std::max(steps, 1.0);
            if (protocol == SIMPLE && hosts > 1 &&
                static_cast<double>(bytes) >= ranks / 16 * 65'536)
            {
                latency *= m_ringPlateau;
            }
        }
        const double transfer = rate > 0 ? static_cast<double>(bytes) * 8e6 / rate : 0;
        best = std::min(best, latency + transfer);
    }
    return best;
}

double
AutoCollective::EstimateMessages(const CollectiveCall& call,
                                 const CollectiveLayout& layout,
                                 uint32_t channels) const
{
    return Create(Choose(call, layout, channels))->EstimateMessages(call, layout, channels);
}

std::string
AutoCollective::Choose(const CollectiveCall& call,
                       const CollectiveLayout& layout,
                       uint32_t channels) const
{
    switch (call.operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return IsAbove(GetExpectedTime(call.bytes, layout, channels, false),
                       GetExpectedTime(call.bytes, layout, channels, true))
                   ? "Tree"
                   : "Ring";
    case CollectiveOperation::ALL_TO_ALL:
        return "Direct";
    default:
        return "Ring";
    }
}

CollectiveSchedule
AutoCollective::DoBuild(const CollectiveCall& call,
                        const CollectiveLayout& layout,
                        uint32_t channels) const
{
    const std::string choice = Choose(call, layout, channels);
    NS_LOG_LOGIC(choice << " is estimated to be fastest for " << call.bytes << " bytes");
    const Ptr<CollectiveAlgorithm> algorithm = Create(choice);
    NS_ABORT_MSG_IF(!algorithm, "Ring, Tree and Direct are always there");
    return algorithm->Build(call, layout, channels);
}

} // namespace ns3
