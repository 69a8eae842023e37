/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/file-name-value.h"
#include "../base/unit-parser.h"
#include "../document/document-table.h"
#include "topology-document.h"

#include "ns3/log.h"
#include "ns3/quantity-value.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AstraSimTopology");

namespace
{

/// How the NPUs along a dimension are connected.
enum class DimensionKind
{
    RING,
    FULLY_CONNECTED,
    SWITCH
};

struct Dimension
{
    DimensionKind kind{DimensionKind::SWITCH};
    uint64_t npus{1};
    uint64_t rateBps{0}; ///< of a link [bit/s]
    int64_t delayPs{0};  ///< of a link [ps]

    /// Number of links of an NPU along this dimension.
    uint64_t GetDegree() const
    {
        return npus < 2                                 ? 0
               : kind == DimensionKind::SWITCH          ? 1
               : kind == DimensionKind::FULLY_CONNECTED ? npus - 1
                                                        : std::min<uint64_t>(npus - 1, 2);
    }

    /// Number of links between NPUs that differ along this dimension alone.
    uint64_t GetLinks() const
    {
        return kind == DimensionKind::SWITCH ? npus * GetDegree() : npus * GetDegree() / 2;
    }
};

constexpr uint64_t MAX_NPUS = 1 << 20;

/// The contents of a file, by dimension.
struct AstraSimFile
{
    std::vector<const DocumentNode*> kinds;
    std::vector<const DocumentNode*> npus;
    std::vector<const DocumentNode*> bandwidths;
    std::vector<const DocumentNode*> latencies;
};

const DocumentTable<AstraSimFile>&
GetFileKeys()
{
    using S = AstraSimFile;
    static const DocumentTable<S> table(
        "astra-sim",
        {Key("topology",
             &S::kinds,
             Form::Scalars(),
             "Ring, FullyConnected or Switch of each dimension.")
             .Required(),
         Key("npus_count", &S::npus, Form::Scalars(), "NPUs along each dimension.").Required(),
         Key("bandwidth", &S::bandwidths, Form::Scalars(), "GB/s of a link of each dimension.")
             .Required(),
         Key("latency", &S::latencies, Form::Scalars(), "ns of a link of each dimension.")
             .Required()});
    return table;
}

} // namespace

/**
 * The network of ASTRA-sim's analytical network input (network.yml): per dimension a topology
 * (Ring, FullyConnected or Switch), a number of NPUs, the bandwidth [GB/s] and the latency [ns] per
 * link and direction. Every combination and number of dimensions is accepted.
 *
 * An NPU is a host with one GPU, host0.., the first dimension varying fastest. A single dimension
 * of kind Switch is a star. Otherwise NPUs must forward, which hosts do not: host i is cabled,
 * without delay and at the sum of the rates of the NPU's links, to a switch router i, and routers
 * are connected along each dimension: neighbours of a ring (two of them by one link), all pairs, or
 * all to a switch of their own. Between NPUs that differ in several dimensions frames take any
 * shortest path.
 *
 * Links come in this order: host by host; then dimension by dimension, group by group (a group
 * differs in this dimension alone, groups in the order of their first NPU), NPU by NPU.
 */
class AstraSimTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    /// Reads the file; if there are faults, the result is unusable.
    std::vector<Dimension> Read(TopologyDocument& document) const;
    static ClusterTopology Build(const std::vector<Dimension>& dimensions);

    std::string m_file;
    uint64_t m_gigabyte{0};
};

NS_OBJECT_ENSURE_REGISTERED(AstraSimTopology);

TypeId
AstraSimTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::AstraSimTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<AstraSimTopology>()
            .AddAttribute("File",
                          "Analytical network input of ASTRA-sim, YAML.",
                          FileNameValue(""),
                          MakeFileNameAccessor(&AstraSimTopology::m_file),
                          MakeFileNameChecker())
            .AddAttribute("Gigabyte",
                          "What a GB of the file is: 1GiB as ASTRA-sim's analytical network takes "
                          "it (BasicTopology.cpp: \"1 GB is 2^30 B\"), or 1GB.",
                          ByteSizeValue(1 << 30),
                          MakeByteSizeAccessor(&AstraSimTopology::m_gigabyte),
                          MakeByteSizeChecker(1'000'000'000, 1 << 30));
    return tid;
}

std::vector<Dimension>
AstraSimTopology::Read(TopologyDocument& document) const
{
    std::vector<Dimension> dimensions;
    const auto root = document.ReadMap();
    if (!root)
    {
        return dimensions;
    }
    AstraSimFile file;
    const DocumentBlock block = GetFileKeys().Read(*root, "", document.GetDiagnostics(), file);
    dimensions.resize(file.kinds.size());
    const std::vector<std::string> names{"Ring", "FullyConnected", "Switch"};
    for (std::size_t d = 0; d < dimensions.size(); d++)
    {
        const std::string& name = file.kinds[d]->text;
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end())
        {
            document.Error(*file.kinds[d], Diagnostics::Unknown("kind", name, names));
            continue;
        }
        dimensions[d].kind = static_cast<DimensionKind>(found - names.begin());
    }
    for (const auto& [key, values] : {std::make_pair("npus_count", &file.npus),
                                      std::make_pair("bandwidth", &file.bandwidths),
                                      std::make_pair("latency", &file.latencies)})
    {
        if (!values->empty() && !dimensions.empty() && values->size() != dimensions.size())
        {
            block.Error(key,
                        "has " + std::to_string(values->size()) + " values for " +
                            std::to_string(dimensions.size()) + " dimensions of topology");
        }
        for (std::size_t d = 0; d < values->size(); d++)
        {
            const DocumentNode& value = *(*values)[d];
            Dimension none; // surplus values are checked, too
            Dimension& dimension = d < dimensions.size() ? dimensions[d] : none;
            if (values == &file.npus)
            {
                std::string why;
                const auto npus = UnitParser::ParseUnsigned(value.text, 1, MAX_NPUS, why);
                if (!npus)
                {
                    document.Error(value, why);
                }
                dimension.npus = npus.value_or(1);
                continue;
            }
            const bool isLatency = values == &file.latencies;
            const double unit = isLatency ? 1000 : 8 * static_cast<double>(m_gigabyte);
            const double scaled = document.GetNumber(value, isLatency).value_or(0) * unit;
            if (scaled > 1e15)
            {
                document.Error(value, Diagnostics::Quote(value.text) + " is too large");
            }
            else if (isLatency)
            {
                dimension.delayPs = std::llround(scaled);
            }
            else
            {
                dimension.rateBps = static_cast<uint64_t>(std::llround(scaled));
            }
        }
    }
    return dimensions;
}

