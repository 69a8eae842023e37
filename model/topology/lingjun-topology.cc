/* SPDX-License-Identifier: GPL-2.0-only */
#include "../base/file-name-value.h"
#include "../base/text-value.h"
#include "../base/unit-parser.h"
#include "../document/document-loader.h"
#include "clos-plan.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/quantity-value.h"
#include "ns3/string.h"
#include "ns3/topology-generator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LingjunTopology");

namespace
{

/// Hosts under the ToRs of each PSW group of topo.csv (groups P10, P12 and P8; ToRs in the order
/// of their numbers): 847 hosts, 119 ToRs.
const char* const LINGJUN_2023 =
    "8 7 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 7 7 8 8 7 8 8 7 5 8 8 8 8 6 6 7 8 6 8 8 8 8 8 7 3 8 7 8 "
    "8, "
    "7 8 8 8 8 8 8 8 8 6 7 8 8 5 8 8 8 6 8 8 8 8 8 7 8 8 8 8 8 8 8 8 2 2 7 7 8 6 7 7 6 8, "
    "8 8 6 7 6 7 8 7 7 6 7 4 7 6 6 7 8 5 5 4 6 8 7 5 5 5 6 6 2";

constexpr uint32_t MAX_HOSTS_PER_TOR = 4096;
constexpr std::size_t MAX_ERRORS = 20; ///< per file; further errors are not shown

/// A field of a line and its starting column, counted from 1.
struct Field
{
    std::string text;
    int column{0};
};

std::vector<Field>
SplitFields(std::string line)
{
    if (!line.empty() && line.back() == '\r')
    {
        line.pop_back();
    }
    std::vector<Field> fields;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1)
    {
        end = line.find(',', begin);
        fields.push_back({line.substr(begin, end == std::string::npos ? end : end - begin),
                          static_cast<int>(begin) + 1});
    }
    return fields;
}

/// Reads topo.csv into a plan.
class LingjunFile
{
  public:
    LingjunFile(const std::string& file, std::vector<TopologyFault>& faults)
        : m_file(file),
          m_topologyFaults(faults)
    {
    }

    void Read(std::istream& stream, ClosPlan& plan)
    {
        for (std::string line; m_faults < MAX_ERRORS && std::getline(stream, line);)
        {
            m_line++;
            const std::vector<Field> fields = SplitFields(line);
            if (fields.size() == 1 && fields[0].text.empty())
            {
                continue;
            }
            if (m_columns.empty())
            {
                if (!ReadHeader(fields))
                {
                    return;
                }
                continue;
            }
            ReadHost(fields, plan);
        }
        if (m_faults >= MAX_ERRORS)
        {
            Fault(1, "the rest of the file was not read");
        }
        else if (plan.torOfHost.empty() && m_faults == 0)
        {
            Fault(1,
                  m_columns.empty() ? "the file is empty: the first line must be \"ip,DSW,PSW,ASW\""
                                    : "no host follows the first line");
        }
    }

  private:
    void Fault(int column, const std::string& what)
    {
        m_topologyFaults.push_back(
            TopologyFault::InFile(m_file, std::max(m_line, 1), column, what));
        m_faults++;
    }

    bool ReadHeader(const std::vector<Field>& fields)
    {
        for (const char* name : {"ip", "DSW", "PSW", "ASW"})
        {
            std::size_t column = 0;
            while (column < fields.size() && fields[column].text != name)
            {
                column++;
            }
            if (column == fields.size())
            {
                Fault(1,
                      std::string("the first line must name the columns ip, DSW, PSW and ASW: ") +
                          name + " is missing");
                return false;
            }
            m_columns.push_back(column);
        }
        m_fields = fields.size();
        return true;
    }

    void ReadHost(const std::vector<Field>& fields, ClosPlan& plan)
    {
        if (fields.size() != m_fields)
        {
            Fault(1,
                  "a line has " + std::to_string(m_fields) + " fields as the first one, not " +
                      std::to_string(fields.size()));
            return;
        }
        for (const std::size_t column : m_columns)
        {
            if (fields[column].text.empty())
            {
                Fault(fields[column].column, "the field is empty");
                return;
            }
        }
        const Field& ip = fields[m_columns[0]];
        const Field& core = fields[m_columns[1]];
        const auto seen = m_hosts.emplace(ip.text, m_line);
        if (!seen.second)
        {
            Fault(ip.column,
                  "the host is listed already, in line " + std::to_string(seen.first->second));
            return;
        }
        m_core = m_core.empty() ? core.text : m_core;
        if (core.text != m_core)
        {
            Fault(core.column,
                  "the host is in DSW group " + core.text + ", those before in " + m_core +
                      ": hosts of different groups do not meet");
            return;
        }
        // ToR labels are reused in other PSW groups.
        const std::string& group = fields[m_columns[2]].text;
        const auto pod = m_pods.emplace(group, static_cast<uint32_t>(m_pods.size())).first->second;
        const auto tor =
            m_tors.emplace(std::make_pair(group, fields[m_columns[3]].text), plan.podOfTor.size());
        if (tor.second)
        {
            plan.podOfTor.push_back(pod);
        }
        plan.torOfHost.push_back(static_cast<uint32_t>(tor.first->second));
    }

