/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_FIXTURE_H
#define GPU_FABRIC_COLLECTIVE_FIXTURE_H

#include "ns3/collective-algorithm.h"
#include "ns3/communicator.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Hosts with so many GPUs each, GPU g of G on NIC floor(g N / G).
inline CollectiveLayout
MakeCollectiveLayout(const std::vector<uint32_t>& gpusOfHosts, uint32_t nics, uint32_t gpusPerHost)
{
    CollectiveLayout layout;
    for (uint32_t host = 0; host < gpusOfHosts.size(); host++)
    {
        for (uint32_t gpu = 0; gpu < gpusOfHosts[host]; gpu++)
        {
            layout.ranks.push_back({host, gpu, gpu * nics / gpusPerHost});
        }
    }
    return layout;
}

/// So many hosts with the same GPUs.
inline CollectiveLayout
MakeEvenLayout(uint32_t hosts, uint32_t gpusPerHost, uint32_t nics)
{
    return MakeCollectiveLayout(std::vector<uint32_t>(hosts, gpusPerHost), nics, gpusPerHost);
}

/// All layouts of so many ranks that the algorithms are proved on: one host, a host each, and 4
/// GPUs a host on 1, 2 and 4 NICs, the last host with what is left.
inline std::vector<CollectiveLayout>
MakeCollectiveLayouts(uint32_t ranks)
{
    std::vector<uint32_t> fours(ranks / 4, 4);
    if (ranks % 4 > 0)
    {
        fours.push_back(ranks % 4);
    }
    std::vector<CollectiveLayout> layouts{MakeEvenLayout(1, ranks, 1),
                                          MakeEvenLayout(ranks, 1, 1),
                                          MakeCollectiveLayout(fours, 1, 4),
                                          MakeCollectiveLayout(fours, 2, 4),
                                          MakeCollectiveLayout(fours, 4, 4)};
    for (uint32_t hosts = 2; hosts <= ranks / 2; hosts++)
    {
        if (ranks % hosts == 0)
        {
            layouts.push_back(MakeEvenLayout(hosts, ranks / hosts, 2));
        }
    }
    return layouts;
}

/// The schedule of an algorithm, proved.
inline CollectiveSchedule
BuildProved(const CollectiveAlgorithm& algorithm,
            const CollectiveCall& call,
            const CollectiveLayout& layout,
            uint32_t channels)
{
    EXPECT_EQ(algorithm.GetUnsupportedReason(call, layout), "");
    CollectiveSchedule schedule = algorithm.Build(call, layout, channels);
    const std::vector<std::string> faults = schedule.Validate();
    EXPECT_TRUE(faults.empty()) << schedule.algorithm << " "
                                << GetCollectiveOperationName(call.operation) << " of "
                                << layout.ranks.size() << " ranks on " << layout.GetHostCount()
                                << " hosts, " << channels << " channels, " << call.bytes
                                << " B, root " << call.root << ": " << faults.front();
    return schedule;
}

/// Proves an operation on 1 to 17 ranks, all layouts it supports, on 1 to 3 channels and with
/// several roots. \returns number of schedules
inline uint32_t
ProveOnManyLayouts(const CollectiveAlgorithm& algorithm,
                   CollectiveOperation operation,
                   uint64_t bytes)
{
    uint32_t count = 0;
    for (uint32_t ranks = 1; ranks <= 17; ranks++)
    {
        for (const CollectiveLayout& layout : MakeCollectiveLayouts(ranks))
        {
            for (uint32_t channels = 1; channels <= 3; channels++)
            {
                CollectiveCall call{operation, bytes, ranks / 2, {}};
                if (algorithm.GetUnsupportedReason(call, layout).empty())
                {
                    BuildProved(algorithm, call, layout, channels);
                    call.root = ranks - 1;
                    BuildProved(algorithm, call, layout, channels);
                    count += 2;
                }
            }
        }
    }
    return count;
}

