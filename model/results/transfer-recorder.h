/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRANSFER_RECORDER_H
#define GPU_FABRIC_TRANSFER_RECORDER_H

#include "ns3/recorder.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// Queue pairs, their changes and transfers, recorded in every run: the tables `queue_pair`,
/// `queue_pair_change` and `transfer`.
class TransferRecorder : public Recorder
{
  public:
    static TypeId GetTypeId();

    std::vector<const TableSpec*> Tables() const override;
    void Connect(const RunContext& context) override;

    void OnQueuePair(const QueuePairRecord& record);
    void OnQueuePairChange(const QueuePairChangeRecord& record);
    /// A message that is acknowledged, or will not be.
    void OnTransfer(const TransferRecord& record);

  private:
    bool m_jobs{false};
    ResultWriter* m_results{nullptr};
    uint32_t m_run{0};
    const ClusterTopology* m_topology{nullptr};
    std::map<uint32_t, uint32_t> m_changes; ///< number of changes so far, by queue pair
};

} // namespace ns3

#endif // GPU_FABRIC_TRANSFER_RECORDER_H
