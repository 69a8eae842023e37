/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEST_SPLIT_NETWORK_FIXTURE_H
#define GPU_FABRIC_TEST_SPLIT_NETWORK_FIXTURE_H

#include "network-fixture.h"

#include "ns3/fabric-part-server.h"
#include "ns3/fabric-partition.h"
#include "ns3/remote-fabric-part.h"
#include "ns3/thread-rank-link.h"

#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace ns3
{

/// A part that is another one, which it does not own.
class SamePart : public FabricPart
{
  public:
    explicit SamePart(FabricPart& part)
        : m_part(part)
    {
    }

    void Start(const EventLane::Position& target, std::vector<Frame>& arriving, bool much) override
    {
        m_part.Start(target, arriving, much);
    }

    FabricPartReport& Wait() override
    {
        return m_part.Wait();
    }

    void Read(FabricReadings& sum) override
    {
        m_part.Read(sum);
    }

    void Audit(int64_t now, FabricAudit& sum) override
    {
        m_part.Audit(now, sum);
    }

    void LookAt(int64_t now, int64_t deadlock, bool forStuck, FabricLook& look) override
    {
        m_part.LookAt(now, deadlock, forStuck, look);
    }

    void EnableAccounting(bool enable) override
    {
        m_part.EnableAccounting(enable);
    }

    void FinishPauses(int64_t now) override
    {
        m_part.FinishPauses(now);
    }

    uint64_t Obey(const FabricFaultOrder& order, const std::vector<uint8_t>& down) override
    {
        return m_part.Obey(order, down);
    }

  private:
    FabricPart& m_part;
};

/// Networks whole and in parts.
class SplitNetworkFixture : public NetworkFixture
{
  protected:
    enum class Mode
    {
        WHOLE,
        THREADS,
        RANKS ///< each a thread here, with all that crosses written and read
    };

    void TearDown() override
    {
        EndRanks();
        NetworkFixture::TearDown();
    }

    /// Builds a network in so many parts.
    void BuildIn(Mode mode, const ClusterTopology& graph, uint32_t parts)
    {
        if (mode != Mode::RANKS)
        {
            Build(graph, 1, mode == Mode::THREADS ? parts : 1);
            return;
        }
        Build(graph, 1, 1);
        FabricCut cut(*network.GetFabric(), PartitionFabric(topology, parts));
        m_links = ThreadRankLink::MakeAll(cut.count);
        std::vector<std::unique_ptr<FabricPart>> others;
        for (uint32_t rank = 1; rank < cut.count; ++rank)
        {
            // ns-3's objects are made in one thread only.
            m_served.push_back(
                std::make_unique<LocalFabricPart>(*network.GetFabric(), cut, rank, false));
            m_servers.emplace_back([this, rank]() {
                FabricPartServer(*m_links[rank], [this, rank](uint32_t run, std::string& fault) {
                    fault = run == 7 ? "" : "another run";
                    return std::make_unique<SamePart>(*m_served[rank - 1]);
                }).Serve();
            });
            RemoteFabricPart::Build(*m_links[0], rank, 7);
            EXPECT_EQ(RemoteFabricPart::GetBuildFault(*m_links[0], rank), "");
            others.push_back(std::make_unique<RemoteFabricPart>(*m_links[0], rank, cut.count));
        }
        m_split = std::make_unique<FabricSplit>(network.GetFabric(), cut, std::move(others));
    }

    void EndRanks()
    {
        m_split = nullptr;
        for (uint32_t rank = 1; rank <= m_servers.size(); ++rank)
        {
            RemoteFabricPart::Quit(*m_links[0], rank);
            m_servers[rank - 1].join();
        }
        m_servers.clear();
        m_served.clear();
        m_links.clear();
    }

    /// All that can be read of the network now.
    std::string ReadAll()
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        Fabric& fabric = *network.GetFabric();
        std::ostringstream out;
        const FabricTotals totals = fabric.GetTotals();
        out << now << ": sent " << totals.sent << " delivered " << totals.delivered << " hops "
            << totals.hops << " xoff " << totals.xoff << " marks " << totals.markedFrames << " pfc "
            << totals.pfcFrames << " dropped " << totals.dropped << "\n";
        for (uint32_t link = 0; link < topology.GetPortCount(); ++link)
        {
            const LinkCounters counters = fabric.GetLinkCounters(link, 4);
            out << " " << counters.frames << "," << counters.bytes << "," << counters.busyPs << ","
                << counters.queueBytes << "," << counters.pausedPs << "," << counters.markedFrames
                << "," << fabric.GetSentPauses(link) << "," << fabric.GetSentPfcFrames(link) << ","
                << fabric.GetLinkCounters(link, 0).droppedFrames;
        }
        for (const JobLinkCounters& job : fabric.GetJobLinkCounters())
        {
            out << " " << job.job << "," << job.link << "," << job.bytes << "," << job.queuePs;
        }
        const FabricAudit audit = fabric.GetAudit(now);
        out << "\n in use " << audit.framesInUse << " frames " << audit.frames << " pfc "
            << audit.pfcFrames << " paused " << audit.paused;
        for (std::size_t i = 0; i < audit.bufferUsed.size(); ++i)
        {
            out << " " << audit.bufferUsed[i] << "," << audit.bufferHeld[i];
        }
        return out.str();
    }

  private:
    std::vector<std::unique_ptr<RankLink>> m_links;
    std::vector<std::unique_ptr<LocalFabricPart>> m_served;
    std::vector<std::thread> m_servers;
    std::unique_ptr<FabricSplit> m_split;
};

} // namespace ns3

#endif // GPU_FABRIC_TEST_SPLIT_NETWORK_FIXTURE_H