/// Bytes that each rank sends to others.
inline std::vector<uint64_t>
GetEgress(const CollectiveSchedule& schedule, uint64_t bytes)
{
    std::vector<uint64_t> egress(schedule.ranks);
    for (const ChunkTransfer& transfer : schedule.transfers)
    {
        if (!transfer.IsLocal())
        {
            egress[transfer.source] += schedule.GetTransferBytes(transfer, bytes);
        }
    }
    return egress;
}

/// Transfers between ranks on the longest chain of dependencies.
inline uint32_t
GetStepCount(const CollectiveSchedule& schedule)
{
    // In every schedule built here a transfer depends on earlier ones only.
    std::vector<uint32_t> steps;
    uint32_t most = 0;
    for (const ChunkTransfer& transfer : schedule.transfers)
    {
        uint32_t before = 0;
        for (uint32_t d = 0; d < transfer.dependencyCount; d++)
        {
            const uint32_t other = schedule.dependencies[transfer.firstDependency + d];
            // What waits only for its own rank's posting waits for no message.
            if (schedule.transfers[other].destination == transfer.source)
            {
                before = std::max(before, steps[other]);
            }
        }
        steps.push_back(before + (transfer.IsLocal() ? 0 : 1));
        most = std::max(most, steps.back());
    }
    return most;
}

/**
 * Runs one collective of a schedule through a Communicator. Each ordered pair of ranks has a link
 * that takes messages one after the other, by default a byte a unit of time; nothing else takes
 * time.
 */
class UnitLinkRun : public CollectiveTransport, public CommunicatorListener
{
  public:
    /// Time of a message from a rank to another of so many bytes.
    using Duration = std::function<int64_t(uint32_t source, uint32_t destination, uint64_t bytes)>;

    /// \param schedule what to run \param bytes larger buffer of a rank [byte]
    UnitLinkRun(const CollectiveSchedule& schedule, uint64_t bytes, Duration duration = nullptr)
        : m_duration(std::move(duration))
    {
        CollectivePlans plans;
        const CollectiveCall call{schedule.operation, bytes, schedule.root, schedule.destinations};
        plans.Add(call, true, std::make_shared<CollectivePlan>(schedule));
        std::vector<uint32_t> ranks;
        for (uint32_t rank = 0; rank < schedule.ranks; rank++)
        {
            ranks.push_back(rank);
        }
        Communicator communicator(0, ranks, plans, this, this);
        for (uint32_t rank : ranks)
        {
            communicator.Issue(0, rank, call);
        }
        while (!m_arrivals.empty())
        {
            const auto [time, message] = *m_arrivals.begin();
            m_arrivals.erase(m_arrivals.begin());
            communicator.Delivered(time.first, message);
            communicator.Completed(time.first, message);
        }
    }

    void Send(int64_t now,
              uint32_t source,
              uint32_t destination,
              uint32_t,
              uint64_t bytes,
              const ChunkMessage& message) override
    {
        int64_t& free = m_free[{source, destination}];
        free = std::max(free, now) +
               (m_duration ? m_duration(source, destination, bytes) : static_cast<int64_t>(bytes));
        m_arrivals.emplace(std::make_pair(free, m_count++), message);
        m_linkBytes[{source, destination}] += bytes;
    }

    void RankFinished(int64_t, uint32_t, uint32_t, uint32_t, int64_t) override
    {
    }

    void CollectiveFinished(const CollectiveOutcome& outcome) override
    {
        m_endPs = outcome.endPs;
    }

    /// Byte times until the last rank has ended; -1: it never does.
    int64_t GetEnd() const
    {
        return m_endPs;
    }

    uint64_t GetMaxLinkBytes() const
    {
        uint64_t most = 0;
        for (const auto& [link, bytes] : m_linkBytes)
        {
            most = std::max(most, bytes);
        }
        return most;
    }

  private:
    Duration m_duration;
    std::map<std::pair<uint32_t, uint32_t>, int64_t> m_free;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_linkBytes;
    std::map<std::pair<int64_t, uint64_t>, ChunkMessage> m_arrivals;
    uint64_t m_count{0};
    int64_t m_endPs{-1};
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_FIXTURE_H
