/* SPDX-License-Identifier: GPL-2.0-only */
#include "coflow-order.h"

#include "../../base/ties.h"
#include "../decision-json.h"
#include "coflow-admission.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CoflowOrder");

std::vector<uint32_t>
GetBssiOrder(const CoflowDemands& demands)
{
    const auto n = static_cast<uint32_t>(demands.size());
    const size_t ports = n == 0 ? 0 : demands[0].size();
    std::vector<double> weights(n, 1);
    std::vector<bool> placed(n, false);
    std::vector<uint32_t> order(n);
    for (uint32_t position = n; position > 0; position--)
    {
        size_t bottleneck = 0;
        double most = -1;
        for (size_t port = 0; port < ports; port++)
        {
            double sum = 0;
            for (uint32_t c = 0; c < n; c++)
            {
                sum += placed[c] ? 0 : demands[c][port];
            }
            if (port == 0 || IsAbove(sum, most))
            {
                most = sum;
                bottleneck = port;
            }
        }
        uint32_t last = n;
        for (uint32_t c = 0; c < n; c++)
        {
            const double demand = ports == 0 || placed[c] ? 0 : demands[c][bottleneck];
            if (demand > 0 && (last == n || !IsAbove(weights[c] / demand,
                                                     weights[last] / demands[last][bottleneck])))
            {
                last = c;
            }
        }
        if (last == n)
        {
            for (uint32_t c = 0; c < n; c++)
            {
                last = placed[c] ? last : c;
            }
        }
        else
        {
            const double price = weights[last] / demands[last][bottleneck];
            for (uint32_t c = 0; c < n; c++)
            {
                weights[c] -= placed[c] || c == last ? 0 : price * demands[c][bottleneck];
                // What rounding leaves of a weight of 1 is nothing.
                weights[c] = weights[c] < TIE_TOLERANCE ? 0 : weights[c];
            }
        }
        placed[last] = true;
        order[position - 1] = last;
    }
    return order;
}

CoflowDemands
GetCoflowDemands(const ClusterView& view,
                 CandidatePaths& paths,
                 const JobRanking& ranking,
                 bool uplinks)
{
    std::vector<std::map<uint32_t, double>> bytes(ranking.jobs.size());
    std::map<uint32_t, size_t> ports;
    for (size_t i = 0; i < ranking.jobs.size(); i++)
    {
        for (const FlowView& flow : ranking.jobs[i].job->flows)
        {
            const auto flowBytes = static_cast<double>(flow.wireBytes);
            const uint32_t out = flow.sourceNic;
            const uint32_t in = ClusterTopology::GetPeerPort(flow.destinationNic);
            bytes[i][out] += flowBytes;
            if (in != out)
            {
                bytes[i][in] += flowBytes;
            }
            if (!uplinks)
            {
                continue;
            }
            const std::vector<LinkPath>& all = paths.Get(flow.sourceNic, flow.destinationNic);
            for (const LinkPath& path : all)
            {
                for (const uint32_t link : path)
                {
                    if (link != out && link != in)
                    {
                        bytes[i][link] += flowBytes / static_cast<double>(all.size());
                    }
                }
            }
        }
        for (const auto& [link, sum] : bytes[i])
        {
            ports.emplace(link, 0);
        }
    }
    size_t count = 0;
    for (auto& [link, index] : ports)
    {
        index = count++;
    }
    CoflowDemands demands(ranking.jobs.size(), std::vector<double>(count, 0));
    for (size_t i = 0; i < demands.size(); i++)
    {
        for (const auto& [link, sum] : bytes[i])
        {
            demands[i][ports[link]] =
                8 * sum / static_cast<double>(view.topology->GetPortRate(link));
        }
    }
    return demands;
}

namespace
{

/// The largest demand of a coflow [s].
double
GetBottleneckSeconds(const std::vector<double>& demand)
{
    return demand.empty() ? 0 : *std::max_element(demand.begin(), demand.end());
}

/// Adds the attribute that orders of coflows share.
template <class Order>
TypeId
AddUplinks(TypeId tid, bool Order::*uplinks)
{
    return tid.AddAttribute("Uplinks",
                            "Whether links between switches count as ports of the coflows, too "
                            "(our extension; the papers have one big switch).",
                            BooleanValue(false),
                            MakeBooleanAccessor(uplinks),
                            MakeBooleanChecker());
}

} // namespace

