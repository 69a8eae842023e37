/* SPDX-License-Identifier: GPL-2.0-only */
#include "down-hosts.h"

#include <algorithm>

namespace ns3
{

std::vector<GpuFailureRecord>
DownHosts::Remove(int64_t nowPs, uint32_t host)
{
    std::vector<GpuFailureRecord> records;
    for (uint32_t k = 0; k < m_topology->GetNodes()[host].gpus; k++)
    {
        records.push_back({m_topology->GetFirstGpu(host) + k, m_hosts.at(host).sincePs, nowPs});
    }
    m_hosts.erase(host);
    return records;
}

std::vector<GpuFailureRecord>
DownHosts::RemoveAll(int64_t nowPs)
{
    std::vector<GpuFailureRecord> records;
    while (!m_hosts.empty())
    {
        const std::vector<GpuFailureRecord> more = Remove(nowPs, m_hosts.begin()->first);
        records.insert(records.end(), more.begin(), more.end());
    }
    return records;
}

bool
DownHosts::IsFinal() const
{
    return !m_hosts.empty() && std::none_of(m_hosts.begin(), m_hosts.end(), [](const auto& host) {
        return host.second.returns;
    });
}

std::string
DownHosts::GetNames() const
{
    std::string names;
    for (const auto& host : m_hosts)
    {
        names += (names.empty() ? "" : ", ") + m_topology->GetNodes()[host.first].name;
    }
    return names;
}

std::vector<uint8_t>
DownHosts::GetUsable(std::vector<uint8_t> free) const
{
    for (const auto& host : m_hosts)
    {
        const uint32_t first = m_topology->GetFirstGpu(host.first);
        for (uint32_t k = 0; k < m_topology->GetNodes()[host.first].gpus; k++)
        {
            free[first + k] = 0;
        }
    }
    return free;
}

} // namespace ns3
