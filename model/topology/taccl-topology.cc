/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/file-name-value.h"
#include "taccl-file.h"
#include "topology-document.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TacclTopology");

/**
 * The network of a TACCL topology (Shah et al., NSDI 2023; taccl/examples/topo): Nodes hosts
 * host0.. with nics_per_node NICs each around switch0.
 *
 * From the file, remote_beta, the time a chunk takes between two NICs, gives the rate of a link:
 * ChunkBytes / remote_beta, rounded to the nearest bit/s; remote_alpha, the latency between two
 * hosts, is split over the two links of a path. The parameters for the inside of a node (alpha,
 * node_betas_list) and the sums (node_invbws_list, remote_invbw) are checked to be numbers but not
 * used, nor are the matrices: the inside of hosts is not part of this graph (TacclReader reads it).
 */
class TacclTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    std::string m_file;
    uint32_t m_nodes{0};
    uint64_t m_chunkBytes{0};
    Time m_timeUnit;
};

NS_OBJECT_ENSURE_REGISTERED(TacclTopology);

TypeId
TacclTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TacclTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TacclTopology>()
            .AddAttribute("File",
                          "TACCL topology, JSON.",
                          FileNameValue(""),
                          MakeFileNameAccessor(&TacclTopology::m_file),
                          MakeFileNameChecker())
            .AddAttribute("Nodes",
                          "Hosts: the file describes one.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&TacclTopology::m_nodes),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("ChunkBytes",
                          "Size of the chunk that the file's betas are for; TACCL's files have it "
                          "in their names (1MB is 1MiB).",
                          ByteSizeValue(1 << 20),
                          MakeByteSizeAccessor(&TacclTopology::m_chunkBytes),
                          MakeByteSizeChecker(1, 1ULL << 40))
            .AddAttribute("TimeUnit",
                          "Unit of the file's times: 1us; 10ns in TACCL's files for 1KB, and 100ns "
                          "in those for 32KB, whose numbers are scaled.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&TacclTopology::m_timeUnit),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

ClusterTopology
TacclTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClusterTopology topology;
    TopologyDocument document(m_file, faults);
    const auto root = document.ReadMap();
    if (!root)
    {
        return topology;
    }
    TacclFile file;
    const DocumentBlock block =
        TacclFile::GetKeys().Read(*root, "", document.GetDiagnostics(), file);
    for (const auto* numbers : {&file.betas, &file.costs})
    {
        for (const DocumentNode* number : *numbers)
        {
            document.GetNumber(*number, false);
        }
    }
    if (!block.IsComplete() || document.HasErrors())
    {
        return topology;
    }
    const auto unitPs = static_cast<double>(m_timeUnit.GetPicoSeconds());
    const double bps = static_cast<double>(m_chunkBytes) * 8 * 1e12 / (file.remoteBeta * unitPs);
    const double delayPs = file.remoteAlpha * unitPs / 2;
    if (bps < 1 || bps > 1e15)
    {
        block.Error("remote_beta",
                    std::string("makes a rate ") + (bps < 1 ? "below 1" : "above 10^15") +
                        " bit/s with ChunkBytes and TimeUnit");
    }
    if (delayPs > 1e15)
    {
        block.Error("remote_alpha", "is more than 1000 s with TimeUnit");
    }
    CheckSize("Nodes and nics_per_node",
              static_cast<uint64_t>(m_nodes) * file.nics,
              "Nodes and gpus_per_node",
              static_cast<uint64_t>(m_nodes) * file.gpus,
              faults);
    if (document.HasErrors())
    {
        return topology;
    }
    for (uint32_t host = 0; host < m_nodes; host++)
    {
        topology.AddHost("host" + std::to_string(host), file.gpus);
    }
    const uint32_t center = topology.AddSwitch("switch0");
    for (uint32_t host = 0; host < m_nodes; host++)
    {
        for (uint32_t nic = 0; nic < file.nics; nic++)
        {
            topology.AddLink(host,
                             center,
                             static_cast<uint64_t>(std::llround(bps)),
                             std::llround(delayPs));
        }
    }
    return topology;
}

} // namespace ns3