/// Sincronia's order of jobs, computed anew for all running jobs at each decision; one iteration of
/// a job is one coflow of weight 1 (GetBssiOrder). With epochs, it is also computed at the start of
/// each epoch, and the coflows that fit into the epoch go before the others (CoflowEpoch).
class BssiOrder : public JobOrder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AddUplinks(TypeId("ns3::BssiOrder")
                                           .SetParent<JobOrder>()
                                           .SetGroupName("GpuFabric")
                                           .AddConstructor<BssiOrder>(),
                                       &BssiOrder::m_uplinks)
                                .AddAttribute("Epoch",
                                              "Length of the first epoch of a round of Sincronia's "
                                              "online algorithm, each being twice as long as the "
                                              "one before; 0: no epochs, jobs are ordered when "
                                              "they come or go. Whether and how Crux's authors ran "
                                              "it with epochs is not published.",
                                              TimeValue(Time(0)),
                                              MakeTimeAccessor(&BssiOrder::m_epoch),
                                              MakeTimeChecker(Time(0)))
                                .AddAttribute("Epochs",
                                              "Epochs of a round (the reference simulator: 8).",
                                              UintegerValue(8),
                                              MakeUintegerAccessor(&BssiOrder::m_epochs),
                                              MakeUintegerChecker<uint32_t>(1, 30));
        return tid;
    }

    void Rank(const ClusterView& view, CandidatePaths& paths, JobRanking& ranking) const override
    {
        NS_LOG_FUNCTION(this << ranking.jobs.size());
        ranking.by = "BSSI";
        const CoflowDemands demands = GetCoflowDemands(view, paths, ranking, m_uplinks);
        std::vector<uint32_t> order = GetBssiOrder(demands);
        std::vector<double> admitted;
        CoflowEpoch epoch;
        if (m_epoch.IsStrictlyPositive())
        {
            // If all or none are admitted, it is the order of all.
            ranking.by = "BSSI in epochs";
            epoch = CoflowEpoch::At(view.nowPs, m_epoch.GetTimeStep(), m_epochs);
            admitted =
                GetAdmittedFractions(demands, static_cast<double>(epoch.horizonPs) / PS_PER_S);
            std::stable_partition(order.begin(), order.end(), [&admitted](uint32_t c) {
                return !IsAbove(0.5, admitted[c]);
            });
        }
        const auto n = static_cast<uint32_t>(order.size());
        for (uint32_t position = 0; position < n; position++)
        {
            RankedJob& job = ranking.jobs[order[position]];
            job.priority = n - position;
            DecisionJson inputs;
            inputs.Add("bytes", job.intensity.GetWireBytes())
                .Add("bottleneck_s", GetBottleneckSeconds(demands[order[position]]))
                .Add("ports", static_cast<uint64_t>(demands[order[position]].size()))
                .Add("bssi_position", position);
            if (!admitted.empty())
            {
                inputs.Add("epoch", epoch.number)
                    .Add("horizon_s", static_cast<double>(epoch.horizonPs) / PS_PER_S)
                    .Add("admitted", admitted[order[position]]);
            }
            job.inputs = inputs.Get();
            job.details = GetDetails(*view.topology, job);
        }
        ranking.Sort();
    }

    int64_t GetPeriodPs() const override
    {
        return m_epoch.GetTimeStep();
    }

  private:
    static constexpr double PS_PER_S = 1e12;

    /// Bytes of a job by NIC, out and in, from which the order can be recomputed.
    static std::string GetDetails(const ClusterTopology& topology, const RankedJob& ranked)
    {
        std::map<uint32_t, std::pair<uint64_t, uint64_t>> bytes;
        for (const FlowView& flow : ranked.job->flows)
        {
            bytes[flow.sourceNic].first += flow.wireBytes;
            bytes[flow.destinationNic].second += flow.wireBytes;
        }
        DecisionJson nics;
        for (const auto& [nic, sums] : bytes)
        {
            nics.AddObject(topology.GetPortName(nic),
                           DecisionJson()
                               .Add("out", sums.first)
                               .Add("in", sums.second)
                               .Add("bps", topology.GetPortRate(nic)));
        }
        return DecisionJson().AddObject("nics", nics).Get();
    }

    bool m_uplinks{false};
    Time m_epoch{0};
    uint32_t m_epochs{8};
};

NS_OBJECT_ENSURE_REGISTERED(BssiOrder);

/// Smallest effective bottleneck first, the order of Varys (Chowdhury, Zhong and Stoica, SIGCOMM
/// 2014, section 5); one iteration of a job is one coflow.
class SebfOrder : public JobOrder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = AddUplinks(TypeId("ns3::SebfOrder")
                                           .SetParent<JobOrder>()
                                           .SetGroupName("GpuFabric")
                                           .AddConstructor<SebfOrder>(),
                                       &SebfOrder::m_uplinks);
        return tid;
    }

    void Rank(const ClusterView& view, CandidatePaths& paths, JobRanking& ranking) const override
    {
        NS_LOG_FUNCTION(this << ranking.jobs.size());
        ranking.by = "effective bottleneck";
        const CoflowDemands demands = GetCoflowDemands(view, paths, ranking, m_uplinks);
        for (size_t i = 0; i < demands.size(); i++)
        {
            RankedJob& job = ranking.jobs[i];
            job.priority = -GetBottleneckSeconds(demands[i]);
            job.inputs = DecisionJson()
                             .Add("bytes", job.intensity.GetWireBytes())
                             .Add("bottleneck_s", -job.priority)
                             .Get();
        }
        ranking.Sort();
    }

  private:
    bool m_uplinks{false};
};

NS_OBJECT_ENSURE_REGISTERED(SebfOrder);

} // namespace ns3