    const std::string m_file;
    std::vector<TopologyFault>& m_topologyFaults;
    std::size_t m_faults{0};
    int m_line{0};
    std::size_t m_fields{0};
    std::vector<std::size_t> m_columns; ///< of ip, DSW, PSW, ASW
    std::string m_core;
    std::map<std::string, int> m_hosts; ///< line of each
    std::map<std::string, uint32_t> m_pods;
    std::map<std::pair<std::string, std::string>, std::size_t> m_tors;
};

} // namespace

/**
 * The GPU cluster of the Lingjun dataset (alibaba-lingjun-dataset-2023, two weeks of August 2023):
 * hosts under ToR (ASW), aggregation (PSW) and core (DSW) switches, cabled according to ClosPlan; a
 * pod is a PSW group. Hosts are read from its topo.csv in the order of the file or, without File,
 * generated ToR by ToR from HostsPerTor, whose default has the hosts of every ToR and group of that
 * file.
 *
 * The file gives the switch group that a host is attached to, but no rates and no numbers of links
 * or of switches in a group: these attributes are assumptions. Four NICs of 200 Gb/s for eight GPUs
 * are those of the Crux testbed (SIGCOMM 2024, section 6.1); 16 aggregation and 32 core switches
 * are numbers of its two simulated clusters; 16 uplinks of 400 Gb/s make a ToR of eight hosts
 * non-blocking, and the cores are over-subscribed 12:1 for the largest group.
 */
class LingjunTopology : public TopologyGenerator
{
  public:
    static TypeId GetTypeId();

    ClusterTopology Generate(std::vector<TopologyFault>& faults) const override;

  private:
    void ReadFile(ClosPlan& plan, std::vector<TopologyFault>& faults) const;
    static void ParseHostsPerTor(const std::string& text,
                                 ClosPlan& plan,
                                 std::vector<TopologyFault>& faults);
    /// Checks a value of HostsPerTor.
    static std::string FindHostsFault(const std::string& text);

    std::string m_file;
    std::string m_hostsPerTor;
    uint32_t m_gpusPerHost{0};
    uint32_t m_nicsPerHost{0};
    uint64_t m_nicRate{0}; ///< [bit/s]
    uint32_t m_aggsPerPod{0};
    uint32_t m_torUplinks{0};
    uint64_t m_torUplinkRate{0}; ///< [bit/s]
    uint32_t m_cores{0};
    uint32_t m_aggUplinks{0};
    uint64_t m_aggUplinkRate{0}; ///< [bit/s]
    Time m_linkDelay;
};

NS_OBJECT_ENSURE_REGISTERED(LingjunTopology);