ClusterTopology
AstraSimTopology::Build(const std::vector<Dimension>& dimensions)
{
    ClusterTopology topology;
    uint64_t npus = 1;
    uint64_t hostBps = 0;
    for (const Dimension& dimension : dimensions)
    {
        npus *= dimension.npus;
        hostBps += dimension.GetDegree() * dimension.rateBps;
    }
    const bool star = dimensions.size() == 1 && dimensions[0].kind == DimensionKind::SWITCH;
    for (uint64_t npu = 0; npu < npus; npu++)
    {
        topology.AddHost("host" + std::to_string(npu), 1);
    }
    const uint32_t firstEnd = star ? 0 : static_cast<uint32_t>(npus);
    for (uint64_t npu = 0; !star && npu < npus; npu++)
    {
        topology.AddSwitch("router" + std::to_string(npu));
    }
    // All switches before links, in the same order as the groups below.
    uint32_t nextSwitch = static_cast<uint32_t>(topology.GetNodes().size());
    uint32_t switches = 0;
    for (const Dimension& dimension : dimensions)
    {
        const uint64_t groups = dimension.kind == DimensionKind::SWITCH && dimension.npus > 1
                                    ? npus / dimension.npus
                                    : 0;
        for (uint64_t group = 0; group < groups; group++)
        {
            topology.AddSwitch("switch" + std::to_string(switches++));
        }
    }
    for (uint32_t npu = 0; !star && npu < npus && npus > 1; npu++)
    {
        topology.AddLink(npu, firstEnd + npu, hostBps, 0);
    }
    uint64_t stride = 1;
    for (const Dimension& dimension : dimensions)
    {
        const uint64_t n = dimension.npus;
        for (uint64_t first = 0; n > 1 && first < npus; first++)
        {
            if (first / stride % n != 0)
            {
                continue;
            }
            const auto end = [&](uint64_t i) {
                return firstEnd + static_cast<uint32_t>(first + i * stride);
            };
            for (uint64_t i = 0; i < n; i++)
            {
                if (dimension.kind == DimensionKind::SWITCH)
                {
                    topology.AddLink(end(i), nextSwitch, dimension.rateBps, dimension.delayPs);
                }
                else if (dimension.kind == DimensionKind::RING && (i + 1 < n || n > 2))
                {
                    topology.AddLink(end(i),
                                     end((i + 1) % n),
                                     dimension.rateBps,
                                     dimension.delayPs);
                }
                for (uint64_t j = i + 1; dimension.kind == DimensionKind::FULLY_CONNECTED && j < n;
                     j++)
                {
                    topology.AddLink(end(i), end(j), dimension.rateBps, dimension.delayPs);
                }
            }
            nextSwitch += dimension.kind == DimensionKind::SWITCH ? 1 : 0;
        }
        stride *= n;
    }
    return topology;
}

ClusterTopology
AstraSimTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    TopologyDocument document(m_file, faults);
    const std::vector<Dimension> dimensions = Read(document);
    if (document.HasErrors())
    {
        return {};
    }
    // Products of numbers below 2^20, capped to avoid overflow.
    uint64_t npus = 1;
    for (const Dimension& dimension : dimensions)
    {
        npus = std::min(npus * dimension.npus, 2 * MAX_NPUS);
    }
    uint64_t links = npus;
    for (const Dimension& dimension : dimensions)
    {
        links += std::min(npus, MAX_LINKS) / dimension.npus * dimension.GetLinks();
        links = std::min(links, uint64_t{1} << 42);
    }
    CheckSize("NPUs of the file", links, "NPUs of the file", npus, faults);
    return faults.empty() ? Build(dimensions) : ClusterTopology();
}

} // namespace ns3
