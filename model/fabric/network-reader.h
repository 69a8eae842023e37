/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NETWORK_READER_H
#define GPU_FABRIC_NETWORK_READER_H

#include "fabric-readings.h"
#include "job-link-accounts.h"
#include "network-faults.h"
#include "network-state.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Reads the counters of a network and audits its contents. For a split fabric the readings cover
/// all its logical processes, at the event that is running.
class NetworkReader
{
  public:
    /// \param net outlives it, as do the other arguments
    NetworkReader(NetworkState& net, const NetworkFaults& faults, const JobLinkAccounts& accounts);

    FabricTotals GetTotals() const;
    LinkCounters GetLinkCounters(uint32_t link, uint32_t priority) const;
    /// Bytes waiting at a port [byte]. For a split fabric, only valid for a host's port.
    uint64_t GetQueueBytes(uint32_t portId, uint32_t priority) const;
    uint64_t GetSentPauses(uint32_t link) const;
    uint64_t GetSentPfcFrames(uint32_t link) const;
    /// All counters, ordered by job, link and priority.
    std::vector<JobLinkCounters> GetJobLinkCounters() const;
    uint64_t GetBufferPeak(uint32_t switchIndex) const;
    /// Walks through all frames, with ended transmissions released. \param now [ps]
    FabricAudit GetAudit(int64_t now);

    /// \name For this logical process alone; results are added
    /// @{
    void Read(FabricReadings& sum) const;
    void Audit(int64_t now, FabricAudit& sum);
    /// @}

  private:
    LinkCounters ReadLink(uint32_t link, uint32_t priority) const;
    /// Counts the frames that exist, except in buffers.
    void CountFrames(FabricAudit& sum) const;
    /// Bytes that the queues and transmissions of a switch hold at a time, found by walking them
    /// [byte].
    uint64_t CountBufferedBytes(int64_t now, const std::vector<uint32_t>& ports) const;

    NetworkState& m_net;
    const NetworkFaults& m_faults;
    const JobLinkAccounts& m_accounts;
};

} // namespace ns3

#endif // GPU_FABRIC_NETWORK_READER_H
