/* SPDX-License-Identifier: GPL-2.0-only */
#include "job-check.h"

#include "ns3/abort.h"
#include "ns3/counter-random.h"

#include <map>
#include <tuple>

namespace ns3
{

std::vector<std::pair<uint32_t, std::string>>
JobCheck::Find(const ClusterTopology& topology,
               const PlacementPolicy& placement,
               uint64_t seed,
               const std::vector<Ptr<Job>>& jobs,
               const UntilJobs& untilJobs)
{
    std::vector<std::pair<uint32_t, std::string>> faults;
    const PlacementView empty{&topology,
                              std::vector<uint8_t>(topology.GetGpuCount(), 1),
                              nullptr,
                              seed};

    // Most jobs have the same request as an earlier one.
    struct Fit
    {
        bool placed{false};
        std::string fault;
    };

    using Hosts = std::vector<uint32_t>;
    using LocalGpus = std::vector<uint32_t>;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, Hosts, LocalGpus>, Fit> fits;
    for (uint32_t id = 0; id < jobs.size(); id++)
    {
        const Job& job = *jobs[id];
        const PlacementRequest& request = job.GetRequest();
        const std::string& until = job.GetSpec().until;
        const auto [asked, isNew] = fits.try_emplace({job.GetSpec().program,
                                                      request.gpus,
                                                      request.gpusPerHost,
                                                      request.hosts,
                                                      request.localGpus});
        if (isNew)
        {
            const std::vector<Placement> ranked = placement.Rank(empty, request);
            asked->second.placed = !ranked.empty();
            asked->second.fault =
                ranked.empty() ? "" : job.GetFactory().GetFault(job.GetSpec(), ranked.front().gpus);
        }
        if (!asked->second.fault.empty())
        {
            faults.emplace_back(id, asked->second.fault);
        }
        if (!asked->second.placed)
        {
            faults.emplace_back(id,
                                "job " + job.GetName() + " with " + std::to_string(request.gpus) +
                                    " GPUs does not fit on the empty cluster");
        }
        if (!until.empty() && untilJobs.Get(id).empty())
        {
            faults.emplace_back(id,
                                "job " + job.GetName() + " runs until " + until +
                                    " ends, but there is no such job");
        }
    }
    for (const uint32_t id : untilJobs.FindEndless())
    {
        faults.emplace_back(id,
                            "job " + jobs[id]->GetName() +
                                " never ends: `until` leads in a circle");
    }
    return faults;
}

int64_t
JobCheck::DrawArrival(uint64_t seed, const std::string& name, const TimeRange& range)
{
    NS_ABORT_MSG_IF(range.low.IsStrictlyNegative() || range.high < range.low,
                    "job " << name << " has no valid arrival");
    __extension__ using Product = unsigned __int128;
    const auto span = static_cast<uint64_t>((range.high - range.low).GetPicoSeconds());
    const uint64_t random = CounterRandom(seed, HashName("arrival " + name), 0);
    return range.low.GetPicoSeconds() +
           static_cast<int64_t>((static_cast<Product>(random) * (Product{span} + 1)) >> 64);
}

} // namespace ns3