TypeId
LingjunTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LingjunTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("GpuFabric")
            .AddConstructor<LingjunTopology>()
            .AddAttribute("File",
                          "topo.csv of the Lingjun dataset; empty: HostsPerTor instead.",
                          FileNameValue(""),
                          MakeFileNameAccessor(&LingjunTopology::m_file),
                          MakeFileNameChecker())
            .AddAttribute(
                "HostsPerTor",
                "Without File: hosts under each ToR, such as \"8 8 7, 8 6\" for three ToRs of one "
                "group and two of another; default: the 847 hosts of the dataset.",
                TextValue(LINGJUN_2023),
                MakeTextAccessor(&LingjunTopology::m_hostsPerTor),
                MakeTextChecker(&LingjunTopology::FindHostsFault))
            .AddAttribute("GpusPerHost",
                          "GPUs of each host.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&LingjunTopology::m_gpusPerHost),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("NicsPerHost",
                          "NICs, and so links to the ToR, of each host; an assumption.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&LingjunTopology::m_nicsPerHost),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("NicRate",
                          "Rate of a host's link, in each direction; an assumption.",
                          BitRateValue(200'000'000'000),
                          MakeBitRateAccessor(&LingjunTopology::m_nicRate),
                          MakeBitRateChecker())
            .AddAttribute("AggsPerPod",
                          "Aggregation switches (PSW) of each group; an assumption.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&LingjunTopology::m_aggsPerPod),
                          MakeUintegerChecker<uint32_t>(1, 4096))
            .AddAttribute("TorUplinks",
                          "Links from each ToR to its group, in all; a multiple of AggsPerPod; an "
                          "assumption.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&LingjunTopology::m_torUplinks),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("TorUplinkRate",
                          "Rate of a link between ToR and aggregation switch, in each direction; "
                          "an assumption.",
                          BitRateValue(400'000'000'000),
                          MakeBitRateAccessor(&LingjunTopology::m_torUplinkRate),
                          MakeBitRateChecker())
            .AddAttribute("Cores",
                          "Core switches (DSW); an assumption.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&LingjunTopology::m_cores),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("AggUplinks",
                          "Links from each aggregation switch to cores, in all; AggsPerPod times "
                          "as many are a multiple of Cores; an assumption.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&LingjunTopology::m_aggUplinks),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("AggUplinkRate",
                          "Rate of a link between aggregation switch and core, in each direction; "
                          "an assumption.",
                          BitRateValue(400'000'000'000),
                          MakeBitRateAccessor(&LingjunTopology::m_aggUplinkRate),
                          MakeBitRateChecker())
            .AddAttribute("LinkDelay",
                          "Propagation delay of every link; an assumption.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&LingjunTopology::m_linkDelay),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

void
LingjunTopology::ReadFile(ClosPlan& plan, std::vector<TopologyFault>& faults) const
{
    std::string ignored;
    const auto text = DocumentLoader::ReadText(m_file, ignored);
    if (!text)
    {
        faults.push_back(TopologyFault::OfAttribute("File", "cannot be read: \"" + m_file + "\""));
        return;
    }
    std::istringstream stream(*text);
    LingjunFile(m_file, faults).Read(stream, plan);
}

void
LingjunTopology::ParseHostsPerTor(const std::string& text,
                                  ClosPlan& plan,
                                  std::vector<TopologyFault>& faults)
{
    uint32_t pod = 0;
    for (const Field& group : SplitFields(text))
    {
        std::istringstream words(group.text);
        const std::size_t before = plan.podOfTor.size();
        for (std::string word; words >> word;)
        {
            std::string why;
            const auto hosts = UnitParser::ParseUnsigned(word, 1, MAX_HOSTS_PER_TOR, why);
            if (!hosts)
            {
                faults.push_back(
                    TopologyFault::OfAttribute("HostsPerTor",
                                               "holds a number of hosts that is wrong: " + why));
                return;
            }
            plan.torOfHost.insert(plan.torOfHost.end(),
                                  *hosts,
                                  static_cast<uint32_t>(plan.podOfTor.size()));
            plan.podOfTor.push_back(pod);
            if (plan.torOfHost.size() > MAX_LINKS)
            {
                faults.push_back(TopologyFault::OfAttribute(
                    "HostsPerTor",
                    "makes more than " + std::to_string(MAX_LINKS) + " hosts"));
                return;
            }
        }
        if (plan.podOfTor.size() == before)
        {
            faults.push_back(
                TopologyFault::OfAttribute("HostsPerTor",
                                           "has a group without ToRs: write numbers of hosts with "
                                           "spaces between them, and a comma between two groups"));
            return;
        }
        pod++;
    }
}

std::string
LingjunTopology::FindHostsFault(const std::string& text)
{
    ClosPlan plan;
    std::vector<TopologyFault> faults;
    ParseHostsPerTor(text, plan, faults);
    return faults.empty() ? "" : faults.front().text;
}

ClusterTopology
LingjunTopology::Generate(std::vector<TopologyFault>& faults) const
{
    NS_LOG_FUNCTION(this);
    ClosPlan plan;
    plan.gpusPerHost = m_gpusPerHost;
    plan.nicsPerHost = m_nicsPerHost;
    plan.nicBps = m_nicRate;
    plan.aggsPerPod = m_aggsPerPod;
    plan.torUplinks = m_torUplinks;
    plan.torUplinkBps = m_torUplinkRate;
    plan.cores = m_cores;
    plan.aggUplinks = m_aggUplinks;
    plan.aggUplinkBps = m_aggUplinkRate;
    plan.delayPs = m_linkDelay.GetPicoSeconds();
    m_file.empty() ? ParseHostsPerTor(m_hostsPerTor, plan, faults) : ReadFile(plan, faults);
    if (faults.empty())
    {
        plan.Check(faults);
        CheckSize("NicsPerHost, TorUplinks and AggUplinks",
                  plan.GetLinkCount(),
                  "GpusPerHost and the hosts",
                  static_cast<uint64_t>(plan.torOfHost.size()) * m_gpusPerHost,
                  faults);
    }
    return faults.empty() ? plan.Build() : ClusterTopology();
}

} // namespace ns3
